//! `channel loop`: animates a crowd one channel after the other and edits one node after the other,
//! the way pleach did at commit 3c81cde, which the sampling of many tracks at once is compared with.
//! A lower bound for that way: pleach itself took longer there.
//!
//! Per character: the keys around the current time, once per timeline; then each channel, into a
//! pose; then each node, if its transform differs. One layer of full weight; no blending, no masks.

use glam::{DVec4, Quat, Vec3, Vec4};
use pleach::animation::{Clip, Player, Track};
use pleach::{Graph, NodeId, Transform};

use super::crowd::{Crowd, FRAME_SECONDS};

/// A channel of the clip; its target is the row in the pose.
struct Channel {
    row: u32,
    timeline: u32,
    curve: Curve,
}

enum Curve {
    Translation(Vec<Vec3>),
    Scale(Vec<Vec3>),
    /// Rotations, and the angle from each to the next.
    Rotation(Vec<Quat>, Vec<f32>),
}

#[derive(Clone, Copy, Default)]
struct KeyPosition {
    key: usize,
    t: f32,
}

struct Character {
    player: Player,
    nodes: Vec<NodeId>,
    pose: Vec<Transform>,
    /// By timeline.
    keys: Vec<KeyPosition>,
}

pub struct ChannelLoop {
    timelines: Vec<Vec<f32>>,
    channels: Vec<Channel>,
    characters: Vec<Character>,
    /// All channels rotate.
    is_rotating: bool,
}

impl ChannelLoop {
    /// Continues where the mixers of a crowd are.
    pub fn new(crowd: &Crowd) -> Self {
        let (timelines, channels) = channels(&crowd.clip);
        let characters = crowd.characters.iter().zip(&crowd.mixers).map(|(character, mixer)| {
            let (_, layer) = mixer.layers().next().expect("every character has a layer");
            let node = |&joint| crowd.scene.graph.node(joint).expect("no joint is removed");
            Character {
                player: layer.player().clone(),
                nodes: character.joints.clone(),
                pose: character.joints.iter().map(|joint| node(joint).transform()).collect(),
                keys: vec![KeyPosition::default(); timelines.len()],
            }
        });
        let characters = characters.collect();
        let is_rotating = channels.iter().all(|it| matches!(it.curve, Curve::Rotation(..)));
        Self { timelines, channels, characters, is_rotating }
    }

    /// Animates all joints by a frame and returns the number of nodes that changed.
    pub fn animate(&mut self, graph: &mut Graph) -> usize {
        let Self { timelines, channels, characters, is_rotating } = self;
        let animated = characters.iter_mut().map(|character| {
            character.player.advance(FRAME_SECONDS);
            let seconds = character.player.time();
            for (key, times) in character.keys.iter_mut().zip(&*timelines) {
                *key = find(times, seconds, key.key);
            }
            character.sample(channels);
            if *is_rotating { character.rotate(graph) } else { character.write(graph) }
        });
        animated.sum()
    }
}

impl Character {
    fn sample(&mut self, channels: &[Channel]) {
        for channel in channels {
            let value = &mut self.pose[channel.row as usize];
            let KeyPosition { key, t } = self.keys[channel.timeline as usize];
            match &channel.curve {
                Curve::Rotation(values, _) if t <= 0.0 => value.rotation = values[key],
                Curve::Rotation(values, angles) => {
                    value.rotation = slerp(values[key], values[key + 1], angles[key], t);
                }
                Curve::Translation(values) => value.translation = sample_vector(values, key, t),
                Curve::Scale(values) => value.scale = sample_vector(values, key, t),
            }
        }
    }

    fn rotate(&self, graph: &mut Graph) -> usize {
        let mut changed = 0;
        for (&node, value) in self.nodes.iter().zip(&self.pose) {
            let Some(mut node) = graph.get_mut(node) else { continue };
            let rotation = value.rotation;
            if node.as_node_ref().rotation() != rotation && node.set_rotation(rotation).is_ok() {
                changed += 1;
            }
        }
        changed
    }

    fn write(&self, graph: &mut Graph) -> usize {
        let mut changed = 0;
        for (&node, value) in self.nodes.iter().zip(&self.pose) {
            let Some(mut node) = graph.get_mut(node) else { continue };
            if node.as_node_ref().transform() != *value && node.set_transform(*value).is_ok() {
                changed += 1;
            }
        }
        changed
    }
}

/// Returns the distinct times of a clip and its channels.
fn channels(clip: &Clip) -> (Vec<Vec<f32>>, Vec<Channel>) {
    let mut timelines: Vec<Vec<f32>> = Vec::new();
    let channels = clip.channels().iter().map(|channel| {
        let times = channel.track().times();
        let known = timelines.iter().position(|other| other[..] == times[..]);
        let timeline = known.unwrap_or_else(|| {
            timelines.push(times.to_vec());
            timelines.len() - 1
        });
        let curve = match channel.track() {
            Track::Translation(curve) => Curve::Translation(curve.values().to_vec()),
            Track::Scale(curve) => Curve::Scale(curve.values().to_vec()),
            Track::Rotation(curve) => {
                let angles = curve.values().windows(2).map(|pair| angle(pair[0], pair[1]));
                Curve::Rotation(curve.values().to_vec(), angles.collect())
            }
            Track::Weights(_) => unreachable!("the clip has no morph weights"),
        };
        Channel { row: channel.target(), timeline: timeline as u32, curve }
    });
    let channels = channels.collect();
    (timelines, channels)
}

fn find(times: &[f32], seconds: f32, hint: usize) -> KeyPosition {
    let contains = |key: usize| {
        times.get(key).is_some_and(|&time| time <= seconds)
            && times.get(key + 1).is_none_or(|&next| seconds < next)
    };
    let key = if contains(hint) {
        hint
    } else if contains(hint + 1) {
        hint + 1
    } else {
        times.partition_point(|&time| time <= seconds).saturating_sub(1)
    };
    let from = times[key];
    match times.get(key + 1) {
        Some(&to) if seconds > from => {
            let (seconds, from, to) = (f64::from(seconds), f64::from(from), f64::from(to));
            KeyPosition { key, t: ((seconds - from) / (to - from)) as f32 }
        }
        _ => KeyPosition { key, t: 0.0 },
    }
}

#[inline]
fn sample_vector(values: &[Vec3], key: usize, t: f32) -> Vec3 {
    if t <= 0.0 {
        return values[key];
    }
    let (from, to) = (values[key].as_dvec3(), values[key + 1].as_dvec3());
    (from + (to - from) * f64::from(t)).as_vec3()
}

/// Returns the angle between two rotations, negative if the second has to be negated.
fn angle(a: Quat, b: Quat) -> f32 {
    let (a, mut b) = (DVec4::from(a.as_dquat()), DVec4::from(b.as_dquat()));
    let is_far = a.dot(b) < 0.0;
    if is_far {
        b = -b;
    }
    let angle = (2.0 * (a - b).length().atan2((a + b).length())) as f32;
    if is_far { -angle } else { angle }
}

#[inline]
fn slerp(a: Quat, b: Quat, angle: f32, t: f32) -> Quat {
    if angle == 0.0 {
        return a;
    }
    let fractions = Vec4::new(1.0 - t, t, 0.0, 0.0);
    let x = fractions * angle;
    let [a_weight, b_weight, ..] = (fractions * sinc(x * x)).to_array();
    let sum = Vec4::from(a) * a_weight + Vec4::from(b) * b_weight.copysign(angle);
    let [x, y, z, w] = (sum * sum).to_array();
    Quat::from_vec4(sum / ((x + y) + (z + w)).sqrt())
}

#[inline]
fn sinc(xx: Vec4) -> Vec4 {
    let low = 1.0 + xx * (-1.0 / 6.0);
    let middle = 1.0 / 120.0 + xx * (-1.0 / 5_040.0);
    let high = 1.0 / 362_880.0 + xx * (-1.0 / 39_916_800.0);
    let xxxx = xx * xx;
    low + xxxx * (middle + xxxx * high)
}
