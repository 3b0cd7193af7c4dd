//! The steady frame: how often it asks for memory, once it has been run a while.

use pleach::{RenderList, Visible};

use super::growth::{LARGE, PLANS};
use crate::allocations;
use crate::frame::crowd::{Crowd, Outfit};
use crate::frame::mesh_field::{Meshes, Part};
use crate::rounds::Effort;

/// Frames before the count begins, in which lists grow as long as they get, and counted ones.
const FIRST: usize = 100;
pub const COUNTED: usize = 200;

/// How often some frames asked for memory, together.
pub struct Tally {
    pub workload: String,
    pub allocations: usize,
}

pub fn run(effort: Effort) -> Result<Vec<Tally>, String> {
    let seen = allocations::during(|| drop(std::hint::black_box(vec![1_u8])));
    if seen != 1 {
        return Err(format!("one allocation is counted as {seen}"));
    }
    let mut crowd = Crowd::new(Outfit::Dressed, effort.seed);
    let camera = crowd.add_camera();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let people = tally("1000 animated people".into(), || {
        crowd.animate();
        let view = crowd.scene.visible_meshes(camera, (1920, 1080), &mut visible);
        list.build(&crowd.scene, &visible, &view.expect("the camera is well"));
    });
    let mut meshes = Meshes::new(PLANS[0].plan(LARGE), effort.seed);
    let workload = format!("100k meshes, {}", PLANS[0].name());
    let meshes = tally(workload, || {
        meshes.time(Part::Frame);
    });
    Ok(vec![people, meshes])
}

fn tally(workload: String, mut frame: impl FnMut()) -> Tally {
    (0..FIRST).for_each(|_| frame());
    let allocations = allocations::during(|| (0..COUNTED).for_each(|_| frame()));
    Tally { workload, allocations }
}
