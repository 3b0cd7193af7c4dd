//! Edits of the tree: adding, attaching, removing, copying.

use pleach_graph::{CloneMap, Graph, NodeId, Transform};
use testkit::matrix;
use testkit::naive::Key;

use super::{Done, Pair, Refusal, readers};
use crate::difference::{Difference, holds, same};

impl Pair {
    pub(super) fn add(
        &mut self,
        parent: Option<Key>,
        transform: Transform,
    ) -> Result<Done, Difference> {
        if self.model.living().len() >= self.limit {
            return self.make_room();
        }
        let (result, allowed) = match parent {
            None => (self.graph.add_root(transform), Ok(())),
            Some(key) => (self.graph.add_child(self.ids[key], transform), self.alive(key)),
        };
        let Some(node) = self.agree("add", result, allowed)? else { return Ok(Done::Nothing) };
        let rotation = self.normalised(node, transform.rotation)?;
        let key = self.model.add(parent, transform.with_rotation(rotation));
        self.take_down(key, node)?;
        Ok(Done::Restructured)
    }

    /// Takes down the handle of a new node, which must be one never seen before.
    fn take_down(&mut self, key: Key, node: NodeId) -> Result<(), Difference> {
        same("nodes known", self.ids.len(), key)?;
        self.ids.push(node);
        if self.generations.len() <= node.index() {
            self.generations.resize(node.index() + 1, 0);
        }
        let latest = core::mem::replace(&mut self.generations[node.index()], node.generation());
        holds(format_args!("{node} is a new handle"), latest < node.generation())
    }

    fn make_room(&mut self) -> Result<Done, Difference> {
        let living = self.model.living();
        self.remove(living[living.len() / 2])
    }

    /// May `child` become a child of `parent`?
    pub(super) fn may_attach(&self, child: Key, parent: Key) -> Result<(), Refusal> {
        self.alive(child)?;
        self.alive(parent)?;
        if self.model.is_within(parent, child) { Err(Refusal::Cycle) } else { Ok(()) }
    }

    pub(super) fn attach(&mut self, child: Key, parent: Key) -> Result<Done, Difference> {
        let result = self.graph.attach(self.ids[child], self.ids[parent]);
        let Some(()) = self.agree("attach", result, self.may_attach(child, parent))? else {
            return Ok(Done::Nothing);
        };
        self.model.attach(child, Some(parent), usize::MAX);
        Ok(Done::Restructured)
    }

    pub(super) fn attach_all(
        &mut self,
        children: [Key; 2],
        parent: Key,
    ) -> Result<Done, Difference> {
        let result = self.graph.attach_all(&children.map(|key| self.ids[key]), self.ids[parent]);
        let allowed = children.into_iter().try_for_each(|child| self.may_attach(child, parent));
        let Some(()) = self.agree("attach_all", result, allowed)? else {
            return Ok(Done::Nothing);
        };
        for child in children {
            self.model.attach(child, Some(parent), usize::MAX);
        }
        Ok(Done::Restructured)
    }

    pub(super) fn attach_at(
        &mut self,
        child: Key,
        parent: Key,
        index: usize,
    ) -> Result<Done, Difference> {
        let result = self.graph.attach_at(self.ids[child], self.ids[parent], index);
        let Some(()) = self.agree("attach_at", result, self.may_attach(child, parent))? else {
            return Ok(Done::Nothing);
        };
        self.model.attach(child, Some(parent), index);
        Ok(Done::Restructured)
    }

    /// `attach_before` for an offset of 0, `attach_after` for 1.
    pub(super) fn attach_beside(
        &mut self,
        child: Key,
        sibling: Key,
        offset: usize,
    ) -> Result<Done, Difference> {
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
            return Ok(Done::Nothing);
        };
        if child == sibling {
            return Ok(Done::Nothing);
        }
        let is_before = self.model.node(child).parent == parent
            && self.model.index(child) < self.model.index(sibling);
        // Where the sibling stands once the child is taken out.
        let index = self.model.index(sibling) - usize::from(is_before);
        self.model.attach(child, parent, index + offset);
        Ok(Done::Restructured)
    }

    pub(super) fn detach(&mut self, key: Key) -> Result<Done, Difference> {
        let result = self.graph.detach(self.ids[key]);
        let allowed = self.agree("detach", result, self.alive(key))?;
        if allowed.is_none() || self.model.node(key).parent.is_none() {
            return Ok(Done::Nothing);
        }
        self.model.attach(key, None, usize::MAX);
        Ok(Done::Restructured)
    }

    pub(super) fn detach_from(&mut self, child: Key, parent: Key) -> Result<Done, Difference> {
        let result = self.graph.detach_from(self.ids[child], self.ids[parent]);
        let allowed = self.alive(child).and(self.alive(parent));
        let Some(was_child) = self.agree("detach_from", result, allowed)? else {
            return Ok(Done::Nothing);
        };
        same("it was its child", was_child, self.model.node(child).parent == Some(parent))?;
        if !was_child {
            return Ok(Done::Nothing);
        }
        self.model.attach(child, None, usize::MAX);
        Ok(Done::Restructured)
    }

    pub(super) fn remove(&mut self, key: Key) -> Result<Done, Difference> {
        let result = self.graph.remove(self.ids[key]);
        let Some(count) = self.agree("remove", result, self.alive(key))? else {
            return Ok(Done::Nothing);
        };
        let before = self.model.living().len();
        self.model.remove(key);
        same("nodes removed", count, before - self.model.living().len())?;
        self.read_removals_in_time()?;
        Ok(Done::Restructured)
    }

    pub(super) fn clear(&mut self) -> Result<Done, Difference> {
        let roots = self.model.roots().to_vec();
        self.graph.clear();
        for &root in &roots {
            self.model.remove(root);
        }
        Ok(if roots.is_empty() { Done::Nothing } else { Done::Restructured })
    }

    // ---- copies ----

    fn size(&self, top: Key) -> usize {
        let mut below = Vec::new();
        self.model.depth_first(top, &mut below);
        below.len()
    }

    pub(super) fn clone_subtree(
        &mut self,
        top: Key,
        under: Option<Key>,
    ) -> Result<Done, Difference> {
        if self.alive(top).is_ok() && self.model.living().len() + self.size(top) > self.limit {
            return self.remove(top);
        }
        let result = self.graph.clone_subtree(self.ids[top], under.map(|key| self.ids[key]));
        let allowed = self.alive(top).and(under.map_or(Ok(()), |key| self.alive(key)));
        let Some(copies) = self.agree("clone_subtree", result, allowed)? else {
            return Ok(Done::Nothing);
        };
        self.adopt_copies(top, under, &copies, |node| copies.get(node))?;
        Ok(Done::Restructured)
    }

    /// Copies the subtree in the model, and takes down the copies' handles.
    fn adopt_copies(
        &mut self,
        top: Key,
        under: Option<Key>,
        copies: &CloneMap,
        copy_of: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Result<(), Difference> {
        let pairs = self.model.copy(top, under);
        same("nodes copied", copies.pairs().len(), pairs.len())?;
        for (old, new) in pairs {
            let Some(copy) = copy_of(self.ids[old]) else {
                return Err(Difference::new(format_args!("{} was not copied", self.ids[old])));
            };
            self.take_down(new, copy)?;
        }
        Ok(())
    }

    pub(super) fn move_away_and_back(
        &mut self,
        top: Key,
        under: Option<Key>,
    ) -> Result<Done, Difference> {
        let result = self.graph.move_subtree_to(self.ids[top], &mut self.elsewhere, None);
        let Some(away) = self.agree("move_subtree_to", result, self.alive(top))? else {
            return Ok(Done::Nothing);
        };
        self.compare_elsewhere(top, &away)?;

        let returns = under.is_none_or(|key| self.graph.contains(self.ids[key]));
        let result = self.move_back(away.root(), under);
        let allowed = if returns { Ok(()) } else { Err(Refusal::Dead) };
        let (back, under) = match self.agree("move_subtree_to", result, allowed)? {
            Some(back) => (back, under),
            None => {
                let result = self.move_back(away.root(), None);
                let back = self.agree("move_subtree_to", result, Ok(()))?;
                (back.expect("both allowed it"), None)
            }
        };
        holds("what moved away has moved back", self.elsewhere.is_empty())?;
        self.elsewhere.clear_changes();
        self.adopt_copies(top, under, &back, |node| back.get(away.get(node)?))?;
        self.model.remove(top);
        self.read_removals_in_time()?;
        Ok(Done::Restructured)
    }

    fn move_back(
        &mut self,
        top: NodeId,
        under: Option<Key>,
    ) -> Result<CloneMap, pleach_graph::Error> {
        let under = under.map(|key| self.ids[key]);
        self.elsewhere.move_subtree_to(top, &mut self.graph, under)
    }

    /// Is the subtree in the other graph what it was here, as a tree of its own?
    fn compare_elsewhere(&mut self, top: Key, copies: &CloneMap) -> Result<(), Difference> {
        self.elsewhere.update();
        let mut below = Vec::new();
        self.model.depth_first(top, &mut below);
        same("nodes elsewhere", self.elsewhere.len(), below.len())?;
        for key in below {
            let moved = copies.get(self.ids[key]).and_then(|copy| self.elsewhere.get(copy));
            let world = moved.map(|node| matrix::bits(&node.world().to_cols_array()));
            same("a world elsewhere", world, Some(matrix::bits(&self.model.world_in(top, key))))?;
        }
        Ok(())
    }

    pub(super) fn clone_graph(&mut self) -> Result<Done, Difference> {
        let clone: Graph = self.graph.clone();
        self.refuse_foreign_feeds(&clone)?;
        self.graph = clone;
        for reader in readers::FEEDS {
            self.resubscribe(reader)?;
        }
        Ok(Done::Nothing)
    }
}
