//! The arrays of both loop contenders, and their edits. The nodes are sorted (parents before
//! children), so an update is one pass without bookkeeping.

use crate::contender::{Contender, Edits};
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
    transforms: Vec<StoredTransform>,
    /// The index in `worlds` of each node's parent.
    parents: Vec<u32>,
    /// Node `k` has entry `k + 1`; entry 0 is the identity, the parent of the root.
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
            transforms: scene.locals.iter().map(StoredTransform::new).collect(),
            parents: root_entry.chain(scene.children().map(parent_entry)).collect(),
            worlds: vec![World::IDENTITY; scene.len() + 1],
        }
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
}

impl<K: Kernel> Loop<K> {
    pub fn new(kernel: K) -> Self {
        let arrays = Arrays::default();
        Self { arrays, kernel }
    }

    fn set_translation(&mut self, node: u32, [x, y, z]: [f32; 3]) {
        self.arrays.transforms[node as usize].translation = [x, y, z, 1.0];
    }

    fn update_all(&mut self) {
        let all = 0..self.arrays.transforms.len();
        self.kernel.update(&mut self.arrays, all);
    }
}

impl<K: Kernel> Contender for Loop<K> {
    fn supports(&self, workload: Workload) -> bool {
        !workload.is_structural() && workload != Workload::Nothing
    }

    fn clear(&mut self) {
        self.arrays = Arrays::default();
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
            Edits::MoveRoot { step } => {
                self.set_translation(ROOT, position_at(ROOT, step));
                self.update_all();
            }
            // No other contender knows that the moved nodes are leaves: this is the lower bound.
            Edits::MoveLeaves { leaves, step } => {
                for &leaf in leaves {
                    self.set_translation(leaf, position_at(leaf, step));
                }
                let moved = leaves.iter().map(|&leaf| leaf as usize);
                self.kernel.update(&mut self.arrays, moved);
            }
            Edits::Nothing | Edits::Attach(_) | Edits::Replace { .. } => {
                unreachable!("a loop over fixed arrays does not support these workloads")
            }
        }
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.arrays.worlds[1..].iter().map(|world| world.0).collect()
    }
}
