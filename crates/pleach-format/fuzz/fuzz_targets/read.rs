//! Reads arbitrary bytes and JSON: the result is a scene, a patch of a graph or of a scene, or an error. A scene can be updated and picked, and what
//! is written of it is read as the same bytes. A patch is performed and undone.
//!
//! `cargo +nightly fuzz run read -- -rss_limit_mb=1024 -timeout=5`; start with the files in
//! `tests/files`. Checksums are not compared: a fuzzer does not guess them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pleach::glam::Vec3;
use pleach::undo::{Patch, ScenePatch};
use pleach::{Filter, Geometry, Graph, Light, Material, Node, Ray, Scene, Transform};
use pleach_format::{AssetMap, Options, patch_from_json};

/// A graph for patches: a few nodes.
fn graph() -> Graph {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::IDENTITY).unwrap();
    (0..4).for_each(|_| _ = graph.add_child(root, Transform::IDENTITY).unwrap());
    graph
}

/// A scene for patches: a few nodes with a mesh and a light.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let geometry = scene.assets.add(Geometry::from_positions(vec![Vec3::ZERO; 3]));
    let material = scene.assets.add(Material::default());
    scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    scene
}

/// Gives a patch the lineage and revision of its scene or graph, which a fuzzer does not guess.
fn with_revision(file: &[u8], graph: &Graph) -> Vec<u8> {
    let mut file = file.to_vec();
    if let Some(at) = file.windows(4).position(|tag| tag == b"PTCH") {
        // Of the shortest label: lineage and base as varints of ten bytes, whose payload follows.
        let mut head = vec![0];
        for mut number in [graph.lineage(), graph.revision()] {
            for _ in 0..9 {
                head.push(number as u8 | 0x80);
                number >>= 7;
            }
            head.push(number as u8);
        }
        if let Some(payload) = file.get_mut(at + 16..at + 16 + head.len()) {
            payload.copy_from_slice(&head);
        }
    }
    file
}

/// The same for JSON.
fn with_revision_in_json(text: &str, graph: &Graph) -> String {
    let mut text = text.to_owned();
    for (member, number) in [("\"lineage\":", graph.lineage()), ("\"base\":", graph.revision())] {
        if let Some(at) = text.find(member) {
            let begin = at + member.len();
            let digits = text[begin..].bytes().take_while(u8::is_ascii_digit).count();
            text.replace_range(begin..begin + digits, &number.to_string());
        }
    }
    text
}

/// Performs and undoes a patch of a scene that was read for it.
fn perform_in_scene(mut scene: Scene, patch: &ScenePatch) {
    scene.apply(patch).expect("it was checked");
    assert!(scene.graph.check().is_empty());
    _ = scene.update();
    // The places of removed nodes may be wrong, which is found then.
    _ = scene.revert(patch);
    assert!(scene.graph.check().is_empty());
}

/// Performs and undoes a patch of a graph, if it fits.
fn perform(mut graph: Graph, patch: &Patch) {
    let before = graph.to_snapshot();
    if graph.apply(patch).is_err() {
        assert!(graph.to_snapshot() == before);
        return;
    }
    assert!(graph.check().is_empty());
    _ = graph.apply(&patch.invert());
    assert!(graph.check().is_empty());
}

/// Reads text, as a scene or a patch of one of the two.
fn read_text(text: &str, (scene, mut map): (Scene, AssetMap), graph: Graph) {
    let options = Options::new();
    let changed = with_revision_in_json(text, &scene.graph);
    if let Ok(patch) = options.scene_patch_from_json(&changed, &scene, &mut map) {
        perform_in_scene(scene, &patch);
        return;
    }
    if let Ok(patch) = patch_from_json(&with_revision_in_json(text, &graph), &graph) {
        perform(graph, &patch);
        return;
    }
    let Ok(mut snapshot) = options.from_json(text) else { return };
    assert!(snapshot.scene.graph.check().is_empty());
    _ = snapshot.scene.update();
    options.to_json(&snapshot.scene, &snapshot.clips).expect("it was read");
}

fuzz_target!(|file: &[u8]| {
    let options = Options::new().without_checksums();
    let mut patched = scene();
    patched.transact("", |_| Ok::<_, pleach::Error>(())).unwrap();
    let mut map = AssetMap::of_scene(&patched);
    let mut graph = graph();
    graph.transact("", |_| Ok::<_, pleach::Error>(())).unwrap();
    if file.first() == Some(&b'{') {
        if let Ok(text) = str::from_utf8(file) {
            read_text(text, (patched, map), graph);
        }
        return;
    }
    let changed = with_revision(file, &patched.graph);
    if let Ok(patch) = options.scene_patch_from_bytes(&changed, &patched, &mut map) {
        perform_in_scene(patched, &patch);
        return;
    }
    if let Ok(patch) = options.patch_from_bytes(&with_revision(file, &graph), &graph) {
        perform(graph, &patch);
        return;
    }
    let Ok(mut snapshot) = options.from_bytes(file) else { return };
    let written = options.to_bytes(&snapshot.scene, &snapshot.clips).expect("it was read");
    let again = options.from_bytes(&written).expect("it was written");
    let rewritten = options.to_bytes(&again.scene, &again.clips).expect("it was read");
    assert!(written == rewritten);

    let scene = &mut snapshot.scene;
    assert!(scene.graph.check().is_empty());
    if scene.update().is_ok() {
        assert!(scene.graph.check().is_empty() && scene.spatial.check().is_empty());
        let ray = Ray::new(Vec3::new(0.1, 0.1, 10.0), Vec3::NEG_Z).unwrap();
        _ = scene.pick(&ray, &Filter::default());
        _ = scene.check();
    }
});
