//! Environments: fog, ambient light, maps, background.

use pleach::glam::{Quat, Vec3};
use pleach::{
    Ambient, Assets, Background, Environment, EnvironmentMap, Error, Fog, Image, ImageData, Light,
    Scene,
};
use testkit::Rng;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

fn fog(near: f32, far: f32) -> Fog {
    Fog { color: Vec3::ONE, near, far }
}

#[test]
fn default_environment_is_empty() {
    let Environment { ambient, map, background, fog } = Environment::default();
    assert_eq!(ambient, Ambient { color: Vec3::ONE, intensity: 0.0 });
    assert_eq!(ambient.light(), Vec3::ZERO);
    assert_eq!((map, background, fog), (None, None, None));
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

/// Directions of known positions, from the convention of Cycles and three.js in a world with Z up.
#[test]
fn positions_in_the_image_are_those_of_other_renderers() {
    let map = EnvironmentMap::studio();
    for (direction, uv) in [
        (Vec3::X, (0.5, 0.5)),
        (Vec3::NEG_Y, (0.75, 0.5)),
        (Vec3::Y, (0.25, 0.5)),
        (Vec3::new(1.0, 0.0, 1.0), (0.5, 0.25)),
        (Vec3::new(-1.0, -1.0, 0.0), (0.875, 0.5)),
        (Vec3::new(0.0, -2.0, -2.0), (0.75, 0.75)),
        (Vec3::ZERO, (0.5, 0.5)),
    ] {
        assert!(
            map.uv(direction).abs_diff_eq(uv.into(), 1e-6),
            "{direction}: {}",
            map.uv(direction)
        );
    }
    assert_eq!((map.uv(Vec3::Z).y, map.uv(Vec3::NEG_Z).y), (0.0, 1.0));
}

#[test]
fn directions_and_positions_are_inverse_and_rotate_with_the_map() {
    let mut random = Rng::new(7);
    for _ in 0..1000 {
        let rotation = random.between(-9.0, 9.0);
        let map = EnvironmentMap { rotation, ..EnvironmentMap::studio() };
        let direction = random.vec3(1.0).normalize_or(Vec3::X);
        let uv = map.uv(direction);
        assert!((0.0..=1.0).contains(&uv.x) && (0.0..=1.0).contains(&uv.y), "{direction} {uv}");
        assert!(map.direction(uv).abs_diff_eq(direction, 1e-5), "{direction} {uv} {rotation}");
        let unrotated = EnvironmentMap::studio().direction(uv);
        let turned = Quat::from_rotation_z(rotation) * unrotated;
        assert!(turned.abs_diff_eq(direction, 1e-5), "{direction} {turned} {rotation}");
    }
}

/// The image of the map is known to the scene's registry, and dropped with the last use.
#[test]
fn the_image_of_the_map_is_an_asset_of_the_scene() {
    let library = Assets::new();
    let image = Image::from_rgb_f32(2, 1, vec![[1.0; 3], [2.0; 3]]).unwrap();
    let sky = library.add(image);
    let id = sky.id();
    let mut scene = Scene::new();
    scene.environment.map = Some(EnvironmentMap::image(&sky));
    drop(sky);
    scene.update().unwrap();
    assert!(scene.assets.contains(id));

    let clone = scene.clone();
    assert!(clone.assets.contains(id));
    assert_eq!(clone.environment, scene.environment);
    scene.environment.map = None;
    assert!(clone.assets.contains(id) && clone.environment.map.is_some());
    drop(clone);
    assert!(!scene.assets.contains(id) && library.is_empty());
}

#[test]
fn a_transaction_brings_the_map_and_its_image_back() {
    let mut scene = Scene::new();
    let sky = scene.assets.add(Image::from_encoded("image/vnd.radiance", vec![1, 2, 3]));
    let map = EnvironmentMap { rotation: 1.0, ..EnvironmentMap::image(&sky) };
    scene.environment.map = Some(map.clone());
    let (_, mut removal) = scene
        .transact("Remove the sky", |scene| {
            scene.environment.map = None;
            scene.environment.background = None;
            Ok::<_, Error>(())
        })
        .unwrap();
    let id = sky.id();
    drop((sky, map.clone()));
    let (_, studio) = scene
        .transact("Studio", |scene| {
            scene.environment.map = Some(EnvironmentMap::studio());
            Ok::<_, Error>(())
        })
        .unwrap();
    assert!(removal.append(&studio));
    scene.revert(&removal).unwrap();
    assert_eq!(scene.environment.map, Some(map));
    assert!(scene.assets.contains(id));
    scene.apply(&removal).unwrap();
    assert_eq!(scene.environment.map, Some(EnvironmentMap::studio()));
}

#[test]
fn check_reports_maps_that_cannot_be_drawn() {
    let mut scene = Scene::new();
    let invalid = ImageData::RgbF32 { width: 2, height: 2, pixels: vec![[0.0; 3]] };
    let invalid = scene.assets.add(Image { name: None, data: invalid });
    let studio = EnvironmentMap::studio();
    let shown = |blur| Some(Background::EnvironmentMap { blur });
    for (map, background, problem) in [
        (Some(studio.clone()), shown(0.5), None),
        (None, shown(0.0), Some("which has none; set")),
        (Some(studio.clone()), shown(NAN), Some("the blur of the background is NaN")),
        (Some(EnvironmentMap { intensity: -0.1, ..studio.clone() }), None, Some("is -0.1")),
        (
            Some(EnvironmentMap { rotation: INF, ..studio }),
            None,
            Some("rotation of the map is inf"),
        ),
        (Some(EnvironmentMap::image(&invalid)), None, Some("1 pixels are given, but 2 x 2 are 4")),
    ] {
        scene.environment = Environment { map, background, ..Environment::default() };
        let problems = scene.check();
        assert_eq!(problems.len(), usize::from(problem.is_some()), "{problems:?}");
        if let Some(problem) = problem {
            assert!(problems[0].to_string().contains(problem), "{}", problems[0]);
            assert_eq!(problems[0].node, None);
        }
    }
}
