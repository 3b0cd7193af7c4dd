//! Transactions, patches and the history of scenes; clones of scenes. Random steps in any order are
//! those of `tools/soak-scene`, because they include snapshots.

mod clones;
mod every_edit;
mod kept_assets;
mod revisions;
mod steps;

use core::fmt::Write;

use pleach::glam::Quat;
use pleach::{Component, Light, NodeId, Scene};

/// A component of a user.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Health(pub(super) u32);

impl Component for Health {
    const NAME: &'static str = "health";
}

/// Returns everything that an undo restores, as text: nodes with their bits, rows in their order, assets
/// in use, environment and name.
pub(super) fn state(scene: &Scene) -> String {
    let mut text = format!("{:?} {:?}\n", scene.name, scene.environment);
    for id in scene.graph.depth_first() {
        let node = scene.graph.node(id).unwrap();
        let mut transform = node.transform();
        if scene.constraints.get(&scene.graph, id).is_some() {
            // Written by the next update.
            transform.rotation = Quat::IDENTITY;
        }
        writeln!(
            text,
            "{id} {:?} {} {:?} {transform:?} {:?}",
            node.name(),
            node.is_visible(),
            node.parent(),
            node.has_local_matrix().then(|| node.local_matrix()),
        )
        .unwrap();
    }
    let graph = &scene.graph;
    for (node, mesh) in scene.meshes.iter(graph) {
        write!(text, "mesh of {node}").unwrap();
        for part in &mesh.parts {
            let (geometry, material) = (part.geometry.get(), part.material.get());
            let color = material.base_color;
            write!(text, " {} {} {color:?}", part.geometry.id(), part.material.id()).unwrap();
            write!(text, " {:?}", geometry.positions).unwrap();
        }
        writeln!(text, " {:?}", mesh.layers).unwrap();
    }
    let lights: Vec<(NodeId, &Light)> = scene.lights.iter(graph).collect();
    let constraints: Vec<_> = scene.constraints.iter(graph).collect();
    let weights: Vec<_> = scene.weights.iter(graph).collect();
    let health: Vec<_> = scene.table::<Health>().iter(graph).collect();
    writeln!(text, "{lights:?}\n{constraints:?}\n{weights:?}\n{health:?}").unwrap();
    text
}
