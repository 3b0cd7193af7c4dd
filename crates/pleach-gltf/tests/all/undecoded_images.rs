//! Textures with images that need an extension: KTX2 is decoded with the feature `ktx2`, AVIF never.

use pleach::ImageData;
use pleach_gltf::validate::{ProblemCode, Rule, Severity, Validate};
use pleach_gltf::{Options, Validation, WarningCode};
use serde_json::{Value, json};

use crate::common::accessors::data_uri;

const AVIF: &[u8] = b"\0\0\0\x1cftypavif\0\0\0\0avifmif1";
/// One grey pixel.
const PNG: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
    0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 104, 0, 0, 0, 130, 0, 129,
    119, 205, 114, 182, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];
const KTX2: &[u8] = include_bytes!("../ktx2/etc1s-alpha.ktx2");
const KTX2_PIXELS: &[u8] = include_bytes!("../ktx2/etc1s-alpha.rgba");

/// A file with one texture that has an image of an extension.
fn file(extension: &str, mime: &str, image: &[u8]) -> Value {
    json!({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": [{}],
        "extensionsUsed": [extension], "extensionsRequired": [extension],
        "images": [{"uri": data_uri(mime, image)}],
        "textures": [{"extensions": {extension: {"source": 0}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    })
}

fn avif() -> Value {
    file("EXT_texture_avif", "image/avif", AVIF)
}

fn strict(file: &Value) -> Validation {
    Validate::new().strict().bytes(file.to_string().as_bytes())
}

#[test]
fn avif_images_are_not_broken() {
    let mut file = avif();
    let undecodable = ProblemCode::Tolerated(WarningCode::UndecodableTexture);
    let validation = strict(&file);
    assert_eq!(validation.count(Severity::Error), 0, "{:?}", validation.problems);
    assert!(validation.find(undecodable).is_some());
    // With a fallback there is nothing to report.
    file["images"].as_array_mut().unwrap().push(json!({"uri": data_uri("image/png", PNG)}));
    file["textures"][0]["source"] = json!(1);
    file.as_object_mut().unwrap().remove("extensionsRequired");
    let validation = strict(&file);
    let count = |severity| validation.count(severity);
    assert_eq!(
        (count(Severity::Error), count(Severity::Warning)),
        (0, 0),
        "{:?}",
        validation.problems
    );
}

#[test]
fn avif_textures_are_checked_like_those_of_other_extensions() {
    let mut file = avif();
    file.as_object_mut().unwrap().remove("extensionsRequired");
    let found = |file: &Value, rule| strict(file).find(ProblemCode::Rule(rule)).cloned();
    let problem = found(&file, Rule::ExtensionNotRequired).unwrap();
    assert_eq!(problem.locations[0].note.as_deref(), Some("EXT_texture_avif"));
    assert_eq!(found(&file, Rule::TextureImageType), None);
    file["images"][0]["uri"] = json!(data_uri("image/ktx2", KTX2));
    let problem = found(&file, Rule::TextureImageType).unwrap();
    assert_eq!(problem.locations[0].pointer, "/textures/0/extensions/EXT_texture_avif/source");
}

#[test]
fn ktx2_textures_of_a_file_are_decoded() {
    let file = file("KHR_texture_basisu", "image/ktx2", KTX2);
    let document = Options::new().strict().load_bytes(file.to_string().as_bytes()).unwrap();
    let material = document.materials()[0].get();
    let image = material.base_color_texture.as_ref().unwrap().image.get();
    let decoded = pleach_gltf::decode(&image);
    if cfg!(feature = "ktx2") {
        let pixels = KTX2_PIXELS.to_vec();
        assert_eq!(decoded.unwrap().data, ImageData::Rgba8 { width: 12, height: 8, pixels });
        assert!(document.report().is_empty(), "{}", document.report());
    } else {
        assert!(decoded.unwrap_err().to_string().contains("feature `ktx2`"));
        let [warning] = document.report().warnings() else { panic!("{}", document.report()) };
        assert_eq!(warning.code, WarningCode::UndecodableTexture);
        assert_eq!(warning.pointer, "/textures/0/extensions/KHR_texture_basisu");
    }
    assert_eq!(strict(&file).count(Severity::Error), 0);
}
