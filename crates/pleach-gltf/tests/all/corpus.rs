//! The files of `tests/corpus`: each is loaded as its `.expected.txt` states, and survives a round
//! trip.
//!
//! `PLEACH_BLESS=1` writes the expected texts; review the changes.

mod description;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec3;
use pleach::{NodeId, Scene};
use pleach_gltf::{Bytes, Document, Error, Format, Options};

use description::description;

/// Returns the models of the corpus, sorted by name.
fn models() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_model = |path: &PathBuf| path.extension().is_some_and(|it| it == "gltf" || it == "glb");
    // Without its decoder a file that requires Draco is rejected.
    let is_readable = |path: &PathBuf| cfg!(feature = "draco") || !name(path).starts_with("draco");
    let mut models: Vec<PathBuf> = entries.filter(is_model).filter(is_readable).collect();
    models.sort();
    assert!(models.len() > 30, "only {} models", models.len());
    models
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("names are UTF-8")
}

fn options() -> Options {
    Options::new().keep_y_up()
}

fn format_of(path: &Path) -> Format {
    if path.extension().is_some_and(|it| it == "glb") { Format::Glb } else { Format::Gltf }
}

fn described(loaded: &Result<Document, Error>) -> String {
    match loaded {
        Ok(document) => description(document),
        Err(error) => {
            format!("error {:?} at {:?}\n{}\n", error.kind(), error.pointer(), error.message())
        }
    }
}

#[test]
fn corpus_files_load_as_expected() {
    let is_blessed = std::env::var_os("PLEACH_BLESS").is_some();
    let mut failures = Vec::new();
    for path in models() {
        let loaded = options().load(&path);
        let is_broken = name(&path).starts_with("broken-");
        assert_eq!(loaded.is_err(), is_broken, "{}: {:?}", name(&path), loaded.err());
        let found = described(&loaded);
        let expected_path = path.with_file_name(format!("{}.expected.txt", name(&path)));
        if is_blessed {
            fs::write(&expected_path, &found).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default().replace("\r\n", "\n");
        if found != expected {
            failures.push(format!("{}: expected\n{expected}\nbut found\n{found}", name(&path)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Strict loading accepts what is valid, and rejects what only causes a warning otherwise.
#[test]
fn corpus_files_without_warnings_load_strictly() {
    for path in models() {
        let Ok(document) = options().load(&path) else { continue };
        let strict = options().strict().load(&path);
        assert_eq!(strict.is_ok(), document.report().is_empty(), "{}", name(&path));
    }
}

/// Returns the documents of all valid files.
fn documents() -> impl Iterator<Item = (PathBuf, Document)> {
    models().into_iter().filter_map(|path| Some((path.clone(), options().load(&path).ok()?)))
}

#[test]
fn unedited_corpus_files_are_saved_byte_for_byte() {
    for (path, document) in documents() {
        let with_z_up = Options::new().load(&path).unwrap();
        for document in [&document, &with_z_up] {
            let saved = document.save_bytes(format_of(&path)).unwrap();
            assert!(saved.bytes == fs::read(&path).unwrap(), "{}", name(&path));
            for (file, bytes) in &saved.files {
                assert!(fs::read(path.with_file_name(file)).unwrap() == **bytes, "{file}");
            }
        }
        // Both formats have the same content.
        for format in [Format::Gltf, Format::Glb] {
            let again = loaded_again(&document, format);
            assert_eq!(description(&again), description(&document), "{} {format:?}", name(&path));
        }
    }
}

fn loaded_again(document: &Document, format: Format) -> Document {
    let saved = document.save_bytes(format).unwrap();
    let files: BTreeMap<String, Bytes> = saved.files.into_iter().collect();
    options().load_with(saved.bytes, &files).unwrap()
}

/// Moves a node by one unit on each axis.
fn move_node(scene: &mut Scene, node: NodeId) {
    let now = scene.node(node).unwrap();
    let (mut matrix, transform) = (now.local_matrix(), now.transform());
    let has_matrix = now.has_local_matrix();
    let mut node = scene.node_mut(node).unwrap();
    if has_matrix {
        matrix.w_axis += Vec3::ONE.extend(0.0);
        node.set_local_matrix(matrix).unwrap();
    } else {
        node.set_translation(transform.translation + Vec3::ONE).unwrap();
    }
    scene.update().unwrap();
}

#[test]
fn corpus_files_differ_only_in_the_node_that_was_moved() {
    for (path, mut document) in documents() {
        let nodes = document.scene().map_or(0, |scene| scene.graph.len() - 1);
        let shown = document.default_scene().unwrap_or(0);
        // In the file's order.
        for index in 0..nodes {
            let Some(node) = document.node(shown, index) else { continue };
            let original = description(&document);
            let scene = document.scene_mut().unwrap();
            let below: BTreeSet<NodeId> = scene.node(node).unwrap().descendants().collect();
            move_node(scene, node);
            let moved: Vec<String> = below
                .iter()
                .filter_map(|&node| document.index_of(shown, node))
                .map(|index| format!("  node {index} "))
                .collect();
            let edited = description(&document);
            for format in [Format::Gltf, Format::Glb] {
                let again = description(&loaded_again(&document, format));
                // A node that two scenes list becomes two nodes of the file once it differs.
                if document.scenes().len() < 2 {
                    assert_eq!(again, edited, "{} {format:?}", name(&path));
                }
            }
            assert_ne!(original, edited, "{}", name(&path));
            assert_eq!(original.lines().count(), edited.lines().count(), "{}", name(&path));
            for (before, after) in original.lines().zip(edited.lines()) {
                let is_moved = moved.iter().any(|start| after.starts_with(start));
                assert!(before == after || is_moved, "{}: {before}\n{after}", name(&path));
            }
        }
    }
}
