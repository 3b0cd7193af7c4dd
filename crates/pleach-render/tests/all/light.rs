//! Lights, compared with the formulas of KHR_lights_punctual.

use crate::common::{Fixture, assert_near, at, exact_settings, rough_reflection, srgb};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{Ambient, Light, Material};
use pleach_render::{Exposure, Settings, Studio, ToneMapping};

fn grey(base: f32) -> Material {
    Material::from_color(Vec4::new(base, base, base, 1.0))
}

fn floor(fixture: &mut Fixture, base: f32) {
    fixture.plane(Vec2::new(20.0, 20.0), Vec3::ZERO, grey(base));
}

#[test]
fn a_plane_under_a_directional_light_of_intensity_1_has_its_colour() {
    for base in [0.1, 0.5, 0.75] {
        let mut fixture = Fixture::new();
        floor(&mut fixture, base);
        fixture.sun();
        let picture = fixture.picture();
        assert!(picture.pixels.iter().all(|pixel| *pixel == picture.pixels[0]));
        let [r, g, b, a] = picture.pixels[0];
        assert_eq!((r, g, a), (g, b, 255));
        // Approximately: 4 % of the light is reflected specularly.
        let light = rough_reflection(f64::from(base), 1.0);
        assert_near(r, srgb(light), "by the formula");
        assert!((light / f64::from(base) - 1.0).abs() < 0.08);
    }
}

#[test]
fn a_white_plane_under_a_directional_light_of_intensity_1_is_white_before_tone_mapping() {
    let mut fixture = Fixture::new();
    floor(&mut fixture, 1.0);
    fixture.sun();
    let white = fixture.picture().pixels[0][0];
    assert_near(white, srgb(rough_reflection(1.0, 1.0)), "white");
    assert!(white > 245);
}

#[test]
fn tone_mapping_applies_to_lit_surfaces_but_not_to_unlit_ones() {
    // Khronos PBR Neutral of grey light: an offset of 0.04, and compression above 0.76.
    let neutral = |light: f64| {
        let color = if light < 0.08 { 6.25 * light * light } else { light - 0.04 };
        if color < 0.76 { color } else { 1.0 - 0.24 * 0.24 / (color + 0.24 - 0.76) }
    };
    let settings = Settings { tone_mapping: ToneMapping::KhronosPbrNeutral, ..exact_settings() };
    assert_eq!(Settings::default().tone_mapping, settings.tone_mapping);
    for (base, intensity) in [(0.05, 1.0), (0.5, 1.0), (0.75, 1.0), (0.9, 3.0)] {
        let mut fixture = Fixture::new();
        floor(&mut fixture, base);
        fixture.light(Light::directional(Vec3::ONE, intensity), Vec3::Z * 9.0);
        let light = rough_reflection(f64::from(base), 1.0) * f64::from(intensity);
        let found = fixture.picture_with(settings.clone()).pixels[0][0];
        assert_near(found, srgb(neutral(light)), &format!("base {base} in light {intensity}"));
    }
    let mut fixture = Fixture::new();
    fixture.plane(Vec2::splat(20.0), Vec3::ZERO, crate::common::unlit(Vec4::ONE));
    assert_eq!(fixture.picture_with(settings).pixels[0], [255; 4]);
}

#[test]
fn directional_light_depends_on_the_cosine_of_its_angle() {
    for degrees in [0.0_f32, 30.0, 60.0, 80.0] {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.6);
        let sun = fixture.sun();
        let rotation = Quat::from_rotation_x(degrees.to_radians());
        fixture.scene.node_mut(sun).unwrap().set_rotation(rotation).unwrap();
        let light = rough_reflection(0.6, f64::from(degrees.to_radians().cos()));
        assert_near(fixture.picture().pixels[0][0], srgb(light), &format!("{degrees} degrees"));
    }
}

#[test]
fn a_point_light_falls_off_with_the_square_of_the_distance() {
    for height in [1.0_f32, 2.0, 4.0] {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.5);
        fixture.light(Light::point(Vec3::ONE, 1.0), Vec3::new(0.0, 0.0, height));
        let picture = fixture.picture();
        for x in [0.0625_f32, 1.0625, 3.0625] {
            let y = 0.0625_f32;
            let squared = f64::from(x * x + y * y + height * height);
            let cosine = f64::from(height) / squared.sqrt();
            let light = rough_reflection(0.5, cosine) / squared;
            assert_near(at(&picture, x, y)[0], srgb(light), &format!("height {height}, x {x}"));
        }
    }
}

#[test]
fn a_point_light_with_a_range_fades_out_at_the_range() {
    let mut fixture = Fixture::new();
    floor(&mut fixture, 0.5);
    fixture.light(Light::point(Vec3::ONE, 3.0).with_range(2.5), Vec3::new(0.0, 0.0, 2.0));
    let picture = fixture.picture();
    for x in [0.0625_f32, 0.9375, 1.3125] {
        let squared = f64::from(x * x + 0.0625 * 0.0625 + 4.0);
        let end = 1.0 - (squared / 6.25).powi(2);
        let light = 3.0 * end * rough_reflection(0.5, 2.0 / squared.sqrt()) / squared;
        assert_near(at(&picture, x, 0.0625)[0], srgb(light), &format!("x {x}"));
    }
    assert_eq!(at(&picture, 1.6, 0.0), [0, 0, 0, 255]);
}

#[test]
fn a_spot_light_is_bright_within_its_inner_cone_and_dark_outside_of_its_outer_cone() {
    let mut fixture = Fixture::new();
    floor(&mut fixture, 0.5);
    let (inner, outer) = (0.5_f32, 0.75_f32);
    fixture.light(Light::spot(Vec3::ONE, 4.0, inner, outer), Vec3::new(0.0, 0.0, 2.0));
    let picture = fixture.picture();
    for step in 0..31 {
        let x = step as f32 / 8.0 + 0.0625;
        let squared = f64::from(x * x + 0.0625 * 0.0625 + 4.0);
        let cosine = 2.0 / squared.sqrt();
        let [inner, outer] = [inner, outer].map(|angle| f64::from(angle).cos());
        let part = ((cosine - outer) / (inner - outer)).clamp(0.0, 1.0);
        let light = 4.0 * part * part * rough_reflection(0.5, cosine) / squared;
        assert_near(at(&picture, x, 0.0625)[0], srgb(light), &format!("x {x}"));
    }
}

#[test]
fn ambient_light_is_reflected_completely_by_a_white_surface() {
    let mut fixture = Fixture::new();
    floor(&mut fixture, 1.0);
    fixture.scene.environment.ambient = Ambient { color: Vec3::new(1.0, 0.5, 0.0), intensity: 0.4 };
    // Light that a white surface does not scatter is reflected: nothing is lost.
    let [r, g, b, _] = fixture.picture().pixels[0];
    assert_near(r, srgb(0.4), "red");
    assert_near(g, srgb(0.2), "green");
    assert_eq!(b, 0);
}

#[test]
fn white_metal_reflects_all_uniform_light_at_any_roughness() {
    for roughness in [0.0, 0.3, 0.7, 1.0] {
        let mut fixture = Fixture::new();
        let metal = Material { roughness, ..Material::default() };
        fixture.plane(Vec2::splat(20.0), Vec3::ZERO, metal);
        fixture.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.5 };
        assert_near(fixture.picture().pixels[0][0], srgb(0.5), &format!("roughness {roughness}"));
    }
}

#[test]
fn lights_are_additive() {
    let lit = |first: bool, second: bool| {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.5);
        if first {
            fixture.light(Light::directional(Vec3::new(0.5, 0.1, 0.0), 1.0), Vec3::Z * 9.0);
        }
        if second {
            fixture.light(Light::directional(Vec3::new(0.2, 0.1, 0.3), 2.0), Vec3::Z * 9.0);
        }
        fixture.picture().pixels[0]
    };
    let linear = |byte: u8| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let (first, second, both) = (lit(true, false), lit(false, true), lit(true, true));
    for channel in 0..3 {
        let sum = linear(first[channel]) + linear(second[channel]);
        assert_near(both[channel], srgb(sum), "the sum");
    }
}

#[test]
fn lights_that_are_hidden_detached_or_on_other_layers_are_ignored() {
    let dark = |change: &dyn Fn(&mut Fixture)| {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.5);
        change(&mut fixture);
        fixture.picture().pixels.iter().all(|pixel| *pixel == [0, 0, 0, 255])
    };
    assert!(!dark(&|fixture| {
        fixture.sun();
    }));
    assert!(dark(&|fixture| {
        let sun = fixture.sun();
        fixture.scene.node_mut(sun).unwrap().set_visible(false);
    }));
    assert!(dark(&|fixture| {
        let sun = fixture.sun();
        fixture.scene.graph.detach(sun).unwrap();
    }));
    assert!(dark(&|fixture| {
        let light = Light::directional(Vec3::ONE, 1.0).with_layers(2);
        fixture.light(light, Vec3::Z);
    }));
}

#[test]
fn auto_exposure_keeps_pictures_between_black_and_white() {
    let auto = |lux: f32| {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.5);
        fixture.light(Light::directional(Vec3::ONE, lux), Vec3::Z);
        let settings = Settings { exposure: Exposure::Auto, ..exact_settings() };
        fixture.picture_with(settings).pixels[0][0]
    };
    // Between 0.1 and 0.8 nothing changes; beyond, the result is clamped to these.
    assert_near(auto(1.0), srgb(rough_reflection(0.5, 1.0)), "1 lux");
    assert_eq!([1e-4, 1e-2].map(auto), [srgb(0.1); 2]);
    assert_eq!([2.0, 3.0, 5.0, 6.0, 1e2, 1e5].map(auto), [srgb(0.8); 6]);
}

#[test]
fn a_scene_without_lights_gets_the_studio_unless_disabled() {
    let brightness = |studio, lit: bool| {
        let mut fixture = Fixture::new();
        floor(&mut fixture, 0.5);
        if lit {
            // From below: it illuminates nothing that is visible.
            let sun = fixture.sun();
            let rotation = Quat::from_rotation_x(3.0);
            fixture.scene.node_mut(sun).unwrap().set_rotation(rotation).unwrap();
        }
        fixture.picture_with(Settings { studio, ..exact_settings() }).pixels[0][0]
    };
    assert_eq!(brightness(Studio::Never, false), 0);
    assert!(brightness(Studio::Auto, false) > 128);
    assert_eq!(brightness(Studio::Always, true), brightness(Studio::Auto, false));
    // Lit, but not here: the fill light keeps it from being black.
    let filled = brightness(Studio::Auto, true);
    assert!((40..128).contains(&filled), "{filled}");
}
