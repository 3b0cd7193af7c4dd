//! Lights: what arrives where, against the formulas of KHR_lights_punctual.

use crate::common::{Table, assert_near, at, plain, rough, srgb, toned};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{Ambient, Light, Material};
use pleach_render::{Exposure, Settings, Studio};

fn grey(base: f32) -> Material {
    Material::from_color(Vec4::new(base, base, base, 1.0))
}

fn floor(table: &mut Table, base: f32) {
    table.plane(Vec2::new(20.0, 20.0), Vec3::ZERO, grey(base));
}

#[test]
fn a_plane_under_a_sun_of_intensity_1_is_as_bright_as_its_colour() {
    for base in [0.1, 0.5, 0.75] {
        let mut table = Table::new();
        floor(&mut table, base);
        table.sun();
        let picture = table.picture();
        assert!(picture.pixels.iter().all(|pixel| *pixel == picture.pixels[0]));
        let [r, g, b, a] = picture.pixels[0];
        assert_eq!((r, g, a), (g, b, 255));
        // Nearly: a twenty-fifth of the light is reflected before it meets the colour.
        let light = rough(f64::from(base), 1.0);
        assert_near(r, srgb(light), "by the formula");
        assert!((light / f64::from(base) - 1.0).abs() < 0.08);
    }
}

#[test]
fn a_white_plane_under_that_sun_is_white_but_for_the_curve() {
    let mut table = Table::new();
    floor(&mut table, 1.0);
    table.sun();
    let white = table.picture().pixels[0][0];
    assert_near(white, srgb(toned(rough(1.0, 1.0))), "white");
    assert!(white > 245);
}

#[test]
fn light_fades_with_the_cosine_of_its_angle() {
    for degrees in [0.0_f32, 30.0, 60.0, 80.0] {
        let mut table = Table::new();
        floor(&mut table, 0.6);
        let sun = table.sun();
        let turn = Quat::from_rotation_x(degrees.to_radians());
        table.scene.node_mut(sun).unwrap().set_rotation(turn).unwrap();
        let light = rough(0.6, f64::from(degrees.to_radians().cos()));
        assert_near(table.picture().pixels[0][0], srgb(light), &format!("{degrees} degrees"));
    }
}

#[test]
fn a_bulb_fades_with_the_square_of_the_distance() {
    for height in [1.0_f32, 2.0, 4.0] {
        let mut table = Table::new();
        floor(&mut table, 0.5);
        table.light(Light::point(Vec3::ONE, 1.0), Vec3::new(0.0, 0.0, height));
        let picture = table.picture();
        for x in [0.0625_f32, 1.0625, 3.0625] {
            let y = 0.0625_f32;
            let squared = f64::from(x * x + y * y + height * height);
            let cosine = f64::from(height) / squared.sqrt();
            let light = toned(rough(0.5, cosine) / squared);
            assert_near(at(&picture, x, y)[0], srgb(light), &format!("{height} up, {x} aside"));
        }
    }
}

#[test]
fn a_bulb_with_a_range_ends_there_softly() {
    let mut table = Table::new();
    floor(&mut table, 0.5);
    table.light(Light::point(Vec3::ONE, 3.0).with_range(2.5), Vec3::new(0.0, 0.0, 2.0));
    let picture = table.picture();
    for x in [0.0625_f32, 0.9375, 1.3125] {
        let squared = f64::from(x * x + 0.0625 * 0.0625 + 4.0);
        let end = 1.0 - (squared / 6.25).powi(2);
        let light = 3.0 * end * rough(0.5, 2.0 / squared.sqrt()) / squared;
        assert_near(at(&picture, x, 0.0625)[0], srgb(light), &format!("{x} aside"));
    }
    assert_eq!(at(&picture, 1.6, 0.0), [0, 0, 0, 255]);
}

#[test]
fn a_torch_is_bright_within_its_inner_cone_and_dark_outside_of_its_outer() {
    let mut table = Table::new();
    floor(&mut table, 0.5);
    let (inner, outer) = (0.5_f32, 0.75_f32);
    table.light(Light::spot(Vec3::ONE, 4.0, inner, outer), Vec3::new(0.0, 0.0, 2.0));
    let picture = table.picture();
    for step in 0..31 {
        let x = step as f32 / 8.0 + 0.0625;
        let squared = f64::from(x * x + 0.0625 * 0.0625 + 4.0);
        let cosine = 2.0 / squared.sqrt();
        let [inner, outer] = [inner, outer].map(|angle| f64::from(angle).cos());
        let part = ((cosine - outer) / (inner - outer)).clamp(0.0, 1.0);
        let light = 4.0 * part * part * rough(0.5, cosine) / squared;
        assert_near(at(&picture, x, 0.0625)[0], srgb(toned(light)), &format!("{x} aside"));
    }
}

#[test]
fn ambient_light_falls_on_everything_alike() {
    let mut table = Table::new();
    floor(&mut table, 1.0);
    table.scene.environment.ambient = Ambient { color: Vec3::new(1.0, 0.5, 0.0), intensity: 0.4 };
    // What is not scattered by a white surface is mirrored: all of it comes back.
    let [r, g, b, _] = table.picture().pixels[0];
    assert_near(r, srgb(0.4), "red");
    assert_near(g, srgb(0.2), "green");
    assert_eq!(b, 0);
}

#[test]
fn white_metal_mirrors_all_of_an_even_light_however_rough_it_is() {
    for roughness in [0.0, 0.3, 0.7, 1.0] {
        let mut table = Table::new();
        let metal = Material { roughness, ..Material::default() };
        table.plane(Vec2::splat(20.0), Vec3::ZERO, metal);
        table.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.5 };
        assert_near(table.picture().pixels[0][0], srgb(0.5), &format!("roughness {roughness}"));
    }
}

#[test]
fn lights_add_up() {
    let lit = |first: bool, second: bool| {
        let mut table = Table::new();
        floor(&mut table, 0.5);
        if first {
            table.light(Light::directional(Vec3::new(0.5, 0.1, 0.0), 1.0), Vec3::Z * 9.0);
        }
        if second {
            table.light(Light::directional(Vec3::new(0.2, 0.1, 0.3), 2.0), Vec3::Z * 9.0);
        }
        table.picture().pixels[0]
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
fn a_light_that_is_hidden_detached_or_on_other_layers_does_not_shine() {
    let dark = |change: &dyn Fn(&mut Table)| {
        let mut table = Table::new();
        floor(&mut table, 0.5);
        change(&mut table);
        table.picture().pixels.iter().all(|pixel| *pixel == [0, 0, 0, 255])
    };
    assert!(!dark(&|table| {
        table.sun();
    }));
    assert!(dark(&|table| {
        let sun = table.sun();
        table.scene.node_mut(sun).unwrap().set_visible(false);
    }));
    assert!(dark(&|table| {
        let sun = table.sun();
        table.scene.graph.detach(sun).unwrap();
    }));
    assert!(dark(&|table| {
        let light = Light::directional(Vec3::ONE, 1.0).with_layers(2);
        table.light(light, Vec3::Z);
    }));
}

#[test]
fn a_picture_is_neither_black_nor_white_whatever_the_units() {
    let auto = |lux: f32| {
        let mut table = Table::new();
        floor(&mut table, 0.5);
        table.light(Light::directional(Vec3::ONE, lux), Vec3::Z);
        let settings = Settings { exposure: Exposure::Auto, ..plain() };
        table.picture_with(settings).pixels[0][0]
    };
    // Between 0.1 and 0.8 nothing changes; beyond, what is seen comes out at the one or the other.
    assert_near(auto(1.0), srgb(rough(0.5, 1.0)), "1 lux");
    assert_eq!([1e-4, 1e-2].map(auto), [srgb(0.1); 2]);
    assert_eq!([2.0, 3.0, 5.0, 6.0, 1e2, 1e5].map(auto), [srgb(0.8); 6]);
}

#[test]
fn a_scene_without_light_gets_the_studio_unless_it_must_not() {
    let brightness = |studio, lit: bool| {
        let mut table = Table::new();
        floor(&mut table, 0.5);
        if lit {
            // From below: it lights nothing that is seen.
            let sun = table.sun();
            let turn = Quat::from_rotation_x(3.0);
            table.scene.node_mut(sun).unwrap().set_rotation(turn).unwrap();
        }
        table.picture_with(Settings { studio, ..plain() }).pixels[0][0]
    };
    assert_eq!(brightness(Studio::Never, false), 0);
    assert!(brightness(Studio::Auto, false) > 128);
    assert_eq!(brightness(Studio::Always, true), brightness(Studio::Auto, false));
    // Lit, but not here: a little light, so that it is not black.
    assert!((40..128).contains(&brightness(Studio::Auto, true)));
}
