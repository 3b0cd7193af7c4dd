//! `Scene::frame`: all stages of a frame in one call.
//!
//! Invariant: the stages run in the order of `FrameStage`, and none after one that failed.

use pleach_graph::NodeId;
use pleach_spatial::Visible;

use crate::animation::Mixer;
use crate::{Error, RenderList, Scene, SceneUpdateStats, View, Viewport};

/// The mixers and results of [`Scene::frame`]. The caller keeps it from frame to frame, so that its
/// memory is reused.
#[derive(Debug, Default)]
pub struct Frame {
    /// The mixers that a frame advances, in this order.
    pub mixers: Vec<Mixer>,
    /// The draws; see [`RenderList::with_matrices`].
    pub list: RenderList,
    visible: Visible,
    view: Option<View>,
    stats: SceneUpdateStats,
    stages: Vec<FrameStage>,
}

/// A stage of [`Scene::frame`], in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FrameStage {
    /// [`Scene::animate`], for each mixer.
    Animate,
    /// [`Scene::update`].
    Update,
    /// [`Scene::view`].
    View,
    /// [`Scene::cull`].
    Cull,
    /// [`RenderList::build`].
    List,
}

impl Frame {
    /// Creates a frame without mixers, which has not run.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the view of the last frame, or `None` if no view was computed.
    #[must_use]
    pub fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// Returns the nodes with bounds in view.
    #[must_use]
    pub fn visible(&self) -> &Visible {
        &self.visible
    }

    /// Returns the statistics of the last update.
    #[must_use]
    pub fn stats(&self) -> SceneUpdateStats {
        self.stats
    }

    /// Returns the stages that the last frame completed, in the order in which they ran: all of
    /// them, or those before the one that failed.
    #[must_use]
    pub fn stages(&self) -> &[FrameStage] {
        &self.stages
    }
}

impl Scene {
    /// Runs a whole frame, in this order: advances the mixers of `frame` by `seconds`, updates the
    /// scene, computes the view of `camera`, culls, and builds the render list. Each stage can be
    /// called on its own, too: see [`FrameStage`].
    ///
    /// Does not allocate in the steady state.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Camera, Frame, Material, Node, Scene, shapes::Cuboid};
    ///
    /// let mut scene = Scene::new();
    /// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// let wood = scene.assets.add(Material::default());
    /// let cube = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    /// let camera = scene.spawn(camera)?;
    ///
    /// let mut frame = Frame::new();
    /// for _ in 0..3 {
    ///     scene.node_mut(cube)?.set_translation(Vec3::X)?;
    ///     scene.frame(camera, (1280, 720), 1.0 / 60.0, &mut frame)?;
    ///     assert_eq!(frame.list.opaque()[0].node, cube);
    /// }
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update) and [`view`](Self::view). The stages before the one that
    /// failed have run; the render list is that of the frame before.
    pub fn frame(
        &mut self,
        camera: NodeId,
        viewport: impl Into<Viewport>,
        seconds: f32,
        frame: &mut Frame,
    ) -> Result<(), Error> {
        let Frame { mixers, list, visible, view, stats, stages } = frame;
        stages.clear();
        for mixer in mixers {
            self.animate(mixer, seconds);
        }
        stages.push(FrameStage::Animate);
        *stats = self.update()?;
        stages.push(FrameStage::Update);
        let view = view.insert(self.view(camera, viewport)?);
        stages.push(FrameStage::View);
        self.cull(view, visible);
        stages.push(FrameStage::Cull);
        list.build(self, visible, view);
        stages.push(FrameStage::List);
        Ok(())
    }
}
