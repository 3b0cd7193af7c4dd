//! Error messages of curves, channels and clips.

use std::error::Error;

use pleach::animation::Interpolation::{CubicSpline, Linear, Step};
use pleach::animation::{Channel, Clip, ClipError, Curve, CurveError, WeightCurve};
use pleach::glam::{Quat, Vec3};

fn message<T>(result: Result<T, impl Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn invalid_keys_are_rejected() {
    let zero = Quat::from_array([0.0; 4]);
    let cases = [
        (
            message(Curve::<Vec3>::new(Linear, [], [])),
            "there are no keys; add at least one, or omit the curve",
        ),
        (
            message(Curve::new(Step, [0.0, f32::NAN], [Vec3::ZERO; 2])),
            "times[1] is NaN; times must be finite",
        ),
        (
            message(Curve::new(Step, [0.0, f32::NEG_INFINITY], [Vec3::ZERO; 2])),
            "times[1] is -inf; times must be finite",
        ),
        (
            message(Curve::new(Linear, [0.0, 0.7, 0.7, 0.5], [Vec3::ZERO; 4])),
            "times[3] is 0.5, before times[2], which is 0.7; sort the keys by time",
        ),
        (
            message(Curve::new(Linear, [0.0, 1.0], [Vec3::ZERO; 3])),
            "2 linear keys need 2 values, not 3",
        ),
        (
            message(Curve::new(CubicSpline, [0.0, 1.0], [Quat::IDENTITY; 2])),
            "2 cubic spline keys need 6 values (in-tangent, value and out-tangent for each), not 2",
        ),
        (
            message(Curve::new(Step, [0.0], [Vec3::new(0.0, f32::INFINITY, 0.0)])),
            "values[0].y is inf; values must be finite",
        ),
        (
            message(Curve::new(
                CubicSpline,
                [0.0],
                [Quat::IDENTITY, Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN)],
            )),
            "values[2].w is NaN; values must be finite",
        ),
        (
            message(Curve::new(Linear, [0.0, 1.0], [Quat::IDENTITY, zero])),
            "values[1] is the zero quaternion; use (0, 0, 0, 1) for the identity rotation",
        ),
        (
            message(WeightCurve::new(Linear, [0.0, 1.0], [0.0; 5])),
            "2 linear keys need 2 numbers for each morph target, and 5 is not a multiple of that; \
             give every key the same number of weights",
        ),
        (
            message(WeightCurve::new(CubicSpline, [0.0], [])),
            "1 cubic spline key needs 3 numbers (in-tangent, value and out-tangent for each) \
             for each morph target, and 0 is not a multiple of that; give every key the same number of weights",
        ),
        (
            message(WeightCurve::new(Step, [0.0], [0.0, f32::NAN])),
            "values[1] is NaN; values must be finite",
        ),
        (
            message(WeightCurve::new(Step, [2.0, 1.0], [0.0; 2])),
            "times[1] is 1, before times[0], which is 2; sort the keys by time",
        ),
    ];
    for (actual, expected) in cases {
        assert_eq!(actual, expected);
    }
}

#[test]
fn channel_errors_name_the_property_and_target() {
    let result = Channel::scale(12, Linear, [0.0, 1.0], [Vec3::ONE]);
    assert_eq!(message(result.clone()), "scale of target 12: 2 linear keys need 2 values, not 1");
    let error = CurveError::ValueCount { interpolation: Linear, keys: 2, values: 1 };
    assert_eq!(result.unwrap_err().source().unwrap().to_string(), error.to_string());
    assert_eq!(
        message(Channel::translation(0, Step, [f32::NAN], [Vec3::ZERO])),
        "translation of target 0: times[0] is NaN; times must be finite",
    );
    assert_eq!(
        message(Channel::weights(3, Step, [0.0], [])),
        "weights of target 3: 1 step key needs 1 numbers for each morph target, \
         and 0 is not a multiple of that; give every key the same number of weights",
    );
    assert_eq!(
        message(Channel::rotation(1, Step, [], [])),
        "rotation of target 1: there are no keys; add at least one, or omit the curve",
    );
}

#[test]
fn invalid_channels_are_rejected() {
    let hop = |target| Channel::translation(target, Step, [0.0], [Vec3::Z]).unwrap();
    let spin = |target| Channel::rotation(target, Step, [0.0], [Quat::IDENTITY]).unwrap();
    assert_eq!(
        message(Clip::new("hop", ["a", "b"], [hop(0), hop(2)])),
        "clip \"hop\": channels[1] refers to target 2, but the clip lists only 2 targets; add a label for it",
    );
    assert_eq!(
        message(Clip::new("hop", ["a", "b"], [hop(1), spin(1), hop(0), hop(1)])),
        "clip \"hop\": channels[0] and channels[3] both animate the translation of target 1 \"b\"; \
         keep one of them",
    );
    let clip = Clip::new("hop", ["a", "a"], [hop(0), hop(1), spin(1)]).unwrap();
    for seconds in [-1.0, f32::NAN, f32::INFINITY] {
        let result = clip.clone().with_duration(seconds).unwrap_err();
        assert!(matches!(result, ClipError::Duration { .. }));
    }
    assert_eq!(
        message(clip.with_duration(-0.5)),
        "clip \"hop\": the duration is -0.5 s; it must be finite and not negative",
    );
}
