//! The steady frame: the number of allocations per frame after a warm-up.

use pleach::{RenderList, Visible};

use super::growth::{LARGE, PLANS};
use crate::allocations;
use crate::frame::crowd::{Crowd, CrowdKind};
use crate::frame::mesh_field::{FrameStage, MeshField};
use crate::rounds::Effort;

/// The number of warm-up frames, in which buffers grow to their final size, and of counted frames.
const WARM_UP_FRAMES: usize = 100;
pub const COUNTED_FRAMES: usize = 200;

/// The number of allocations in some frames together.
pub struct Tally {
    pub workload: String,
    pub allocations: usize,
}

pub fn run(effort: Effort) -> Result<Vec<Tally>, String> {
    let counted = allocations::count_allocations(|| drop(std::hint::black_box(vec![1_u8])));
    if counted != 1 {
        return Err(format!("one allocation is counted as {counted}"));
    }
    let mut crowd = Crowd::new(CrowdKind::SkinnedMeshes, effort.seed);
    let camera = crowd.add_camera();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let characters = count("1000 animated characters".into(), || {
        crowd.animate();
        let view = crowd.scene.visible_meshes(camera, (1920, 1080), &mut visible);
        list.build(&crowd.scene, &visible, &view.expect("the camera is valid"));
    });
    let mut meshes = MeshField::new(PLANS[0].plan(LARGE), effort.seed);
    let workload = format!("100k meshes, {}", PLANS[0].name());
    let meshes = count(workload, || {
        meshes.time(FrameStage::Frame);
    });
    Ok(vec![characters, meshes])
}

fn count(workload: String, mut frame: impl FnMut()) -> Tally {
    (0..WARM_UP_FRAMES).for_each(|_| frame());
    let allocations = allocations::count_allocations(|| (0..COUNTED_FRAMES).for_each(|_| frame()));
    Tally { workload, allocations }
}
