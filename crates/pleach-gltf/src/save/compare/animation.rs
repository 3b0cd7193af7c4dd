//! Animations: the file's animations with renumbered nodes, and edited or added clips as new
//! samplers and channels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use pleach::animation::{Clip, Interpolation, Property, Track};

use super::super::output::accessor::Target;
use super::super::output::array_edit::ArrayEdit;
use super::super::output::json_edit::{JsonEdit, json_array, quoted};
use super::index_map::IndexMap;
use crate::diagnostics::Pointer;
use crate::document::Targets;
use crate::json::{self, value_at};
use crate::load::split_node_pointer;
use crate::save::SaveContext;
use crate::{Animation, Error, ErrorKind, WarningCode};

/// The reason why a channel of weights is left out.
const LOST_TARGETS: &str =
    "has weights for another number of morph targets than the mesh of its node";

/// Accessors of key times by address, because channels share them.
pub(crate) type KeyTimes = HashMap<*const f32, (Arc<[f32]>, usize)>;

impl SaveContext<'_> {
    /// Writes all animations of a document.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unwritable`] for negative key times.
    pub(crate) fn write_animations(&mut self) -> Result<(), Error> {
        let (input, index_map) = (self.input, self.index_map);
        let clones = index_map.clones();
        let mut is_kept = vec![false; input.root.animations.len()];
        for animation in &input.document.animations {
            match &animation.origin {
                Some((file, _)) if !is_kept[*file] => {
                    is_kept[*file] = true;
                    let kept = self.file_animation_edit(animation, *file, &clones)?;
                    match kept {
                        Some(edit) => self.output.animations.edit(*file, edit),
                        None => self.output.animations.remove(*file),
                    }
                }
                // A second animation of the same origin is a clone.
                _ => {
                    if !animation.visibility_tracks.is_empty() {
                        let message = "a clone of an animation with visibility channels is written without \
                                   them";
                        self.output.report.warn(
                            &Pointer::root("animations"),
                            WarningCode::DroppedVisibilityChannels,
                            message,
                        );
                    }
                    if !animation.property_tracks.is_empty() {
                        let message = "a clone of an animation with channels of materials, cameras or lights \
                                   is written without them";
                        let at = Pointer::root("animations");
                        self.output.report.warn(&at, WarningCode::DroppedChannel, message);
                    }
                    let (samplers, channels) = self.clip_json(animation, 0)?;
                    if channels.is_empty() {
                        continue;
                    }
                    let mut edit = JsonEdit::new();
                    edit.set(&["channels"], json_array(channels));
                    if !animation.clip().name().is_empty() {
                        edit.set(&["name"], quoted(animation.clip().name()));
                    }
                    edit.set(&["samplers"], json_array(samplers));
                    self.output.animations.add(edit.to_object());
                }
            }
        }
        for (file, _) in is_kept.iter().enumerate().filter(|(_, is_kept)| !**is_kept) {
            self.output.animations.remove(file);
        }
        Ok(())
    }

    /// Returns the edit of one of the file's animations, or `None` if no channels remain.
    fn file_animation_edit(
        &mut self,
        animation: &Animation,
        file: usize,
        clones: &HashMap<usize, Vec<usize>>,
    ) -> Result<Option<JsonEdit>, Error> {
        let (input, index_map) = (self.input, self.index_map);
        let json = &input.root.animations[file];
        let is_edited =
            animation.origin.as_ref().is_some_and(|(_, clip)| !Arc::ptr_eq(clip, animation.clip()));
        let mut channels = ArrayEdit::new(json.channels.len());
        for (number, channel) in json.channels.iter().enumerate() {
            match renumber_target(channel, index_map) {
                Some(_) if is_edited && is_of_clip(channel) => channels.remove(number),
                Some(_) if self.lost_targets(channel) => {
                    self.warn_dropped_channel(number, animation.clip(), LOST_TARGETS);
                    channels.remove(number);
                }
                Some(edit) => channels.edit(number, edit),
                None => channels.remove(number),
            }
        }
        let mut edit = JsonEdit::new();
        let text = input.text_of("animations", file).unwrap_or("{}");
        // Clones of a node, written because it differs between scenes, get the same animation.
        for (number, channel) in json.channels.iter().enumerate() {
            let node = channel.target.node.map(|node| node.index());
            for index in node.and_then(|node| clones.get(&node)).into_iter().flatten() {
                if let Some(span) = value_at(text, &format!("/channels/{number}")) {
                    let mut edit = JsonEdit::new();
                    edit.set(&["target", "node"], index.to_string());
                    channels.add(edit.apply(&text[span]));
                }
            }
        }
        if is_edited {
            let mut samplers = ArrayEdit::new(json.samplers.len());
            let first = json.samplers.len();
            let (clip_samplers, clip_channels) = self.clip_json(animation, first)?;
            for sampler in clip_samplers {
                samplers.add(sampler);
            }
            for channel in clip_channels {
                channels.add(channel);
            }
            if !samplers.is_unchanged() {
                let span = value_at(text, "/samplers").map(|span| &text[span]);
                edit.set_or_remove(&["samplers"], samplers.write(span));
            }
            let name = animation.clip().name();
            if name != json.name.as_deref().unwrap_or_default() {
                edit.set_or_remove(&["name"], Some(name).filter(|it| !it.is_empty()).map(quoted));
            }
        }
        if !channels.is_unchanged() {
            let span = value_at(text, "/channels").map(|span| &text[span]);
            let Some(json) = channels.write(span) else { return Ok(None) };
            edit.set(&["channels"], json);
        }
        Ok(Some(edit))
    }

    /// Returns the samplers and channels of a clip. Samplers are numbered from `first`.
    fn clip_json(
        &mut self,
        animation: &Animation,
        first: usize,
    ) -> Result<(Vec<String>, Vec<String>), Error> {
        let (input, index_map) = (self.input, self.index_map);
        let clip: &Clip = animation.clip();
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (number, channel) in clip.channels().iter().enumerate() {
            let target = channel.target() as usize;
            let node = match &animation.targets {
                Targets::File(nodes) => {
                    nodes.get(target).and_then(|&node| index_map.new_index(node as usize))
                }
                Targets::Scene(scene_index, nodes) => {
                    let node = nodes.get(target).copied().flatten();
                    let is_alive = |node: &pleach::NodeId| {
                        input
                            .scenes
                            .get(*scene_index)
                            .is_some_and(|scene| scene.graph.contains(*node))
                    };
                    node.filter(is_alive).and_then(|node| index_map.index(*scene_index, node))
                }
            };
            let Some(node) = node else {
                let reason = "targets a node that is not in the file";
                self.warn_dropped_channel(number, clip, reason);
                continue;
            };
            let track = channel.track();
            if let Track::Weights(curve) = track {
                let targets = self.morph_targets.get(&node).copied().unwrap_or(0);
                let per_key = curve.values().len() / track.times().len().max(1);
                let is_spline = curve.interpolation() == Interpolation::CubicSpline;
                let width = if is_spline { per_key / 3 } else { per_key };
                if width != targets || targets == 0 {
                    self.warn_dropped_channel(number, clip, LOST_TARGETS);
                    continue;
                }
            }
            if let Some(time) = track.times().first().filter(|&&time| time < 0.0) {
                let message = format!(
                    "channel {number} of clip {:?} has a key at {time} s; glTF requires times from 0: \
                     move the keys",
                    clip.name(),
                );
                return Err(Error::new(
                    ErrorKind::Unwritable,
                    &Pointer::root("animations"),
                    message,
                ));
            }
            let sampler = first + samplers.len();
            samplers.push(self.sampler_json(track));
            let mut edit = JsonEdit::new();
            edit.set(&["sampler"], sampler.to_string());
            edit.set(&["target", "node"], node.to_string());
            let path = match channel.track().property() {
                Property::Translation => "translation",
                Property::Rotation => "rotation",
                Property::Scale => "scale",
                Property::Weights => "weights",
            };
            edit.set(&["target", "path"], quoted(path));
            channels.push(edit.to_object());
        }
        Ok((samplers, channels))
    }

    fn warn_dropped_channel(&mut self, number: usize, clip: &Clip, reason: &str) {
        let message =
            format!("channel {number} of clip {:?} {reason}; it is left out", clip.name());
        let at = Pointer::root("animations");
        self.output.report.warn(&at, WarningCode::DroppedChannel, message);
    }

    /// Returns `true` if a channel of the file animates weights of a node that had morph targets,
    /// and has none any more.
    fn lost_targets(&self, channel: &json::AnimationChannel<'_>) -> bool {
        let Some(node) = channel.target.node.filter(|_| &*channel.target.path == "weights") else {
            return false;
        };
        let had_targets = self.input.mesh_of(node.index() as u32).is_some_and(|mesh| {
            let geometries = &self.input.document.loaded.geometries[mesh];
            geometries.iter().any(|it| !it.morph_targets.is_empty())
        });
        let index = self.index_map.new_index(node.index());
        had_targets && index.is_some_and(|index| !self.morph_targets.contains_key(&index))
    }

    fn sampler_json(&mut self, track: &Track) -> String {
        let output = &mut self.output;
        let keys = track.times();
        let (_, accessor) = self
            .key_times
            .entry(keys.as_ptr())
            .or_insert_with(|| (Arc::clone(keys), output.scalars(&increasing(keys), true)));
        let times_accessor = *accessor;
        let is_single = keys.len() == 1;
        let (values_accessor, interpolation) = match track {
            Track::Translation(curve) | Track::Scale(curve) => {
                let (interpolation, values) =
                    single_step(curve.interpolation(), is_single, curve.values());
                (output.vec3s(values, Target::Other, false), interpolation)
            }
            Track::Rotation(curve) => {
                let (interpolation, values) =
                    single_step(curve.interpolation(), is_single, curve.values());
                (output.quats(values), interpolation)
            }
            Track::Weights(curve) => {
                let (interpolation, values) =
                    single_step(curve.interpolation(), is_single, curve.values());
                (output.scalars(values, false), interpolation)
            }
        };
        let mut edit = JsonEdit::new();
        edit.set(&["input"], times_accessor.to_string());
        let name = match interpolation {
            Interpolation::Linear => None,
            Interpolation::Step => Some("STEP"),
            Interpolation::CubicSpline => Some("CUBICSPLINE"),
        };
        if let Some(name) = name {
            edit.set(&["interpolation"], quoted(name));
        }
        edit.set(&["output"], values_accessor.to_string());
        edit.to_object()
    }
}

/// Returns the interpolation and values of a curve as they are written. glTF requires two keys for
/// a cubic spline; with one key it is constant, and so is a step of its value without tangents.
fn single_step<T>(
    interpolation: Interpolation,
    is_single: bool,
    values: &[T],
) -> (Interpolation, &[T]) {
    if interpolation != Interpolation::CubicSpline || !is_single {
        return (interpolation, values);
    }
    let width = values.len() / 3;
    (Interpolation::Step, &values[width..2 * width])
}

/// Returns key times that increase: a key at the time of the one before, which is a jump, gets the
/// next number.
fn increasing(times: &[f32]) -> Cow<'_, [f32]> {
    let mut times = Cow::Borrowed(times);
    for at in 1..times.len() {
        if times[at] <= times[at - 1] {
            times.to_mut()[at] = times[at - 1].next_up();
        }
    }
    times
}

/// Returns `true` if a channel is part of the loaded clip.
fn is_of_clip(channel: &json::AnimationChannel<'_>) -> bool {
    let path = match channel.target.pointer() {
        Some(pointer) => split_node_pointer(pointer).map(|(_, path)| path),
        None => channel.target.node.map(|_| &*channel.target.path),
    };
    matches!(path, Some("translation" | "rotation" | "scale" | "weights"))
}

/// Returns the edit for the new index of a channel's node, or `None` if the node was removed.
fn renumber_target(channel: &json::AnimationChannel<'_>, index_map: &IndexMap) -> Option<JsonEdit> {
    let mut edit = JsonEdit::new();
    if let Some(node) = channel.target.node {
        let index = index_map.new_index(node.index())?;
        if index != node.index() {
            edit.set(&["target", "node"], index.to_string());
        }
    }
    if let Some((node, path)) = channel.target.pointer().and_then(split_node_pointer) {
        let index = index_map.new_index(usize::try_from(node).ok()?)?;
        if index as u64 != node {
            let pointer = quoted(&format!("/nodes/{index}/{path}"));
            edit.set(&["target", "extensions", "KHR_animation_pointer", "pointer"], pointer);
        }
    }
    Some(edit)
}
