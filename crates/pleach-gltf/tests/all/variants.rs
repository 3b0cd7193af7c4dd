//! Material variants: listed, applied and undone, and saved without a change.

use pleach::Material;
use pleach_gltf::{Document, Format, load_bytes};

/// Two meshes: one with materials for both variants, one with a single material for "beach".
const FILE: &str = r#"{ "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_materials_variants"],
  "extensions": {"KHR_materials_variants": {"variants": [ {"name": "beach"}, {"name": "city"} ]}},
  "materials": [{"name": "plain"}, {"name": "sand"}, {"name": "stone"}],
  "meshes": [
    {"primitives": [{"attributes": {}, "material": 0, "extensions": {"KHR_materials_variants":
      {"mappings": [{"material": 1, "variants": [0]}, {"variants": [ 1 ], "material": 2}]}}}]},
    {"primitives": [{"attributes": {}, "mode": 0, "extensions": {"KHR_materials_variants":
      {"mappings": [{"material": 1, "variants": [0]}, {"material": 77, "variants": [1]}]}}}]},
    {"primitives": [{"attributes": {}, "mode": 1, "material": 2}]}],
  "nodes": [{"mesh": 0}, {"mesh": 1}, {"mesh": 2}], "scenes": [{"nodes": [0, 1, 2]}] }"#;

fn load() -> Document {
    load_bytes(FILE.as_bytes()).unwrap()
}

fn shown(document: &Document) -> Vec<String> {
    let scene = &document.scenes()[0];
    let mut meshes: Vec<_> = scene.meshes.iter(&scene.graph).collect();
    meshes.sort_by_key(|(node, _)| node.index());
    let name = |material: &Material| material.name.clone().unwrap_or_else(|| "none".into());
    meshes.iter().map(|(_, mesh)| name(&mesh.parts[0].material.get())).collect()
}

fn saved(document: &Document) -> String {
    String::from_utf8(document.save_bytes(Format::Gltf).unwrap().bytes).unwrap()
}

#[test]
fn d_variants_are_listed_applied_and_undone() {
    let mut document = load();
    assert_eq!(
        (document.variants(), document.variant()),
        (&["beach", "city"].map(String::from)[..], None)
    );
    assert_eq!(shown(&document), ["plain", "none", "stone"]);
    assert!(document.apply_variant(Some("beach")));
    assert_eq!(shown(&document), ["sand", "sand", "stone"]);
    // A material that does not exist is ignored.
    assert!(document.apply_variant(Some("city")));
    assert_eq!(
        (shown(&document).join(" "), document.variant()),
        ("stone none stone".into(), Some("city"))
    );
    assert!(!document.apply_variant(Some("moon")));
    assert_eq!(document.variant(), Some("city"));
    assert!(document.apply_variant(None));
    assert_eq!((shown(&document).join(" "), document.variant()), ("plain none stone".into(), None));
}

#[test]
fn applying_a_variant_does_not_change_the_saved_file() {
    let mut document = load();
    document.apply_variant(Some("beach"));
    assert_eq!(saved(&document), FILE);
    // What else was edited is saved, also of a clone of such a node.
    let node = document.node(0, 0).unwrap();
    document.scenes_mut()[0].clone_subtree(node, None).unwrap();
    document.scenes_mut()[0].update().unwrap();
    let again = load_bytes(saved(&document).as_bytes()).unwrap();
    assert_eq!(shown(&again).iter().filter(|name| *name == "plain").count(), 2);
    assert_eq!(again.variants().len(), 2);
}

#[test]
fn a_baked_variant_is_saved_as_the_own_material() {
    let mut document = load();
    document.apply_variant(Some("beach"));
    document.bake_variant();
    let again = load_bytes(saved(&document).as_bytes()).unwrap();
    assert_eq!(shown(&again), ["sand", "sand", "stone"]);
    assert_eq!(again.variants().len(), 2);
}

#[test]
fn a_material_of_the_callers_is_kept_by_variants() {
    let mut document = load();
    let node = document.node(0, 0).unwrap();
    let scene = &mut document.scenes_mut()[0];
    let own = scene.assets.add(Material::default().named("own"));
    scene.mesh_mut(node).unwrap().parts[0].material = own;
    document.apply_variant(Some("beach"));
    assert_eq!(shown(&document), ["own", "sand", "stone"]);
}

#[test]
fn invalid_variants_are_ignored() {
    let file = FILE.replace("[ 1 ]", "\"x\"");
    let mut document = load_bytes(file.as_bytes()).unwrap();
    assert!(document.variants().is_empty() && !document.apply_variant(Some("beach")));
    assert!(document.apply_variant(None));
    assert_eq!(saved(&document), file);
}
