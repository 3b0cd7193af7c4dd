//! What is seen through: masks, blends, glass, and the backs of things.

use crate::common::{self, Table, assert_near, at, plain, srgb, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::{AlphaMode, Image, MagFilter, Material, Sampler, TextureRef, Transmission};
use pleach_render::Settings;

fn blend(color: Vec4) -> Material {
    Material { alpha_mode: AlphaMode::Blend, ..unlit(color) }
}

/// Puts a plane of 2 metres at this height.
fn layer(table: &mut Table, height: f32, material: Material) {
    table.plane(Vec2::splat(2.0), Vec3::new(0.0, 0.0, height), material);
}

#[test]
fn layers_are_blended_from_front_to_back() {
    let mut table = Table::new();
    // Put in out of order: what counts is how far away they are.
    layer(&mut table, 1.0, blend(Vec4::new(0.0, 1.0, 0.0, 0.5)));
    layer(&mut table, 0.0, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
    layer(&mut table, 2.0, blend(Vec4::new(1.0, 0.0, 0.0, 0.25)));
    let picture = table.picture();
    // 0.25 red; half of the other 0.75 green; the rest blue.
    let wanted = [srgb(0.25), srgb(0.375), srgb(0.375), 255];
    for place in [[0.0, 0.0], [0.9, 0.9], [-0.5, 0.5], [0.5, 0.5]] {
        assert_eq!(at(&picture, place[0], place[1]), wanted, "{place:?}");
    }
}

#[test]
fn an_edge_between_two_triangles_is_blended_once() {
    let mut table = Table::new();
    layer(&mut table, 0.0, blend(Vec4::new(1.0, 1.0, 1.0, 0.5)));
    let picture = table.picture();
    // The diagonal of the plane runs through the middles of pixels.
    for x in -8..8 {
        let place = (x as f32 + 0.5) / 8.0;
        assert_eq!(at(&picture, place, -place), [srgb(0.5), srgb(0.5), srgb(0.5), 255], "{place}");
    }
}

#[test]
fn the_nearest_surface_gives_node_and_distance_though_it_is_seen_through() {
    let mut table = Table::new();
    let back = table.plane(Vec2::splat(2.0), Vec3::ZERO, unlit(Vec4::ONE));
    let glass = table.plane(Vec2::splat(1.0), Vec3::Z, blend(Vec4::new(1.0, 0.0, 0.0, 0.5)));
    let picture = table.picture();
    let place = common::index(0.0, 0.0);
    assert_eq!((picture.nodes[place], picture.distances[place]), (Some(glass), 8.9));
    let place = common::index(0.8, 0.0);
    assert_eq!((picture.nodes[place], picture.distances[place]), (Some(back), 9.9));
    let place = common::index(3.0, 0.0);
    assert_eq!((picture.nodes[place], picture.distances[place]), (None, f32::INFINITY));
}

#[test]
fn what_is_left_of_the_background_is_in_alpha() {
    let mut table = Table::new();
    layer(&mut table, 0.0, blend(Vec4::new(1.0, 0.5, 0.0, 0.25)));
    let picture = table.picture_with(Settings { background: Some(Vec4::ZERO), ..plain() });
    assert_eq!(at(&picture, 3.0, 0.0), [0; 4]);
    let [r, g, b, a] = at(&picture, 0.0, 0.0);
    // Not multiplied with alpha.
    assert_eq!((r, b, a), (255, 0, 64));
    assert_near(g, srgb(0.5), "green");
}

#[test]
fn a_hundred_layers_hide_what_is_behind_them() {
    let mut table = Table::new();
    for i in 0..100 {
        layer(&mut table, 0.05 * i as f32, blend(Vec4::new(1.0, 0.0, 0.0, 0.2)));
    }
    layer(&mut table, -1.0, unlit(Vec4::new(0.0, 1.0, 0.0, 1.0)));
    let [r, g, b, a] = at(&table.picture(), 0.0, 0.0);
    assert!(r >= 254 && g <= 8 && b == 0 && a == 255, "{r} {g} {b} {a}");
}

/// A texture of four pixels in a row, alphas 0, 127, 128 and 255.
fn steps(table: &Table) -> TextureRef {
    let pixels = [0, 127, 128, 255].into_iter().flat_map(|alpha| [255, 255, 255, alpha]).collect();
    let image = table.scene.assets.add(Image::from_rgba8(4, 1, pixels).unwrap());
    let filter = Some(MagFilter::Nearest);
    TextureRef::new(image).with_sampler(Sampler { mag_filter: filter, ..Sampler::default() })
}

#[test]
fn a_mask_has_holes_where_alpha_is_below_the_cutoff() {
    for (cutoff, seen) in [(0.5, [false, false, true, true]), (0.3, [false, true, true, true])] {
        let mut table = Table::new();
        let material = Material {
            alpha_mode: AlphaMode::Mask { cutoff },
            base_color_texture: Some(steps(&table)),
            ..unlit(Vec4::new(1.0, 0.0, 0.0, 1.0))
        };
        table.plane(Vec2::splat(4.0), Vec3::Z, material);
        table.plane(Vec2::splat(8.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let picture = table.picture();
        for (x, seen) in [-1.5, -0.5, 0.5, 1.5].into_iter().zip(seen) {
            let wanted = if seen { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
            assert_eq!(at(&picture, x, 0.0), wanted, "{x} with {cutoff}");
        }
    }
}

#[test]
fn alpha_of_an_opaque_material_does_nothing() {
    let mut table = Table::new();
    layer(&mut table, 0.0, unlit(Vec4::new(0.0, 1.0, 0.0, 0.0)));
    assert_eq!(at(&table.picture(), 0.0, 0.0), [0, 255, 0, 255]);
}

#[test]
fn the_back_of_a_single_sided_material_is_not_there() {
    for double_sided in [false, true] {
        let mut table = Table::new();
        let material = Material { double_sided, ..unlit(Vec4::new(1.0, 0.0, 0.0, 1.0)) };
        let plane = table.plane(Vec2::splat(2.0), Vec3::Z, material);
        table.plane(Vec2::splat(4.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let red = |table: &mut Table| at(&table.picture(), 0.0, 0.0) == [255, 0, 0, 255];
        assert!(red(&mut table));
        let turn = Quat::from_rotation_x(std::f32::consts::PI);
        table.scene.node_mut(plane).unwrap().set_rotation(turn).unwrap();
        assert_eq!(red(&mut table), double_sided);
        // Mirrored as a whole it shows its front again: glTF's rule.
        table.scene.node_mut(plane).unwrap().set_scale(Vec3::new(1.0, 1.0, -1.0)).unwrap();
        assert!(red(&mut table));
    }
}

#[test]
fn a_back_is_lit_as_a_front_is() {
    let lit = |turn: f32| {
        let mut table = Table::new();
        let material = Material { double_sided: true, ..Material::from_color(Vec4::ONE * 0.5) };
        let plane = table.plane(Vec2::splat(2.0), Vec3::ZERO, material);
        table.scene.node_mut(plane).unwrap().set_rotation(Quat::from_rotation_x(turn)).unwrap();
        table.sun();
        at(&table.picture(), 0.0, 0.0)
    };
    let (front, back) = (lit(0.0), lit(std::f32::consts::PI));
    assert!(front[0] > 100);
    assert_near(back[0], front[0], "the back");
}

#[test]
fn glass_shows_what_is_behind_in_its_tint() {
    let mut table = Table::new();
    let glass = Material {
        transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
        ..Material::from_color(Vec4::new(1.0, 0.5, 0.25, 1.0))
    };
    layer(&mut table, 1.0, glass);
    layer(&mut table, 0.0, unlit(Vec4::ONE * 0.8));
    let [r, g, b, a] = at(&table.picture(), 0.0, 0.0);
    // But for the few hundredths that its surface reflects.
    assert!(r.abs_diff(srgb(0.8)) < 6 && g.abs_diff(srgb(0.4)) < 6 && b.abs_diff(srgb(0.2)) < 6);
    assert_eq!(a, 255);
}
