//! Growth: a frame of a large scene compared with a small scene in which the same numbers of meshes
//! move and are visible.

use std::cell::RefCell;

use super::median_frame;
use crate::frame::mesh_field::{FrameStage, MeshField, Plan};
use crate::number_format::size;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds};

/// The numbers of meshes of the two scenes.
pub const LARGE: usize = 100_000;
pub const SMALL: usize = 10_000;

/// The numbers that both scenes have in common.
#[derive(Clone, Copy)]
pub struct SharedNumbers {
    pub moved: usize,
    pub visible: usize,
}

/// First: 2 % of the large scene move and 10 % are in view, which is all of the small one. Second:
/// numbers that leave the small scene something to cull.
pub const PLANS: [SharedNumbers; 2] =
    [SharedNumbers { moved: 2000, visible: 10_000 }, SharedNumbers { moved: 1000, visible: 2000 }];

/// The variant name of each stage, for the large scene and for the small one.
pub const VARIANTS: [(FrameStage, [&str; 2]); 4] = [
    (FrameStage::Frame, ["100k, frame", "10k, frame"]),
    (FrameStage::Update, ["100k, update only", "10k, update only"]),
    (FrameStage::Cull, ["100k, cull only", "10k, cull only"]),
    (FrameStage::List, ["100k, render list only", "10k, render list only"]),
];

/// The number of frames per round.
const FRAMES: u32 = 9;

impl SharedNumbers {
    pub fn plan(self, meshes: usize) -> Plan {
        Plan { meshes, visible: self.visible, moved: self.moved }
    }

    pub fn name(self) -> String {
        format!("{} moved, {} in view", size(self.moved), size(self.visible))
    }
}

pub fn run(numbers: SharedNumbers, effort: Effort) -> Result<Table, String> {
    let mut scenes = Vec::new();
    for meshes in [LARGE, SMALL] {
        let plan = numbers.plan(meshes);
        let mut meshes = MeshField::new(plan, effort.seed);
        check(&mut meshes, plan)?;
        scenes.push(RefCell::new(meshes));
    }
    let benchmarks = VARIANTS.iter().flat_map(|&(stage, variants)| {
        scenes.iter().zip(variants).map(move |(meshes, variant)| {
            Benchmark::new(Implementation::Pleach, variant, move || {
                median_frame(FRAMES, || meshes.borrow_mut().time(stage))
            })
        })
    });
    let benchmarks = benchmarks.collect();
    Ok(Table {
        title: format!("Frames of {} and {} meshes, {}", size(LARGE), size(SMALL), numbers.name()),
        note: "In both scenes the same number of meshes moves, the same ones in every frame, and \
             the same meshes are in view. The frame is `update` (worlds, bounds, index), `view` \
             and `cull`, and the render list; moving the meshes is not timed. Each stage was \
             timed in separate frames."
            .into(),
        unit: ("µs", 1e3),
        baseline: Some(VARIANTS[0].1[1]),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}

/// Checks that a few frames move, show and list the planned meshes.
fn check(meshes: &mut MeshField, plan: Plan) -> Result<(), String> {
    for frame in 0..70 {
        meshes.move_meshes();
        let updated = meshes.update();
        if [updated.changed, updated.bounds] != [plan.moved; 2] {
            return Err(format!("{plan:?}, frame {frame}: {updated:?}"));
        }
        meshes.time(FrameStage::Frame);
        let visible = meshes.visible.nodes();
        if visible.len() != plan.visible
            || !visible.iter().all(|node| meshes.expected_visible.contains(node))
        {
            return Err(format!("{plan:?}, frame {frame}: other meshes are in view"));
        }
        check_list(meshes).map_err(|error| format!("{plan:?}, frame {frame}: {error}"))?;
    }
    Ok(())
}

fn check_list(meshes: &MeshField) -> Result<(), String> {
    let [opaque, transparent] = [meshes.list.opaque(), meshes.list.transparent()];
    let draws = [opaque.len(), transparent.len()];
    if draws != [meshes.expected_visible.len() - meshes.transparent, meshes.transparent] {
        return Err(format!("{draws:?} opaque and transparent draws"));
    }
    if !opaque.is_sorted_by_key(|draw| (draw.material, draw.geometry)) {
        return Err("the opaque draws are not sorted by material and geometry".into());
    }
    if !transparent.is_sorted_by(|a, b| a.depth >= b.depth) {
        return Err("the transparent draws are not sorted back to front".into());
    }
    Ok(())
}
