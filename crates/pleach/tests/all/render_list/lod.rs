//! Levels of detail: each view draws the level for its screen size; rays and shadows use the finest.

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{
    Camera, ClipSpace, Filter, Level, Light, Lod, Node, NodeId, Ray, RenderList, Scene, Shadow,
    Transform, Visible,
};

use super::reference::assert_list;
use super::setup::{build_list, nodes};
use crate::common::{cube, material};

/// Spawns three levels of equal size at the origin, fine to coarse.
fn levels(scene: &mut Scene) -> (NodeId, Vec<NodeId>) {
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let group = scene.spawn(Node::group()).unwrap();
    let each = (0..3).map(|_| Node::mesh(&cube, &material));
    let nodes = scene.spawn_all(group, each).unwrap();
    let min_screen_size = [0.5, 0.1, 0.02];
    let levels = nodes
        .iter()
        .zip(min_screen_size)
        .map(|(&node, min_screen_size)| Level { node, min_screen_size });
    scene.lods.insert(&scene.graph, group, Lod { levels: levels.collect() }).unwrap();
    (group, nodes)
}

/// Spawns a camera at a distance from the origin, looking at it.
fn spawn_camera(scene: &mut Scene, distance: f32) -> NodeId {
    let transform = Transform::from_xyz(0.0, distance, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    let camera = Camera::default().with_near(0.1).with_far(1000.0);
    scene.spawn(Node::camera(camera).with_transform(transform)).unwrap()
}

#[test]
fn each_view_draws_the_level_for_its_screen_size() {
    let mut scene = Scene::new();
    let (group, levels) = levels(&mut scene);
    let cameras: Vec<NodeId> =
        [2.0, 6.0, 30.0, 300.0].map(|distance| spawn_camera(&mut scene, distance)).to_vec();
    let mut into = RenderList::new();
    // Two rounds: a view does not depend on the previous one.
    for _ in 0..2 {
        for (number, &camera) in cameras.iter().enumerate() {
            let view = build_list(&mut scene, camera, &mut into);
            let expected: Vec<NodeId> = levels.get(number).copied().into_iter().collect();
            assert_eq!(nodes(&into), expected, "camera {number}");
            assert_list(&scene, &view, &into);
            assert_eq!(scene.lod_level(&view, group), (number < 3).then_some(number));
            for &level in &levels {
                assert_eq!(scene.draws_level(&view, level), expected.contains(&level));
            }
        }
    }
    // The level changes with the distance.
    scene.graph.node_mut(scene.root()).unwrap().set_scale(Vec3::ONE).unwrap();
    for (number, expected) in [(0, 2), (0, 1), (0, 0)] {
        let camera = cameras[number];
        let distance = [2.0, 8.0, 40.0][expected];
        scene.graph.node_mut(camera).unwrap().set_translation(Vec3::Y * distance).unwrap();
        build_list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [levels[expected]], "at {distance}");
    }
}

#[test]
fn exactly_one_level_is_drawn_at_every_distance() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = spawn_camera(&mut scene, 1.0);
    let mut into = RenderList::new();
    let mut last = 0;
    for step in 0..200 {
        let distance = 1.1 * 1.03_f32.powi(step);
        scene.graph.node_mut(camera).unwrap().set_translation(Vec3::Y * distance).unwrap();
        let view = build_list(&mut scene, camera, &mut into);
        let bounds = scene.spatial.world_bounds(levels[0]).unwrap();
        let size = view.screen_size(bounds.center(), bounds.half_extents().length());
        let drawn: Vec<usize> = nodes(&into)
            .iter()
            .map(|node| levels.iter().position(|level| level == node).unwrap())
            .collect();
        match drawn[..] {
            [level] => {
                assert!(level >= last, "levels get coarser with distance");
                last = level;
            }
            [] => assert!(size < 0.02, "nothing drawn at {distance}, where its size is {size}"),
            _ => panic!("{drawn:?} at {distance}"),
        }
    }
    assert_eq!(last, 2);
}

#[test]
fn levels_can_be_changed_added_and_removed() {
    let mut scene = Scene::new();
    let (group, levels) = levels(&mut scene);
    let camera = spawn_camera(&mut scene, 6.0);
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]]);

    scene.lods.get_mut(&scene.graph, group).unwrap().levels[0].min_screen_size = 0.05;
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[0]]);

    scene.lods.remove(group);
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), levels, "ordinary nodes without a `Lod`");
}

#[test]
fn next_level_is_drawn_when_the_finest_is_removed() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = spawn_camera(&mut scene, 6.0);
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]]);
    scene.remove(levels[0]).unwrap();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]], "the second level is still drawn");
}

#[test]
fn rays_and_shadows_use_the_finest_level() {
    let mut scene = Scene::new();
    let (group, levels) = levels(&mut scene);
    // Coarse levels are often larger than fine ones.
    for (number, &level) in levels.iter().enumerate() {
        let scale = Vec3::splat(1.0 + number as f32);
        scene.graph.node_mut(level).unwrap().set_scale(scale).unwrap();
    }
    scene.update().unwrap();
    let ray = Ray::new(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y).unwrap();
    let light = Light::directional(Vec3::ONE, 1.0).with_shadow(Shadow::default());
    let map = light.shadow_view(&Mat4::IDENTITY, ClipSpace::ZeroToOne).unwrap().unwrap();
    let mut visible = Visible::new();
    for finest in [0, 1] {
        let mut hits = Vec::new();
        scene.pick_all(&ray, &Filter::default(), &mut hits);
        assert!(hits.len() == 2 && hits.iter().all(|hit| hit.node == levels[finest]), "{hits:?}");
        assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().node, levels[finest]);
        scene.shadow_casters(&map, &mut visible);
        assert_eq!(visible.nodes(), [levels[finest]]);
        scene.remove(levels[finest]).unwrap();
        scene.update().unwrap();
    }
    scene.lods.remove(group);
    scene.update().unwrap();
    assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().node, levels[2]);
}

#[test]
fn level_selection_uses_the_screen_size_of_the_view() {
    let lod = Lod {
        levels: [0.5, 0.25, 0.25, 0.0]
            .map(|min_screen_size| Level { node: Scene::new().root(), min_screen_size })
            .to_vec(),
    };
    assert_eq!(lod.level_for(f32::INFINITY), Some(0));
    assert_eq!(lod.level_for(0.5), Some(0), "the minimum is inclusive");
    assert_eq!(lod.level_for(0.4), Some(1));
    assert_eq!(lod.level_for(0.2), Some(3));
    assert_eq!(lod.level_for(0.0), Some(3));
    assert_eq!(lod.level_for(-1.0), None);
    assert_eq!(Lod::default().level_for(1.0), None);
}

#[test]
fn rotating_the_camera_does_not_change_levels() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = spawn_camera(&mut scene, 6.0);
    let mut into = RenderList::new();
    for degrees in -25..=25 {
        let rotation = Quat::from_rotation_z((degrees as f32).to_radians());
        let look = Transform::from_xyz(0.0, 6.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z).rotation;
        scene.graph.node_mut(camera).unwrap().set_rotation(rotation * look).unwrap();
        build_list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [levels[1]], "at {degrees}°");
    }
}
