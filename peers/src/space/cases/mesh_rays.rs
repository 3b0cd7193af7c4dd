//! Nearest-hit rays against the triangles of a closed mesh.

use glam::Vec3;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;

use super::{Tracer, time_tracing};
use crate::rounds::{Effort, Implementation, Table};
use crate::space::brute_force;
use crate::space::contenders::embree::Embree;
use crate::space::contenders::obvhs::{Bvh2Triangles, CwbvhTriangles, FAST, MEDIUM, SLOW};
use crate::space::contenders::pleach;
use crate::space::rays;
use crate::space::test_mesh::Mesh;

/// Runs scattered rays, then those of a camera.
pub fn run(effort: Effort, embree: Option<Embree>) -> Result<[Table; 2], String> {
    let Mesh { triangles } = &Mesh::new();
    let plain = CwbvhTriangles::<Triangle>::new(triangles, MEDIUM.1);
    let bvh2 = Bvh2Triangles::<RtTriangle>::new(triangles, MEDIUM.1);
    let mut tracers = vec![
        Tracer::new(Implementation::Pleach, "", pleach::Triangles::new(triangles)),
        Tracer::new(Implementation::Bvh2, MEDIUM.0, bvh2),
        Tracer::new(Implementation::Cwbvh, "medium_build, plain triangles", plain),
    ];
    if let Some(embree) = embree {
        tracers.push(Tracer::new(Implementation::Embree, "", embree.triangles(triangles)));
    }
    for (variant, params) in [FAST, MEDIUM, SLOW] {
        let cwbvh = CwbvhTriangles::<RtTriangle>::new(triangles, params);
        tracers.push(Tracer::new(Implementation::Cwbvh, variant, cwbvh));
    }
    let table = |kind: &str, rows| Table {
        title: format!("Nearest-hit rays, a mesh of {} triangles, {kind}", triangles.len()),
        note: "Triangles are obvhs' `RtTriangle` unless marked as plain, in the order of the \
               leaves."
            .into(),
        unit: ("ns per ray", 1.0),
        baseline: None,
        rows,
    };
    let check = |rays: &[_], found: &[_]| brute_force::check_triangle_hits(triangles, rays, found);
    let scattered =
        time_tracing(&mut tracers, &rays::into_unit_sphere(effort.seed), effort, check)?;
    let camera = rays::camera(Vec3::new(1.6, 1.1, 2.0), 1.0);
    let camera = time_tracing(&mut tracers, &camera, effort, check)?;
    Ok([table("scattered", scattered), table("from a camera", camera)])
}
