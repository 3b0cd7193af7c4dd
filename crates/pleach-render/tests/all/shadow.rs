//! Shadows: there where something is between a point and the lamp, and nowhere else.

use crate::common::{Table, at, middle, plain, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Sphere};
use pleach::{AlphaMode, Light, Material, Transform};
use pleach_render::{Picture, Settings};

const GREY: Vec4 = Vec4::new(0.5, 0.5, 0.5, 1.0);
const BLACK: [u8; 4] = [0, 0, 0, 255];

fn floor(table: &mut Table) {
    table.plane(Vec2::splat(40.0), Vec3::ZERO, Material::from_color(GREY));
}

/// A floor, a sun at 45° from the left, and 2 metres above the floor a small plate, whose shadow
/// is 2 metres to the right of it.
fn plate(material: Material) -> Table {
    let mut table = Table::new();
    floor(&mut table);
    let sun = table.sun();
    let turn = Quat::from_rotation_y(-std::f32::consts::FRAC_PI_4);
    table.scene.node_mut(sun).unwrap().set_rotation(turn).unwrap();
    table.plane(Vec2::ONE, Vec3::new(-2.0, 0.0, 2.0), material);
    table
}

fn shadow(picture: &Picture) -> [u8; 4] {
    at(picture, 0.03, 0.03)
}

fn lit(picture: &Picture) -> [u8; 4] {
    at(picture, 3.0, 2.0)
}

#[test]
fn a_plate_throws_its_shadow_where_the_light_does_not_come() {
    let picture = plate(Material::from_color(GREY)).picture();
    for (number, pixel) in picture.pixels.iter().enumerate() {
        let place = middle(number % 64, number / 64);
        let is_plate = (place - Vec2::new(-2.0, 0.0)).abs().max_element() < 0.5;
        let is_shadow = place.abs().max_element() < 0.5;
        if is_shadow && !is_plate {
            assert_eq!(*pixel, BLACK, "{place}");
        } else if !is_plate {
            assert_eq!(*pixel, lit(&picture), "{place}");
        }
    }
}

#[test]
fn what_casts_or_receives_no_shadows_has_none() {
    let mut table = plate(Material::from_color(GREY));
    let nodes: Vec<_> = table.scene.meshes.iter(&table.scene.graph).map(|it| it.0).collect();
    for &node in &nodes {
        table.scene.mesh_mut(node).unwrap().cast_shadow = false;
    }
    let picture = table.picture();
    assert_eq!(shadow(&picture), lit(&picture));
    for &node in &nodes {
        let mesh = table.scene.mesh_mut(node).unwrap();
        (mesh.cast_shadow, mesh.receive_shadow) = (true, false);
    }
    let picture = table.picture();
    assert_eq!(shadow(&picture), lit(&picture));
    let settings = Settings { shadows: false, ..plain() };
    let picture = plate(Material::from_color(GREY)).picture_with(settings);
    assert_eq!(shadow(&picture), lit(&picture));
}

#[test]
fn what_is_hidden_throws_no_shadow_but_what_is_on_other_layers_does() {
    let mut table = plate(Material::from_color(GREY));
    let plate = table.scene.meshes.iter(&table.scene.graph).last().unwrap().0;
    table.scene.mesh_mut(plate).unwrap().layers = 2;
    table.scene.camera_mut(table.camera).unwrap().layers = 1;
    let picture = table.picture();
    assert_eq!(shadow(&picture), BLACK);
    assert_eq!(at(&picture, -2.0, 0.0), lit(&picture), "the plate itself is not seen");
    table.scene.node_mut(plate).unwrap().set_visible(false);
    let picture = table.picture();
    assert_eq!(shadow(&picture), lit(&picture));
}

#[test]
fn a_mask_shades_where_it_is_and_a_blend_as_much_as_it_covers() {
    let paint = |alpha: f32, alpha_mode| Material {
        alpha_mode,
        ..Material::from_color(Vec4::new(0.5, 0.5, 0.5, alpha))
    };
    let of = |material| shadow(&plate(material).picture());
    let clear = lit(&plate(paint(1.0, AlphaMode::Opaque)).picture());
    assert_eq!(of(paint(0.4, AlphaMode::MASK)), clear);
    assert_eq!(of(paint(0.6, AlphaMode::MASK)), BLACK);
    assert_eq!(of(paint(0.0, AlphaMode::Opaque)), BLACK);
    assert_eq!(of(paint(1.0, AlphaMode::Blend)), BLACK);
    assert_eq!(of(paint(0.0, AlphaMode::Blend)), clear);
    let linear = |byte: u8| ((f64::from(byte) / 255.0 + 0.055) / 1.055).powf(2.4);
    let half = linear(of(paint(0.5, AlphaMode::Blend))[0]) / linear(clear[0]);
    assert!((half - 0.5).abs() < 0.01, "{half}");
}

#[test]
fn a_single_sided_plate_shades_only_light_that_meets_its_front() {
    let turned = |double_sided: bool| {
        let mut table = plate(Material { double_sided, ..Material::from_color(GREY) });
        let plate = table.scene.meshes.iter(&table.scene.graph).last().unwrap().0;
        let turn = Quat::from_rotation_x(std::f32::consts::PI);
        table.scene.node_mut(plate).unwrap().set_rotation(turn).unwrap();
        let picture = table.picture();
        (shadow(&picture) == BLACK, at(&picture, -2.0, 0.0) == lit(&picture))
    };
    // Seen through from behind, by the eye and by the light.
    assert_eq!(turned(false), (false, true));
    assert!(turned(true).0);
}

#[test]
fn a_bulb_is_shaded_by_what_is_before_it_and_not_by_what_is_behind() {
    let mut table = Table::new();
    floor(&mut table);
    table.light(Light::point(Vec3::ONE, 2.0), Vec3::new(0.0, 0.0, 2.0));
    let open = table.picture();
    let plate = Material { double_sided: true, ..unlit(GREY) };
    table.plane(Vec2::splat(1.0), Vec3::new(0.0, 0.0, 3.0), plate);
    let below_a_plate = table.picture();
    assert!(at(&open, 0.9, 0.9)[0] > 0);
    assert_eq!(at(&below_a_plate, 0.9, 0.9), at(&open, 0.9, 0.9));

    let mut table = Table::new();
    floor(&mut table);
    table.light(Light::point(Vec3::ONE, 2.0), Vec3::new(0.0, 0.0, 2.0));
    table.plane(Vec2::splat(1.0), Vec3::new(0.0, 0.0, 1.0), unlit(GREY));
    let picture = table.picture();
    for x in [0.6, 0.75, 0.9] {
        assert_eq!(at(&picture, x, 0.0), BLACK, "{x} aside");
    }
    assert!(at(&picture, 1.1, 0.0)[0] > 0);
}

/// Nothing shades itself where light falls straight onto it, however large the scene is, however
/// far from the origin, and however coarse a round thing is.
#[test]
fn no_surface_shades_itself_at_any_scale() {
    for scale in [1e-4_f32, 1e-2, 1.0, 1e3, 1e6] {
        for aside in [0.0, 30.0] {
            let mut table = Table::new();
            let ball = Sphere::new(1.0).with_detail(12, 8).build().unwrap();
            let cube = Cuboid::new(Vec3::splat(1.5)).build().unwrap();
            let material = || Material::from_color(GREY);
            let ball = table.put(ball, Vec3::new(-1.5, 0.0, 0.0), material());
            let cube = table.put(cube, Vec3::new(1.5, 0.0, 0.0), material());
            let floor = table.plane(Vec2::splat(40.0), Vec3::new(0.0, 0.0, -9.0), material());
            let sun = table.sun();
            let turn = Quat::from_rotation_y(-0.5);
            table.scene.node_mut(sun).unwrap().set_rotation(turn).unwrap();
            // All of it, camera included, moved and scaled.
            let top = table.scene.graph.add_root(Transform::IDENTITY).unwrap();
            let root = table.scene.root();
            table.scene.graph.attach(top, root).unwrap();
            for node in [ball, cube, floor] {
                table.scene.graph.attach(node, top).unwrap();
            }
            let away = Vec3::new(aside, -aside, 0.0) * scale;
            let place = Transform::from_translation(away).with_scale(Vec3::splat(scale));
            table.scene.node_mut(top).unwrap().set_transform(place).unwrap();
            let camera = pleach::Camera::orthographic(6.0 * scale)
                .with_depth_range(0.1 * scale, 40.0 * scale);
            table.scene.cameras.insert(&table.scene.graph, table.camera, camera).unwrap();
            let place = Transform::from_translation(away + Vec3::Z * 10.0 * scale);
            table.scene.node_mut(table.camera).unwrap().set_transform(place).unwrap();

            let [with, without] =
                [true, false].map(|shadows| table.picture_with(Settings { shadows, ..plain() }));
            for (number, (with_shadow, without)) in
                with.pixels.iter().zip(&without.pixels).enumerate()
            {
                let facing = with.nodes[number] != Some(floor);
                // Where light comes in at a slant, the round thing may shade itself.
                if facing && without[0] > 100 {
                    let what = middle(number % 64, number / 64);
                    assert_eq!(with_shadow, without, "{scale} m, {aside} aside: {what}");
                }
            }
            assert!(with.nodes.contains(&Some(ball)) && with.nodes.contains(&Some(cube)));
        }
    }
}
