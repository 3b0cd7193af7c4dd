//! Where rays first enter a box.

use glam::Vec3;

use super::{Tracer, race_to_trace};
use crate::number_format::size;
use crate::rounds::{Effort, Table, Who};
use crate::space::boxes::Field;
use crate::space::brute_force;
use crate::space::contenders::obvhs::{Bvh2Boxes, CwbvhBoxes, FAST, Kept, MEDIUM};
use crate::space::contenders::pleach::Pleach;
use crate::space::rays;

/// Scattered rays, then a camera's.
pub fn run(n: usize, effort: Effort) -> Result<[Table; 2], String> {
    let field = Field::new(n, effort.seed);
    let boxes = &field.boxes;
    let mut tracers = vec![
        Tracer::new(Who::Pleach, "", Pleach::new(boxes)),
        Tracer::new(Who::Bvh2, "a box a leaf", Kept::new(boxes, MEDIUM.1)),
    ];
    for (way, params) in [FAST, MEDIUM] {
        tracers.push(Tracer::new(Who::Bvh2, way, Bvh2Boxes::new(boxes, params)));
        tracers.push(Tracer::new(Who::Cwbvh, way, CwbvhBoxes::new(boxes, params)));
    }
    let eye = Vec3::new(1.6, 1.1, 2.0) * field.reach;
    let table = |kind: &str, rows| Table {
        title: format!("Nearest-hit rays, {} boxes, {kind}", size(n)),
        note: "The distance to where a ray first enters a box.".into(),
        unit: ("ns per ray", 1.0),
        by: None,
        rows,
    };
    let right = |rays: &[_], found: &[_]| brute_force::check_box_hits(boxes, rays, found);
    let scattered = rays::within(&field, effort.seed);
    let scattered = race_to_trace(&mut tracers, &scattered, effort, right)?;
    let camera = rays::camera(eye, field.reach);
    let camera = race_to_trace(&mut tracers, &camera, effort, right)?;
    Ok([table("scattered", scattered), table("from a camera", camera)])
}
