//! Points and lines: their pixels, colours and occlusion.

use crate::common::{Fixture, assert_near, at, exact_settings, index, srgb, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::shapes::Plane;
use pleach::{Ambient, Camera, Geometry, Material, Topology};
use pleach_render::Settings;

const RED: [u8; 4] = [255, 0, 0, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

fn red() -> Material {
    unlit(Vec4::new(1.0, 0.0, 0.0, 1.0))
}

fn corners() -> Vec<Vec3> {
    [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]
        .map(|[x, y]| Vec3::new(x + 0.0625, y + 0.0625, 0.0))
        .to_vec()
}

/// Returns for each side of the rectangle whether it is drawn, at its centre.
fn sides(topology: Topology) -> [bool; 4] {
    let mut fixture = Fixture::new();
    fixture.put(Geometry::from_positions(corners()).with_topology(topology), Vec3::ZERO, red());
    let picture = fixture.picture();
    assert_eq!(at(&picture, 0.0625, 0.0625), BLACK, "the centre is empty");
    [[0.0625, -0.9375], [2.0625, 0.0625], [0.0625, 1.0625], [-1.9375, 0.0625]]
        .map(|[x, y]| at(&picture, x, y) == RED)
}

#[test]
fn each_topology_connects_its_vertices() {
    assert_eq!(sides(Topology::Points), [false; 4]);
    assert_eq!(sides(Topology::Lines), [true, false, true, false]);
    assert_eq!(sides(Topology::LineStrip), [true, true, true, false]);
    assert_eq!(sides(Topology::LineLoop), [true; 4]);
    let mut fixture = Fixture::new();
    let points = Geometry::from_positions(corners()).with_topology(Topology::Points);
    let node = fixture.put(points, Vec3::ZERO, red());
    let picture = fixture.picture();
    for corner in corners() {
        assert_eq!(at(&picture, corner.x, corner.y), RED);
        let pixel = index(corner.x, corner.y);
        assert_eq!(picture.nodes[pixel], Some(node));
        assert!((picture.distances[pixel] - 9.9).abs() < 1e-4);
    }
}

#[test]
fn indices_select_vertices_and_colours_are_interpolated_along_lines() {
    let mut fixture = Fixture::new();
    let colors =
        vec![Vec4::new(0.0, 0.0, 1.0, 1.0), Vec4::ONE, Vec4::new(0.0, 1.0, 0.0, 1.0), Vec4::ONE];
    let line = Geometry::from_positions(corners())
        .with_topology(Topology::Lines)
        .with_indices(vec![0, 2, 9, 1])
        .with_colors(colors);
    fixture.put(line, Vec3::ZERO, unlit(Vec4::ONE));
    let picture = fixture.picture();
    let [r, g, b, a] = at(&picture, 0.0625, 0.0625);
    assert!(r == 0 && g.abs_diff(b) <= 2 && g > 180 && a == 255, "{r} {g} {b}");
    assert_eq!(at(&picture, -1.9375, -0.9375)[2], 255);
}

#[test]
fn surfaces_occlude_lines_behind_them_but_not_on_or_before_them() {
    for (height, seen) in [(-1.0, false), (0.0, true), (1.0, true)] {
        let mut fixture = Fixture::new();
        fixture.plane(Vec2::splat(8.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let line = Geometry::from_positions(corners()).with_topology(Topology::LineLoop);
        fixture.put(line, Vec3::new(0.0, 0.0, height), red());
        let picture = fixture.picture();
        let expected = if seen { RED } else { [0, 0, 255, 255] };
        assert_eq!(at(&picture, 0.0625, 1.0625), expected, "height {height}");
    }
}

#[test]
fn lines_are_clipped_at_the_view() {
    let mut fixture = Fixture::new();
    let camera = Camera::perspective(1.0).with_aspect(4.0 / 3.0);
    fixture.scene.cameras.insert(&fixture.scene.graph, fixture.camera, camera).unwrap();
    // From far below through the centre column of the picture to behind the camera.
    let ends = vec![Vec3::new(0.0, 30.0, -50.0), Vec3::new(0.0, -30.0, 60.0)];
    fixture.put(Geometry::from_positions(ends).with_topology(Topology::Lines), Vec3::ZERO, red());
    let picture = fixture.picture_with(Settings { samples: 1, ..exact_settings() });
    let columns = picture.pixels.iter().enumerate().filter(|(_, pixel)| pixel[0] > 0);
    let columns: Vec<usize> = columns.map(|(number, _)| number % 64).collect();
    assert!(columns.len() > 20 && columns.iter().all(|column| (31..=32).contains(column)));
}

#[test]
fn points_and_lines_with_normals_are_lit_like_surfaces() {
    let material = || Material {
        emissive: Vec3::new(0.0, 0.0, 0.2),
        roughness: 0.4,
        ..Material::from_color(Vec4::new(0.6, 0.3, 0.0, 1.0))
    };
    let lit = |geometry: Geometry| {
        let mut fixture = Fixture::new();
        fixture.put(geometry, Vec3::ZERO, material());
        fixture.sun();
        fixture.scene.environment.ambient = Ambient { color: Vec3::ONE, intensity: 0.2 };
        at(&fixture.picture(), 0.0625, 0.0625)
    };
    let surface = lit(Plane::new(Vec2::splat(2.0)).build().unwrap());
    let middle = Vec3::new(0.0625, 0.0625, 0.0);
    let line = vec![middle - Vec3::X, middle + Vec3::X];
    let line = Geometry::from_positions(line).with_topology(Topology::Lines);
    let point = Geometry::from_positions(vec![middle]).with_topology(Topology::Points);
    let up = |count| vec![Vec3::Z; count];
    for found in [lit(line.clone().with_normals(up(2))), lit(point.clone().with_normals(up(1)))] {
        for channel in 0..4 {
            assert_near(found[channel], surface[channel], "as a surface");
        }
    }
    // Without normals: the base colour and the emission, without light.
    for found in [lit(line), lit(point)] {
        assert_eq!(found, [srgb(0.6), srgb(0.3), srgb(0.2), 255]);
    }
}
