//! Anti-aliasing: what a pixel shows of an edge is how much of it is on either side.

use crate::common::{Table, plain, srgb, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach_render::Settings;

fn turned(turn: f32, samples: u32) -> pleach_render::Picture {
    let mut table = Table::new();
    let plane = table.plane(Vec2::splat(3.0), Vec3::new(0.013, 0.027, 0.0), unlit(Vec4::ONE));
    let turn = Quat::from_rotation_z(turn);
    table.scene.node_mut(plane).unwrap().set_rotation(turn).unwrap();
    table.picture_with(Settings { samples, ..plain() })
}

#[test]
fn one_ray_knows_black_and_white_and_more_know_steps_between() {
    for (samples, steps) in [(1, 1), (4, 4), (16, 16)] {
        let picture = turned(0.3, samples);
        let known: Vec<u8> = (0..=steps).map(|it| srgb(f64::from(it) / f64::from(steps))).collect();
        let mut found: Vec<u8> = picture.pixels.iter().map(|pixel| pixel[0]).collect();
        found.sort_unstable();
        found.dedup();
        assert!(found.iter().all(|it| known.contains(it)), "{samples}: {found:?}");
        assert!(found.len() > steps as usize / 2);
    }
}

#[test]
fn all_pixels_together_are_as_bright_as_the_plane_is_large() {
    let linear = |byte: u8| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    for (samples, slack) in [(1, 12.0), (4, 4.0), (16, 2.0)] {
        for turn in [0.1, 0.3, 0.7] {
            let sum: f64 = turned(turn, samples).pixels.iter().map(|pixel| linear(pixel[0])).sum();
            let area = (3.0 * 8.0_f64).powi(2);
            assert!((sum - area).abs() < slack, "{samples} samples: {sum}, not {area}");
        }
    }
}

#[test]
fn the_inside_of_things_and_the_middle_rays_are_as_with_one_ray() {
    let (one, four) = (turned(0.3, 1), turned(0.3, 4));
    assert_eq!((one.nodes.clone(), one.distances.clone()), (four.nodes, four.distances));
    for (number, pixel) in four.pixels.iter().enumerate() {
        let (x, y) = (number % 64, number / 64);
        let around = [(-1, 0), (1, 0), (0, -1), (0, 1)].iter().all(|(dx, dy)| {
            let (x, y) = (x as i64 + dx, y as i64 + dy);
            let inside = (0..64).contains(&x) && (0..48).contains(&y);
            !inside || one.nodes[y as usize * 64 + x as usize] == one.nodes[number]
        });
        if around {
            assert_eq!(*pixel, one.pixels[number]);
        }
    }
}

#[test]
fn other_numbers_of_samples_count_as_the_next_smaller() {
    for (asked, same) in [(0, 1), (2, 1), (3, 1), (5, 4), (15, 4), (17, 16), (u32::MAX, 16)] {
        assert_eq!(turned(0.3, asked), turned(0.3, same), "{asked}");
    }
}
