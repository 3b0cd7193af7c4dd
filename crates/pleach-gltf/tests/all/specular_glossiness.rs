//! KHR_materials_pbrSpecularGlossiness is converted to the nearest metallic-roughness material,
//! kept in the file while that is not edited, and removed when it is.

use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{AssetRef, Material, NodeId, Specular, TextureTransform};
use pleach_gltf::{Document, Format, Warning, WarningCode, load_bytes};
use serde_json::Value;

const NAME: &str = "KHR_materials_pbrSpecularGlossiness";

/// Returns a file with these materials, with unusual white space, each on its own triangle.
fn file(materials: &[&str]) -> String {
    let each =
        |text: fn(usize) -> String| (0..materials.len()).map(text).collect::<Vec<_>>().join(", ");
    let meshes = each(|it| {
        format!(r#"{{"primitives": [{{"attributes": {{"POSITION": 0}}, "material": {it}}}]}}"#)
    });
    let nodes = each(|it| format!(r#"{{"name": "n{it}", "mesh": {it}}}"#));
    let roots = each(|it| it.to_string());
    let materials = materials.join(" ,\n  ");
    format!(
        r#"{{ "asset": {{"version": "2.0"}}, "extensionsUsed": ["{NAME}", "KHR_texture_transform"],
  "extensionsRequired": ["{NAME}"], "scenes": [{{"nodes": [{roots}]}}], "nodes": [{nodes}],
  "meshes": [{meshes}],
  "accessors": [{{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [0, 0, 0]}}],
  "images": [{{"uri": "data:image/png;base64,iVBORw0KGgo="}},
             {{"uri": "data:image/png;base64,iVBORw0KGgoA"}}],
  "textures": [{{"source": 0}}, {{"source": 1}}],
  "materials": [ {materials} ] }}"#
    )
}

/// Returns a material with this extension, and these members before it.
fn glossy(before: &str, extension: &str) -> String {
    format!(r#"{{ {before} "extensions" : {{ "{NAME}":{extension} }} }}"#)
}

fn load(materials: &[&str]) -> Document {
    load_bytes(file(materials).as_bytes()).unwrap()
}

fn only(material: &str) -> Material {
    load(&[material]).materials()[0].get().value().clone()
}

fn text(document: &Document) -> String {
    String::from_utf8(document.save_bytes(Format::Gltf).unwrap().bytes).unwrap()
}

fn node(document: &Document, index: usize) -> NodeId {
    document.node(0, index).unwrap()
}

fn shown(document: &Document, index: usize) -> AssetRef<Material> {
    document.scenes()[0].mesh(node(document, index)).unwrap().parts[0].material.get()
}

fn edit(document: &mut Document, index: usize, edit: impl FnOnce(&mut Material)) {
    let node = node(document, index);
    let mesh = document.scenes_mut()[0].mesh_mut(node).unwrap();
    mesh.parts[0].material.make_unique().edit(edit);
}

#[test]
fn diffuse_is_the_base_colour_and_glossiness_is_inverted_roughness() {
    let document = load(&[&glossy(
        r#""emissiveFactor": [0, 0, 1],"#,
        r#"{"diffuseFactor": [0.5, 0.25, 1, 0.75], "glossinessFactor": 0.25,
            "specularFactor": [0.5, 0.25, 0], "diffuseTexture": {"index": 1, "texCoord": 1,
            "extensions": {"KHR_texture_transform": {"offset": [0.5, 0], "scale": [2, 4]}}}}"#,
    )]);
    assert_eq!(document.report().to_string(), "");
    let material = &document.materials()[0];
    let texture = material.get().base_color_texture.clone().unwrap();
    assert_eq!((&texture.image, texture.uv_set), (&document.images()[1], 1));
    let transform =
        TextureTransform { offset: Vec2::new(0.5, 0.0), rotation: 0.0, scale: Vec2::new(2.0, 4.0) };
    assert_eq!(texture.transform, Some(transform));
    let color = Vec3::new(0.5, 0.25, 0.0);
    let expected = Material {
        base_color: Vec4::new(0.5, 0.25, 1.0, 0.75),
        base_color_texture: Some(texture),
        metallic: 0.0,
        roughness: 0.75,
        emissive: Vec3::Z,
        // An index of refraction of 0 reflects all light, multiplied by this colour.
        ior: 0.0,
        specular: Some(Box::new(Specular { color, ..Specular::default() })),
        ..Material::default()
    };
    assert_eq!(*material.get().value(), expected);

    // Defaults are those of the extension, except for the specular colour of a mirror.
    let plain = Material { metallic: 0.0, roughness: 0.0, ..Material::default() };
    assert_eq!(only(&glossy("", "{}")), plain);
}

#[test]
fn the_fallback_material_is_used_if_it_is_complete() {
    let fallback = r#""pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 1]},"#;
    let read = |before: &str, extension: &str| only(&glossy(before, extension));
    let material = read(fallback, r#"{"diffuseFactor": [1, 0, 0, 1]}"#);
    let expected = Material { base_color: Vec4::new(0.0, 1.0, 0.0, 1.0), ..Material::default() };
    assert_eq!(material, expected);
    // Only the extension has the texture.
    let material = read(fallback, r#"{"diffuseTexture": {"index": 0}}"#);
    assert_eq!((material.base_color, material.metallic), (Vec4::ONE, 0.0));
    assert!(material.base_color_texture.is_some());
    let fallback = r#""pbrMetallicRoughness": {"baseColorTexture": {"index": 1}},"#;
    let material = read(fallback, r#"{"diffuseTexture": {"index": 0}}"#);
    assert_eq!(material.metallic, 1.0);
    // Here only the extension has a colour.
    let fallback = r#""pbrMetallicRoughness": {"metallicFactor": 0.5},"#;
    let material = read(fallback, r#"{"diffuseFactor": [1, 0, 0, 1]}"#);
    assert_eq!((material.base_color, material.metallic), (Vec4::new(1.0, 0.0, 0.0, 1.0), 0.0));
}

#[test]
fn the_texture_gives_the_specular_colour_and_its_glossiness_is_reported_once() {
    let textured = r#"{"specularFactor": [1, 0.5, 0.25], "glossinessFactor": 0.5,
        "specularGlossinessTexture": {"index": 0}}"#;
    let textured = glossy("", textured);
    let document = load(&[&textured, &textured, &glossy("", "{}")]);
    assert_eq!(
        document.report().to_string(),
        format!("/materials: the glossiness in the texture of {NAME} is loaded as one half\n")
    );
    // F0 is the texture times the factor: an index of refraction of 0 multiplies it by 1.
    let material = document.materials()[0].get();
    let specular = material.specular.as_ref().unwrap();
    assert_eq!((material.roughness, material.ior), (0.75, 0.0));
    assert_eq!((specular.factor, specular.color), (1.0, Vec3::new(1.0, 0.5, 0.25)));
    assert!(specular.color_texture.is_some() && specular.texture.is_none());
    // Without texture and factor the specular colour is that of a dielectric.
    let plain = document.materials()[2].get();
    assert_eq!((plain.ior, &plain.specular), (1.5, &None));
    let broken = file(&[&textured.replace("\"index\": 0", "\"index\": 7")]);
    let error = load_bytes(broken.as_bytes()).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "specularGlossinessTexture/index: texture 7 does not exist (the file has 2)"
        ),
        "{error}"
    );
}

/// Returns materials of all kinds.
fn material_kinds() -> Vec<String> {
    vec![
        glossy("", "{}"),
        glossy(
            r#""name": "b","#,
            r#"{ "diffuseFactor":[ 0.5,0.250, 1,1 ], "glossinessFactor":2.5e-1, "x": 1,
            "specularFactor" :[0.5,0.25,0], "diffuseTexture": {"index": 1, "texCoord": 1}}"#,
        ),
        glossy(
            r#""pbrMetallicRoughness": {"roughnessFactor": 0.5, "extras": 1},"#,
            r#"{"specularGlossinessTexture": {"index": 0}, "diffuseTexture": {"index": 0}}"#,
        ),
        glossy(
            r#""pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 1]},"#,
            r#"{"diffuseFactor": [1, 0, 0, 1]}"#,
        ),
        glossy(
            r#""pbrMetallicRoughness": {"baseColorTexture": {"index": 1}, "metallicFactor": 0},"#,
            r#"{"diffuseTexture": {"index": 0}, "diffuseFactor": [1, 0, 0, 1]}"#,
        ),
    ]
}

#[test]
fn an_unedited_extension_is_unchanged() {
    let material_kinds = material_kinds();
    let material_kinds: Vec<&str> = material_kinds.iter().map(String::as_str).collect();
    let mut document = load(&material_kinds);
    assert_eq!(text(&document), file(&material_kinds));
    // An edit of another material does not change the extension.
    let material =
        &file(&material_kinds)[file(&material_kinds).find("\"materials\"").unwrap()..].to_string();
    edit(&mut document, 1, |it| it.name = Some("c".into()));
    let saved = text(&document);
    assert!(saved.ends_with(&material.replace(r#""name": "b""#, r#""name": "c""#)), "{saved}");
}

#[test]
fn edited_values_round_trip() {
    type Edit = fn(&mut Material);
    let edits: [Edit; 10] = [
        |it| it.base_color = Vec4::new(0.125, 0.5, 0.25, 0.5),
        |it| it.base_color = Vec4::ONE,
        |it| it.base_color_texture = None,
        |it| it.metallic = 1.0,
        |it| it.roughness = 1.0,
        |it| it.roughness = 0.375,
        |it| it.ior = 1.5,
        |it| it.specular = None,
        |it| it.specular = Some(Box::new(Specular { factor: 0.5, ..Specular::default() })),
        |it| *it = Material::default(),
    ];
    let material_kinds = material_kinds();
    let material_kinds: Vec<&str> = material_kinds.iter().map(String::as_str).collect();
    let mut changed = 0;
    for index in 0..material_kinds.len() {
        for (number, change) in edits.iter().enumerate() {
            let mut document = load(&material_kinds);
            edit(&mut document, index, change);
            let saved = document.save_bytes(Format::Gltf).unwrap();
            // The geometry has no second set of texture coordinates.
            let is_expected = |it: &Warning| it.code == WarningCode::MissingVertexAttribute;
            assert!(saved.report.warnings().iter().all(is_expected), "{}", saved.report);
            let again = load_bytes(&saved.bytes).unwrap();
            for other in 0..material_kinds.len() {
                let (was, is) = (shown(&document, other), shown(&again, other));
                // Image handles differ between documents.
                let bare = |material: &Material| {
                    let specular = material.specular.clone();
                    Material {
                        base_color_texture: None,
                        specular: specular
                            .map(|it| Box::new(Specular { color_texture: None, ..*it })),
                        ..material.clone()
                    }
                };
                assert_eq!(bare(&is), bare(&was), "edit {number} of material {index}, of {other}");
                let images = |document: &Document, material: &Material| {
                    let specular = material.specular.as_ref();
                    let colors = specular.and_then(|it| it.color_texture.clone());
                    [material.base_color_texture.clone(), colors].map(|texture| {
                        let texture = texture?;
                        let index = document.images().iter().position(|it| *it == texture.image);
                        Some((index.unwrap(), texture.uv_set, texture.transform))
                    })
                };
                assert_eq!(
                    images(&again, &is),
                    images(&document, &was),
                    "edit {number} of {index}"
                );
            }
            let json: Value = serde_json::from_slice(&saved.bytes).unwrap();
            let is_edited =
                shown(&document, index).value() != document.materials()[index].get().value();
            let has_it = json["materials"][index]["extensions"].get(NAME).is_some();
            assert_eq!(has_it, !is_edited, "edit {number} of material {index}");
            changed += usize::from(is_edited);
        }
    }
    assert!(changed > 30, "{changed}");
}
