//! Nearest-hit rays against boxes.

use glam::Vec3;

use super::{Tracer, time_tracing};
use crate::number_format::size;
use crate::rounds::{Effort, Implementation, Table};
use crate::space::boxes::BoxField;
use crate::space::brute_force;
use crate::space::contenders::embree::Embree;
use crate::space::contenders::obvhs::{Bvh2Boxes, CwbvhBoxes, DynamicBvh2, FAST, MEDIUM};
use crate::space::contenders::pleach::Pleach;
use crate::space::rays;

/// Runs scattered rays, then those of a camera.
pub fn run(n: usize, effort: Effort, embree: Option<Embree>) -> Result<[Table; 2], String> {
    let field = BoxField::new(n, effort.seed);
    let boxes = &field.boxes;
    let mut tracers = vec![
        Tracer::new(Implementation::Pleach, "", Pleach::new(boxes)),
        Tracer::new(Implementation::Bvh2, "one box per leaf", DynamicBvh2::new(boxes, MEDIUM.1)),
    ];
    if let Some(embree) = embree {
        tracers.push(Tracer::new(Implementation::Embree, "", embree.boxes(boxes)));
    }
    for (variant, params) in [FAST, MEDIUM] {
        tracers.push(Tracer::new(Implementation::Bvh2, variant, Bvh2Boxes::new(boxes, params)));
        tracers.push(Tracer::new(Implementation::Cwbvh, variant, CwbvhBoxes::new(boxes, params)));
    }
    let position = Vec3::new(1.6, 1.1, 2.0) * field.half_extent;
    let table = |kind: &str, rows| Table {
        title: format!("Nearest-hit rays, {} boxes, {kind}", size(n)),
        note: "The distance at which a ray first enters a box. Embree calls a slab test in f32 \
               for each box that it does not prune."
            .into(),
        unit: ("ns per ray", 1.0),
        baseline: None,
        rows,
    };
    let check = |rays: &[_], found: &[_]| brute_force::check_box_hits(boxes, rays, found);
    let scattered = rays::scattered_in(&field, effort.seed);
    let scattered = time_tracing(&mut tracers, &scattered, effort, check)?;
    let camera = rays::camera(position, field.half_extent);
    let camera = time_tracing(&mut tracers, &camera, effort, check)?;
    Ok([table("scattered", scattered), table("from a camera", camera)])
}
