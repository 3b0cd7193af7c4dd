//! Textures in the picture: the right pixel at the right place, in the right space of colours.

use crate::common::{Table, assert_near, at, srgb, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{
    Geometry, Handle, Image, MagFilter, Material, Sampler, TextureRef, TextureTransform, Wrap,
};
use pleach_render::Renderer;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const WHITE: [u8; 4] = [255; 4];

/// Red and green above blue and white.
fn four(table: &Table) -> Handle<Image> {
    let pixels = [RED, GREEN, BLUE, WHITE].concat();
    table.scene.assets.add(Image::from_rgba8(2, 2, pixels).unwrap())
}

fn sampler(filter: MagFilter, wrap_u: Wrap, wrap_v: Wrap) -> Sampler {
    Sampler { mag_filter: Some(filter), wrap_u, wrap_v, ..Sampler::default() }
}

fn nearest() -> Sampler {
    sampler(MagFilter::Nearest, Wrap::Repeat, Wrap::Repeat)
}

fn textured(texture: TextureRef) -> Material {
    Material { base_color_texture: Some(texture), ..unlit(Vec4::ONE) }
}

/// A plane of 4 metres whose coordinates are `times` those of a plane.
fn plane(times: f32) -> Geometry {
    let mut plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    plane.uvs[0].iter_mut().for_each(|uv| *uv *= times);
    plane
}

#[test]
fn an_image_lies_upright_on_a_plane_seen_from_above() {
    let mut table = Table::new();
    let texture = TextureRef::new(four(&table)).with_sampler(nearest());
    table.put(plane(1.0), Vec3::ZERO, textured(texture));
    let picture = table.picture();
    assert_eq!(at(&picture, -1.0, 1.0), RED);
    assert_eq!(at(&picture, 1.0, 1.0), GREEN);
    assert_eq!(at(&picture, -1.0, -1.0), BLUE);
    assert_eq!(at(&picture, 1.0, -1.0), WHITE);
    // Up to the very edge between two.
    assert_eq!((at(&picture, -0.1, 1.0), at(&picture, 0.1, 1.0)), (RED, GREEN));
}

#[test]
fn beyond_the_image_its_wrap_decides() {
    for (wrap, row) in [
        (Wrap::Repeat, [RED, GREEN, RED, GREEN]),
        (Wrap::MirroredRepeat, [RED, GREEN, GREEN, RED]),
        (Wrap::ClampToEdge, [RED, GREEN, GREEN, GREEN]),
    ] {
        let mut table = Table::new();
        let sampler = sampler(MagFilter::Nearest, wrap, Wrap::ClampToEdge);
        let texture = TextureRef::new(four(&table)).with_sampler(sampler);
        table.put(plane(2.0), Vec3::ZERO, textured(texture));
        let picture = table.picture();
        let found = [-1.5, -0.5, 0.5, 1.5].map(|x| at(&picture, x, 1.9));
        assert_eq!(found, row, "{wrap:?}");
        // Downwards it is clamped.
        assert_eq!([1.75, 0.5, -0.5, -1.5].map(|y| at(&picture, -1.5, y)), [RED, BLUE, BLUE, BLUE]);
    }
}

#[test]
fn a_linear_filter_mixes_neighbours_in_linear_light() {
    let mut table = Table::new();
    let pixels = [[0, 0, 0, 255], [255; 4]].concat();
    let image = table.scene.assets.add(Image::from_rgba8(2, 1, pixels).unwrap());
    let sampler = sampler(MagFilter::Linear, Wrap::ClampToEdge, Wrap::ClampToEdge);
    table.put(plane(1.0), Vec3::ZERO, textured(TextureRef::new(image).with_sampler(sampler)));
    let picture = table.picture();
    for column in 16..48 {
        let u = (column as f64 + 0.5 - 16.0) / 32.0;
        let mixed = ((u - 0.25) / 0.5).clamp(0.0, 1.0);
        let [r, g, b, _] = picture.pixels[24 * 64 + column];
        assert_near(r, srgb(mixed), &format!("column {column}"));
        assert_eq!((r, g), (g, b));
    }
}

#[test]
fn a_base_colour_is_multiplied_with_its_texture() {
    let mut table = Table::new();
    let texture = TextureRef::new(four(&table)).with_sampler(nearest());
    let material = Material { base_color: Vec4::new(0.5, 0.25, 0.75, 1.0), ..textured(texture) };
    table.put(plane(1.0), Vec3::ZERO, material);
    let picture = table.picture();
    assert_eq!(at(&picture, -1.0, 1.0), [srgb(0.5), 0, 0, 255]);
    assert_eq!(at(&picture, 1.0, -1.0), [srgb(0.5), srgb(0.25), srgb(0.75), 255]);
}

#[test]
fn a_transform_scales_then_turns_then_moves_the_coordinates() {
    let found = |transform: TextureTransform| {
        let mut table = Table::new();
        let texture = TextureRef::new(four(&table)).with_sampler(nearest());
        table.put(plane(1.0), Vec3::ZERO, textured(texture.with_transform(transform)));
        let picture = table.picture();
        [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| at(&picture, x, y))
    };
    let none = TextureTransform::IDENTITY;
    assert_eq!(found(none), [RED, GREEN, BLUE, WHITE]);
    let moved = TextureTransform { offset: Vec2::new(0.5, 0.0), ..none };
    assert_eq!(found(moved), [GREEN, RED, WHITE, BLUE]);
    let half = TextureTransform { scale: Vec2::new(0.5, 1.0), ..none };
    assert_eq!(found(half), [RED, RED, BLUE, BLUE]);
    // A quarter turn counter-clockwise of the coordinates turns the image clockwise.
    let quarter = std::f32::consts::FRAC_PI_2;
    let turned = TextureTransform { rotation: quarter, offset: Vec2::new(0.0, 1.0), ..none };
    assert_eq!(found(turned), [BLUE, RED, WHITE, GREEN]);
}

#[test]
fn each_texture_has_its_own_set_of_coordinates() {
    let mut table = Table::new();
    let texture = TextureRef::new(four(&table)).with_sampler(nearest()).with_uv_set(1);
    let turned = plane(1.0).uvs[0].iter().map(|uv| Vec2::ONE - *uv).collect();
    table.put(plane(1.0).with_uvs(turned), Vec3::ZERO, textured(texture));
    assert_eq!(at(&table.picture(), -1.0, 1.0), WHITE);
    // A set that is not there reads the upper left corner.
    let mut table = Table::new();
    let texture = TextureRef::new(four(&table)).with_sampler(nearest()).with_uv_set(7);
    table.put(plane(1.0), Vec3::ZERO, textured(texture));
    assert_eq!(at(&table.picture(), 1.0, -1.0), RED);
}

#[test]
fn a_normal_map_turns_the_light_the_way_its_tangents_say() {
    // Leaning to the right in the texture, at 45°, lit from the right and from the left.
    let lean = (255.0 * (0.5 + 0.5 * std::f32::consts::FRAC_1_SQRT_2)).round() as u8;
    let lit = |normal: [u8; 4], from: Vec3, tangents: bool| {
        let mut table = Table::new();
        let image = table.scene.assets.add(Image::from_rgba8(1, 1, normal.to_vec()).unwrap());
        let material = Material {
            normal_texture: Some(TextureRef::new(image)),
            ..Material::from_color(Vec4::ONE * 0.5)
        };
        let mut plane = plane(1.0);
        if tangents {
            plane.tangents = [Vec4::new(1.0, 0.0, 0.0, 1.0); 4].into();
        }
        table.put(plane, Vec3::ZERO, material);
        let sun = table.sun();
        let place = pleach::Transform::from_translation(from * 9.0).looking_at(Vec3::ZERO, Vec3::Z);
        table.scene.node_mut(sun).unwrap().set_transform(place).unwrap();
        at(&table.picture(), 0.5, 0.5)[0]
    };
    for tangents in [false, true] {
        let right = [lean, 128, lean, 255];
        let (east, west) = (
            lit(right, Vec3::new(1.0, 0.0, 1.0), tangents),
            lit(right, Vec3::new(-1.0, 0.0, 1.0), tangents),
        );
        assert!(east > 150 && west < 20, "east {east}, west {west}, tangents {tangents}");
        // Green is up in the texture, which is north here.
        let up = [128, lean, lean, 255];
        let (north, south) = (
            lit(up, Vec3::new(0.0, 1.0, 1.0), tangents),
            lit(up, Vec3::new(0.0, -1.0, 1.0), tangents),
        );
        assert!(north > 150 && south < 20, "north {north}, south {south}, tangents {tangents}");
    }
}

#[test]
fn emission_shines_without_light_and_occlusion_dims_ambient_light() {
    let mut table = Table::new();
    let glow = Material {
        emissive: Vec3::new(0.5, 0.25, 0.0),
        emissive_strength: 1.5,
        ..Material::from_color(Vec4::new(0.0, 0.0, 0.0, 1.0))
    };
    table.plane(Vec2::splat(2.0), Vec3::ZERO, glow);
    assert_eq!(at(&table.picture(), 0.0, 0.0), [srgb(0.75), srgb(0.375), 0, 255]);

    let mut table = Table::new();
    let image = table.scene.assets.add(Image::from_rgba8(1, 1, vec![0, 255, 255, 255]).unwrap());
    let dim = Material {
        occlusion_texture: Some(TextureRef::new(image)),
        occlusion_strength: 0.75,
        ..Material::from_color(Vec4::ONE)
    };
    table.plane(Vec2::splat(2.0), Vec3::ZERO, dim);
    table.scene.environment.ambient = pleach::Ambient { color: Vec3::ONE, intensity: 0.8 };
    assert_near(at(&table.picture(), 0.0, 0.0)[0], srgb(0.2), "a quarter");
}

#[test]
fn an_image_that_cannot_be_decoded_is_left_out_and_told_once() {
    let mut table = Table::new();
    let encoded = Image::from_encoded("image/png", vec![1, 2, 3]).named("wood");
    let image = table.scene.assets.add(encoded);
    table.put(plane(1.0), Vec3::ZERO, textured(TextureRef::new(image)));
    table.scene.update().unwrap();
    let view = table.scene.view(table.camera, (8, 8)).unwrap();

    let mut renderer = Renderer::new();
    for _ in 0..2 {
        let picture = renderer.render(&table.scene, &view).unwrap();
        assert_eq!(picture.pixels[3 * 8 + 3], WHITE);
        assert_eq!(
            renderer.warnings(),
            ["image \"wood\" is left out: there is no decoder for image/png; see \
              `Renderer::with_decoder`"],
        );
    }
    let mut renderer = Renderer::new().with_decoder(|_| Err("not a PNG".into()));
    renderer.render(&table.scene, &view).unwrap();
    assert_eq!(renderer.warnings(), ["image \"wood\" is left out: not a PNG"]);
    let decode = |_: &Image| Ok(Image::from_rgba8(1, 1, vec![255, 0, 0, 255]).unwrap());
    let mut renderer = Renderer::new().with_decoder(decode);
    let picture = renderer.render(&table.scene, &view).unwrap();
    assert_eq!((picture.pixels[3 * 8 + 3], renderer.warnings().len()), (RED, 0));
}
