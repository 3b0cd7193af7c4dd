//! Modifies each member, array, index and byte of a model that uses every feature.

use serde_json::{Value, json};

use super::model::rich;
use super::tally::Tally;
use crate::common::container::glb;
use crate::common::pointer::{pointers, take};

/// Returns a copy without the value at a pointer.
fn removed(model: &Value, pointer: &str) -> Value {
    let mut model = model.clone();
    take(&mut model, pointer);
    model
}

/// Returns a copy with another value at a pointer.
fn replaced(model: &Value, pointer: &str, value: Value) -> Value {
    let mut model = model.clone();
    if let Some(target) = model.pointer_mut(pointer) {
        *target = value;
    }
    model
}

/// Parses a value that `json!` cannot express.
fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

#[test]
fn any_integer_may_have_any_value() {
    let mut tally = Tally::new("lies");
    let model = rich();
    #[rustfmt::skip] // A table.
    let values: Vec<Value> = [
        "0", "1", "2", "3", "255", "2147483647", "2147483648", "4294967295", "4294967296",
        "9007199254740992", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e308", "-1", "-9223372036854775808", "0.5", "1.0", "1e2", "\"1\"",
        "null", "[]", "[1]", "{}", "false",
    ]
    .map(number)
    .into();
    let json = &model.json;
    let mut number = 0;
    for pointer in pointers(json) {
        if !json.pointer(&pointer).is_some_and(Value::is_u64) {
            continue;
        }
        for value in &values {
            number += 1;
            if tally.is_chosen(number) {
                let file = replaced(json, &pointer, value.clone()).to_string();
                tally.bytes(&format!("{pointer} is {value}"), &glb(file.as_bytes(), &model.bin));
            }
        }
    }
    tally.end();
}

#[test]
fn any_member_may_be_missing_or_have_another_type() {
    let mut tally = Tally::new("members");
    let model = rich();
    let json = &model.json;
    #[rustfmt::skip] // A table.
    let others: Vec<Value> = [
        "null", "{}", "[]", "\"\"", "-1", "1e39", "2147483648", "true", "\"\\u0000\"", "[[]]",
        "[{}]", "{\"\":0}", "[null]", "1e-46",
    ]
    .map(number)
    .into();
    let mut number = 0;
    for pointer in pointers(json).into_iter().skip(1) {
        let cases = std::iter::once(("removed".to_string(), removed(json, &pointer)))
            .chain(others.iter().map(|it| (it.to_string(), replaced(json, &pointer, it.clone()))));
        for (name, file) in cases {
            number += 1;
            if tally.is_chosen(number) {
                let file = glb(file.to_string().as_bytes(), &model.bin);
                tally.bytes(&format!("{pointer}: {name}"), &file);
            }
        }
    }
    for other in others {
        tally.value(&format!("the root is {other}"), &other);
    }
    tally.end();
}

fn repeated(list: &[Value], times: usize) -> Vec<Value> {
    list.iter().cycle().take(list.len() * times).cloned().collect()
}

#[test]
fn any_array_may_be_empty_doubled_or_repeated() {
    let mut tally = Tally::new("lists");
    let model = rich();
    let json = &model.json;
    for pointer in pointers(json) {
        let Some(Value::Array(list)) = json.pointer(&pointer) else { continue };
        let mut cases = vec![("empty".to_string(), vec![]), ("double".into(), repeated(list, 2))];
        cases.push(("backwards".into(), list.iter().rev().cloned().collect()));
        for (number, item) in list.iter().enumerate() {
            let mut longer = list.clone();
            longer.insert(number, item.clone());
            cases.push((format!("{number} twice"), longer));
            cases.push((
                format!("only {number}, {} times", list.len()),
                vec![item.clone(); list.len()],
            ));
        }
        cases.push(("1000 times".into(), repeated(list, 1000 / list.len().max(1))));
        for (name, list) in cases {
            let file = replaced(json, &pointer, Value::Array(list)).to_string();
            tally.bytes(&format!("{pointer}: {name}"), &glb(file.as_bytes(), &model.bin));
        }
    }
    tally.end();
}

/// Returns the array that a member indexes, if it is an index.
fn list_of(pointer: &str) -> Option<&'static str> {
    let steps: Vec<&str> = pointer.split('/').collect();
    let last = |back: usize| steps.get(steps.len().checked_sub(back)?).copied();
    Some(match (last(2), last(1)?) {
        (Some("children" | "joints" | "nodes"), _) => "nodes",
        (_, "node" | "skeleton") => "nodes",
        (_, "mesh") => "meshes",
        (_, "skin") => "skins",
        (_, "camera") => "cameras",
        (_, "scene") => "scenes",
        (_, "material") => "materials",
        (_, "source") => "images",
        (_, "index") => "textures",
        (_, "bufferView") => "bufferViews",
        (_, "buffer") => "buffers",
        (_, "indices" | "input" | "output" | "inverseBindMatrices") => "accessors",
        (Some("attributes"), _) | (Some("0" | "1"), "POSITION" | "NORMAL" | "TANGENT") => {
            "accessors"
        }
        (_, "light" | "sampler") => "few",
        _ => return None,
    })
}

#[test]
fn any_index_may_have_any_value() {
    let mut tally = Tally::new("indices");
    let model = rich();
    let json = &model.json;
    let mut number = 0;
    for pointer in pointers(json) {
        let (Some(list), Some(Value::Number(_))) = (list_of(&pointer), json.pointer(&pointer))
        else {
            continue;
        };
        let count = json[list].as_array().map_or(4, Vec::len);
        for index in 0..=count {
            number += 1;
            if tally.is_chosen(number) {
                let file = replaced(json, &pointer, index.into()).to_string();
                tally.bytes(&format!("{pointer} is {index}"), &glb(file.as_bytes(), &model.bin));
            }
        }
    }
    // Every node as the child of every node.
    let nodes = json["nodes"].as_array().map_or(0, Vec::len);
    for parent in 0..nodes {
        for child in 0..nodes {
            let mut file = json.clone();
            file["nodes"][parent]["children"] = json!([child]);
            tally.bytes(
                &format!("node {child} is the child of node {parent}"),
                &glb(file.to_string().as_bytes(), &model.bin),
            );
        }
    }
    tally.end();
}

#[test]
fn any_float_may_have_any_bits() {
    let mut tally = Tally::new("floats");
    let model = rich();
    #[rustfmt::skip] // A table.
    let patterns = [
        f32::NAN.to_bits(), 0x7f80_0001, 0xffff_ffff, f32::INFINITY.to_bits(),
        f32::NEG_INFINITY.to_bits(), f32::MAX.to_bits(), f32::MIN.to_bits(), 1, 0x8000_0000,
        0x8000_0001, f32::MIN_POSITIVE.to_bits(), 1e-20f32.to_bits(), 1e20f32.to_bits(),
    ];
    let json = model.json.to_string();
    for (number, &at) in model.floats.iter().enumerate() {
        for bits in patterns {
            let mut bin = model.bin.clone();
            bin[at..at + 4].copy_from_slice(&bits.to_le_bytes());
            if tally.is_chosen(number) {
                let name = format!("float {number} has the bits {bits:#010x}");
                tally.bytes(&name, &glb(json.as_bytes(), &bin));
            }
        }
    }
    for bits in patterns {
        let mut bin = model.bin.clone();
        for &at in &model.floats {
            bin[at..at + 4].copy_from_slice(&bits.to_le_bytes());
        }
        tally
            .bytes(&format!("all floats count the bits {bits:#010x}"), &glb(json.as_bytes(), &bin));
    }
    // All other bytes, too: indices, joints, compressed streams.
    for at in 0..model.bin.len() {
        for byte in [0u8, 1, 0x7f, 0x80, 0xff] {
            let mut bin = model.bin.clone();
            bin[at] = byte;
            if tally.is_chosen(at) {
                tally.bytes(&format!("byte {at} is {byte:#x}"), &glb(json.as_bytes(), &bin));
            }
        }
    }
    tally.end();
}
