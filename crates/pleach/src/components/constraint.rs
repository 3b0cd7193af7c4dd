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

use super::constraint_order::Order;
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
    rows: NodeMap<Row>,
    order: Order,
    /// The graph's version that the order was made for; `None` if constraints changed since.
    ordered: Option<u64>,
    left_out: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    constraint: Constraint,
    /// What it turned by when it last did.
    held: Option<Inputs>,
}

/// What a turn depends on, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inputs {
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
        let before = self.rows.insert(graph, node, Row { constraint, held: None })?;
        if self.order.waits_for_itself(graph, node, |node| self.constraint(graph, node)) {
            match before {
                Some(before) => _ = self.rows.insert(graph, node, before)?,
                None => _ = self.rows.remove(node),
            }
            return Err(Error::Constraint(ConstraintError { node, target }));
        }
        self.ordered = None;
        Ok(())
    }

    /// Ties a copy as what it was copied from is tied, in a circle or to a dead node perhaps.
    pub(crate) fn copy(
        &mut self,
        graph: &Graph,
        node: NodeId,
        constraint: Constraint,
    ) -> Result<(), Error> {
        self.rows.insert(graph, node, Row { constraint, held: None })?;
        self.ordered = None;
        Ok(())
    }

    /// Unties a node.
    pub fn remove(&mut self, node: NodeId) -> Option<Constraint> {
        self.ordered = None;
        self.rows.remove(node).map(|row| row.constraint)
    }

    /// A node's constraint.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&Constraint> {
        self.rows.get(graph, node).map(|row| &row.constraint)
    }

    fn constraint(&self, graph: &Graph, node: NodeId) -> Option<Constraint> {
        self.get(graph, node).copied()
    }

    /// All constraints, in no promised order.
    pub fn iter<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (NodeId, Constraint)> {
        self.rows.iter(graph).map(|(node, row)| (node, row.constraint))
    }

    /// How many the last update left out, because edits since they were set tied them into a
    /// circle, or because there was no direction to turn in.
    #[must_use]
    pub fn skipped_count(&self) -> usize {
        self.left_out
    }

    pub(crate) fn purge(&mut self, graph: &Graph) {
        self.rows.purge(graph);
        self.ordered = None;
    }

    /// Turns the nodes that do not look where they should. O(constraints), a few reads each if
    /// nothing moved.
    pub(crate) fn apply(&mut self, graph: &mut Graph) {
        self.left_out = 0;
        if self.rows.is_empty() {
            return;
        }
        if self.ordered != Some(graph.structure_version()) {
            let Self { rows, order, .. } = self;
            let constraints = rows.iter(graph).map(|(node, row)| (node, row.constraint));
            order.find(graph, constraints);
            self.ordered = Some(graph.structure_version());
        }
        for &node in self.order.circles() {
            self.left_out += 1;
            if let Some(row) = self.rows.get_mut(graph, node) {
                row.held = None;
            }
        }
        for &node in self.order.nodes() {
            let Some(row) = self.rows.get_mut(graph, node) else { continue };
            let (constraint, held) = (row.constraint, row.held);
            let now = inputs(graph, node, constraint);
            if now.is_some() && now == held {
                continue;
            }
            let turned = turn(graph, node, constraint);
            self.left_out += usize::from(turned.is_none());
            let now = turned.and_then(|()| inputs(graph, node, constraint));
            if let Some(row) = self.rows.get_mut(graph, node) {
                row.held = now;
            }
        }
    }
}

fn inputs(graph: &Graph, node: NodeId, constraint: Constraint) -> Option<Inputs> {
    let at = graph.get(node)?;
    let parent = at.parent().and_then(|parent| graph.get(parent));
    let target = graph.get(constraint.target())?.compute_world();
    let place = Mat4::from_translation(target.w_axis.truncate());
    Some(Inputs {
        parent: parent.map_or(Mat4::IDENTITY, |parent| parent.compute_world()),
        target: if constraint.reads_rotation() { target } else { place },
        local: at.transform(),
    })
}

/// Turns a node; `None` if there is no direction to turn in.
fn turn(graph: &mut Graph, node: NodeId, constraint: Constraint) -> Option<()> {
    let at = graph.get(constraint.target())?.compute_world();
    let place = graph.get(node)?.compute_world().w_axis.truncate();
    let target = at.w_axis.truncate();
    let mut view = graph.get_mut(node)?;
    // A point so far ahead that the sum with a place far from the origin keeps the direction.
    let along = |ahead: Vec3| place + ahead * (1.0 + 4.0 * place.abs().max_element());
    match constraint {
        Constraint::LookAt { up, .. } => view.look_at(target, up).map(|_| ()).ok(),
        Constraint::Face { up, .. } => view.face(target, up).map(|_| ()).ok(),
        Constraint::Billboard { .. } => {
            let ahead = at.transform_vector3(Vec3::NEG_Z).try_normalize()?;
            let up = at.transform_vector3(Vec3::Y);
            view.look_at(along(ahead), up).map(|_| ()).ok()
        }
        Constraint::Upright { axis, .. } => {
            let axis = axis.try_normalize()?;
            let away = place - target;
            let flat = (away - axis * away.dot(axis)).try_normalize()?;
            view.look_at(along(flat), axis).map(|_| ()).ok()
        }
    }
}
