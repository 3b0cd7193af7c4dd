//! Transparency: masks, blending, transmission, and back faces.

use crate::common::{self, Fixture, assert_near, at, exact_settings, srgb, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{AlphaMode, Image, MagFilter, Material, Sampler, TextureRef, Transmission};
use pleach_render::Settings;

fn blend(color: Vec4) -> Material {
    Material { alpha_mode: AlphaMode::Blend, ..unlit(color) }
}

/// Adds a plane of 2 metres at a height.
fn layer(fixture: &mut Fixture, height: f32, material: Material) {
    fixture.plane(Vec2::splat(2.0), Vec3::new(0.0, 0.0, height), material);
}

#[test]
fn layers_are_blended_from_front_to_back() {
    let mut fixture = Fixture::new();
    // Added out of order: compositing is sorted by distance.
    layer(&mut fixture, 1.0, blend(Vec4::new(0.0, 1.0, 0.0, 0.5)));
    layer(&mut fixture, 0.0, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
    layer(&mut fixture, 2.0, blend(Vec4::new(1.0, 0.0, 0.0, 0.25)));
    let picture = fixture.picture();
    // 0.25 red; half of the remaining 0.75 green; the rest blue.
    let expected = [srgb(0.25), srgb(0.375), srgb(0.375), 255];
    for position in [[0.0, 0.0], [0.9, 0.9], [-0.5, 0.5], [0.5, 0.5]] {
        assert_eq!(at(&picture, position[0], position[1]), expected, "{position:?}");
    }
}

#[test]
fn an_edge_between_two_triangles_is_blended_once() {
    let mut fixture = Fixture::new();
    layer(&mut fixture, 0.0, blend(Vec4::new(1.0, 1.0, 1.0, 0.5)));
    let picture = fixture.picture();
    // The diagonal of the plane passes through the centres of pixels.
    for x in -8..8 {
        let position = (x as f32 + 0.5) / 8.0;
        assert_eq!(
            at(&picture, position, -position),
            [srgb(0.5), srgb(0.5), srgb(0.5), 255],
            "{position}"
        );
    }
}

#[test]
fn node_and_distance_are_those_of_the_nearest_surface_even_if_transparent() {
    let mut fixture = Fixture::new();
    let back = fixture.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(Vec4::ONE));
    let glass = fixture.plane(Vec2::splat(1.0), Vec3::Z, blend(Vec4::new(1.0, 0.0, 0.0, 0.5)));
    let picture = fixture.picture();
    let pixel = common::index(0.0, 0.0);
    assert_eq!((picture.nodes[pixel], picture.distances[pixel]), (Some(glass), 8.9));
    let pixel = common::index(0.8, 0.0);
    assert_eq!((picture.nodes[pixel], picture.distances[pixel]), (Some(back), 9.9));
    let pixel = common::index(3.0, 0.0);
    assert_eq!((picture.nodes[pixel], picture.distances[pixel]), (None, f32::INFINITY));
}

#[test]
fn alpha_is_one_minus_the_transmittance_to_the_background() {
    let mut fixture = Fixture::new();
    layer(&mut fixture, 0.0, blend(Vec4::new(1.0, 0.5, 0.0, 0.25)));
    let picture =
        fixture.picture_with(Settings { background: Some(Vec4::ZERO), ..exact_settings() });
    assert_eq!(at(&picture, 3.0, 0.0), [0; 4]);
    let [r, g, b, a] = at(&picture, 0.0, 0.0);
    // Not premultiplied.
    assert_eq!((r, b, a), (255, 0, 64));
    assert_near(g, srgb(0.5), "green");
}

#[test]
fn a_hundred_layers_hide_what_is_behind_them() {
    let mut fixture = Fixture::new();
    for i in 0..100 {
        layer(&mut fixture, 0.05 * i as f32, blend(Vec4::new(1.0, 0.0, 0.0, 0.2)));
    }
    layer(&mut fixture, -1.0, unlit(Vec4::new(0.0, 1.0, 0.0, 1.0)));
    let [r, g, b, a] = at(&fixture.picture(), 0.0, 0.0);
    assert!(r >= 254 && g <= 8 && b == 0 && a == 255, "{r} {g} {b} {a}");
}

/// A texture of four pixels in a row, with alphas 0, 127, 128 and 255.
fn steps(fixture: &Fixture) -> TextureRef {
    let pixels = [0, 127, 128, 255].into_iter().flat_map(|alpha| [255, 255, 255, alpha]).collect();
    let image = fixture.scene.assets.add(Image::from_rgba8(4, 1, pixels).unwrap());
    let filter = Some(MagFilter::Nearest);
    TextureRef::new(image).with_sampler(Sampler { mag_filter: filter, ..Sampler::default() })
}

#[test]
fn a_mask_has_holes_where_alpha_is_below_the_cutoff() {
    for (cutoff, seen) in [(0.5, [false, false, true, true]), (0.3, [false, true, true, true])] {
        let mut fixture = Fixture::new();
        let material = Material {
            alpha_mode: AlphaMode::Mask { cutoff },
            base_color_texture: Some(steps(&fixture)),
            ..unlit(Vec4::new(1.0, 0.0, 0.0, 1.0))
        };
        fixture.plane(Vec2::splat(4.0), Vec3::Z, material);
        fixture.plane(Vec2::splat(8.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let picture = fixture.picture();
        for (x, seen) in [-1.5, -0.5, 0.5, 1.5].into_iter().zip(seen) {
            let expected = if seen { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
            assert_eq!(at(&picture, x, 0.0), expected, "{x} with {cutoff}");
        }
    }
}

#[test]
fn alpha_of_an_opaque_material_is_ignored() {
    let mut fixture = Fixture::new();
    layer(&mut fixture, 0.0, unlit(Vec4::new(0.0, 1.0, 0.0, 0.0)));
    assert_eq!(at(&fixture.picture(), 0.0, 0.0), [0, 255, 0, 255]);
}

#[test]
fn back_faces_of_a_single_sided_material_are_culled() {
    for double_sided in [false, true] {
        let mut fixture = Fixture::new();
        let material = Material { double_sided, ..unlit(Vec4::new(1.0, 0.0, 0.0, 1.0)) };
        let plane = fixture.plane(Vec2::splat(2.0), Vec3::Z, material);
        fixture.plane(Vec2::splat(4.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let red = |fixture: &mut Fixture| at(&fixture.picture(), 0.0, 0.0) == [255, 0, 0, 255];
        assert!(red(&mut fixture));
        let rotation = Quat::from_rotation_x(std::f32::consts::PI);
        fixture.scene.node_mut(plane).unwrap().set_rotation(rotation).unwrap();
        assert_eq!(red(&mut fixture), double_sided);
        // A mirroring scale flips the winding: glTF's rule.
        fixture.scene.node_mut(plane).unwrap().set_scale(Vec3::new(1.0, 1.0, -1.0)).unwrap();
        assert!(red(&mut fixture));
    }
}

#[test]
fn back_faces_are_lit_like_front_faces() {
    let lit = |rotation: f32| {
        let mut fixture = Fixture::new();
        let material = Material { double_sided: true, ..Material::from_color(Vec4::ONE * 0.5) };
        let plane = fixture.plane(Vec2::splat(2.0), Vec3::ZERO, material);
        fixture
            .scene
            .node_mut(plane)
            .unwrap()
            .set_rotation(Quat::from_rotation_x(rotation))
            .unwrap();
        fixture.sun();
        at(&fixture.picture(), 0.0, 0.0)
    };
    let (front, back) = (lit(0.0), lit(std::f32::consts::PI));
    assert!(front[0] > 100);
    assert_near(back[0], front[0], "the back face");
}

#[test]
fn transmission_shows_the_background_tinted() {
    let mut fixture = Fixture::new();
    let glass = Material {
        transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
        roughness: 0.0,
        ..Material::from_color(Vec4::new(1.0, 0.5, 0.25, 1.0))
    };
    layer(&mut fixture, 1.0, glass);
    layer(&mut fixture, 0.0, unlit(Vec4::ONE * 0.8));
    let [r, g, b, a] = at(&fixture.picture(), 0.0, 0.0);
    // Except for the few percent that its surface reflects.
    assert!(r.abs_diff(srgb(0.8)) < 6 && g.abs_diff(srgb(0.4)) < 6 && b.abs_diff(srgb(0.2)) < 6);
    assert_eq!(a, 255);
}
