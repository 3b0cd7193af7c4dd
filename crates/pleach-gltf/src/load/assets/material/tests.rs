//! Tests for loading materials.

use pleach::{Assets, Image};

use super::*;
use crate::Report;
use crate::diagnostics::Result;
use crate::json::ParseLimits;

fn images() -> Vec<Handle<Image>> {
    let assets = Assets::untracked();
    ["a", "b", "c"].map(|uri| assets.add(Image::from_uri(uri))).into()
}

/// Loads the material of a file with these members; returns it and the warnings.
fn read(members: &str, strict: bool) -> Result<(Material, String)> {
    let text = format!(r#"{{"asset":{{"version":"2.0"}},{members}}}"#);
    let root = Root::parse(&text, ParseLimits::NONE).unwrap();
    let mut tolerance = Tolerance { strict, report: Report::default() };
    check_samplers(&root, &mut tolerance)?;
    let material = material(&root, 0, &images(), &mut tolerance)?;
    Ok((material, tolerance.report.to_string()))
}

fn refused(members: &str) -> String {
    read(members, false).unwrap_err().to_string()
}

#[test]
fn an_empty_material_is_the_default() {
    let default = (Material::default(), String::new());
    assert_eq!(read(r#""materials":[{}]"#, true).unwrap(), default);
    let objects = r#""materials":[{"pbrMetallicRoughness":{},"alphaCutoff":0.1,
        "extensions":{"KHR_materials_ior":{},"KHR_materials_emissive_strength":{},
        "KHR_materials_dispersion":{},"X":1}}]"#;
    assert_eq!(read(objects, true).unwrap(), default);
    let extensions = r#""materials":[{"extensions":{"KHR_materials_clearcoat":{},
        "KHR_materials_sheen":{},"KHR_materials_specular":{},"KHR_materials_transmission":{},
        "KHR_materials_diffuse_transmission":{},
        "KHR_materials_volume":{},"KHR_materials_iridescence":{},
        "KHR_materials_anisotropy":{},"KHR_materials_unlit":{}}}]"#;
    let expected = Material {
        unlit: true,
        clearcoat: Some(Box::default()),
        sheen: Some(Box::default()),
        specular: Some(Box::default()),
        transmission: Some(Box::default()),
        diffuse_transmission: Some(Box::default()),
        volume: Some(Box::default()),
        iridescence: Some(Box::default()),
        anisotropy: Some(Box::default()),
        ..Material::default()
    };
    assert_eq!(read(extensions, true).unwrap().0, expected);
}

#[test]
fn diffuse_transmission_and_dispersion_are_read() {
    let (material, warnings) = read(
        r#""textures":[{"source":1},{"source":2}],"materials":[{"extensions":{
            "KHR_materials_dispersion":{"dispersion":0.25},
            "KHR_materials_diffuse_transmission":{"diffuseTransmissionFactor":0.5,
            "diffuseTransmissionTexture":{"index":0},
            "diffuseTransmissionColorFactor":[1,0.5,2],
            "diffuseTransmissionColorTexture":{"index":1}}}}]"#,
        true,
    )
    .unwrap();
    assert_eq!((warnings, material.dispersion), (String::new(), 0.25));
    let it = material.diffuse_transmission.unwrap();
    assert_eq!((it.factor, it.color), (0.5, Vec3::new(1.0, 0.5, 2.0)));
    let uri = |texture: &Option<TextureRef>| texture.as_ref().unwrap().image.get().data.clone();
    assert_eq!(uri(&it.texture), Image::from_uri("b").data);
    assert_eq!(uri(&it.color_texture), Image::from_uri("c").data);
    let wrong = r#""materials":[{"extensions":{"KHR_materials_diffuse_transmission":
        {"diffuseTransmissionFactor":2}}}]"#;
    assert!(read(wrong, true).is_err() && !read(wrong, false).unwrap().1.is_empty());
}

#[test]
fn an_index_out_of_range_is_rejected_with_its_location() {
    let base = r#""materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":9}}}]"#;
    let none = refused(&format!(r#"{base},"textures":[{{}},{{}}]"#));
    let at = "/materials/0/pbrMetallicRoughness/baseColorTexture/index";
    assert_eq!(none, format!("{at}: texture 9 does not exist (the file has 2)"));

    let normal = r#""materials":[{"extensions":{"KHR_materials_clearcoat":
        {"clearcoatNormalTexture":{"index":0}}}}]"#;
    let at = "/materials/0/extensions/KHR_materials_clearcoat/clearcoatNormalTexture/index";
    assert_eq!(refused(normal), format!("{at}: texture 0 does not exist (the file has 0)"));
    let textures = [
        (r#"{"sampler":1}"#, "/textures/0/sampler: sampler 1", 0),
        (r#"{"source":3}"#, "/textures/0/source: image 3", 3),
        (
            r#"{"source":0,"extensions":{"EXT_texture_webp":{"source":5}}}"#,
            "/textures/0/extensions/EXT_texture_webp/source: image 5",
            3,
        ),
    ];
    for (texture, missing, count) in textures {
        let members = format!(r#"{normal},"textures":[{texture}]"#);
        let expected = format!("{missing} does not exist (the file has {count})");
        assert_eq!(refused(&members), expected);
    }
    assert_eq!(refused(r#""nodes":[]"#), "/materials: material 0 does not exist (the file has 0)");
}

#[test]
fn a_texture_uses_its_preferred_image() {
    let shown = |texture: &str| {
        let text = format!(
            r#"{{"asset":{{"version":"2.0"}},"textures":[{texture}],
                "materials":[{{"emissiveTexture":{{"index":0}}}}]}}"#
        );
        let (root, images) = (Root::parse(&text, ParseLimits::NONE).unwrap(), images());
        let mut tolerance = Tolerance { strict: true, report: Report::default() };
        let material = material(&root, 0, &images, &mut tolerance).unwrap();
        let texture = material.emissive_texture?;
        images.iter().position(|image| *image == texture.image)
    };
    let both = r#""EXT_texture_webp":{"source":1},"KHR_texture_basisu":{"source":2}"#;
    assert_eq!(shown("{}"), None);
    assert_eq!(shown(r#"{"source":0}"#), Some(0));
    assert_eq!(shown(&format!(r#"{{"source":0,"extensions":{{{both}}}}}"#)), Some(1));
    let basisu = r#""extensions":{"EXT_texture_webp":{},"KHR_texture_basisu":{"source":2}}"#;
    assert_eq!(shown(&format!(r#"{{"source":0,{basisu}}}"#)), Some(0));
    assert_eq!(shown(&format!("{{{basisu}}}")), Some(2));
}

#[test]
fn a_texture_transform_overrides_the_coordinate_set() {
    let members = r#""textures":[{"source":0}],"materials":[{"normalTexture":{"index":0,
        "texCoord":1,"extensions":{"KHR_texture_transform":{"rotation":2,"texCoord":3}}}}]"#;
    let texture = read(members, true).unwrap().0.normal_texture.unwrap();
    assert_eq!(texture.uv_set, 3);
    let expected = TextureTransform { rotation: 2.0, ..TextureTransform::IDENTITY };
    assert_eq!(texture.transform, Some(expected));
    let members = members.replace(",\"texCoord\":3", "");
    assert_eq!(read(&members, true).unwrap().0.normal_texture.unwrap().uv_set, 1);
}

#[test]
fn factors_out_of_range_are_reported_and_used() {
    let members = r#""materials":[{"emissiveFactor":[0,2,0],"pbrMetallicRoughness":
        {"roughnessFactor":-1},"extensions":{"KHR_materials_ior":{"ior":0.5},
        "KHR_materials_volume":{"attenuationDistance":0},
        "KHR_materials_iridescence":{"iridescenceIor":0.5}}}]"#;
    let (material, warnings) = read(members, false).unwrap();
    assert_eq!(
        warnings,
        "/materials/0/pbrMetallicRoughness/roughnessFactor: -1 is not between 0 and 1; \
         it is used unchanged\n\
         /materials/0/emissiveFactor/1: 2 is not between 0 and 1; it is used unchanged\n\
         /materials/0/extensions/KHR_materials_ior/ior: 0.5 is neither 0 nor at least 1; \
         it is used unchanged\n\
         /materials/0/extensions/KHR_materials_volume/attenuationDistance: 0 is not positive; \
         infinity is used\n\
         /materials/0/extensions/KHR_materials_iridescence/iridescenceIor: 0.5 is below 1; \
         it is used unchanged\n"
    );
    assert_eq!((material.roughness, material.emissive.y, material.ior), (-1.0, 2.0, 0.5));
    assert_eq!(material.volume.unwrap().attenuation_distance, f32::INFINITY);
    let error = read(members, true).unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Strict);
    // A number that JSON can represent but f32 cannot is rejected.
    let text = r#"{"asset":{"version":"2.0"},"materials":[{"alphaCutoff":1e39}]}"#;
    assert_eq!(Root::parse(text, ParseLimits::NONE).unwrap_err().kind(), crate::ErrorKind::Json);
}

#[test]
fn unknown_modes_are_reported_and_become_the_default() {
    let members = r#""samplers":[{"magFilter":9987,"minFilter":9987,"wrapS":1,"wrapT":33071}],
        "textures":[{"source":0,"sampler":0}],
        "materials":[{"alphaMode":"HASHED","emissiveTexture":{"index":0,"texCoord":5e9}}]"#;
    let (material, warnings) = read(members, false).unwrap();
    assert_eq!(
        warnings,
        "/samplers/0/magFilter: the mode 9987 is not supported; the default is used\n\
         /samplers/0/wrapS: the mode 1 is not supported; the default is used\n\
         /materials/0/alphaMode: the alpha mode \"HASHED\" is not supported; OPAQUE is used\n\
         /materials/0/emissiveTexture/texCoord: texture coordinate set 5000000000 is not supported; \
         0 is used\n"
    );
    assert_eq!(material.alpha_mode, AlphaMode::Opaque);
    let expected = pleach::Sampler {
        min_filter: Some(MinFilter::LinearMipmapLinear),
        wrap_v: Wrap::ClampToEdge,
        ..pleach::Sampler::default()
    };
    assert_eq!(material.emissive_texture.unwrap().sampler, expected);
    assert!(read(members, true).is_err());
}
