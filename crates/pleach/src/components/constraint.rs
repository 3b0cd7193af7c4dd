//! Constraints: nodes that turn with others, inside the update, without a frame of lag.
//!
//! A constraint turns its node from where other nodes are *now*: every world transform it
//! reads is computed on the spot. One that turns an ancestor of what another one reads goes
//! before it (`order.rs`); what would wait for itself is refused.
//!
//! Invariant: after an update every constraint holds, but for those that later edits tied
//! into a circle, or that have no direction to turn in: these are left out, and counted.

use glam::{Mat4, Vec3};
use pleach_graph::{Graph, NodeId, NodeMap, Transform};

use super::constraint_order::EvaluationOrder;
use crate::{ConstraintError, Error};

/// What a node turns with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// Its −Z points at another node, as cameras and lights do.
    LookAt {
        /// The node to look at.
        target: NodeId,
        /// Which way is up.
        up: Vec3,
    },
    /// Its front, −Y, points at another node, as models do.
    Face {
        /// The node to face.
        target: NodeId,
        /// Which way is up.
        up: Vec3,
    },
    /// Its +Z points back at a camera, its +Y goes up in the picture: a sprite.
    Billboard {
        /// The node of the camera.
        camera: NodeId,
    },
    /// It stands upright and turns its +Z towards a camera about this axis only: a tree.
    Upright {
        /// The node of the camera.
        camera: NodeId,
        /// The axis, in the world.
        axis: Vec3,
    },
}

impl Constraint {
    /// The node it reads.
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

    /// Does it read how its target is turned, or only where it is?
    pub(crate) fn reads_rotation(&self) -> bool {
        matches!(self, Self::Billboard { .. })
    }
}

/// The constraints of a scene.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    entries: NodeMap<Entry>,
    order: EvaluationOrder,
    /// The graph's version that the order was made for; `None` if constraints changed since.
    order_version: Option<u64>,
    skipped: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    constraint: Constraint,
    /// What it turned by when it last did.
    applied: Option<State>,
}

/// What a turn depends on, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    parent: Mat4,
    target: Mat4,
    local: Transform,
}

impl Constraints {
    /// Ties a node to another; a constraint it had goes. O(what has to come before it).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if either node is not in the graph; [`Error::Constraint`] if turning the
    /// node would move what it turns with.
    pub fn set(
        &mut self,
        graph: &Graph,
        node: NodeId,
        constraint: Constraint,
    ) -> Result<(), Error> {
        let target = constraint.target();
        graph.node(target)?;
        let before = self.entries.insert(graph, node, Entry { constraint, applied: None })?;
        if self.order.depends_on_itself(graph, node, |node| self.constraint(graph, node)) {
            match before {
                Some(before) => _ = self.entries.insert(graph, node, before)?,
                None => _ = self.entries.remove(node),
            }
            return Err(Error::Constraint(ConstraintError { node, target }));
        }
        self.order_version = None;
        Ok(())
    }

    /// Ties a copy as what it was copied from is tied, in a circle or to a dead node perhaps.
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

    /// Unties a node.
    pub fn remove(&mut self, node: NodeId) -> Option<Constraint> {
        self.order_version = None;
        self.entries.remove(node).map(|entry| entry.constraint)
    }

    /// A node's constraint.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&Constraint> {
        self.entries.get(graph, node).map(|entry| &entry.constraint)
    }

    fn constraint(&self, graph: &Graph, node: NodeId) -> Option<Constraint> {
        self.get(graph, node).copied()
    }

    /// All constraints, in no promised order.
    pub fn iter<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (NodeId, Constraint)> {
        self.entries.iter(graph).map(|(node, entry)| (node, entry.constraint))
    }

    /// How many the last update left out, because edits since they were set tied them into a
    /// circle, or because there was no direction to turn in.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.skipped
    }

    pub(crate) fn purge(&mut self, graph: &Graph) {
        self.entries.purge(graph);
        self.order_version = None;
    }

    /// Turns the nodes that do not look where they should. O(constraints), a few reads each if
    /// nothing moved.
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

/// Turns a node; `None` if there is no direction to turn in.
fn rotate(graph: &mut Graph, node: NodeId, constraint: Constraint) -> Option<()> {
    let world = graph.get(constraint.target())?.compute_world();
    let position = graph.get(node)?.compute_world().w_axis.truncate();
    let target = world.w_axis.truncate();
    let mut node = graph.get_mut(node)?;
    // A point so far ahead that the sum with a position far from the origin keeps the direction.
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
