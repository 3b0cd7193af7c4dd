//! The model that a graph is compared with: testkit's naive tree, and the state
//! that a graph keeps in addition.
//!
//! The tree computes everything from its definition. Stored with it are the local
//! transforms as the graph reports them, world transforms as of the last update,
//! and what each change reader has not read yet.

use core::ops::Deref;

use pleach_graph::Transform;
use testkit::matrix::{self, Matrix};
use testkit::naive::{Key, Local, NaiveTree, Node};

/// The state of a node.
#[derive(Clone, Debug)]
pub struct State {
    /// The local transform, or the one that the graph reports as nearest to its
    /// matrix.
    pub transform: Transform,
    /// The local transform or parent was set since the last update.
    pub edited: bool,
    /// The world transform as of the last update; `None` before the first.
    pub stored: Option<Matrix>,
    /// The value of `shown`, as of the last edit that may have changed it.
    was_shown: bool,
    /// One bit per reader: it has not read the change of the world transform yet.
    changed_unread: u8,
    /// One bit per reader: it has not read the change of `shown` yet.
    shown_unread: u8,
}

/// A naive tree, and the state of each of its nodes.
#[derive(Clone, Debug, Default)]
pub struct Model {
    tree: NaiveTree,
    states: Vec<State>,
}

impl Deref for Model {
    type Target = NaiveTree;

    fn deref(&self) -> &NaiveTree {
        &self.tree
    }
}

fn trs(transform: Transform) -> Local {
    Local::Trs(transform.translation, transform.rotation, transform.scale)
}

impl Model {
    // ---- reading ----

    /// Returns the state of a node, dead or alive.
    #[must_use]
    pub fn state(&self, key: Key) -> &State {
        &self.states[key]
    }

    /// Returns `true` if the node was edited, or its parent is dirty.
    #[must_use]
    pub fn is_dirty(&self, key: Key) -> bool {
        self.states[key].edited || self.is_parent_dirty(key)
    }

    /// Returns `true` if the node is dirty, and its parent is not.
    #[must_use]
    pub fn is_dirty_root(&self, key: Key) -> bool {
        self.states[key].edited && !self.is_parent_dirty(key)
    }

    fn is_parent_dirty(&self, key: Key) -> bool {
        self.tree.node(key).parent.is_some_and(|parent| self.is_dirty(parent))
    }

    // ---- editing ----

    /// Adds a node as the last child of `parent`, or the last root.
    pub fn add(&mut self, parent: Option<Key>, transform: Transform) -> Key {
        self.states.push(State {
            transform,
            edited: true,
            stored: None,
            was_shown: parent.is_none_or(|parent| self.states[parent].was_shown),
            changed_unread: 0,
            shown_unread: 0,
        });
        self.tree.add(parent, trs(transform))
    }

    /// Moves the node: see [`NaiveTree::attach`].
    pub fn attach(&mut self, key: Key, parent: Option<Key>, index: usize) {
        self.tree.attach(key, parent, index);
        self.states[key].edited = true;
        self.update_shown(key);
    }

    /// Moves nodes under a parent each. They are taken out first, so that there is no cycle on the
    /// way.
    pub fn attach_each(&mut self, children: [Key; 2], parents: [Key; 2]) {
        for key in children {
            self.tree.attach(key, None, usize::MAX);
        }
        for (key, parent) in children.into_iter().zip(parents) {
            self.tree.attach(key, Some(parent), usize::MAX);
        }
        for key in children {
            self.states[key].edited = true;
            self.update_shown(key);
        }
    }

    /// Removes the node and its descendants.
    pub fn remove(&mut self, key: Key) {
        self.tree.remove(key);
    }

    /// Clones the node and its descendants below `parent`, or to the roots. Returns
    /// originals and clones, parents first.
    pub fn clone_subtree(&mut self, root: Key, parent: Option<Key>) -> Vec<(Key, Key)> {
        let mut originals = Vec::new();
        self.depth_first(root, &mut originals);
        let mut clones: Vec<(Key, Key)> = Vec::new();
        for old in originals {
            let Node { parent: old_parent, local, name, visible, .. } = *self.tree.node(old);
            let clone = clones.iter().rev().find(|&&(original, _)| Some(original) == old_parent);
            let new_parent = clone.map_or(parent, |&(_, clone)| Some(clone));
            let new = self.add(new_parent, self.states[old].transform);
            self.tree.set_local(new, local);
            self.tree.set_visible(new, visible);
            self.states[new].was_shown &= visible;
            self.tree.set_name(new, name);
            clones.push((old, new));
        }
        clones
    }

    /// Sets the local transform.
    pub fn set_transform(&mut self, key: Key, transform: Transform) {
        self.set_local(key, trs(transform), transform);
    }

    /// Sets the local matrix, and the transform that the graph reports as nearest to it.
    pub fn set_matrix(&mut self, key: Key, matrix: Matrix, nearest: Transform) {
        self.set_local(key, Local::Matrix(matrix), nearest);
    }

    fn set_local(&mut self, key: Key, local: Local, transform: Transform) {
        self.tree.set_local(key, local);
        self.states[key].transform = transform;
        self.states[key].edited = true;
    }

    /// Names the node, or removes its name.
    pub fn set_name(&mut self, key: Key, name: Option<&'static str>) {
        self.tree.set_name(key, name);
    }

    /// Sets the node's own visibility.
    pub fn set_visible(&mut self, key: Key, visible: bool) {
        self.tree.set_visible(key, visible);
        self.update_shown(key);
    }

    /// Records changes of `shown` in the subtree of the node.
    fn update_shown(&mut self, key: Key) {
        // If the node did not change, neither did its descendants.
        if self.states[key].was_shown == self.is_shown(key) {
            return;
        }
        let mut subtree = Vec::new();
        self.depth_first(key, &mut subtree);
        for key in subtree {
            let shown = self.is_shown(key);
            let state = &mut self.states[key];
            if state.was_shown != shown {
                state.was_shown = shown;
                state.shown_unread = u8::MAX;
            }
        }
    }

    /// Updates the stored world transforms of edited nodes and their descendants.
    /// Returns their number.
    pub fn update(&mut self) -> usize {
        let roots = self.tree.roots().to_vec();
        roots.into_iter().map(|root| self.update_subtree(root, false)).sum()
    }

    fn update_subtree(&mut self, key: Key, parent_changed: bool) -> usize {
        let changed = parent_changed || self.states[key].edited;
        if changed {
            self.compute(key);
        }
        let mut count = usize::from(changed);
        for index in 0..self.tree.node(key).children.len() {
            count += self.update_subtree(self.tree.node(key).children[index], changed);
        }
        count
    }

    fn compute(&mut self, key: Key) {
        let local = self.tree.node(key).local.matrix();
        let world = match self.tree.node(key).parent {
            None => matrix::finite(&local),
            Some(parent) => {
                let parent = self.states[parent].stored.expect("a parent is updated first");
                matrix::product(&parent, &local)
            }
        };
        let state = &mut self.states[key];
        state.stored = Some(world);
        state.edited = false;
        state.changed_unread = u8::MAX;
    }

    // ---- unread changes ----

    /// Returns the live nodes that were computed since this reader last read.
    pub fn changed_unread(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unread = move |&key: &Key| self.states[key].changed_unread & (1 << reader) != 0;
        self.tree.live().iter().copied().filter(unread)
    }

    /// Returns the nodes that were computed since this reader last read and then
    /// removed, skipping the first `deaths` removed nodes.
    pub fn changed_then_removed(
        &self,
        reader: usize,
        deaths: usize,
    ) -> impl Iterator<Item = Key> + '_ {
        let unread = move |&key: &Key| self.states[key].changed_unread & (1 << reader) != 0;
        self.tree.dead()[deaths..].iter().copied().filter(unread)
    }

    /// Returns the live nodes whose `shown` changed since this reader last read.
    pub fn shown_unread(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unread = move |&key: &Key| self.states[key].shown_unread & (1 << reader) != 0;
        self.tree.live().iter().copied().filter(unread)
    }

    /// Marks all changes as read by this reader.
    pub fn mark_read(&mut self, reader: usize) {
        for &key in self.tree.live() {
            self.states[key].changed_unread &= !(1 << reader);
            self.states[key].shown_unread &= !(1 << reader);
        }
    }
}
