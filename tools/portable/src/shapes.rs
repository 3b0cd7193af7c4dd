//! Generated geometries, and normals computed from positions.

use glam::{Vec2, Vec3};
use pleach::Geometry;
use pleach::shapes::{Capsule, Cone, Cuboid, Cylinder, Plane, Sphere, Torus};

use crate::digest::Digest;

pub(crate) fn record() -> u64 {
    let mut digest = Digest::new();
    let shapes = [
        Capsule::new(0.4, 1.7).build(),
        Cone::new(0.7, 1.3).with_segments(13).build(),
        Cuboid::new(Vec3::new(1.0, 0.3, 2.0)).build(),
        Cylinder::new(0.6, 1.1).with_segments(9).build(),
        Plane::new(Vec2::new(3.0, 2.0)).with_cells(3, 4).build(),
        Sphere::new(0.9).with_detail(17, 11).build(),
        Torus::new(1.0, 0.3).with_detail(19, 7).build(),
    ];
    for shape in shapes {
        let mut geometry = shape.unwrap();
        hash(&geometry, &mut digest);
        geometry.normals.clear();
        geometry.compute_normals();
        hash(&geometry, &mut digest);
    }
    digest.finish()
}

fn hash(geometry: &Geometry, digest: &mut Digest) {
    digest.number(geometry.positions.len());
    geometry.positions.iter().for_each(|&position| digest.vec3(position));
    geometry.normals.iter().for_each(|&normal| digest.vec3(normal));
    digest.aabb(Some(geometry.bounds()));
}
