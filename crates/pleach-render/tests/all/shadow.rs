//! Shadows: exactly where something is between a point and the light.

use crate::common::{Fixture, at, exact_settings, pixel_center, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::{Cuboid, Sphere};
use pleach::{AlphaMode, Light, Material, Transform};
use pleach_render::{Picture, Settings};

const GREY: Vec4 = Vec4::new(0.5, 0.5, 0.5, 1.0);
const BLACK: [u8; 4] = [0, 0, 0, 255];

fn floor(fixture: &mut Fixture) {
    fixture.plane(Vec2::splat(40.0), Vec3::ZERO, Material::from_color(GREY));
}

/// A floor, a directional light at 45° from the left, and 2 metres above the floor a small plate,
/// whose shadow is 2 metres to the right of it.
fn plate(material: Material) -> Fixture {
    let mut fixture = Fixture::new();
    floor(&mut fixture);
    let sun = fixture.sun();
    let rotation = Quat::from_rotation_y(-std::f32::consts::FRAC_PI_4);
    fixture.scene.node_mut(sun).unwrap().set_rotation(rotation).unwrap();
    fixture.plane(Vec2::ONE, Vec3::new(-2.0, 0.0, 2.0), material);
    fixture
}

fn shadow(picture: &Picture) -> [u8; 4] {
    at(picture, 0.03, 0.03)
}

fn lit(picture: &Picture) -> [u8; 4] {
    at(picture, 3.0, 2.0)
}

#[test]
fn the_shadow_of_a_plate_is_its_projection() {
    let picture = plate(Material::from_color(GREY)).picture();
    for (number, pixel) in picture.pixels.iter().enumerate() {
        let position = pixel_center(number % 64, number / 64);
        let is_plate = (position - Vec2::new(-2.0, 0.0)).abs().max_element() < 0.5;
        let is_shadow = position.abs().max_element() < 0.5;
        if is_shadow && !is_plate {
            assert_eq!(*pixel, BLACK, "{position}");
        } else if !is_plate {
            assert_eq!(*pixel, lit(&picture), "{position}");
        }
    }
}

#[test]
fn cast_and_receive_flags_disable_shadows() {
    let mut fixture = plate(Material::from_color(GREY));
    let nodes: Vec<_> = fixture.scene.meshes.iter(&fixture.scene.graph).map(|it| it.0).collect();
    for &node in &nodes {
        fixture.scene.mesh_mut(node).unwrap().cast_shadow = false;
    }
    let picture = fixture.picture();
    assert_eq!(shadow(&picture), lit(&picture));
    for &node in &nodes {
        let mesh = fixture.scene.mesh_mut(node).unwrap();
        (mesh.cast_shadow, mesh.receive_shadow) = (true, false);
    }
    let picture = fixture.picture();
    assert_eq!(shadow(&picture), lit(&picture));
    let settings = Settings { shadows: false, ..exact_settings() };
    let picture = plate(Material::from_color(GREY)).picture_with(settings);
    assert_eq!(shadow(&picture), lit(&picture));
}

#[test]
fn hidden_meshes_cast_no_shadow_but_meshes_on_other_layers_do() {
    let mut fixture = plate(Material::from_color(GREY));
    let plate = fixture.scene.meshes.iter(&fixture.scene.graph).last().unwrap().0;
    fixture.scene.mesh_mut(plate).unwrap().layers = 2;
    fixture.scene.camera_mut(fixture.camera).unwrap().layers = 1;
    let picture = fixture.picture();
    assert_eq!(shadow(&picture), BLACK);
    assert_eq!(at(&picture, -2.0, 0.0), lit(&picture), "the plate itself is not visible");
    fixture.scene.node_mut(plate).unwrap().set_visible(false);
    let picture = fixture.picture();
    assert_eq!(shadow(&picture), lit(&picture));
}

#[test]
fn masked_surfaces_cast_shadows_where_opaque_and_blended_ones_by_alpha() {
    let material = |alpha: f32, alpha_mode| Material {
        alpha_mode,
        ..Material::from_color(Vec4::new(0.5, 0.5, 0.5, alpha))
    };
    let of = |material| shadow(&plate(material).picture());
    let clear = lit(&plate(material(1.0, AlphaMode::Opaque)).picture());
    assert_eq!(of(material(0.4, AlphaMode::MASK)), clear);
    assert_eq!(of(material(0.6, AlphaMode::MASK)), BLACK);
    assert_eq!(of(material(0.0, AlphaMode::Opaque)), BLACK);
    assert_eq!(of(material(1.0, AlphaMode::Blend)), BLACK);
    assert_eq!(of(material(0.0, AlphaMode::Blend)), clear);
    let linear = |byte: u8| ((f64::from(byte) / 255.0 + 0.055) / 1.055).powf(2.4);
    let half = linear(of(material(0.5, AlphaMode::Blend))[0]) / linear(clear[0]);
    assert!((half - 0.5).abs() < 0.01, "{half}");
}

#[test]
fn a_single_sided_plate_casts_a_shadow_from_its_front_only() {
    let rotated = |double_sided: bool| {
        let mut fixture = plate(Material { double_sided, ..Material::from_color(GREY) });
        let plate = fixture.scene.meshes.iter(&fixture.scene.graph).last().unwrap().0;
        let rotation = Quat::from_rotation_x(std::f32::consts::PI);
        fixture.scene.node_mut(plate).unwrap().set_rotation(rotation).unwrap();
        let picture = fixture.picture();
        (shadow(&picture) == BLACK, at(&picture, -2.0, 0.0) == lit(&picture))
    };
    // Invisible from behind, to the camera and to light.
    assert_eq!(rotated(false), (false, true));
    assert!(rotated(true).0);
}

#[test]
fn a_point_light_is_occluded_only_by_surfaces_between_it_and_the_point() {
    let mut fixture = Fixture::new();
    floor(&mut fixture);
    fixture.light(Light::point(Vec3::ONE, 2.0), Vec3::new(0.0, 0.0, 2.0));
    let open = fixture.picture();
    let plate = Material { double_sided: true, ..unlit(GREY) };
    fixture.plane(Vec2::splat(1.0), Vec3::new(0.0, 0.0, 3.0), plate);
    let below_a_plate = fixture.picture();
    assert!(at(&open, 0.9, 0.9)[0] > 0);
    assert_eq!(at(&below_a_plate, 0.9, 0.9), at(&open, 0.9, 0.9));

    let mut fixture = Fixture::new();
    floor(&mut fixture);
    fixture.light(Light::point(Vec3::ONE, 2.0), Vec3::new(0.0, 0.0, 2.0));
    fixture.plane(Vec2::splat(1.0), Vec3::new(0.0, 0.0, 1.0), unlit(GREY));
    let picture = fixture.picture();
    for x in [0.6, 0.75, 0.9] {
        assert_eq!(at(&picture, x, 0.0), BLACK, "x {x}");
    }
    assert!(at(&picture, 1.1, 0.0)[0] > 0);
}

/// There is no self-shadowing at perpendicular incidence, whatever the size of the scene, its
/// distance from the origin, and the tessellation of curved surfaces.
#[test]
fn no_surface_shadows_itself_at_any_scale() {
    for scale in [1e-4_f32, 1e-2, 1.0, 1e3, 1e6] {
        for aside in [0.0, 30.0] {
            let mut fixture = Fixture::new();
            let ball = Sphere::new(1.0).with_detail(12, 8).build().unwrap();
            let cube = Cuboid::new(Vec3::splat(1.5)).build().unwrap();
            let material = || Material::from_color(GREY);
            let ball = fixture.put(ball, Vec3::new(-1.5, 0.0, 0.0), material());
            let cube = fixture.put(cube, Vec3::new(1.5, 0.0, 0.0), material());
            let floor = fixture.plane(Vec2::splat(40.0), Vec3::new(0.0, 0.0, -9.0), material());
            let sun = fixture.sun();
            let rotation = Quat::from_rotation_y(-0.5);
            fixture.scene.node_mut(sun).unwrap().set_rotation(rotation).unwrap();
            // Everything, including the camera, translated and scaled.
            let top = fixture.scene.graph.add_root(Transform::IDENTITY).unwrap();
            let root = fixture.scene.root();
            fixture.scene.graph.attach(top, root).unwrap();
            for node in [ball, cube, floor] {
                fixture.scene.graph.attach(node, top).unwrap();
            }
            let away = Vec3::new(aside, -aside, 0.0) * scale;
            let transform = Transform::from_translation(away).with_scale(Vec3::splat(scale));
            fixture.scene.node_mut(top).unwrap().set_transform(transform).unwrap();
            let camera = pleach::Camera::orthographic(6.0 * scale)
                .with_near(0.1 * scale)
                .with_far(40.0 * scale);
            fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
            let transform = Transform::from_translation(away + Vec3::Z * 10.0 * scale);
            fixture.scene.node_mut(fixture.camera).unwrap().set_transform(transform).unwrap();

            let [with, without] = [true, false]
                .map(|shadows| fixture.picture_with(Settings { shadows, ..exact_settings() }));
            for (number, (with_shadow, without)) in
                with.pixels.iter().zip(&without.pixels).enumerate()
            {
                let facing = with.nodes[number] != Some(floor);
                // At grazing incidence the sphere may shadow itself.
                if facing && without[0] > 100 {
                    let what = pixel_center(number % 64, number / 64);
                    assert_eq!(with_shadow, without, "scale {scale} m, offset {aside}: {what}");
                }
            }
            assert!(with.nodes.contains(&Some(ball)) && with.nodes.contains(&Some(cube)));
        }
    }
}
