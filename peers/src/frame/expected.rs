//! The expected results, computed in `f64`.

use std::collections::HashMap;

use glam::{DMat4, DVec3, Mat4};
use pleach::{Aabb, Geometry, Graph, NodeId};

use super::crowd::{Character, Crowd};

/// The maximum error of a matrix relative to its largest number: worlds are products of up to a
/// dozen rounded matrices.
const TOLERANCE: f64 = 1e-5;
/// Bounds are checked for every n-th character.
const CHECK_EVERY: usize = 25;

/// Checks the joint matrices of all characters of a scene.
pub fn check_joint_matrices(crowd: &Crowd) -> Result<(), String> {
    let joint_matrices = crowd
        .characters
        .iter()
        .map(|character| crowd.scene.joint_matrices().get(character.mesh_node));
    let joint_matrices = joint_matrices.map(|joint_matrices| joint_matrices.unwrap_or_default());
    check_each(&crowd.scene.graph, crowd, joint_matrices)
}

/// Checks joint matrices against the local transforms of a graph.
pub fn check_each<'a>(
    graph: &Graph,
    crowd: &Crowd,
    joint_matrices: impl Iterator<Item = &'a [Mat4]>,
) -> Result<(), String> {
    for (index, (character, found)) in crowd.characters.iter().zip(joint_matrices).enumerate() {
        compare_joint_matrices(found, &expected_joint_matrices(graph, crowd, character))
            .map_err(|message| format!("character {index}: {message}"))?;
    }
    Ok(())
}

/// Checks that the posed vertices are within their bounds.
pub fn check_bounds(crowd: &Crowd) -> Result<(), String> {
    for (index, character) in crowd.characters.iter().enumerate().step_by(CHECK_EVERY) {
        let Some(bounds) = crowd.scene.spatial.world_bounds(character.mesh_node) else {
            return Err(format!("character {index} has no bounds"));
        };
        let joint_matrices = expected_joint_matrices(&crowd.scene.graph, crowd, character);
        let geometry = crowd.geometry.get();
        for vertex in 0..geometry.positions.len() {
            let position = posed(&geometry, &joint_matrices, vertex);
            if !contains(&bounds, position) {
                return Err(format!(
                    "character {index}: vertex {vertex} is at {position}, outside of {bounds:?}"
                ));
            }
        }
    }
    Ok(())
}

fn compare_joint_matrices(found: &[Mat4], expected: &[DMat4]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} matrices for {} joints", found.len(), expected.len()));
    }
    for (joint, (found, expected)) in found.iter().zip(expected).enumerate() {
        let largest = expected.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if !found.as_dmat4().abs_diff_eq(*expected, TOLERANCE * largest) {
            return Err(format!("joint {joint}: found {found}, expected {expected}"));
        }
    }
    Ok(())
}

/// Computes the joint matrices from the local transforms.
fn expected_joint_matrices(graph: &Graph, crowd: &Crowd, character: &Character) -> Vec<DMat4> {
    let mut worlds: HashMap<NodeId, DMat4> = HashMap::new();
    let joint_matrices =
        character.joints.iter().zip(&*crowd.inverse_bind_matrices).map(|(&joint, inverse_bind)| {
            let node = graph.node(joint).expect("no joint is removed");
            let parent = node.parent().expect("every joint has a parent");
            let parent_world =
                *worlds.entry(parent).or_insert_with(|| expected_world(graph, parent));
            let world = parent_world * expected_local(graph, joint);
            worlds.insert(joint, world);
            world * inverse_bind.as_dmat4()
        });
    joint_matrices.collect()
}

fn expected_world(graph: &Graph, node: NodeId) -> DMat4 {
    let parent = graph.node(node).expect("no node is removed").parent();
    let parent_world = parent.map_or(DMat4::IDENTITY, |parent| expected_world(graph, parent));
    parent_world * expected_local(graph, node)
}

fn expected_local(graph: &Graph, node: NodeId) -> DMat4 {
    let local = graph.node(node).expect("no node is removed").transform();
    DMat4::from_scale_rotation_translation(
        local.scale.as_dvec3(),
        local.rotation.as_dquat().normalize(),
        local.translation.as_dvec3(),
    )
}

fn posed(geometry: &Geometry, joint_matrices: &[DMat4], vertex: usize) -> DVec3 {
    let rest = geometry.positions[vertex].as_dvec3();
    let set = &geometry.influences[0];
    let influences = set.joints[vertex].into_iter().zip(set.weights[vertex]);
    let weighted = influences.map(|(joint, weight)| {
        joint_matrices[joint as usize].transform_point3(rest) * f64::from(weight)
    });
    weighted.sum()
}

fn contains(bounds: &Aabb, point: DVec3) -> bool {
    point.cmpge(bounds.min.as_dvec3()).all() && point.cmple(bounds.max.as_dvec3()).all()
}
