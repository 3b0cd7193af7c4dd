//! Animation of a scene: starting layers, and returning to the rest pose.
//!
//! Thin calls: a [`Mixer`] reads and writes the graph and the morph weights, which a scene has.

use crate::Scene;
use crate::animation::{BlendLayer, BlendLayerId, Mixer, PoseStats};

impl Scene {
    /// Adds a layer to a mixer: a [`BlendLayer`], or a [`Binding`](crate::animation::Binding) to play
    /// in a loop with full weight. [`animate`](Self::animate) then plays it.
    ///
    /// The current transforms and morph weights of nodes that are new to the mixer become their rest
    /// pose. See [`Mixer::add`].
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group())?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 2.0], [Vec3::ZERO, Vec3::Z])?;
    /// let rise = Clip::new("rise", ["lift"], [rise])?;
    ///
    /// let mut mixer = Mixer::new();
    /// scene.play(&mut mixer, Binding::new(rise, [lift])?);
    /// scene.animate(&mut mixer, 1.0);
    /// assert_eq!(scene.node(lift)?.translation(), Vec3::Z * 0.5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "clipAction")]
    #[doc(alias = "start_animation")]
    pub fn play(&self, mixer: &mut Mixer, layer: impl Into<BlendLayer>) -> BlendLayerId {
        mixer.add(layer, &self.graph, &self.weights)
    }

    /// Cross-fades to a layer from the others of its priority, in `seconds`. See
    /// [`Mixer::fade_to`].
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let fox = scene.spawn(Node::group())?;
    /// let clip = |name, to| {
    ///     let step = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], [to, to])?;
    ///     Clip::new(name, ["fox"], [step])
    /// };
    /// let mut mixer = Mixer::new();
    /// scene.play(&mut mixer, Binding::new(clip("walk", Vec3::X)?, [fox])?);
    /// scene.fade_to(&mut mixer, Binding::new(clip("run", Vec3::X * 3.0)?, [fox])?, 0.4);
    /// scene.animate(&mut mixer, 0.2);                      // halfway
    /// assert!(scene.node(fox)?.translation().abs_diff_eq(Vec3::X * 2.0, 1e-6));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "crossfade")]
    #[doc(alias = "crossFadeTo")]
    pub fn fade_to(
        &self,
        mixer: &mut Mixer,
        layer: impl Into<BlendLayer>,
        seconds: f32,
    ) -> BlendLayerId {
        mixer.fade_to(layer, seconds, &self.graph, &self.weights)
    }
}

impl Mixer {
    /// Returns all nodes that this mixer wrote to their [rest pose](Self::rest_pose), for example to
    /// save a scene as it was before it was animated. Layers keep their times and weights: the next
    /// [`Scene::animate`] poses the nodes again.
    ///
    /// A local matrix that an animated rotation or scale replaced is not restored; its node gets the
    /// nearest transform.
    ///
    /// ```
    /// use pleach::animation::{Binding, Channel, Clip, Interpolation, Mixer};
    /// use pleach::glam::Vec3;
    /// use pleach::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let lift = scene.spawn(Node::group().at(Vec3::X))?;
    /// let rise = Channel::translation(0, Interpolation::Linear, [0.0, 2.0], [Vec3::ZERO, Vec3::Z])?;
    /// let mut mixer = Mixer::new();
    /// scene.play(&mut mixer, Binding::new(Clip::new("rise", ["lift"], [rise])?, [lift])?);
    /// scene.animate(&mut mixer, 1.0);
    ///
    /// mixer.restore(&mut scene);
    /// assert_eq!(scene.node(lift)?.translation(), Vec3::X);
    /// scene.animate(&mut mixer, 0.0);
    /// assert_eq!(scene.node(lift)?.translation(), Vec3::Z * 0.5);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[doc(alias = "reset")]
    #[doc(alias = "bind_pose")]
    pub fn restore(&mut self, scene: &mut Scene) -> PoseStats {
        self.return_to_rest_pose();
        scene.write_pose(self)
    }
}
