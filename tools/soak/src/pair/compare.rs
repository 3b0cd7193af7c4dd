//! Comparison of everything that can be read from the graph with the model.

use pleach_graph::glam::Mat4;
use pleach_graph::{Graph, NodeId, Visit, Walk};
use testkit::matrix::{self, IDENTITY};
use testkit::naive::Key;

use super::Pair;
use crate::difference::{Difference, Result, ensure, ensure_eq};
use crate::edit::{NAMES, NodeChoice};

/// The maximum number of dead nodes that are checked.
const MAX_DEAD_CHECKED: usize = 200;
/// The number of nodes from which walks start.
const WALK_STARTS: usize = 8;

impl Pair {
    /// Compares the cheap properties of one node.
    ///
    /// # Errors
    ///
    /// The first difference between graph and model.
    pub fn spot_check(&self, choice: NodeChoice) -> Result<()> {
        ensure_eq("nodes", self.graph.len(), self.model.live().len())?;
        if self.ids.is_empty() {
            return Ok(());
        }
        let key = self.choose(choice);
        let node = self.ids[key];
        let Some(view) = self.graph.get(node) else {
            return ensure_eq(format_args!("{node} is alive"), false, self.model.node(key).alive);
        };
        let world = self.model.world(key);
        ensure_eq(format_args!("{node} world"), bits(view.compute_world()), matrix::bits(&world))?;
        ensure_eq(format_args!("{node} is dirty"), view.is_dirty(), self.model.is_dirty(key))?;
        ensure_eq(format_args!("{node} is shown"), view.is_shown(), self.model.is_shown(key))?;
        ensure_eq(format_args!("{node} parent"), view.parent(), self.parent_id(key))
    }

    /// Compares everything.
    ///
    /// # Errors
    ///
    /// The first difference between graph and model, or the problems that
    /// `Graph::check` reports.
    pub fn compare(&self) -> Result<()> {
        ensure_eq("check", self.graph.check(), Vec::new())?;
        ensure_eq("nodes", self.graph.len(), self.model.live().len())?;
        ensure_eq("no nodes", self.graph.is_empty(), self.model.live().is_empty())?;
        for &key in self.model.live() {
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

    fn ids_equal(&self, nodes: impl Iterator<Item = NodeId>, keys: &[Key]) -> bool {
        nodes.eq(keys.iter().map(|&key| self.ids[key]))
    }

    fn compare_links(&self, key: Key) -> Result<()> {
        let (view, model) = (self.view(key)?, self.model.node(key));
        let node = view.id();
        ensure_eq("its handle", node, self.ids[key])?;
        ensure_eq(format_args!("{node} parent"), view.parent(), self.parent_id(key))?;
        ensure_eq(format_args!("{node} depth"), view.depth(), self.model.depth(key))?;
        ensure_eq(format_args!("{node} ancestors"), view.ancestors().count(), view.depth())?;
        ensure_eq(format_args!("{node} ancestor"), view.ancestors().next(), view.parent())?;
        ensure_eq(format_args!("{node} children"), view.children().len(), model.children.len())?;
        let is_equal = self.ids_equal(view.children(), &model.children);
        ensure(format_args!("{node} has its children in order"), is_equal)?;
        let backwards = model.children.iter().rev().map(|&child| self.ids[child]);
        let is_equal = view.children().rev().eq(backwards);
        ensure(format_args!("{node} has its children in order backwards"), is_equal)?;
        ensure_eq(format_args!("{node} name"), view.name(), model.name)?;
        ensure_eq(format_args!("{node} is visible"), view.is_visible(), model.visible)?;
        ensure_eq(format_args!("{node} is shown"), view.is_shown(), self.model.is_shown(key))
    }

    fn compare_world(&self, key: Key) -> Result<()> {
        let (view, model) = (self.view(key)?, self.model.state(key));
        let node = view.id();
        let stored = matrix::bits(&model.stored.unwrap_or(IDENTITY));
        ensure_eq(format_args!("{node} stored world"), bits(view.world()), stored)?;
        let world = matrix::bits(&self.model.world(key));
        ensure_eq(format_args!("{node} world"), bits(view.compute_world()), world)?;
        let is_dirty = self.model.is_dirty(key);
        ensure_eq(format_args!("{node} is dirty"), view.is_dirty(), is_dirty)?;
        ensure_eq(format_args!("{node} is locally dirty"), view.is_local_dirty(), model.edited)?;
        ensure(format_args!("{node} is dirty or up to date"), is_dirty || stored == world)?;
        ensure(format_args!("{node} normals are finite"), view.normal_matrix().is_finite())?;
        let at = view.world().w_axis.truncate();
        ensure_eq(format_args!("{node} world translation"), view.world_translation(), at)
    }

    fn compare_columns(&self, key: Key) -> Result<()> {
        let (view, graph) = (self.view(key)?, &self.graph);
        let node = view.id();
        let parent = view.parent().map_or(Graph::NO_PARENT, |parent| parent.index() as u32);
        ensure_eq(format_args!("{node} parent's row"), graph.parents()[node.index()], parent)?;
        ensure_eq("its transform", graph.transforms()[node.index()], view.transform())?;
        let flags = graph.flags()[node.index()];
        let flags =
            (flags.is_alive(), flags.is_visible(), flags.is_shown(), flags.is_local_dirty());
        let model = (true, view.is_visible(), view.is_shown(), view.is_local_dirty());
        ensure_eq(format_args!("{node} flags"), flags, model)?;
        if let Some(stored) = self.model.state(key).stored {
            let row = graph.world_matrices()[node.index()];
            ensure_eq(format_args!("{node} row"), bits(row), matrix::bits(&stored))?;
        }
        Ok(())
    }

    fn compare_dirty_roots(&self) -> Result<()> {
        let live = self.model.live().iter();
        let dirty = live.filter(|&&key| self.model.is_dirty_root(key));
        let mut dirty: Vec<NodeId> = dirty.map(|&key| self.ids[key]).collect();
        dirty.sort_unstable();
        ensure_eq("dirty roots", self.graph.dirty_roots(), dirty)
    }

    /// Checks that removed nodes stay dead.
    fn compare_dead(&self) -> Result<()> {
        for &key in self.model.dead().iter().rev().take(MAX_DEAD_CHECKED) {
            let node = self.ids[key];
            let is_dead = !self.graph.contains(node) && self.graph.get(node).is_none();
            ensure(format_args!("{node} is dead"), is_dead)?;
        }
        Ok(())
    }

    fn compare_walks(&self) -> Result<()> {
        let graph = &self.graph;
        let mut all = Vec::new();
        for &root in self.model.roots() {
            let start = all.len();
            self.model.depth_first(root, &mut all);
            let descendants = self.view(root)?.descendants();
            ensure("descendants are equal", self.ids_equal(descendants, &all[start..]))?;
        }
        let is_shown = |key: &Key| self.model.is_shown(*key);
        let shown: Vec<Key> = all.iter().copied().filter(is_shown).collect();
        let by_breadth = self.model.breadth_first();
        let shown_by_breadth: Vec<Key> = by_breadth.iter().copied().filter(is_shown).collect();

        ensure("roots are equal", self.ids_equal(graph.roots(), self.model.roots()))?;
        ensure("depth_first is equal", self.ids_equal(graph.depth_first(), &all))?;
        ensure("shown depth_first is equal", self.ids_equal(graph.depth_first().shown(), &shown))?;
        let nodes_of = |mut walk: Walk| core::iter::from_fn(move || walk.next(graph));
        let (depth, breadth) = (|| Walk::depth_first(None), || Walk::breadth_first(None));
        ensure("Walk::depth_first is equal", self.ids_equal(nodes_of(depth()), &all))?;
        ensure("Walk::breadth_first is equal", self.ids_equal(nodes_of(breadth()), &by_breadth))?;
        ensure(
            "shown depth-first Walk is equal",
            self.ids_equal(nodes_of(depth().shown()), &shown),
        )?;
        let is_equal = self.ids_equal(nodes_of(breadth().shown()), &shown_by_breadth);
        ensure("shown breadth-first Walk is equal", is_equal)?;
        let some = self.model.live().iter().take(WALK_STARTS);
        some.into_iter().try_for_each(|&key| self.compare_walks_from(key))?;
        self.compare_by_depth()
    }

    /// Compares walks that start at a node, shown or not.
    fn compare_walks_from(&self, key: Key) -> Result<()> {
        let (graph, node) = (&self.graph, self.ids[key]);
        let mut subtree = Vec::new();
        self.model.depth_first(key, &mut subtree);
        let mut visited = Vec::new();
        graph.visit(node, |view| {
            visited.push(view.id());
            Visit::Continue
        });
        let is_equal = self.ids_equal(visited.into_iter(), &subtree);
        ensure(format_args!("visit from {node} is equal"), is_equal)?;
        subtree.retain(|&key| self.model.is_shown(key));
        let mut walk = Walk::depth_first(node).shown();
        let walked = core::iter::from_fn(|| walk.next(graph));
        ensure(format_args!("shown Walk from {node} is equal"), self.ids_equal(walked, &subtree))?;
        let shown = self.view(key)?.descendants().shown();
        ensure(format_args!("descendants of {node} are equal"), self.ids_equal(shown, &subtree))
    }

    /// Checks that `by_depth` returns every node once, sorted by depth.
    fn compare_by_depth(&self) -> Result<()> {
        let order: Vec<NodeId> = self.graph.by_depth().collect();
        let depth = |&node: &NodeId| self.graph.get(node).map(|view| view.depth());
        ensure("by_depth is sorted by depth", order.is_sorted_by_key(depth))?;
        let sorted = |mut nodes: Vec<NodeId>| {
            nodes.sort_unstable();
            nodes
        };
        let live = self.model.live().iter().map(|&key| self.id(key));
        ensure_eq("nodes by depth", sorted(order), sorted(live.collect()))
    }

    fn compare_names(&self) -> Result<()> {
        let mut all = Vec::new();
        for &root in self.model.roots() {
            self.model.depth_first(root, &mut all);
        }
        for name in NAMES {
            let expected = self.model.find_all(name);
            let first = expected.first().map(|&key| self.ids[key]);
            ensure_eq(format_args!("find {name:?}"), self.graph.find(name), first)?;
            let is_equal = self.ids_equal(self.graph.find_all(name), &expected);
            ensure(format_args!("find_all {name:?} is equal"), is_equal)?;
            for &root in self.model.roots() {
                let first = all
                    .iter()
                    .find(|&&key| {
                        self.model.node(key).name == Some(name) && self.model.is_within(key, root)
                    })
                    .map(|&key| self.ids[key]);
                let found = self.graph.find_in(self.ids[root], name).map_err(Difference::new)?;
                ensure_eq(format_args!("find_in {name:?}"), found, first)?;
            }
        }
        ensure_eq("find of an unused name", self.graph.find("unused"), None)?;
        self.compare_paths(&all)
    }

    fn compare_paths(&self, all: &[Key]) -> Result<()> {
        // A name that contains a `/` cannot be part of a path.
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
            ensure_eq(format_args!("find_path {path:?}"), self.graph.find_path(path), first)?;
        }
        Ok(())
    }
}

fn bits(matrix: Mat4) -> [u32; 16] {
    matrix::bits(&matrix.to_cols_array())
}
