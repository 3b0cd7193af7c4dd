//! Points and lines: where they are, in their own colour, and hidden by what is before them.

use crate::common::{Table, at, index, plain, unlit};
use pleach::glam::{Vec2, Vec3, Vec4};
use pleach::{Camera, Geometry, Topology};
use pleach_render::Settings;

const RED: [u8; 4] = [255, 0, 0, 255];
const BLACK: [u8; 4] = [0, 0, 0, 255];

fn red() -> pleach::Material {
    unlit(Vec4::new(1.0, 0.0, 0.0, 1.0))
}

fn corners() -> Vec<Vec3> {
    [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]
        .map(|[x, y]| Vec3::new(x + 0.0625, y + 0.0625, 0.0))
        .to_vec()
}

/// Which of the four sides of the rectangle are drawn, at their middles.
fn sides(mode: Topology) -> [bool; 4] {
    let mut table = Table::new();
    table.put(Geometry::from_positions(corners()).with_topology(mode), Vec3::ZERO, red());
    let picture = table.picture();
    assert_eq!(at(&picture, 0.0625, 0.0625), BLACK, "the middle is empty");
    [[0.0625, -0.9375], [2.0625, 0.0625], [0.0625, 1.0625], [-1.9375, 0.0625]]
        .map(|[x, y]| at(&picture, x, y) == RED)
}

#[test]
fn each_mode_joins_its_own_vertices() {
    assert_eq!(sides(Topology::Points), [false; 4]);
    assert_eq!(sides(Topology::Lines), [true, false, true, false]);
    assert_eq!(sides(Topology::LineStrip), [true, true, true, false]);
    assert_eq!(sides(Topology::LineLoop), [true; 4]);
    let mut table = Table::new();
    let points = Geometry::from_positions(corners()).with_topology(Topology::Points);
    let node = table.put(points, Vec3::ZERO, red());
    let picture = table.picture();
    for corner in corners() {
        assert_eq!(at(&picture, corner.x, corner.y), RED);
        let place = index(corner.x, corner.y);
        assert_eq!(picture.nodes[place], Some(node));
        assert!((picture.distances[place] - 9.9).abs() < 1e-4);
    }
}

#[test]
fn indices_choose_vertices_and_colours_are_mixed_along_lines() {
    let mut table = Table::new();
    let colors =
        vec![Vec4::new(0.0, 0.0, 1.0, 1.0), Vec4::ONE, Vec4::new(0.0, 1.0, 0.0, 1.0), Vec4::ONE];
    let line = Geometry::from_positions(corners())
        .with_topology(Topology::Lines)
        .with_indices(vec![0, 2, 9, 1])
        .with_colors(colors);
    table.put(line, Vec3::ZERO, unlit(Vec4::ONE));
    let picture = table.picture();
    let [r, g, b, a] = at(&picture, 0.0625, 0.0625);
    assert!(r == 0 && g.abs_diff(b) <= 2 && g > 180 && a == 255, "{r} {g} {b}");
    assert_eq!(at(&picture, -1.9375, -0.9375)[2], 255);
}

#[test]
fn surfaces_hide_strokes_behind_them_but_not_those_on_or_before_them() {
    for (height, seen) in [(-1.0, false), (0.0, true), (1.0, true)] {
        let mut table = Table::new();
        table.plane(Vec2::splat(8.0), Vec3::ZERO, unlit(Vec4::new(0.0, 0.0, 1.0, 1.0)));
        let line = Geometry::from_positions(corners()).with_topology(Topology::LineLoop);
        table.put(line, Vec3::new(0.0, 0.0, height), red());
        let picture = table.picture();
        let wanted = if seen { RED } else { [0, 0, 255, 255] };
        assert_eq!(at(&picture, 0.0625, 1.0625), wanted, "{height} up");
    }
}

#[test]
fn lines_are_cut_where_they_leave_the_view() {
    let mut table = Table::new();
    let camera = Camera::perspective(1.0, 4.0 / 3.0);
    table.scene.cameras.insert(&table.scene.graph, table.camera, camera).unwrap();
    // From far below through the picture's middle column to behind the eye.
    let ends = vec![Vec3::new(0.0, 30.0, -50.0), Vec3::new(0.0, -30.0, 60.0)];
    table.put(Geometry::from_positions(ends).with_topology(Topology::Lines), Vec3::ZERO, red());
    let picture = table.picture_with(Settings { samples: 1, ..plain() });
    let columns = picture.pixels.iter().enumerate().filter(|(_, pixel)| pixel[0] > 0);
    let columns: Vec<usize> = columns.map(|(number, _)| number % 64).collect();
    assert!(columns.len() > 20 && columns.iter().all(|column| (31..=32).contains(column)));
}
