//! Data that glTF cannot represent, and paths that cannot be written: refused or reported.

use std::fs;

use pleach::glam::{Mat4, Vec3};
use pleach::{Camera, ClipSpace, Constraint, Environment, Level, Light, Lod, Scene};
use pleach_gltf::{ErrorKind, Format};

use crate::common::temp_dir::TempDir;
use crate::common_save::{check_file, differences, find, load_yard, saved, text_of};

#[test]
fn a_mesh_without_parts_cannot_be_written() {
    let (_, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    document.scenes_mut()[0].mesh_mut(house).unwrap().parts.clear();
    assert_eq!(document.save_bytes(Format::Gltf).unwrap_err().kind(), ErrorKind::Unwritable);
}

#[test]
fn a_geometry_without_vertices_is_refused_or_kept() {
    let (_, mut document) = load_yard();
    let house = document.node(0, 1).unwrap();
    let mesh = document.scenes_mut()[0].mesh_mut(house).unwrap();
    mesh.parts[0].geometry.make_unique().set(pleach::Geometry::default());
    match document.save_bytes(Format::Gltf) {
        Ok(saved) => check_file(&saved),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unwritable),
    }
}

#[test]
fn only_gltf_and_glb_extensions_are_accepted() {
    let (_, document) = load_yard();
    let directory = TempDir::new("format");
    for name in ["a.obj", "a", "a.gltf.txt", ".glb"] {
        let error = document.save(directory.path.join(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownFormat, "{name}");
    }
    assert_eq!(directory.names(), [""; 0]);
    document.save(directory.path.join("UPPER.GLB")).unwrap();
    assert_eq!(directory.names(), ["UPPER.GLB"]);
}

#[test]
fn a_path_that_cannot_be_written_is_an_error() {
    let (_, document) = load_yard();
    let directory = TempDir::new("io");
    // A directory that is a file, and a file that is a directory.
    fs::write(directory.path.join("file"), "x").unwrap();
    for format in ["gltf", "glb"] {
        let error = document.save(directory.path.join(format!("file/a.{format}"))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.file().is_some());
    }
    assert_eq!(directory.names(), ["file"]);
    fs::create_dir(directory.path.join("taken.glb")).unwrap();
    let error = document.save(directory.path.join("taken.glb")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(error.file(), Some(&*directory.path.join("taken.glb")));
    assert_eq!(directory.names(), ["file"], "no temporary file remains");
}

#[test]
fn unrepresentable_data_is_reported() {
    type Edit = fn(&mut Scene);
    let edits: [(&str, Edit); 9] = [
        ("ambient", |scene| {
            let node = find(scene, "stone");
            scene.lights.insert(&scene.graph, node, Light::ambient(Vec3::ONE, 1.0)).unwrap();
        }),
        ("matrix", |scene| {
            let node = find(scene, "plan");
            *scene.camera_mut(node).unwrap() = Camera::custom(Mat4::IDENTITY, ClipSpace::default());
        }),
        ("levels of detail", |scene| {
            let (node, level) = (find(scene, "stone"), find(scene, "door"));
            let lod = Lod { levels: vec![Level { node: level, min_screen_size: 0.5 }] };
            scene.lods.insert(&scene.graph, node, lod).unwrap();
        }),
        ("layers", |scene| {
            let node = find(scene, "house");
            scene.mesh_mut(node).unwrap().layers = 6;
        }),
        ("environment", |scene| {
            // JSON has no NaN.
            scene.environment =
                Environment { background: Some(Vec3::NAN.into()), ..Environment::default() };
        }),
        ("shadows", |scene| {
            let node = find(scene, "house");
            scene.mesh_mut(node).unwrap().cast_shadow = false;
        }),
        ("constraints", |scene| {
            let (node, target) = (find(scene, "stone"), find(scene, "door"));
            let constraint = Constraint::LookAt { target, up: Vec3::Z };
            scene.constraints.insert(&scene.graph, node, constraint).unwrap();
        }),
        ("layers of a camera", |scene| {
            let node = find(scene, "plan");
            scene.camera_mut(node).unwrap().layers = 6;
        }),
        ("layers of a light", |scene| {
            let node = find(scene, "sun");
            scene.light_mut(node).unwrap().layers = 6;
        }),
    ];
    let mut silent = Vec::new();
    for (what, edit) in edits {
        let (before, mut document) = load_yard();
        edit(&mut document.scenes_mut()[0]);
        let saved = saved(&document);
        check_file(&saved);
        if saved.report.warnings().len() != 1 {
            silent.push(what);
            continue;
        }
        let found = differences(&before, &text_of(&saved));
        assert!(found.is_empty() || found == ["-/nodes/7/camera"], "{what}: {found:?}");
    }
    assert_eq!(silent, [""; 0], "not reported");
}
