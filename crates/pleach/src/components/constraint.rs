//! Constraints: nodes whose rotation follows other nodes, within the update, without a frame of
//! lag.
//!
//! A constraint rotates its node based on the *current* transforms of other nodes: every world
//! transform it reads is computed on the spot. A constraint that rotates an ancestor of a node that
//! another constraint reads is applied before it (`constraint_order.rs`); one that would depend on
//! itself is an error.
//!
//! Invariant: after an update every constraint holds, except those that later edits made part of a
//! cycle, or that have no direction to rotate to: these are skipped and counted.

use glam::{Mat4, Vec3};
use pleach_graph::{Graph, NodeId, NodeMap, Transform};

use super::constraint_order::EvaluationOrder;
use crate::{ConstraintError, Error};

/// A rule that derives the rotation of a node from another node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// Points −Z at another node, like cameras and lights.
    LookAt {
        /// The node to look at.
        target: NodeId,
        /// The up direction.
        up: Vec3,
    },
    /// Points the front, −Y, at another node, like models.
    Face {
        /// The node to face.
        target: NodeId,
        /// The up direction.
        up: Vec3,
    },
    /// Points +Z against the view direction of a camera, with +Y up in the image: a sprite.
    Billboard {
        /// The node of the camera.
        camera: NodeId,
    },
    /// Rotates +Z towards a camera about `axis` only: a tree.
    Upright {
        /// The node of the camera.
        camera: NodeId,
        /// The axis in world space.
        axis: Vec3,
    },
}

impl Constraint {
    /// Returns the node that it follows.
    #[must_use]
    pub fn target(&self) -> NodeId {
        match *self {
            Self::LookAt { target, .. } | Self::Face { target, .. } => target,
            Self::Billboard { camera } | Self::Upright { camera, .. } => camera,
        }
    }

    pub(crate) fn with_target(self, target: NodeId) -> Self {
        match self {
            Self::LookAt { up, .. } => Self::LookAt { target, up },
            Self::Face { up, .. } => Self::Face { target, up },
            Self::Billboard { .. } => Self::Billboard { camera: target },
            Self::Upright { axis, .. } => Self::Upright { camera: target, axis },
        }
    }

    /// Returns `true` if it depends on the rotation of its target, not only on its position.
    pub(crate) fn reads_rotation(&self) -> bool {
        matches!(self, Self::Billboard { .. })
    }
}

/// The constraints of a scene, by node.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    entries: NodeMap<Entry>,
    order: EvaluationOrder,
    /// The structure version of the graph that `order` is for; `None` if constraints changed since.
    order_version: Option<u64>,
    skipped: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    constraint: Constraint,
    /// The state after it was last applied.
    applied: Option<State>,
}

/// The transforms that a rotation depends on, and the resulting local transform.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    parent: Mat4,
    target: Mat4,
    local: Transform,
}

impl Constraints {
    /// Sets the constraint of a node; replaces a previous one. O(constraints it depends on).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if either node is not in the graph; [`Error::Constraint`] if rotating the
    /// node would move its target.
    pub fn set(
        &mut self,
        graph: &Graph,
        node: NodeId,
        constraint: Constraint,
    ) -> Result<(), Error> {
        let target = constraint.target();
        graph.node(target)?;
        let previous = self.entries.insert(graph, node, Entry { constraint, applied: None })?;
        if self.order.depends_on_itself(graph, node, |node| self.get(graph, node).copied()) {
            match previous {
                Some(previous) => _ = self.entries.insert(graph, node, previous)?,
                None => _ = self.entries.remove(node),
            }
            return Err(Error::Constraint(ConstraintError { node, target }));
        }
        self.order_version = None;
        Ok(())
    }

    /// Sets the constraint of a cloned node without checking it: like the original, it may be part
    /// of a cycle or follow a removed node.
    pub(crate) fn insert_unchecked(
        &mut self,
        graph: &Graph,
        node: NodeId,
        constraint: Constraint,
    ) -> Result<(), Error> {
        self.entries.insert(graph, node, Entry { constraint, applied: None })?;
        self.order_version = None;
        Ok(())
    }

    /// Removes and returns the constraint of a node.
    pub fn remove(&mut self, node: NodeId) -> Option<Constraint> {
        self.order_version = None;
        self.entries.remove(node).map(|entry| entry.constraint)
    }

    /// Returns the constraint of a node.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&Constraint> {
        self.entries.get(graph, node).map(|entry| &entry.constraint)
    }

    /// Iterates over all constraints, in unspecified order.
    pub fn iter<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (NodeId, Constraint)> {
        self.entries.iter(graph).map(|(node, entry)| (node, entry.constraint))
    }

    /// Returns the number of constraints that the last update skipped, because later edits made
    /// them part of a cycle, or because there was no direction to rotate to.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.skipped
    }

    pub(crate) fn purge(&mut self, graph: &Graph) {
        self.entries.purge(graph);
        self.order_version = None;
    }

    /// Rotates the nodes whose constraints do not hold. O(constraints), a few reads each if nothing
    /// moved.
    pub(crate) fn apply(&mut self, graph: &mut Graph) {
        self.skipped = 0;
        if self.entries.is_empty() {
            return;
        }
        if self.order_version != Some(graph.structure_version()) {
            let Self { entries, order, .. } = self;
            let constraints = entries.iter(graph).map(|(node, entry)| (node, entry.constraint));
            order.find(graph, constraints);
            self.order_version = Some(graph.structure_version());
        }
        for &node in self.order.cycles() {
            self.skipped += 1;
            if let Some(entry) = self.entries.get_mut(graph, node) {
                entry.applied = None;
            }
        }
        for &node in self.order.nodes() {
            let Some(entry) = self.entries.get_mut(graph, node) else { continue };
            let (constraint, applied) = (entry.constraint, entry.applied);
            let current = state(graph, node, constraint);
            if current.is_some() && current == applied {
                continue;
            }
            let rotated = rotate(graph, node, constraint);
            self.skipped += usize::from(rotated.is_none());
            let applied = rotated.and_then(|()| state(graph, node, constraint));
            if let Some(entry) = self.entries.get_mut(graph, node) {
                entry.applied = applied;
            }
        }
    }
}

fn state(graph: &Graph, node: NodeId, constraint: Constraint) -> Option<State> {
    let constrained = graph.get(node)?;
    let parent = constrained.parent().and_then(|parent| graph.get(parent));
    let target = graph.get(constraint.target())?.compute_world();
    let position = Mat4::from_translation(target.w_axis.truncate());
    Some(State {
        parent: parent.map_or(Mat4::IDENTITY, |parent| parent.compute_world()),
        target: if constraint.reads_rotation() { target } else { position },
        local: constrained.transform(),
    })
}

/// Rotates a node; returns `None` if there is no direction to rotate to.
fn rotate(graph: &mut Graph, node: NodeId, constraint: Constraint) -> Option<()> {
    let world = graph.get(constraint.target())?.compute_world();
    let position = graph.get(node)?.compute_world().w_axis.truncate();
    let target = world.w_axis.truncate();
    let mut node = graph.get_mut(node)?;
    // Far enough ahead that the direction survives rounding at a position far from the origin.
    let point_ahead = |ahead: Vec3| position + ahead * (1.0 + 4.0 * position.abs().max_element());
    match constraint {
        Constraint::LookAt { up, .. } => node.look_at(target, up).map(|_| ()).ok(),
        Constraint::Face { up, .. } => node.face(target, up).map(|_| ()).ok(),
        Constraint::Billboard { .. } => {
            let ahead = world.transform_vector3(Vec3::NEG_Z).try_normalize()?;
            let up = world.transform_vector3(Vec3::Y);
            node.look_at(point_ahead(ahead), up).map(|_| ()).ok()
        }
        Constraint::Upright { axis, .. } => {
            let axis = axis.try_normalize()?;
            let away = position - target;
            let ahead = (away - axis * away.dot(axis)).try_normalize()?;
            node.look_at(point_ahead(ahead), axis).map(|_| ()).ok()
        }
    }
}
