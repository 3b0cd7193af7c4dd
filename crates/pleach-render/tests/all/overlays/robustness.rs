//! Overlays accept any scene, any picture size and any number of threads.

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Camera, ClipSpace, Geometry, Mesh, Node, Transform};
use pleach_render::{Overlay, Picture, draw_overlays, with_threads};

use super::fixture::{Fixture, GROUND, add_skinned, unchanged};

#[test]
fn nothing_is_drawn_when_nothing_is_in_view() {
    for (mut fixture, away) in [
        (Fixture::orthographic(), Vec3::new(0.0, 30.0, 0.0)),
        (Fixture::perspective(), Vec3::new(0.0, 30.0, 0.0)),
        (Fixture::orthographic(), Vec3::new(50.0, 0.0, 0.0)),
    ] {
        add_skinned(&mut fixture);
        fixture.add_cube(Transform::IDENTITY);
        assert_ne!(fixture.draw(&Overlay::ALL), unchanged());
        let mut camera = fixture.scene.graph.node_mut(fixture.camera).unwrap();
        let at = camera.as_node_ref().translation();
        camera.set_translation(at + away).unwrap();
        assert_eq!(fixture.draw(&Overlay::ALL), unchanged());
    }
    let mut empty = Fixture::orthographic();
    let overlays = Overlay::ALL.into_iter().filter(|overlay| *overlay != Overlay::Axes);
    assert_eq!(empty.draw(&overlays.collect::<Vec<_>>()), unchanged());
    let mut something = Fixture::orthographic();
    something.add_cube(Transform::IDENTITY);
    assert_eq!(something.draw(&[]), unchanged());
}

#[test]
fn distances_and_nodes_are_unchanged_in_pictures_of_any_size() {
    for (width, height) in [(1, 1), (1, 40), (40, 1), (7, 3), (64, 64), (300, 2)] {
        let mut fixture = Fixture::perspective();
        add_skinned(&mut fixture);
        fixture.add_cube(Transform::from_xyz(0.3, 0.0, 0.2));
        let (view, before) = fixture.trace(width, height);
        let mut after = before.clone();
        draw_overlays(&mut after, &fixture.scene, &view, &Overlay::ALL);
        assert_ne!(after.pixels, before.pixels);
        assert_eq!(after.pixels.len(), (width * height) as usize);
        assert_eq!((after.distances, after.nodes), (before.distances, before.nodes));
    }
    let mut fixture = Fixture::perspective();
    fixture.add_cube(Transform::IDENTITY);
    let view = fixture.view(64, 64);
    let broken = |change: fn(&mut Picture)| {
        let mut picture = unchanged();
        change(&mut picture);
        picture
    };
    for broken in [
        Picture::new(0, 0, GROUND),
        Picture::new(0, 9, GROUND),
        broken(|picture| picture.width = 65),
        broken(|picture| picture.distances.clear()),
        broken(|picture| picture.nodes.clear()),
    ] {
        let mut picture = broken.clone();
        draw_overlays(&mut picture, &fixture.scene, &view, &Overlay::ALL);
        assert_eq!(picture, broken);
    }
}

#[test]
fn overlays_do_not_depend_on_the_number_of_threads() {
    let mut fixture = Fixture::perspective();
    add_skinned(&mut fixture);
    for index in 0..300 {
        let at = Vec3::new((index % 17) as f32, (index % 23) as f32, (index % 7) as f32) * 0.4;
        let rotation = Quat::from_rotation_z(index as f32);
        fixture.add_cube(Transform::from_translation(at - 2.0).with_rotation(rotation));
    }
    let (view, before) = fixture.trace(64, 64);
    let draw = |threads: usize| {
        let mut picture = before.clone();
        with_threads(Some(threads), || {
            draw_overlays(&mut picture, &fixture.scene, &view, &Overlay::ALL);
        });
        picture
    };
    let alone = draw(1);
    assert_ne!(alone, before);
    for threads in [2, 3, 8] {
        assert!(draw(threads) == alone, "{threads} threads");
    }
}

#[test]
fn invalid_scenes_are_handled() {
    let mut fixture = Fixture::perspective();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::splat(f32::NAN), Vec3::splat(3e38)];
    let broken = Geometry::from_triangles(corners, vec![0, 1, 2, 0, 1, 3, 0, 1, 4_000_000_000]);
    fixture.add(broken.with_normals(vec![Vec3::NAN, Vec3::ZERO]), Transform::IDENTITY);
    fixture.add(Geometry::default(), Transform::IDENTITY);
    for scale in [0.0, 1e-30, 1e19, 1e30] {
        fixture.add_cube(Transform::IDENTITY.with_scale(Vec3::splat(scale)));
        fixture.add_cube(Transform::from_xyz(scale, scale, -scale));
    }
    let node = fixture.scene.spawn(Node::group().named("\u{1b}[2J\n木\u{0}")).unwrap();
    fixture.scene.meshes.insert(&fixture.scene.graph, node, Mesh::from_parts(Vec::new())).unwrap();
    let node = fixture.add_cube(Transform::IDENTITY);
    fixture.scene.node_mut(node).unwrap().set_name(&"x".repeat(100_000));
    fixture.scene.set_weights(node, vec![f32::NAN, f32::INFINITY]).unwrap();
    add_skinned(&mut fixture);

    let odd = Mat4::from_cols_array_2d(&[
        [1.0, 0.1, 0.0, 0.0],
        [0.0, 1.0, 0.2, 0.1],
        [0.0, 0.0, -1.0, -1.0],
        [0.3, 0.0, -0.2, 0.5],
    ]);
    let cameras = [
        Camera::default(),
        Camera::default().with_near(1e-30).with_far(f32::INFINITY),
        Camera::default().with_clip_space(ClipSpace::ZeroToOneReversed),
        Camera::orthographic(1e30).with_near(-1e30).with_far(1e30),
        Camera::orthographic(1e-6),
        Camera::custom(odd, ClipSpace::ZeroToOne),
    ];
    let mut views = 0;
    for camera in cameras {
        *fixture.scene.camera_mut(fixture.camera).unwrap() = camera;
        // Inside the cubes, and outside.
        for at in [Vec3::ZERO, Vec3::new(0.0, -5.0, 0.0), Vec3::splat(1e20)] {
            fixture.scene.node_mut(fixture.camera).unwrap().set_translation(at).unwrap();
            fixture.scene.update().unwrap();
            let Ok(view) = fixture.scene.view(fixture.camera, (64, 64)) else { continue };
            views += 1;
            let mut picture = unchanged();
            picture.distances.fill(f32::NAN);
            draw_overlays(&mut picture, &fixture.scene, &view, &Overlay::ALL);
            assert!(picture.pixels.iter().all(|pixel| pixel[3] == 255));
        }
    }
    assert!(views >= 10, "{views}");
}
