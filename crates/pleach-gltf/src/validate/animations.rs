//! Checks for animations without a visible effect.

use crate::Animation;
use glam::{Quat, Vec3};
use pleach::Transform;
use pleach::animation::{Clip, Interpolation, Track};

use super::context::{Context, FileNode};
use super::finding::Findings;
use super::gltf_arrays::{FLOAT, component_name};
use super::note::count;
use super::rule::Rule;
use crate::json;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (index, animation) in context.document.animations().iter().enumerate() {
        let pointer = format!("/animations/{index}");
        let Some(json) = context.root.animations.get(index) else { continue };
        check_one(context, animation, json, &pointer, findings);
        for (number, channel) in json.channels.iter().enumerate() {
            let pointer = format!("{pointer}/channels/{number}/target");
            check_target(context, &channel.target, &pointer, findings);
        }
        check_formats(context, json, &pointer, findings);
    }
}

fn check_target(
    context: &Context<'_>,
    target: &json::AnimationTarget<'_>,
    pointer: &str,
    findings: &mut Findings,
) {
    let is_pointer = target.pointer().is_some();
    if is_pointer && (target.node.is_some() || &*target.path != "pointer") {
        findings.add(Rule::PointerTarget, pointer);
    }
    if &*target.path != "weights" {
        return;
    }
    let node = target.node.and_then(|node| context.root.nodes.get(node.index()));
    let Some(node) = node else { return };
    let mesh = node.mesh.and_then(|mesh| context.root.meshes.get(mesh.index()));
    let has_targets =
        mesh.is_some_and(|mesh| mesh.primitives.iter().any(|it| !it.targets.is_empty()));
    if !has_targets {
        findings.add(Rule::WeightsWithoutTargets, pointer);
    }
}

/// Checks the element types of key times and values.
fn check_formats(
    context: &Context<'_>,
    animation: &json::Animation<'_>,
    pointer: &str,
    findings: &mut Findings,
) {
    let mut report =
        |sampler: usize, end: &str, accessor: &json::Accessor<'_>, is_allowed: bool| {
            if !is_allowed {
                let normalized = if accessor.normalized { ", normalized" } else { "" };
                let kind = component_name(accessor.component_type.get());
                let note = format!("{} of {kind}{normalized}", &*accessor.kind);
                let pointer = format!("{pointer}/samplers/{sampler}/{end}");
                findings.add_note(Rule::KeyFormat, pointer, note);
            }
        };
    let accessor = |index: json::UInt| context.root.accessors.get(index.index());
    for (number, sampler) in animation.samplers.iter().enumerate() {
        if let Some(it) = accessor(sampler.input) {
            let is_float = it.component_type.get() == FLOAT && !it.normalized;
            report(number, "input", it, is_float && &*it.kind == "SCALAR");
        }
    }
    for channel in &animation.channels {
        let Some(sampler) = animation.samplers.get(channel.sampler.index()) else { continue };
        let Some(it) = accessor(sampler.output) else { continue };
        let is_float = it.component_type.get() == FLOAT && !it.normalized;
        let is_small = matches!(it.component_type.get(), 5120..=5123) && it.normalized;
        let is_allowed = match &*channel.target.path {
            "translation" | "scale" => &*it.kind == "VEC3" && is_float,
            "rotation" => &*it.kind == "VEC4" && (is_float || is_small),
            "weights" => &*it.kind == "SCALAR" && (is_float || is_small),
            _ => true,
        };
        report(channel.sampler.index(), "output", it, is_allowed);
    }
}

fn check_one(
    context: &Context<'_>,
    animation: &Animation,
    json: &json::Animation<'_>,
    pointer: &str,
    findings: &mut Findings,
) {
    let clip: &Clip = animation.clip();
    if json.channels.iter().any(|it| it.target.pointer().is_some()) {
        // It changes more than the clip, for example visibility or materials.
        return;
    }
    if clip.channels().is_empty() {
        findings.add(Rule::EmptyAnimation, pointer);
        return;
    }
    let node = |target: u32| {
        let index = *animation.node_indices().get(target as usize)? as usize;
        let position = context.nodes.binary_search_by_key(&index, |node| node.index).ok()?;
        Some(&context.nodes[position])
    };
    let (mut constant, mut idle, mut outside_scene) = (0, 0, 0);
    for channel in clip.channels() {
        let node = node(channel.target());
        outside_scene += usize::from(node.is_none_or(|node| !context.is_in_scene(node)));
        if is_constant(channel.track()) {
            constant += 1;
            idle += usize::from(node.is_some_and(|node| is_rest(channel.track(), node)));
        }
    }
    let all = clip.channels().len();
    if idle == all {
        findings.add(Rule::AnimationWithoutEffect, pointer);
    } else if constant > 0 {
        findings.add_note(
            Rule::ConstantChannels,
            pointer,
            format!("{constant} of {}", count(all, "channel", "channels")),
        );
    }
    if clip.duration() == 0.0 {
        findings.add(Rule::AnimationWithoutTime, pointer);
    }
    if outside_scene == all {
        findings.add(Rule::AnimationOutsideScene, pointer);
    }
}

fn is_constant(track: &Track) -> bool {
    match track {
        Track::Translation(it) | Track::Scale(it) => {
            all_equal(it.values(), it.interpolation(), 1, |value| *value == Vec3::ZERO)
        }
        Track::Rotation(it) => {
            let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            all_equal(it.values(), it.interpolation(), 1, |value| *value == zero)
        }
        Track::Weights(it) => {
            all_equal(it.values(), it.interpolation(), it.width(), |value| *value == 0.0)
        }
    }
}

/// Returns `true` if all keys of `width` values are equal and all tangents are zero.
fn all_equal<T: PartialEq>(
    values: &[T],
    interpolation: Interpolation,
    width: usize,
    is_zero: impl Fn(&T) -> bool,
) -> bool {
    let width = width.max(1);
    if interpolation != Interpolation::CubicSpline {
        return values.chunks(width).all(|key| key == &values[..key.len()]);
    }
    // In-tangents, values, out-tangents.
    let mut keys = values.chunks_exact(3 * width);
    let first = values.get(width..2 * width);
    keys.all(|key| {
        let (before, rest) = key.split_at(width);
        let (value, after) = rest.split_at(width);
        Some(value) == first && before.iter().chain(after).all(&is_zero)
    })
}

/// Returns `true` if the first key equals the rest pose of the node.
fn is_rest(track: &Track, node: &FileNode<'_>) -> bool {
    let Some(view) = node.scene.graph.get(node.id) else { return false };
    let rest: Transform = view.transform();
    let first = |interpolation: Interpolation, width: usize| match interpolation {
        Interpolation::CubicSpline => width,
        _ => 0,
    };
    match track {
        Track::Translation(it) => {
            it.values().get(first(it.interpolation(), 1)) == Some(&rest.translation)
        }
        Track::Scale(it) => it.values().get(first(it.interpolation(), 1)) == Some(&rest.scale),
        Track::Rotation(it) => {
            it.values().get(first(it.interpolation(), 1)).is_some_and(|value: &Quat| {
                value.as_dquat().dot(rest.rotation.as_dquat()).abs() > 0.999_999
            })
        }
        Track::Weights(it) => {
            let from = first(it.interpolation(), it.width());
            let weights = node.scene.weights.get(&node.scene.graph, node.id);
            let rest = weights.map_or(&[][..], pleach::MorphWeights::as_slice);
            let first = it.values().get(from..from + it.width()).unwrap_or_default();
            first.iter().enumerate().all(|(at, &it)| it == rest.get(at).copied().unwrap_or(0.0))
        }
    }
}
