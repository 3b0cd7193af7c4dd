//! The lights of scenes, and the studio.

use std::sync::Arc;

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Ambient, Background, Camera, EnvironmentMap, Image, Light, Node, Scene, View};
use pleach_shading::{
    Backdrop, Emitter, EnvironmentCache, EnvironmentError, Lighting, PrefilteredEnvironment,
    PunctualLight, Studio,
};

struct Fixture {
    scene: Scene,
    view: View,
}

fn fixture(lights: Vec<Light>) -> Fixture {
    let mut scene = Scene::new();
    let camera = scene.spawn(Node::camera(Camera::default())).expect("it fits");
    for light in lights {
        scene.spawn(Node::light(light)).expect("it fits");
    }
    scene.update().expect("the scene is valid");
    let view = scene.view(camera, (64, 64)).expect("it is a camera");
    Fixture { scene, view }
}

fn lighting(fixture: &Fixture, studio: Studio) -> Lighting {
    Lighting::from_scene(&fixture.scene, &fixture.view, studio, None)
}

#[test]
fn a_scene_without_lights_gets_the_studio_if_that_is_wanted() {
    let dark = fixture(vec![]);
    let studio = lighting(&dark, Studio::Auto);
    assert_eq!(studio.lights.len(), 1);
    assert!(Arc::ptr_eq(
        studio.environment.map.as_ref().expect("it has a map"),
        PrefilteredEnvironment::studio()
    ));
    // The key light comes from the upper left of a camera that looks along -Z.
    let Emitter::Directional { direction } = studio.lights[0].emitter else { unreachable!() };
    assert!(direction.x < 0.0 && direction.z > 0.0, "{direction}");
    let never = lighting(&dark, Studio::Never);
    assert!(never.lights.is_empty() && never.environment.is_dark());
}

#[test]
fn a_scene_with_lights_keeps_them_and_gets_a_fill_light_for_its_exposure() {
    let lit = fixture(vec![Light::directional(Vec3::ONE, 100.0)]);
    let mut auto = lighting(&lit, Studio::Auto);
    assert_eq!(auto.lights[0].color, Vec3::splat(100.0));
    assert!(auto.lights[0].node.is_some());
    assert!(auto.needs_fill && auto.environment.is_dark());
    auto.add_fill(0.01);
    assert!((auto.environment.intensity - 18.0).abs() < 1e-3);
    let always = lighting(&lit, Studio::Always);
    assert_eq!((always.lights.len(), always.lights[0].node), (1, None));
}

#[test]
fn ambient_light_and_maps_replace_the_studio() {
    let mut ambient = fixture(vec![]);
    ambient.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.5 };
    let auto = lighting(&ambient, Studio::Auto);
    assert_eq!(auto.environment.uniform, Vec3::splat(0.5));
    assert!(auto.lights.is_empty() && auto.environment.map.is_none());

    let mut mapped = fixture(vec![Light::directional(Vec3::ONE, 1.0)]);
    let settings = EnvironmentMap { intensity: 2.0, rotation: 1.0, ..EnvironmentMap::studio() };
    let map = EnvironmentCache::default().get(&settings, None).expect("the studio is built in");
    mapped.scene.environment.map = Some(settings);
    let auto =
        Lighting::from_scene(&mapped.scene, &mapped.view, Studio::Auto, Some(Arc::clone(&map)));
    assert_eq!((auto.environment.intensity, auto.environment.rotation), (2.0, 1.0));
    assert!(!auto.needs_fill && auto.lights.len() == 1);
}

#[test]
fn hidden_and_detached_lights_do_not_shine() {
    let mut fixture = fixture(vec![]);
    let light = || Node::light(Light::point(Vec3::ONE, 1.0));
    let hidden = fixture.scene.spawn(light()).expect("it fits");
    let detached = fixture.scene.spawn(light()).expect("it fits");
    let shown = fixture.scene.spawn(light()).expect("it fits");
    fixture.scene.node_mut(hidden).expect("it is alive").set_visible(false);
    fixture.scene.graph.detach(detached).expect("it is attached");
    fixture.scene.update().expect("the scene is valid");
    let lights = lighting(&fixture, Studio::Never).lights;
    assert_eq!(lights.iter().map(|it| it.node).collect::<Vec<_>>(), [Some(shown)]);
}

#[test]
fn the_dimmest_lights_are_dropped_first() {
    let lights = (0..100).map(|i| Light::directional(Vec3::ONE, ((i * 37) % 100) as f32 + 1.0));
    let fixture = fixture(lights.collect());
    let mut lighting = lighting(&fixture, Studio::Never);
    assert_eq!(lighting.keep_brightest(64, &fixture.scene), 36);
    assert_eq!(lighting.lights.len(), 64);
    assert!(lighting.lights.iter().all(|light| light.color.x > 36.0));
    assert!(lighting.lights.windows(2).all(|pair| pair[0].node < pair[1].node));
    assert_eq!(lighting.keep_brightest(64, &fixture.scene), 0);
}

#[test]
fn attenuation_is_that_of_khr_lights_punctual() {
    let world = Mat4::from_rotation_translation(Quat::IDENTITY, Vec3::new(0.0, 0.0, 2.0));
    let spot = Light::spot(Vec3::ONE, 8.0, 0.2, 0.6).with_range(10.0);
    let light = PunctualLight::new(&spot, &world).expect("it shines");
    for x in [0.0_f32, 0.3, 0.8, 1.2, 1.6] {
        let point = Vec3::new(x, 0.0, 0.0);
        let distance = f64::from(x).hypot(2.0);
        let cosine = 2.0 / distance;
        let (inner, outer) = (0.2_f64.cos(), 0.6_f64.cos());
        let cone = ((cosine - outer) / (inner - outer)).clamp(0.0, 1.0);
        let window = 1.0 - (distance / 10.0).powi(4);
        let expected = 8.0 * window * cone * cone / (distance * distance);
        let found = light.incident_at(point).map_or(0.0, |it| f64::from(it.light.x));
        assert!((found - expected).abs() < 1e-4, "x {x}: {found} != {expected}");
    }
    assert_eq!(light.incident_at(Vec3::new(0.0, 0.0, -8.1)), None);
}

#[test]
fn an_image_is_filtered_once_until_it_is_edited() {
    let fixture = fixture(vec![]);
    let white = Image::from_rgb_f32(2, 1, vec![[1.0; 3]; 2]).expect("the size is right");
    let image = fixture.scene.assets.add(white);
    let map = EnvironmentMap::image(&image);
    let mut cache = EnvironmentCache::default();
    let first = cache.get(&map, None).expect("it has pixels");
    assert!(Arc::ptr_eq(&first, &cache.get(&map, None).expect("it has pixels")));
    image.set(Image::from_rgba8(2, 1, vec![188; 8]).expect("the size is right"));
    let second = cache.get(&map, None).expect("it has pixels");
    let light = second.harmonics.irradiance(Vec3::Z).x;
    assert!((light - 0.502_886_5).abs() < 1e-4, "sRGB 188 is {light}");

    image.set(Image::from_encoded("image/vnd.radiance", vec![1]));
    let decode = |_: &Image| Err("no such format".to_owned());
    let error = cache.get(&map, Some(&decode)).expect_err("it cannot be decoded");
    assert_eq!(error, EnvironmentError::Decode("no such format".to_owned()));
}

#[test]
fn the_background_is_the_requested_one_or_that_of_the_scene() {
    let mut fixture = fixture(vec![]);
    fixture.scene.environment.background = Some(Background::EnvironmentMap { blur: 0.5 });
    assert!(matches!(Backdrop::new(None, &fixture.scene), Backdrop::Gradient(_)));
    fixture.scene.environment.map = Some(EnvironmentMap::studio());
    let backdrop = Backdrop::new(None, &fixture.scene);
    assert_eq!(backdrop, Backdrop::EnvironmentMap { blur: 0.5 });
    let red = Vec3::X.extend(0.5);
    let Backdrop::Gradient(requested) = Backdrop::new(Some(red), &fixture.scene) else {
        unreachable!()
    };
    assert_eq!(requested.at(0.0), red);
}
