//! Files that are trusted: what they name is read wherever it is, and they may take any memory.

use std::fs;

use crate::common::temp_dir::TempDir;
use pleach::ImageData;
use pleach_gltf::{Document, Error, ErrorKind, Options};

/// A model with one buffer and one image.
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
fn files_beside_the_models_directory_are_read_if_the_model_is_trusted() {
    let place = TempDir::new("trusted");
    place.write("textures/oak.png", b"not really a picture");
    place.write("models/walls.bin", b"1234");
    model(&place, "../walls.bin", "../../textures/oak.png");
    let error = load(&place, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uri, "{error}");
    let document = load(&place, &Options::new().trust()).unwrap();
    let images = document.images();
    assert!(matches!(&images[0].data, ImageData::Encoded { bytes, .. } if bytes.len() == 20));

    // A way down and up again is still the same way.
    model(&place, "parts/../../walls.bin", "../../textures/../textures/oak.png");
    load(&place, &Options::new().trust()).unwrap();
}

#[test]
fn absolute_names_and_directories_are_never_read() {
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
fn what_lies_elsewhere_goes_into_a_glb_and_is_not_written_elsewhere() {
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
fn a_trusted_file_may_take_any_memory() {
    let text = r#"{
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 4000000}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    }"#;
    let error = Options::new().load_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(Options::new().trust().load_bytes(text.as_bytes()).is_ok());
}
