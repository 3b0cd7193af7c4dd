//! Texture coordinates and what depends on them (sets, transforms, wrap modes, tangents), and colours of
//! vertices, as on the CPU.

use std::f32::consts::FRAC_PI_2;

use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{
    AlphaMode, Clearcoat, Image, Light, MagFilter, Material, MinFilter, Node, Sampler, Scene,
    Specular, TextureRef, TextureTransform, Transform, Wrap,
};
use pleach_wgpu::{Exposure, Options, RenderedImage, Shadows, Studio};

use crate::pictures::{
    GREEN, RED, SIZE, add, front_view, is_green, is_red, middle, pixel, render_all, square, unlit,
};

/// An image of three by three texels, all of them different, without filters.
fn texels(scene: &Scene, [wrap_u, wrap_v]: [Wrap; 2]) -> TextureRef {
    let texel = |i: u32| [60 + 20 * (i % 3), 200 - 50 * (i / 3), 40 * i % 256, 255];
    let pixels = (0..9).flat_map(texel).map(|it| it as u8).collect();
    let image = scene.assets.add(Image::from_rgba8(3, 3, pixels).unwrap());
    let (mag_filter, min_filter) = (Some(MagFilter::Nearest), Some(MinFilter::Nearest));
    let sampler = Sampler { mag_filter, min_filter, wrap_u, wrap_v };
    TextureRef { sampler, ..TextureRef::new(image) }
}

/// Asserts that unlit pictures of both renderers show the same texels, apart from rounding at their
/// edges.
fn assert_same_texels(scene: &mut Scene, what: &str) {
    scene.update().unwrap();
    // One sample at the centre of each pixel.
    let settings = pleach_render::Settings { samples: 1, ..pleach_render::Settings::default() };
    let mut cpu = pleach_render::Renderer::new().with_settings(settings);
    let expected = cpu.render(scene, &front_view()).unwrap();
    let options = Options { samples: 1, ..Options::default() };
    render_all(scene, &front_view(), &options, |name, image| {
        let pairs = image.pixels.iter().zip(&expected.pixels);
        let is_other = |(a, b): &(&[u8; 4], &[u8; 4])| (0..4).any(|i| a[i].abs_diff(b[i]) > 4);
        let others = pairs.filter(is_other).count();
        assert!(others < 10, "{name}, {what}: {others} pixels differ");
    });
}

#[test]
fn textures_are_repeated_and_mirrored_as_on_the_cpu() {
    let mut scene = Scene::new();
    let modes = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge];
    for (column, wrap_u) in modes.into_iter().enumerate() {
        for (row, wrap_v) in modes.into_iter().enumerate() {
            // Coordinates from −1 to 2.
            let mut tile = square();
            let uvs = tile.uvs[0].iter().map(|uv| *uv * 3.0 - 1.0).collect::<Vec<_>>();
            tile.uvs = vec![uvs.into()];
            let texture = Some(texels(&scene, [wrap_u, wrap_v]));
            let material = Material { base_color_texture: texture, ..unlit(Vec4::ONE) };
            let node = add(&mut scene, tile, material).scaled(Vec3::splat(0.75));
            let at = Vec3::new(column as f32 - 1.0, 0.0, row as f32 - 1.0) * 1.6;
            scene.spawn(node.at(at)).unwrap();
        }
    }
    assert_same_texels(&mut scene, "wrap modes");
}

#[test]
fn textures_are_moved_turned_and_scaled_as_on_the_cpu() {
    let mut scene = Scene::new();
    let transforms = [
        (Vec2::new(0.2, 0.4), 0.0, Vec2::ONE),
        (Vec2::ZERO, 0.6, Vec2::ONE),
        (Vec2::ZERO, 0.0, Vec2::new(2.0, -0.5)),
        (Vec2::new(0.3, -0.1), -1.0, Vec2::new(0.5, 1.5)),
    ];
    for (i, (offset, rotation, scale)) in transforms.into_iter().enumerate() {
        let transform = Some(TextureTransform { offset, rotation, scale });
        let texture = TextureRef { transform, ..texels(&scene, [Wrap::Repeat; 2]) };
        let material = Material { base_color_texture: Some(texture), ..unlit(Vec4::ONE) };
        let node = add(&mut scene, square(), material);
        let at = Vec3::new((i % 2) as f32 - 0.5, 0.0, (i / 2) as f32 - 0.5) * 2.2;
        scene.spawn(node.at(at)).unwrap();
    }
    assert_same_texels(&mut scene, "transforms");
}

#[test]
fn each_texture_has_its_own_set_of_coordinates() {
    for (uv_set, is_first) in [(0, true), (1, false)] {
        let mut scene = Scene::new();
        let pixels = [[230, 5, 5, 255], [5, 230, 5, 255]].concat();
        let image = scene.assets.add(Image::from_rgba8(2, 1, pixels).unwrap());
        let texture = TextureRef { uv_set, ..TextureRef::new(image) };
        // The first set is in the red texel, the second one in the green one.
        let mut geometry = square();
        geometry.uvs = [0.25, 0.75].map(|u| vec![Vec2::new(u, 0.5); 4].into()).to_vec();
        let material = Material { base_color_texture: Some(texture), ..unlit(Vec4::ONE) };
        let node = add(&mut scene, geometry, material);
        scene.spawn(node).unwrap();
        scene.update().unwrap();
        render_all(&scene, &front_view(), &Options::default(), |name, image| {
            let color = middle(image);
            let expected = if is_first { is_red(color) } else { is_green(color) };
            assert!(expected, "{name}, set {uv_set}: {color:?}");
        });
    }
}

#[test]
fn colours_of_vertices_are_factors_of_colour_and_alpha() {
    let mut scene = Scene::new();
    // From red on the left to green on the right, and from opaque at the bottom to clear at the top.
    let colors = vec![RED, GREEN, GREEN.with_w(0.0), RED.with_w(0.0)];
    let masked = Material { alpha_mode: AlphaMode::MASK, ..unlit(Vec4::ONE) };
    let node = add(&mut scene, square().with_colors(colors), masked);
    scene.spawn(node.at(Vec3::X * 1.5)).unwrap();
    let white = square().with_colors(vec![Vec4::new(0.5, 1.0, 1.0, 1.0); 4]);
    let node = add(&mut scene, white, unlit(Vec4::new(0.5, 0.5, 1.0, 1.0)));
    scene.spawn(node.at(Vec3::X * -1.5)).unwrap();
    scene.update().unwrap();
    let srgb = |it: f32| ((1.055 * it.powf(1.0 / 2.4) - 0.055) * 255.0) as u8;
    render_all(&scene, &front_view(), &Options::default(), |name, image| {
        let (x, y) = (SIZE[0] / 2 + 19, SIZE[1] / 2 + 6);
        let [left, right] = [x - 10, x + 10].map(|x| pixel(image, x, y));
        assert!(is_red(left) && is_green(right), "{name}: {left:?} {right:?}");
        let hole = pixel(image, x, SIZE[1] / 2 - 6);
        assert!(hole[0] == hole[1] && hole[1] == hole[2], "{name}: {hole:?} in the hole");
        let product = pixel(image, SIZE[0] / 2 - 19, y);
        for (byte, expected) in product.into_iter().zip([srgb(0.25), srgb(0.5), 255]) {
            assert!(byte.abs_diff(expected) <= 2, "{name}: {byte} for {expected}");
        }
    });
    assert_same_texels(&mut scene, "colours of vertices");
}

/// Renders a square with a normal map of one texel, lit from a direction, and checks its brightness.
fn check_bump(
    texel: [u8; 3],
    transform: Option<TextureTransform>,
    tangents: Option<Vec4>,
    is_coat: bool,
    from: Vec3,
    check: impl Fn(&str, u8),
) {
    let mut scene = Scene::new();
    let [x, y, z] = texel;
    let image = scene.assets.add(Image::from_rgba8(1, 1, vec![x, y, z, 255]).unwrap());
    let map = Some(TextureRef { transform, ..TextureRef::new(image) });
    let material = match is_coat {
        false => Material {
            normal_texture: map,
            roughness: 1.0,
            metallic: 0.0,
            ..Material::from_color(Vec4::ONE * 0.8)
        },
        // Only the coat reflects.
        true => Material {
            clearcoat: Some(Box::new(Clearcoat {
                factor: 1.0,
                roughness: 0.6,
                normal_texture: map,
                ..Clearcoat::default()
            })),
            specular: Some(Box::new(Specular { factor: 0.0, ..Specular::default() })),
            metallic: 0.0,
            ..Material::from_color(Vec4::new(0.0, 0.0, 0.0, 1.0))
        },
    };
    let mut geometry = square();
    if let Some(tangent) = tangents {
        geometry = geometry.with_tangents(vec![tangent; 4]);
    }
    let node = add(&mut scene, geometry, material);
    scene.spawn(node).unwrap();
    let at = Transform::from_translation(from * 10.0).looking_at(Vec3::ZERO, Vec3::Z);
    let intensity = if is_coat { 20.0 } else { 1.0 };
    scene.spawn(Node::light(Light::directional(Vec3::ONE, intensity)).with_transform(at)).unwrap();
    scene.update().unwrap();
    let options =
        Options { studio: Studio::Never, shadows: Shadows::Off, samples: 1, ..Options::default() };
    let settings = pleach_render::Settings {
        samples: 1,
        exposure: Exposure::Fixed(1.0),
        studio: Studio::Never,
        ..pleach_render::Settings::default()
    };
    let mut cpu = pleach_render::Renderer::new().with_settings(settings);
    let expected = cpu.render(&scene, &front_view()).unwrap();
    let expected = expected.pixels[(SIZE[1] / 2 * SIZE[0] + SIZE[0] / 2) as usize][0];
    render_all(&scene, &front_view(), &options, |name, image: &RenderedImage| {
        let value = middle(image)[0];
        assert!(value.abs_diff(expected) <= 5, "{name}: {value}, {expected} on the CPU");
        check(name, value);
    });
}

/// Tilted by 45° towards growing u, and towards decreasing v.
const EAST: [u8; 3] = [218, 128, 218];
const NORTH: [u8; 3] = [128, 218, 218];

#[test]
fn normal_maps_tilt_to_the_right_and_up() {
    // The square faces −Y; u grows along +X, v along −Z.
    let right = Vec3::new(1.0, -1.0, 0.0).normalize();
    let up = Vec3::new(0.0, -1.0, 1.0).normalize();
    for is_coat in [false, true] {
        for tangents in [None, Some(Vec4::new(1.0, 0.0, 0.0, 1.0))] {
            for (texel, towards) in [(EAST, right), (NORTH, up)] {
                // The light of a coat is seen where it is reflected towards the camera.
                let lit = if is_coat { Vec3::new(2.0, -0.4, 2.0) * towards } else { towards };
                let lit = lit.normalize();
                let away = Vec3::new(-lit.x, lit.y, -lit.z);
                let what = format!("coat: {is_coat}, {texel:?}, tangents: {tangents:?}");
                check_bump(texel, None, tangents, is_coat, lit, |name, value| {
                    assert!(value > 120, "{name}, {what}: {value} from the tilted side");
                });
                check_bump(texel, None, tangents, is_coat, away, |name, value| {
                    assert!(value < 60, "{name}, {what}: {value} from the other side");
                });
            }
        }
    }
}

#[test]
fn tangents_with_a_negative_sign_turn_the_tilt_upside_down() {
    let tangent = Some(Vec4::new(1.0, 0.0, 0.0, -1.0));
    for (z, is_lit) in [(1.0, false), (-1.0, true)] {
        let from = Vec3::new(0.0, -1.0, z).normalize();
        check_bump(NORTH, None, tangent, false, from, |name, value| {
            assert_eq!(value > 120, is_lit, "{name}, from {z}: {value}");
        });
    }
}

#[test]
fn tangents_of_textures_that_are_turned_or_mirrored_are_those_of_the_cpu() {
    for rotation in [0.0, FRAC_PI_2, -FRAC_PI_2, 0.7] {
        for scale in [Vec2::ONE, Vec2::new(-1.0, 1.0), Vec2::new(1.0, -1.0)] {
            let transform = TextureTransform { rotation, scale, ..TextureTransform::default() };
            let from = Quat::from_rotation_y(0.5) * Vec3::new(1.0, -1.0, 0.3).normalize();
            check_bump(EAST, Some(transform), None, false, from, |_, _| {});
        }
    }
}
