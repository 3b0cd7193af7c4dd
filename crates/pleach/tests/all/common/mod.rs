//! What the tests share: random values (`random`), characters to pose (`figure`), skinning as
//! anybody would write it, in f64 (`skinning`), and rays against triangles by a plain method
//! (`plain_ray`).

pub(crate) mod character;
#[expect(dead_code, reason = "only the tests of pleach-spatial use all of it")]
#[path = "../../../../pleach-spatial/tests/all/common/plain_ray.rs"]
pub(crate) mod plain_ray;
pub(crate) mod random;
pub(crate) mod skinning;

pub(crate) use random::RandomValues;

use pleach::glam::{DMat4, Mat4, Vec3};
use pleach::{Assets, Geometry, Handle, Material, Node, NodeId, Scene, shapes};

/// A cube of this size about the origin.
pub(crate) fn cube(assets: &Assets, size: f32) -> Handle<Geometry> {
    assets.add(shapes::Cuboid::new(Vec3::splat(size)).build().expect("a cube of a usual size"))
}

pub(crate) fn paint(assets: &Assets) -> Handle<Material> {
    assets.add(Material::default())
}

/// Spawns a cube of size 1 there.
pub(crate) fn spawn_cube(scene: &mut Scene, at: Vec3) -> NodeId {
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    scene.spawn(Node::mesh(&cube, &paint).at(at)).unwrap()
}

/// Where a node is, worked out in f64 from local transforms alone.
pub(crate) fn world(scene: &Scene, node: NodeId) -> DMat4 {
    let at = scene.graph.node(node).unwrap();
    let own = at.local_matrix().as_dmat4();
    at.parent().map_or(own, |parent| world(scene, parent) * own)
}

/// Are two matrices the same, but for a part of their greatest number?
pub(crate) fn nearly(a: &Mat4, b: &DMat4, part: f64) -> bool {
    let size = b.to_cols_array().iter().fold(1.0, |most: f64, number| most.max(number.abs()));
    a.as_dmat4().abs_diff_eq(*b, part * size)
}
