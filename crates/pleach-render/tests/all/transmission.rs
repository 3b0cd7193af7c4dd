//! Transmission: refraction, blur and attenuation of what is behind glass, against closed forms.

use crate::common::{Fixture, assert_near, at, exact_settings, pixel_center, srgb, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{
    AlphaMode, DiffuseTransmission, Geometry, Material, NodeId, Specular, Topology, Transmission,
    Volume,
};
use pleach_render::{Picture, Settings};

/// Glass that reflects nothing.
fn glass() -> Material {
    Material {
        transmission: Some(Box::new(Transmission { factor: 1.0, texture: None })),
        specular: Some(Box::new(Specular { factor: 0.0, ..Specular::default() })),
        roughness: 0.0,
        ..Material::from_color(Vec4::ONE)
    }
}

fn with_volume(volume: Volume) -> Material {
    Material { volume: Some(Box::new(volume)), ..glass() }
}

/// A wall of unlit white for x < 0 and unlit black for x > 0.
fn half_wall(fixture: &mut Fixture) {
    fixture.plane(Vec2::new(8.0, 9.0), Vec3::new(-4.0, 0.0, -5.0), unlit(Vec4::ONE));
    fixture.plane(Vec2::new(8.0, 9.0), Vec3::new(4.0, 0.0, -5.0), unlit(Vec4::ZERO));
}

#[test]
fn a_volume_attenuates_by_beers_law_and_the_scale_of_its_node() {
    let color = Vec3::new(0.9, 0.5, 0.2);
    for (thickness, scale, distance) in [(1.0, 1.0, 1.0), (0.5, 1.0, 2.0), (0.5, 3.0, 2.0)] {
        let mut fixture = Fixture::new();
        fixture.plane(Vec2::splat(9.0), Vec3::NEG_Z, unlit(Vec4::ONE));
        let pane = fixture.plane(
            Vec2::splat(1.0),
            Vec3::ZERO,
            with_volume(Volume {
                thickness,
                attenuation_distance: distance,
                attenuation_color: color,
                ..Volume::default()
            }),
        );
        fixture.scene.node_mut(pane).unwrap().set_scale(Vec3::splat(scale)).unwrap();
        let found = at(&fixture.picture(), 0.0, 0.0);
        for (channel, color) in color.to_array().into_iter().enumerate() {
            let expected = f64::from(color).powf(f64::from(thickness * scale / distance));
            assert_near(
                found[channel],
                srgb(expected),
                &format!("thickness {thickness} × {scale}"),
            );
        }
    }
}

/// A pane with normals tilted to the east by this angle.
fn tilted_pane(fixture: &mut Fixture, angle: f32, material: Material) -> NodeId {
    let mut pane = Plane::new(Vec2::splat(8.0)).build().unwrap();
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    pane.normals = vec![normal; pane.positions.len()].into();
    fixture.put(pane, Vec3::ZERO, material)
}

/// Returns where a channel falls below one half in the middle row, in metres.
fn edge(picture: &Picture, channel: usize) -> f32 {
    let row = 24;
    let dark = (0..64).find(|x| picture.pixels[row * 64 + x][channel] < srgb(0.5)).unwrap();
    pixel_center(dark, row).x
}

/// The horizontal offset of a ray that looks straight down, after refraction at a normal tilted by
/// `angle` and a path of this length: Snell's law.
fn offset(angle: f32, ior: f32, thickness: f32) -> f32 {
    let inside = (angle.sin() / ior).asin();
    -(angle - inside).sin() * thickness
}

#[test]
fn a_tilted_surface_refracts_by_snells_law() {
    for (ior, thickness) in [(1.5, 2.0), (1.2, 3.0), (2.0, 1.5), (1.5, 0.0)] {
        let mut fixture = Fixture::new();
        half_wall(&mut fixture);
        let material = Material { ior, ..with_volume(Volume { thickness, ..Volume::default() }) };
        tilted_pane(&mut fixture, 0.6, material);
        let found = edge(&fixture.picture(), 0);
        // The edge of the wall at 0 is seen where the offset ends there.
        let expected = -offset(0.6, ior, thickness);
        assert!((found - expected).abs() < 0.15, "ior {ior}: {found}, expected {expected}");
    }
}

#[test]
fn dispersion_refracts_blue_more_than_red() {
    let mut fixture = Fixture::new();
    half_wall(&mut fixture);
    let volume = with_volume(Volume { thickness: 4.0, ..Volume::default() });
    tilted_pane(&mut fixture, 0.7, Material { ior: 1.5, dispersion: 10.0, ..volume });
    let picture = fixture.picture();
    let spread = (1.5 - 1.0) * 0.025 * 10.0;
    for (channel, ior) in [1.5 - spread, 1.5, 1.5 + spread].into_iter().enumerate() {
        let (found, expected) = (edge(&picture, channel), -offset(0.7, ior, 4.0));
        assert!((found - expected).abs() < 0.15, "channel {channel}: {found}, not {expected}");
    }
    assert!(edge(&picture, 2) - edge(&picture, 0) > 0.2);
}

#[test]
fn rough_glass_blurs_what_is_behind_it_unless_it_does_not_refract() {
    // The width of the transition from white to black, in pixels.
    let width = |roughness: f32, ior: f32| {
        let mut fixture = Fixture::new();
        half_wall(&mut fixture);
        tilted_pane(&mut fixture, 0.0, Material { roughness, ior, ..glass() });
        let picture = fixture.picture();
        let row = &picture.pixels[24 * 64..25 * 64];
        row.iter().filter(|it| it[0] > 40 && it[0] < 245).count()
    };
    assert!(width(0.0, 1.5) <= 1);
    let (medium, rough) = (width(0.3, 1.5), width(0.6, 1.5));
    assert!(medium > 2 && rough > medium, "{medium} {rough}");
    assert!(width(0.6, 1.0) <= 1);
}

#[test]
fn glass_shows_lines_and_blended_surfaces_but_no_other_glass() {
    let seen = |change: &dyn Fn(&mut Fixture)| {
        let mut fixture = Fixture::new();
        fixture.plane(Vec2::splat(4.0), Vec3::Z, glass());
        change(&mut fixture);
        at(&fixture.picture(), 0.0625, 0.0625)
    };
    let red = Vec4::new(1.0, 0.0, 0.0, 1.0);
    assert_eq!(seen(&|_| {}), [0, 0, 0, 255]);
    let line = seen(&|fixture| {
        let ends = vec![Vec3::new(-3.0, 0.0625, 0.0), Vec3::new(3.0, 0.0625, 0.0)];
        let line = Geometry::from_positions(ends).with_topology(Topology::Lines);
        fixture.put(line, Vec3::ZERO, unlit(red));
    });
    assert_eq!(line, [255, 0, 0, 255]);
    let blended = seen(&|fixture| {
        let half = Vec4::new(1.0, 0.0, 0.0, 0.5);
        let material = Material { alpha_mode: AlphaMode::Blend, ..unlit(half) };
        fixture.plane(Vec2::splat(4.0), Vec3::ZERO, material);
    });
    assert_eq!(blended, [srgb(0.5), 0, 0, 255]);
    let other = seen(&|fixture| {
        let green = Vec4::new(0.0, 1.0, 0.0, 1.0);
        fixture.plane(Vec2::splat(4.0), Vec3::ZERO, Material { base_color: green, ..glass() });
        fixture.plane(Vec2::splat(4.0), Vec3::NEG_Z, unlit(red));
    });
    assert_eq!(other, [255, 0, 0, 255]);
}

#[test]
fn glass_over_a_transparent_background_is_transparent() {
    let mut fixture = Fixture::new();
    let glass = Material { base_color: Vec4::new(0.5, 0.5, 0.5, 1.0), ..glass() };
    fixture.plane(Vec2::splat(2.0), Vec3::ZERO, glass);
    let settings = Settings { background: Some(Vec4::ZERO), ..exact_settings() };
    let picture = fixture.picture_with(settings);
    assert_eq!(at(&picture, 3.0, 0.0), [0; 4]);
    // Half of the background is absorbed.
    assert_eq!(at(&picture, 0.0, 0.0)[3], 128);
}

#[test]
fn light_from_behind_shines_through_a_diffusely_transmitting_surface() {
    let lit = |factor: f32, color: Vec3| {
        let mut fixture = Fixture::new();
        let leaf = Material {
            diffuse_transmission: Some(Box::new(DiffuseTransmission {
                factor,
                color,
                ..DiffuseTransmission::default()
            })),
            specular: Some(Box::new(Specular { factor: 0.0, ..Specular::default() })),
            ..Material::from_color(Vec4::new(0.1, 0.7, 0.1, 1.0))
        };
        fixture.plane(Vec2::splat(4.0), Vec3::ZERO, leaf);
        let sun = fixture.sun();
        let up = Quat::from_rotation_x(std::f32::consts::PI);
        fixture.scene.node_mut(sun).unwrap().set_rotation(up).unwrap();
        at(&fixture.picture(), 0.0, 0.0)
    };
    assert_eq!(lit(0.0, Vec3::ONE), [0, 0, 0, 255]);
    let [r, g, b, _] = lit(0.5, Vec3::new(0.8, 0.4, 0.2));
    for (found, expected) in [(r, 0.4), (g, 0.2), (b, 0.1)] {
        assert_near(found, srgb(expected), "half of the light, tinted");
    }
}
