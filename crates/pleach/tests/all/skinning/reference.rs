//! Expected joint matrices and bounds, by naive skinning in f64.

use pleach::{NodeId, Scene};

use crate::common::nearly_equal;
use crate::common::skinning::{joint_matrices, posed, posed_in_shader_order, scene_joint_matrices};

#[track_caller]
pub(crate) fn assert_joint_matrices(scene: &Scene, node: NodeId) {
    let expected = joint_matrices(scene, node);
    let matrices = scene.joint_matrices().get(node).expect("a skin has matrices after an update");
    assert_eq!(matrices.len(), expected.len());
    for (joint, (matrix, expected)) in matrices.iter().zip(&expected).enumerate() {
        assert!(nearly_equal(matrix, expected, 1e-5), "joint {joint}: {matrix} is not {expected}");
    }
}

/// Asserts that every vertex of a skinned node, in f64 and as computed by a shader, is within its
/// bounds.
#[track_caller]
pub(crate) fn assert_posed_inside(scene: &Scene, node: NodeId) {
    let bounds = scene.spatial.world_bounds(node).expect("a posed mesh has bounds");
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let matrices = scene.joint_matrices().get(node).unwrap();
    let exact = scene_joint_matrices(scene, node);
    let weights =
        scene.weights.get(&scene.graph, node).map_or(&[][..], pleach::MorphWeights::as_slice);
    for (number, part) in scene.mesh(node).unwrap().parts.iter().enumerate() {
        for vertex in 0..part.geometry.get().positions.len() {
            let at = posed(&part.geometry.get(), vertex, &exact, weights);
            assert!(
                at.cmpge(min).all() && at.cmple(max).all(),
                "vertex {vertex} of part {number} is at {at}, outside of {bounds:?}",
            );
            let at = posed_in_shader_order(&part.geometry.get(), vertex, matrices, weights);
            assert!(
                bounds.contains_point(at),
                "by a shader, vertex {vertex} of part {number} is at {at}, outside of {bounds:?}",
            );
        }
    }
}
