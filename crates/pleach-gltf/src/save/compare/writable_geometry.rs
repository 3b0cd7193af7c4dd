//! `writable`: a geometry as glTF allows it.
//!
//! Refused: what [`Geometry::check`] rejects, because nothing sensible could be written. Converted,
//! with a warning: lengths of normals and tangents, colours, joint weights, and attributes of morph
//! targets that the geometry does not have. Attributes that equal those of the loaded file are not
//! converted. Computed in f64, so the bytes are the same on every processor.

use std::borrow::Cow;

use glam::{DVec3, Vec3, Vec4};
use pleach::{Geometry, Influences, MorphTarget};
use pleach_graph::unit;

use super::geometry::is_same;

/// The tolerance for the lengths of normals and tangents, as that of the checks.
const UNIT_SLACK: f64 = 0.006_74;
/// The tolerance for the sum of the joint weights of a vertex, per set: that of other validators.
const SUM_SLACK: f64 = 8e-7;

/// Returns `now` without what glTF does not allow, and adds a description of each conversion to
/// `conversions`. `was` is the geometry in the file. Missing morph targets up to `targets` are
/// added without displacements, because glTF requires the same number in all parts of a mesh.
///
/// # Errors
///
/// The message of [`Geometry::check`].
pub(crate) fn writable<'g>(
    was: &Geometry,
    now: &'g Geometry,
    targets: usize,
    conversions: &mut Vec<String>,
) -> Result<Cow<'g, Geometry>, String> {
    now.check().map_err(|error| error.to_string())?;
    let mut written = Cow::Borrowed(now);
    let mut report = |what: &str, how: &str| conversions.push(format!("{what} {how}"));

    let is_unit = |it: DVec3| (it.length() - 1.0).abs() <= UNIT_SLACK;
    if !is_same(&was.normals, &now.normals) && !now.normals.iter().all(|it| is_unit(it.as_dvec3()))
    {
        let normals: Vec<Vec3> = now.normals.iter().map(|it| unit_or(*it, Vec3::Z)).collect();
        written.to_mut().normals = normals.into();
        report("normals", "that do not have length 1 are normalized");
    }
    let is_tangent = |it: &Vec4| is_unit(it.truncate().as_dvec3()) && it.w.abs() == 1.0;
    if !is_same(&was.tangents, &now.tangents) && !now.tangents.iter().all(is_tangent) {
        let tangent =
            |it: &Vec4| unit_or(it.truncate(), Vec3::X).extend(if it.w < 0.0 { -1.0 } else { 1.0 });
        written.to_mut().tangents = now.tangents.iter().map(tangent).collect::<Vec<_>>().into();
        report("tangents", "that do not have length 1, or a w of 1 or -1, are normalized");
    }
    for (set, colors) in now.colors.iter().enumerate() {
        let is_kept = was.colors.get(set).is_some_and(|was| is_same(was, colors));
        let is_in_range = |it: &Vec4| it.min_element() >= 0.0 && it.max_element() <= 1.0;
        if !is_kept && !colors.iter().all(is_in_range) {
            let clamped = colors.iter().map(|it| it.clamp(Vec4::ZERO, Vec4::ONE));
            written.to_mut().colors[set] = clamped.collect::<Vec<_>>().into();
            report(&format!("colors[{set}]"), "are clamped to the range from 0 to 1");
        }
    }
    let is_kept = |(was, now): (&Influences, &Influences)| {
        was.joints == now.joints && is_same(&was.weights, &now.weights)
    };
    let are_kept = was.influences.len() == now.influences.len()
        && was.influences.iter().zip(&now.influences).all(is_kept);
    if !are_kept && let Some(weights) = normalized_weights(now) {
        for (set, weights) in written.to_mut().influences.iter_mut().zip(weights) {
            set.weights = weights.into();
        }
        report(
            "joint weights",
            "are normalized: they sum to 1, and no joint of a vertex is repeated",
        );
    }
    write_targets((was, now), targets, &mut written, &mut report);
    Ok(written)
}

/// Completes the morph targets, and drops attributes that the geometry does not have.
fn write_targets(
    (was, now): (&Geometry, &Geometry),
    targets: usize,
    written: &mut Cow<'_, Geometry>,
    report: &mut impl FnMut(&str, &str),
) {
    for (number, target) in now.morph_targets.iter().enumerate() {
        let before = was.morph_targets.get(number);
        let is_loaded = |has_base: bool, is_same: &dyn Fn(&MorphTarget) -> bool| {
            !has_base && before.is_some_and(is_same)
        };
        if now.normals.is_empty()
            && !target.normals.is_empty()
            && !is_loaded(!was.normals.is_empty(), &|it| is_same(&it.normals, &target.normals))
        {
            written.to_mut().morph_targets[number].normals = Vec::new().into();
            let what = format!("morph_targets[{number}].normals");
            report(&what, "are left out because the geometry has no normals");
        }
        if now.tangents.is_empty()
            && !target.tangents.is_empty()
            && !is_loaded(!was.tangents.is_empty(), &|it| is_same(&it.tangents, &target.tangents))
        {
            written.to_mut().morph_targets[number].tangents = Vec::new().into();
            let what = format!("morph_targets[{number}].tangents");
            report(&what, "are left out because the geometry has no tangents");
        }
    }
    for number in 0..targets {
        let is_empty = |it: &MorphTarget| {
            it.positions.is_empty() && it.normals.is_empty() && it.tangents.is_empty()
        };
        // An empty target of the loaded file stays.
        let was_empty = was.morph_targets.get(number).is_some_and(is_empty);
        if written.morph_targets.get(number).is_none_or(is_empty) && !was_empty {
            let targets = &mut written.to_mut().morph_targets;
            if targets.len() == number {
                targets.push(MorphTarget::default());
            }
            targets[number].positions = vec![Vec3::ZERO; now.positions.len()].into();
        }
    }
}

fn unit_or(vector: Vec3, fallback: Vec3) -> Vec3 {
    unit(vector.as_dvec3()).map_or(fallback, |unit| unit.as_vec3())
}

/// Returns the weights of each set, if those of a vertex do not sum to 1 or a joint has two. A vertex
/// without weights follows its first joint, as [`Geometry::posed_positions`] assumes.
fn normalized_weights(geometry: &Geometry) -> Option<Vec<Vec<[f32; 4]>>> {
    let sets = &geometry.influences;
    let mut all: Option<Vec<Vec<[f32; 4]>>> = None;
    let mut influences: Vec<(u16, f64)> = Vec::new();
    for vertex in 0..geometry.positions.len() {
        influences.clear();
        for set in sets {
            let weights = set.weights[vertex].map(f64::from);
            influences.extend(set.joints[vertex].into_iter().zip(weights));
        }
        let mut is_changed = false;
        for at in 1..influences.len() {
            let (joint, weight) = influences[at];
            let first = influences[..at].iter().position(|it| it.0 == joint && it.1 != 0.0);
            if let Some(first) = first.filter(|_| weight != 0.0) {
                influences[first].1 += weight;
                influences[at].1 = 0.0;
                is_changed = true;
            }
        }
        let sum: f64 = influences.iter().map(|it| it.1).sum();
        if sum == 0.0 && !influences.is_empty() {
            influences[0].1 = 1.0;
            is_changed = true;
        } else if (sum - 1.0).abs() > SUM_SLACK * sets.len() as f64 {
            influences.iter_mut().for_each(|it| it.1 /= sum);
            is_changed = true;
        }
        if is_changed {
            let all =
                all.get_or_insert_with(|| sets.iter().map(|it| it.weights.to_vec()).collect());
            for (set, four) in all.iter_mut().zip(influences.chunks_exact(4)) {
                set[vertex] = [0, 1, 2, 3].map(|at| four[at].1 as f32);
            }
        }
    }
    all
}
