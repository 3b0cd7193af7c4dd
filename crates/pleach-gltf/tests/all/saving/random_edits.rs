//! Random sequences of edits: after each, the file loads as the scene that was saved.

use pleach::animation::Binding;
use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{Camera, Light, Material, Mesh, Node, NodeId, Part, Scene};
use pleach_gltf::{Document, ErrorKind, Format, Options, Warning, WarningCode};
use testkit::{Effort, Rng};

use super::save_and_check::clip;
use crate::common_save::{
    FORMATS, Files, again, assert_same_scene, errors, json_of, load_with, load_yard, sample_models,
    yard,
};

#[derive(Clone, Copy, Debug)]
enum Edit {
    Rename,
    Move,
    Matrix,
    Hide,
    Reparent,
    Reorder,
    Detach,
    Remove,
    Spawn,
    SpawnAtTop,
    Mesh,
    Geometry,
    Material,
    Camera,
    Light,
    Weights,
    Animation,
    RemoveAnimation,
    SwapMeshes,
}

const EDITS: [Edit; 19] = [
    Edit::Rename,
    Edit::Move,
    Edit::Matrix,
    Edit::Hide,
    Edit::Reparent,
    Edit::Reorder,
    Edit::Detach,
    Edit::Remove,
    Edit::Spawn,
    Edit::SpawnAtTop,
    Edit::Mesh,
    Edit::Geometry,
    Edit::Material,
    Edit::Camera,
    Edit::Light,
    Edit::Weights,
    Edit::Animation,
    Edit::RemoveAnimation,
    Edit::SwapMeshes,
];

/// Applies an edit to a random node of the document. Edits that are not possible are skipped.
fn apply(document: &mut Document, edit: Edit, rng: &mut Rng) {
    let count = document.scenes().len();
    if count == 0 {
        return;
    }
    let number = rng.below(count);
    let up_axis_node = document.up_axis_node(number);
    let scene = &mut document.scenes_mut()[number];
    let root = scene.root();
    let nodes: Vec<NodeId> = scene.graph.node(root).unwrap().descendants().collect();
    let nodes: Vec<NodeId> =
        nodes.into_iter().filter(|&it| it != root && Some(it) != up_axis_node).collect();
    if nodes.is_empty() {
        return;
    }
    let node = nodes[rng.below(nodes.len())];
    let other = nodes[rng.below(nodes.len())];
    let is_joint = |scene: &Scene, top: NodeId| {
        let below: Vec<NodeId> = scene.node(top).unwrap().descendants().collect();
        scene
            .skins
            .iter(&scene.graph)
            .any(|(_, skin)| skin.joints.iter().any(|it| below.contains(it) || *it == top))
    };
    match edit {
        Edit::Rename => {
            let name = ["", "é\"\\", "Z up", "x\u{1}"][rng.below(4)];
            scene.node_mut(node).unwrap().set_name(name);
        }
        Edit::Move => {
            let to = Vec3::new(rng.moderate(), rng.moderate(), rng.moderate());
            scene.node_mut(node).unwrap().set_translation(to).unwrap();
        }
        Edit::Matrix => {
            let mut matrix = Mat4::from_translation(Vec3::new(rng.moderate(), 1.0, 2.0));
            matrix.y_axis.x = rng.moderate();
            scene.node_mut(node).unwrap().set_local_matrix(matrix).unwrap();
        }
        Edit::Hide => {
            let is_visible = scene.node(node).unwrap().is_visible();
            scene.node_mut(node).unwrap().set_visible(!is_visible);
        }
        Edit::Reparent => _ = scene.graph.attach(node, other),
        Edit::Reorder => _ = scene.graph.attach_before(node, other),
        Edit::Detach if !is_joint(scene, node) => scene.graph.detach(node).unwrap(),
        Edit::Remove if !is_joint(scene, node) => _ = scene.remove(node).unwrap(),
        Edit::Detach | Edit::Remove => {}
        Edit::Spawn => _ = scene.spawn(Node::group().named("new").under(node)).unwrap(),
        Edit::SpawnAtTop => _ = scene.spawn(Node::group().named("top")).unwrap(),
        Edit::Mesh => {
            let size = Vec3::splat(1.0 + rng.below(3) as f32);
            let cube = scene.assets.add(Cuboid::new(size).build().unwrap());
            let material = scene.assets.add(Material::from_color(Vec4::ONE));
            if scene.skin(node).is_none() {
                let mesh = Mesh::from_parts(vec![Part { geometry: cube, material }]);
                scene.meshes.insert(&scene.graph, node, mesh).unwrap();
                scene.weights.remove(node);
            }
        }
        Edit::Geometry => {
            if let Some(mesh) = scene.mesh_mut(node) {
                let geometry = &mut mesh.parts[0].geometry;
                // For one of its users, or in place for all of them.
                let geometry = if rng.below(2) == 0 { geometry.make_unique() } else { geometry };
                geometry.edit(|it| it.positions[0] = Vec3::new(rng.moderate(), -0.0, 1.0));
            }
        }
        Edit::Material => {
            if let Some(mesh) = scene.mesh_mut(node) {
                let material = &mut mesh.parts[0].material;
                let material = if rng.below(2) == 0 { material.make_unique() } else { material };
                material.edit(|it| {
                    it.roughness = 0.125 * rng.below(8) as f32;
                    it.ior = 1.25;
                });
            }
        }
        Edit::Camera => {
            let camera = Camera::perspective(0.5 + 0.25 * rng.below(2) as f32).with_aspect(1.5);
            scene.cameras.insert(&scene.graph, node, camera).unwrap();
        }
        Edit::Light => {
            let light = Light::point(Vec3::ONE, rng.below(3) as f32);
            scene.lights.insert(&scene.graph, node, light).unwrap();
        }
        Edit::Weights => {
            if let Some(weights) = scene.weights.get_mut(&scene.graph, node)
                && !weights.is_empty()
            {
                weights[0] = 0.5 * rng.below(3) as f32;
            }
        }
        Edit::Animation => {
            // Nodes with a local matrix cannot be animated.
            let matrix = |it: NodeId| scene.node(it).unwrap().has_local_matrix();
            if node != other && !matrix(node) && !matrix(other) {
                let binding = Binding::new(clip("new", rng.moderate()), [node, other]).unwrap();
                document.add_animation(number, &binding);
            }
        }
        Edit::RemoveAnimation => {
            let animations = document.animations_mut();
            if !animations.is_empty() {
                let which = rng.below(animations.len());
                animations.remove(which);
            }
        }
        Edit::SwapMeshes => {
            let skinned = [node, other].iter().any(|it| scene.skin(*it).is_some());
            if !skinned && node != other {
                let (one, two) = (scene.meshes.remove(node), scene.meshes.remove(other));
                let weights = (scene.weights.remove(node), scene.weights.remove(other));
                let graph = &scene.graph;
                two.map(|it| scene.meshes.insert(graph, node, it).unwrap());
                one.map(|it| scene.meshes.insert(graph, other, it).unwrap());
                weights.1.map(|it| scene.weights.insert(graph, node, it).unwrap());
                weights.0.map(|it| scene.weights.insert(graph, other, it).unwrap());
            }
        }
    }
}

/// Applies random edits and checks the file after each.
fn edit_and_check(mut document: Document, seed: u64, what: &str) {
    let mut rng = Rng::new(seed);
    let mut done = Vec::new();
    for _ in 0..8 {
        let edit = EDITS[rng.below(EDITS.len())];
        done.push(edit);
        apply(&mut document, edit, &mut rng);
        let what = format!("{what}, seed {seed}, after {done:?}");
        for scene in document.scenes_mut() {
            scene.update().unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        for format in FORMATS {
            let saved = match document.save_bytes(format) {
                Ok(saved) => saved,
                // A joint that was detached or moved away from the others, or a sheared node that
                // is animated.
                Err(error) if error.kind() == ErrorKind::Unwritable => return,
                Err(error) => panic!("{what}: {error}"),
            };
            let errors = errors(&saved);
            assert!(
                errors.is_empty(),
                "{what}:\n{}\nin {}",
                errors.join("\n"),
                json_of(&saved.bytes)
            );
            let back = again(&saved);
            let is_rounded = |warning: &Warning| warning.code == WarningCode::ApproximatedMatrix;
            if saved.report.warnings().iter().any(is_rounded) {
                return;
            }
            for (one, other) in document.scenes().iter().zip(back.scenes()) {
                assert_same_scene(one, other, &what);
            }
            let doubled = back.save_bytes(format).unwrap();
            assert!(
                doubled.bytes == saved.bytes,
                "{what}: {format:?} differs when saved once more"
            );
        }
        // Occasionally continue with the saved file.
        if rng.below(3) == 0 {
            document = again(&document.save_bytes(FORMATS[rng.below(2)]).unwrap());
        }
    }
}

/// Returns `quick` seeds, or ten times as many if `PLEACH_EFFORT` is full.
pub(crate) fn seeds(quick: u64) -> std::ops::Range<u64> {
    0..Effort::pick(quick, 10 * quick)
}

#[test]
fn random_edits_of_the_yard_round_trip() {
    for seed in seeds(15) {
        edit_and_check(load_yard().1, seed, "the yard");
    }
}

#[test]
fn random_edits_with_y_up_round_trip() {
    let (text, files) = yard();
    for seed in seeds(10) {
        let mut rng = Rng::new(seed);
        let options = Options::new().keep_y_up();
        let mut document = options.load_with(text.as_bytes().to_vec(), &files).unwrap();
        for _ in 0..8 {
            let edit = EDITS[rng.below(EDITS.len())];
            apply(&mut document, edit, &mut rng);
            document.scenes_mut()[0].update().unwrap();
            let Ok(saved) = document.save_bytes(Format::Glb) else { break };
            let back = options.load_with(saved.bytes, &Files::new()).unwrap();
            let what = format!("Y up, seed {seed}, after {edit:?}");
            assert_same_scene(&document.scenes()[0], &back.scenes()[0], &what);
        }
    }
}

#[test]
fn random_edits_of_two_scenes_round_trip() {
    let (text, files) = yard();
    let text = text.replace("\"scenes\": [ ", "\"scenes\": [ { \"nodes\": [ 8, 3 ] }, ");
    for seed in seeds(15) {
        edit_and_check(load_with(&text, &files), seed, "two scenes");
    }
}

#[test]
fn random_edits_of_models_round_trip() {
    let is_long = Effort::get() == Effort::Full;
    for (number, (path, document)) in sample_models().enumerate() {
        let what = path.display().to_string();
        // Long chains of nodes are slow to describe, and large files are slow in debug builds.
        let size: usize = document.save_bytes(Format::Glb).unwrap().bytes.len();
        if what.contains("DeepChain") || (size > 50_000 && !is_long) {
            continue;
        }
        for seed in seeds(1) {
            // Different edits for each model.
            let seed = seed + 1000 * number as u64;
            edit_and_check(pleach_gltf::load(&path).unwrap(), seed, &what);
        }
    }
}
