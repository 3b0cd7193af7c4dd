//! The table of references is complete: a model whose arrays are permuted, with every reference in
//! the table renumbered, is the same model.

use std::collections::BTreeMap;

use pleach_gltf::references::{ReferenceTarget, References, rules};
use pleach_gltf::{Format, GltfArray, Options, Support, supports};
use serde_json::{Value, json};
use testkit::Rng;

use crate::common_save::{Files, sample_models, text_of, value};
use crate::pruning::prune_and_check::assert_same;

/// The new index of each entry, by array.
type Permutation = BTreeMap<GltfArray, Vec<usize>>;

fn shuffled(count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut order);
    order
}

fn reorder(entries: &mut Vec<Value>, order: &[usize]) {
    let mut moved = vec![Value::Null; entries.len()];
    for (entry, &to) in entries.drain(..).zip(order) {
        moved[to] = entry;
    }
    *entries = moved;
}

/// Calls `visit` with each value at a path of the table.
fn visit(value: &mut Value, path: &[&str], edit: &mut impl FnMut(&mut Value)) {
    let Some((step, rest)) = path.split_first() else { return edit(value) };
    match value {
        Value::Array(all) if *step == "*" => {
            all.iter_mut().for_each(|it| visit(it, rest, edit));
        }
        Value::Object(all) if *step == "*" => {
            all.values_mut().for_each(|it| visit(it, rest, edit));
        }
        Value::Object(all) => {
            if let Some(it) = all.get_mut(*step) {
                visit(it, rest, edit);
            }
        }
        _ => {}
    }
}

fn renumber(value: &mut Value, to: ReferenceTarget, orders: &Permutation) {
    match to {
        ReferenceTarget::Index(array) => {
            let index = value.as_f64().unwrap() as usize;
            *value = json!(orders.get(&array).map_or(index, |order| order[index]));
        }
        ReferenceTarget::Pointer => {
            let mut steps: Vec<String> =
                value.as_str().unwrap().split('/').map(String::from).collect();
            let arrays = orders.iter().filter_map(|(array, order)| Some((array.pointer()?, order)));
            for (pointer, order) in arrays {
                let at = pointer.split('/').count();
                if steps[..at.min(steps.len())].join("/") == pointer {
                    steps[at] = order[steps[at].parse::<usize>().unwrap()].to_string();
                }
            }
            *value = json!(steps.join("/"));
        }
        _ => unreachable!(),
    }
}

/// Permutes all arrays except those whose order is visible: scenes and animations.
fn permuted(mut json: Value, rng: &mut Rng) -> Value {
    let mut orders = Permutation::new();
    for array in GltfArray::ALL {
        let Some(pointer) = array.pointer() else { continue };
        if matches!(array, GltfArray::Scenes | GltfArray::Animations) {
            continue;
        }
        if let Some(entries) = json.pointer_mut(pointer).and_then(Value::as_array_mut) {
            let order = shuffled(entries.len(), rng);
            reorder(entries, &order);
            orders.insert(array, order);
        }
    }
    let animations = json.pointer_mut("/animations").and_then(Value::as_array_mut);
    for animation in animations.into_iter().flatten() {
        let samplers = animation["samplers"].as_array_mut().unwrap();
        let order = shuffled(samplers.len(), rng);
        reorder(samplers, &order);
        let orders = Permutation::from([(GltfArray::AnimationSamplers, order)]);
        for rule in rules(Some(GltfArray::Animations)) {
            if rule.to == ReferenceTarget::Index(GltfArray::AnimationSamplers) {
                visit(animation, rule.path, &mut |it| renumber(it, rule.to, &orders));
            }
        }
    }
    for array in GltfArray::ALL {
        let Some(entries) = array.pointer().and_then(|it| json.pointer_mut(it)) else { continue };
        for entry in entries.as_array_mut().unwrap() {
            for rule in rules(Some(array)) {
                visit(entry, rule.path, &mut |it| renumber(it, rule.to, &orders));
            }
        }
    }
    json
}

#[test]
fn permuted_models_are_equal() {
    let (mut compared, mut skipped) = (0, 0);
    for (path, document) in sample_models() {
        let what = path.display().to_string();
        let saved = document.save_bytes(Format::Gltf).unwrap();
        let text = text_of(&saved);
        let references = References::from_json(&text);
        if references.incomplete().is_some() || references.dangling().next().is_some() {
            skipped += 1;
            continue;
        }
        let seed = compared + 1;
        let json = permuted(value(&text), &mut Rng::new(seed));
        let files: Files = saved.files.iter().cloned().collect();
        let loaded = Options::new().load_with(json.to_string().into_bytes(), &files);
        let loaded = loaded.unwrap_or_else(|error| panic!("{what}, seed {seed}: {error}"));
        assert_same(&document, &loaded, &format!("{what}, seed {seed}"));
        let permuted = json.to_string();
        let permuted = References::from_json(&permuted);
        assert_eq!(permuted.all().len(), references.all().len(), "{what}");
        assert_eq!(permuted.dangling().count(), 0, "{what}");
        compared += 1;
    }
    assert!(skipped * 4 <= compared, "{skipped} of {compared} models have unknown extensions");
}

#[test]
fn references_outside_of_the_loaders_knowledge_are_found() {
    let file = r#"{"textures": [{"extensions": {"EXT_texture_webp": {"source": 4}}}],
        "meshes": [{"primitives": [{"attributes": {}, "extensions": {"KHR_materials_variants":
            {"mappings": [{"material": 0, "variants": [0, 7]}]}}}]}],
        "materials": [{}],
        "extensions": {"KHR_materials_variants": {"variants": [{"name": "red"}]}}}"#;
    let references = References::from_json(file);
    let dangling: Vec<String> = references.dangling().map(|it| references.pointer(it)).collect();
    let variant = "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/variants/1";
    assert_eq!(dangling, ["/textures/0/extensions/EXT_texture_webp/source", variant]);
    assert_eq!(references.incomplete(), None);
    let unknown =
        References::from_json(r#"{"nodes": [{"extensions": {"VENDOR_x": {"node": 1}}}]}"#);
    assert!(unknown.incomplete().unwrap().contains("VENDOR_x"));
}

#[test]
fn support_decides_about_required_extensions() {
    for name in ["KHR_lights_punctual", "KHR_xmp_json_ld", "MSFT_lod", "VENDOR_glow"] {
        let file = json!({"asset": {"version": "2.0"}, "extensionsUsed": [name],
            "extensionsRequired": [name]});
        let is_loaded = pleach_gltf::load_bytes(file.to_string().as_bytes()).is_ok();
        assert_eq!(is_loaded, supports(name) != Support::Unknown, "{name}");
    }
}
