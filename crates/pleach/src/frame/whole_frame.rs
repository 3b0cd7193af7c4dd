//! `Scene::frame`: all stages of a frame in one call.
//!
//! A cull and a list that would give what they gave last time are skipped.
//!
//! Invariants: the stages run in the order of `FrameStage`, and none after one that failed; `visible`
//! is the result of a cull of the index version `culled` for `view`, if that is set.

use pleach_graph::NodeId;
use pleach_spatial::{IndexVersion, Visible};

use super::list_inputs::same_view;
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
    culled: Option<IndexVersion>,
    /// The version of the list that the last frame built.
    listed: u64,
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
    /// Does not allocate in the steady state. If nothing changed since the last frame, neither in the
    /// scene nor in the camera, takes constant time: [`RenderList::version`] is the same then.
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
        let Frame { mixers, list, visible, view: last_view, culled, listed, stats, stages } = frame;
        stages.clear();
        for mixer in mixers {
            self.animate(mixer, seconds);
        }
        stages.push(FrameStage::Animate);
        *stats = self.update()?;
        stages.push(FrameStage::Update);
        let view = self.view(camera, viewport)?;
        let same_view = last_view.replace(view).is_some_and(|last| same_view(&last, &view));
        stages.push(FrameStage::View);
        let version = Some(self.spatial.version());
        let same_nodes = core::mem::replace(culled, version) == version && same_view;
        if !same_nodes {
            self.cull(&view, visible);
        }
        stages.push(FrameStage::Cull);
        if !(same_nodes && list.version() == *listed && list.is_of(self, &view)) {
            list.build(self, visible, &view);
        }
        *listed = list.version();
        stages.push(FrameStage::List);
        Ok(())
    }
}
