//! Checks the attributes of primitives: names, types, counts and buffer view targets.

use std::collections::BTreeMap;

use super::context::Context;
use super::finding::Findings;
use super::gltf_arrays::{Accessor, GltfArrays, Primitive, component_name};
use super::members::closest;
use super::note::count;
use super::rule::Rule;
use crate::diagnostics::Escaped;

/// The targets of buffer views.
const VERTICES: u64 = 34962;
const INDICES: u64 = 34963;

/// The attributes of glTF; a set index follows a trailing underscore.
const NAMES: [&str; 7] =
    ["POSITION", "NORMAL", "TANGENT", "TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"];

pub(super) fn check(context: &Context<'_>, arrays: &GltfArrays, findings: &mut Findings) {
    let mut required = context.root.extensions_required.iter();
    let is_quantized =
        context.is_quantized || required.any(|name| &**name == "KHR_mesh_quantization");
    // The first use of each buffer view that contradicts its target.
    let mut misused = BTreeMap::new();
    for (pointer, primitive) in arrays.primitives() {
        mode_count(arrays, primitive, &pointer, findings);
        check_sets(primitive, &pointer, findings);
        check_variants(primitive, &pointer, findings);
        for (list, attributes) in primitive.lists() {
            let is_target = list != "/attributes";
            for (name, &index) in attributes {
                let pointer = format!("{pointer}{list}/{}", Escaped(name));
                if !is_known(name) {
                    report_name(name, &pointer, findings);
                }
                let Some(accessor) = arrays.accessor(index) else { continue };
                if !is_allowed(name, accessor, is_quantized, is_target) {
                    let note = type_note(name, accessor, is_quantized, is_target);
                    findings.add_note(Rule::AttributeType, &pointer, note);
                }
                record_misuse(arrays, accessor, INDICES, &pointer, &mut misused);
            }
        }
        if let Some(accessor) = primitive.indices.and_then(|index| arrays.accessor(index)) {
            let pointer = format!("{pointer}/indices");
            // The loader rejects other types than unsigned integers.
            if accessor.normalized {
                findings.add(Rule::IndexType, &pointer);
            }
            record_misuse(arrays, accessor, VERTICES, &pointer, &mut misused);
        }
    }
    for (view, user) in misused {
        findings.add_note(Rule::ViewTarget, format!("/bufferViews/{view}/target"), user);
    }
}

/// Reports an unknown name with the most similar known name, if there is one.
fn report_name(name: &str, pointer: &str, findings: &mut Findings) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let near = (name.len() < 40).then(|| closest(stem, NAMES.into_iter())).flatten();
    match near {
        Some(near) if near.ends_with('_') => {
            let set = Some(&name[stem.len()..]).filter(|set| !set.is_empty()).unwrap_or("0");
            findings.add_note(Rule::AttributeName, pointer, format!("did you mean {near}{set}?"));
        }
        Some(near) => {
            findings.add_note(Rule::AttributeName, pointer, format!("did you mean {near}?"));
        }
        None => findings.add(Rule::AttributeName, pointer),
    }
}

/// Checks the number of indices or vertices against the primitive mode.
fn mode_count(arrays: &GltfArrays, primitive: &Primitive, pointer: &str, findings: &mut Findings) {
    let (index, end, thing) = match (primitive.indices, primitive.attributes.get("POSITION")) {
        (Some(index), _) => (index, "/indices", "index"),
        (None, Some(&index)) => (index, "/attributes/POSITION", "vertex"),
        _ => return,
    };
    let Some(number) = arrays.accessor(index).map(|it| it.count as usize) else { return };
    let kind = match primitive.mode.unwrap_or(4.0) as u8 {
        1 if number % 2 != 0 => "separate lines",
        2 | 3 if number == 1 => "a line",
        4 if number % 3 != 0 => "separate triangles",
        5 | 6 if matches!(number, 1 | 2) => "a strip or fan of triangles",
        _ => return,
    };
    let plural = if thing == "index" { "indices" } else { "vertices" };
    let number = count(number, thing, plural);
    findings.add_note(Rule::ModeCount, format!("{pointer}{end}"), format!("{number} for {kind}"));
}

/// Checks that attribute sets are consecutive, that joints come with weights, and that morph targets
/// have the attributes of their primitive.
fn check_sets(primitive: &Primitive, pointer: &str, findings: &mut Findings) {
    let pointer = format!("{pointer}/attributes");
    let count = |name: &str| {
        let sets = primitive.attributes.keys().filter_map(|it| it.strip_prefix(name)?.parse().ok());
        let sets: Vec<usize> = sets.collect();
        (sets.len(), sets.into_iter().max().map_or(0, |last| last + 1))
    };
    for name in ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"] {
        let (found, expected) = count(name);
        if found != expected {
            let note = format!("{found} of {expected} sets of {name}n");
            findings.add_note(Rule::AttributeSets, &pointer, note);
        }
    }
    let (joints, weights) = (count("JOINTS_").0, count("WEIGHTS_").0);
    if joints != weights {
        let note = format!("{joints} sets of joints, {weights} of weights");
        findings.add_note(Rule::AttributeSets, &pointer, note);
    }
    for (list, attributes) in primitive.lists().skip(1) {
        let missing = attributes.keys().find(|it| !primitive.attributes.contains_key(*it));
        if let Some(name) = missing {
            let pointer = pointer.replace("/attributes", &list);
            findings.add(Rule::MorphWithoutBase, format!("{pointer}/{}", Escaped(name)));
        }
    }
}

fn check_variants(primitive: &Primitive, pointer: &str, findings: &mut Findings) {
    let mappings = primitive.extensions.variants.mappings.iter();
    let mut variants: Vec<u64> = mappings.flat_map(|it| it.variants.iter().copied()).collect();
    variants.sort_unstable();
    if let Some(twice) = variants.windows(2).find(|it| it[0] == it[1]) {
        let pointer = format!("{pointer}/extensions/KHR_materials_variants/mappings");
        findings.add_note(Rule::VariantTwice, pointer, format!("variant {}", twice[0]));
    }
}

/// Records a use of a buffer view that has the wrong `target`.
fn record_misuse(
    arrays: &GltfArrays,
    accessor: &Accessor,
    target: u64,
    pointer: &str,
    misused: &mut BTreeMap<usize, String>,
) {
    let Some(view) = accessor.buffer_view.map(|view| view as usize) else { return };
    let stated = arrays.views.get(view).and_then(|it| it.target.as_ref()?.as_f64());
    if stated == Some(target as f64) {
        misused.entry(view).or_insert_with(|| format!("{target}, but it contains {pointer}"));
    }
}

/// Returns `true` if glTF or an extension defines the name, or it is a custom name.
fn is_known(name: &str) -> bool {
    // Names of extensions begin with the extension and a colon.
    if name.starts_with('_') || name.contains(':') {
        return true;
    }
    let is_number = |it: &str| {
        it.bytes().all(|byte| byte.is_ascii_digit()) && (it == "0" || !it.starts_with('0'))
    };
    NAMES.iter().any(|known| match name.strip_prefix(known) {
        Some(set) if known.ends_with('_') => !set.is_empty() && is_number(set),
        Some(rest) => rest.is_empty(),
        None => false,
    })
}

/// Returns `true` if glTF allows the component type of an attribute. The loader checks the rest.
fn is_allowed(name: &str, accessor: &Accessor, is_quantized: bool, is_target: bool) -> bool {
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_normalized = accessor.normalized;
    // i8, u8, i16, u16, u32, f32.
    match (kind, accessor.component_type as u32) {
        ("POSITION" | "NORMAL" | "TANGENT" | "TEXCOORD_" | "COLOR_" | "WEIGHTS_", 5126) => true,
        ("POSITION", 5120..=5123) => is_quantized,
        ("NORMAL" | "TANGENT", 5120 | 5122) => is_quantized && is_normalized,
        ("TEXCOORD_", 5121 | 5123) => is_normalized || is_quantized,
        ("TEXCOORD_", 5120 | 5122) => is_quantized || (is_target && is_normalized),
        ("COLOR_" | "WEIGHTS_", 5121 | 5123) => is_normalized,
        ("COLOR_", 5120 | 5122) => is_target && is_normalized,
        ("JOINTS_", 5121 | 5123) => !is_normalized,
        // Custom attributes.
        (kind, component) => !NAMES.contains(&kind) && component != 5125,
    }
}

fn type_note(name: &str, accessor: &Accessor, is_quantized: bool, is_target: bool) -> String {
    let kind = component_name(accessor.component_type as u64);
    let normalized = if accessor.normalized { ", normalized" } else { ", not normalized" };
    let remedy = match !is_quantized && is_allowed(name, accessor, true, is_target) {
        true => ": this requires KHR_mesh_quantization",
        false => "",
    };
    format!("{kind}{normalized}{remedy}")
}
