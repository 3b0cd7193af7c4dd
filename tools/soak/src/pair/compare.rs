//! Everything the graph can be asked, against the model.

use pleach_graph::glam::Mat4;
use pleach_graph::{Graph, NodeId, Visit, Walk};
use testkit::matrix::{self, IDENTITY};
use testkit::naive::Key;

use super::Pair;
use crate::difference::{Difference, holds, same};
use crate::edit::{NAMES, Pick};

/// How many of the dead are asked after.
const DEAD: usize = 200;
/// From how many nodes walks are begun.
const BEGINNINGS: usize = 8;

impl Pair {
    /// Compares one node, and what is cheap to know of it.
    ///
    /// # Errors
    ///
    /// Where the two disagree.
    pub fn glance(&self, pick: Pick) -> Result<(), Difference> {
        same("nodes", self.graph.len(), self.model.living().len())?;
        if self.ids.is_empty() {
            return Ok(());
        }
        let key = self.pick(pick);
        let node = self.ids[key];
        let Some(view) = self.graph.get(node) else {
            return same(format_args!("{node} is alive"), false, self.model.node(key).alive);
        };
        let world = self.model.world(key);
        same(format_args!("{node} world"), bits(view.compute_world()), matrix::bits(&world))?;
        same(format_args!("{node} is dirty"), view.is_dirty(), self.model.is_dirty(key))?;
        same(format_args!("{node} is shown"), view.is_shown(), self.model.is_shown(key))?;
        same(format_args!("{node} parent"), view.parent(), self.parent_id(key))
    }

    /// Compares everything.
    ///
    /// # Errors
    ///
    /// Where the two disagree, or the graph's own `check` tells of a problem.
    pub fn compare(&self) -> Result<(), Difference> {
        same("check", self.graph.check(), Vec::new())?;
        same("nodes", self.graph.len(), self.model.living().len())?;
        same("no nodes", self.graph.is_empty(), self.model.living().is_empty())?;
        for &key in self.model.living() {
            self.compare_links(key)?;
            self.compare_local(key)?;
            self.compare_world(key)?;
            self.compare_columns(key)?;
        }
        self.compare_dirty_roots()?;
        self.compare_dead()?;
        self.compare_walks()?;
        self.compare_names()?;
        self.compare_owner()?;
        self.compare_rows()
    }

    fn id(&self, key: Key) -> NodeId {
        self.ids[key]
    }

    fn parent_id(&self, key: Key) -> Option<NodeId> {
        self.model.node(key).parent.map(|parent| self.ids[parent])
    }

    fn are(&self, nodes: impl Iterator<Item = NodeId>, keys: &[Key]) -> bool {
        nodes.eq(keys.iter().map(|&key| self.ids[key]))
    }

    fn compare_links(&self, key: Key) -> Result<(), Difference> {
        let (view, model) = (self.view(key)?, self.model.node(key));
        let node = view.id();
        same("its handle", node, self.ids[key])?;
        same(format_args!("{node} parent"), view.parent(), self.parent_id(key))?;
        same(format_args!("{node} depth"), view.depth(), self.model.depth(key))?;
        same(format_args!("{node} ancestors"), view.ancestors().count(), view.depth())?;
        same(format_args!("{node} ancestor"), view.ancestors().next(), view.parent())?;
        same(format_args!("{node} children"), view.children().len(), model.children.len())?;
        let is_same = self.are(view.children(), &model.children);
        holds(format_args!("{node} has its children in order"), is_same)?;
        let backwards = model.children.iter().rev().map(|&child| self.ids[child]);
        let is_same = view.children().rev().eq(backwards);
        holds(format_args!("{node} has its children in order backwards"), is_same)?;
        same(format_args!("{node} name"), view.name(), model.name)?;
        same(format_args!("{node} is visible"), view.is_visible(), model.visible)?;
        same(format_args!("{node} is shown"), view.is_shown(), self.model.is_shown(key))
    }

    fn compare_world(&self, key: Key) -> Result<(), Difference> {
        let (view, model) = (self.view(key)?, self.model.state(key));
        let node = view.id();
        let stored = matrix::bits(&model.stored.unwrap_or(IDENTITY));
        same(format_args!("{node} stored world"), bits(view.world()), stored)?;
        let world = matrix::bits(&self.model.world(key));
        same(format_args!("{node} world"), bits(view.compute_world()), world)?;
        let is_dirty = self.model.is_dirty(key);
        same(format_args!("{node} is dirty"), view.is_dirty(), is_dirty)?;
        same(format_args!("{node} is edited"), view.is_local_dirty(), model.edited)?;
        holds(format_args!("{node} is dirty or right"), is_dirty || stored == world)?;
        holds(format_args!("{node} normals are finite"), view.normal_matrix().is_finite())?;
        let at = view.world().w_axis.truncate();
        same(format_args!("{node} world translation"), view.world_translation(), at)
    }

    fn compare_columns(&self, key: Key) -> Result<(), Difference> {
        let (view, graph) = (self.view(key)?, &self.graph);
        let node = view.id();
        let parent = view.parent().map_or(Graph::NO_PARENT, |parent| parent.index() as u32);
        same(format_args!("{node} parent's row"), graph.parents()[node.index()], parent)?;
        same("its transform", graph.transforms()[node.index()], view.transform())?;
        let flags = graph.flags()[node.index()];
        let flags =
            (flags.is_alive(), flags.is_visible(), flags.is_shown(), flags.is_local_dirty());
        let model = (true, view.is_visible(), view.is_shown(), view.is_local_dirty());
        same(format_args!("{node} flags"), flags, model)?;
        if let Some(stored) = self.model.state(key).stored {
            let row = graph.world_matrices()[node.index()];
            same(format_args!("{node} row"), bits(row), matrix::bits(&stored))?;
        }
        Ok(())
    }

    fn compare_dirty_roots(&self) -> Result<(), Difference> {
        let living = self.model.living().iter();
        let dirty = living.filter(|&&key| self.model.is_dirty_root(key));
        let mut dirty: Vec<NodeId> = dirty.map(|&key| self.ids[key]).collect();
        dirty.sort_unstable();
        same("dirty roots", self.graph.dirty_roots(), dirty)
    }

    /// The dead stay dead.
    fn compare_dead(&self) -> Result<(), Difference> {
        for &key in self.model.dead().iter().rev().take(DEAD) {
            let node = self.ids[key];
            let is_dead = !self.graph.contains(node) && self.graph.get(node).is_none();
            holds(format_args!("{node} is dead"), is_dead)?;
        }
        Ok(())
    }

    fn compare_walks(&self) -> Result<(), Difference> {
        let graph = &self.graph;
        let mut all = Vec::new();
        for &root in self.model.roots() {
            let begin = all.len();
            self.model.depth_first(root, &mut all);
            let descendants = self.view(root)?.descendants();
            holds("descendants are right", self.are(descendants, &all[begin..]))?;
        }
        let is_shown = |key: &Key| self.model.is_shown(*key);
        let shown: Vec<Key> = all.iter().copied().filter(is_shown).collect();
        let by_breadth = self.model.breadth_first();
        let shown_by_breadth: Vec<Key> = by_breadth.iter().copied().filter(is_shown).collect();

        holds("roots are right", self.are(graph.roots(), self.model.roots()))?;
        holds("depth_first is right", self.are(graph.depth_first(), &all))?;
        holds("depth_first().shown() is right", self.are(graph.depth_first().shown(), &shown))?;
        let walked = |mut walk: Walk| core::iter::from_fn(move || walk.next(graph));
        let (depth, breadth) = (|| Walk::depth_first(None), || Walk::breadth_first(None));
        holds("Walk::depth_first is right", self.are(walked(depth()), &all))?;
        holds("Walk::breadth_first is right", self.are(walked(breadth()), &by_breadth))?;
        holds("Walk of the shown is right", self.are(walked(depth().shown()), &shown))?;
        let is_right = self.are(walked(breadth().shown()), &shown_by_breadth);
        holds("Walk of the shown by breadth is right", is_right)?;
        let some = self.model.living().iter().take(BEGINNINGS);
        some.into_iter().try_for_each(|&key| self.compare_walks_from(key))?;
        self.compare_by_depth()
    }

    /// Walks that begin at a node, shown or not.
    fn compare_walks_from(&self, key: Key) -> Result<(), Difference> {
        let (graph, node) = (&self.graph, self.ids[key]);
        let mut below = Vec::new();
        self.model.depth_first(key, &mut below);
        let mut visited = Vec::new();
        graph.visit(node, |view| {
            visited.push(view.id());
            Visit::Continue
        });
        let is_right = self.are(visited.into_iter(), &below);
        holds(format_args!("visit from {node} is right"), is_right)?;
        below.retain(|&key| self.model.is_shown(key));
        let mut walk = Walk::depth_first(node).shown();
        let walked = core::iter::from_fn(|| walk.next(graph));
        holds(format_args!("Walk of the shown from {node} is right"), self.are(walked, &below))?;
        let shown = self.view(key)?.descendants().shown();
        holds(format_args!("descendants of {node} are right"), self.are(shown, &below))
    }

    /// Every node once, and none before one that is less deep.
    fn compare_by_depth(&self) -> Result<(), Difference> {
        let order: Vec<NodeId> = self.graph.by_depth().collect();
        let depth = |&node: &NodeId| self.graph.get(node).map(|view| view.depth());
        holds("by_depth is by depth", order.is_sorted_by_key(depth))?;
        let sorted = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable();
            nodes
        };
        let living = self.model.living().iter().map(|&key| self.id(key));
        same("nodes by depth", sorted(order), sorted(living.collect()))
    }

    fn compare_names(&self) -> Result<(), Difference> {
        let mut all = Vec::new();
        for &root in self.model.roots() {
            self.model.depth_first(root, &mut all);
        }
        for name in NAMES {
            let holders = self.model.find_all(name);
            let first = holders.first().map(|&key| self.ids[key]);
            same(format_args!("find {name:?}"), self.graph.find(name), first)?;
            let is_right = self.are(self.graph.find_all(name), &holders);
            holds(format_args!("find_all {name:?} is right"), is_right)?;
            for &root in self.model.roots() {
                let within = all.iter().find(|&&key| {
                    self.model.node(key).name == Some(name) && self.model.is_within(key, root)
                });
                let found = self.graph.find_in(self.ids[root], name).map_err(Difference::new)?;
                same(format_args!("find_in {name:?}"), found, within.map(|&key| self.ids[key]))?;
            }
        }
        same("find of no name", self.graph.find("nobody"), None)?;
        self.compare_paths(&all)
    }

    fn compare_paths(&self, all: &[Key]) -> Result<(), Difference> {
        // A name with a `/` in it can not be part of a path.
        let is_plain = |key: Key| self.model.node(key).name.is_some_and(|name| !name.contains('/'));
        let mut paths: Vec<(String, Key)> = Vec::new();
        for &key in all {
            let mut up = core::iter::successors(Some(key), |&key| self.model.node(key).parent);
            if let (true, Some(path)) = (up.all(is_plain), self.model.path(key)) {
                paths.push((path, key));
            }
        }
        for (path, _) in &paths {
            let first =
                paths.iter().find(|(other, _)| other == path).map(|&(_, key)| self.ids[key]);
            same(format_args!("find_path {path:?}"), self.graph.find_path(path), first)?;
        }
        Ok(())
    }
}

fn bits(matrix: Mat4) -> [u32; 16] {
    matrix::bits(&matrix.to_cols_array())
}
