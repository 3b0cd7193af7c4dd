//! Textures of materials: each is multiplied by its factor, from the right channel, on every back end and
//! tier.
//!
//! A texture of one value must act like that value in the factor. The other channels contain other values,
//! so that a wrong channel is noticed. `pleach-render` has the same test.

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{
    Ambient, Anisotropy, Clearcoat, DiffuseTransmission, Image, Iridescence, Light, Material, Node,
    Scene, Sheen, Specular, TextureRef, TextureTransform, Transform, Transmission, Volume, shapes,
};
use pleach_wgpu::{Headless, Options, Shadows, Studio};

use crate::adapter::{TestGpu, gpus};
use crate::pictures::{SIZE, add, front_view, unlit};

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
fn texture(scene: &Scene, pixel: [u8; 4]) -> TextureRef {
    let image = Image::from_rgba8(1, 2, [[255; 4], pixel].concat()).unwrap();
    let transform = TextureTransform {
        offset: Vec2::new(0.0, 0.75),
        scale: Vec2::new(1.0, 1e-3),
        ..TextureTransform::default()
    };
    TextureRef { uv_set: 1, transform: Some(transform), ..TextureRef::new(scene.assets.add(image)) }
}

/// A sphere in front of a striped wall, with light from the front, the side and behind.
fn scene(material: impl FnOnce(&Scene) -> Material) -> Scene {
    let mut scene = Scene::new();
    let mut sphere = shapes::Sphere::new(1.5).build().unwrap();
    sphere.uvs.push(sphere.uvs[0].clone());
    let material = material(&scene);
    let node = add(&mut scene, sphere, material);
    scene.spawn(node).unwrap();
    let stripe = shapes::Cuboid::new(Vec3::new(1.0, 0.1, 9.0)).build().unwrap();
    for i in 0..8 {
        let color = if i % 2 == 0 { Vec4::new(0.9, 0.8, 0.5, 1.0) } else { Vec4::ONE * 0.2 };
        let node = add(&mut scene, stripe.clone(), unlit(color.truncate().extend(1.0)));
        scene.spawn(node.at(Vec3::new(i as f32 - 3.5, 4.0, 0.0))).unwrap();
    }
    for angle in [0.4, -0.9, 2.6_f32] {
        let from = Quat::from_rotation_z(angle) * Vec3::new(0.0, -9.0, 3.0);
        let at = Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Z);
        let sun = Light::directional(Vec3::ONE, 1.0);
        scene.spawn(Node::light(sun).with_transform(at)).unwrap();
    }
    scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.3 };
    scene.update().unwrap();
    scene
}

fn base() -> Material {
    Material {
        roughness: 0.4,
        metallic: 0.0,
        ..Material::from_color(Vec4::new(0.7, 0.3, 0.2, 1.0))
    }
}

fn metal() -> Material {
    Material { metallic: 1.0, ..base() }
}

fn glass() -> Material {
    let transmission = Some(Box::new(Transmission { factor: 1.0, texture: None }));
    let white = Material::from_color(Vec4::ONE);
    Material { transmission, roughness: 0.1, metallic: 0.0, ..white }
}

type MakeMaterial = Box<dyn Fn(&Scene) -> Material>;

/// A texture: its name, the material with a reduced factor, with the whole factor, and with the whole
/// factor and the texture.
struct Slot {
    name: &'static str,
    reduced: Material,
    full: Material,
    textured: MakeMaterial,
}

/// Declares a slot by a function that changes the material: by a factor of `$value`, or a texture.
macro_rules! slot {
    ($name:expr, $full:expr, $pixel:expr, |$it:ident| $reduce:expr, |$with:ident, $texture:ident| $set:expr) => {{
        let full: Material = $full;
        let mut $it = full.clone();
        $reduce;
        let (reduced, textured) = ($it, full.clone());
        let textured: MakeMaterial = Box::new(move |scene| {
            let mut $with = textured.clone();
            let $texture = Some(texture(scene, $pixel));
            $set;
            $with
        });
        Slot { name: $name, reduced, full, textured }
    }};
}

/// Declares a slot of an extension.
macro_rules! extension {
    ($name:expr, $base:expr, $field:ident: $full:expr, $pixel:expr, |$it:ident| $reduce:expr, $texture_field:ident) => {
        slot!(
            $name,
            Material { $field: Some(Box::new($full)), ..$base },
            $pixel,
            |material| {
                let $it = material.$field.as_deref_mut().unwrap();
                $reduce
            },
            |material, texture| material.$field.as_deref_mut().unwrap().$texture_field = texture
        )
    };
}

fn base_slots() -> Vec<Slot> {
    let shiny = || Material { metallic: 0.8, roughness: 0.9, ..base() };
    let bright = || Material { emissive: Vec3::new(0.9, 0.6, 0.3), ..base() };
    vec![
        slot!(
            "base colour",
            base(),
            in_color(),
            |it| it.base_color *= Vec4::new(SRGB_VALUE, SRGB_VALUE, SRGB_VALUE, 1.0),
            |it, texture| it.base_color_texture = texture
        ),
        // The texture contains the other factor as well, so that of white remains.
        slot!(
            "metallic",
            shiny(),
            [OTHER_BYTE, 255, VALUE_BYTE, OTHER_BYTE],
            |it| it.metallic *= VALUE,
            |it, texture| it.metallic_roughness_texture = texture
        ),
        slot!(
            "roughness",
            shiny(),
            [OTHER_BYTE, VALUE_BYTE, 255, OTHER_BYTE],
            |it| it.roughness *= VALUE,
            |it, texture| it.metallic_roughness_texture = texture
        ),
        slot!("emissive", bright(), in_color(), |it| it.emissive *= SRGB_VALUE, |it, texture| it
            .emissive_texture =
            texture),
    ]
}

fn extension_slots() -> Vec<Slot> {
    let tinted = || Specular { color: Vec3::new(3.0, 9.0, 20.0), ..Specular::default() };
    let coat = || Clearcoat { factor: 0.9, roughness: 0.8, ..Clearcoat::default() };
    let velvet = || Sheen { color: Vec3::new(0.9, 0.5, 1.0), roughness: 0.9, ..Sheen::default() };
    let film = || Iridescence {
        factor: 1.0,
        thickness_min: 200.0,
        thickness_max: 700.0,
        ..Iridescence::default()
    };
    let leaf = || DiffuseTransmission {
        factor: 1.0,
        color: Vec3::new(0.9, 0.8, 0.3),
        ..DiffuseTransmission::default()
    };
    let clear = || Transmission { factor: 1.0, texture: None };
    let thick = || Volume {
        thickness: 2.0,
        attenuation_distance: 1.0,
        attenuation_color: Vec3::new(0.9, 0.4, 0.6),
        ..Volume::default()
    };
    let brushed = || Anisotropy { strength: 1.0, rotation: 0.5, texture: None };
    vec![
        extension!("specular", base(), specular: tinted(), in_channel(3), |it| it.factor *= VALUE, texture),
        extension!(
            "specular colour",
            base(),
            specular: tinted(),
            in_color(),
            |it| it.color *= SRGB_VALUE,
            color_texture
        ),
        extension!("clearcoat", base(), clearcoat: coat(), in_channel(0), |it| it.factor *= VALUE, texture),
        extension!(
            "clearcoat roughness",
            base(),
            clearcoat: coat(),
            in_channel(1),
            |it| it.roughness *= VALUE,
            roughness_texture
        ),
        extension!(
            "sheen colour",
            base(),
            sheen: velvet(),
            in_color(),
            |it| it.color *= SRGB_VALUE,
            color_texture
        ),
        extension!(
            "sheen roughness",
            base(),
            sheen: velvet(),
            in_channel(3),
            |it| it.roughness *= VALUE,
            roughness_texture
        ),
        extension!(
            "iridescence",
            base(),
            iridescence: film(),
            in_channel(0),
            |it| it.factor *= VALUE,
            texture
        ),
        extension!(
            "iridescence thickness",
            base(),
            iridescence: film(),
            in_channel(1),
            |it| it.thickness_max = 200.0 + 500.0 * VALUE,
            thickness_texture
        ),
        extension!(
            "diffuse transmission",
            base(),
            diffuse_transmission: leaf(),
            in_channel(3),
            |it| it.factor *= VALUE,
            texture
        ),
        extension!(
            "diffuse transmission colour",
            base(),
            diffuse_transmission: leaf(),
            in_color(),
            |it| it.color *= SRGB_VALUE,
            color_texture
        ),
        extension!("transmission", base(), transmission: clear(), in_channel(0), |it| it.factor *= VALUE, texture),
        extension!(
            "thickness",
            glass(),
            volume: thick(),
            in_channel(1),
            |it| it.thickness *= VALUE,
            thickness_texture
        ),
        // The direction (1, 0): red 1, green 0.5, as closely as bytes can.
        extension!(
            "anisotropy strength",
            metal(),
            anisotropy: brushed(),
            [255, 128, VALUE_BYTE, 255],
            |it| it.strength *= VALUE,
            texture
        ),
        // The direction (0, 1) is a quarter turn.
        extension!(
            "anisotropy direction",
            metal(),
            anisotropy: brushed(),
            [128, 255, 255, 255],
            |it| it.rotation += std::f32::consts::FRAC_PI_2,
            texture
        ),
    ]
}

/// Asserts for each slot that the texture has the effect of the factor, and that it has one.
fn assert_textures_are_factors(slots: &[Slot]) {
    for (number, TestGpu { name, gpu }) in gpus().into_iter().enumerate() {
        let options = Options {
            tier: Some(gpu.tier),
            samples: 1,
            studio: Studio::Never,
            shadows: Shadows::Off,
            ..Options::default()
        };
        let mut headless = Headless::with_device(gpu.device, gpu.queue, options).unwrap();
        for slot in slots {
            let what = format!("{name}, {}", slot.name);
            let mut draw = |material: &dyn Fn(&Scene) -> Material| {
                let scene = scene(material);
                let image = headless.render(&scene, &front_view(), SIZE).unwrap();
                assert!(image.warnings.is_empty(), "{what}: {:?}", image.warnings);
                image.pixels
            };
            let by_factor = draw(&|_| slot.reduced.clone());
            let by_texture = draw(&*slot.textured);
            let distance = |(a, b): (&[u8; 4], &[u8; 4])| {
                a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
            };
            let farthest = by_factor.iter().zip(&by_texture).map(distance).max().unwrap_or(0);
            assert!(farthest <= 3, "{what}: pixels differ by up to {farthest}");
            // Once is enough: the others have the same pictures.
            if number == 0 {
                let full = draw(&|_| slot.full.clone());
                let differing = by_factor.iter().zip(&full).filter(|it| distance(*it) > 6).count();
                assert!(differing > 20, "{what} has an effect: {differing} pixels");
            }
        }
    }
}

#[test]
fn textures_of_the_base_material_are_factors() {
    assert_textures_are_factors(&base_slots());
}

#[test]
fn textures_of_extensions_are_factors() {
    assert_textures_are_factors(&extension_slots());
}
