//! Animations on their way out: those of the file as they were, but for the nodes' numbers;
//! clips that were changed or added as new samplers and channels.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::animation::{Clip, Interpolation, Property, Track};

use super::Writing;
use super::array::Array;
use super::numbers::Numbers;
use super::patch::{Patch, list, quoted};
use super::sheet::Sheet;
use crate::diagnostics::Pointer;
use crate::document::Targets;
use crate::json::{self, value_at};
use crate::load::split_node_pointer;
use crate::{Animation, WarningCode};

/// Accessors of key times, by where they are in memory: channels share them.
type Times = HashMap<*const f32, (Arc<[f32]>, usize)>;

/// Writes all animations of a document.
pub(crate) fn animations(writing: &Writing<'_>, numbers: &Numbers, sheet: &mut Sheet<'_>) {
    let mut times = Times::new();
    let copies = numbers.copies();
    let mut is_left = vec![false; writing.root.animations.len()];
    for animation in &writing.document.animations {
        match &animation.origin {
            Some((file, _)) if !is_left[*file] => {
                is_left[*file] = true;
                let kept = of_file(writing, numbers, sheet, animation, *file, &mut times, &copies);
                match kept {
                    Some(patch) => sheet.animations.patch(*file, patch),
                    None => sheet.animations.remove(*file),
                }
            }
            // A second one of the same origin is a copy.
            _ => {
                if !animation.visibility_tracks.is_empty() {
                    let message = "a copy of an animation that shows and hides nodes is written \
                                   without that";
                    sheet.report.warn(
                        &Pointer::root("animations"),
                        WarningCode::DroppedVisibilityChannels,
                        message,
                    );
                }
                let (samplers, channels) =
                    written(writing, numbers, sheet, animation, &mut times, 0);
                if channels.is_empty() {
                    continue;
                }
                let mut patch = Patch::new();
                patch.put(&["channels"], list(channels));
                if !animation.clip().name().is_empty() {
                    patch.put(&["name"], quoted(animation.clip().name()));
                }
                patch.put(&["samplers"], list(samplers));
                sheet.animations.add(patch.object());
            }
        }
    }
    for (file, _) in is_left.iter().enumerate().filter(|(_, is_left)| !**is_left) {
        sheet.animations.remove(file);
    }
}

/// One of the file's: what differs; none if nothing is left of it.
fn of_file(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    animation: &Animation,
    file: usize,
    times: &mut Times,
    copies: &HashMap<usize, Vec<usize>>,
) -> Option<Patch> {
    let json = &writing.root.animations[file];
    let is_edited =
        animation.origin.as_ref().is_some_and(|(_, clip)| !Arc::ptr_eq(clip, animation.clip()));
    let mut channels = Array::new(json.channels.len());
    for (number, channel) in json.channels.iter().enumerate() {
        match renumbered(channel, numbers) {
            Some(_) if is_edited && is_of_clip(channel) => channels.remove(number),
            Some(patch) => channels.patch(number, patch),
            None => channels.remove(number),
        }
    }
    let mut patch = Patch::new();
    let text = writing.text_of("animations", file).unwrap_or("{}");
    // Copies that were made of a node, as it is another in another scene, move as it does.
    for (number, channel) in json.channels.iter().enumerate() {
        let node = channel.target.node.map(|node| node.index());
        for index in node.and_then(|node| copies.get(&node)).into_iter().flatten() {
            if let Some(span) = value_at(text, &format!("/channels/{number}")) {
                let mut patch = Patch::new();
                patch.put(&["target", "node"], index.to_string());
                channels.add(patch.apply(&text[span]));
            }
        }
    }
    if is_edited {
        let mut samplers = Array::new(json.samplers.len());
        let first = json.samplers.len();
        let (more, targets) = written(writing, numbers, sheet, animation, times, first);
        for sampler in more {
            samplers.add(sampler);
        }
        for channel in targets {
            channels.add(channel);
        }
        if !samplers.is_unchanged() {
            let span = value_at(text, "/samplers").map(|span| &text[span]);
            patch.set(&["samplers"], samplers.write(span));
        }
        let name = animation.clip().name();
        if name != json.name.as_deref().unwrap_or_default() {
            patch.set(&["name"], Some(name).filter(|it| !it.is_empty()).map(quoted));
        }
    }
    if !channels.is_unchanged() {
        let span = value_at(text, "/channels").map(|span| &text[span]);
        patch.put(&["channels"], channels.write(span)?);
    }
    Some(patch)
}

/// Is a channel one of those that became part of the clip?
fn is_of_clip(channel: &json::AnimationChannel<'_>) -> bool {
    let path = match channel.target.pointer() {
        Some(pointer) => split_node_pointer(pointer).map(|(_, path)| path),
        None => channel.target.node.map(|_| &*channel.target.path),
    };
    matches!(path, Some("translation" | "rotation" | "scale" | "weights"))
}

/// What the nodes' new numbers change in a channel; none if its node is gone.
fn renumbered(channel: &json::AnimationChannel<'_>, numbers: &Numbers) -> Option<Patch> {
    let mut patch = Patch::new();
    if let Some(node) = channel.target.node {
        let index = numbers.moved(node.index())?;
        if index != node.index() {
            patch.put(&["target", "node"], index.to_string());
        }
    }
    if let Some((node, path)) = channel.target.pointer().and_then(split_node_pointer) {
        let index = numbers.moved(usize::try_from(node).ok()?)?;
        if index as u64 != node {
            let pointer = quoted(&format!("/nodes/{index}/{path}"));
            patch.put(&["target", "extensions", "KHR_animation_pointer", "pointer"], pointer);
        }
    }
    Some(patch)
}

/// A clip as samplers, numbered from `first` on, and channels.
fn written(
    writing: &Writing<'_>,
    numbers: &Numbers,
    sheet: &mut Sheet<'_>,
    animation: &Animation,
    times: &mut Times,
    first: usize,
) -> (Vec<String>, Vec<String>) {
    let clip: &Clip = animation.clip();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (number, channel) in clip.channels().iter().enumerate() {
        let target = channel.target() as usize;
        let node = match &animation.targets {
            Targets::File(nodes) => {
                nodes.get(target).and_then(|&node| numbers.moved(node as usize))
            }
            Targets::Scene(tree, nodes) => {
                let node = nodes.get(target).copied().flatten();
                let is_alive = |node: &pleach::NodeId| {
                    writing.trees.get(*tree).is_some_and(|scene| scene.graph.contains(*node))
                };
                node.filter(is_alive).and_then(|node| numbers.index(*tree, node))
            }
        };
        let Some(node) = node else {
            let at = Pointer::root("animations");
            let message = format!(
                "channel {number} of clip {:?} moves a node that is not in the file; it is left out",
                clip.name()
            );
            sheet.report.warn(&at, WarningCode::DroppedChannel, message);
            continue;
        };
        let sampler = first + samplers.len();
        samplers.push(sampler_json(sheet, channel.track(), times));
        let mut patch = Patch::new();
        patch.put(&["sampler"], sampler.to_string());
        patch.put(&["target", "node"], node.to_string());
        let path = match channel.track().property() {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weights => "weights",
        };
        patch.put(&["target", "path"], quoted(path));
        channels.push(patch.object());
    }
    (samplers, channels)
}

fn sampler_json(sheet: &mut Sheet<'_>, track: &Track, times: &mut Times) -> String {
    let keys = track.times();
    let (_, input) =
        times.entry(keys.as_ptr()).or_insert_with(|| (Arc::clone(keys), sheet.scalars(keys, true)));
    let input = *input;
    let (output, interpolation) = match track {
        Track::Translation(curve) | Track::Scale(curve) => {
            (sheet.vec3s(curve.values(), super::column::Use::Other, false), curve.interpolation())
        }
        Track::Rotation(curve) => (sheet.quats(curve.values()), curve.interpolation()),
        Track::Weights(curve) => (sheet.scalars(curve.values(), false), curve.interpolation()),
    };
    let mut patch = Patch::new();
    patch.put(&["input"], input.to_string());
    let name = match interpolation {
        Interpolation::Linear => None,
        Interpolation::Step => Some("STEP"),
        Interpolation::CubicSpline => Some("CUBICSPLINE"),
    };
    if let Some(name) = name {
        patch.put(&["interpolation"], quoted(name));
    }
    patch.put(&["output"], output.to_string());
    patch.object()
}
