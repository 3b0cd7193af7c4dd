//! `Bounds`: bounds of a node that are set by the user, instead of those of its mesh.
//!
//! `frame/mesh_bounds.rs` passes them to the spatial index.

use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::Aabb;

use crate::content::Content;
use crate::{Component, Error, Scene, SceneProblemKind};

/// The bounds of a node in its local space, instead of those of its mesh; see
/// [`Scene::set_bounds`].
///
/// Numbers must be finite, unless the box is [`Aabb::EMPTY`].
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Aabb, Bounds, Node, Scene};
///
/// let mut scene = Scene::new();
/// let bounds = Bounds(Aabb::new(Vec3::ZERO, Vec3::ONE));
/// let area = scene.spawn(Node::group().at(Vec3::X).with(bounds))?;
/// scene.update()?;
/// assert_eq!(scene.world_bounds(area).unwrap().max.x, 2.0);
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds(pub Aabb);

impl Bounds {
    /// Returns `true` if all numbers are finite, or the box is [`Aabb::EMPTY`].
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.0.is_finite() || self.0 == Aabb::EMPTY
    }
}

impl Component for Bounds {
    const NAME: &'static str = "bounds";

    fn write_content(&self, content: &mut Content) -> bool {
        content.write_rows(&[self.0.min, self.0.max]);
        true
    }

    fn validate(&self, graph: &Graph, node: NodeId, _: &NodeMap<Self>) -> Result<(), Error> {
        graph.node(node)?;
        if self.is_valid() {
            return Ok(());
        }
        Err(pleach_spatial::Error::BoundsNotFinite { node, bounds: self.0 }.into())
    }

    fn check(&self, _: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        if !self.is_valid() {
            report(SceneProblemKind::BoundsNotFinite);
        }
    }
}
