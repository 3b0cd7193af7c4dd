//! Text descriptions of scenes, to compare them by content instead of by handle.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Camera, Geometry, ImageData, Instances, Light, LightKind, Material, Mesh, NodeId, Projection,
    Scene,
};

/// Returns one line per node below the scene's root, sorted: name, parent, world transform, and
/// components. Up-axis nodes are left out.
pub(crate) fn describe(scene: &Scene) -> Vec<String> {
    let graph = &scene.graph;
    let mut lines: Vec<String> = graph
        .node(scene.root())
        .unwrap()
        .descendants()
        .filter(|&node| node != scene.root() && !is_up_axis_node(scene, node))
        .map(|node| line(scene, node))
        .collect();
    lines.sort();
    lines
}

const UP_AXIS_MATRICES: [[f32; 16]; 2] = [
    [1., 0., 0., 0., 0., 0., 1., 0., 0., -1., 0., 0., 0., 0., 0., 1.],
    [1., 0., 0., 0., 0., 0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1.],
];

fn is_up_axis_node(scene: &Scene, node: NodeId) -> bool {
    let it = scene.graph.node(node).unwrap();
    let is_named = !matches!(it.name(), None | Some("Z up"));
    UP_AXIS_MATRICES.contains(&it.local_matrix().to_cols_array())
        && it.is_visible()
        && !is_named
        && scene.mesh(node).is_none()
}

fn line(scene: &Scene, node: NodeId) -> String {
    let it = scene.graph.node(node).unwrap();
    let above =
        it.ancestors().find(|&above| above == scene.root() || !is_up_axis_node(scene, above));
    let parent = above.filter(|&above| above != scene.root()).map(|above| name(scene, above));
    let mut line = format!(
        "{} under {} at {:?}{}",
        name(scene, node),
        parent.unwrap_or_else(|| "the root".into()),
        bits(it.compute_world()),
        if it.is_visible() { "" } else { ", hidden" },
    );
    if let Some(mesh) = scene.mesh(node) {
        line += &format!(", shows {}", mesh_line(mesh));
        let targets = mesh.parts.iter().map(|it| it.geometry.get().morph_targets.len()).max();
        if let Some(targets) = targets.filter(|&it| it > 0) {
            let given = scene.weights.get(&scene.graph, node).cloned();
            let weights = given.unwrap_or_else(|| vec![0.0; targets].into());
            let weights: Vec<u32> = weights.iter().map(|it| it.to_bits()).collect();
            line += &format!(", weights {weights:?}");
        }
        if let Some(skin) = scene.skin(node) {
            let joints: Vec<_> = skin.joints.iter().map(|&joint| name(scene, joint)).collect();
            let binds: Vec<_> =
                skin.inverse_bind_matrices.iter().map(|&it| bits(it * skin.bind_matrix)).collect();
            let worlds: Vec<_> = skin
                .joints
                .iter()
                .map(|&joint| bits(scene.graph.node(joint).unwrap().compute_world()))
                .collect();
            line += &format!(", skin {joints:?} {:x}", hashed(&(binds, worlds)));
        }
    }
    if let Some(camera) = scene.camera(node) {
        line += &format!(", camera {:?}", camera_values(camera));
    }
    if let Some(bounds) = scene.user_bounds(node) {
        line += &format!(", bounds {:?}", [bounds.min, bounds.max]);
    }
    if let Some(light) = scene.light(node).filter(|it| it.kind != LightKind::Ambient) {
        line += &format!(", light {:?}", light_values(light));
    }
    line
}

fn name(scene: &Scene, node: NodeId) -> String {
    let name = scene.graph.node(node).unwrap().name();
    name.map_or_else(|| "-".into(), |name| format!("{name:?}"))
}

/// Returns the bits of a matrix, with -0 as 0, because matrices are products.
fn bits(matrix: Mat4) -> [u32; 16] {
    matrix.to_cols_array().map(|it| (it + 0.0).to_bits())
}

fn hashed<T: Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn camera_values(camera: &Camera) -> Vec<u32> {
    let values = match camera.projection {
        Projection::Perspective { fov_y, near, far } => {
            vec![0.0, fov_y, near, far, camera.aspect.unwrap_or(-1.0)]
        }
        Projection::Orthographic { height, zoom, near, far } => {
            vec![1.0, height / zoom, near, far, camera.aspect.unwrap_or(1.0)]
        }
        Projection::Custom(_) => vec![],
    };
    values.into_iter().map(f32::to_bits).collect()
}

pub(crate) fn light_values(light: &Light) -> Vec<u32> {
    let mut values = match light.kind {
        LightKind::Directional => vec![0.0],
        LightKind::Point => vec![1.0, light.range.unwrap_or(-1.0)],
        LightKind::Spot { inner_angle, outer_angle } => {
            vec![2.0, light.range.unwrap_or(-1.0), inner_angle, outer_angle]
        }
        _ => vec![],
    };
    values.extend(light.color.to_array());
    values.push(light.intensity);
    values.into_iter().map(f32::to_bits).collect()
}

fn mesh_line(mesh: &Mesh) -> String {
    let parts = mesh.parts.iter();
    let parts: Vec<String> = parts
        .map(|part| {
            let geometry = hashed(&geometry_bits(&part.geometry.get()));
            format!("{geometry:x} in {}", material_line(&part.material.get()))
        })
        .collect();
    let instances = mesh.instances.as_deref().map_or(1, Instances::len);
    format!("{parts:?} {instances} times")
}

/// Returns all instance matrices, in the order of the lines.
fn instances(scene: &Scene) -> Vec<Mat4> {
    let meshes = scene.meshes.iter(&scene.graph);
    let mut all: Vec<(String, &[Mat4])> = meshes
        .filter_map(|(node, mesh)| Some((line(scene, node), mesh.instances.as_deref()?.matrices())))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.into_iter().flat_map(|it| it.1.to_vec()).collect()
}

/// Returns the bits of all values of a geometry.
pub(crate) fn geometry_bits(geometry: &Geometry) -> Vec<Vec<u32>> {
    let vec3s = |column: &[Vec3]| -> Vec<u32> {
        column.iter().flat_map(|it| it.to_array().map(f32::to_bits)).collect()
    };
    let mut all = vec![
        vec![geometry.topology as u32],
        vec3s(&geometry.positions),
        vec3s(&geometry.normals),
        geometry.tangents.iter().flat_map(|it| it.to_array().map(f32::to_bits)).collect(),
        geometry.indices.clone().unwrap_or_else(|| vec![u32::MAX]),
    ];
    for set in &geometry.uvs {
        all.push(set.iter().flat_map(|it| it.to_array().map(f32::to_bits)).collect());
    }
    for set in &geometry.colors {
        all.push(set.iter().flat_map(|it| it.to_array().map(f32::to_bits)).collect());
    }
    for set in &geometry.influences {
        all.push(set.joints.iter().flatten().map(|&it| it.into()).collect());
        all.push(set.weights.iter().flatten().map(|it| it.to_bits()).collect());
    }
    for target in &geometry.morph_targets {
        all.push(target.name.iter().flat_map(|it| it.bytes()).map(u32::from).collect());
        all.push(vec3s(&target.positions));
        all.push(vec3s(&target.normals));
        all.push(vec3s(&target.tangents));
    }
    all
}

/// Describes a material by value, and its images by content.
pub(crate) fn material_line(material: &Material) -> String {
    let debug = format!("{material:?}");
    let mut line = String::new();
    for (number, piece) in debug.split("Handle(").enumerate() {
        let after = if number == 0 { piece } else { piece.split_once(')').unwrap().1 };
        line += after;
    }
    for texture in material.textures() {
        let image = &texture.image;
        line += &match &image.get().data {
            // Pixels are saved as PNG.
            ImageData::Rgba8 { pixels, .. } => format!(" pixels {:x}", hashed(pixels)),
            // The images of the tests are small; others are not decoded.
            ImageData::Encoded { bytes, .. } if bytes.len() < 1024 => {
                match pleach_gltf::decode(&image.get()).map(|it| it.data) {
                    Ok(ImageData::Rgba8 { pixels, .. }) => format!(" pixels {:x}", hashed(&pixels)),
                    _ => format!(" image {:x}", hashed(bytes)),
                }
            }
            ImageData::Encoded { bytes, .. } => format!(" image {:x}", hashed(bytes)),
            ImageData::External { uri } => format!(" {uri}"),
            other => panic!("{other:?}"),
        };
    }
    line
}

/// Asserts that two scenes are equal, except for what glTF cannot represent.
#[track_caller]
pub(crate) fn assert_same_scene(one: &Scene, other: &Scene, what: &str) {
    // They are decomposed when they are written.
    for (one, other) in instances(one).into_iter().zip(instances(other)) {
        let size = one.to_cols_array().iter().fold(1f32, |max, it| max.max(it.abs()));
        assert!(one.abs_diff_eq(other, 1e-5 * size), "{what}: a copy at {one}, then {other}");
    }
    let (one, other) = (describe(one), describe(other));
    let lost: Vec<&str> = one.iter().filter(|it| !other.contains(it)).map(|it| &**it).collect();
    let found: Vec<&str> = other.iter().filter(|it| !one.contains(it)).map(|it| &**it).collect();
    assert!(
        one == other,
        "{what}: {} nodes, and then {}; lost\n  {}\nfound\n  {}",
        one.len(),
        other.len(),
        lost.join("\n  "),
        found.join("\n  "),
    );
}
