//! Tone curves, compared with their definitions and inverses.

use pleach_shading::ToneMapping;
use pleach_shading::glam::Vec3;
use testkit::Rng;

const CURVES: [ToneMapping; 3] =
    [ToneMapping::KhronosPbrNeutral, ToneMapping::Clamp, ToneMapping::Aces];

/// The published algorithm of the Khronos PBR Neutral tone mapper, in `f64`.
fn neutral([r, g, b]: [f64; 3]) -> [f64; 3] {
    let x = r.min(g).min(b);
    let offset = if x < 0.08 { x - 6.25 * x * x } else { 0.04 };
    let color = [r - offset, g - offset, b - offset];
    let peak = color[0].max(color[1]).max(color[2]);
    let start = 0.8 - 0.04;
    if peak < start {
        return color;
    }
    let d = 1.0 - start;
    let new_peak = 1.0 - d * d / (peak + d - start);
    let weight = 1.0 / (0.15 * (peak - new_peak) + 1.0);
    color.map(|it| it * new_peak / peak * weight + new_peak * (1.0 - weight))
}

#[test]
fn the_neutral_curve_is_that_of_khronos() {
    let mut rng = Rng::from_env(0x70e);
    for _ in 0..100_000 {
        let brightness = rng.pick(&[0.1, 1.0, 10.0, 1000.0]);
        let light = (rng.vec3(brightness)).abs();
        let expected = neutral(light.to_array().map(f64::from));
        let found = ToneMapping::KhronosPbrNeutral.apply(light).to_array().map(f64::from);
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{light}: {found} != {expected}");
        }
    }
}

#[test]
fn every_colour_has_light_that_is_mapped_to_it() {
    let mut rng = Rng::from_env(0x1f);
    for curve in CURVES {
        for _ in 0..100_000 {
            let mut level = || rng.pick(&[0.0, 0.01, 0.04, 0.5, 0.76, 0.8, 0.99, 1.0]);
            let (chosen, r, g, b) = (level(), level(), level(), level());
            let color = if chosen < 0.5 { Vec3::new(r, g, b) } else { rng.vec3(1.0).abs() };
            let back = curve.apply(curve.inverse(color));
            assert!((back - color).abs().max_element() < 6e-4, "{curve:?} {color}: {back}");
        }
    }
}

#[test]
fn more_light_is_never_darker_and_all_results_are_colours() {
    for curve in CURVES {
        let lights = (0..4000).map(|step| Vec3::splat(libm::exp2f(step as f32 / 100.0 - 20.0)));
        let mapped: Vec<f32> = lights.map(|light| curve.apply(light).x).collect();
        assert!(mapped.windows(2).all(|pair| pair[1] >= pair[0]), "{curve:?}");
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0] {
            for light in [Vec3::splat(odd), Vec3::new(odd, 0.5, 0.0)] {
                for color in [curve.apply(light), curve.apply(curve.inverse(light))] {
                    let is_color = color.cmpge(Vec3::ZERO).all() && color.cmple(Vec3::ONE).all();
                    assert!(is_color, "{curve:?} {light}: {color}");
                }
            }
        }
    }
}
