//! Environments: fog, ambient light, background.

use pleach::glam::Vec3;
use pleach::{Ambient, Background, Environment, Fog, Light};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn fog(near: f32, far: f32) -> Fog {
    Fog { color: Vec3::ONE, near, far }
}

#[test]
fn default_environment_is_empty() {
    let Environment { ambient, background, fog } = Environment::default();
    assert_eq!(ambient, Ambient { color: Vec3::ONE, intensity: 0.0 });
    assert_eq!(ambient.light(), Vec3::ZERO);
    assert_eq!((background, fog), (None, None));
}

#[test]
fn environment_can_be_set_and_cleared() {
    let gray = Vec3::new(0.1, 0.1, 0.15);
    let fog = Some(Fog { color: gray, near: 50.0, far: 200.0 });
    let background = Some(gray.into());
    let mut environment = Environment { background, fog, ..Environment::default() };
    assert_eq!(environment.background, Some(Background::Color(gray)));
    assert_eq!(
        environment.fog.map(|fog| (fog.color, fog.near, fog.far)),
        Some((gray, 50.0, 200.0))
    );
    environment.background = None;
    environment.fog = None;
    assert_eq!(environment, Environment::default());
}

#[test]
fn fog_is_exact_at_both_ends_and_linear_between() {
    for (near, far) in [(50.0, 200.0), (0.0, 1.0), (-3.0, 0.1), (0.1, 0.3), (1e-40, 1e30)] {
        let fog = fog(near, far);
        assert_eq!(fog.factor(near), 0.0);
        assert_eq!(fog.factor(far), 1.0);
        assert_eq!(fog.factor(near.next_down()), 0.0);
        assert_eq!(fog.factor(far.next_up()), 1.0);
        let mut last = 0.0;
        for step in 1..=1000_u16 {
            let part = f64::from(step) / 1000.0;
            let at = (f64::from(near) + part * (f64::from(far) - f64::from(near))) as f32;
            let factor = fog.factor(at);
            assert!((0.0..=1.0).contains(&factor) && factor >= last, "{fog:?} {at} {factor}");
            assert!((f64::from(factor) - part).abs() < 1e-6, "{fog:?} {at} {factor}");
            last = factor;
        }
    }
}

#[test]
fn fog_without_depth_is_a_step() {
    let wall = fog(10.0, 10.0);
    assert_eq!([9.9, 10.0, 10.1, INF].map(|at| wall.factor(at)), [0.0, 0.0, 1.0, 1.0]);
    let backwards = fog(10.0, 5.0);
    assert_eq!([4.0, 7.0, 10.0, 10.1].map(|at| backwards.factor(at)), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn fog_is_never_nan() {
    let numbers = [NAN, INF, -INF, 0.0, -1.0, 1.0, f32::MAX, f32::MIN, 1e-45];
    for near in numbers {
        for far in numbers {
            for at in numbers {
                let factor = fog(near, far).factor(at);
                assert!((0.0..=1.0).contains(&factor), "{near} {far} {at}: {factor}");
            }
        }
    }
    assert_eq!(fog(1.0, 2.0).factor(NAN), 0.0);
    assert_eq!(fog(1.0, INF).factor(1e30), 0.0);
}

/// Ambient light is the sum of the environment and of all ambient lights.
#[test]
fn ambient_lights_add_up() {
    let sky = Ambient { color: Vec3::new(0.0, 0.5, 1.0), intensity: 0.5 };
    let lamps = [Light::ambient(Vec3::ONE, 0.25), Light::ambient(Vec3::X, 2.0)];
    let all = lamps.iter().filter_map(Light::as_ambient).fold(sky, Ambient::plus);
    assert_eq!(all.light(), Vec3::new(2.25, 0.5, 0.75));

    let dark = Ambient::default();
    assert_eq!((sky.plus(dark), dark.plus(sky)), (sky, sky));
    assert_eq!(Light::point(Vec3::ONE, 1.0).as_ambient(), None);
    assert_eq!(Light::directional(Vec3::ONE, 1.0).as_ambient(), None);
}
