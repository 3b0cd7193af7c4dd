//! Random finite keys, layers and time steps: results are never NaN, nothing panics, and
//! blending agrees with a naive mixer in f64.

use std::sync::Arc;

use crate::common::RandomValues;
use pleach::Table;
use pleach::animation::{
    Binding, Blend, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, Reference, Repeat, Track,
};
use pleach::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use testkit::Rng;

/// Random values and interpolations of keys.
trait RandomKeys {
    /// Returns any finite number, often an extreme one.
    fn any_finite(&mut self) -> f32;

    fn interpolation(&mut self) -> Interpolation;
}

impl RandomKeys for Rng {
    fn any_finite(&mut self) -> f32 {
        const WORST: [f32; 8] = [0.0, -0.0, 1e-45, f32::MAX, f32::MIN, 1e-38, 1.0, -1.0];
        if self.one_in(3) {
            return self.pick(&WORST);
        }
        let number = f32::from_bits(self.next_u64() as u32);
        if number.is_finite() { number } else { 0.5 }
    }

    fn interpolation(&mut self) -> Interpolation {
        self.pick(&[Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline])
    }
}

fn random_channel(random: &mut Rng, target: u32, kind: u32) -> Channel {
    let (interpolation, keys) = (random.interpolation(), 1 + random.below(6));
    let mut times: Vec<f32> = (0..keys).map(|_| random.any_finite()).collect();
    times.sort_by(f32::total_cmp);
    let count = keys * interpolation.values_per_key();
    let mut vectors = || -> Vec<Vec3> {
        (0..count).map(|_| Vec3::from_array([0; 3].map(|_| random.any_finite()))).collect()
    };
    let channel = match kind {
        0 => Channel::translation(target, interpolation, times, vectors()),
        1 => Channel::scale(target, interpolation, times, vectors()),
        2 => {
            let value = |random: &mut Rng| {
                let rotation = Quat::from_array([0; 4].map(|_| random.any_finite()));
                let is_zero = rotation.to_array() == [0.0; 4];
                if is_zero && interpolation != Interpolation::CubicSpline {
                    Quat::IDENTITY
                } else {
                    rotation
                }
            };
            let values: Vec<Quat> = (0..count).map(|_| value(random)).collect();
            Channel::rotation(target, interpolation, times, values)
        }
        _ => {
            let count = count * (1 + random.below(3));
            let values: Vec<f32> = (0..count).map(|_| random.any_finite()).collect();
            Channel::weights(target, interpolation, times, values)
        }
    };
    channel.unwrap()
}

#[test]
fn finite_keys_never_yield_a_nan() {
    for seed in 0..400 {
        let mut random = Rng::new(seed);
        let mut graph = Graph::new();
        let mut weights = Table::new();
        let nodes: Vec<NodeId> =
            (0..3).map(|_| graph.add_root(Transform::IDENTITY).unwrap()).collect();
        for &node in &nodes {
            let position = Vec3::from_array([0; 3].map(|_| random.any_finite()));
            graph.node_mut(node).unwrap().set_translation(position).unwrap();
        }
        let mut mixer = Mixer::new();
        for _ in 0..1 + random.below(5) {
            let mut channels = Vec::new();
            for target in 0..3 {
                for kind in 0..4 {
                    if random.below(3) > 0 {
                        channels.push(random_channel(&mut random, target, kind));
                    }
                }
            }
            let clip = Clip::new("wild", [""; 3], channels).unwrap();
            let references =
                [Reference::FirstKey, Reference::At(random.any_finite()), Reference::RestPose];
            let blend = match random.below(6) {
                which @ 0..3 => Blend::Add(references[which]),
                _ => Blend::Replace,
            };
            let repeats = [Repeat::Loop, Repeat::Once, Repeat::PingPong, Repeat::Times(3)];
            let layer = BlendLayer::new(Binding::new(clip, nodes.clone()).unwrap())
                .with_repeat(repeats[random.below(4)])
                .with_speed(random.any_finite())
                .with_weight(random.number().abs())
                .with_blend(blend)
                .with_priority(random.below(3) as i32)
                .with_mask(Mask::all().with(nodes[0], random.number()));
            if random.below(2) == 0 {
                mixer.add(layer, &graph, &weights);
            } else {
                mixer.fade_to(layer, random.any_finite(), &graph, &weights);
            }
            for _ in 0..6 {
                let seconds = if random.below(2) == 0 { random.any_finite() } else { 0.1 };
                let written = mixer.update(seconds, &mut graph, &mut weights);
                assert_eq!(written.dead, 0, "seed {seed}: the graph rejected a transform");
                for &node in &nodes {
                    let transform = graph.node(node).unwrap().transform();
                    assert!(transform.translation.is_finite(), "seed {seed}: {transform:?}");
                    assert!(transform.scale.is_finite(), "seed {seed}: {transform:?}");
                    assert!(transform.rotation.is_normalized(), "seed {seed}: {transform:?}");
                    let weights = weights.get(&graph, node).map_or(&[][..], |row| &row[..]);
                    assert!(
                        weights.iter().all(|w: &f32| w.is_finite()),
                        "seed {seed}: {weights:?}"
                    );
                }
            }
        }
        graph.update();
        assert_eq!(graph.check(), [], "seed {seed}");
    }
}

/// The contribution of a layer to one node.
struct LayerSample {
    clip: Arc<Clip>,
    time: f32,
    weight: f64,
    priority: i32,
    is_added: bool,
}

/// Blends as documented at `Mixer`, in f64: the layers of a priority are summed first, then
/// normalized.
fn naive(rest: [f64; 3], samples: &[LayerSample]) -> [f64; 3] {
    let at = |sample: &LayerSample, time: f32| -> [f64; 3] {
        let Track::Translation(curve) = sample.clip.channels()[0].track() else { panic!() };
        curve.sample(time).to_array().map(f64::from)
    };
    let mut result = rest;
    for priority in 0..3 {
        let layers = || samples.iter().filter(move |v| v.priority == priority && !v.is_added);
        let total: f64 = layers().map(|sample| sample.weight).sum();
        if total <= 0.0 {
            continue;
        }
        for (axis, result) in result.iter_mut().enumerate() {
            let sum: f64 =
                layers().map(|sample| sample.weight * at(sample, sample.time)[axis]).sum();
            *result += (sum / total - *result) * total.min(1.0);
        }
    }
    for sample in samples.iter().filter(|sample| sample.is_added) {
        for (axis, result) in result.iter_mut().enumerate() {
            let reference = at(sample, f32::MIN)[axis];
            *result += (at(sample, sample.time)[axis] - reference) * sample.weight;
        }
    }
    result
}

#[test]
fn blending_agrees_with_a_naive_mixer() {
    for seed in 0..200 {
        let mut random = Rng::new(10_000 + seed);
        let (mut graph, mut weights) = (Graph::new(), Table::new());
        let rest = Vec3::from_array([0; 3].map(|_| random.number()));
        let node = graph.add_root(Transform::from_translation(rest)).unwrap();
        let (mut mixer, mut samples) = (Mixer::new(), Vec::new());
        let seconds = random.number().abs();
        for _ in 0..1 + random.below(6) {
            let values: Vec<Vec3> =
                (0..4).map(|_| Vec3::from_array([0; 3].map(|_| random.number()))).collect();
            let times = [0.0, 0.3, 0.5, 1.5];
            let channel = Channel::translation(0, Interpolation::Linear, times, values).unwrap();
            let clip = Arc::new(Clip::new("clip", [""], [channel]).unwrap());
            let (weight, mask_weight) = (random.number().abs(), random.number().abs());
            let (priority, is_added) = (random.below(3) as i32, random.below(4) == 0);
            let blend = if is_added { Blend::Add(Reference::FirstKey) } else { Blend::Replace };
            let layer = BlendLayer::new(Binding::new(clip.clone(), [node]).unwrap())
                .with_weight(weight)
                .with_blend(blend)
                .with_mask(Mask::none().with(node, mask_weight))
                .with_priority(priority);
            mixer.add(layer, &graph, &weights);
            let weight = f64::from(weight) * f64::from(mask_weight);
            samples.push(LayerSample { clip, time: seconds, weight, priority, is_added });
        }
        mixer.update(seconds, &mut graph, &mut weights);
        let actual = graph.node(node).unwrap().translation().to_array();
        let expected = naive(rest.to_array().map(f64::from), &samples);
        for (actual, expected) in actual.into_iter().zip(expected) {
            assert!(
                (f64::from(actual) - expected).abs() < 1e-5,
                "seed {seed}: {actual} {expected}"
            );
        }
    }
}

#[test]
fn averaged_rotations_equal_the_normalized_sum() {
    for seed in 0..200 {
        let mut random = Rng::new(20_000 + seed);
        let (mut graph, mut weights) = (Graph::new(), Table::new());
        let node = graph.add_root(Transform::IDENTITY).unwrap();
        let mut mixer = Mixer::new();
        let (mut sum, mut total) = ([0.0f64; 4], 0.0);
        for _ in 0..2 + random.below(4) {
            // Less than π/2 apart, so that the signs are unambiguous.
            let [x, y, z] = [0; 3].map(|_| random.number() * 0.3);
            let rotation = Quat::from_xyzw(x, y, z, 1.0).normalize();
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            let weight = 0.5 + random.number().abs() / 2.0;
            let channel =
                Channel::rotation(0, Interpolation::Step, [0.0], [rotation * sign]).unwrap();
            let clip = Clip::new("turn", [""], [channel]).unwrap();
            let layer = BlendLayer::new(Binding::new(clip, [node]).unwrap()).with_weight(weight);
            mixer.add(layer, &graph, &weights);
            for (sum, part) in sum.iter_mut().zip(rotation.to_array()) {
                *sum += f64::from(weight) * f64::from(part);
            }
            total += weight;
        }
        assert!(total >= 1.0);
        mixer.update(0.1, &mut graph, &mut weights);
        let length = sum.map(|part| part * part).iter().sum::<f64>().sqrt();
        let actual = graph.node(node).unwrap().rotation().to_array().map(f64::from);
        let sign = actual[3].signum();
        for (actual, expected) in actual.into_iter().zip(sum) {
            assert!((actual * sign - expected / length).abs() < 1e-6, "seed {seed}");
        }
    }
}
