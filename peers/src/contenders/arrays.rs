//! The arrays of both loop contenders, and their edits. The nodes are sorted (parents before
//! children), so an update is one pass without bookkeeping.
//!
//! Before the first leaves are replaced, the arrays are sorted again (this is not timed): nodes with
//! children first, leaves last. Then leaves are removed by moving the last leaf into their entries,
//! and appended, and parents still come first. Only the appended leaves are computed: a lower bound
//! for such edits.

use std::ops::Range;

use crate::contender::{Contender, Edits};
use crate::prepared::Prepared;
use crate::scene::{Local, ROOT, Scene, position_at};
use crate::workload::Workload;

/// A stored local transform: 48 bytes. The fourth number of the translation is always 1, which the
/// SIMD kernel uses for the last element of the matrix.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct StoredTransform {
    pub translation: [f32; 4],
    pub rotation: [f32; 4],
    pub scale: [f32; 4],
}

impl StoredTransform {
    fn new(local: &Local) -> Self {
        let [x, y, z] = local.translation;
        let [u, v, w] = local.scale;
        Self { translation: [x, y, z, 1.0], rotation: local.rotation, scale: [u, v, w, 0.0] }
    }
}

/// A column-major world matrix, one cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct World(pub [f32; 16]);

impl World {
    const IDENTITY: Self =
        Self([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

/// The three arrays. Invariant, which the SIMD kernel relies on: there are as many parents as
/// transforms and one world more (or all are empty), and every parent is a valid index of `worlds`.
#[derive(Default)]
pub struct Arrays {
    /// The entry of each node in `transforms`; empty while node `k` is entry `k`.
    entries: Vec<u32>,
    /// The node of each entry; empty while they are the same.
    nodes: Vec<u32>,
    transforms: Vec<StoredTransform>,
    /// The index in `worlds` of each node's parent.
    parents: Vec<u32>,
    /// The world of entry `k` is at `k + 1`; entry 0 is the identity, the parent of the root.
    worlds: Vec<World>,
}

impl Arrays {
    fn new(scene: &Scene) -> Self {
        let parent_entry = |(node, parent)| {
            assert!(parent < node, "parents come first");
            parent + 1
        };
        let root_entry = std::iter::once(0);
        Self {
            entries: Vec::new(),
            nodes: Vec::new(),
            transforms: scene.locals.iter().map(StoredTransform::new).collect(),
            parents: root_entry.chain(scene.children().map(parent_entry)).collect(),
            worlds: vec![World::IDENTITY; scene.len() + 1],
        }
    }

    fn entry(&self, node: u32) -> u32 {
        if self.entries.is_empty() { node } else { self.entries[node as usize] }
    }

    /// Moves the leaves behind all other nodes.
    fn sort_leaves_last(&mut self) {
        let mut is_leaf = vec![true; self.transforms.len()];
        for &parent in self.parents.iter().filter(|&&parent| parent > 0) {
            is_leaf[parent as usize - 1] = false;
        }
        self.nodes = (0..self.transforms.len() as u32).collect();
        self.nodes.sort_by_key(|&node| is_leaf[node as usize]); // stable
        self.entries = vec![0; self.nodes.len()];
        for (entry, &node) in (0..).zip(&self.nodes) {
            self.entries[node as usize] = entry;
        }
        let parent = |&node: &u32| match self.parents[node as usize] {
            0 => 0,
            parent => self.entries[parent as usize - 1] + 1,
        };
        let parents = self.nodes.iter().map(parent).collect();
        let transforms = self.nodes.iter().map(|&node| self.transforms[node as usize]).collect();
        let worlds = self.nodes.iter().map(|&node| self.worlds[node as usize + 1]);
        self.worlds = std::iter::once(World::IDENTITY).chain(worlds).collect();
        (self.parents, self.transforms) = (parents, transforms);
    }

    /// Removes the first node of each pair, a leaf, then adds it under the second. Returns the entries
    /// of the added leaves.
    fn replace(&mut self, leaves: &[(u32, u32)], step: u32) -> Range<usize> {
        if self.entries.is_empty() {
            self.sort_leaves_last();
        }
        for &(leaf, _) in leaves {
            let entry = self.entries[leaf as usize] as usize;
            self.transforms.swap_remove(entry);
            self.parents.swap_remove(entry);
            self.worlds.swap_remove(entry + 1);
            self.nodes.swap_remove(entry);
            if let Some(&moved) = self.nodes.get(entry) {
                self.entries[moved as usize] = entry as u32;
            }
        }
        let first = self.transforms.len();
        for &(leaf, parent) in leaves {
            self.entries[leaf as usize] = self.nodes.len() as u32;
            self.nodes.push(leaf);
            self.transforms.push(StoredTransform::new(&Local::at(position_at(leaf, step))));
            self.parents.push(self.entries[parent as usize] + 1);
            self.worlds.push(World::IDENTITY);
        }
        first..self.transforms.len()
    }

    /// Returns the transforms, parents and worlds.
    pub fn slices(&mut self) -> (&[StoredTransform], &[u32], &mut [World]) {
        (&self.transforms, &self.parents, &mut self.worlds)
    }
}

/// The pass in which the two loops differ.
pub trait Kernel {
    /// Computes the worlds of the given nodes, parents first.
    fn update(&self, arrays: &mut Arrays, nodes: impl Iterator<Item = usize> + Clone);
}

/// A contender made of the arrays and a kernel.
pub struct Loop<K> {
    arrays: Arrays,
    kernel: K,
    prepared: Prepared<StoredTransform>,
}

impl<K: Kernel> Loop<K> {
    pub fn new(kernel: K) -> Self {
        let arrays = Arrays::default();
        Self { arrays, kernel, prepared: Prepared::default() }
    }

    fn set_translation(&mut self, node: u32, [x, y, z]: [f32; 3]) {
        let entry = self.arrays.entry(node);
        self.arrays.transforms[entry as usize].translation = [x, y, z, 1.0];
    }

    fn update_all(&mut self) {
        let all = 0..self.arrays.transforms.len();
        self.kernel.update(&mut self.arrays, all);
    }
}

impl<K: Kernel> Contender for Loop<K> {
    fn supports(&self, workload: Workload) -> bool {
        !matches!(workload, Workload::Reparent | Workload::Nothing)
    }

    fn clear(&mut self) {
        self.arrays = Arrays::default();
        self.prepared = Prepared::default();
    }

    fn build(&mut self, scene: &Scene) {
        self.arrays = Arrays::new(scene);
        self.update_all();
    }

    fn frame(&mut self, edits: Edits<'_>) {
        match edits {
            Edits::MoveAll { step } => {
                for node in 0..self.arrays.transforms.len() as u32 {
                    self.set_translation(node, position_at(node, step));
                }
                self.update_all();
            }
            Edits::SetAll { step } => {
                let nodes = self.arrays.transforms.len();
                let prepared = self.prepared.at(step, nodes, StoredTransform::new);
                if self.arrays.entries.is_empty() {
                    self.arrays.transforms.copy_from_slice(prepared);
                } else {
                    for (&entry, &transform) in self.arrays.entries.iter().zip(prepared) {
                        self.arrays.transforms[entry as usize] = transform;
                    }
                }
                self.update_all();
            }
            Edits::MoveRoot { step } => {
                self.set_translation(ROOT, position_at(ROOT, step));
                self.update_all();
            }
            // No other contender knows that the moved nodes are leaves: this is the lower bound.
            Edits::MoveLeaves { leaves, step } => {
                for &leaf in leaves {
                    self.set_translation(leaf, position_at(leaf, step));
                }
                if self.arrays.entries.is_empty() {
                    let moved = leaves.iter().map(|&leaf| leaf as usize);
                    self.kernel.update(&mut self.arrays, moved);
                } else {
                    let moved = leaves.iter().map(|&leaf| self.arrays.entry(leaf) as usize);
                    let moved: Vec<_> = moved.collect();
                    self.kernel.update(&mut self.arrays, moved.iter().copied());
                }
            }
            Edits::Replace { leaves, step } => {
                let added = self.arrays.replace(leaves, step);
                self.kernel.update(&mut self.arrays, added);
            }
            Edits::Nothing | Edits::Attach(_) => {
                unreachable!("a loop over fixed arrays does not support these workloads")
            }
        }
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        let nodes = 0..self.arrays.transforms.len() as u32;
        nodes.map(|node| self.arrays.worlds[self.arrays.entry(node) as usize + 1].0).collect()
    }
}
