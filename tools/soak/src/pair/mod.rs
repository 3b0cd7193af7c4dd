//! A graph and the naive model, edited in parallel.
//!
//! Each edit is applied to both. Their results must agree immediately: accepted or
//! rejected, and why. Everything else is compared on request: a little by
//! [`spot_check`](Pair::spot_check), all of it by [`compare`](Pair::compare). An
//! edit that is rejected leaves the model unchanged, so a graph that changed
//! nevertheless is detected by the next comparison.
//!
//! The edits are in the files of this folder, by topic.

mod compare;
mod invalid_input;
mod node_edits;
mod node_map;
mod readers;
mod tree_edits;
mod world_space;

use pleach_graph::{Error, Graph, NodeId, TransformKernel};
use testkit::naive::Key;

use crate::difference::{Difference, Result, ensure, ensure_eq};
use crate::edit::{Edit, NodeChoice};
use crate::model::Model;
use node_map::Rows;
use readers::{READERS, Reader};

/// A graph, its model, and the state of the readers.
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
    /// The graph to which subtrees are moved, and back.
    other_graph: Graph,
}

/// The effect of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// None: it was rejected, or there was nothing to do.
    None,
    /// Nodes were changed.
    Edited,
    /// Nodes were added, removed or moved in the tree.
    Restructured,
}

/// The error that the model expects of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedError {
    Dead,
    Cycle,
    SingularParent,
    NoDirection,
    InvalidNumber,
}

impl ExpectedError {
    fn of(error: &Error) -> Option<Self> {
        match error {
            Error::Dead(_) => Some(Self::Dead),
            Error::Cycle { .. } => Some(Self::Cycle),
            Error::SingularParent { .. } => Some(Self::SingularParent),
            Error::NoDirection(_) => Some(Self::NoDirection),
            Error::NotFinite { .. } | Error::ZeroRotation(_) | Error::NotAffine { .. } => {
                Some(Self::InvalidNumber)
            }
            _ => None,
        }
    }
}

impl Pair {
    /// Creates an empty graph and an empty model, of at most about `limit` nodes.
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
            other_graph: Graph::new(),
        }
    }

    /// Returns the graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Applies an edit to both, and returns whether it changed anything.
    ///
    /// # Errors
    ///
    /// The first difference between graph and model.
    pub fn apply(&mut self, edit: &Edit) -> Result<bool> {
        let before = self.graph.structure_version();
        let effect = self.dispatch(edit)?;
        let after = self.graph.structure_version();
        match effect {
            Effect::Restructured => ensure("the structure version increased", after > before)?,
            _ => ensure_eq("structure version", after, before)?,
        }
        Ok(effect != Effect::None && !edit.is_read_only())
    }

    fn dispatch(&mut self, edit: &Edit) -> Result<Effect> {
        // Nothing can be chosen before there is a node.
        if self.ids.is_empty() && !matches!(edit, Edit::AddRoot(_)) {
            return self.add(None, Default::default());
        }
        let key = |choice: NodeChoice| self.choose(choice);
        let optional_key = |choice: Option<NodeChoice>| choice.map(|choice| self.choose(choice));
        match *edit {
            Edit::AddRoot(transform) => self.add(None, transform),
            Edit::AddChild(parent, transform) => self.add(Some(key(parent)), transform),
            Edit::Attach(child, parent) => self.attach(key(child), key(parent)),
            Edit::AttachAll(children, parent) => self.attach_all(children.map(key), key(parent)),
            Edit::AttachEach(children, parents) => {
                self.attach_each(children.map(key), parents.map(key))
            }
            Edit::AttachAt(child, parent, index) => self.attach_at(key(child), key(parent), index),
            Edit::AttachBefore(child, sibling) => self.attach_next_to(key(child), key(sibling), 0),
            Edit::AttachAfter(child, sibling) => self.attach_next_to(key(child), key(sibling), 1),
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
            Edit::SetTransforms(nodes, to) => self.set_transforms(nodes.map(key), to),
            Edit::SetTranslations(nodes, to) => self.set_translations(nodes.map(key), to),
            Edit::SetMatrix(node, to) => self.set_matrix(key(node), to),
            Edit::LookAt(node, target, up) => self.look_at(key(node), target, up),
            Edit::Face(node, target, up) => self.face(key(node), target, up),
            Edit::SetVisible(node, visible) => self.set_visible(key(node), visible),
            Edit::SetName(node, name) => self.set_name(key(node), Some(name)),
            Edit::ClearName(node) => self.set_name(key(node), None),
            Edit::CloneSubtree(root, parent) => self.clone_subtree(key(root), optional_key(parent)),
            Edit::MoveToOtherGraphAndBack(root, parent) => {
                self.move_to_other_graph_and_back(key(root), optional_key(parent))
            }
            Edit::CloneGraph => self.clone_graph(),
            Edit::Update => self.update(),
            Edit::ClearChanges => self.read(0, 0),
            Edit::ReadChanges(change_reader, max_gap) => {
                self.read(1 + change_reader % (READERS - 1), max_gap)
            }
            Edit::ReplaceReader(change_reader) => {
                self.replace_reader(1 + change_reader % (READERS - 1))
            }
            Edit::ComputeWorld(node) => self.spot_check(node).map(|()| Effect::None),
            Edit::SetRow(node, row) => self.set_row(key(node), row),
            Edit::RemoveRow(node) => self.remove_row(key(node)),
            Edit::PurgeRows => self.purge_rows(),
            Edit::InvalidHandle(word) => self.try_invalid_handle(word),
            Edit::SetInvalid(node, input) => self.try_invalid_input(key(node), input),
        }
    }

    /// Returns the chosen node. If there is none of that kind, one of another.
    fn choose(&self, choice: NodeChoice) -> Key {
        let (live, dead) = (self.model.live(), self.model.dead());
        let latest = self.ids.len() - 1;
        let (candidates, number) = match choice {
            NodeChoice::Latest if self.model.node(latest).alive => return latest,
            NodeChoice::Latest => (live, 0),
            NodeChoice::Live(number) => (live, number as usize),
            NodeChoice::Dead(number) => (dead, number as usize),
        };
        let candidates = match (candidates.is_empty(), live.is_empty()) {
            (false, _) => candidates,
            (true, false) => live,
            (true, true) => dead,
        };
        candidates[number % candidates.len()]
    }

    /// Returns an error if the node is dead in the model.
    fn alive(&self, key: Key) -> Result<(), ExpectedError> {
        if self.model.node(key).alive { Ok(()) } else { Err(ExpectedError::Dead) }
    }

    fn update(&mut self) -> Result<Effect> {
        let updated = self.graph.update();
        ensure_eq("nodes changed", updated.changed, self.model.update())?;
        let bounds = updated.changed..=self.graph.len();
        ensure("an update visits no node twice", bounds.contains(&updated.visited))?;
        Ok(if updated.changed > 0 { Effect::Edited } else { Effect::None })
    }

    /// Compares two results; returns the graph's if both accept the edit.
    fn agree<T>(
        &self,
        what: &str,
        graph: Result<T, Error>,
        model: Result<(), ExpectedError>,
    ) -> Result<Option<T>> {
        match (graph, model) {
            (Ok(answer), Ok(())) => Ok(Some(answer)),
            (Err(error), Err(expected)) if ExpectedError::of(&error) == Some(expected) => {
                if let Error::Dead(node) = error {
                    ensure(format_args!("{what}: {node} is dead"), !self.graph.contains(node))?;
                }
                Ok(None)
            }
            (Ok(_), Err(expected)) => Err(Difference::new(format_args!(
                "{what}: accepted; the model expects {expected:?}"
            ))),
            (Err(error), model) => {
                Err(Difference::new(format_args!("{what}: {error}; the model expects {model:?}")))
            }
        }
    }
}
