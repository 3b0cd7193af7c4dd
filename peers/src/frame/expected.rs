//! What is right, computed plainly in `f64`.

use std::collections::HashMap;

use glam::{DMat4, DVec3, Mat4};
use pleach::{Aabb, Graph, NodeId};

use super::crowd::{Crowd, Person};

/// How far a matrix may be off, as a part of its largest number: worlds are products of up to a
/// dozen rounded matrices.
const NEAR_ENOUGH: f64 = 1e-5;
/// Bounds are checked of one person in so many.
const ASKED: usize = 25;

/// Complains unless the scene's palettes are what they should be, for everyone.
pub fn check_palettes(crowd: &Crowd) -> Result<(), String> {
    let palettes = crowd.people.iter().map(|person| crowd.scene.joint_matrices().get(person.body));
    let palettes = palettes.map(|palette| palette.unwrap_or_default());
    check_each(&crowd.scene.graph, crowd, palettes)
}

/// Complains unless these are everyone's palettes, if their bones are where a graph has them.
pub fn check_each<'a>(
    graph: &Graph,
    crowd: &Crowd,
    palettes: impl Iterator<Item = &'a [Mat4]>,
) -> Result<(), String> {
    for (number, (person, found)) in crowd.people.iter().zip(palettes).enumerate() {
        check_palette(found, &right_palette(graph, crowd, person))
            .map_err(|message| format!("person {number}: {message}"))?;
    }
    Ok(())
}

/// Complains unless the posed vertices are within their bounds.
pub fn check_bounds(crowd: &Crowd) -> Result<(), String> {
    for (number, person) in crowd.people.iter().enumerate().step_by(ASKED) {
        let Some(bounds) = crowd.scene.spatial.world_bounds(person.body) else {
            return Err(format!("person {number} has no bounds"));
        };
        let palette = right_palette(&crowd.scene.graph, crowd, person);
        for vertex in 0..crowd.geometry.positions.len() {
            let place = posed(crowd, &palette, vertex);
            if !contains(&bounds, place) {
                return Err(format!(
                    "person {number}: vertex {vertex} is at {place}, outside of {bounds:?}"
                ));
            }
        }
    }
    Ok(())
}

fn check_palette(found: &[Mat4], right: &[DMat4]) -> Result<(), String> {
    if found.len() != right.len() {
        return Err(format!("{} matrices for {} bones", found.len(), right.len()));
    }
    for (bone, (found, right)) in found.iter().zip(right).enumerate() {
        let largest = right.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if !found.as_dmat4().abs_diff_eq(*right, NEAR_ENOUGH * largest) {
            return Err(format!("bone {bone} has {found} and not {right}"));
        }
    }
    Ok(())
}

/// From the local transforms, all the way down.
fn right_palette(graph: &Graph, crowd: &Crowd, person: &Person) -> Vec<DMat4> {
    let mut worlds: HashMap<NodeId, DMat4> = HashMap::new();
    let palette =
        person.bones.iter().zip(&*crowd.inverse_bind_matrices).map(|(&bone, inverse_bind)| {
            let node = graph.node(bone).expect("nobody loses a bone");
            let parent = node.parent().expect("bones hang under something");
            let above = *worlds.entry(parent).or_insert_with(|| right_world(graph, parent));
            let world = above * right_local(graph, bone);
            worlds.insert(bone, world);
            world * inverse_bind.as_dmat4()
        });
    palette.collect()
}

fn right_world(graph: &Graph, node: NodeId) -> DMat4 {
    let parent = graph.node(node).expect("nobody dies").parent();
    let above = parent.map_or(DMat4::IDENTITY, |parent| right_world(graph, parent));
    above * right_local(graph, node)
}

fn right_local(graph: &Graph, node: NodeId) -> DMat4 {
    let local = graph.node(node).expect("nobody dies").transform();
    DMat4::from_scale_rotation_translation(
        local.scale.as_dvec3(),
        local.rotation.as_dquat().normalize(),
        local.translation.as_dvec3(),
    )
}

fn posed(crowd: &Crowd, palette: &[DMat4], vertex: usize) -> DVec3 {
    let rest = crowd.geometry.positions[vertex].as_dvec3();
    let set = &crowd.geometry.influences[0];
    let shares = set.joints[vertex].into_iter().zip(set.weights[vertex]);
    let moved = shares
        .map(|(joint, share)| palette[joint as usize].transform_point3(rest) * f64::from(share));
    moved.sum()
}

fn contains(bounds: &Aabb, point: DVec3) -> bool {
    point.cmpge(bounds.min.as_dvec3()).all() && point.cmple(bounds.max.as_dvec3()).all()
}
