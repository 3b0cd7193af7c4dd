//! Trusted files: referenced files are read from anywhere, and memory is not limited.

use std::fs;

use crate::common::temp_dir::TempDir;
use pleach::ImageData;
use pleach_gltf::{Document, Error, ErrorKind, Options};

/// Writes a model with one buffer and one image.
fn model(directory: &TempDir, buffer: &str, image: &str) {
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"uri": {buffer:?}, "byteLength": 4}}],
            "images": [{{"uri": {image:?}}}]}}"#
    );
    directory.write("models/house/house.gltf", text.as_bytes());
}

fn load(directory: &TempDir, options: &Options) -> Result<Document, Error> {
    options.load(directory.at("models/house/house.gltf"))
}

#[test]
fn files_outside_of_the_directory_are_read_if_the_model_is_trusted() {
    let directory = TempDir::new("trusted");
    directory.write("textures/oak.png", b"not really a picture");
    directory.write("models/walls.bin", b"1234");
    model(&directory, "../walls.bin", "../../textures/oak.png");
    let error = load(&directory, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uri, "{error}");
    let document = load(&directory, &Options::new().trust()).unwrap();
    let images = document.images();
    assert!(matches!(&images[0].get().data, ImageData::Encoded { bytes, .. } if bytes.len() == 20));

    // A path down and up again is the same path.
    model(&directory, "parts/../../walls.bin", "../../textures/../textures/oak.png");
    load(&directory, &Options::new().trust()).unwrap();
}

#[test]
fn absolute_paths_and_directories_are_never_read() {
    let directory = TempDir::new("absolute");
    directory.write("walls.bin", b"1234");
    let absolute = directory.at("walls.bin");
    for uri in [absolute.to_str().unwrap(), "../..", "../../nothing.bin", "/dev/zero"] {
        model(&directory, uri, "");
        let error = load(&directory, &Options::new().trust()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uri, "{uri}: {error}");
    }
}

#[test]
fn files_outside_of_the_directory_are_embedded_in_a_glb() {
    let directory = TempDir::new("elsewhere");
    directory.write("textures/oak.png", b"\x89PNG\r\n\x1a\n not really a picture");
    directory.write("models/house/walls.bin", b"1234");
    model(&directory, "walls.bin", "../../textures/oak.png");
    let document = load(&directory, &Options::new().trust()).unwrap();
    fs::create_dir_all(directory.at("out")).unwrap();
    let error = document.save(directory.at("out/house.gltf")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable, "{error}");
    document.save(directory.at("out/house.glb")).unwrap();
    let files: Vec<_> = directory.names().into_iter().filter(|it| it.starts_with("out")).collect();
    assert_eq!(files, ["out/house.glb"]);
    let again = pleach_gltf::load(directory.at("out/house.glb")).unwrap();
    assert!(matches!(again.images()[0].get().data, ImageData::Encoded { .. }));
}

#[test]
fn a_trusted_file_has_no_memory_limit() {
    let text = r#"{
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 4000000}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    }"#;
    let error = Options::new().load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(Options::new().trust().load_bytes(text.as_bytes()).is_ok());
}
