//! Anti-aliasing: a pixel at an edge shows how much of it lies on either side.

use crate::common::{Fixture, exact_settings, srgb, unlit};
use pleach::glam::{Quat, Vec2, Vec3, Vec4};
use pleach_render::Settings;

fn rotated(rotation: f32, samples: u32) -> pleach_render::Picture {
    let mut fixture = Fixture::new();
    let plane = fixture.plane(Vec2::splat(3.0), Vec3::new(0.013, 0.027, 0.0), unlit(Vec4::ONE));
    let rotation = Quat::from_rotation_z(rotation);
    fixture.scene.node_mut(plane).unwrap().set_rotation(rotation).unwrap();
    fixture.picture_with(Settings { samples, ..exact_settings() })
}

#[test]
fn the_number_of_grey_levels_is_the_number_of_samples() {
    for (samples, steps) in [(1, 1), (4, 4), (16, 16)] {
        let picture = rotated(0.3, samples);
        let known: Vec<u8> = (0..=steps).map(|it| srgb(f64::from(it) / f64::from(steps))).collect();
        let mut found: Vec<u8> = picture.pixels.iter().map(|pixel| pixel[0]).collect();
        found.sort_unstable();
        found.dedup();
        assert!(found.iter().all(|it| known.contains(it)), "{samples}: {found:?}");
        assert!(found.len() > steps as usize / 2);
    }
}

#[test]
fn the_sum_of_all_pixels_is_the_area_of_the_plane() {
    let linear = |byte: u8| {
        let part = f64::from(byte) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    for (samples, slack) in [(1, 12.0), (4, 4.0), (16, 2.0)] {
        for rotation in [0.1, 0.3, 0.7] {
            let sum: f64 =
                rotated(rotation, samples).pixels.iter().map(|pixel| linear(pixel[0])).sum();
            let area = (3.0 * 8.0_f64).powi(2);
            assert!((sum - area).abs() < slack, "{samples} samples: found {sum}, expected {area}");
        }
    }
}

#[test]
fn supersampling_changes_colours_at_edges_only() {
    let (one, four) = (rotated(0.3, 1), rotated(0.3, 4));
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
fn other_sample_counts_are_rounded_down() {
    for (requested, same) in [(0, 1), (2, 1), (3, 1), (5, 4), (15, 4), (17, 16), (u32::MAX, 16)] {
        assert_eq!(rotated(0.3, requested), rotated(0.3, same), "{requested}");
    }
}
