//! Lines: at the pixels of their edges, hidden where a ray does not reach them.

use std::collections::BTreeSet;

use pleach::glam::{EulerRot, Mat4, Quat, Vec2, Vec3};
use pleach::{Camera, ClipSpace, Filter, Scene, Transform};
use pleach_render::{Overlay, Picture, draw_overlays};

use super::story::{GROUND, Story, changed};

#[test]
fn a_unit_box_seen_in_parallel_has_its_edges_at_their_pixels() {
    let mut story = Story::in_parallel();
    // Half a pixel aside, so that its edges lie in the middle of pixels.
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let square: BTreeSet<(u32, u32)> =
        (24..=40).flat_map(|place| [(24, place), (40, place), (place, 24), (place, 40)]).collect();
    let mut colors = BTreeSet::new();
    for overlay in [Overlay::Boxes, Overlay::Bvh] {
        let picture = story.draw(&[overlay]);
        assert_eq!(changed(&picture), square, "{overlay}");
        let of_lines = square.iter().map(|&(x, y)| picture.pixels[(y * 64 + x) as usize]);
        let of_lines: BTreeSet<[u8; 4]> = of_lines.collect();
        assert_eq!(of_lines.len(), 1, "{overlay}: every pixel is covered wholly");
        colors.extend(of_lines);
    }
    assert_eq!(colors.len(), 2);

    // Each side of the wireframe has a diagonal, too.
    let wireframe = changed(&story.draw(&[Overlay::Wireframe]));
    assert!(square.is_subset(&wireframe) && wireframe.len() > square.len());
    let mut inside = wireframe.difference(&square);
    assert!(inside.all(|&(x, y)| {
        let (x, y) = (x as i32 - 32, y as i32 - 32);
        (x - y).abs().min((x + y).abs()) <= 1
    }));
}

#[test]
fn lines_between_pixels_cover_both_by_half() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::IDENTITY);
    let picture = story.draw(&[Overlay::Boxes]);
    let at = |x: usize, y: usize| picture.pixels[y * 64 + x];
    assert_eq!(at(23, 32), at(24, 32));
    assert_eq!([at(22, 32), at(25, 32)], [GROUND; 2]);
    // The colour is that of a covered pixel, mixed with the ground.
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let full = story.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    for channel in 0..3 {
        let mean = (f32::from(full[channel]) + f32::from(GROUND[channel])) / 2.0;
        assert!((f32::from(at(23, 32)[channel]) - mean).abs() <= 1.0, "{full:?} {:?}", at(23, 32));
    }
}

#[test]
fn lines_are_thicker_in_large_pictures() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::IDENTITY);
    // How much of a column the upper and the lower edge of the box cover, in pixels.
    let mut covered = |height: u32| {
        let view = story.view(8, height);
        let mut picture = Picture::new(8, height, [0, 0, 0, 255]);
        draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Boxes]);
        let column = picture.pixels.iter().skip(4).step_by(8);
        let sum: u32 = column.map(|pixel| u32::from(pixel[0])).sum();
        sum / 255
    };
    assert_eq!([720, 1440, 1442, 2880, 2884].map(&mut covered), [2, 2, 4, 4, 6]);
}

#[test]
fn edges_are_drawn_where_a_ray_reaches_them_and_nowhere_else() {
    for camera in [Camera::default(), Camera::orthographic(4.0)] {
        let mut story = Story::seen_by(camera, Vec3::new(0.0, -4.0, 0.0));
        let turned = Quat::from_euler(EulerRot::XYZ, 0.5, 0.3, 0.7);
        story.add_cube(Transform::from_rotation(turned));
        story.add_cube(Transform::from_xyz(0.9, 1.4, 0.6).with_rotation(turned.inverse()));
        let (view, mut picture) = story.look(160, 120);
        draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Wireframe]);
        let drawn = changed(&picture);

        let (mut seen, mut hidden) = (BTreeSet::new(), 0);
        for (from, to) in edges(&story.scene) {
            for step in 0..=600 {
                let point = from.lerp(to, step as f32 / 600.0);
                let pixel = view.project_to_pixel(point).unwrap();
                let ray = view.ray_through_pixel(pixel).unwrap();
                let distance = (point - ray.origin()).length();
                let hit = story.scene.pick(&ray, &Filter::default());
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
            assert!(near(pixel, &seen), "{pixel:?} is drawn, but no edge is seen there");
        }
        let missing = seen.difference(&drawn).count();
        // Where an edge meets the outline of a thing, samples and pixels may disagree.
        assert!(missing * 50 < seen.len(), "{missing} of {} pixels are missing", seen.len());
    }
}

/// The edges of all meshes in the world.
fn edges(scene: &Scene) -> Vec<(Vec3, Vec3)> {
    let mut edges = Vec::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let world = scene.graph.node(node).unwrap().world();
        let geometry = &mesh.parts[0].geometry;
        let at = |vertex: u32| world.transform_point3(geometry.positions[vertex as usize]);
        for [a, b, c] in geometry.triangles() {
            edges.extend([(at(a), at(b)), (at(b), at(c)), (at(c), at(a))]);
        }
    }
    edges
}

#[test]
fn boxes_are_fainter_behind_things() {
    let mut story = Story::in_parallel();
    story.add_cube(Transform::from_xyz(1.0 / 32.0, 0.0, -1.0 / 32.0));
    let open = story.draw(&[Overlay::Boxes]).pixels[32 * 64 + 40];
    let wall = Transform::from_xyz(0.0, -3.0, 0.0).with_scale(Vec3::new(3.5, 1.0, 3.5));
    let wall = story.add_cube(wall);
    let (view, mut picture) = story.look(64, 64);
    story.scene.remove(wall).unwrap();
    story.scene.update().unwrap();
    draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Boxes]);
    let behind = picture.pixels[32 * 64 + 40];
    let brightness = |pixel: [u8; 4]| u32::from(pixel[0]) + u32::from(pixel[1]);
    assert!((brightness(GROUND) + 20..brightness(open) - 20).contains(&brightness(behind)));
}

#[test]
fn rays_that_do_not_begin_at_the_camera_hide_what_they_meet() {
    let shifted = Mat4::from_cols_array_2d(&[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.002, -1.0],
        [0.0, 0.0, 2.0, 3.0],
    ]);
    let camera = Camera::custom(shifted, ClipSpace::ZeroToOne);
    let mut story = Story::seen_by(camera, Vec3::new(0.0, -6.0, 0.0));
    story.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(4.0)));
    let (view, before) = story.look(64, 64);
    let ray = view.ray_through_pixel(Vec2::splat(32.0)).unwrap();
    assert!((ray.origin() - view.position).length() > 0.5, "{}", ray.origin());
    let mut picture = before.clone();
    draw_overlays(&mut picture, &story.scene, &view, &[Overlay::Wireframe]);
    let drawn = changed(&picture);
    let met = before.distances.iter().filter(|distance| distance.is_finite()).count();
    assert!(met > 300 && drawn.len() > 40, "{} of {met}", drawn.len());
    // The front is seen with its diagonal; no edge of the back is, which looks smaller.
    let back = view.project_to_pixel(Vec3::new(2.0, 2.0, 0.0)).unwrap();
    let front = view.project_to_pixel(Vec3::new(2.0, -2.0, 0.0)).unwrap();
    assert!(front.x > back.x + 3.0);
    let beside = |x: f32, y: u32| drawn.contains(&(x as u32, y));
    let rows = 28..30;
    assert!(rows.clone().all(|y| beside(front.x, y)), "{front} {drawn:?}");
    assert!(rows.clone().all(|y| !beside(back.x, y)), "{back} {drawn:?}");
}
