//! Loaders and savers by extension, and the files that a model refers to.

use std::sync::{Arc, Mutex};

use pleach::glam::Vec3;
use pleach::{Node, Scene, UpAxis};
use pleach_gltf::{
    Bytes, Convention, Directory, Document, ErrorKind, Format, Limits, Loaders, Options, Report,
    Resolver, Savers, external_files,
};

use crate::common::samples;

use crate::common::container::glb;
use crate::common::temp_dir::TempDir;

fn model() -> Document {
    let mut scene = Scene::named("yard");
    let shed = Node::group().named("shed").at(Vec3::new(1.0, 2.0, 3.0));
    scene.spawn(shed.child(Node::group().named("door"))).unwrap();
    scene.update().unwrap();
    Document::from_scenes([scene])
}

/// Returns the names and world positions of a scene, in order.
fn tree(document: &Document) -> Vec<(String, Vec3)> {
    let scene = &document.scenes()[0];
    let nodes = scene.graph.depth_first().map(|node| scene.graph.get(node).unwrap());
    nodes.map(|it| (it.name().unwrap_or_default().into(), it.world_translation())).collect()
}

#[test]
fn m125_loaders_are_chosen_by_extension() {
    let directory = TempDir::new("loaders");
    let document = model();
    for name in ["yard.gltf", "yard.glb", "UPPER.GLB"] {
        document.save(directory.at(name)).unwrap();
    }
    let loaders = Loaders::new();
    let trees = ["yard.gltf", "yard.glb", "UPPER.GLB"]
        .map(|name| tree(&loaders.load(directory.at(name)).unwrap()));
    assert_eq!(trees[0], trees[1]);
    assert_eq!(trees[0], trees[2]);
    assert!(trees[0].iter().any(|it| *it == ("shed".to_string(), Vec3::new(1.0, 2.0, 3.0))));
    for name in ["yard.fbx", "yard", "yard."] {
        let error = loaders.load(directory.at(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownFormat);
        assert!(error.to_string().contains("only for .glb, .gltf"), "{error}");
    }
    assert!(loaders.load("a.fbx").unwrap_err().to_string().contains("\".fbx\""));
    assert!(loaders.extensions().eq(["glb", "gltf"]));
    assert!(Loaders::empty().load(directory.at("yard.glb")).is_err());
}

#[cfg(feature = "draco")]
#[test]
fn m125_gltf_and_glb_of_a_sample_model_load_the_same_tree() {
    let Some(samples) = testkit::sample_models() else { return };
    let loaders = Loaders::new();
    let files = ["Box/Box.glb", "Box-Draco/Box.gltf"].map(|file| samples.join(file));
    let [glb, gltf] = files.map(|file| loaders.load(file).unwrap());
    assert_eq!(tree(&glb), tree(&gltf));
    assert!(tree(&glb).len() > 2);
    let triangles = |document: &Document| -> Vec<usize> {
        let scene = &document.scenes()[0];
        let meshes = scene.walk().filter_map(|node| scene.mesh(node));
        let parts = meshes.flat_map(|mesh| &mesh.parts);
        parts.map(|part| part.geometry.get().triangles().count()).collect()
    };
    assert_eq!((triangles(&glb), triangles(&gltf)), (vec![12], vec![12]));
}

#[test]
fn a_failing_custom_loader_or_saver_is_not_an_unknown_format() {
    let mut loaders = Loaders::new();
    loaders.register(".BAD", |_, _| Err("it rains".into()));
    loaders.register("worse", |_, _| Ok(pleach_gltf::load_bytes(b"{")?));
    let error = loaders.load("a.bad").unwrap_err();
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Custom, "a.bad: it rains"));
    assert!(std::error::Error::source(&error).is_some());
    assert_eq!(loaders.load("a.worse").unwrap_err().kind(), ErrorKind::Json);
    let mut savers = Savers::new();
    savers.register("bad", |_, _| Err("it snows".into()));
    let error = savers.save(&model(), "a.bad").unwrap_err();
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Custom, "a.bad: it snows"));
}

#[test]
fn savers_are_chosen_by_extension() {
    let directory = TempDir::new("savers");
    let document = model();
    let written = Arc::new(Mutex::new(Vec::new()));
    let mut savers = Savers::new();
    let list = Arc::clone(&written);
    savers.register(".Names", move |document, path| {
        list.lock().unwrap().push((document.scenes().len(), path.to_path_buf()));
        Ok(Report::default())
    });
    assert!(savers.extensions().eq(["glb", "gltf", "names"]));
    savers.save(&document, directory.at("a.NAMES")).unwrap();
    assert_eq!(*written.lock().unwrap(), [(1, directory.at("a.NAMES"))]);
    savers.save(&document, directory.at("a.glb")).unwrap();
    let expected = document.save_bytes(Format::Glb).unwrap().bytes;
    assert!(std::fs::read(directory.at("a.glb")).unwrap() == expected);
    let error = savers.save(&document, directory.at("a.obj")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownFormat);
    assert!(error.to_string().contains("\".obj\""), "{error}");
}

#[test]
fn axes_and_units_of_loaders_are_converted() {
    let y_up_left = Convention { up: UpAxis::Y, is_left_handed: true, meters_per_unit: 1.0 };
    let z_up_left = Convention { up: UpAxis::Z, ..y_up_left };
    let inches = Convention { meters_per_unit: 0.5, ..Convention::Z_UP };
    let cases = [
        (Convention::Z_UP, Vec3::new(1.0, 2.0, 3.0)),
        (Convention::Y_UP, Vec3::new(1.0, -3.0, 2.0)),
        (y_up_left, Vec3::new(1.0, 3.0, 2.0)),
        (z_up_left, Vec3::new(1.0, -2.0, 3.0)),
        (inches, Vec3::new(0.5, 1.0, 1.5)),
    ];
    for (convention, expected) in cases {
        let mut loaders = Loaders::empty();
        loaders.register_with_convention("own", convention, |_, _| Ok(model()));
        let document = loaders.load("a.own").unwrap();
        let scene = &document.scenes()[0];
        let shed = scene.graph.find("shed").unwrap();
        assert_eq!(scene.node(shed).unwrap().world_translation(), expected, "{convention:?}");
        assert_eq!(document.up_axis_node(0).is_some(), convention != Convention::Z_UP);
        let kept = loaders.load_with("a.own", &Options::new().keep_y_up()).unwrap();
        assert!(tree(&kept).iter().any(|it| it.1 == Vec3::new(1.0, 2.0, 3.0)));
        // It survives a file.
        let saved = document.save_bytes(Format::Glb).unwrap();
        let back = pleach_gltf::load_bytes(&saved.bytes).unwrap();
        let shed = back.scenes()[0].graph.find("shed").unwrap();
        let position = back.scenes()[0].node(shed).unwrap().world_translation();
        assert_eq!(position, expected, "{convention:?}");
    }
}

#[test]
fn external_files_are_listed_before_loading() {
    let text = br#"{"asset":{"version":"2.0"},
        "buffers":[{"uri":"a%20b.bin","byteLength":1},{"byteLength":1,"uri":"data:,x"},
                   {"uri":"https://x/y.bin","byteLength":1},{"uri":"both.png","byteLength":1}],
        "images":[{"uri":"t/oak.png"},{"uri":"t/oak.png"},{"uri":"both.png"},{}]}"#;
    for file in [text.to_vec(), glb(text, b"x")] {
        let files = external_files(&file).unwrap();
        let files: Vec<_> = files.iter().map(|it| (&*it.name, &*it.uri, it.is_image)).collect();
        assert_eq!(
            files,
            [
                ("a b.bin", "a%20b.bin", false),
                ("both.png", "both.png", false),
                ("t/oak.png", "t/oak.png", true)
            ]
        );
    }
    assert_eq!(external_files(b"{").unwrap_err().kind(), ErrorKind::Json);
}

#[test]
fn d_error_implements_std_error() {
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    is_error::<pleach_gltf::Error>();
}

/// Records the names that a load asks for.
struct Recorder {
    directory: Directory,
    names: Mutex<Vec<String>>,
}

impl Resolver for Recorder {
    fn read(&self, name: &str, max_bytes: u64) -> std::io::Result<Bytes> {
        self.names.lock().unwrap().push(name.into());
        self.directory.read(name, max_bytes)
    }
}

#[test]
fn external_files_of_the_sample_models_are_all_that_loading_asks_for() {
    let mut count = 0;
    for path in samples::files() {
        let bytes = std::fs::read(&path).unwrap();
        let listed = external_files(&bytes).unwrap();
        let directory = Directory::new(path.parent().unwrap());
        let recorder = Recorder { directory, names: Mutex::default() };
        let loaded = Options::new().load_with(bytes, &recorder);
        let names = recorder.names.into_inner().unwrap();
        for name in &names {
            assert!(listed.iter().any(|file| file.name == *name), "{}: {name}", path.display());
        }
        if loaded.is_ok() {
            for file in &listed {
                assert!(names.contains(&file.name), "{}: {}", path.display(), file.name);
            }
        }
        count += names.len();
    }
    println!("{count} files");
}

#[test]
fn external_files_reports_versions_and_limits_like_load() {
    let old = br#"{"asset":{"version":"1.0"},"buffers":{"b":{"uri":"b.bin","byteLength":4}}}"#;
    let listed_1 = br#"{"asset":{"version":"1.0"},"buffers":[{"uri":"b.bin","byteLength":4}]}"#;
    let container = [&b"glTF\x01\0\0\0\x14\0\0\0"[..], &[0; 8]].concat();
    for file in [&old[..], listed_1, &container, b"", b"x"] {
        let error = external_files(file).unwrap_err();
        let expected = pleach_gltf::load_bytes(file).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (expected.kind(), expected.to_string()));
    }
    assert!(external_files(old).unwrap_err().to_string().contains("the file is glTF 1.0"));

    let nested = br#"{"asset":{"version":"2.0"},"extras":[[[[[[[[1]]]]]]]]}"#;
    assert_eq!(external_files(nested).unwrap(), []);
    for limits in [
        Limits { max_json_depth: 4, ..Limits::default() },
        Limits { max_file_bytes: 10, ..Limits::default() },
    ] {
        let options = Options::new().with_limits(limits);
        let error = options.external_files(nested).unwrap_err();
        let expected = options.load_bytes(nested).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (expected.kind(), expected.to_string()));
    }
}

#[test]
fn old_and_empty_files_are_named_as_such() {
    let old = br#"{"asset":{"version":"1.0"},"scenes":{"a":{"nodes":["n"]}},"nodes":{"n":{}}}"#;
    let unmarked = br#"{"meshes":{"a":{"primitives":[]}}}"#;
    let empty_1 = br#"{"asset":{"version":"1.1"}}"#;
    let container = [&b"glTF\x01\0\0\0\x14\0\0\0"[..], &[0; 8]].concat();
    for file in [&old[..], unmarked, empty_1, &container] {
        let error = pleach_gltf::load_bytes(file).unwrap_err().to_string();
        assert!(error.contains("1") && error.contains("convert it to glTF 2.0"), "{error}");
        assert!(!error.contains("expected a sequence"), "{error}");
    }
    for (file, message) in [(&b""[..], "the file is empty"), (b" \n", "the file is blank")] {
        let error = pleach_gltf::load_bytes(file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Json);
        assert!(error.to_string().starts_with(message), "{error}");
    }
}
