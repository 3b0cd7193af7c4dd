//! Edits of the tree: adding, attaching, removing, cloning.

use pleach_graph::{CloneMap, Graph, NodeId, Transform};
use testkit::matrix;
use testkit::naive::Key;

use super::{Effect, ExpectedError, Pair, readers};
use crate::difference::{Difference, Result, ensure, ensure_eq};

impl Pair {
    pub(super) fn add(&mut self, parent: Option<Key>, transform: Transform) -> Result<Effect> {
        if self.model.live().len() >= self.limit {
            return self.remove_some();
        }
        let (result, allowed) = match parent {
            None => (self.graph.add_root(transform), Ok(())),
            Some(key) => (self.graph.add_child(self.ids[key], transform), self.alive(key)),
        };
        let Some(node) = self.agree("add", result, allowed)? else { return Ok(Effect::None) };
        let rotation = self.normalized(node, transform.rotation)?;
        let key = self.model.add(parent, transform.with_rotation(rotation));
        self.record_handle(key, node)?;
        Ok(Effect::Restructured)
    }

    /// Records the handle of a new node, which must not have been issued before.
    fn record_handle(&mut self, key: Key, node: NodeId) -> Result<()> {
        ensure_eq("nodes known", self.ids.len(), key)?;
        self.ids.push(node);
        if self.generations.len() <= node.index() {
            self.generations.resize(node.index() + 1, 0);
        }
        let latest = core::mem::replace(&mut self.generations[node.index()], node.generation());
        ensure(format_args!("{node} is a new handle"), latest < node.generation())
    }

    fn remove_some(&mut self) -> Result<Effect> {
        let live = self.model.live();
        self.remove(live[live.len() / 2])
    }

    /// Returns the expected error if `child` cannot become a child of `parent`.
    pub(super) fn may_attach(&self, child: Key, parent: Key) -> Result<(), ExpectedError> {
        self.alive(child)?;
        self.alive(parent)?;
        if self.model.is_within(parent, child) { Err(ExpectedError::Cycle) } else { Ok(()) }
    }

    pub(super) fn attach(&mut self, child: Key, parent: Key) -> Result<Effect> {
        let result = self.graph.attach(self.ids[child], self.ids[parent]);
        let Some(()) = self.agree("attach", result, self.may_attach(child, parent))? else {
            return Ok(Effect::None);
        };
        self.model.attach(child, Some(parent), usize::MAX);
        Ok(Effect::Restructured)
    }

    pub(super) fn attach_all(&mut self, children: [Key; 2], parent: Key) -> Result<Effect> {
        let result = self.graph.attach_all(&children.map(|key| self.ids[key]), self.ids[parent]);
        let allowed = children.into_iter().try_for_each(|child| self.may_attach(child, parent));
        let Some(()) = self.agree("attach_all", result, allowed)? else {
            return Ok(Effect::None);
        };
        for child in children {
            self.model.attach(child, Some(parent), usize::MAX);
        }
        Ok(Effect::Restructured)
    }

    pub(super) fn attach_each(&mut self, children: [Key; 2], parents: [Key; 2]) -> Result<Effect> {
        let ids = |keys: [Key; 2]| keys.map(|key| self.ids[key]);
        let (child_ids, parent_ids) = (ids(children), ids(parents));
        let result = self.graph.attach_each(&child_ids, &parent_ids);
        let moves = || children.into_iter().zip(parents);
        let alive = moves().try_for_each(|(child, parent)| {
            self.alive(child)?;
            self.alive(parent)
        });
        let allowed = alive.and_then(|()| {
            let new_parent = |key: Key| match moves().rev().find(|&(child, _)| child == key) {
                Some((_, parent)) => Some(parent),
                None => self.model.node(key).parent,
            };
            // Without a cycle, a path up is at most as long as there are nodes.
            let ends = |child: Key| {
                let path = core::iter::successors(Some(child), |&key| new_parent(key));
                path.take(self.model.live().len() + 1).count() <= self.model.live().len()
            };
            if children.into_iter().all(ends) { Ok(()) } else { Err(ExpectedError::Cycle) }
        });
        let Some(()) = self.agree("attach_each", result, allowed)? else {
            return Ok(Effect::None);
        };
        self.model.attach_each(children, parents);
        Ok(Effect::Restructured)
    }

    pub(super) fn attach_at(&mut self, child: Key, parent: Key, index: usize) -> Result<Effect> {
        let result = self.graph.attach_at(self.ids[child], self.ids[parent], index);
        let Some(()) = self.agree("attach_at", result, self.may_attach(child, parent))? else {
            return Ok(Effect::None);
        };
        self.model.attach(child, Some(parent), index);
        Ok(Effect::Restructured)
    }

    /// Calls `attach_before` for an offset of 0, `attach_after` for 1.
    pub(super) fn attach_next_to(
        &mut self,
        child: Key,
        sibling: Key,
        offset: usize,
    ) -> Result<Effect> {
        let (child_id, sibling_id) = (self.ids[child], self.ids[sibling]);
        let result = match offset {
            0 => self.graph.attach_before(child_id, sibling_id),
            _ => self.graph.attach_after(child_id, sibling_id),
        };
        let parent = self.model.node(sibling).parent;
        let allowed = self.alive(child).and(self.alive(sibling)).and_then(|()| match parent {
            Some(parent) if child != sibling => self.may_attach(child, parent),
            _ => Ok(()),
        });
        let Some(()) = self.agree("attach_before or _after", result, allowed)? else {
            return Ok(Effect::None);
        };
        if child == sibling {
            return Ok(Effect::None);
        }
        let is_before = self.model.node(child).parent == parent
            && self.model.index(child) < self.model.index(sibling);
        // The index of the sibling once the child is removed.
        let index = self.model.index(sibling) - usize::from(is_before);
        self.model.attach(child, parent, index + offset);
        Ok(Effect::Restructured)
    }

    pub(super) fn detach(&mut self, key: Key) -> Result<Effect> {
        let result = self.graph.detach(self.ids[key]);
        let allowed = self.agree("detach", result, self.alive(key))?;
        if allowed.is_none() || self.model.node(key).parent.is_none() {
            return Ok(Effect::None);
        }
        self.model.attach(key, None, usize::MAX);
        Ok(Effect::Restructured)
    }

    pub(super) fn detach_from(&mut self, child: Key, parent: Key) -> Result<Effect> {
        let result = self.graph.detach_from(self.ids[child], self.ids[parent]);
        let allowed = self.alive(child).and(self.alive(parent));
        let Some(was_child) = self.agree("detach_from", result, allowed)? else {
            return Ok(Effect::None);
        };
        ensure_eq("it was a child", was_child, self.model.node(child).parent == Some(parent))?;
        if !was_child {
            return Ok(Effect::None);
        }
        self.model.attach(child, None, usize::MAX);
        Ok(Effect::Restructured)
    }

    pub(super) fn remove(&mut self, key: Key) -> Result<Effect> {
        let result = self.graph.remove(self.ids[key]);
        let Some(count) = self.agree("remove", result, self.alive(key))? else {
            return Ok(Effect::None);
        };
        let before = self.model.live().len();
        self.model.remove(key);
        ensure_eq("nodes removed", count, before - self.model.live().len())?;
        self.read_before_overflow()?;
        Ok(Effect::Restructured)
    }

    pub(super) fn clear(&mut self) -> Result<Effect> {
        let roots = self.model.roots().to_vec();
        self.graph.clear();
        for &root in &roots {
            self.model.remove(root);
        }
        Ok(if roots.is_empty() { Effect::None } else { Effect::Restructured })
    }

    // ---- clones ----

    fn size(&self, root: Key) -> usize {
        let mut subtree = Vec::new();
        self.model.depth_first(root, &mut subtree);
        subtree.len()
    }

    pub(super) fn clone_subtree(&mut self, root: Key, parent: Option<Key>) -> Result<Effect> {
        if self.alive(root).is_ok() && self.model.live().len() + self.size(root) > self.limit {
            return self.remove(root);
        }
        let result = self.graph.clone_subtree(self.ids[root], parent.map(|key| self.ids[key]));
        let allowed = self.alive(root).and(parent.map_or(Ok(()), |key| self.alive(key)));
        let Some(clones) = self.agree("clone_subtree", result, allowed)? else {
            return Ok(Effect::None);
        };
        self.adopt_clones(root, parent, &clones, |node| clones.get(node))?;
        Ok(Effect::Restructured)
    }

    /// Clones the subtree in the model, and records the handles of the clones.
    fn adopt_clones(
        &mut self,
        root: Key,
        parent: Option<Key>,
        clones: &CloneMap,
        clone_of: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Result<()> {
        let pairs = self.model.clone_subtree(root, parent);
        ensure_eq("nodes cloned", clones.pairs().len(), pairs.len())?;
        for (old, new) in pairs {
            let Some(clone) = clone_of(self.ids[old]) else {
                return Err(Difference::new(format_args!("{} was not cloned", self.ids[old])));
            };
            self.record_handle(new, clone)?;
        }
        Ok(())
    }

    pub(super) fn move_to_other_graph_and_back(
        &mut self,
        root: Key,
        parent: Option<Key>,
    ) -> Result<Effect> {
        let result = self.graph.move_subtree_to(self.ids[root], &mut self.other_graph, None);
        let Some(moved) = self.agree("move_subtree_to", result, self.alive(root))? else {
            return Ok(Effect::None);
        };
        self.compare_other_graph(root, &moved)?;

        let may_return = parent.is_none_or(|key| self.graph.contains(self.ids[key]));
        let result = self.move_back(moved.root(), parent);
        let allowed = if may_return { Ok(()) } else { Err(ExpectedError::Dead) };
        let (returned, parent) = match self.agree("move_subtree_to", result, allowed)? {
            Some(returned) => (returned, parent),
            None => {
                let result = self.move_back(moved.root(), None);
                let returned = self.agree("move_subtree_to", result, Ok(()))?;
                (returned.expect("graph and model accept it"), None)
            }
        };
        ensure("the whole subtree has moved back", self.other_graph.is_empty())?;
        self.other_graph.clear_changes();
        self.adopt_clones(root, parent, &returned, |node| returned.get(moved.get(node)?))?;
        self.model.remove(root);
        self.read_before_overflow()?;
        Ok(Effect::Restructured)
    }

    fn move_back(
        &mut self,
        root: NodeId,
        parent: Option<Key>,
    ) -> Result<CloneMap, pleach_graph::Error> {
        let parent = parent.map(|key| self.ids[key]);
        self.other_graph.move_subtree_to(root, &mut self.graph, parent)
    }

    /// Compares the subtree in the other graph with the model.
    fn compare_other_graph(&mut self, root: Key, clones: &CloneMap) -> Result<()> {
        self.other_graph.update();
        let mut subtree = Vec::new();
        self.model.depth_first(root, &mut subtree);
        ensure_eq("nodes in the other graph", self.other_graph.len(), subtree.len())?;
        for key in subtree {
            let moved = clones.get(self.ids[key]).and_then(|clone| self.other_graph.get(clone));
            let world = moved.map(|node| matrix::bits(&node.world().to_cols_array()));
            let expected = matrix::bits(&self.model.world_in(root, key));
            ensure_eq("a world in the other graph", world, Some(expected))?;
        }
        Ok(())
    }

    pub(super) fn clone_graph(&mut self) -> Result<Effect> {
        let clone: Graph = self.graph.clone();
        self.check_other_graph_is_rejected(&clone)?;
        self.graph = clone;
        for reader in readers::CHANGE_READERS {
            self.replace_reader(reader)?;
        }
        Ok(Effect::None)
    }
}
