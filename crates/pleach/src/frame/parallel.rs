//! `update_parallel`: world transforms, joint matrices, posed bounds and large builds of the
//! spatial index's tree on rayon's threads.
//!
//! Each skin's matrices, and each posed bounds, are computed by one thread from data that all
//! threads only read, so the bits are those of `update`.

use pleach_graph::{Graph, NodeId, thread_count};
use pleach_spatial::{Aabb, SpatialIndex, SyncStats};
use rayon::prelude::*;

use super::joint_matrices::{SkinTask, compute_skin};
use super::update::{Executor, PosedBounds};
use crate::{Error, JointMatrices, Scene, SceneUpdateStats};

/// With fewer matrices than this, threads cost more than they save.
const MIN_MATRICES: usize = 2048;

/// With fewer bounds than this, threads cost more than they save.
const MIN_BOUNDS: usize = 32;

/// The threads of rayon's current pool.
struct Parallel;

impl Scene {
    /// Updates the scene like [`update`](Self::update), with the same bits, but on rayon's threads
    /// where there is enough work. Allocates a little.
    ///
    /// ```
    /// # use pleach::{Node, Scene};
    /// # let mut scene = Scene::new();
    /// scene.spawn(Node::group())?;
    /// assert_eq!(scene.update_parallel()?.changed, 2);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update).
    pub fn update_parallel(&mut self) -> Result<SceneUpdateStats, Error> {
        self.begin_update();
        let changed = self.graph.update_parallel().changed;
        self.update_derived::<Parallel>(changed)
    }
}

impl Executor for Parallel {
    fn compute_matrices(graph: &Graph, matrices: &mut JointMatrices) {
        matrices.begin();
        let mut tasks = Vec::new();
        matrices.for_each_changed(|task| tasks.push(task));
        let compute = |task: SkinTask<'_>| compute_skin(graph, task);
        let matrices = tasks.iter().map(SkinTask::len).sum::<usize>();
        if matrices < MIN_MATRICES || thread_count() < 2 {
            tasks.into_iter().for_each(compute);
        } else {
            tasks.into_par_iter().for_each(compute);
        }
    }

    fn compute_bounds(all: &mut [PosedBounds], posed: impl Fn(NodeId) -> Option<Aabb> + Sync) {
        let compute =
            |(node, bounds): &mut PosedBounds| *bounds = posed(*node).unwrap_or(Aabb::EMPTY);
        if all.len() < MIN_BOUNDS || thread_count() < 2 {
            all.iter_mut().for_each(compute);
        } else {
            all.par_iter_mut().for_each(compute);
        }
    }

    fn sync(spatial: &mut SpatialIndex, graph: &Graph) -> Result<SyncStats, pleach_spatial::Error> {
        spatial.sync_parallel(graph)
    }
}
