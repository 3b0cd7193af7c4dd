//! Constraints: nodes that turn with others, inside the update, without a frame of lag.
//!
//! A constraint turns its node from where other nodes are *now*: every world transform it
//! reads is computed on the spot. One that turns an ancestor of what another one reads goes
//! before it; where that has no end, the constraint is refused.
//!
//! Invariant: in the order that `apply` makes, a constraint comes after all that can move
//! what it reads. Those that later edits tied into a circle are left out, and counted.

use core::fmt;

use glam::Vec3;
use pleach_graph::{Graph, NodeId, NodeMap};

use crate::Error;

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
    fn reads_rotation(&self) -> bool {
        matches!(self, Self::Billboard { .. })
    }
}

/// A constraint that would wait for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstraintCycle {
    /// Its node.
    pub node: NodeId,
    /// What it was to turn with.
    pub target: NodeId,
}

impl fmt::Display for ConstraintCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, target } = self;
        write!(
            f,
            "node {node} cannot turn with {target}: turning it moves {target}, at once or by way of \
             other constraints; attach {target} elsewhere, or choose another target",
        )
    }
}

/// The constraints of a scene.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    rows: NodeMap<Row>,
    /// Kept for their memory.
    order: Vec<NodeId>,
    nodes: Vec<NodeId>,
    open: Vec<(NodeId, bool)>,
    left_out: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    constraint: Constraint,
    /// It was never applied.
    is_new: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Open,
    Done,
}

impl Constraints {
    /// Ties a node to another; a constraint it had goes.
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
        let circles = self.find_order(graph);
        let row = Row { constraint, is_new: true, state: State::Waiting };
        let before = self.rows.insert(graph, node, row)?;
        if self.find_order(graph) > circles {
            match before {
                Some(before) => _ = self.rows.insert(graph, node, before)?,
                None => _ = self.rows.remove(node),
            }
            return Err(Error::Constraint(ConstraintCycle { node, target }));
        }
        Ok(())
    }

    /// Ties a copy as what it was copied from is tied, in a circle or to a dead node perhaps.
    pub(crate) fn copy(
        &mut self,
        graph: &Graph,
        node: NodeId,
        constraint: Constraint,
    ) -> Result<(), Error> {
        self.rows.insert(graph, node, Row { constraint, is_new: true, state: State::Waiting })?;
        Ok(())
    }

    /// Unties a node.
    pub fn remove(&mut self, node: NodeId) -> Option<Constraint> {
        self.rows.remove(node).map(|row| row.constraint)
    }

    /// A node's constraint.
    #[must_use]
    pub fn get(&self, graph: &Graph, node: NodeId) -> Option<&Constraint> {
        self.rows.get(graph, node).map(|row| &row.constraint)
    }

    /// All constraints, in no promised order.
    pub fn iter<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (NodeId, Constraint)> {
        self.rows.iter(graph).map(|(node, row)| (node, row.constraint))
    }

    /// How many the last update left out, because edits since they were set tied them into a
    /// circle, or because there was no direction to turn in.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Drops the constraints of nodes that were removed.
    pub(crate) fn purge(&mut self, graph: &Graph) {
        self.rows.purge(graph);
    }

    /// Turns the nodes whose targets, or who themselves, are about to move.
    pub(crate) fn apply(&mut self, graph: &mut Graph) {
        if self.rows.is_empty() {
            return;
        }
        self.left_out = self.find_order(graph);
        let order = core::mem::take(&mut self.order);
        for &node in &order {
            let Some(row) = self.rows.get_mut(graph, node) else { continue };
            let constraint = row.constraint;
            let is_dirty = |node| graph.get(node).is_some_and(|node| node.is_dirty());
            let due = core::mem::take(&mut row.is_new);
            if due || is_dirty(node) || is_dirty(constraint.target()) {
                self.left_out += usize::from(turn(graph, node, constraint).is_none());
            }
        }
        self.order = order;
    }

    /// Lists the constraints, those first that move what others read. How many are in a circle,
    /// and not in the list.
    fn find_order(&mut self, graph: &Graph) -> usize {
        self.order.clear();
        for (_, row) in self.rows.rows_mut() {
            row.state = State::Waiting;
        }
        let mut nodes = core::mem::take(&mut self.nodes);
        nodes.clear();
        nodes.extend(self.rows.iter(graph).map(|(node, _)| node));
        nodes.sort_unstable_by_key(|node| node.index());
        let mut circles = 0;
        for &node in &nodes {
            self.open.clear();
            self.open.push((node, false));
            while let Some((node, seen)) = self.open.pop() {
                let Some(row) = self.rows.get_mut(graph, node) else { continue };
                let constraint = row.constraint;
                if seen {
                    row.state = State::Done;
                    self.order.push(node);
                    continue;
                }
                if row.state == State::Done {
                    continue;
                }
                if row.state == State::Open {
                    circles += 1;
                    continue;
                }
                row.state = State::Open;
                self.open.push((node, true));
                self.open_what_moves(graph, node, constraint);
            }
        }
        self.nodes = nodes;
        if circles > 0 {
            // Whatever hangs on a circle: leave out what comes before something it reads.
            self.drop_circles(graph);
        }
        circles
    }

    /// Opens the constraints that turn an ancestor of the node or of its target.
    fn open_what_moves(&mut self, graph: &Graph, node: NodeId, constraint: Constraint) {
        let above = |node| graph.get(node).into_iter().flat_map(|node| node.ancestors());
        let itself = constraint.reads_rotation().then_some(constraint.target());
        for above in above(node).chain(above(constraint.target())).chain(itself) {
            if self.rows.get(graph, above).is_some_and(|row| row.state != State::Done) {
                self.open.push((above, false));
            }
        }
    }

    /// Leaves out the constraints that would read what a later one moves.
    fn drop_circles(&mut self, graph: &Graph) {
        let order = core::mem::take(&mut self.order);
        for (_, row) in self.rows.rows_mut() {
            row.state = State::Waiting;
        }
        for node in order {
            let Some(row) = self.rows.get(graph, node) else { continue };
            let constraint = row.constraint;
            self.open.clear();
            self.open_what_moves(graph, node, constraint);
            if self.open.is_empty() {
                self.order.push(node);
            }
            if let Some(row) = self.rows.get_mut(graph, node) {
                row.state = State::Done;
            }
        }
    }
}

/// Turns a node; `None` if there is no direction to turn in.
fn turn(graph: &mut Graph, node: NodeId, constraint: Constraint) -> Option<()> {
    let at = graph.get(constraint.target())?.compute_world();
    let place = graph.get(node)?.compute_world().w_axis.truncate();
    let target = at.w_axis.truncate();
    let mut view = graph.get_mut(node)?;
    match constraint {
        Constraint::LookAt { up, .. } => view.look_at(target, up).map(|_| ()).ok(),
        Constraint::Face { up, .. } => view.face(target, up).map(|_| ()).ok(),
        Constraint::Billboard { .. } => {
            let ahead = at.transform_vector3(Vec3::NEG_Z).try_normalize()?;
            let up = at.transform_vector3(Vec3::Y);
            view.look_at(place + ahead, up).map(|_| ()).ok()
        }
        Constraint::Upright { axis, .. } => {
            let axis = axis.try_normalize()?;
            let away = place - target;
            let flat = (away - axis * away.dot(axis)).try_normalize()?;
            view.look_at(place + flat, axis).map(|_| ()).ok()
        }
    }
}
