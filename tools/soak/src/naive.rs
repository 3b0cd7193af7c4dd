//! The naive model: a tree of which everything is recomputed from its definition.
//!
//! A node is a plain struct with its parent and a `Vec` of its children. World
//! transforms, `shown`, depth and order are worked out, by following parents and
//! children, each time they are asked for. Nothing is cached but what the graph
//! promises to remember: world transforms as of the last update, and what each
//! reader of changes has yet to see.
//!
//! The model knows no handles. A node is known by its key, which counts nodes in
//! the order they were added and is never used again.

use pleach_graph::Transform;

use crate::matrix::{self, Matrix};

/// The number of a node, in the order of their coming.
pub type Key = usize;

/// A local transform.
#[derive(Clone, Copy, Debug)]
pub enum Local {
    /// Translation, rotation and scale.
    Parts(Transform),
    /// A matrix, and the transform that the graph reports as nearest to it.
    Given(Matrix, Transform),
}

impl Local {
    /// As one matrix; infinite where that overflows.
    #[must_use]
    pub fn matrix(&self) -> Matrix {
        match self {
            Self::Parts(transform) => matrix::of_transform(transform),
            Self::Given(matrix, _) => *matrix,
        }
    }

    /// As translation, rotation and scale.
    #[must_use]
    pub fn transform(&self) -> Transform {
        match self {
            Self::Parts(transform) | Self::Given(_, transform) => *transform,
        }
    }
}

/// One node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its parent; `None` for a root.
    pub parent: Option<Key>,
    /// Its children, in order.
    pub children: Vec<Key>,
    /// Its local transform. Set with [`NaiveTree::set_local`].
    pub local: Local,
    /// Its name.
    pub name: Option<&'static str>,
    /// Its own flag.
    pub visible: bool,
    /// Not removed yet?
    pub alive: bool,
    /// Was its local transform or parent set since the last update?
    pub edited: bool,
    /// Its world transform as of the last update; `None` before the first.
    pub stored: Option<Matrix>,
    /// When it got its name.
    named_at: usize,
    /// What `shown` is, as of the last edit that may have changed it.
    was_shown: bool,
    /// Where it stands in `NaiveTree::living`.
    place: usize,
    /// By reader, a bit: has it yet to see that the node moved?
    moved_unseen: u8,
    /// By reader, a bit: has it yet to see that `shown` changed?
    shown_unseen: u8,
}

/// A forest of nodes.
#[derive(Clone, Debug, Default)]
pub struct NaiveTree {
    nodes: Vec<Node>,
    roots: Vec<Key>,
    living: Vec<Key>,
    dead: Vec<Key>,
    names_given: usize,
}

impl NaiveTree {
    // ---- reading ----

    /// A node, dead or alive.
    #[must_use]
    pub fn node(&self, key: Key) -> &Node {
        &self.nodes[key]
    }

    /// The living nodes, in no order.
    #[must_use]
    pub fn living(&self) -> &[Key] {
        &self.living
    }

    /// The removed nodes, in the order of their removal.
    #[must_use]
    pub fn dead(&self) -> &[Key] {
        &self.dead
    }

    /// The nodes without a parent, in order.
    #[must_use]
    pub fn roots(&self) -> &[Key] {
        &self.roots
    }

    /// How many parents there are above it.
    #[must_use]
    pub fn depth(&self, key: Key) -> usize {
        self.nodes[key].parent.map_or(0, |parent| self.depth(parent) + 1)
    }

    /// Is `key` the node `top`, or below it?
    #[must_use]
    pub fn is_within(&self, key: Key, top: Key) -> bool {
        key == top || self.nodes[key].parent.is_some_and(|parent| self.is_within(parent, top))
    }

    /// World = the parent's world × local.
    #[must_use]
    pub fn world(&self, key: Key) -> Matrix {
        let local = self.nodes[key].local.matrix();
        match self.nodes[key].parent {
            None => matrix::finite(&local),
            Some(parent) => matrix::product(&self.world(parent), &local),
        }
    }

    /// The world transform that the node would have if `top`, at or above it, were
    /// a root.
    #[must_use]
    pub fn world_in(&self, top: Key, key: Key) -> Matrix {
        let local = self.nodes[key].local.matrix();
        match self.nodes[key].parent {
            Some(parent) if key != top => matrix::product(&self.world_in(top, parent), &local),
            _ => matrix::finite(&local),
        }
    }

    /// Shown = its own flag, and the parent is shown.
    #[must_use]
    pub fn is_shown(&self, key: Key) -> bool {
        let Node { parent, visible, .. } = self.nodes[key];
        visible && parent.is_none_or(|parent| self.is_shown(parent))
    }

    /// Dirty = it was edited, or the parent is dirty.
    #[must_use]
    pub fn is_dirty(&self, key: Key) -> bool {
        let Node { parent, edited, .. } = self.nodes[key];
        edited || parent.is_some_and(|parent| self.is_dirty(parent))
    }

    /// Is it dirty, and the parent is not?
    #[must_use]
    pub fn is_dirty_root(&self, key: Key) -> bool {
        let Node { parent, edited, .. } = self.nodes[key];
        edited && !parent.is_some_and(|parent| self.is_dirty(parent))
    }

    /// The node and all below it: a parent before its children, which come in
    /// order, each with all below it.
    pub fn depth_first(&self, key: Key, out: &mut Vec<Key>) {
        out.push(key);
        for &child in &self.nodes[key].children {
            self.depth_first(child, out);
        }
    }

    /// All nodes: the roots, then all their children, and so on.
    #[must_use]
    pub fn breadth_first(&self) -> Vec<Key> {
        let mut order = self.roots.clone();
        let mut next = 0;
        while let Some(&key) = order.get(next) {
            order.extend_from_slice(&self.nodes[key].children);
            next += 1;
        }
        order
    }

    /// The living nodes with this name, the oldest holder first.
    #[must_use]
    pub fn find_all(&self, name: &str) -> Vec<Key> {
        let holds = |&key: &Key| self.nodes[key].name == Some(name);
        let mut holders: Vec<Key> = self.living.iter().copied().filter(holds).collect();
        holders.sort_by_key(|&key| self.nodes[key].named_at);
        holders
    }

    /// The names from the root down to the node, joined by `/`; `None` if one of
    /// them has no name.
    #[must_use]
    pub fn path(&self, key: Key) -> Option<String> {
        let name = self.nodes[key].name?;
        match self.nodes[key].parent {
            None => Some(name.into()),
            Some(parent) => Some(self.path(parent)? + "/" + name),
        }
    }

    // ---- editing ----

    /// Adds a node as the last child of `parent`, or the last root.
    pub fn add(&mut self, parent: Option<Key>, local: Local) -> Key {
        let key = self.nodes.len();
        self.nodes.push(Node {
            parent,
            children: Vec::new(),
            local,
            name: None,
            visible: true,
            alive: true,
            edited: true,
            stored: None,
            named_at: 0,
            was_shown: parent.is_none_or(|parent| self.nodes[parent].was_shown),
            place: self.living.len(),
            moved_unseen: 0,
            shown_unseen: 0,
        });
        self.siblings_under(parent).push(key);
        self.living.push(key);
        key
    }

    fn siblings_under(&mut self, parent: Option<Key>) -> &mut Vec<Key> {
        match parent {
            None => &mut self.roots,
            Some(parent) => &mut self.nodes[parent].children,
        }
    }

    /// Where the node stands among its siblings.
    ///
    /// # Panics
    ///
    /// If the node is dead.
    #[must_use]
    pub fn index(&self, key: Key) -> usize {
        let siblings = match self.nodes[key].parent {
            None => &self.roots,
            Some(parent) => &self.nodes[parent].children,
        };
        let index = siblings.iter().position(|&sibling| sibling == key);
        index.expect("a node is one of its parent's children")
    }

    fn take_out(&mut self, key: Key) {
        let index = self.index(key);
        let parent = self.nodes[key].parent;
        self.siblings_under(parent).remove(index);
    }

    /// Moves the node under `parent`, or to the roots. It is taken out first; then
    /// it goes to `index` among its siblings, or to their end.
    pub fn attach(&mut self, key: Key, parent: Option<Key>, index: usize) {
        self.take_out(key);
        self.nodes[key].parent = parent;
        self.nodes[key].edited = true;
        let siblings = self.siblings_under(parent);
        siblings.insert(index.min(siblings.len()), key);
        self.note_shown(key);
    }

    /// Removes the node and all below it.
    pub fn remove(&mut self, key: Key) {
        self.take_out(key);
        let mut gone = Vec::new();
        self.depth_first(key, &mut gone);
        for key in gone {
            let node = &mut self.nodes[key];
            node.alive = false;
            node.children = Vec::new();
            let place = node.place;
            self.living.swap_remove(place);
            if let Some(&moved) = self.living.get(place) {
                self.nodes[moved].place = place;
            }
            self.dead.push(key);
        }
    }

    /// Copies the node and all below it under `parent`, or to the roots. Answers
    /// originals and copies, parents first.
    pub fn copy(&mut self, top: Key, parent: Option<Key>) -> Vec<(Key, Key)> {
        let mut originals = Vec::new();
        self.depth_first(top, &mut originals);
        let mut copies: Vec<(Key, Key)> = Vec::new();
        for old in originals {
            let Node { parent: old_parent, local, name, visible, .. } = self.nodes[old];
            let copied = copies.iter().rev().find(|&&(original, _)| Some(original) == old_parent);
            let new = self.add(copied.map_or(parent, |&(_, copy)| Some(copy)), local);
            self.nodes[new].visible = visible;
            self.nodes[new].was_shown &= visible;
            self.set_name(new, name);
            copies.push((old, new));
        }
        copies
    }

    /// Sets the local transform.
    pub fn set_local(&mut self, key: Key, local: Local) {
        self.nodes[key].local = local;
        self.nodes[key].edited = true;
    }

    /// Names the node, or takes its name away. A name that it has already is not
    /// given anew.
    pub fn set_name(&mut self, key: Key, name: Option<&'static str>) {
        if self.nodes[key].name != name {
            self.names_given += 1;
            self.nodes[key].name = name;
            self.nodes[key].named_at = self.names_given;
        }
    }

    /// Sets the node's own flag.
    pub fn set_visible(&mut self, key: Key, visible: bool) {
        self.nodes[key].visible = visible;
        self.note_shown(key);
    }

    /// Looks through the node and all below it for changes of `shown`.
    fn note_shown(&mut self, key: Key) {
        // No change of its own makes none below.
        if self.nodes[key].was_shown == self.is_shown(key) {
            return;
        }
        let mut below = Vec::new();
        self.depth_first(key, &mut below);
        for key in below {
            let shown = self.is_shown(key);
            let node = &mut self.nodes[key];
            if node.was_shown != shown {
                node.was_shown = shown;
                node.shown_unseen = u8::MAX;
            }
        }
    }

    /// Brings the stored world transforms up to date: those of edited nodes and of
    /// all below them. Answers how many.
    pub fn update(&mut self) -> usize {
        let roots = self.roots.clone();
        roots.into_iter().map(|root| self.update_below(root, false)).sum()
    }

    fn update_below(&mut self, key: Key, parent_rewritten: bool) -> usize {
        let rewritten = parent_rewritten || self.nodes[key].edited;
        if rewritten {
            self.rewrite(key);
        }
        let mut count = usize::from(rewritten);
        for index in 0..self.nodes[key].children.len() {
            count += self.update_below(self.nodes[key].children[index], rewritten);
        }
        count
    }

    fn rewrite(&mut self, key: Key) {
        let local = self.nodes[key].local.matrix();
        let world = match self.nodes[key].parent {
            None => matrix::finite(&local),
            Some(parent) => {
                let parent = self.nodes[parent].stored.expect("a parent is updated first");
                matrix::product(&parent, &local)
            }
        };
        let node = &mut self.nodes[key];
        node.stored = Some(world);
        node.edited = false;
        node.moved_unseen = u8::MAX;
    }

    // ---- what readers have yet to see ----

    /// The living nodes that were rewritten since this reader last looked.
    pub fn moved_unseen(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.nodes[key].moved_unseen & (1 << reader) != 0;
        self.living.iter().copied().filter(unseen)
    }

    /// The nodes that were rewritten since this reader last looked, and have died
    /// since, when `deaths` nodes had died before.
    pub fn moved_and_died(&self, reader: usize, deaths: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.nodes[key].moved_unseen & (1 << reader) != 0;
        self.dead[deaths..].iter().copied().filter(unseen)
    }

    /// The living nodes whose `shown` changed since this reader last looked.
    pub fn shown_unseen(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.nodes[key].shown_unseen & (1 << reader) != 0;
        self.living.iter().copied().filter(unseen)
    }

    /// The reader has looked.
    pub fn seen(&mut self, reader: usize) {
        for &key in &self.living {
            self.nodes[key].moved_unseen &= !(1 << reader);
            self.nodes[key].shown_unseen &= !(1 << reader);
        }
    }
}
