//! What palettes and bounds must be, by skinning in f64.

use pleach::{NodeId, Scene};

use crate::common::nearly;
use crate::common::skinning::{own_palette, palette, posed, posed_as_a_shader_does};

#[track_caller]
pub(crate) fn assert_palette(scene: &Scene, node: NodeId) {
    let expected = palette(scene, node);
    let matrices = scene.joint_matrices().get(node).expect("a skin has matrices after an update");
    assert_eq!(matrices.len(), expected.len());
    for (joint, (matrix, expected)) in matrices.iter().zip(&expected).enumerate() {
        assert!(nearly(matrix, expected, 1e-5), "joint {joint}: {matrix} is not {expected}");
    }
}

/// Every vertex of a skinned node, in f64 and as a shader would place it, is in its bounds.
#[track_caller]
pub(crate) fn assert_posed_inside(scene: &Scene, node: NodeId) {
    let bounds = scene.spatial.world_bounds(node).expect("a posed mesh has bounds");
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let matrices = scene.joint_matrices().get(node).unwrap();
    let palette = own_palette(scene, node);
    let weights = scene.weights.get(&scene.graph, node).map_or(&[][..], Vec::as_slice);
    for (number, part) in scene.mesh(node).unwrap().parts.iter().enumerate() {
        for vertex in 0..part.geometry.positions.len() {
            let at = posed(&part.geometry, vertex, &palette, weights);
            assert!(
                at.cmpge(min).all() && at.cmple(max).all(),
                "vertex {vertex} of part {number} is at {at}, outside of {bounds:?}",
            );
            let at = posed_as_a_shader_does(&part.geometry, vertex, matrices, weights);
            assert!(
                bounds.contains_point(at),
                "a shader has vertex {vertex} of part {number} at {at}, outside of {bounds:?}",
            );
        }
    }
}
