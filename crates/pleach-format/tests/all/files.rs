//! Committed files: what version 1 wrote is read forever, and is written the same.

use std::path::{Path, PathBuf};

use pleach::component::{Component, MorphWeights, Skin};
use pleach::glam::{Mat4, Vec3};
use pleach::{Graph, Light, Transform, rotation};
use pleach_format::{
    AssetMap, Options, patch_from_bytes, patch_from_json, patch_to_bytes, patch_to_json,
};
use serde::{Deserialize, Serialize};
use testkit::Rng;

use crate::common::compare::{assert_same, assert_same_content};
use crate::common::random_scene::{RandomAssets, random_clips, random_scene};
use crate::scene_patches;

#[derive(Clone, Serialize, Deserialize)]
struct Health {
    points: u32,
    name: String,
}

impl Component for Health {
    const NAME: &'static str = "health";
}

/// The tags of all sections, which the file must have.
const TAGS: &[&[u8; 4]] = &[
    b"DATA", b"SCEN", b"GRPH", b"IMAG", b"ENVM", b"MATL", b"GEOM", b"CLIP", b"MESH", b"SKIN",
    b"CAMR", b"LGHT", b"WGHT", b"LODS", b"CNST", b"BNDS", b"USER",
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// The patch was recorded from these edits, of every kind.
#[test]
fn patch_of_version_1_is_read_and_written_as_it_was() {
    let mut graph = Graph::new();
    let root = graph.add_root(Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    let dead = graph.add_child(root, Transform::IDENTITY).unwrap();
    let nodes = [(); 4].map(|()| graph.add_child(root, Transform::IDENTITY).unwrap());
    graph.node_mut(nodes[0]).unwrap().set_name("lamp");
    let before = graph.clone();
    let edit = |graph: &mut Graph| {
        let added = graph.add_child(nodes[1], Transform::from_xyz(0.0, -0.0, 1e-40))?;
        graph.node_mut(added)?.set_name("added").set_visible(false);
        graph.remove(dead)?;
        graph.attach(nodes[2], nodes[3])?;
        for (i, &node) in nodes.iter().enumerate() {
            graph.node_mut(node)?.set_translation(Vec3::splat(i as f32 - 1.5))?;
        }
        let turn = rotation::from_rotation_z(0.5);
        graph.node_mut(root)?.set_rotation(turn)?.set_scale(Vec3::splat(2.0))?;
        graph.node_mut(nodes[1])?.set_local_matrix(Mat4::from_scale(Vec3::new(1.0, 2.0, 0.0)))?;
        graph.node_mut(nodes[0])?.set_name("lantern");
        graph.node_mut(nodes[3])?.set_visible(false);
        Ok::<_, pleach::graph::Error>(())
    };
    let (_, patch) = graph.transact("Everything", edit).unwrap();
    let (bytes, text) = (patch_to_bytes(&patch).unwrap(), patch_to_json(&patch).unwrap());
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(path("version-1-patch.pleach"), &bytes).unwrap();
        std::fs::write(path("version-1-patch.json"), &text).unwrap();
    }
    assert!(std::fs::read(path("version-1-patch.pleach")).unwrap() == bytes);
    assert_eq!(std::fs::read_to_string(path("version-1-patch.json")).unwrap(), text);
    assert_eq!(patch_from_bytes(&bytes, &before).unwrap(), patch);
    assert_eq!(patch_from_json(&text, &before).unwrap(), patch);
}

/// The tags of all sections of patches of scenes, which the file must have.
const SCENE_PATCH_TAGS: &[&[u8; 4]] = &[
    b"DATA", b"PTCH", b"EDIT", b"SPCH", b"IMAG", b"MATL", b"GEOM", b"IMGE", b"MATE", b"GEOE",
    b"MESH", b"SKIN", b"CAMR", b"LGHT", b"WGHT", b"LODS", b"CNST", b"BNDS", b"USER",
];

/// The patch was recorded from these edits of everything, by a program whose revisions did not depend on
/// all values, and which recorded rows that were borrowed and not changed. It has the lineage of the nodes.
#[test]
fn scene_patch_of_version_1_is_read_and_written_as_it_was() {
    let mut rng = Rng::new(17);
    let mut scene = scene_patches::copy_of(&random_scene(&mut rng, 20));
    let mut assets = RandomAssets::new(&scene, &mut rng);
    let mut copies = [(); 2].map(|()| scene_patches::copy_of(&scene));
    let edit = |scene: &mut pleach::Scene| {
        for _ in 0..150 {
            scene_patches::random_edit(scene, &mut assets, &mut rng);
        }
        let joints = vec![scene.root()];
        let skin = Skin::new(joints, [Mat4::IDENTITY]).unwrap();
        scene.insert(scene.root(), skin)?;
        scene.insert(scene.root(), MorphWeights(vec![0.5, -0.0]))?;
        scene.insert(scene.root(), Light::point(Vec3::ONE, 3.0)).map(drop)
    };
    scene.transact("Everything", edit).unwrap();
    let options = scene_patches::options();
    let bytes = std::fs::read(path("version-1-scene-patch.pleach")).unwrap();
    let text = std::fs::read_to_string(path("version-1-scene-patch.json")).unwrap();
    for tag in SCENE_PATCH_TAGS {
        assert!(bytes.windows(4).any(|window| window == *tag), "{}", tag.escape_ascii());
    }
    let mut maps = [0, 1].map(|at: usize| AssetMap::of_scene(&copies[at]));
    let patches = [
        options.scene_patch_from_bytes(&bytes, &copies[0], &mut maps[0]).unwrap(),
        options.scene_patch_from_json(&text, &copies[1], &mut maps[1]).unwrap(),
    ];
    assert!(patches[0].environment().is_some() && patches[0].scene_name().is_some());
    for (copy, patch) in copies.iter_mut().zip(&patches) {
        let map = || AssetMap::of_scene(copy);
        assert!(options.scene_patch_to_bytes(patch, &mut map()).unwrap() == bytes);
        assert_eq!(options.scene_patch_to_json(patch, &mut map()).unwrap(), text);
        copy.apply(patch).unwrap();
        assert_same_content(&scene, copy);
        copy.revert(patch).unwrap();
    }
}

/// The file was written by version 1 from this scene, and the text from the file. `PLEACH_BLESS=1`
/// writes both, before the first release only.
#[test]
fn file_of_version_1_is_read_and_written_as_it_was() {
    let mut rng = Rng::new(13);
    let mut scene = random_scene(&mut rng, 250);
    scene.insert(scene.root(), Health { points: 300, name: "root".into() }).unwrap();
    let clips = random_clips(&mut rng);
    let options = Options::new().component::<Health>();
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(path("version-1.pleach"), options.to_bytes(&scene, &clips).unwrap())
            .unwrap();
        std::fs::write(path("version-1.json"), options.to_json(&scene, &clips).unwrap()).unwrap();
    }
    let bytes = std::fs::read(path("version-1.pleach")).unwrap();
    let text = std::fs::read_to_string(path("version-1.json")).unwrap();
    for tag in TAGS {
        assert!(bytes.windows(4).any(|window| window == *tag), "{}", tag.escape_ascii());
    }
    let loaded = options.from_bytes(&bytes).unwrap();
    assert!(loaded.scene.get::<Health>(scene.root()).is_some_and(|it| it.points == 300));
    assert_same(&scene, &loaded.scene);
    assert_eq!(loaded.clips, clips);
    assert_eq!(options.to_json(&loaded.scene, &loaded.clips).unwrap(), text);
    assert!(options.to_bytes(&scene, &clips).unwrap() == bytes, "the bytes changed");
    let from_text = options.from_json(&text).unwrap();
    assert!(options.to_bytes(&from_text.scene, &from_text.clips).unwrap() == bytes);
}
