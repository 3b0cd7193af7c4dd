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

use std::hash::Hash;

use glam::{Mat4, Vec3};
use pleach_graph::axes::LocalAxes;
use pleach_graph::{Graph, NodeId, NodeMap, Transform, unit};

use super::constraint_order::{EvaluationOrder, depends_on_itself};
use crate::content::Content;
use crate::{
    Component, ConstraintError, Error, MapNode, Scene, SceneProblemKind, Table, UnmappedNode,
};

/// A rule that derives the rotation of a node from another node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
    /// Points the front of any axes at another node; for models whose front is not −Y.
    Aim {
        /// The node to aim at.
        target: NodeId,
        /// The axes of the node that are its front and its top.
        axes: LocalAxes,
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
            Self::LookAt { target, .. } | Self::Face { target, .. } | Self::Aim { target, .. } => {
                target
            }
            Self::Billboard { camera } | Self::Upright { camera, .. } => camera,
        }
    }

    pub(crate) fn with_target(self, target: NodeId) -> Self {
        match self {
            Self::LookAt { up, .. } => Self::LookAt { target, up },
            Self::Face { up, .. } => Self::Face { target, up },
            Self::Aim { axes, up, .. } => Self::Aim { target, axes, up },
            Self::Billboard { .. } => Self::Billboard { camera: target },
            Self::Upright { axis, .. } => Self::Upright { camera: target, axis },
        }
    }

    /// Returns `true` if it depends on the rotation of its target, not only on its position.
    pub(crate) fn reads_rotation(&self) -> bool {
        matches!(self, Self::Billboard { .. })
    }
}

impl Component for Constraint {
    const NAME: &'static str = "constraint";

    fn write_content(&self, content: &mut Content) -> bool {
        let (number, vectors): (u8, &[Vec3]) = match self {
            Self::LookAt { target: _, up } => (0, &[*up]),
            Self::Face { target: _, up } => (1, &[*up]),
            Self::Aim { target: _, axes, up } => (2, &[axes.front(), axes.up(), *up]),
            Self::Billboard { camera: _ } => (3, &[]),
            Self::Upright { camera: _, axis } => (4, &[*axis]),
        };
        (number, self.target()).hash(content);
        content.write_rows(vectors);
        true
    }

    fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
        *self = self.with_target(map(self.target())?);
        Ok(())
    }

    /// Rejects a removed target, and a constraint whose rotation would move its target. O(constraints
    /// it depends on).
    fn validate(&self, graph: &Graph, node: NodeId, table: &NodeMap<Self>) -> Result<(), Error> {
        let target = self.target();
        graph.node(target)?;
        let constraint_of =
            |at| if at == node { Some(*self) } else { table.get(graph, at).copied() };
        match depends_on_itself(graph, node, constraint_of) {
            true => Err(Error::Constraint(ConstraintError { node, target })),
            false => Ok(()),
        }
    }

    fn check(&self, scene: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        if !scene.graph.contains(self.target()) {
            report(SceneProblemKind::DeadTarget);
        }
    }
}

/// Applies the constraints of a scene: the order and the state that it derives from the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintSolver {
    order: EvaluationOrder,
    /// The structure version of the graph that `order` is for.
    order_version: Option<u64>,
    /// By node: the state after its constraint was last applied.
    applied: NodeMap<State>,
    skipped: usize,
}

/// A constraint, the transforms that the rotation depends on, and the resulting local transform.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    constraint: Constraint,
    parent: Mat4,
    target: Mat4,
    local: Transform,
}

impl ConstraintSolver {
    /// Returns the number of constraints that the last `apply` skipped.
    pub(crate) fn skipped_count(&self) -> usize {
        self.skipped
    }

    /// Drops the states of removed nodes.
    pub(crate) fn drop_removed(&mut self, removed: &[NodeId]) {
        if !self.applied.is_empty() {
            removed.iter().for_each(|&node| _ = self.applied.remove(node));
        }
    }

    /// Rotates the nodes whose constraints do not hold. O(constraints), a few reads each if nothing
    /// moved.
    pub(crate) fn apply(&mut self, graph: &mut Graph, constraints: &mut Table<Constraint>) {
        self.skipped = 0;
        if constraints.has_changed() {
            constraints.clear_changed();
            self.order_version = None;
        }
        if constraints.is_empty() {
            return;
        }
        if self.order_version != Some(graph.structure_version()) {
            self.order.find(graph, constraints.iter(graph).map(|(node, &it)| (node, it)));
            self.order_version = Some(graph.structure_version());
        }
        for &node in self.order.cycles() {
            self.skipped += 1;
            self.applied.remove(node);
        }
        for &node in self.order.nodes() {
            let Some(&constraint) = constraints.get(graph, node) else { continue };
            let current = state(graph, node, constraint);
            if current.is_some() && current.as_ref() == self.applied.get(graph, node) {
                continue;
            }
            let rotated = rotate(graph, node, constraint);
            self.skipped += usize::from(rotated.is_none());
            match rotated.and_then(|()| state(graph, node, constraint)) {
                // Cannot fail: the node is alive.
                Some(applied) => _ = self.applied.insert(graph, node, applied),
                None => _ = self.applied.remove(node),
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
        constraint,
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
    let unit = |vector: Vec3| unit(vector.as_dvec3()).map(|unit| unit.as_vec3());
    // Far enough ahead that the direction survives rounding at a position far from the origin.
    let point_ahead = |ahead: Vec3| position + ahead * (1.0 + 4.0 * position.abs().max_element());
    match constraint {
        Constraint::LookAt { up, .. } => node.look_at(target, up).map(|_| ()).ok(),
        Constraint::Face { up, .. } => node.face(target, up).map(|_| ()).ok(),
        Constraint::Aim { axes, up, .. } => node.aim(axes, target, up).map(|_| ()).ok(),
        Constraint::Billboard { .. } => {
            let ahead = unit(world.transform_vector3(Vec3::NEG_Z))?;
            let up = world.transform_vector3(Vec3::Y);
            node.look_at(point_ahead(ahead), up).map(|_| ()).ok()
        }
        Constraint::Upright { axis, .. } => {
            let axis = unit(axis)?;
            let away = position - target;
            let ahead = unit(away - axis * away.dot(axis))?;
            node.look_at(point_ahead(ahead), axis).map(|_| ()).ok()
        }
    }
}
