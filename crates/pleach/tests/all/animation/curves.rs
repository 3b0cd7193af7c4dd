//! Curves against the textbook's formulas, in f64.

use crate::common::RandomValues;
use glam::{Quat, Vec3};
use pleach::animation::{Cursor, Curve, Interpolation, WeightCurve};
use pleach::glam;
use testkit::Rng;

/// The three ways, as the glTF specification writes them (appendix C).
mod textbook {
    use super::Interpolation;

    pub(super) fn key_and_part(times: &[f32], seconds: f32) -> (usize, f64, f64) {
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

    /// Interpolates numbers of `width` each; `None` for linear rotations.
    pub(super) fn sample(
        interpolation: Interpolation,
        times: &[f32],
        values: &[f32],
        width: usize,
        seconds: f32,
    ) -> Vec<f64> {
        let (key, t, span) = key_and_part(times, seconds);
        let at = |row: usize, part: usize| f64::from(values[row * width + part]);
        let number = |part: usize| match interpolation {
            Interpolation::Step => at(key, part),
            Interpolation::Linear if t == 0.0 => at(key, part),
            Interpolation::Linear => (1.0 - t) * at(key, part) + t * at(key + 1, part),
            Interpolation::CubicSpline if t == 0.0 => at(3 * key + 1, part),
            Interpolation::CubicSpline => {
                let (v_k, b_k) = (at(3 * key + 1, part), at(3 * key + 2, part));
                let (a_k1, v_k1) = (at(3 * key + 3, part), at(3 * key + 4, part));
                (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0) * v_k
                    + span * (t.powi(3) - 2.0 * t.powi(2) + t) * b_k
                    + (-2.0 * t.powi(3) + 3.0 * t.powi(2)) * v_k1
                    + span * (t.powi(3) - t.powi(2)) * a_k1
            }
        };
        (0..width).map(number).collect()
    }

    pub(super) fn normalized(q: &[f64]) -> Vec<f64> {
        let length = q.iter().map(|part| part * part).sum::<f64>().sqrt();
        q.iter().map(|part| part / length).collect()
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

/// Times of keys and between them.
trait RandomTimes {
    /// Times that do not decrease; some are equal.
    fn times(&mut self, keys: usize) -> Vec<f32>;

    fn moments(&mut self, times: &[f32]) -> Vec<f32>;
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

    fn moments(&mut self, times: &[f32]) -> Vec<f32> {
        let (first, last) = (times[0], times[times.len() - 1]);
        let mut moments: Vec<f32> = times.to_vec();
        moments.extend([first - 1.0, last + 1.0]);
        moments.extend((0..20).map(|_| first + (last - first) * self.number().abs()));
        moments
    }
}

const WAYS: [Interpolation; 3] =
    [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline];

#[test]
fn vectors_agree_with_the_textbook() {
    for seed in 0..300 {
        let mut random = Rng::new(seed);
        let (keys, way) = (1 + random.below(12), WAYS[random.below(3)]);
        let times = random.times(keys);
        let count = keys * way.values_per_key();
        let values: Vec<Vec3> = (0..count)
            .map(|_| Vec3::new(random.number(), random.number(), random.number()) * 10.0)
            .collect();
        let numbers: Vec<f32> = values.iter().flat_map(|value| value.to_array()).collect();
        let curve = Curve::new(way, times.clone(), values).unwrap();
        let mut cursor = Cursor::default();
        for moment in random.moments(&times) {
            let ours = curve.sample_with_cursor(moment, &mut cursor);
            assert_eq!(ours, curve.sample(moment), "seed {seed}: the cursor changed an answer");
            let expected = textbook::sample(way, &times, &numbers, 3, moment);
            for (ours, expected) in ours.to_array().into_iter().zip(expected) {
                let slack = 1e-5 * (1.0 + expected.abs());
                assert!((f64::from(ours) - expected).abs() < slack, "seed {seed} {way:?} {moment}");
            }
        }
    }
}

#[test]
fn rotations_agree_with_the_textbook() {
    for seed in 0..300 {
        let mut random = Rng::new(1_000 + seed);
        let (keys, way) = (1 + random.below(12), WAYS[random.below(3)]);
        let times = random.times(keys);
        let count = keys * way.values_per_key();
        let values: Vec<Quat> = (0..count)
            .map(|_| {
                let [x, y, z, w] = std::array::from_fn(|_| random.number());
                Quat::from_xyzw(x, y, z, w + 0.01).normalize()
            })
            .collect();
        let numbers: Vec<f32> = values.iter().flat_map(|value| value.to_array()).collect();
        let curve = Curve::new(way, times.clone(), values).unwrap();
        for moment in random.moments(&times) {
            let expected = match way {
                Interpolation::Linear => {
                    let (key, t, _) = textbook::key_and_part(&times, moment);
                    let wide = |key: usize| -> Vec<f64> {
                        numbers[key * 4..][..4].iter().map(|&part| f64::from(part)).collect()
                    };
                    textbook::slerp(&wide(key), &wide((key + 1).min(keys - 1)), t)
                }
                _ => textbook::normalized(&textbook::sample(way, &times, &numbers, 4, moment)),
            };
            let ours = curve.sample(moment);
            for (ours, expected) in ours.to_array().into_iter().zip(expected) {
                // A spline may pass near zero, where its direction is loose.
                let slack = if way == Interpolation::CubicSpline { 1e-4 } else { 1e-6 };
                assert!((f64::from(ours) - expected).abs() < slack, "seed {seed} {way:?} {moment}");
            }
            assert!((ours.length() - 1.0).abs() < 1e-6, "seed {seed}");
        }
    }
}

#[test]
fn weights_agree_with_the_textbook_for_any_number_of_them() {
    for seed in 0..200 {
        let mut random = Rng::new(2_000 + seed);
        let (keys, way) = (1 + random.below(8), WAYS[random.below(3)]);
        let width = 1 + random.below(9);
        let times = random.times(keys);
        let count = keys * way.values_per_key() * width;
        let values: Vec<f32> = (0..count).map(|_| random.number()).collect();
        let curve = WeightCurve::new(way, times.clone(), values.clone()).unwrap();
        assert_eq!(curve.width(), width);
        let mut cursor = Cursor::default();
        for moment in random.moments(&times) {
            let (mut ours, mut again) = (vec![9.0; width + 2], vec![9.0; width + 2]);
            curve.sample_into_with_cursor(moment, &mut cursor, &mut ours);
            curve.sample_into(moment, &mut again);
            assert_eq!(ours, again, "seed {seed}: the cursor changed an answer");
            assert_eq!(ours[width..], [9.0, 9.0], "no more than its weights are written");
            let expected = textbook::sample(way, &times, &values, width, moment);
            for (&ours, expected) in ours.iter().zip(expected) {
                assert!((f64::from(ours) - expected).abs() < 1e-5, "seed {seed} {way:?} {moment}");
            }
        }
    }
}

#[test]
fn a_cubic_spline_has_these_values() {
    // From 1 to 5 in two seconds; left at 3 units a second, reached at −2.
    let key = |value: f32| Vec3::new(value, 0.0, -value);
    let values = [9.0, 1.0, 3.0, -2.0, 5.0, 9.0].map(key);
    let curve = Curve::new(Interpolation::CubicSpline, [1.0, 3.0], values).unwrap();
    for (moment, expected) in [
        (0.0, 1.0),
        (1.0, 1.0),
        (1.5, 2.65625), // 0.84375·1 + 2·0.140625·3 + 0.15625·5 + 2·(−0.046875)·(−2)
        (2.0, 4.25),    // 0.5·1 + 2·0.125·3 + 0.5·5 + 2·(−0.125)·(−2)
        (2.5, 5.21875), // 0.15625·1 + 2·0.046875·3 + 0.84375·5 + 2·(−0.140625)·(−2)
        (3.0, 5.0),
        (9.0, 5.0),
    ] {
        assert_eq!(curve.sample(moment), key(expected), "{moment}");
    }
}

#[test]
fn tangents_are_scaled_by_the_distance_of_the_keys() {
    // The same shape in a tenth of the time needs tangents of ten times the size.
    let shape = |seconds: f32| {
        let slope = Vec3::X / seconds;
        let values = [Vec3::ZERO, Vec3::ZERO, slope, -slope, Vec3::Y, Vec3::ZERO];
        Curve::new(Interpolation::CubicSpline, [0.0, seconds], values).unwrap()
    };
    let (slow, fast) = (shape(10.0), shape(1.0));
    for part in [0.1, 0.3, 0.5, 0.9] {
        assert!(slow.sample(10.0 * part).abs_diff_eq(fast.sample(part), 1e-6));
    }
}

#[test]
fn a_step_keeps_each_value_until_the_next_key() {
    let curve = Curve::new(Interpolation::Step, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0].map(Vec3::splat));
    let curve = curve.unwrap();
    let moments = [0.0, 1.0, 1.999, 2.0, 2.5, 2.9999, 3.0, 100.0];
    let values = moments.map(|moment| curve.sample(moment).x);
    assert_eq!(values, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
}

#[test]
fn keys_are_met_exactly_and_held_outside() {
    let turns = [0.3f32, 0.9, -2.0].map(Quat::from_rotation_y);
    for way in [Interpolation::Step, Interpolation::Linear] {
        let curve = Curve::new(way, [0.1, 0.7, 1.3], turns).unwrap();
        assert_eq!([0.1, 0.7, 1.3].map(|time| curve.sample(time)), turns);
        for outside in [f32::NEG_INFINITY, -1.0, 0.0, f32::NAN] {
            assert_eq!(curve.sample(outside), turns[0]);
        }
        for outside in [1.4, f32::INFINITY] {
            assert_eq!(curve.sample(outside), turns[2]);
        }
    }
}

#[test]
fn keys_at_the_same_time_make_a_jump_to_the_last_of_them() {
    let times = [0.0, 1.0, 1.0, 1.0, 2.0];
    let values = [0.0, 10.0, 50.0, 20.0, 30.0].map(Vec3::splat);
    let linear = Curve::new(Interpolation::Linear, times, values).unwrap();
    let moments = [0.5, 1.0 - f32::EPSILON / 2.0, 1.0, 1.5];
    let [half, before, at, after] = moments.map(|moment| linear.sample(moment).x);
    assert_eq!((half, at, after), (5.0, 20.0, 25.0));
    assert!((before - 10.0).abs() < 1e-5);

    let step = Curve::new(Interpolation::Step, times, values).unwrap();
    assert_eq!(moments.map(|moment| step.sample(moment).x), [0.0, 0.0, 20.0, 20.0]);

    let all_at_once = Curve::new(Interpolation::Linear, [1.0; 3], [0.0, 1.0, 2.0].map(Vec3::splat));
    let all_at_once = all_at_once.unwrap();
    assert_eq!([0.0, 1.0, 2.0].map(|moment| all_at_once.sample(moment).x), [0.0, 2.0, 2.0]);
}

#[test]
fn a_single_key_is_the_same_for_ever() {
    for way in WAYS {
        let values = vec![Vec3::X; way.values_per_key()];
        let curve = Curve::new(way, [0.5], values).unwrap();
        for moment in [-1.0, 0.0, 0.5, 1.0] {
            assert_eq!(curve.sample(moment), Vec3::X, "{way:?}");
        }
    }
}

#[test]
fn a_quaternion_and_its_negative_are_one_rotation() {
    let (a, b) = (Quat::from_rotation_x(0.2), Quat::from_rotation_x(1.4));
    let plain = Curve::new(Interpolation::Linear, [0.0, 1.0, 2.0], [a, b, a]).unwrap();
    for signs in [[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, -1.0]] {
        let values = [a * signs[0], b * signs[1], a * signs[2]];
        let curve = Curve::new(Interpolation::Linear, [0.0, 1.0, 2.0], values).unwrap();
        for step in 0..=20 {
            let moment = step as f32 / 10.0;
            let (ours, expected) = (curve.sample(moment), plain.sample(moment));
            assert!(ours.dot(expected).abs() > 1.0 - 1e-6, "{signs:?} {moment}");
        }
    }
    // From a rotation to its own negative is no way at all.
    let still = Curve::new(Interpolation::Linear, [0.0, 1.0], [a, -a]).unwrap();
    assert_eq!(still.sample(0.5), a);
}

#[test]
fn the_shortest_way_is_taken_and_at_even_speed() {
    let from = Quat::from_rotation_z(3.0);
    let to = Quat::from_rotation_z(-3.0); // 0.283 on, not 6 back
    let curve = Curve::new(Interpolation::Linear, [0.0, 1.0], [from, to]).unwrap();
    for step in 0..=10 {
        let t = step as f32 / 10.0;
        let expected = Quat::from_rotation_z(3.0 + (std::f32::consts::TAU - 6.0) * t);
        assert!(curve.sample(t).dot(expected).abs() > 1.0 - 1e-6, "{t}");
    }
}

#[test]
fn what_stands_still_does_so_bit_for_bit() {
    let place = Vec3::new(0.1, -1.7e-9, 3e38);
    let turn = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9273618);
    let zero = Vec3::ZERO;
    let linear = Curve::new(Interpolation::Linear, [0.0, 0.7], [place; 2]).unwrap();
    let spline = [zero, place, zero, zero, place, zero];
    let spline = Curve::new(Interpolation::CubicSpline, [0.0, 0.7], spline).unwrap();
    let turns = Curve::new(Interpolation::Linear, [0.0, 0.7], [turn; 2]).unwrap();
    for step in 0..=70 {
        let moment = step as f32 / 100.0;
        assert_eq!(linear.sample(moment), place);
        assert_eq!(spline.sample(moment), place);
        assert_eq!(turns.sample(moment), turn);
    }
}

#[test]
fn rotations_of_other_lengths_are_normalised() {
    let turn = Quat::from_rotation_x(1.0);
    let curve = Curve::new(Interpolation::Linear, [0.0, 1.0], [Quat::IDENTITY * 1e-30, turn * 7.0]);
    let curve = curve.unwrap();
    assert!(curve.sample(0.5).abs_diff_eq(Quat::from_rotation_x(0.5), 1e-6));
    assert!(curve.values()[1].abs_diff_eq(turn, 1e-6));
    // A unit but for rounding is kept as it is.
    let nearly = Quat::from_xyzw(0.0, 0.0, 0.0, 1.000_000_1);
    let kept = Curve::new(Interpolation::Step, [0.0], [nearly]).unwrap();
    assert_eq!(kept.values(), [nearly]);
}

#[test]
fn a_spline_through_zero_gives_a_rotation_all_the_same() {
    let none = Quat::from_array([0.0; 4]);
    let (a, b) = (Quat::IDENTITY, -Quat::IDENTITY);
    let keys = [none, a, none, none, b, none];
    let curve = Curve::new(Interpolation::CubicSpline, [0.0, 1.0], keys).unwrap();
    assert_eq!(curve.sample(0.5), Quat::IDENTITY);
    let nothing = Curve::new(Interpolation::CubicSpline, [0.0, 1.0], [none; 6]).unwrap();
    assert_eq!([0.0, 0.5, 1.0].map(|moment| nothing.sample(moment)), [Quat::IDENTITY; 3]);
}

#[test]
fn playing_in_any_order_gives_what_a_new_cursor_gives() {
    let mut random = Rng::new(77);
    let times = random.times(1_000);
    let values: Vec<Vec3> = (0..1_000).map(|_| Vec3::splat(random.number())).collect();
    let curve = Curve::new(Interpolation::Linear, times.clone(), values).unwrap();
    let mut cursor = Cursor::default();
    for _ in 0..5_000 {
        let moment = times[0] + random.number().abs() * (times[999] - times[0]);
        assert_eq!(curve.sample_with_cursor(moment, &mut cursor), curve.sample(moment));
    }
}
