//! Joint matrices: the cost that skins add to an update in which every joint moved, and the cost of
//! an update that computes all joint matrices and little else.

use std::cell::RefCell;

use super::{check_crowd, median_frame};
use crate::frame::crowd::{CHARACTERS, Crowd, CrowdKind, JOINTS};
use crate::frame::expected;
use crate::frame::graph_and_loop::GraphAndLoop;
use crate::frame::joint_loop::{JointLoop, Kernel};
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_calls};

const WITH: &str = "update, with skins";
const WITHOUT: &str = "update, without skins";
pub const ONE_JOINT: &str = "update, one joint of each moved";
const PLAIN: &str = "after Graph::update";

/// The number of frames per round.
const FRAMES: u32 = 5;

pub fn run(effort: Effort) -> Result<Table, String> {
    let mut with = Crowd::new(CrowdKind::Skins, effort.seed);
    check_crowd(&mut with, CrowdKind::Skins)?;
    let mut without = Crowd::new(CrowdKind::NoSkins, effort.seed);
    check_crowd(&mut without, CrowdKind::NoSkins)?;
    let mut one_joint = Crowd::new(CrowdKind::Skins, effort.seed);
    check_one_joint(&mut one_joint)?;
    let mut joint_loop = JointLoop::new(&with);
    check_joint_loop(&mut joint_loop, &with)?;
    let mut graph_and_loop = GraphAndLoop::new(&with, Kernel::widest());
    graph_and_loop.time();
    expected::check_each(&graph_and_loop.graph, &with, graph_and_loop.joint_matrices())?;

    let joint_loop = RefCell::new(joint_loop);
    let mut step = 0;
    let mut benchmarks = vec![
        Benchmark::new(Implementation::Pleach, WITH, || {
            median_frame(FRAMES, || with.time_to_update())
        }),
        Benchmark::new(Implementation::Pleach, WITHOUT, || {
            median_frame(FRAMES, || without.time_to_update())
        }),
        Benchmark::new(Implementation::Pleach, ONE_JOINT, || {
            median_frame(FRAMES, || {
                step += 1;
                one_joint.time_after_one_joint(step)
            })
        }),
    ];
    benchmarks.extend(Kernel::available().into_iter().map(|kernel| {
        let joint_loop = &joint_loop;
        Benchmark::new(Implementation::SimdLoop, kernel.name(), move || {
            time_calls(2, 10, || joint_loop.borrow_mut().run(kernel))
        })
    }));
    benchmarks.push(Benchmark::new(Implementation::SimdLoop, PLAIN, || {
        median_frame(FRAMES, || graph_and_loop.time())
    }));
    Ok(Table {
        title: format!("Joint matrices, {CHARACTERS} skeletons of {JOINTS} joints"),
        note: "All joints are rotated before each update, except in one row: only the last joint \
               of each skeleton is, so that 1000 nodes move and all joint matrices are \
               recomputed. The rotation of the joints is not timed. The scenes \
               with and without skins are otherwise the same, and have no meshes. The loop \
               computes the same matrices from contiguous worlds, once on its own and once after \
               a graph's `update`. All skeletons share their inverse bind matrices, in the scene \
               and in the loop."
            .into(),
        unit: ("µs", 1e3),
        baseline: Some(ONE_JOINT),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}

fn check_one_joint(crowd: &mut Crowd) -> Result<(), String> {
    crowd.rotate_last_joints(100);
    let updated = crowd.update();
    let found = [updated.changed, updated.skins];
    if found != [CHARACTERS; 2] {
        return Err(format!(
            "{CHARACTERS} joints moved, but {found:?} nodes and skins were updated"
        ));
    }
    expected::check_joint_matrices(crowd)
}

fn check_joint_loop(joint_loop: &mut JointLoop, crowd: &Crowd) -> Result<(), String> {
    for kernel in Kernel::available() {
        joint_loop.run(kernel);
        expected::check_each(&crowd.scene.graph, crowd, joint_loop.joint_matrices())
            .map_err(|message| format!("{}: {message}", kernel.name()))?;
    }
    Ok(())
}
