//! The least that has the crowd's matrices: a graph's `update`, then the straight loop over the
//! bones' worlds. No scene, no skins, no index.

use std::time::Instant;

use glam::Mat4;
use pleach::animation::Mixer;
use pleach::{Graph, NodeMap};

use super::crowd::{BONES, Crowd, SECONDS};
use super::joint_loop::{Kernel, Matrices, bones};

pub struct Plain {
    pub graph: Graph,
    mixers: Vec<Mixer>,
    /// The morph weights, of which there are none.
    weights: NodeMap<Vec<f32>>,
    starts: Vec<usize>,
    inverse_bind_matrices: Matrices,
    palettes: Vec<Matrices>,
    kernel: Kernel,
}

impl Plain {
    pub fn new(crowd: &Crowd, kernel: Kernel) -> Self {
        let starts: Vec<_> = crowd.starts().collect();
        Self {
            graph: crowd.scene.graph.clone(),
            mixers: crowd.mixers.clone(),
            weights: NodeMap::new(),
            palettes: vec![Matrices([Mat4::NAN; BONES]); starts.len()],
            starts,
            inverse_bind_matrices: Matrices(*bones(&crowd.inverse_bind_matrices, 0)),
            kernel,
        }
    }

    /// Nanoseconds from moved bones to matrices.
    pub fn time(&mut self) -> f64 {
        let Self { graph, mixers, weights, starts, inverse_bind_matrices, palettes, kernel } = self;
        for mixer in mixers {
            mixer.update(SECONDS, graph, weights);
        }
        let start = Instant::now();
        graph.update();
        graph.clear_changes();
        let worlds = graph.world_matrices();
        let worlds = starts.iter().map(|&start| bones(worlds, start));
        kernel.palettes(worlds, inverse_bind_matrices, palettes);
        start.elapsed().as_nanos() as f64
    }

    pub fn palettes(&self) -> impl Iterator<Item = &[Mat4]> {
        self.palettes.iter().map(|palette| &palette.0[..])
    }
}
