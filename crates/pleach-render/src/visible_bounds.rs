//! `visible_bounds`: the box around all visible vertices.
//!
//! The bounds of the spatial index are made for culling: those of a posed mesh enclose every pose,
//! and those of a rotated one are the box of a rotated box. A camera that frames them would be too
//! far away.

use glam::{DMat4, Vec3};
use pleach::{Aabb, Mesh, NodeId, Part, Scene};

use crate::threads;

/// Returns the bounds of all visible vertices in their current pose, as of the scene's last
/// [update](Scene::update), or [`Aabb::EMPTY`] if there are none.
///
/// Tighter than [`SpatialIndex::bounds`](pleach::SpatialIndex::bounds), which is O(1) and made for
/// culling; this is O(vertices), on the calling thread unless [asked](crate::with_threads) for more. For meshes with instances the bounds of the index are used.
///
/// ```
/// use pleach::glam::{Quat, Vec3};
/// use pleach::{Material, Node, Scene, shapes::Sphere};
///
/// let mut scene = Scene::new();
/// let ball = scene.assets.add(Sphere::new(1.0).build()?);
/// let material = scene.assets.add(Material::default());
/// scene.spawn(Node::mesh(&ball, &material).rotated(Quat::from_rotation_z(0.7)))?;
/// scene.spawn(Node::mesh(&ball, &material).at(Vec3::X * 50.0).hidden())?;
/// scene.update()?;
/// assert!(pleach_render::visible_bounds(&scene).max.x < 1.01);
/// assert!(scene.spatial.bounds().max.x > 50.0);
/// # Ok::<(), pleach::Error>(())
/// ```
#[must_use]
pub fn visible_bounds(scene: &Scene) -> Aabb {
    let visible_meshes: Vec<(NodeId, &Mesh)> = visible_meshes(scene).collect();
    let boxes = threads::map(&visible_meshes, |&(node, mesh)| {
        let mut all = Aabb::EMPTY;
        each_vertex(scene, node, mesh, |it| all = all.union(&Aabb { min: it, max: it }));
        all
    });
    boxes.iter().fold(Aabb::EMPTY, |all, each| all.union(each))
}

/// Returns the visible meshes.
pub(crate) fn visible_meshes(scene: &Scene) -> impl Iterator<Item = (NodeId, &Mesh)> {
    scene.meshes.iter(&scene.graph).filter(|&(node, _)| is_shown(scene, node))
}

/// Returns `true` if a mesh is attached to the root, on some layer, and neither it nor an ancestor
/// is hidden.
pub(crate) fn is_shown(scene: &Scene, node: NodeId) -> bool {
    scene.spatial.is_attached(node)
        && scene.spatial.layers(node).is_some_and(|layers| layers != 0)
        && scene.graph.get(node).is_some_and(|node| node.is_shown())
}

/// Calls `visit` with the world position of each vertex of a mesh; for meshes with instances,
/// with the corners of its bounds.
pub(crate) fn each_vertex(scene: &Scene, node: NodeId, mesh: &Mesh, mut visit: impl FnMut(Vec3)) {
    let joint_matrices = scene.skin(node).and_then(|_| scene.joint_matrices().get(node));
    if mesh.instances.is_some() && joint_matrices.is_none() {
        let bounds = scene.spatial.world_bounds(node).filter(|bounds| !bounds.is_empty());
        bounds.into_iter().flat_map(|bounds| bounds.corners()).for_each(visit);
        return;
    }
    let Some(at) = scene.graph.get(node) else { return };
    let world = if joint_matrices.is_some() { DMat4::IDENTITY } else { at.world().as_dmat4() };
    let weights =
        scene.weights.get(&scene.graph, node).map_or(&[][..], pleach::MorphWeights::as_slice);
    let mut posed = Vec::new();
    let mut emit = |position: &Vec3| {
        let point = world.transform_point3(position.as_dvec3()).as_vec3();
        if point.is_finite() {
            visit(point);
        }
    };
    for Part { geometry, .. } in &mesh.parts {
        let geometry = geometry.get();
        let positions = match (joint_matrices, weights) {
            (None, []) => &geometry.positions,
            _ => {
                geometry.posed_positions(joint_matrices.unwrap_or(&[]), weights, &mut posed);
                &posed
            }
        };
        match &geometry.indices {
            // The other vertices belong to other meshes.
            Some(indices) if geometry.positions.shared_id().is_some() => {
                let mut used = indices.clone();
                used.sort_unstable();
                used.dedup();
                used.iter()
                    .filter_map(|&vertex| positions.get(vertex as usize))
                    .for_each(&mut emit);
            }
            _ => positions.iter().for_each(&mut emit),
        }
    }
}
