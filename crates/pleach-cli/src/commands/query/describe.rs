//! Describes a model in the rest pose: nodes, scenes, skins, animations, cameras and lights.

use anyhow::Result;
use glam::Mat4;
use pleach::{ClipSpace, LightKind};
use pleach_gltf::raw::{self, Text, UInt};
use pleach_graph::unit;

use super::answers::{Animation, Bounds, Camera, Light, LightAt, MeshNode, Node, Scene, Skin};
use super::model::{Model, NodeLocation};
use super::node_bounds::{Bounds64, BoundsBuilder};

/// The bounds of a node with a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshBounds {
    pub(crate) loose: Bounds64,
    pub(crate) posed: Bounds64,
}

/// Returns the bounds of each node's mesh, if it has one.
pub(crate) fn mesh_bounds(model: &Model<'_>) -> Result<Vec<Option<MeshBounds>>> {
    let mut boxes = BoundsBuilder::new();
    let mut mesh_bounds = |index| {
        let NodeLocation { tree, node } = model.location(index);
        let scene = model.scene(tree)?;
        Ok(scene.mesh(node).map(|mesh| MeshBounds {
            loose: boxes.loose(scene, node, mesh),
            posed: boxes.posed(scene, node, mesh),
        }))
    };
    (0..model.len()).map(&mut mesh_bounds).collect()
}

fn name(name: &Text<'_>) -> String {
    name.to_string()
}

pub(crate) fn nodes(model: &Model<'_>, worlds: &[Mat4]) -> Result<Vec<Node>> {
    model
        .root
        .nodes
        .iter()
        .zip(worlds)
        .enumerate()
        .map(|(index, (listed, world))| {
            let NodeLocation { tree, node } = model.location(index);
            let view = model.scene(tree)?.node(node)?;
            let file = |node| model.document.index_of(tree, node);
            let has_matrix = view.has_local_matrix();
            let transform = view.transform();
            Ok(Node {
                name: listed.name.as_ref().map(name),
                parent: view.parent().and_then(file).map_or(-1, |parent| parent as i64),
                children: view.children().filter_map(file).collect(),
                t: (!has_matrix).then_some(transform.translation.to_array()),
                r: (!has_matrix)
                    .then_some(listed.rotation.unwrap_or(transform.rotation.to_array())),
                s: (!has_matrix).then_some(transform.scale.to_array()),
                m: has_matrix.then(|| view.local_matrix().to_cols_array()),
                world: world.to_cols_array(),
                visible: view.is_visible(),
                mesh: listed.mesh.map(UInt::index),
                skin: listed.skin.map(UInt::index),
                camera: listed.camera.map(UInt::index),
                light: listed.light().map(UInt::index),
            })
        })
        .collect()
}

pub(crate) fn mesh_nodes(mesh_bounds: &[Option<MeshBounds>]) -> Vec<MeshNode> {
    let mesh_bounds = mesh_bounds.iter().enumerate();
    let with_mesh = mesh_bounds.filter_map(|(node, mesh_bounds)| Some((node, (*mesh_bounds)?)));
    let answer = |(node, MeshBounds { loose, posed })| MeshNode {
        node,
        loose: loose.numbers(),
        posed: posed.numbers(),
    };
    with_mesh.map(answer).collect()
}

pub(crate) fn scenes(model: &Model<'_>, mesh_bounds: &[Option<MeshBounds>]) -> Vec<Scene> {
    let scenes = model.root.scenes.iter().zip(&model.trees);
    scenes
        .map(|(listed, tree)| {
            let mut all = MeshBounds { loose: Bounds64::EMPTY, posed: Bounds64::EMPTY };
            for node in tree.nodes.iter().filter_map(|&node| mesh_bounds[node]) {
                all.loose = all.loose.union(node.loose);
                all.posed = all.posed.union(node.posed);
            }
            let bounds = |loose| Some(Bounds { loose, posed: all.posed.numbers()? });
            Scene {
                name: listed.name.as_ref().map(name),
                roots: tree.roots.clone(),
                nodes: tree.nodes.clone(),
                aabb: all.loose.numbers().and_then(bounds),
            }
        })
        .collect()
}

pub(crate) fn skins(model: &Model<'_>, worlds: &[Mat4]) -> Vec<Skin> {
    let matrices = model.joint_matrices(worlds);
    let skins = model.document.skins().zip(matrices);
    skins
        .map(|((joints, _), joint_matrices)| Skin {
            joints: joints.iter().map(|&joint| joint as usize).collect(),
            joint_matrices,
        })
        .collect()
}

pub(crate) fn animations(model: &Model<'_>) -> Vec<Animation> {
    let animations = model.document.animations().iter().zip(&model.root.animations);
    animations
        .map(|(animation, listed)| Animation {
            name: listed.name.as_ref().map(name),
            duration: animation.clip().duration(),
        })
        .collect()
}

/// Returns the nodes that reference each of `count` objects.
fn users(
    model: &Model<'_>,
    count: usize,
    of: fn(&raw::Node<'_>) -> Option<UInt>,
) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); count];
    for (node, listed) in model.root.nodes.iter().enumerate() {
        if let Some(nodes) = of(listed).and_then(|thing| users.get_mut(thing.index())) {
            nodes.push(node);
        }
    }
    users
}

pub(crate) fn cameras(model: &Model<'_>) -> Vec<Camera> {
    let cameras = model.document.cameras();
    let users = users(model, cameras.len(), |node| node.camera);
    let listed = model.root.cameras.iter();
    let projection = |(camera, listed): (&pleach::Camera, &raw::Camera<'_>)| {
        let aspect = camera.aspect.unwrap_or(1.0);
        let mut matrix = camera.projection.matrix(aspect, ClipSpace::NegOneToOne).ok()?;
        // The library ignores the signs.
        if let Some(half) = listed.orthographic {
            matrix.x_axis.x = matrix.x_axis.x.copysign(half.xmag.unwrap_or(1.0));
            matrix.y_axis.y = matrix.y_axis.y.copysign(half.ymag.unwrap_or(1.0));
        }
        Some(matrix.to_cols_array())
    };
    let projections = cameras.iter().zip(listed).map(projection);
    projections.zip(users).map(|(projection, nodes)| Camera { projection, nodes }).collect()
}

pub(crate) fn lights(model: &Model<'_>, worlds: &[Mat4]) -> Vec<Light> {
    let lights = model.document.lights();
    let users = users(model, lights.len(), |node| node.light());
    let listed = model.root.lights().iter();
    lights
        .iter()
        .zip(listed)
        .zip(users)
        .map(|((light, listed), nodes)| {
            let (kind, angles) = match light.kind {
                LightKind::Directional => ("directional", None),
                LightKind::Point => ("point", None),
                LightKind::Spot { inner_angle, outer_angle, .. } => {
                    ("spot", Some((inner_angle, outer_angle)))
                }
                LightKind::Ambient => ("ambient", None),
                _ => ("unknown", None),
            };
            let at = |node: usize| LightAt {
                node,
                position: worlds[node].w_axis.truncate().to_array(),
                direction: direction(&worlds[node]),
            };
            Light {
                kind,
                color: light.color.to_array(),
                intensity: light.intensity,
                range: listed.range,
                inner: angles.map(|(inner, _)| inner),
                outer: angles.map(|(_, outer)| outer),
                at: nodes.into_iter().map(at).collect(),
            }
        })
        .collect()
}

/// Returns the normalized −Z axis of a node, for point lights as well.
fn direction(world: &Mat4) -> Option<[f32; 3]> {
    let forward = unit(-world.z_axis.truncate().as_dvec3())?;
    // Adding zero turns −0 into 0.
    Some(forward.as_vec3().to_array().map(|number| number + 0.0))
}
