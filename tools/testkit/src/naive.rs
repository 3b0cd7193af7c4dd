//! A naive transform tree: everything is computed from its definition, each time it is requested.
//!
//! A node is a plain struct with its parent and a `Vec` of its children. Nodes are identified by
//! keys, which count nodes in the order they were added and are never reused.

use glam::{Quat, Vec3};

use crate::matrix::{self, Matrix};

/// The number of a node, in the order they were added.
pub type Key = usize;

/// A local transform.
#[derive(Clone, Copy, Debug)]
pub enum Local {
    /// Translation, rotation and scale.
    Trs(Vec3, Quat, Vec3),
    /// A matrix.
    Matrix(Matrix),
}

impl Local {
    /// Returns the local transform as a matrix; infinite where that overflows.
    #[must_use]
    pub fn matrix(&self) -> Matrix {
        match *self {
            Self::Trs(translation, rotation, scale) => {
                matrix::from_trs(translation, rotation, scale)
            }
            Self::Matrix(matrix) => matrix,
        }
    }
}

/// A node of a [`NaiveTree`].
#[derive(Clone, Debug)]
pub struct Node {
    /// The parent; `None` for a root.
    pub parent: Option<Key>,
    /// The children, in order.
    pub children: Vec<Key>,
    /// The local transform.
    pub local: Local,
    /// The name. Set with [`NaiveTree::set_name`].
    pub name: Option<&'static str>,
    /// The node's own visibility.
    pub visible: bool,
    /// `false` once the node was removed.
    pub alive: bool,
    /// The time at which the name was set, as a count of names.
    named_at: usize,
    /// The index in `NaiveTree::live`.
    live_index: usize,
}

/// A forest of nodes.
#[derive(Clone, Debug, Default)]
pub struct NaiveTree {
    nodes: Vec<Node>,
    roots: Vec<Key>,
    live: Vec<Key>,
    dead: Vec<Key>,
    names_given: usize,
}

impl NaiveTree {
    // ---- reading ----

    /// Returns a node, dead or alive.
    #[must_use]
    pub fn node(&self, key: Key) -> &Node {
        &self.nodes[key]
    }

    /// Returns the live nodes, in no particular order.
    #[must_use]
    pub fn live(&self) -> &[Key] {
        &self.live
    }

    /// Returns the removed nodes, in the order of their removal.
    #[must_use]
    pub fn dead(&self) -> &[Key] {
        &self.dead
    }

    /// Returns the nodes without a parent, in order.
    #[must_use]
    pub fn roots(&self) -> &[Key] {
        &self.roots
    }

    /// Returns the number of ancestors of a node.
    #[must_use]
    pub fn depth(&self, key: Key) -> usize {
        self.nodes[key].parent.map_or(0, |parent| self.depth(parent) + 1)
    }

    /// Returns `true` if `key` is `top` or a descendant of it.
    #[must_use]
    pub fn is_within(&self, key: Key, top: Key) -> bool {
        key == top || self.nodes[key].parent.is_some_and(|parent| self.is_within(parent, top))
    }

    /// Returns the parent's world × local.
    #[must_use]
    pub fn world(&self, key: Key) -> Matrix {
        let local = self.nodes[key].local.matrix();
        match self.nodes[key].parent {
            None => matrix::finite(&local),
            Some(parent) => matrix::product(&self.world(parent), &local),
        }
    }

    /// Returns the world transform that the node would have if `top`, which is the node or an
    /// ancestor of it, were a root.
    #[must_use]
    pub fn world_in(&self, top: Key, key: Key) -> Matrix {
        let local = self.nodes[key].local.matrix();
        match self.nodes[key].parent {
            Some(parent) if key != top => matrix::product(&self.world_in(top, parent), &local),
            _ => matrix::finite(&local),
        }
    }

    /// Returns `true` if the node and all its ancestors are visible.
    #[must_use]
    pub fn is_shown(&self, key: Key) -> bool {
        let Node { parent, visible, .. } = self.nodes[key];
        visible && parent.is_none_or(|parent| self.is_shown(parent))
    }

    /// Appends the node and its descendants, depth first and parents first.
    pub fn depth_first(&self, key: Key, out: &mut Vec<Key>) {
        out.push(key);
        for &child in &self.nodes[key].children {
            self.depth_first(child, out);
        }
    }

    /// Returns all nodes: the roots, then all their children, and so on.
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

    /// Returns the live nodes with this name, in the order they were given it.
    #[must_use]
    pub fn find_all(&self, name: &str) -> Vec<Key> {
        let has_name = |&key: &Key| self.nodes[key].name == Some(name);
        let mut holders: Vec<Key> = self.live.iter().copied().filter(has_name).collect();
        holders.sort_by_key(|&key| self.nodes[key].named_at);
        holders
    }

    /// Returns the names from the root down to the node, joined by `/`, or `None` if one of them
    /// has no name.
    #[must_use]
    pub fn path(&self, key: Key) -> Option<String> {
        let name = self.nodes[key].name?;
        match self.nodes[key].parent {
            None => Some(name.into()),
            Some(parent) => Some(self.path(parent)? + "/" + name),
        }
    }

    /// Returns the index of the node among its siblings.
    ///
    /// # Panics
    ///
    /// If the node was removed.
    #[must_use]
    pub fn index(&self, key: Key) -> usize {
        let siblings = match self.nodes[key].parent {
            None => &self.roots,
            Some(parent) => &self.nodes[parent].children,
        };
        let index = siblings.iter().position(|&sibling| sibling == key);
        index.expect("a node is one of its parent's children")
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
            named_at: 0,
            live_index: self.live.len(),
        });
        self.siblings_under(parent).push(key);
        self.live.push(key);
        key
    }

    fn siblings_under(&mut self, parent: Option<Key>) -> &mut Vec<Key> {
        match parent {
            None => &mut self.roots,
            Some(parent) => &mut self.nodes[parent].children,
        }
    }

    fn take_out(&mut self, key: Key) {
        let index = self.index(key);
        let parent = self.nodes[key].parent;
        self.siblings_under(parent).remove(index);
    }

    /// Moves the node under `parent`, or to the roots. It is taken out first, then inserted at
    /// `index` among its siblings, or at their end.
    pub fn attach(&mut self, key: Key, parent: Option<Key>, index: usize) {
        self.take_out(key);
        self.nodes[key].parent = parent;
        let siblings = self.siblings_under(parent);
        siblings.insert(index.min(siblings.len()), key);
    }

    /// Removes the node and its descendants.
    pub fn remove(&mut self, key: Key) {
        self.take_out(key);
        let mut gone = Vec::new();
        self.depth_first(key, &mut gone);
        for key in gone {
            let node = &mut self.nodes[key];
            node.alive = false;
            node.children = Vec::new();
            let live_index = node.live_index;
            self.live.swap_remove(live_index);
            if let Some(&moved) = self.live.get(live_index) {
                self.nodes[moved].live_index = live_index;
            }
            self.dead.push(key);
        }
    }

    /// Sets the local transform.
    pub fn set_local(&mut self, key: Key, local: Local) {
        self.nodes[key].local = local;
    }

    /// Sets or removes the name. A node that already has the name keeps its position in
    /// [`NaiveTree::find_all`].
    pub fn set_name(&mut self, key: Key, name: Option<&'static str>) {
        if self.nodes[key].name != name {
            self.names_given += 1;
            self.nodes[key].name = name;
            self.nodes[key].named_at = self.names_given;
        }
    }

    /// Sets the node's own visibility.
    pub fn set_visible(&mut self, key: Key, visible: bool) {
        self.nodes[key].visible = visible;
    }
}
