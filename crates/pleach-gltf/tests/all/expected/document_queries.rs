//! Queries of a document: its node trees, posed vertices, and animation players.

use glam::{DMat4, DVec3, Mat4};
use pleach::animation::{BlendLayer, BlendLayerId, Mixer, Repeat};
use pleach::{Mesh, NodeId, Scene};
use pleach_gltf::Document;
use serde_json::Value;

use super::case::tree;
use super::values::{Bounds, indices, list, number};

/// Returns the file's node indices of each tree: of each scene, then the unreferenced nodes.
pub(crate) fn trees(expected: &Value) -> Vec<Vec<usize>> {
    let mut trees: Vec<Vec<usize>> =
        list(&expected["scenes"]).iter().map(|scene| indices(&scene["nodes"])).collect();
    let mut unreferenced: Vec<usize> = (0..list(&expected["nodes"]).len()).collect();
    unreferenced.retain(|node| !trees.iter().flatten().any(|listed| listed == node));
    if !unreferenced.is_empty() {
        trees.push(unreferenced);
    }
    trees
}

/// Returns every node of a file with its expected values, in every tree that contains it.
pub(crate) fn each_node<'a>(
    document: &Document,
    expected: &'a Value,
) -> Vec<(usize, usize, NodeId, &'a Value)> {
    let mut all = Vec::new();
    for (number, nodes) in trees(expected).into_iter().enumerate() {
        for file in nodes {
            // A separate test checks that the node exists.
            if let Some(node) = document.node(number, file) {
                all.push((number, file, node, &expected["nodes"][file]));
            }
        }
    }
    all
}

/// Returns the vertices of all instances of a mesh in world space, without
/// skin and morph targets.
pub(crate) fn plain_points(scene: &Scene, node: NodeId) -> Vec<DVec3> {
    let mesh = scene.mesh(node).unwrap();
    let mut points = Vec::new();
    for instance in instance_matrices(scene, node, mesh) {
        for part in &mesh.parts {
            let geometry = part.geometry.get();
            let positions = geometry.positions.iter();
            points.extend(positions.map(|point| instance.transform_point3(point.as_dvec3())));
        }
    }
    points
}

/// Returns the world matrices of a node's instances.
fn instance_matrices(scene: &Scene, node: NodeId, mesh: &Mesh) -> Vec<DMat4> {
    let world = scene.graph.node(node).unwrap().world().as_dmat4();
    match &mesh.instances {
        Some(instances) => {
            instances.matrices().iter().map(|instance| world * instance.as_dmat4()).collect()
        }
        None => vec![world],
    }
}

/// Returns the vertices as drawn, with morph targets and skin, in f64.
pub(crate) fn posed_points(scene: &Scene, node: NodeId) -> Vec<DVec3> {
    let mesh = scene.mesh(node).unwrap();
    let weights = scene.weights.get(&scene.graph, node).cloned().unwrap_or_default();
    let instances = instance_matrices(scene, node, mesh);
    let joint_matrices: Option<Vec<DMat4>> = scene
        .joint_matrices()
        .get(node)
        .map(|joint_matrices| joint_matrices.iter().map(Mat4::as_dmat4).collect());
    let mut points = Vec::new();
    for part in &mesh.parts {
        let geometry = &part.geometry;
        for vertex in 0..geometry.get().positions.len() {
            let mut point = geometry.get().positions[vertex].as_dvec3();
            for (target, &weight) in geometry.get().morph_targets.iter().zip(&weights) {
                let shift = target.positions.get(vertex).copied().unwrap_or_default();
                point += shift.as_dvec3() * f64::from(weight);
            }
            let Some(joint_matrices) = &joint_matrices else {
                points.extend(instances.iter().map(|instance| instance.transform_point3(point)));
                continue;
            };
            let mut posed = DVec3::ZERO;
            for set in &geometry.get().influences {
                for (&joint, &weight) in set.joints[vertex].iter().zip(&set.weights[vertex]) {
                    if weight != 0.0 {
                        let moved = joint_matrices[usize::from(joint)].transform_point3(point);
                        posed += moved * f64::from(weight);
                    }
                }
            }
            points.push(posed);
        }
    }
    points
}

/// Returns the union of the transformed bounds of a mesh's geometries, in f64.
pub(crate) fn loose_bounds(scene: &Scene, node: NodeId) -> Bounds {
    let mesh = scene.mesh(node).unwrap();
    let parts = mesh.parts.iter().map(|part| Bounds::from(part.geometry.get().bounds()));
    let instances = &instance_matrices(scene, node, mesh);
    parts
        .flat_map(|part| instances.iter().map(move |instance| part.after(instance)))
        .fold(Bounds::EMPTY, Bounds::union)
}

/// Returns `true` if a mesh has no instances, skin or morph targets.
pub(crate) fn is_plain(scene: &Scene, node: NodeId) -> bool {
    scene.skin(node).is_none()
        && scene.weights.get(&scene.graph, node).is_none()
        && scene.mesh(node).is_some_and(|mesh| mesh.instances.is_none())
}

/// Returns a mixer that plays an animation of a document once on one of its trees.
pub(crate) fn player(
    document: &Document,
    animation: usize,
    number: usize,
) -> (Mixer, BlendLayerId) {
    let binding = document.bind(animation, number).unwrap();
    let mut mixer = Mixer::new();
    let scene = tree(document, number);
    let layer = BlendLayer::new(binding).with_repeat(Repeat::Once);
    let id = mixer.add(layer, &scene.graph, &scene.weights);
    (mixer, id)
}

/// Applies the pose at `seconds` to a scene.
pub(crate) fn pose(scene: &mut Scene, (mixer, layer): &mut (Mixer, BlendLayerId), seconds: f32) {
    mixer.player_mut(*layer).unwrap().seek(seconds);
    mixer.sample();
    scene.write_pose(mixer);
    scene.update().unwrap();
}

/// Rounds a time with seven digits to a quarter of the clip's duration, which is exact.
pub(crate) fn moment(seconds: &Value, duration: f32) -> f32 {
    let quarter = (4.0 * number(seconds) / f64::from(duration)).round();
    if duration == 0.0 { 0.0 } else { (f64::from(duration) * quarter / 4.0) as f32 }
}
