//! Shared by the tests: random values (`random`), skinned characters (`character`), naive
//! skinning in f64 (`skinning`), and naive ray-triangle intersection (`plain_ray`).

pub(crate) mod character;
#[expect(dead_code, reason = "only the tests of pleach-spatial use all of it")]
#[path = "../../../../pleach-spatial/tests/all/common/plain_ray.rs"]
pub(crate) mod plain_ray;
pub(crate) mod random;
pub(crate) mod skinning;

pub(crate) use random::RandomValues;

use pleach::glam::{DMat4, Mat4, Vec3};
use pleach::{Assets, Geometry, Handle, Material, Node, NodeId, Scene, shapes};

/// Adds a cube of this size, centred at the origin.
pub(crate) fn cube(assets: &Assets, size: f32) -> Handle<Geometry> {
    assets.add(shapes::Cuboid::new(Vec3::splat(size)).build().expect("a valid size"))
}

pub(crate) fn material(assets: &Assets) -> Handle<Material> {
    assets.add(Material::default())
}

/// Spawns a cube of size 1 at a position.
pub(crate) fn spawn_cube(scene: &mut Scene, position: Vec3) -> NodeId {
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    scene.spawn(Node::mesh(&cube, &material).at(position)).unwrap()
}

/// Returns the problems that `Scene::check` reports, as sentences.
pub(crate) fn problems(scene: &Scene) -> Vec<String> {
    scene.check().iter().map(ToString::to_string).collect()
}

/// Computes the world matrix of a node in f64, from local transforms alone.
pub(crate) fn world(scene: &Scene, node: NodeId) -> DMat4 {
    let node = scene.graph.node(node).unwrap();
    let local = node.local_matrix().as_dmat4();
    node.parent().map_or(local, |parent| world(scene, parent) * local)
}

/// Returns `true` if two matrices are equal up to `tolerance` times the largest element.
pub(crate) fn nearly_equal(a: &Mat4, b: &DMat4, tolerance: f64) -> bool {
    let size = b.to_cols_array().iter().fold(1.0, |max: f64, number| max.max(number.abs()));
    a.as_dmat4().abs_diff_eq(*b, tolerance * size)
}
