//! The model that a graph is compared with: testkit's naive tree, and what a graph promises to
//! remember about it.
//!
//! The tree computes everything from its definition. Kept beside it are the local transforms as the
//! graph reports them, world transforms as of the last update, and what each reader of changes has
//! yet to see.

use core::ops::Deref;

use pleach_graph::Transform;
use testkit::matrix::{self, Matrix};
use testkit::naive::{Key, Local, NaiveTree, Node};

/// What is remembered about a node.
#[derive(Clone, Debug)]
pub struct State {
    /// The local transform, or the one that the graph reports as nearest to its matrix.
    pub transform: Transform,
    /// Was its local transform or parent set since the last update?
    pub edited: bool,
    /// Its world transform as of the last update; `None` before the first.
    pub stored: Option<Matrix>,
    /// What `shown` is, as of the last edit that may have changed it.
    was_shown: bool,
    /// By reader, a bit: has it yet to see that the node moved?
    moved_unseen: u8,
    /// By reader, a bit: has it yet to see that `shown` changed?
    shown_unseen: u8,
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

    /// Returns what is remembered about a node, dead or alive.
    #[must_use]
    pub fn state(&self, key: Key) -> &State {
        &self.states[key]
    }

    /// Dirty = it was edited, or the parent is dirty.
    #[must_use]
    pub fn is_dirty(&self, key: Key) -> bool {
        self.states[key].edited || self.is_parent_dirty(key)
    }

    /// Is it dirty, and the parent is not?
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
            moved_unseen: 0,
            shown_unseen: 0,
        });
        self.tree.add(parent, trs(transform))
    }

    /// Moves the node: see [`NaiveTree::attach`].
    pub fn attach(&mut self, key: Key, parent: Option<Key>, index: usize) {
        self.tree.attach(key, parent, index);
        self.states[key].edited = true;
        self.note_shown(key);
    }

    /// Removes the node and all below it.
    pub fn remove(&mut self, key: Key) {
        self.tree.remove(key);
    }

    /// Copies the node and all below it under `parent`, or to the roots. Returns
    /// originals and copies, parents first.
    pub fn copy(&mut self, top: Key, parent: Option<Key>) -> Vec<(Key, Key)> {
        let mut originals = Vec::new();
        self.depth_first(top, &mut originals);
        let mut copies: Vec<(Key, Key)> = Vec::new();
        for old in originals {
            let Node { parent: old_parent, local, name, visible, .. } = *self.tree.node(old);
            let copied = copies.iter().rev().find(|&&(original, _)| Some(original) == old_parent);
            let under = copied.map_or(parent, |&(_, copy)| Some(copy));
            let new = self.add(under, self.states[old].transform);
            self.tree.set_local(new, local);
            self.tree.set_visible(new, visible);
            self.states[new].was_shown &= visible;
            self.tree.set_name(new, name);
            copies.push((old, new));
        }
        copies
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

    /// Sets the node's own flag.
    pub fn set_visible(&mut self, key: Key, visible: bool) {
        self.tree.set_visible(key, visible);
        self.note_shown(key);
    }

    /// Looks through the node and all below it for changes of `shown`.
    fn note_shown(&mut self, key: Key) {
        // No change of its own makes none below.
        if self.states[key].was_shown == self.is_shown(key) {
            return;
        }
        let mut below = Vec::new();
        self.depth_first(key, &mut below);
        for key in below {
            let shown = self.is_shown(key);
            let state = &mut self.states[key];
            if state.was_shown != shown {
                state.was_shown = shown;
                state.shown_unseen = u8::MAX;
            }
        }
    }

    /// Brings the stored world transforms up to date: those of edited nodes and of
    /// all below them. Answers how many.
    pub fn update(&mut self) -> usize {
        let roots = self.tree.roots().to_vec();
        roots.into_iter().map(|root| self.update_below(root, false)).sum()
    }

    fn update_below(&mut self, key: Key, parent_rewritten: bool) -> usize {
        let rewritten = parent_rewritten || self.states[key].edited;
        if rewritten {
            self.rewrite(key);
        }
        let mut count = usize::from(rewritten);
        for index in 0..self.tree.node(key).children.len() {
            count += self.update_below(self.tree.node(key).children[index], rewritten);
        }
        count
    }

    fn rewrite(&mut self, key: Key) {
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
        state.moved_unseen = u8::MAX;
    }

    // ---- what readers have yet to see ----

    /// The living nodes that were rewritten since this reader last looked.
    pub fn moved_unseen(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.states[key].moved_unseen & (1 << reader) != 0;
        self.tree.living().iter().copied().filter(unseen)
    }

    /// The nodes that were rewritten since this reader last looked, and have died
    /// since, when `deaths` nodes had died before.
    pub fn moved_and_died(&self, reader: usize, deaths: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.states[key].moved_unseen & (1 << reader) != 0;
        self.tree.dead()[deaths..].iter().copied().filter(unseen)
    }

    /// The living nodes whose `shown` changed since this reader last looked.
    pub fn shown_unseen(&self, reader: usize) -> impl Iterator<Item = Key> + '_ {
        let unseen = move |&key: &Key| self.states[key].shown_unseen & (1 << reader) != 0;
        self.tree.living().iter().copied().filter(unseen)
    }

    /// The reader has looked.
    pub fn seen(&mut self, reader: usize) {
        for &key in self.tree.living() {
            self.states[key].moved_unseen &= !(1 << reader);
            self.states[key].shown_unseen &= !(1 << reader);
        }
    }
}
