//! Curves, compared with the formulas of the glTF specification in f64.

use crate::common::RandomValues;
use glam::{Quat, Vec3};
use pleach::animation::{Cursor, Curve, Interpolation, WeightCurve};
use pleach::glam;
use testkit::Rng;

/// The interpolations, as in appendix C of the glTF specification.
mod formulas {
    use super::Interpolation;

    pub(super) fn key_and_fraction(times: &[f32], seconds: f32) -> (usize, f64, f64) {
        let mut key = 0;
        for (index, &time) in times.iter().enumerate() {
            if time <= seconds {
                key = index;
            }
        }
        let from = f64::from(times[key]);
        match times.get(key + 1) {
            Some(&to) if f64::from(seconds) > from => {
                let span = f64::from(to) - from;
                (key, (f64::from(seconds) - from) / span, span)
            }
            _ => (key, 0.0, 1.0),
        }
    }

    /// Interpolates values of `width` components each; linear rotations use `slerp` instead.
    pub(super) fn sample(
        interpolation: Interpolation,
        times: &[f32],
        values: &[f32],
        width: usize,
        seconds: f32,
    ) -> Vec<f64> {
        let (key, t, span) = key_and_fraction(times, seconds);
        let at = |row: usize, component: usize| f64::from(values[row * width + component]);
        let number = |component: usize| match interpolation {
            Interpolation::Step => at(key, component),
            Interpolation::Linear if t == 0.0 => at(key, component),
            Interpolation::Linear => (1.0 - t) * at(key, component) + t * at(key + 1, component),
            Interpolation::CubicSpline if t == 0.0 => at(3 * key + 1, component),
            Interpolation::CubicSpline => {
                let (v_k, b_k) = (at(3 * key + 1, component), at(3 * key + 2, component));
                let (a_k1, v_k1) = (at(3 * key + 3, component), at(3 * key + 4, component));
                (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0) * v_k
                    + span * (t.powi(3) - 2.0 * t.powi(2) + t) * b_k
                    + (-2.0 * t.powi(3) + 3.0 * t.powi(2)) * v_k1
                    + span * (t.powi(3) - t.powi(2)) * a_k1
            }
        };
        (0..width).map(number).collect()
    }

    pub(super) fn normalized(q: &[f64]) -> Vec<f64> {
        let length = q.iter().map(|component| component * component).sum::<f64>().sqrt();
        q.iter().map(|component| component / length).collect()
    }

    pub(super) fn slerp(a: &[f64], b: &[f64], t: f64) -> Vec<f64> {
        let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        let (sign, angle) = (dot.signum(), dot.abs().min(1.0).acos());
        let (from, to) = if angle < 1e-9 {
            (1.0 - t, t)
        } else {
            (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin())
        };
        let sum: Vec<f64> = a.iter().zip(b).map(|(a, b)| a * from + sign * b * to).collect();
        normalized(&sum)
    }
}

/// Random key times, and times to sample at.
trait RandomTimes {
    /// Returns times that do not decrease; some are equal.
    fn times(&mut self, keys: usize) -> Vec<f32>;

    fn sample_times(&mut self, times: &[f32]) -> Vec<f32>;
}

impl RandomTimes for Rng {
    fn times(&mut self, keys: usize) -> Vec<f32> {
        let mut time = self.number();
        let mut next = || {
            time += if self.below(4) == 0 { 0.0 } else { self.number().abs() };
            time
        };
        (0..keys).map(|_| next()).collect()
    }

    fn sample_times(&mut self, times: &[f32]) -> Vec<f32> {
        let (first, last) = (times[0], times[times.len() - 1]);
        let mut sample_times: Vec<f32> = times.to_vec();
        sample_times.extend([first - 1.0, last + 1.0]);
        sample_times.extend((0..20).map(|_| first + (last - first) * self.number().abs()));
        sample_times
    }
}

const INTERPOLATIONS: [Interpolation; 3] =
    [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];

#[test]
fn vector_curves_agree_with_the_gltf_formulas() {
    for seed in 0..300 {
        let mut random = Rng::new(seed);
        let (keys, interpolation) = (1 + random.below(12), INTERPOLATIONS[random.below(3)]);
        let times = random.times(keys);
        let count = keys * interpolation.values_per_key();
        let values: Vec<Vec3> = (0..count)
            .map(|_| Vec3::new(random.number(), random.number(), random.number()) * 10.0)
            .collect();
        let numbers: Vec<f32> = values.iter().flat_map(|value| value.to_array()).collect();
        let curve = Curve::new(interpolation, times.clone(), values).unwrap();
        let mut cursor = Cursor::default();
        for seconds in random.sample_times(&times) {
            let actual = curve.sample_with_cursor(seconds, &mut cursor);
            assert_eq!(actual, curve.sample(seconds), "seed {seed}: the cursor changed a result");
            let expected = formulas::sample(interpolation, &times, &numbers, 3, seconds);
            for (actual, expected) in actual.to_array().into_iter().zip(expected) {
                let tolerance = 1e-5 * (1.0 + expected.abs());
                assert!(
                    (f64::from(actual) - expected).abs() < tolerance,
                    "seed {seed} {interpolation:?} {seconds}"
                );
            }
        }
    }
}

#[test]
fn rotation_curves_agree_with_the_gltf_formulas() {
    for seed in 0..300 {
        let mut random = Rng::new(1_000 + seed);
        let (keys, interpolation) = (1 + random.below(12), INTERPOLATIONS[random.below(3)]);
        let times = random.times(keys);
        let count = keys * interpolation.values_per_key();
        let values: Vec<Quat> = (0..count)
            .map(|_| {
                let [x, y, z, w] = std::array::from_fn(|_| random.number());
                Quat::from_xyzw(x, y, z, w + 0.01).normalize()
            })
            .collect();
        let numbers: Vec<f32> = values.iter().flat_map(|value| value.to_array()).collect();
        let curve = Curve::new(interpolation, times.clone(), values).unwrap();
        for seconds in random.sample_times(&times) {
            let expected = match interpolation {
                Interpolation::Linear => {
                    let (key, t, _) = formulas::key_and_fraction(&times, seconds);
                    let to_f64 = |key: usize| -> Vec<f64> {
                        numbers[key * 4..][..4]
                            .iter()
                            .map(|&component| f64::from(component))
                            .collect()
                    };
                    formulas::slerp(&to_f64(key), &to_f64((key + 1).min(keys - 1)), t)
                }
                _ => formulas::normalized(&formulas::sample(
                    interpolation,
                    &times,
                    &numbers,
                    4,
                    seconds,
                )),
            };
            let actual = curve.sample(seconds);
            for (actual, expected) in actual.to_array().into_iter().zip(expected) {
                // A spline may pass near the zero quaternion, where its direction is imprecise.
                let tolerance =
                    if interpolation == Interpolation::CubicSpline { 1e-4 } else { 1e-6 };
                assert!(
                    (f64::from(actual) - expected).abs() < tolerance,
                    "seed {seed} {interpolation:?} {seconds}"
                );
            }
            assert!((actual.length() - 1.0).abs() < 1e-6, "seed {seed}");
        }
    }
}

#[test]
fn weight_curves_agree_with_the_gltf_formulas_for_any_number_of_weights() {
    for seed in 0..200 {
        let mut random = Rng::new(2_000 + seed);
        let (keys, interpolation) = (1 + random.below(8), INTERPOLATIONS[random.below(3)]);
        let width = 1 + random.below(9);
        let times = random.times(keys);
        let count = keys * interpolation.values_per_key() * width;
        let values: Vec<f32> = (0..count).map(|_| random.number()).collect();
        let curve = WeightCurve::new(interpolation, times.clone(), values.clone()).unwrap();
        assert_eq!(curve.width(), width);
        let mut cursor = Cursor::default();
        for seconds in random.sample_times(&times) {
            let (mut actual, mut again) = (vec![9.0; width + 2], vec![9.0; width + 2]);
            curve.sample_into_with_cursor(seconds, &mut cursor, &mut actual);
            curve.sample_into(seconds, &mut again);
            assert_eq!(actual, again, "seed {seed}: the cursor changed a result");
            assert_eq!(actual[width..], [9.0, 9.0], "only the weights of the curve are written");
            let expected = formulas::sample(interpolation, &times, &values, width, seconds);
            for (&actual, expected) in actual.iter().zip(expected) {
                assert!(
                    (f64::from(actual) - expected).abs() < 1e-5,
                    "seed {seed} {interpolation:?} {seconds}"
                );
            }
        }
    }
}

#[test]
fn cubic_spline_has_the_expected_values() {
    // From 1 to 5 in two seconds; the out-tangent is 3 units per second, the in-tangent −2.
    let key = |value: f32| Vec3::new(value, 0.0, -value);
    let values = [9.0, 1.0, 3.0, -2.0, 5.0, 9.0].map(key);
    let curve = Curve::new(Interpolation::CubicSpline, [1.0, 3.0], values).unwrap();
    for (seconds, expected) in [
        (0.0, 1.0),
        (1.0, 1.0),
        (1.5, 2.65625), // 0.84375·1 + 2·0.140625·3 + 0.15625·5 + 2·(−0.046875)·(−2)
        (2.0, 4.25),    // 0.5·1 + 2·0.125·3 + 0.5·5 + 2·(−0.125)·(−2)
        (2.5, 5.21875), // 0.15625·1 + 2·0.046875·3 + 0.84375·5 + 2·(−0.140625)·(−2)
        (3.0, 5.0),
        (9.0, 5.0),
    ] {
        assert_eq!(curve.sample(seconds), key(expected), "{seconds}");
    }
}

#[test]
fn tangents_are_scaled_by_the_time_between_the_keys() {
    // The same shape in a tenth of the time needs tangents that are ten times as large.
    let shape = |seconds: f32| {
        let slope = Vec3::X / seconds;
        let values = [Vec3::ZERO, Vec3::ZERO, slope, -slope, Vec3::Y, Vec3::ZERO];
        Curve::new(Interpolation::CubicSpline, [0.0, seconds], values).unwrap()
    };
    let (slow, fast) = (shape(10.0), shape(1.0));
    for component in [0.1, 0.3, 0.5, 0.9] {
        assert!(slow.sample(10.0 * component).abs_diff_eq(fast.sample(component), 1e-6));
    }
}

#[test]
fn step_interpolation_holds_each_value_until_the_next_key() {
    let curve = Curve::new(Interpolation::Step, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0].map(Vec3::splat));
    let curve = curve.unwrap();
    let sample_times = [0.0, 1.0, 1.999, 2.0, 2.5, 2.9999, 3.0, 100.0];
    let values = sample_times.map(|seconds| curve.sample(seconds).x);
    assert_eq!(values, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
}

#[test]
fn keys_are_exact_and_clamped_outside_of_their_range() {
    let rotations = [0.3f32, 0.9, -2.0].map(Quat::from_rotation_y);
    for interpolation in [Interpolation::Step, Interpolation::Linear] {
        let curve = Curve::new(interpolation, [0.1, 0.7, 1.3], rotations).unwrap();
        assert_eq!([0.1, 0.7, 1.3].map(|time| curve.sample(time)), rotations);
        for outside in [f32::NEG_INFINITY, -1.0, 0.0, f32::NAN] {
            assert_eq!(curve.sample(outside), rotations[0]);
        }
        for outside in [1.4, f32::INFINITY] {
            assert_eq!(curve.sample(outside), rotations[2]);
        }
    }
}

#[test]
fn curve_jumps_to_the_last_of_several_keys_at_the_same_time() {
    let times = [0.0, 1.0, 1.0, 1.0, 2.0];
    let values = [0.0, 10.0, 50.0, 20.0, 30.0].map(Vec3::splat);
    let linear = Curve::new(Interpolation::Linear, times, values).unwrap();
    let sample_times = [0.5, 1.0 - f32::EPSILON / 2.0, 1.0, 1.5];
    let [half, before, at, after] = sample_times.map(|seconds| linear.sample(seconds).x);
    assert_eq!((half, at, after), (5.0, 20.0, 25.0));
    assert!((before - 10.0).abs() < 1e-5);

    let step = Curve::new(Interpolation::Step, times, values).unwrap();
    assert_eq!(sample_times.map(|seconds| step.sample(seconds).x), [0.0, 0.0, 20.0, 20.0]);

    let simultaneous =
        Curve::new(Interpolation::Linear, [1.0; 3], [0.0, 1.0, 2.0].map(Vec3::splat));
    let simultaneous = simultaneous.unwrap();
    assert_eq!([0.0, 1.0, 2.0].map(|seconds| simultaneous.sample(seconds).x), [0.0, 2.0, 2.0]);
}

#[test]
fn curve_with_a_single_key_is_constant() {
    for interpolation in INTERPOLATIONS {
        let values = vec![Vec3::X; interpolation.values_per_key()];
        let curve = Curve::new(interpolation, [0.5], values).unwrap();
        for seconds in [-1.0, 0.0, 0.5, 1.0] {
            assert_eq!(curve.sample(seconds), Vec3::X, "{interpolation:?}");
        }
    }
}

#[test]
fn quaternion_and_its_negative_are_the_same_rotation() {
    let (a, b) = (Quat::from_rotation_x(0.2), Quat::from_rotation_x(1.4));
    let plain = Curve::new(Interpolation::Linear, [0.0, 1.0, 2.0], [a, b, a]).unwrap();
    for signs in [[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, -1.0]] {
        let values = [a * signs[0], b * signs[1], a * signs[2]];
        let curve = Curve::new(Interpolation::Linear, [0.0, 1.0, 2.0], values).unwrap();
        for step in 0..=20 {
            let seconds = step as f32 / 10.0;
            let (actual, expected) = (curve.sample(seconds), plain.sample(seconds));
            assert!(actual.dot(expected).abs() > 1.0 - 1e-6, "{signs:?} {seconds}");
        }
    }
    // A rotation and its negative are equal: the curve is constant.
    let still = Curve::new(Interpolation::Linear, [0.0, 1.0], [a, -a]).unwrap();
    assert_eq!(still.sample(0.5), a);
}

#[test]
fn slerp_takes_the_shortest_path_at_constant_speed() {
    let from = Quat::from_rotation_z(3.0);
    let to = Quat::from_rotation_z(-3.0); // 0.283 forwards, not 6 backwards
    let curve = Curve::new(Interpolation::Linear, [0.0, 1.0], [from, to]).unwrap();
    for step in 0..=10 {
        let t = step as f32 / 10.0;
        let expected = Quat::from_rotation_z(3.0 + (std::f32::consts::TAU - 6.0) * t);
        assert!(curve.sample(t).dot(expected).abs() > 1.0 - 1e-6, "{t}");
    }
}

#[test]
fn curve_between_equal_keys_is_constant_bit_for_bit() {
    let translation = Vec3::new(0.1, -1.7e-9, 3e38);
    let rotation = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9273618);
    let zero = Vec3::ZERO;
    let linear = Curve::new(Interpolation::Linear, [0.0, 0.7], [translation; 2]).unwrap();
    let spline = [zero, translation, zero, zero, translation, zero];
    let spline = Curve::new(Interpolation::CubicSpline, [0.0, 0.7], spline).unwrap();
    let rotations = Curve::new(Interpolation::Linear, [0.0, 0.7], [rotation; 2]).unwrap();
    for step in 0..=70 {
        let seconds = step as f32 / 100.0;
        assert_eq!(linear.sample(seconds), translation);
        assert_eq!(spline.sample(seconds), translation);
        assert_eq!(rotations.sample(seconds), rotation);
    }
}

#[test]
fn rotations_are_normalized() {
    let rotation = Quat::from_rotation_x(1.0);
    let curve =
        Curve::new(Interpolation::Linear, [0.0, 1.0], [Quat::IDENTITY * 1e-30, rotation * 7.0]);
    let curve = curve.unwrap();
    assert!(curve.sample(0.5).abs_diff_eq(Quat::from_rotation_x(0.5), 1e-6));
    assert!(curve.values()[1].abs_diff_eq(rotation, 1e-6));
    // A quaternion of unit length up to rounding is kept.
    let nearly = Quat::from_xyzw(0.0, 0.0, 0.0, 1.000_000_1);
    let kept = Curve::new(Interpolation::Step, [0.0], [nearly]).unwrap();
    assert_eq!(kept.values(), [nearly]);
}

#[test]
fn spline_through_the_zero_quaternion_yields_a_rotation() {
    let zero = Quat::from_array([0.0; 4]);
    let (a, b) = (Quat::IDENTITY, -Quat::IDENTITY);
    let keys = [zero, a, zero, zero, b, zero];
    let curve = Curve::new(Interpolation::CubicSpline, [0.0, 1.0], keys).unwrap();
    assert_eq!(curve.sample(0.5), Quat::IDENTITY);
    let all_zero = Curve::new(Interpolation::CubicSpline, [0.0, 1.0], [zero; 6]).unwrap();
    assert_eq!([0.0, 0.5, 1.0].map(|seconds| all_zero.sample(seconds)), [Quat::IDENTITY; 3]);
}

#[test]
fn random_access_with_a_cursor_equals_sampling_without() {
    let mut random = Rng::new(77);
    let times = random.times(1_000);
    let values: Vec<Vec3> = (0..1_000).map(|_| Vec3::splat(random.number())).collect();
    let curve = Curve::new(Interpolation::Linear, times.clone(), values).unwrap();
    let mut cursor = Cursor::default();
    for _ in 0..5_000 {
        let seconds = times[0] + random.number().abs() * (times[999] - times[0]);
        assert_eq!(curve.sample_with_cursor(seconds, &mut cursor), curve.sample(seconds));
    }
}
