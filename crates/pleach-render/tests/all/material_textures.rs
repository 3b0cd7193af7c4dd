//! Textures of material extensions: each is multiplied by its factor, from the right channel.
//!
//! A texture of one value must act like that value in the factor. The other channels contain other
//! values, so that a wrong channel is noticed.

use crate::common::{Fixture, assert_near, index};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::Sphere;
use pleach::{
    Ambient, Anisotropy, Clearcoat, DiffuseTransmission, Handle, Image, Iridescence, Material,
    Sheen, Specular, TextureRef, TextureTransform, Transmission, Volume,
};

/// The value of the channel that is read: 51 of 255.
const VALUE: f32 = 0.2;
const VALUE_BYTE: u8 = 51;
const OTHER_BYTE: u8 = 204;
/// The linear value of the byte in sRGB.
const SRGB_VALUE: f32 = 0.033_104_77;

/// A pixel with the value in one channel and another value in the other channels.
fn in_channel(channel: usize) -> [u8; 4] {
    let mut pixel = [OTHER_BYTE; 4];
    pixel[channel] = VALUE_BYTE;
    pixel
}

fn in_color() -> [u8; 4] {
    [VALUE_BYTE, VALUE_BYTE, VALUE_BYTE, OTHER_BYTE]
}

/// A texture whose lower half is this pixel and whose upper half is white: a transform and a second
/// set of texture coordinates select the lower half.
fn texture(fixture: &Fixture, pixel: [u8; 4]) -> TextureRef {
    let image = Image::from_rgba8(1, 2, [[255; 4], pixel].concat()).unwrap();
    let image: Handle<Image> = fixture.scene.assets.add(image);
    let transform = TextureTransform {
        offset: Vec2::new(0.0, 0.75),
        scale: Vec2::new(1.0, 0.0),
        ..TextureTransform::default()
    };
    TextureRef { uv_set: 1, transform: Some(transform), ..TextureRef::new(image) }
}

/// Renders a sphere in front of a striped wall, with light from the front, the side and behind.
fn picture(material: impl Fn(&Fixture) -> Material) -> Vec<[u8; 4]> {
    let mut fixture = Fixture::new();
    let mut sphere = Sphere::new(1.5).build().unwrap();
    let uvs = sphere.uvs[0].clone();
    sphere.uvs.push(uvs);
    let material = material(&fixture);
    fixture.put(sphere, Vec3::ZERO, material);
    for i in 0..8 {
        let color = if i % 2 == 0 { Vec4::new(0.9, 0.8, 0.5, 1.0) } else { Vec4::ONE * 0.2 };
        let stripe = crate::common::unlit(color);
        fixture.plane(Vec2::new(1.0, 9.0), Vec3::new(i as f32 - 3.5, 0.0, -4.0), stripe);
    }
    for angle in [0.4, -0.9, 2.6] {
        let sun = fixture.sun();
        fixture.scene.node_mut(sun).unwrap().set_rotation(Quat::from_rotation_y(angle)).unwrap();
    }
    fixture.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.3 };
    let picture = fixture.picture();
    let rows = (-10..=10).map(|y| y as f32 * 0.125 + 0.0625);
    rows.flat_map(|y| (-10..=10).map(move |x| (x as f32 * 0.125 + 0.0625, y)))
        .map(|(x, y)| picture.pixels[index(x, y)])
        .collect()
}

fn base() -> Material {
    Material { roughness: 0.4, ..Material::from_color(Vec4::new(0.7, 0.3, 0.2, 1.0)) }
}

fn glass() -> Material {
    let transmission = Some(Box::new(Transmission { factor: 1.0, texture: None }));
    Material { transmission, roughness: 0.1, ..Material::from_color(Vec4::ONE) }
}

/// Asserts that `textured` draws the same as `factor`, and another picture than `full`.
#[track_caller]
fn assert_same(
    what: &str,
    factor: Material,
    full: Material,
    textured: impl Fn(&Fixture) -> Material,
) {
    let by_factor = picture(|_| factor.clone());
    let by_texture = picture(textured);
    for (a, b) in by_factor.iter().zip(&by_texture) {
        for channel in 0..4 {
            assert!(
                a[channel].abs_diff(b[channel]) <= 3,
                "{what}: {a:?} by factor, {b:?} by texture"
            );
        }
    }
    let by_full = picture(|_| full.clone());
    let differing = by_factor.iter().zip(&by_full).filter(|(a, b)| a != b).count();
    assert!(differing > 20, "{what} has an effect: {differing} pixels");
}

macro_rules! slot {
    ($what:expr, $base:expr, $extension:ident, $full:expr, $reduced:expr, |$fixture:ident| $textured:expr) => {
        let material = |value| Material { $extension: Some(Box::new(value)), ..$base };
        assert_same($what, material($reduced), material($full), |$fixture| material($textured));
    };
}

#[test]
fn specular_textures_are_read() {
    let full = Specular { color: Vec3::new(3.0, 9.0, 20.0), ..Specular::default() };
    slot!(
        "specular",
        base(),
        specular,
        full.clone(),
        Specular { factor: VALUE, ..full.clone() },
        |fixture| Specular { texture: Some(texture(fixture, in_channel(3))), ..full.clone() }
    );
    slot!(
        "specular colour",
        base(),
        specular,
        full.clone(),
        Specular { color: full.color * SRGB_VALUE, ..full.clone() },
        |fixture| Specular { color_texture: Some(texture(fixture, in_color())), ..full.clone() }
    );
}

#[test]
fn clearcoat_textures_are_read() {
    let full = Clearcoat { factor: 0.9, roughness: 0.8, ..Clearcoat::default() };
    slot!(
        "clearcoat",
        base(),
        clearcoat,
        full.clone(),
        Clearcoat { factor: 0.9 * VALUE, ..full.clone() },
        |fixture| Clearcoat { texture: Some(texture(fixture, in_channel(0))), ..full.clone() }
    );
    slot!(
        "clearcoat roughness",
        base(),
        clearcoat,
        full.clone(),
        Clearcoat { roughness: 0.8 * VALUE, ..full.clone() },
        |fixture| Clearcoat {
            roughness_texture: Some(texture(fixture, in_channel(1))),
            ..full.clone()
        }
    );
}

#[test]
fn sheen_textures_are_read() {
    let full = Sheen { color: Vec3::new(0.9, 0.5, 1.0), roughness: 0.9, ..Sheen::default() };
    slot!(
        "sheen colour",
        base(),
        sheen,
        full.clone(),
        Sheen { color: full.color * SRGB_VALUE, ..full.clone() },
        |fixture| Sheen { color_texture: Some(texture(fixture, in_color())), ..full.clone() }
    );
    slot!(
        "sheen roughness",
        base(),
        sheen,
        full.clone(),
        Sheen { roughness: 0.9 * VALUE, ..full.clone() },
        |fixture| Sheen {
            roughness_texture: Some(texture(fixture, in_channel(3))),
            ..full.clone()
        }
    );
}

#[test]
fn iridescence_textures_are_read() {
    let full = Iridescence {
        factor: 1.0,
        thickness_min: 200.0,
        thickness_max: 700.0,
        ..Iridescence::default()
    };
    slot!(
        "iridescence",
        base(),
        iridescence,
        full.clone(),
        Iridescence { factor: VALUE, ..full.clone() },
        |fixture| Iridescence { texture: Some(texture(fixture, in_channel(0))), ..full.clone() }
    );
    slot!(
        "iridescence thickness",
        base(),
        iridescence,
        full.clone(),
        Iridescence { thickness_max: 200.0 + 500.0 * VALUE, ..full.clone() },
        |fixture| Iridescence {
            thickness_texture: Some(texture(fixture, in_channel(1))),
            ..full.clone()
        }
    );
}

#[test]
fn anisotropy_textures_are_read() {
    let metal = || Material { metallic: 1.0, ..base() };
    let full = Anisotropy { strength: 1.0, rotation: 0.5, texture: None };
    // The direction (1, 0): red 1, green 0.5, as closely as bytes can.
    let along = |blue| [255, 128, blue, 255];
    slot!(
        "anisotropy strength",
        metal(),
        anisotropy,
        full.clone(),
        Anisotropy { strength: VALUE, ..full.clone() },
        |fixture| Anisotropy { texture: Some(texture(fixture, along(VALUE_BYTE))), ..full.clone() }
    );
    // The direction (0, 1) is a quarter turn.
    slot!(
        "anisotropy direction",
        metal(),
        anisotropy,
        full.clone(),
        Anisotropy { rotation: 0.5 + std::f32::consts::FRAC_PI_2, ..full.clone() },
        |fixture| Anisotropy {
            texture: Some(texture(fixture, [128, 255, 255, 255])),
            ..full.clone()
        }
    );
}

#[test]
fn diffuse_transmission_textures_are_read() {
    let full = DiffuseTransmission {
        factor: 1.0,
        color: Vec3::new(0.9, 0.8, 0.3),
        ..DiffuseTransmission::default()
    };
    slot!(
        "diffuse transmission",
        base(),
        diffuse_transmission,
        full.clone(),
        DiffuseTransmission { factor: VALUE, ..full.clone() },
        |fixture| DiffuseTransmission {
            texture: Some(texture(fixture, in_channel(3))),
            ..full.clone()
        }
    );
    slot!(
        "diffuse transmission colour",
        base(),
        diffuse_transmission,
        full.clone(),
        DiffuseTransmission { color: full.color * SRGB_VALUE, ..full.clone() },
        |fixture| DiffuseTransmission {
            color_texture: Some(texture(fixture, in_color())),
            ..full.clone()
        }
    );
}

#[test]
fn transmission_and_thickness_textures_are_read() {
    let full = Transmission { factor: 1.0, texture: None };
    slot!(
        "transmission",
        base(),
        transmission,
        full.clone(),
        Transmission { factor: VALUE, ..full.clone() },
        |fixture| Transmission { texture: Some(texture(fixture, in_channel(0))), ..full.clone() }
    );
    let full = Volume {
        thickness: 2.0,
        attenuation_distance: 1.0,
        attenuation_color: Vec3::new(0.9, 0.4, 0.6),
        ..Volume::default()
    };
    slot!(
        "thickness",
        glass(),
        volume,
        full.clone(),
        Volume { thickness: 2.0 * VALUE, ..full.clone() },
        |fixture| Volume {
            thickness_texture: Some(texture(fixture, in_channel(1))),
            ..full.clone()
        }
    );
}

#[test]
fn the_normal_map_of_the_base_does_not_change_the_clear_coat() {
    // Only the coat reflects.
    let coated = |fixture: &Fixture, base_map: bool, coat_map: bool| {
        let bumps = Image::from_rgba8(1, 1, vec![200, 90, 200, 255]).unwrap();
        let bumps = TextureRef::new(fixture.scene.assets.add(bumps));
        Material {
            normal_texture: base_map.then(|| bumps.clone()),
            specular: Some(Box::new(Specular { factor: 0.0, ..Specular::default() })),
            clearcoat: Some(Box::new(Clearcoat {
                factor: 1.0,
                roughness: 0.3,
                normal_texture: coat_map.then_some(bumps),
                ..Clearcoat::default()
            })),
            ..Material::from_color(Vec4::new(0.0, 0.0, 0.0, 1.0))
        }
    };
    let smooth = picture(|fixture| coated(fixture, false, false));
    assert_eq!(picture(|fixture| coated(fixture, true, false)), smooth);
    assert_ne!(picture(|fixture| coated(fixture, false, true)), smooth);
    assert!(smooth.iter().any(|it| it[0] > 60), "the coat reflects");
}

#[test]
fn generated_tangents_turn_with_the_transform_of_the_texture() {
    // The normal map tilts to the east. A quarter turn of the coordinates turns the tilt as well.
    let lit = |rotation: f32, flip: f32, from: Vec3| {
        let mut fixture = Fixture::new();
        let east = Image::from_rgba8(1, 1, vec![218, 128, 218, 255]).unwrap();
        let east = TextureRef::new(fixture.scene.assets.add(east));
        let transform = TextureTransform {
            rotation,
            scale: Vec2::new(1.0, flip),
            ..TextureTransform::default()
        };
        let normal_texture = Some(TextureRef { transform: Some(transform), ..east });
        let material = Material { normal_texture, ..Material::from_color(Vec4::ONE * 0.5) };
        fixture.plane(Vec2::splat(4.0), Vec3::ZERO, material);
        let sun = fixture.sun();
        let rotation = Quat::from_rotation_arc(Vec3::Z, from.normalize());
        fixture.scene.node_mut(sun).unwrap().set_rotation(rotation).unwrap();
        crate::common::at(&fixture.picture(), 0.0, 0.0)[0]
    };
    let (east, north) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 1.0, 1.0));
    let bright = lit(0.0, 1.0, east);
    assert!(bright > 150, "{bright}");
    assert_near(lit(0.0, -1.0, east), bright, "flipped in v");
    let quarter = std::f32::consts::FRAC_PI_2;
    let turned = [quarter, -quarter].map(|rotation| lit(rotation, 1.0, north));
    assert_near(turned.into_iter().max().unwrap(), bright, "turned to the north");
    assert!(turned.into_iter().min().unwrap() < 100, "turned to the south: {turned:?}");
}
