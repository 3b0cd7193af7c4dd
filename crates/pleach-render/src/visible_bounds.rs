//! `extent`: what is shown, vertex by vertex, and the box around it.
//!
//! The boxes of the scene's index are made for culling: that of a posed mesh holds all that its
//! joints could do to it, and that of a turned one is the box of a turned box. A camera that
//! frames them stands too far away.

use glam::{DMat4, Vec3};
use pleach::{Aabb, Mesh, NodeId, Part, Scene};
use rayon::prelude::*;

/// The box of all vertices that are shown, as they are posed; as of the scene's last
/// [update](Scene::update). [`Aabb::EMPTY`] if there are none.
///
/// Tighter than [`SpatialIndex::bounds`](pleach::SpatialIndex::bounds), which is O(1) and made
/// for culling; this is O(vertices). Of meshes with copies it takes the boxes of the index.
///
/// ```
/// use pleach::glam::{Quat, Vec3};
/// use pleach::{Material, Node, Scene, shapes::Sphere};
///
/// let mut scene = Scene::new();
/// let ball = scene.assets.add(Sphere::new(1.0).build()?);
/// let paint = scene.assets.add(Material::default());
/// scene.spawn(Node::mesh(&ball, &paint).rotated(Quat::from_rotation_z(0.7)))?;
/// scene.spawn(Node::mesh(&ball, &paint).at(Vec3::X * 50.0).hidden())?;
/// scene.update()?;
/// assert!(pleach_render::extent(&scene).max.x < 1.01);
/// assert!(scene.spatial.bounds().max.x > 50.0);
/// # Ok::<(), pleach::Error>(())
/// ```
#[must_use]
pub fn visible_bounds(scene: &Scene) -> Aabb {
    let shown: Vec<(NodeId, &Mesh)> = shown(scene).collect();
    let boxes = shown.par_iter().map(|&(node, mesh)| {
        let mut all = Aabb::EMPTY;
        each_vertex(scene, node, mesh, |it| all = all.union(&Aabb { min: it, max: it }));
        all
    });
    boxes.reduce(|| Aabb::EMPTY, |a, b| a.union(&b))
}

/// The meshes that are shown.
pub(crate) fn shown(scene: &Scene) -> impl Iterator<Item = (NodeId, &Mesh)> {
    scene.meshes.iter(&scene.graph).filter(|&(node, _)| is_shown(scene, node))
}

/// Is a mesh below the root, on some layer, and neither it nor an ancestor hidden?
pub(crate) fn is_shown(scene: &Scene, node: NodeId) -> bool {
    scene.spatial.layers(node).is_some_and(|layers| layers != 0)
        && scene.graph.get(node).is_some_and(|node| node.is_shown())
}

/// Calls `see` with the place of each vertex of a mesh in the world; of one with copies, with the corners
/// of its box.
pub(crate) fn each_vertex(
    scene: &Scene,
    node: NodeId,
    mesh: &Mesh,
    mut visit_point: impl FnMut(Vec3),
) {
    let joint_matrices = scene.skin(node).and_then(|_| scene.joint_matrices().get(node));
    if mesh.instances.is_some() && joint_matrices.is_none() {
        let bounds = scene.spatial.world_bounds(node).filter(|bounds| !bounds.is_empty());
        bounds.into_iter().flat_map(|bounds| bounds.corners()).for_each(visit_point);
        return;
    }
    let Some(at) = scene.graph.get(node) else { return };
    let world = if joint_matrices.is_some() { DMat4::IDENTITY } else { at.world().as_dmat4() };
    let weights = scene.weights.get(&scene.graph, node).map_or(&[][..], Vec::as_slice);
    let mut posed = Vec::new();
    let mut visit = |position: &Vec3| {
        let point = world.transform_point3(position.as_dvec3()).as_vec3();
        if point.is_finite() {
            visit_point(point);
        }
    };
    for Part { geometry, .. } in &mesh.parts {
        let positions = match (joint_matrices, weights) {
            (None, []) => &geometry.positions,
            _ => {
                geometry.posed_positions(joint_matrices.unwrap_or(&[]), weights, &mut posed);
                &posed
            }
        };
        match &geometry.indices {
            // The others are for other meshes.
            Some(indices) if geometry.positions.shared_id().is_some() => {
                let mut used = indices.clone();
                used.sort_unstable();
                used.dedup();
                used.iter()
                    .filter_map(|&vertex| positions.get(vertex as usize))
                    .for_each(&mut visit);
            }
            _ => positions.iter().for_each(&mut visit),
        }
    }
}
