//! Checks that `min` and `max` of accessors are present where required and match the data.

use std::collections::BTreeMap;

use crate::Document;
use serde_json::Value;

use super::finding::Findings;
use super::gltf_arrays::{Accessor, FLOAT, GltfArrays};
use super::note::count;
use super::rule::Rule;

pub(super) fn check(document: &Document, arrays: &GltfArrays, findings: &mut Findings) {
    for (accessor, user) in required_min_max(arrays) {
        let Some(it) = arrays.accessors.get(accessor) else { continue };
        let missing = match (&it.min, &it.max) {
            (None, None) => "neither min nor max",
            (None, _) => "no min",
            (_, None) => "no max",
            _ => continue,
        };
        findings.add_note(
            Rule::NoMinMax,
            format!("/accessors/{accessor}"),
            format!("{missing}; {user}"),
        );
    }
    let with_min_max: Vec<usize> = (0..arrays.accessors.len())
        .filter(|&index| {
            arrays.accessors[index].min.is_some() || arrays.accessors[index].max.is_some()
        })
        .collect();
    let extents = document.accessor_min_max(&with_min_max);
    for (&index, extent) in with_min_max.iter().zip(&extents) {
        if let Some(extent) = extent {
            compare(&arrays.accessors[index], extent, &format!("/accessors/{index}"), findings);
        }
    }
}

/// Returns the accessors that must have both, with the first use of each.
fn required_min_max(arrays: &GltfArrays) -> BTreeMap<usize, String> {
    let mut users = BTreeMap::new();
    for (pointer, primitive) in arrays.primitives() {
        for (list, attributes) in primitive.lists() {
            if let Some(&index) = attributes.get("POSITION") {
                let user = || format!("used as {pointer}{list}/POSITION");
                users.entry(index as usize).or_insert_with(user);
            }
        }
    }
    for (index, animation) in arrays.animations.iter().enumerate() {
        for (number, sampler) in animation.samplers.iter().enumerate() {
            let user = || format!("used as /animations/{index}/samplers/{number}/input");
            users.entry(sampler.input as usize).or_insert_with(user);
        }
    }
    users
}

/// Compares the stated minimum and maximum of an accessor with those of its data.
fn compare(accessor: &Accessor, extent: &[Vec<f64>; 2], pointer: &str, findings: &mut Findings) {
    let is_float = accessor.component_type as u64 == FLOAT;
    let both = [("min", &accessor.min, &extent[0]), ("max", &accessor.max, &extent[1])];
    for (name, stated, actual) in both {
        let Some(stated) = stated else { continue };
        let pointer = format!("{pointer}/{name}");
        let numbers: Option<Vec<f64>> =
            stated.as_array().and_then(|it| it.iter().map(Value::as_f64).collect());
        let Some(numbers) = numbers else {
            findings.add_note(Rule::WrongMinMax, pointer, "it is not an array of numbers");
            continue;
        };
        if numbers.len() != actual.len() {
            let note =
                format!("{}, expected {}", count(numbers.len(), "number", "numbers"), actual.len());
            findings.add_note(Rule::WrongMinMax, pointer, note);
            continue;
        }
        let mut wrong = None;
        for (component, (&value, &exact)) in numbers.iter().zip(actual).enumerate() {
            // Floats are compared as 32-bit values.
            let is_same = if is_float { value as f32 == exact as f32 } else { value == exact };
            if is_same {
                continue;
            }
            let size = extent[0][component].abs().max(extent[1][component].abs());
            let is_near = is_float && (value - exact).abs() <= size * 1e-5;
            // The first large difference, or else the first.
            if wrong.is_none_or(|(_, near)| near && !is_near) {
                wrong = Some((component, is_near));
            }
        }
        let Some((component, is_near)) = wrong else { continue };
        let (value, exact) = (numbers[component], actual[component]);
        let number = if numbers.len() == 1 { String::new() } else { format!("[{component}]") };
        let note =
            format!("{name}{number} is {}, of the data {}", exact_text(value), exact_text(exact));
        findings.add_note(
            if is_near { Rule::RoundedMinMax } else { Rule::WrongMinMax },
            pointer,
            note,
        );
    }
}

/// Formats a number with all digits of an f32.
fn exact_text(value: f64) -> String {
    let short = value as f32;
    match (value.abs(), f64::from(short) == value) {
        (0.0, _) => "0".into(),
        (1e-4..1e9, true) => format!("{short}"),
        (1e-4..1e9, false) => format!("{value}"),
        (_, true) => format!("{short:e}"),
        (_, false) => format!("{value:e}"),
    }
}
