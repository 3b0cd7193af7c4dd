//! A graph and the naive model side by side.
//!
//! Each edit is applied to both. What they answer must agree at once: accepted
//! or refused, and why. Everything else is compared when asked for: a little by
//! [`glance`](Pair::glance), all of it by [`compare`](Pair::compare). An edit
//! that is refused leaves the model as it was, so a graph that changed all the
//! same is found out by the next comparison.
//!
//! The edits are in the files of this folder, by what they are about.

mod compare;
mod locals;
mod place;
mod readers;
mod refusals;
mod rows;
mod structure;

use pleach_graph::{Error, Graph, NodeId, TransformKernel};
use testkit::naive::Key;

use crate::difference::{Difference, holds, same};
use crate::edit::{Edit, Pick};
use crate::model::Model;
use readers::{READERS, Reader};
use rows::Rows;

/// A graph, its model, and what is read beside them.
#[derive(Debug)]
pub struct Pair {
    graph: Graph,
    model: Model,
    /// By key: the node's handle in the graph.
    ids: Vec<NodeId>,
    /// By slot: the generation of its latest node.
    generations: Vec<u32>,
    /// With more nodes than this, nodes are removed instead of added.
    limit: usize,
    readers: [Reader; READERS],
    rows: Rows,
    /// Where subtrees are moved to, and back from.
    elsewhere: Graph,
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Done {
    /// It was refused, or there was nothing to do.
    Nothing,
    /// Nodes were changed.
    Edited,
    /// Nodes were added, removed or moved in the tree.
    Restructured,
}

/// Why the model does not allow an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    Dead,
    Cycle,
    FlatParent,
    NoDirection,
    Number,
}

impl Refusal {
    fn of(error: &Error) -> Option<Self> {
        match error {
            Error::Dead(_) => Some(Self::Dead),
            Error::Cycle { .. } => Some(Self::Cycle),
            Error::SingularParent { .. } => Some(Self::FlatParent),
            Error::NoDirection(_) => Some(Self::NoDirection),
            Error::NotFinite { .. } | Error::ZeroRotation(_) | Error::NotAffine { .. } => {
                Some(Self::Number)
            }
            _ => None,
        }
    }
}

impl Pair {
    /// An empty graph and an empty model, of at most about `limit` nodes.
    #[must_use]
    pub fn new(kernel: TransformKernel, limit: usize) -> Self {
        let mut graph = Graph::new();
        graph.set_kernel(kernel);
        let readers = readers::of(&mut graph);
        Self {
            graph,
            model: Model::default(),
            ids: Vec::new(),
            generations: Vec::new(),
            limit,
            readers,
            rows: Rows::default(),
            elsewhere: Graph::new(),
        }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Applies an edit to both, and says whether it changed anything.
    ///
    /// # Errors
    ///
    /// Where the two disagree.
    pub fn apply(&mut self, edit: &Edit) -> Result<bool, Difference> {
        let before = self.graph.structure_version();
        let done = self.dispatch(edit)?;
        let after = self.graph.structure_version();
        match done {
            Done::Restructured => holds("the structure's version grew", after > before)?,
            _ => same("the structure's version", after, before)?,
        }
        Ok(done != Done::Nothing && !edit.is_question())
    }

    fn dispatch(&mut self, edit: &Edit) -> Result<Done, Difference> {
        // Nothing can be picked before there is a node.
        if self.ids.is_empty() && !matches!(edit, Edit::AddRoot(_)) {
            return self.add(None, Default::default());
        }
        let key = |pick: Pick| self.pick(pick);
        let under = |pick: Option<Pick>| pick.map(|pick| self.pick(pick));
        match *edit {
            Edit::AddRoot(transform) => self.add(None, transform),
            Edit::AddChild(parent, transform) => self.add(Some(key(parent)), transform),
            Edit::Attach(child, parent) => self.attach(key(child), key(parent)),
            Edit::AttachAll(children, parent) => self.attach_all(children.map(key), key(parent)),
            Edit::AttachAt(child, parent, index) => self.attach_at(key(child), key(parent), index),
            Edit::AttachBefore(child, sibling) => self.attach_beside(key(child), key(sibling), 0),
            Edit::AttachAfter(child, sibling) => self.attach_beside(key(child), key(sibling), 1),
            Edit::AttachInPlace(child, parent) => self.attach_in_place(key(child), key(parent)),
            Edit::Detach(node) => self.detach(key(node)),
            Edit::DetachInPlace(node) => self.detach_in_place(key(node)),
            Edit::DetachFrom(child, parent) => self.detach_from(key(child), key(parent)),
            Edit::Remove(node) => self.remove(key(node)),
            Edit::Clear => self.clear(),
            Edit::SetTranslation(node, to) => self.set_translation(key(node), to),
            Edit::SetRotation(node, to) => self.set_rotation(key(node), to),
            Edit::SetRotationRaw(node, to) => self.set_rotation_raw(key(node), to),
            Edit::SetScale(node, to) => self.set_scale(key(node), to),
            Edit::SetTransform(node, to) => self.set_transform(key(node), to),
            Edit::SetTransformIfChanged(node, to) => self.set_transform_if_changed(key(node), to),
            Edit::SetMatrix(node, to) => self.set_matrix(key(node), to),
            Edit::LookAt(node, target, up) => self.look_at(key(node), target, up),
            Edit::Face(node, target, up) => self.face(key(node), target, up),
            Edit::SetVisible(node, visible) => self.set_visible(key(node), visible),
            Edit::SetName(node, name) => self.set_name(key(node), Some(name)),
            Edit::ClearName(node) => self.set_name(key(node), None),
            Edit::CloneSubtree(top, parent) => self.clone_subtree(key(top), under(parent)),
            Edit::MoveAwayAndBack(top, parent) => self.move_away_and_back(key(top), under(parent)),
            Edit::CloneGraph => self.clone_graph(),
            Edit::Update => self.update(),
            Edit::ClearChanges => self.read(0, 0),
            Edit::ReadFeed(feed, max_gap) => self.read(1 + feed % (READERS - 1), max_gap),
            Edit::Resubscribe(feed) => self.resubscribe(1 + feed % (READERS - 1)),
            Edit::ComputeWorld(node) => self.glance(node).map(|()| Done::Nothing),
            Edit::SetRow(node, row) => self.set_row(key(node), row),
            Edit::RemoveRow(node) => self.remove_row(key(node)),
            Edit::PurgeRows => self.purge_rows(),
            Edit::BadHandle(word) => self.try_bad_handle(word),
            Edit::BadNumber(node, fault) => self.try_bad_number(key(node), fault),
        }
    }

    /// The node that is meant. Where there is none of that kind, one of another.
    fn pick(&self, pick: Pick) -> Key {
        let (living, dead) = (self.model.living(), self.model.dead());
        let latest = self.ids.len() - 1;
        let (of, number) = match pick {
            Pick::Latest if self.model.node(latest).alive => return latest,
            Pick::Latest => (living, 0),
            Pick::Living(number) => (living, number as usize),
            Pick::Dead(number) => (dead, number as usize),
        };
        let of = match (of.is_empty(), living.is_empty()) {
            (false, _) => of,
            (true, false) => living,
            (true, true) => dead,
        };
        of[number % of.len()]
    }

    /// Is the node alive, as the model has it?
    fn alive(&self, key: Key) -> Result<(), Refusal> {
        if self.model.node(key).alive { Ok(()) } else { Err(Refusal::Dead) }
    }

    fn update(&mut self) -> Result<Done, Difference> {
        let updated = self.graph.update();
        same("nodes rewritten", updated.changed, self.model.update())?;
        let bounds = updated.changed..=self.graph.len();
        holds("it visits what it rewrites, and no node twice", bounds.contains(&updated.visited))?;
        Ok(if updated.changed > 0 { Done::Edited } else { Done::Nothing })
    }

    /// Compares two answers; hands on the graph's if both allow the edit.
    fn agree<T>(
        &self,
        what: &str,
        graph: Result<T, Error>,
        model: Result<(), Refusal>,
    ) -> Result<Option<T>, Difference> {
        match (graph, model) {
            (Ok(answer), Ok(())) => Ok(Some(answer)),
            (Err(error), Err(refusal)) if Refusal::of(&error) == Some(refusal) => {
                if let Error::Dead(node) = error {
                    holds(format_args!("{what}: {node} is dead"), !self.graph.contains(node))?;
                }
                Ok(None)
            }
            (Ok(_), Err(refusal)) => {
                Err(Difference::new(format_args!("{what}: allowed, the model says {refusal:?}")))
            }
            (Err(error), model) => {
                Err(Difference::new(format_args!("{what}: {error}; the model says {model:?}")))
            }
        }
    }
}
