//! Checks the stored values of accessors, by their use: finite numbers, unit vectors, ranges.
//!
//! Compressed vertices have no stored values and are not checked.

use std::collections::BTreeMap;

use super::context::Context;
use super::finding::Findings;
use super::note::fraction;
use super::rule::Rule;
use crate::json::UInt;

/// The tolerances of the Khronos validator for unit vectors and quaternions.
const UNIT_VECTOR: f64 = 0.006_74;
const UNIT_QUATERNION: f64 = 0.007_69;

/// The use of an accessor that determines the allowed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueUse {
    Tangents,
    Colors,
    Joints,
    Weights,
    Indices,
    Rotations,
    /// Tangents before and after each rotation.
    RotationSplines,
}

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    let uses = uses(context);
    let mut kept: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    context.document.scan_accessors(|index, accessor| {
        let pointer = format!("/accessors/{index}");
        let value_use = uses.get(&index).copied();
        let is_float = accessor.is_float();
        let mut stats = Stats::default();
        let restart = accessor.restart_index();
        let mut values = Vec::new();
        accessor.for_each_stored(|element| {
            let number = stats.count;
            stats.count += 1;
            stats.infinite += usize::from(element.iter().any(|it| !it.is_finite()));
            let length = || element.iter().map(|it| it * it).sum::<f64>().sqrt();
            let is_bad = match value_use {
                Some(ValueUse::Tangents) if is_float => {
                    let [x, y, z, w] = *element else { return };
                    let length = (x * x + y * y + z * z).sqrt();
                    (length - 1.0).abs() > UNIT_VECTOR || w.abs() != 1.0
                }
                Some(ValueUse::Colors) if is_float => {
                    element.iter().any(|it| !(0.0..=1.0).contains(it))
                }
                Some(ValueUse::Weights) => {
                    values.extend(element);
                    element.iter().any(|it| *it < 0.0)
                }
                Some(ValueUse::Joints) => {
                    values.extend(element);
                    false
                }
                Some(ValueUse::Rotations) if is_float => (length() - 1.0).abs() > UNIT_QUATERNION,
                Some(ValueUse::RotationSplines) if is_float => {
                    number % 3 == 1 && (length() - 1.0).abs() > UNIT_QUATERNION
                }
                Some(ValueUse::Indices) => element.first() == restart.as_ref(),
                _ => false,
            };
            stats.bad += usize::from(is_bad);
        });
        if !values.is_empty() {
            kept.insert(index, values);
        }
        if stats.infinite > 0 {
            let note = fraction(stats.infinite, stats.count, "elements");
            findings.add_note(Rule::InvalidFloat, &pointer, note);
        }
        if let Some(value_use) = value_use.filter(|_| stats.bad > 0) {
            let note = fraction(stats.bad, stats.count, "elements");
            findings.add_note(value_use.rule(), &pointer, note);
        }
    });
    check_influences(context, &kept, findings);
}

/// The numbers of elements of an accessor, of those that are not finite, and of those that are not
/// allowed.
#[derive(Default)]
struct Stats {
    count: usize,
    infinite: usize,
    bad: usize,
}

impl ValueUse {
    fn rule(self) -> Rule {
        match self {
            Self::Tangents => Rule::TangentsNotUnit,
            Self::Colors => Rule::ColorRange,
            Self::Joints | Self::Weights => Rule::InvalidWeights,
            Self::Indices => Rule::PrimitiveRestart,
            Self::Rotations | Self::RotationSplines => Rule::RotationKeyLength,
        }
    }
}

fn uses(context: &Context<'_>) -> BTreeMap<usize, ValueUse> {
    let root = &context.root;
    let mut uses = BTreeMap::new();
    for primitive in root.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        for (name, accessor) in &primitive.attributes.0 {
            let value_use = match name.split('_').next() {
                Some("TANGENT") => ValueUse::Tangents,
                Some("COLOR") => ValueUse::Colors,
                Some("JOINTS") => ValueUse::Joints,
                Some("WEIGHTS") => ValueUse::Weights,
                _ => continue,
            };
            uses.insert(accessor.index(), value_use);
        }
        uses.extend(primitive.indices.map(|it| (it.index(), ValueUse::Indices)));
    }
    for animation in &root.animations {
        for channel in animation.channels.iter().filter(|it| &*it.target.path == "rotation") {
            let Some(sampler) = animation.samplers.get(channel.sampler.index()) else { continue };
            let is_spline = sampler.interpolation.as_deref() == Some("CUBICSPLINE");
            let value_use = if is_spline { ValueUse::RotationSplines } else { ValueUse::Rotations };
            uses.insert(sampler.output.index(), value_use);
        }
    }
    uses
}

/// Reports vertices that have the same joint twice, with weights.
fn check_influences(
    context: &Context<'_>,
    kept: &BTreeMap<usize, Vec<f64>>,
    findings: &mut Findings,
) {
    let mut checked = std::collections::BTreeSet::new();
    for (mesh, json) in context.root.meshes.iter().enumerate() {
        for (number, primitive) in json.primitives.iter().enumerate() {
            let of = |name: String| primitive.attributes.get(&name).map(UInt::index);
            let sets: Vec<(usize, usize)> = (0..16)
                .map_while(|set| {
                    Some((of(format!("JOINTS_{set}"))?, of(format!("WEIGHTS_{set}"))?))
                })
                .collect();
            if sets.is_empty() || !checked.insert(sets.clone()) {
                continue;
            }
            let columns: Option<Vec<_>> = sets
                .iter()
                .map(|(joints, weights)| Some((kept.get(joints)?, kept.get(weights)?)))
                .collect();
            let Some(columns) = columns else { continue };
            let vertices = columns.iter().map(|it| it.0.len().min(it.1.len()) / 4).min();
            let is_duplicate = |vertex: &usize| {
                let at = 4 * vertex..4 * vertex + 4;
                let mut joints: Vec<f64> = Vec::new();
                for (all_joints, all_weights) in &columns {
                    let pairs = all_joints[at.clone()].iter().zip(&all_weights[at.clone()]);
                    joints.extend(pairs.filter(|it| *it.1 != 0.0).map(|it| it.0));
                }
                joints.sort_unstable_by(f64::total_cmp);
                joints.windows(2).any(|it| it[0] == it[1])
            };
            let vertices = vertices.unwrap_or(0);
            let duplicates = (0..vertices).filter(is_duplicate).count();
            if duplicates > 0 {
                let note = fraction(duplicates, vertices, "vertices with a joint twice");
                let pointer = format!("/meshes/{mesh}/primitives/{number}/attributes/JOINTS_0");
                findings.add_note(Rule::InvalidWeights, pointer, note);
            }
        }
    }
}
