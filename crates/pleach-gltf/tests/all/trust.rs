//! Trusted files: referenced files are read from anywhere, and memory is not limited.

use std::fs;

use crate::common::temp_dir::TempDir;
use pleach::ImageData;
use pleach_gltf::{Document, Error, ErrorKind, Options};

/// Writes a model with one buffer and one image.
fn model(place: &TempDir, buffer: &str, image: &str) {
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "buffers": [{{"uri": {buffer:?}, "byteLength": 4}}],
            "images": [{{"uri": {image:?}}}]}}"#
    );
    place.write("models/house/house.gltf", text.as_bytes());
}

fn load(place: &TempDir, options: &Options) -> Result<Document, Error> {
    options.load(place.at("models/house/house.gltf"))
}

#[test]
fn files_outside_of_the_directory_are_read_if_the_model_is_trusted() {
    let place = TempDir::new("trusted");
    place.write("textures/oak.png", b"not really a picture");
    place.write("models/walls.bin", b"1234");
    model(&place, "../walls.bin", "../../textures/oak.png");
    let error = load(&place, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uri, "{error}");
    let document = load(&place, &Options::new().trust()).unwrap();
    let images = document.images();
    assert!(matches!(&images[0].data, ImageData::Encoded { bytes, .. } if bytes.len() == 20));

    // A path down and up again is the same path.
    model(&place, "parts/../../walls.bin", "../../textures/../textures/oak.png");
    load(&place, &Options::new().trust()).unwrap();
}

#[test]
fn absolute_paths_and_directories_are_never_read() {
    let place = TempDir::new("absolute");
    place.write("walls.bin", b"1234");
    let absolute = place.at("walls.bin");
    for uri in [absolute.to_str().unwrap(), "../..", "../../nothing.bin", "/dev/zero"] {
        model(&place, uri, "");
        let error = load(&place, &Options::new().trust()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Uri, "{uri}: {error}");
    }
}

#[test]
fn files_outside_of_the_directory_are_embedded_in_a_glb() {
    let place = TempDir::new("elsewhere");
    place.write("textures/oak.png", b"\x89PNG\r\n\x1a\n not really a picture");
    place.write("models/house/walls.bin", b"1234");
    model(&place, "walls.bin", "../../textures/oak.png");
    let document = load(&place, &Options::new().trust()).unwrap();
    fs::create_dir_all(place.at("out")).unwrap();
    let error = document.save(place.at("out/house.gltf")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unwritable, "{error}");
    document.save(place.at("out/house.glb")).unwrap();
    let files: Vec<_> = place.names().into_iter().filter(|it| it.starts_with("out")).collect();
    assert_eq!(files, ["out/house.glb"]);
    let again = pleach_gltf::load(place.at("out/house.glb")).unwrap();
    assert!(matches!(again.images()[0].data, ImageData::Encoded { .. }));
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
