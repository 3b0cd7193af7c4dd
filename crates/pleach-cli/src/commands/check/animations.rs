//! Checks for animations without a visible effect.

use glam::Quat;
use pleach::Transform;
use pleach::animation::{Clip, Interpolation, Track};
use pleach_gltf::Animation;

use super::context::{Context, FileNode};
use super::finding::{Findings, Rule, Severity::*};
use crate::report::units::count;

const EMPTY: Rule = Rule {
    severity: Warning,
    code: "empty-animation",
    message: "an animation has no playable channel",
    advice: "Remove it, or check the targets of its channels.",
};
const NO_EFFECT: Rule = Rule {
    severity: Hint,
    code: "animation-without-effect",
    message: "an animation does not change the rest pose",
    advice: "Remove it.",
};
const CONSTANT: Rule = Rule {
    severity: Hint,
    code: "constant-channels",
    message: "channels of an animation are constant",
    advice: "Omit them when exporting, unless other animations move the same nodes.",
};
const POSE: Rule = Rule {
    severity: Hint,
    code: "animation-without-time",
    message: "an animation has a duration of 0: it is a pose",
    advice: "Give it keys at several times if it should move.",
};
const OUTSIDE_SCENE: Rule = Rule {
    severity: Hint,
    code: "animation-outside-scene",
    message: "an animation moves only nodes that are not in any scene",
    advice: "Add the nodes to a scene, or remove the animation.",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (index, animation) in context.document.animations().iter().enumerate() {
        check_one(context, animation, &format!("/animations/{index}"), findings);
    }
}

fn check_one(context: &Context<'_>, animation: &Animation, pointer: &str, findings: &mut Findings) {
    let clip: &Clip = animation.clip();
    if animation.visibility_target_count() > 0 {
        // It changes visibility, so it has an effect.
        return;
    }
    if clip.channels().is_empty() {
        findings.add(&EMPTY, pointer);
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
        findings.add(&NO_EFFECT, pointer);
    } else if constant > 0 {
        findings.add_note(&CONSTANT, pointer, format!("{constant} of {}", count(all, "channel")));
    }
    if clip.duration() == 0.0 {
        findings.add(&POSE, pointer);
    }
    if outside_scene == all {
        findings.add(&OUTSIDE_SCENE, pointer);
    }
}

fn is_constant(track: &Track) -> bool {
    match track {
        Track::Translation(it) | Track::Scale(it) => {
            all_equal(it.values(), it.interpolation(), 1, |value| value.length_squared() == 0.0)
        }
        Track::Rotation(it) => {
            all_equal(it.values(), it.interpolation(), 1, |value| value.length_squared() == 0.0)
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
        Track::Rotation(it) => it
            .values()
            .get(first(it.interpolation(), 1))
            .is_some_and(|value: &Quat| value.dot(rest.rotation).abs() > 0.999_999),
        Track::Weights(it) => {
            let from = first(it.interpolation(), it.width());
            let weights = node.scene.weights.get(&node.scene.graph, node.id);
            let rest = weights.map_or(&[][..], pleach::MorphWeights::as_slice);
            let first = it.values().get(from..from + it.width()).unwrap_or_default();
            first.iter().enumerate().all(|(at, &it)| it == rest.get(at).copied().unwrap_or(0.0))
        }
    }
}
