//! Naive skinning: vertex by vertex, in f64, from the same data that a GPU gets.

use pleach::glam::{DMat4, DVec3, Mat4, Vec3};
use pleach::{Geometry, Mesh, NodeId, Scene};

use super::world;

/// Returns the joints of a vertex and their weights over all sets, normalized. A vertex without
/// weights follows its first joint.
pub(crate) fn normalized_weights(geometry: &Geometry, vertex: usize) -> Vec<(usize, f64)> {
    let mut all = Vec::new();
    for set in &geometry.influences {
        for (&joint, &weight) in set.joints[vertex].iter().zip(&set.weights[vertex]) {
            all.push((usize::from(joint), f64::from(weight)));
        }
    }
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    if sum == 0.0 {
        return vec![(all.first().map_or(0, |&(joint, _)| joint), 1.0)];
    }
    all.retain(|&(_, weight)| weight > 0.0);
    all.iter_mut().for_each(|(_, weight)| *weight /= sum);
    all
}

/// Returns the position of a vertex after morphing.
pub(crate) fn morphed(geometry: &Geometry, vertex: usize, weights: &[f32]) -> DVec3 {
    let mut position = geometry.positions[vertex].as_dvec3();
    for (target, &weight) in geometry.morph_targets.iter().zip(weights) {
        if let Some(offset) = target.positions.get(vertex) {
            position += offset.as_dvec3() * f64::from(weight);
        }
    }
    position
}

/// Returns the posed position of a vertex in world space.
pub(crate) fn posed(
    geometry: &Geometry,
    vertex: usize,
    joint_matrices: &[DMat4],
    weights: &[f32],
) -> DVec3 {
    let position = morphed(geometry, vertex, weights);
    let influences = normalized_weights(geometry, vertex);
    influences
        .iter()
        .map(|&(joint, weight)| joint_matrices[joint].transform_point3(position) * weight)
        .sum()
}

/// Returns the posed position in f32, computed like in a vertex shader: the matrices are blended
/// first.
pub(crate) fn posed_in_shader_order(
    geometry: &Geometry,
    vertex: usize,
    joint_matrices: &[Mat4],
    weights: &[f32],
) -> Vec3 {
    let mut position = geometry.positions[vertex];
    for (target, &weight) in geometry.morph_targets.iter().zip(weights) {
        if let Some(&offset) = target.positions.get(vertex) {
            position += offset * weight;
        }
    }
    let mut blend = Mat4::ZERO;
    for (joint, weight) in normalized_weights(geometry, vertex) {
        blend += joint_matrices[joint] * weight as f32;
    }
    blend.transform_point3(position)
}

/// Computes the expected joint matrices of a skinned node in f64.
pub(crate) fn joint_matrices(scene: &Scene, node: NodeId) -> Vec<DMat4> {
    let skin = scene.skin(node).expect("a skinned node");
    let joints = skin.joints.iter().zip(&*skin.inverse_bind_matrices);
    let matrix = |(&joint, inverse_bind): (&NodeId, &Mat4)| {
        world(scene, joint) * inverse_bind.as_dmat4() * skin.bind_matrix.as_dmat4()
    };
    joints.map(matrix).collect()
}

/// Returns the joint matrices of the scene, converted to f64.
pub(crate) fn scene_joint_matrices(scene: &Scene, node: NodeId) -> Vec<DMat4> {
    let matrices = scene.joint_matrices().get(node).expect("a skinned node, after an update");
    matrices.iter().map(|matrix| matrix.as_dmat4()).collect()
}

/// Returns the triangles of a part of a mesh in world space, in f64: posed, or transformed by the
/// world matrix of the node and the matrix of an instance.
pub(crate) fn triangles(
    scene: &Scene,
    node: NodeId,
    part: usize,
    instance: Option<u32>,
) -> Vec<[DVec3; 3]> {
    let mesh = scene.mesh(node).unwrap();
    let geometry = &mesh.parts[part].geometry;
    let weights =
        scene.weights.get(&scene.graph, node).map_or(&[][..], pleach::MorphWeights::as_slice);
    let position: Box<dyn Fn(usize) -> DVec3> = if scene.skin(node).is_some() {
        let joint_matrices = scene_joint_matrices(scene, node);
        Box::new(move |vertex| posed(&geometry.get(), vertex, &joint_matrices, weights))
    } else {
        let mut world = scene.graph.node(node).unwrap().world().as_dmat4();
        if let Some(instance) = instance {
            world *= mesh.instances.as_ref().unwrap().matrices()[instance as usize].as_dmat4();
        }
        Box::new(move |vertex| world.transform_point3(morphed(&geometry.get(), vertex, weights)))
    };
    geometry
        .get()
        .triangles()
        .map(|corners| corners.map(|vertex| position(vertex as usize)))
        .collect()
}

/// Returns the indices of the instances of a mesh, or a single `None` if it has none.
pub(crate) fn instance_indices(mesh: &Mesh) -> Vec<Option<u32>> {
    match &mesh.instances {
        Some(instances) => (0..instances.len() as u32).map(Some).collect(),
        None => vec![None],
    }
}
