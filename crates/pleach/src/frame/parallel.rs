//! `update_parallel`: transforms, palettes and poses on rayon's threads.
//!
//! Each skin's matrices, and each pose's box, are computed by one thread from what the
//! others only read, so the bits are those of `update`.

use pleach_graph::{Graph, NodeId};
use pleach_spatial::Aabb;
use rayon::prelude::*;

use super::joint_matrices::{self, Work};
use crate::{Error, JointMatrices, Scene, SceneUpdateStats, Skin, Table};

/// Fewer than so many matrices, or boxes of poses, are not worth a thread.
const LARGE: usize = 2048;

impl Scene {
    /// As [`update`](Self::update), on rayon's threads where there is much to do. The same
    /// bits. Allocates a little.
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update).
    pub fn update_parallel(&mut self) -> Result<SceneUpdateStats, Error> {
        self.begin_update();
        let moved = self.graph.update_parallel().changed;
        self.follow(moved, compute, pose_bounds)
    }
}

fn compute(all: &mut JointMatrices, graph: &Graph, skins: &Table<Skin>) {
    all.begin();
    let mut work = Vec::new();
    all.each_dirty(graph, skins, |one| work.push(one));
    let one = |work: Work<'_>| joint_matrices::compute(graph, work);
    if work.iter().map(|work| work.skin.joints.len()).sum::<usize>() < LARGE {
        work.into_iter().for_each(one);
    } else {
        work.into_par_iter().for_each(one);
    }
}

fn pose_bounds(poses: &mut [(NodeId, Aabb)], posed: &(dyn Fn(NodeId) -> Option<Aabb> + Sync)) {
    let one = |(node, aabb): &mut (NodeId, Aabb)| *aabb = posed(*node).unwrap_or(Aabb::EMPTY);
    if poses.len() < LARGE / 64 {
        poses.iter_mut().for_each(one);
    } else {
        poses.par_iter_mut().for_each(one);
    }
}
