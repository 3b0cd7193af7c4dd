//! Textures: the right pixel at the right position, in the right colour space.

use crate::common::{Fixture, assert_near, at, srgb, unlit};
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

/// Red and green in the first row, blue and white in the second.
fn four(fixture: &Fixture) -> Handle<Image> {
    let pixels = [RED, GREEN, BLUE, WHITE].concat();
    fixture.scene.assets.add(Image::from_rgba8(2, 2, pixels).unwrap())
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

/// A plane of 4 metres with texture coordinates multiplied by `times`.
fn plane(times: f32) -> Geometry {
    let mut plane = Plane::new(Vec2::splat(4.0)).build().unwrap();
    plane.uvs[0].iter_mut().for_each(|uv| *uv *= times);
    plane
}

#[test]
fn an_image_is_upright_on_a_plane_seen_from_above() {
    let mut fixture = Fixture::new();
    let texture = TextureRef::new(four(&fixture)).with_sampler(nearest());
    fixture.put(plane(1.0), Vec3::ZERO, textured(texture));
    let picture = fixture.picture();
    assert_eq!(at(&picture, -1.0, 1.0), RED);
    assert_eq!(at(&picture, 1.0, 1.0), GREEN);
    assert_eq!(at(&picture, -1.0, -1.0), BLUE);
    assert_eq!(at(&picture, 1.0, -1.0), WHITE);
    // Up to the edge between two pixels.
    assert_eq!((at(&picture, -0.1, 1.0), at(&picture, 0.1, 1.0)), (RED, GREEN));
}

#[test]
fn coordinates_beyond_the_image_follow_the_wrap_mode() {
    for (wrap, row) in [
        (Wrap::Repeat, [RED, GREEN, RED, GREEN]),
        (Wrap::MirroredRepeat, [RED, GREEN, GREEN, RED]),
        (Wrap::ClampToEdge, [RED, GREEN, GREEN, GREEN]),
    ] {
        let mut fixture = Fixture::new();
        let sampler = sampler(MagFilter::Nearest, wrap, Wrap::ClampToEdge);
        let texture = TextureRef::new(four(&fixture)).with_sampler(sampler);
        fixture.put(plane(2.0), Vec3::ZERO, textured(texture));
        let picture = fixture.picture();
        let found = [-1.5, -0.5, 0.5, 1.5].map(|x| at(&picture, x, 1.9));
        assert_eq!(found, row, "{wrap:?}");
        // The v coordinate is clamped.
        assert_eq!([1.75, 0.5, -0.5, -1.5].map(|y| at(&picture, -1.5, y)), [RED, BLUE, BLUE, BLUE]);
    }
}

#[test]
fn linear_filtering_blends_neighbours_in_linear_light() {
    let mut fixture = Fixture::new();
    let pixels = [[0, 0, 0, 255], [255; 4]].concat();
    let image = fixture.scene.assets.add(Image::from_rgba8(2, 1, pixels).unwrap());
    let sampler = sampler(MagFilter::Linear, Wrap::ClampToEdge, Wrap::ClampToEdge);
    fixture.put(plane(1.0), Vec3::ZERO, textured(TextureRef::new(image).with_sampler(sampler)));
    let picture = fixture.picture();
    for column in 16..48 {
        let u = (column as f64 + 0.5 - 16.0) / 32.0;
        let mixed = ((u - 0.25) / 0.5).clamp(0.0, 1.0);
        let [r, g, b, _] = picture.pixels[24 * 64 + column];
        assert_near(r, srgb(mixed), &format!("column {column}"));
        assert_eq!((r, g), (g, b));
    }
}

#[test]
fn the_base_colour_is_multiplied_with_its_texture() {
    let mut fixture = Fixture::new();
    let texture = TextureRef::new(four(&fixture)).with_sampler(nearest());
    let material = Material { base_color: Vec4::new(0.5, 0.25, 0.75, 1.0), ..textured(texture) };
    fixture.put(plane(1.0), Vec3::ZERO, material);
    let picture = fixture.picture();
    assert_eq!(at(&picture, -1.0, 1.0), [srgb(0.5), 0, 0, 255]);
    assert_eq!(at(&picture, 1.0, -1.0), [srgb(0.5), srgb(0.25), srgb(0.75), 255]);
}

#[test]
fn a_texture_transform_scales_then_rotates_then_translates() {
    let found = |transform: TextureTransform| {
        let mut fixture = Fixture::new();
        let texture = TextureRef::new(four(&fixture)).with_sampler(nearest());
        fixture.put(plane(1.0), Vec3::ZERO, textured(texture.with_transform(transform)));
        let picture = fixture.picture();
        [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| at(&picture, x, y))
    };
    let none = TextureTransform::IDENTITY;
    assert_eq!(found(none), [RED, GREEN, BLUE, WHITE]);
    let moved = TextureTransform { offset: Vec2::new(0.5, 0.0), ..none };
    assert_eq!(found(moved), [GREEN, RED, WHITE, BLUE]);
    let half = TextureTransform { scale: Vec2::new(0.5, 1.0), ..none };
    assert_eq!(found(half), [RED, RED, BLUE, BLUE]);
    // A counter-clockwise rotation of the coordinates by 90° rotates the image clockwise.
    let quarter = std::f32::consts::FRAC_PI_2;
    let rotated = TextureTransform { rotation: quarter, offset: Vec2::new(0.0, 1.0), ..none };
    assert_eq!(found(rotated), [BLUE, RED, WHITE, GREEN]);
}

#[test]
fn each_texture_uses_its_set_of_coordinates() {
    let mut fixture = Fixture::new();
    let texture = TextureRef::new(four(&fixture)).with_sampler(nearest()).with_uv_set(1);
    let rotated = plane(1.0).uvs[0].iter().map(|uv| Vec2::ONE - *uv).collect();
    fixture.put(plane(1.0).with_uvs(rotated), Vec3::ZERO, textured(texture));
    assert_eq!(at(&fixture.picture(), -1.0, 1.0), WHITE);
    // A missing set samples the upper left corner.
    let mut fixture = Fixture::new();
    let texture = TextureRef::new(four(&fixture)).with_sampler(nearest()).with_uv_set(7);
    fixture.put(plane(1.0), Vec3::ZERO, textured(texture));
    assert_eq!(at(&fixture.picture(), 1.0, -1.0), RED);
}

#[test]
fn a_normal_map_tilts_the_normal_along_its_tangents() {
    // Tilted by 45° to the right in the texture, lit from the right and from the left.
    let lean = (255.0 * (0.5 + 0.5 * std::f32::consts::FRAC_1_SQRT_2)).round() as u8;
    let lit = |normal: [u8; 4], from: Vec3, tangents: bool| {
        let mut fixture = Fixture::new();
        let image = fixture.scene.assets.add(Image::from_rgba8(1, 1, normal.to_vec()).unwrap());
        let material = Material {
            normal_texture: Some(TextureRef::new(image)),
            ..Material::from_color(Vec4::ONE * 0.5)
        };
        let mut plane = plane(1.0);
        if tangents {
            plane.tangents = [Vec4::new(1.0, 0.0, 0.0, 1.0); 4].into();
        }
        fixture.put(plane, Vec3::ZERO, material);
        let sun = fixture.sun();
        let transform =
            pleach::Transform::from_translation(from * 9.0).looking_at(Vec3::ZERO, Vec3::Z);
        fixture.scene.node_mut(sun).unwrap().set_transform(transform).unwrap();
        at(&fixture.picture(), 0.5, 0.5)[0]
    };
    for tangents in [false, true] {
        let right = [lean, 128, lean, 255];
        let (east, west) = (
            lit(right, Vec3::new(1.0, 0.0, 1.0), tangents),
            lit(right, Vec3::new(-1.0, 0.0, 1.0), tangents),
        );
        assert!(east > 150 && west < 20, "east {east}, west {west}, tangents {tangents}");
        // Green is up in the texture, which is +Y here.
        let up = [128, lean, lean, 255];
        let (north, south) = (
            lit(up, Vec3::new(0.0, 1.0, 1.0), tangents),
            lit(up, Vec3::new(0.0, -1.0, 1.0), tangents),
        );
        assert!(north > 150 && south < 20, "north {north}, south {south}, tangents {tangents}");
    }
}

#[test]
fn emission_needs_no_light_and_occlusion_dims_ambient_light() {
    let mut fixture = Fixture::new();
    let glow = Material {
        emissive: Vec3::new(0.5, 0.25, 0.0),
        emissive_strength: 1.5,
        ..Material::from_color(Vec4::new(0.0, 0.0, 0.0, 1.0))
    };
    fixture.plane(Vec2::splat(2.0), Vec3::ZERO, glow);
    assert_eq!(at(&fixture.picture(), 0.0, 0.0), [srgb(0.75), srgb(0.375), 0, 255]);

    let mut fixture = Fixture::new();
    let image = fixture.scene.assets.add(Image::from_rgba8(1, 1, vec![0, 255, 255, 255]).unwrap());
    let dim = Material {
        occlusion_texture: Some(TextureRef::new(image)),
        occlusion_strength: 0.75,
        ..Material::from_color(Vec4::ONE)
    };
    fixture.plane(Vec2::splat(2.0), Vec3::ZERO, dim);
    fixture.scene.environment.ambient = pleach::Ambient { color: Vec3::ONE, intensity: 0.8 };
    assert_near(at(&fixture.picture(), 0.0, 0.0)[0], srgb(0.2), "a quarter");
}

#[test]
fn an_image_that_cannot_be_decoded_is_ignored_and_reported_once() {
    let mut fixture = Fixture::new();
    let encoded = Image::from_encoded("image/png", vec![1, 2, 3]).named("wood");
    let image = fixture.scene.assets.add(encoded);
    fixture.put(plane(1.0), Vec3::ZERO, textured(TextureRef::new(image)));
    fixture.scene.update().unwrap();
    let view = fixture.scene.view(fixture.camera, (8, 8)).unwrap();

    let mut renderer = Renderer::new();
    for _ in 0..2 {
        let picture = renderer.render(&fixture.scene, &view).unwrap();
        assert_eq!(picture.pixels[3 * 8 + 3], WHITE);
        assert_eq!(
            renderer.warnings(),
            ["image \"wood\" is ignored: no decoder for image/png; set one with \
              `Renderer::with_decoder`"],
        );
    }
    let mut renderer = Renderer::new().with_decoder(|_| Err("not a PNG".into()));
    renderer.render(&fixture.scene, &view).unwrap();
    assert_eq!(renderer.warnings(), ["image \"wood\" is ignored: not a PNG"]);
    let decode = |_: &Image| Ok(Image::from_rgba8(1, 1, vec![255, 0, 0, 255]).unwrap());
    let mut renderer = Renderer::new().with_decoder(decode);
    let picture = renderer.render(&fixture.scene, &view).unwrap();
    assert_eq!((picture.pixels[3 * 8 + 3], renderer.warnings().len()), (RED, 0));
}
