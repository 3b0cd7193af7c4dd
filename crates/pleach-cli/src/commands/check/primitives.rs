//! Checks the attributes of primitives: names, types, counts and buffer view targets.

use std::collections::BTreeMap;

use super::context::Context;
use super::finding::{Findings, Rule, Severity::*};
use super::gltf_arrays::{Accessor, GltfArrays, Primitive};
use super::members::closest;
use crate::input::raw_json::array;
use crate::report::units::{count, thousands};

const MODE_COUNT: Rule = Rule {
    severity: Warning,
    code: "mode-count",
    message: "the number of indices or vertices does not match the primitive mode",
    advice: "Remove the surplus ones, or correct the mode: a triangle has three, a line has \
             two.",
};
const TARGET: Rule = Rule {
    severity: Warning,
    code: "view-target",
    message: "the target of a buffer view is for indices but it contains vertices, or vice versa",
    advice: "Correct its target (34962 vertices, 34963 indices) or omit it; keep vertices and \
             indices in separate buffer views.",
};
const ATTRIBUTE_TYPE: Rule = Rule {
    severity: Warning,
    code: "attribute-type",
    message: "an attribute has a component type that glTF does not allow",
    advice: "Export it as floats or, for quantized data, add KHR_mesh_quantization to \
             extensionsUsed and extensionsRequired.",
};
const ATTRIBUTE_NAME: Rule = Rule {
    severity: Warning,
    code: "attribute-name",
    message: "an attribute has a name that glTF does not define",
    advice: "Correct it; the name of a custom attribute must begin with an underscore.",
};

/// The targets of buffer views.
const VERTICES: u64 = 34962;
const INDICES: u64 = 34963;

/// The attributes of glTF; a set index follows a trailing underscore.
const NAMES: [&str; 7] =
    ["POSITION", "NORMAL", "TANGENT", "TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"];

pub(super) fn check(context: &Context<'_>, arrays: &GltfArrays, findings: &mut Findings) {
    let required: Vec<String> = array(context.document, "/extensionsRequired");
    let is_quantized =
        context.is_quantized || required.iter().any(|name| name == "KHR_mesh_quantization");
    // The first use of each buffer view that contradicts its target.
    let mut misused = BTreeMap::new();
    for (pointer, primitive) in arrays.primitives() {
        mode_count(arrays, primitive, &pointer, findings);
        for (list, attributes) in primitive.lists() {
            let is_target = list != "/attributes";
            for (name, &index) in attributes {
                let pointer = format!("{pointer}{list}/{}", escaped(name));
                if !is_known(name) {
                    report_name(name, &pointer, findings);
                }
                let Some(accessor) = arrays.accessor(index) else { continue };
                if !is_allowed(name, accessor, is_quantized, is_target) {
                    let note = type_note(name, accessor, is_quantized, is_target);
                    findings.add_note(&ATTRIBUTE_TYPE, &pointer, note);
                }
                record_misuse(arrays, accessor, INDICES, &pointer, &mut misused);
            }
        }
        if let Some(accessor) = primitive.indices.and_then(|index| arrays.accessor(index)) {
            record_misuse(arrays, accessor, VERTICES, &format!("{pointer}/indices"), &mut misused);
        }
    }
    for (view, user) in misused {
        findings.add_note(&TARGET, format!("/bufferViews/{view}/target"), user);
    }
}

/// Reports an unknown name with the most similar known name, if there is one.
fn report_name(name: &str, pointer: &str, findings: &mut Findings) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let near = (name.len() < 40).then(|| closest(stem, NAMES.into_iter())).flatten();
    match near {
        Some(near) if near.ends_with('_') => {
            let set = Some(&name[stem.len()..]).filter(|set| !set.is_empty()).unwrap_or("0");
            findings.add_note(&ATTRIBUTE_NAME, pointer, format!("did you mean {near}{set}?"));
        }
        Some(near) => findings.add_note(&ATTRIBUTE_NAME, pointer, format!("did you mean {near}?")),
        None => findings.add(&ATTRIBUTE_NAME, pointer),
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
    let number = match (number, thing) {
        (1, _) | (_, "vertex") => count(number, thing),
        _ => format!("{} indices", thousands(number)),
    };
    findings.add_note(&MODE_COUNT, format!("{pointer}{end}"), format!("{number} for {kind}"));
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
        (kind, _) => !NAMES.contains(&kind),
    }
}

fn type_note(name: &str, accessor: &Accessor, is_quantized: bool, is_target: bool) -> String {
    let kind = match accessor.component_type as u32 {
        5120 => "BYTE",
        5121 => "UNSIGNED_BYTE",
        5122 => "SHORT",
        5123 => "UNSIGNED_SHORT",
        5125 => "UNSIGNED_INT",
        _ => "FLOAT",
    };
    let normalized = if accessor.normalized { ", normalized" } else { ", not normalized" };
    let remedy = match !is_quantized && is_allowed(name, accessor, true, is_target) {
        true => ": this requires KHR_mesh_quantization",
        false => "",
    };
    format!("{kind}{normalized}{remedy}")
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
