//! Where rays first meet a triangle of a closed mesh.

use glam::Vec3;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;

use super::{Tracer, race_to_trace};
use crate::rounds::{Effort, Table, Who};
use crate::space::brute_force;
use crate::space::contenders::obvhs::{Bvh2Triangles, CwbvhTriangles, FAST, MEDIUM, SLOW};
use crate::space::contenders::pleach;
use crate::space::rays;
use crate::space::test_mesh::Mesh;

/// Scattered rays, then a camera's.
pub fn run(effort: Effort) -> Result<[Table; 2], String> {
    let Mesh { triangles } = &Mesh::new();
    let plain = CwbvhTriangles::<Triangle>::new(triangles, MEDIUM.1);
    let bvh2 = Bvh2Triangles::<RtTriangle>::new(triangles, MEDIUM.1);
    let mut tracers = vec![
        Tracer::new(Who::Pleach, "", pleach::Triangles::new(triangles)),
        Tracer::new(Who::Bvh2, MEDIUM.0, bvh2),
        Tracer::new(Who::Cwbvh, "medium_build, plain triangles", plain),
    ];
    for (way, params) in [FAST, MEDIUM, SLOW] {
        let cwbvh = CwbvhTriangles::<RtTriangle>::new(triangles, params);
        tracers.push(Tracer::new(Who::Cwbvh, way, cwbvh));
    }
    let table = |kind: &str, rows| Table {
        title: format!("Nearest-hit rays, a mesh of {} triangles, {kind}", triangles.len()),
        note: "Triangles are obvhs' `RtTriangle` unless it says plain, in the order of the leaves."
            .into(),
        unit: ("ns per ray", 1.0),
        by: None,
        rows,
    };
    let right = |rays: &[_], found: &[_]| brute_force::check_triangle_hits(triangles, rays, found);
    let scattered = race_to_trace(&mut tracers, &rays::around_ball(effort.seed), effort, right)?;
    let camera = rays::camera(Vec3::new(1.6, 1.1, 2.0), 1.0);
    let camera = race_to_trace(&mut tracers, &camera, effort, right)?;
    Ok([table("scattered", scattered), table("from a camera", camera)])
}
