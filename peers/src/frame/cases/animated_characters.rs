//! Animated characters: the total cost of an animated crowd, compared with the graph and the joint
//! matrices alone.

use std::cell::RefCell;

use super::{check_crowd, median_frame};
use crate::frame::crowd::{CHARACTERS, Crowd, CrowdKind, JOINTS};
use crate::frame::graph_and_loop::GraphAndLoop;
use crate::frame::joint_loop::Kernel;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds};

pub const FRAME: &str = "animate and update";
const ANIMATE: &str = "animate only";
const UPDATE: &str = "update only";
pub const ALONE: &str = "update, no meshes";
const PLAIN: &str = "after Graph::update";

/// The number of frames per round.
const FRAMES: u32 = 5;

pub fn run(effort: Effort) -> Result<Table, String> {
    let mut meshes = Crowd::new(CrowdKind::SkinnedMeshes, effort.seed);
    check_crowd(&mut meshes, CrowdKind::SkinnedMeshes)?;
    let mut alone = Crowd::new(CrowdKind::Skins, effort.seed);
    check_crowd(&mut alone, CrowdKind::Skins)?;
    let mut graph_and_loop = GraphAndLoop::new(&alone, Kernel::widest());

    let meshes = RefCell::new(meshes);
    let benchmark = |variant, time: fn(&mut Crowd) -> f64| {
        let meshes = &meshes;
        Benchmark::new(Implementation::Pleach, variant, move || {
            median_frame(FRAMES, || time(&mut meshes.borrow_mut()))
        })
    };
    let benchmarks = vec![
        benchmark(FRAME, Crowd::time_of_frame),
        benchmark(ANIMATE, Crowd::time_to_animate),
        benchmark(UPDATE, Crowd::time_to_update),
        Benchmark::new(Implementation::Pleach, ALONE, || {
            median_frame(FRAMES, || alone.time_to_update())
        }),
        Benchmark::new(Implementation::SimdLoop, PLAIN, || {
            median_frame(FRAMES, || graph_and_loop.time())
        }),
    ];
    Ok(Table {
        title: format!("{CHARACTERS} animated characters of {JOINTS} joints"),
        note: "Each character has a mixer, which rotates every joint in every frame by a shared \
               clip of 31 keys in one second. The update computes worlds, joint matrices and the \
               bounds of the pose, and updates the spatial index. Without meshes there are no \
               bounds: only the graph's update and the joint matrices. Last, a graph's `update` \
               followed by the SIMD loop, without a scene."
            .into(),
        unit: ("ms", 1e6),
        baseline: Some(ALONE),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}
