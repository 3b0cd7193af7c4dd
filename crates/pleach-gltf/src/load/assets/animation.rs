//! Animations: converts channels to tracks of a clip. Unsupported channels stay in the file.

use std::collections::HashMap;
use std::sync::Arc;

use glam::Quat;
use pleach::animation::{
    Channel, Clip, Curve, CurveError, Interpolation, Property, Track, WeightCurve,
};

use crate::diagnostics::{Pointer, Result};
use crate::document::{LoadedAnimation, PropertyTarget, PropertyTrack, VisibilityTrack};
use crate::json::{self, UInt, check_index};
use crate::load::{Data, Load, as_in_more, check_available};
use crate::{Error, ErrorKind, Stage, WarningCode};

/// The target of a channel: a property or the visibility of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ChannelTarget {
    Property(u32, Property),
    Visibility(u32),
}

/// Loads all animations of a file.
pub(crate) fn animations(load: &mut Load<'_>, data: &Data<'_>) -> Result<Vec<LoadedAnimation>> {
    let root = load.root;
    let mut animations = Vec::with_capacity(root.animations.len());
    let mut loader = AnimationLoader { load, data, times: HashMap::new(), component_nodes: None };
    for (index, animation) in root.animations.iter().enumerate() {
        loader.load.progress(Stage::Animations, index, root.animations.len())?;
        animations.push(loader.animation(animation, &Pointer::entry("animations", index))?);
    }
    Ok(animations)
}

/// Decodes the animations of a file.
struct AnimationLoader<'l, 'a> {
    load: &'l mut Load<'a>,
    data: &'l Data<'l>,
    /// Key times by accessor: many channels have the same.
    times: HashMap<usize, Arc<[f32]>>,
    /// The nodes that have a camera or light, once a channel needs them.
    component_nodes: Option<HashMap<ComponentIndex, Arc<[u32]>>>,
}

/// The file's index of a camera or light.
#[derive(PartialEq, Eq, Hash)]
enum ComponentIndex {
    Camera(usize),
    Light(usize),
}

impl AnimationLoader<'_, '_> {
    fn animation(
        &mut self,
        animation: &json::Animation<'_>,
        at: &Pointer<'_>,
    ) -> Result<LoadedAnimation> {
        let root = self.load.root;
        let (mut nodes, mut labels, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        let (mut targets, mut channel_of) = (HashMap::new(), HashMap::new());
        let mut pointer_channels = HashMap::new();
        for (number, sampler) in animation.samplers.iter().enumerate() {
            let at = at.item("samplers", number);
            self.data.accessor(sampler.input, &at.key("input"))?;
            self.data.accessor(sampler.output, &at.key("output"))?;
        }
        let (mut visibility_tracks, mut label_bytes) = (Vec::<VisibilityTrack>::new(), 0);
        let mut property_tracks: Vec<PropertyTrack> = Vec::new();
        for (number, channel) in animation.channels.iter().enumerate() {
            let channel_at = at.item("channels", number);
            let sampler_at = channel_at.key("sampler");
            let index =
                check_index(channel.sampler, animation.samplers.len(), "sampler", &sampler_at)?;
            let pointer = channel.target.pointer();
            if let Some(target) = pointer.and_then(PropertyTarget::parse) {
                if let Some(first) = pointer_channels.insert(pointer, number) {
                    self.warn_duplicate_channel(first, &channel_at)?;
                    continue;
                }
                self.check_property_index(target, &channel_at.key("target"))?;
                let sampler = &animation.samplers[index];
                property_tracks.extend(self.property(
                    sampler,
                    target,
                    &at.item("samplers", index),
                )?);
                continue;
            }
            let Some(target) = self.channel_target(&channel.target, &channel_at.key("target"))?
            else {
                continue;
            };
            if let Some(first) = channel_of.insert(target, number) {
                self.warn_duplicate_channel(first, &channel_at)?;
                continue;
            }
            let sampler = &animation.samplers[index];
            let at = at.item("samplers", index);
            match target {
                ChannelTarget::Visibility(node) => {
                    if let Some(track) = self.visibility(sampler, node, &at)? {
                        visibility_tracks.push(track);
                    }
                }
                ChannelTarget::Property(node, property) => {
                    let Some(track) = self.track(sampler, property, &at)? else { continue };
                    let target = *targets.entry(node).or_insert_with(|| {
                        let name = root.nodes[node as usize].name.as_deref();
                        label_bytes += name.map_or(16, str::len);
                        labels.push(name.map_or_else(|| format!("node {node}"), Into::into));
                        nodes.push(node);
                        nodes.len() as u32 - 1
                    });
                    self.load.budget.take(&channel_at, std::mem::take(&mut label_bytes), 1)?;
                    if let Track::Weights(curve) = &track {
                        self.check_weight_count(node, curve.width(), &channel_at)?;
                    }
                    channels.push(Channel::new(target, track));
                }
            }
        }
        let name = animation.name.as_deref().unwrap_or_default();
        // Visibility and properties are not part of the clip, but the clip lasts as long as their keys.
        let visibility_times = visibility_tracks.iter().map(|track| &track.times);
        let property_times = property_tracks.iter().map(|track| track.curve.times());
        let last_keys = visibility_times.chain(property_times).filter_map(|times| times.last());
        let end = last_keys.copied().fold(0.0, f32::max);
        let clip = Clip::new(name, labels, channels).and_then(|clip| {
            let seconds = clip.duration().max(end);
            clip.with_duration(seconds)
        });
        let clip = clip.map_err(|error| Error::new(ErrorKind::Value, at, error.to_string()))?;
        Ok(LoadedAnimation { clip: Arc::new(clip), nodes, visibility_tracks, property_tracks })
    }

    fn tolerate_matrix(&mut self, node: usize, at: &Pointer<'_>) -> Result<()> {
        let message = format!("node {node} has a matrix, which animated nodes must not have");
        self.load.tolerate(at, WarningCode::AnimatedMatrix, message)
    }

    fn warn_duplicate_channel(&mut self, first: usize, at: &Pointer<'_>) -> Result<()> {
        let message = format!("channel {first} has the same target; this one is ignored");
        self.load.tolerate(at, WarningCode::DuplicateChannel, message)
    }

    /// Returns the target of a channel, or `None` if it is not supported.
    fn channel_target(
        &mut self,
        target: &json::AnimationTarget<'_>,
        at: &Pointer<'_>,
    ) -> Result<Option<ChannelTarget>> {
        let nodes = self.load.root.nodes.len();
        if let Some(pointer) = target.pointer() {
            let Some((node, path)) = split_node_pointer(pointer) else { return Ok(None) };
            let extensions = at.key("extensions");
            let node = check_index(
                UInt::new(node),
                nodes,
                "node",
                &extensions.key("KHR_animation_pointer"),
            )?;
            let is_transform = property(path).is_some_and(|property| property != Property::Weights);
            if is_transform && self.load.root.nodes[node].matrix.is_some() {
                self.tolerate_matrix(node, &extensions.key("KHR_animation_pointer"))?;
            }
            return Ok(match path {
                "extensions/KHR_node_visibility/visible" => {
                    Some(ChannelTarget::Visibility(node as u32))
                }
                path => {
                    property(path).map(|property| ChannelTarget::Property(node as u32, property))
                }
            });
        }
        let Some(node) = target.node else { return Ok(None) };
        let node = check_index(node, nodes, "node", &at.key("node"))?;
        match property(&target.path) {
            Some(property)
                if property != Property::Weights && self.load.root.nodes[node].matrix.is_some() =>
            {
                self.tolerate_matrix(node, &at.key("node"))?;
                Ok(Some(ChannelTarget::Property(node as u32, property)))
            }
            Some(property) => Ok(Some(ChannelTarget::Property(node as u32, property))),
            None => {
                let message = format!(
                    "the path {:?} is not supported; the channel is ignored",
                    &*target.path
                );
                self.load.tolerate(&at.key("path"), WarningCode::UnknownChannelPath, message)?;
                Ok(None)
            }
        }
    }

    fn interpolation(
        &mut self,
        sampler: &json::AnimationSampler<'_>,
        at: &Pointer<'_>,
    ) -> Result<Interpolation> {
        Ok(match sampler.interpolation.as_deref().unwrap_or("LINEAR") {
            "LINEAR" => Interpolation::Linear,
            "STEP" => Interpolation::Step,
            "CUBICSPLINE" => Interpolation::CubicSpline,
            other => {
                let message =
                    format!("the interpolation {other:?} is not supported; LINEAR is used");
                self.load.tolerate(
                    &at.key("interpolation"),
                    WarningCode::UnknownInterpolation,
                    message,
                )?;
                Interpolation::Linear
            }
        })
    }

    fn key_times(&mut self, index: UInt, at: &Pointer<'_>) -> Result<Arc<[f32]>> {
        let at = at.key("input");
        if let Some(times) = self.times.get(&index.index()) {
            return Ok(Arc::clone(times));
        }
        let accessor = self.data.accessor(index, &at)?;
        self.load.check_no_stride(accessor, &at)?;
        // Twice: as a `Vec`, and as an `Arc`.
        self.load.budget.take(&at, accessor.count, size_of::<f32>())?;
        let times = accessor.scalars(&at, &mut self.load.budget)?;
        check_available(times.len(), size_of::<f32>(), || at.to_string())?;
        let times: Arc<[f32]> = times.into();
        if let Some(key) = times.windows(2).position(|pair| pair[0] == pair[1]) {
            let message =
                format!("keys {key} and {} have the same time, {} s", key + 1, times[key]);
            self.load.tolerate(&at, WarningCode::DuplicateKeyTime, message)?;
        }
        if let Some(first) = times.first().filter(|&&first| first < 0.0) {
            let message = format!("the first key has the negative time {first} s");
            self.load.tolerate(&at, WarningCode::NegativeKeyTime, message)?;
        }
        self.times.insert(index.index(), Arc::clone(&times));
        Ok(times)
    }

    fn track(
        &mut self,
        sampler: &json::AnimationSampler<'_>,
        property: Property,
        at: &Pointer<'_>,
    ) -> Result<Option<Track>> {
        let times = self.key_times(sampler.input, at)?;
        let interpolation = self.interpolation(sampler, at)?;
        if interpolation == Interpolation::CubicSpline && times.len() == 1 {
            let message = "a cubic spline with a single key";
            self.load.tolerate(&at.key("interpolation"), WarningCode::SingleKeySpline, message)?;
        }
        let output_at = at.key("output");
        let accessor = self.data.accessor(sampler.output, &output_at)?;
        self.load.check_no_stride(accessor, &output_at)?;
        let budget = &mut self.load.budget;
        let made = match property {
            Property::Translation => {
                Curve::new(interpolation, times, accessor.vec3s(&output_at, budget)?)
                    .map(Track::Translation)
            }
            Property::Scale => {
                Curve::new(interpolation, times, accessor.vec3s(&output_at, budget)?)
                    .map(Track::Scale)
            }
            Property::Rotation => {
                let mut values = accessor.quats(&output_at, budget)?;
                self.replace_zero_rotations(&mut values, interpolation, &output_at)?;
                Curve::new(interpolation, times, values).map(Track::Rotation)
            }
            Property::Weights => {
                WeightCurve::new(interpolation, times, accessor.scalars(&output_at, budget)?)
                    .map(Track::Weights)
            }
        };
        self.usable(made, at)
    }

    /// Returns a curve, or `None` with a warning if a time or value is not finite: the other channels
    /// can be used.
    fn usable<T>(&mut self, made: Result<T, CurveError>, at: &Pointer<'_>) -> Result<Option<T>> {
        let list = match made {
            Err(CurveError::TimeNotFinite { .. }) => "input",
            Err(CurveError::ValueNotFinite { .. }) => "output",
            made => return made.map(Some).map_err(|error| curve_error(&error, at)),
        };
        let error = made.err().map(|error| error.to_string()).unwrap_or_default();
        let message = format!("{error}; the channel is ignored");
        self.load.tolerate(&at.key(list), WarningCode::NotFiniteKey, message)?;
        Ok(None)
    }

    /// Replaces zero quaternions by the identity, with a warning.
    fn replace_zero_rotations(
        &mut self,
        values: &mut [Quat],
        interpolation: Interpolation,
        at: &Pointer<'_>,
    ) -> Result<()> {
        // Tangents of a cubic spline may be zero, and so may its values.
        if interpolation == Interpolation::CubicSpline {
            return Ok(());
        }
        let mut zeros = values.iter_mut().enumerate().filter(|(_, it)| it.to_array() == [0.0; 4]);
        let Some((key, value)) = zeros.next() else { return Ok(()) };
        *value = Quat::IDENTITY;
        let more = zeros.map(|(_, value)| *value = Quat::IDENTITY).count();
        let more = as_in_more(more, "key", "keys");
        let message = format!(
            "key {key} is the zero quaternion; the identity (0, 0, 0, 1) is used instead{more}"
        );
        self.load.tolerate(at, WarningCode::ZeroQuaternionKey, message)
    }

    /// Decodes a visibility channel (KHR_animation_pointer with KHR_node_visibility).
    fn visibility(
        &mut self,
        sampler: &json::AnimationSampler<'_>,
        node: u32,
        at: &Pointer<'_>,
    ) -> Result<Option<VisibilityTrack>> {
        let times = self.key_times(sampler.input, at)?;
        let output_at = at.key("output");
        let accessor = self.data.accessor(sampler.output, &output_at)?;
        let values =
            accessor.read_uints(&output_at, &mut self.load.budget, |[value]| value != 0)?;
        if values.len() != times.len() || times.is_empty() {
            let message =
                format!("{} values for {} keys; the channel is ignored", values.len(), times.len());
            self.load.tolerate(&output_at, WarningCode::KeyValueCount, message)?;
            return Ok(None);
        }
        // Validates the key times like those of other channels.
        let curve =
            WeightCurve::new(Interpolation::Step, Arc::clone(&times), vec![0.0; times.len()]);
        if self.usable(curve, at)?.is_none() {
            return Ok(None);
        }
        Ok(Some(VisibilityTrack { node, times, values }))
    }

    fn check_property_index(&self, target: PropertyTarget, at: &Pointer<'_>) -> Result<()> {
        let root = self.load.root;
        let (index, len, what) = match target {
            PropertyTarget::Material(index, _) => (index, root.materials.len(), "material"),
            PropertyTarget::Camera(index, _) => (index, root.cameras.len(), "camera"),
            PropertyTarget::Light(index, _) => (index, root.lights().len(), "light"),
        };
        let extensions = at.key("extensions");
        check_index(
            UInt::new(u64::from(index)),
            len,
            what,
            &extensions.key("KHR_animation_pointer"),
        )?;
        Ok(())
    }

    /// Returns the nodes that have the camera or light of a target.
    fn component_nodes(&mut self, target: PropertyTarget) -> Arc<[u32]> {
        let root = self.load.root;
        let users = self.component_nodes.get_or_insert_with(|| {
            let mut users: HashMap<ComponentIndex, Vec<u32>> = HashMap::new();
            for (index, node) in root.nodes.iter().enumerate() {
                let camera = node.camera.map(|it| ComponentIndex::Camera(it.index()));
                let light = node.light().map(|it| ComponentIndex::Light(it.index()));
                for component in [camera, light].into_iter().flatten() {
                    users.entry(component).or_default().push(index as u32);
                }
            }
            users.into_iter().map(|(component, nodes)| (component, nodes.into())).collect()
        });
        let component = match target {
            PropertyTarget::Material(..) => return Arc::default(),
            PropertyTarget::Camera(index, _) => ComponentIndex::Camera(index as usize),
            PropertyTarget::Light(index, _) => ComponentIndex::Light(index as usize),
        };
        users.get(&component).map(Arc::clone).unwrap_or_default()
    }

    /// Decodes the values of a property of a material, camera or light (KHR_animation_pointer).
    fn property(
        &mut self,
        sampler: &json::AnimationSampler<'_>,
        target: PropertyTarget,
        at: &Pointer<'_>,
    ) -> Result<Option<PropertyTrack>> {
        let times = self.key_times(sampler.input, at)?;
        let interpolation = self.interpolation(sampler, at)?;
        let output_at = at.key("output");
        let accessor = self.data.accessor(sampler.output, &output_at)?;
        let (keys, width) = (times.len(), target.width());
        let values_per_key = interpolation.values_per_key();
        if accessor.components != width || accessor.count != keys * values_per_key {
            let message = format!(
                "{} values of {} numbers for {keys} keys, which need {values_per_key} of {width} each; \
                 the channel is ignored",
                accessor.count, accessor.components
            );
            self.load.tolerate(&output_at, WarningCode::KeyValueCount, message)?;
            return Ok(None);
        }
        let budget = &mut self.load.budget;
        let values = match width {
            1 => accessor.scalars(&output_at, budget)?,
            2 => accessor.read(&output_at, budget, |it: [f32; 2]| it)?.into_flattened(),
            3 => accessor.read(&output_at, budget, |it: [f32; 3]| it)?.into_flattened(),
            _ => accessor.read(&output_at, budget, |it: [f32; 4]| it)?.into_flattened(),
        };
        let curve = WeightCurve::new(interpolation, times, values);
        let Some(curve) = self.usable(curve, at)? else { return Ok(None) };
        let nodes = self.component_nodes(target);
        Ok(Some(PropertyTrack { target, curve, nodes }))
    }

    /// Warns if the number of weights per key differs from the number of morph targets of the
    /// node's mesh.
    fn check_weight_count(&mut self, node: u32, width: usize, at: &Pointer<'_>) -> Result<()> {
        let root = self.load.root;
        let mesh = root.nodes[node as usize].mesh.and_then(|mesh| root.meshes.get(mesh.index()));
        let targets = mesh.and_then(|mesh| mesh.primitives.iter().map(|it| it.targets.len()).max());
        if targets.unwrap_or(0) != width {
            let message = format!(
                "keys have {width} weights, but the mesh of node {node} has {} morph targets",
                targets.unwrap_or(0)
            );
            self.load.tolerate(at, WarningCode::KeyWeightCount, message)?;
        }
        Ok(())
    }
}

/// Splits a pointer such as `/nodes/3/translation` into the node index and the path within the
/// node.
pub(crate) fn split_node_pointer(pointer: &str) -> Option<(u64, &str)> {
    let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let is_number = node.bytes().all(|byte| byte.is_ascii_digit());
    Some((node.parse().ok().filter(|_| is_number)?, path))
}

fn property(path: &str) -> Option<Property> {
    Some(match path {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        _ => return None,
    })
}

/// Converts an error of a curve to one at the sampler's input or output.
fn curve_error(error: &CurveError, at: &Pointer<'_>) -> Error {
    let list = match error {
        CurveError::NoKeys
        | CurveError::TimeNotFinite { .. }
        | CurveError::TimeDecreases { .. } => "input",
        _ => "output",
    };
    Error::new(ErrorKind::Value, &at.key(list), error.to_string())
}
