//! Any scene, any size of a picture and any number of threads will do.

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Camera, ClipSpace, Geometry, Mesh, Node, Transform};
use pleach_render::{Overlay, Picture, draw_overlays};

use super::story::{GROUND, Story, add_skinned, unchanged};

#[test]
fn nothing_is_drawn_when_nothing_is_in_view() {
    for (mut story, away) in [
        (Story::in_parallel(), Vec3::new(0.0, 30.0, 0.0)),
        (Story::in_perspective(), Vec3::new(0.0, 30.0, 0.0)),
        (Story::in_parallel(), Vec3::new(50.0, 0.0, 0.0)),
    ] {
        add_skinned(&mut story);
        story.add_cube(Transform::IDENTITY);
        assert_ne!(story.draw(&Overlay::ALL), unchanged());
        let mut camera = story.scene.graph.node_mut(story.camera).unwrap();
        let at = camera.as_node_ref().translation();
        camera.set_translation(at + away).unwrap();
        assert_eq!(story.draw(&Overlay::ALL), unchanged());
    }
    let mut empty = Story::in_parallel();
    let overlays = Overlay::ALL.into_iter().filter(|overlay| *overlay != Overlay::Axes);
    assert_eq!(empty.draw(&overlays.collect::<Vec<_>>()), unchanged());
    let mut something = Story::in_parallel();
    something.add_cube(Transform::IDENTITY);
    assert_eq!(something.draw(&[]), unchanged());
}

#[test]
fn distances_and_nodes_stay_and_any_size_will_do() {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (7, 3), (64, 64), (300, 2)] {
        let mut story = Story::in_perspective();
        add_skinned(&mut story);
        story.add_cube(Transform::from_xyz(0.3, 0.0, 0.2));
        let (view, before) = story.look(width, height);
        let mut after = before.clone();
        draw_overlays(&mut after, &story.scene, &view, &Overlay::ALL);
        assert_ne!(after.pixels, before.pixels);
        assert_eq!(after.pixels.len(), (width * height) as usize);
        assert_eq!((after.distances, after.nodes), (before.distances, before.nodes));
    }
    let mut story = Story::in_perspective();
    story.add_cube(Transform::IDENTITY);
    let view = story.view(64, 64);
    for broken in [
        Picture::new(0, 0, GROUND),
        Picture::new(0, 9, GROUND),
        Picture { width: 65, ..unchanged() },
        Picture { distances: Vec::new(), ..unchanged() },
        Picture { nodes: Vec::new(), ..unchanged() },
    ] {
        let mut picture = broken.clone();
        draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL);
        assert_eq!(picture, broken);
    }
}

#[test]
fn threads_do_not_matter() {
    let mut story = Story::in_perspective();
    add_skinned(&mut story);
    for place in 0..300 {
        let at = Vec3::new((place % 17) as f32, (place % 23) as f32, (place % 7) as f32) * 0.4;
        let turn = Quat::from_rotation_z(place as f32);
        story.add_cube(Transform::from_translation(at - 2.0).with_rotation(turn));
    }
    let (view, before) = story.look(64, 64);
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut picture = before.clone();
        pool.install(|| draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL));
        picture
    };
    let alone = draw(1);
    assert_ne!(alone, before);
    for threads in [2, 3, 8] {
        assert!(draw(threads) == alone, "{threads} threads");
    }
}

#[test]
fn hostile_scenes_are_borne() {
    let mut story = Story::in_perspective();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::splat(f32::NAN), Vec3::splat(3e38)];
    let broken = Geometry::from_triangles(corners, vec![0, 1, 2, 0, 1, 3, 0, 1, 4_000_000_000]);
    story.add(broken.with_normals(vec![Vec3::NAN, Vec3::ZERO]), Transform::IDENTITY);
    story.add(Geometry::default(), Transform::IDENTITY);
    for scale in [0.0, 1e-30, 1e19, 1e30] {
        story.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(scale)));
        story.add_cube(Transform::from_xyz(scale, scale, -scale));
    }
    let node = story.scene.spawn(Node::group().named("\u{1b}[2J\n木\u{0}")).unwrap();
    story.scene.meshes.insert(&story.scene.graph, node, Mesh::from_parts(Vec::new())).unwrap();
    let node = story.add_cube(Transform::IDENTITY);
    story.scene.node_mut(node).unwrap().set_name(&"x".repeat(100_000));
    story.scene.set_weights(node, vec![f32::NAN, f32::INFINITY]).unwrap();
    add_skinned(&mut story);

    let odd = Mat4::from_cols_array_2d(&[
        [1.0, 0.1, 0.0, 0.0],
        [0.0, 1.0, 0.2, 0.1],
        [0.0, 0.0, -1.0, -1.0],
        [0.3, 0.0, -0.2, 0.5],
    ]);
    let cameras = [
        Camera::default(),
        Camera::default().with_depth_range(1e-30, f32::INFINITY),
        Camera::default().with_clip_space(ClipSpace::ZeroToOneReversed),
        Camera::orthographic(1e30).with_depth_range(-1e30, 1e30),
        Camera::orthographic(1e-6),
        Camera::custom(odd, ClipSpace::ZeroToOne),
    ];
    let mut views = 0;
    for camera in cameras {
        *story.scene.camera_mut(story.camera).unwrap() = camera;
        // Within the cubes, and outside.
        for at in [Vec3::ZERO, Vec3::new(0.0, -5.0, 0.0), Vec3::splat(1e20)] {
            story.scene.node_mut(story.camera).unwrap().set_translation(at).unwrap();
            story.scene.update().unwrap();
            let Ok(view) = story.scene.view(story.camera, (64, 64)) else { continue };
            views += 1;
            let mut picture = unchanged();
            picture.distances.fill(f32::NAN);
            draw_overlays(&mut picture, &story.scene, &view, &Overlay::ALL);
            assert!(picture.pixels.iter().all(|pixel| pixel[3] == 255));
        }
    }
    assert!(views >= 10, "{views}");
}
