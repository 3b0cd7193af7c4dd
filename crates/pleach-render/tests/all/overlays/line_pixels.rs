//! Lines: at the pixels of their edges, and hidden where a ray does not reach them.

use std::collections::BTreeSet;

use pleach::glam::{EulerRot, Mat4, Quat, Vec2, Vec3};
use pleach::{Camera, ClipSpace, Filter, Scene, Transform};
use pleach_render::{Overlay, Picture, draw_overlays};

use super::fixture::{Fixture, GROUND, changed};

#[test]
fn edges_of_a_unit_box_are_at_their_pixels() {
    let mut fixture = Fixture::orthographic();
    // Offset by half a pixel, so that its edges lie at pixel centres.
    fixture.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let square: BTreeSet<(u32, u32)> =
        (24..=40).flat_map(|at| [(24, at), (40, at), (at, 24), (at, 40)]).collect();
    let mut colors = BTreeSet::new();
    for overlay in [Overlay::Boxes, Overlay::Bvh] {
        let picture = fixture.draw(&[overlay]);
        assert_eq!(changed(&picture), square, "{overlay}");
        let of_lines = square.iter().map(|&(x, y)| picture.pixels[(y * 64 + x) as usize]);
        let of_lines: BTreeSet<[u8; 4]> = of_lines.collect();
        assert_eq!(of_lines.len(), 1, "{overlay}: every pixel is fully covered");
        colors.extend(of_lines);
    }
    assert_eq!(colors.len(), 2);

    // In the wireframe each side has a diagonal, too.
    let wireframe = changed(&fixture.draw(&[Overlay::Wireframe]));
    assert!(square.is_subset(&wireframe) && wireframe.len() > square.len());
    let mut inside = wireframe.difference(&square);
    assert!(inside.all(|&(x, y)| {
        let (x, y) = (x as i32 - 32, y as i32 - 32);
        (x - y).abs().min((x + y).abs()) <= 1
    }));
}

#[test]
fn lines_between_two_pixels_cover_half_of_each() {
    let mut fixture = Fixture::orthographic();
    fixture.add_cube(Transform::IDENTITY);
    let picture = fixture.draw(&[Overlay::Boxes]);
    let at = |x: usize, y: usize| picture.pixels[y * 64 + x];
    assert_eq!(at(23, 32), at(24, 32));
    assert_eq!([at(22, 32), at(25, 32)], [GROUND; 2]);
    // The colour of a covered pixel, blended with the background.
    fixture.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let full = fixture.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    for channel in 0..3 {
        let mean = (f32::from(full[channel]) + f32::from(GROUND[channel])) / 2.0;
        assert!((f32::from(at(23, 32)[channel]) - mean).abs() <= 1.0, "{full:?} {:?}", at(23, 32));
    }
}

#[test]
fn lines_are_thicker_in_large_pictures() {
    let mut fixture = Fixture::orthographic();
    fixture.add_cube(Transform::IDENTITY);
    // Returns how many pixels of a column the upper and lower edges of the box cover.
    let mut covered = |height: u32| {
        let view = fixture.view(8, height);
        let mut picture = Picture::new(8, height, [0, 0, 0, 255]);
        draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Boxes]);
        let column = picture.pixels.iter().skip(4).step_by(8);
        let sum: u32 = column.map(|pixel| u32::from(pixel[0])).sum();
        sum / 255
    };
    assert_eq!([720, 1440, 1442, 2880, 2884].map(&mut covered), [2, 2, 4, 4, 6]);
}

#[test]
fn edges_are_drawn_exactly_where_a_ray_reaches_them() {
    for camera in [Camera::default(), Camera::orthographic(4.0)] {
        let mut fixture = Fixture::with_camera(camera, Vec3::new(0.0, -4.0, 0.0));
        let rotated = Quat::from_euler(EulerRot::XYZ, 0.5, 0.3, 0.7);
        fixture.add_cube(Transform::from_rotation(rotated));
        fixture.add_cube(Transform::from_xyz(0.9, 1.4, 0.6).with_rotation(rotated.inverse()));
        let (view, mut picture) = fixture.trace(160, 120);
        draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Wireframe]);
        let drawn = changed(&picture);

        let (mut seen, mut hidden) = (BTreeSet::new(), 0);
        for (from, to) in edges(&fixture.scene) {
            for step in 0..=600 {
                let point = from.lerp(to, step as f32 / 600.0);
                let pixel = view.project_to_pixel(point).unwrap();
                let ray = view.ray_through_pixel(pixel).unwrap();
                let distance = (point - ray.origin()).length();
                let hit = fixture.scene.pick(&ray, &Filter::default());
                let front = hit.map_or(f32::INFINITY, |hit| hit.distance);
                if distance <= front + 1e-4 {
                    seen.insert((pixel.x as u32, pixel.y as u32));
                } else if distance > front + 0.1 {
                    hidden += 1;
                }
            }
        }
        assert!(hidden > 1000, "{hidden}");
        let near = |(x, y): (u32, u32), among: &BTreeSet<(u32, u32)>| {
            (x - 1..=x + 1).any(|x| (y - 1..=y + 1).any(|y| among.contains(&(x, y))))
        };
        for &pixel in &drawn {
            assert!(near(pixel, &seen), "{pixel:?} is drawn, but no edge is visible there");
        }
        let missing = seen.difference(&drawn).count();
        // At silhouettes, samples and pixels may disagree.
        assert!(missing * 50 < seen.len(), "{missing} of {} pixels are missing", seen.len());
    }
}

/// Returns the edges of all meshes in world space.
fn edges(scene: &Scene) -> Vec<(Vec3, Vec3)> {
    let mut edges = Vec::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let world = scene.graph.node(node).unwrap().world();
        let geometry = &mesh.parts[0].geometry;
        let at = |vertex: u32| world.transform_point3(geometry.get().positions[vertex as usize]);
        for [a, b, c] in geometry.get().triangles() {
            edges.extend([(at(a), at(b)), (at(b), at(c)), (at(c), at(a))]);
        }
    }
    edges
}

#[test]
fn boxes_are_faint_where_occluded() {
    let mut fixture = Fixture::orthographic();
    fixture.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let open = fixture.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    let wall = Transform::from_xyz(0.0, -3.0, 0.0).with_scale(Vec3::new(3.5, 1.0, 3.5));
    let wall = fixture.add_cube(wall);
    let (view, mut picture) = fixture.trace(64, 64);
    fixture.scene.remove(wall).unwrap();
    fixture.scene.update().unwrap();
    draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Boxes]);
    let behind = picture.pixels[32 * 64 + 40];
    let brightness = |pixel: [u8; 4]| u32::from(pixel[0]) + u32::from(pixel[1]);
    assert!((brightness(GROUND) + 20..brightness(open) - 20).contains(&brightness(behind)));
}

#[test]
fn occlusion_works_for_rays_that_start_on_the_near_plane() {
    let shifted = Mat4::from_cols_array_2d(&[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.002, -1.0],
        [0.0, 0.0, 2.0, 3.0],
    ]);
    let camera = Camera::custom(shifted, ClipSpace::ZeroToOne);
    let mut fixture = Fixture::with_camera(camera, Vec3::new(0.0, -6.0, 0.0));
    fixture.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(4.0)));
    let (view, before) = fixture.trace(64, 64);
    let ray = view.ray_through_pixel(Vec2::splat(32.0)).unwrap();
    assert!((ray.origin() - view.position).length() > 0.5, "{}", ray.origin());
    let mut picture = before.clone();
    draw_overlays(&mut picture, &fixture.scene, &view, &[Overlay::Wireframe]);
    let drawn = changed(&picture);
    let met = before.distances.iter().filter(|distance| distance.is_finite()).count();
    assert!(met > 300 && drawn.len() > 40, "{} of {met}", drawn.len());
    // The front is visible with its diagonal; the edges of the back, which appear smaller, are not.
    let back = view.project_to_pixel(Vec3::new(2.0, 2.0, 0.0)).unwrap();
    let front = view.project_to_pixel(Vec3::new(2.0, -2.0, 0.0)).unwrap();
    assert!(front.x > back.x + 3.0);
    let drawn_at = |x: f32, y: u32| drawn.contains(&(x as u32, y));
    let rows = 28..30;
    assert!(rows.clone().all(|y| drawn_at(front.x, y)), "{front} {drawn:?}");
    assert!(rows.clone().all(|y| !drawn_at(back.x, y)), "{back} {drawn:?}");
}
