//! The lower bound for the joint matrices of the crowd: a graph's `update`, then the SIMD loop over
//! the joints' worlds. No scene, no skins, no spatial index.

use std::time::Instant;

use glam::Mat4;
use pleach::animation::Mixer;
use pleach::{Graph, MorphWeights, Table};

use super::crowd::{Crowd, FRAME_SECONDS, JOINTS};
use super::joint_loop::{Kernel, Matrices, joints};

pub struct GraphAndLoop {
    pub graph: Graph,
    mixers: Vec<Mixer>,
    /// The morph weights: none.
    weights: Table<MorphWeights>,
    joint_slots: Vec<usize>,
    inverse_bind_matrices: Matrices,
    joint_matrices: Vec<Matrices>,
    kernel: Kernel,
}

impl GraphAndLoop {
    pub fn new(crowd: &Crowd, kernel: Kernel) -> Self {
        let joint_slots: Vec<_> = crowd.joint_slots().collect();
        Self {
            graph: crowd.scene.graph.clone(),
            mixers: crowd.mixers.clone(),
            weights: Table::default(),
            joint_matrices: vec![Matrices([Mat4::NAN; JOINTS]); joint_slots.len()],
            joint_slots,
            inverse_bind_matrices: Matrices(*joints(&crowd.inverse_bind_matrices, 0)),
            kernel,
        }
    }

    /// Returns the nanoseconds from moved joints to joint matrices.
    pub fn time(&mut self) -> f64 {
        let Self {
            graph,
            mixers,
            weights,
            joint_slots,
            inverse_bind_matrices,
            joint_matrices,
            kernel,
        } = self;
        for mixer in mixers {
            mixer.update(FRAME_SECONDS, graph, weights);
        }
        let start = Instant::now();
        graph.update();
        graph.clear_changes();
        let worlds = graph.world_matrices();
        let worlds = joint_slots.iter().map(|&start| joints(worlds, start));
        kernel.joint_matrices(worlds, inverse_bind_matrices, joint_matrices);
        start.elapsed().as_nanos() as f64
    }

    pub fn joint_matrices(&self) -> impl Iterator<Item = &[Mat4]> {
        self.joint_matrices.iter().map(|joint_matrices| &joint_matrices.0[..])
    }
}
