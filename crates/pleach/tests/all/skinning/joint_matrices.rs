//! JointMatrices: the pose of the same update, computed for skeletons that moved and no others; and
//! what hangs on a bone.

use crate::common::RandomValues;
use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Filter, NodeId, Ray, Scene, SceneUpdateStats};
use testkit::Rng;

use super::reference::assert_palette;
use crate::common::character::{Build, Figure, arm};
use crate::common::skinning::own_palette;
use crate::common::{nearly, spawn_cube, world};

#[test]
fn palettes_are_world_times_inverse_bind_in_every_pose() {
    for seed in 0..12 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let build = Build { bones: 1 + seed as usize * 3, ..Build::default() };
        let figures: Vec<Figure> =
            (0..3).map(|_| Figure::spawn(&mut scene, &mut random, build)).collect();
        for _ in 0..6 {
            for figure in &figures {
                figure.pose(&mut scene, &mut random);
            }
            scene.update().unwrap();
            for figure in &figures {
                assert_palette(&scene, figure.node);
            }
        }
    }
}

#[test]
fn a_bind_matrix_comes_before_the_inverse_binds() {
    let mut random = Rng::new(1);
    let mut scene = Scene::new();
    let build = Build { bind_matrix: true, ..Build::default() };
    let figure = Figure::spawn(&mut scene, &mut random, build);
    figure.pose(&mut scene, &mut random);
    scene.update().unwrap();
    assert_palette(&scene, figure.node);

    // three.js's shader in attached mode, where the bind matrix is undone by the inverse of the
    // mesh's world, and the mesh's world then comes on top.
    let skin = scene.skin(figure.node).unwrap();
    let mesh = world(&scene, figure.node);
    for (joint, matrix) in own_palette(&scene, figure.node).into_iter().enumerate() {
        let bone = world(&scene, skin.joints[joint]);
        let vertex = DVec3::new(0.3, -0.7, 1.1);
        let bound = skin.bind_matrix.as_dmat4().transform_point3(vertex);
        let skinned = (bone * skin.inverse_bind_matrices[joint].as_dmat4()).transform_point3(bound);
        let in_three = mesh.transform_point3(mesh.inverse().transform_point3(skinned));
        assert!(matrix.transform_point3(vertex).abs_diff_eq(in_three, 1e-3));
    }
}

#[test]
fn the_runs_of_all_skins_lie_one_after_the_other() {
    let mut random = Rng::new(2);
    let mut scene = Scene::new();
    let mut figures: Vec<Figure> = (1..6)
        .map(|bones| Figure::spawn(&mut scene, &mut random, Build { bones, ..Build::default() }))
        .collect();
    scene.update().unwrap();
    figures.sort_by_key(|figure| figure.node.index());
    let mut next = 0;
    for figure in &figures {
        let range = scene.joint_matrices().range(figure.node).unwrap();
        assert_eq!(range, next..next + figure.bones.len());
        next = range.end;
    }
    assert_eq!(scene.joint_matrices().matrices().len(), next);

    // One leaves: the others close up, and have their matrices still.
    scene.remove(figures[2].top).unwrap();
    let gone = figures.remove(2);
    scene.update().unwrap();
    assert_eq!(scene.joint_matrices().get(gone.node), None);
    assert_eq!(scene.joint_matrices().matrices().len(), next - gone.bones.len());
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

fn changed(scene: &Scene) -> Vec<NodeId> {
    scene.joint_matrices().changed().map(|(node, _)| node).collect()
}

#[test]
fn only_skeletons_that_moved_are_computed() {
    let mut random = Rng::new(3);
    let mut scene = Scene::new();
    let figures: Vec<Figure> =
        (0..8).map(|_| Figure::spawn(&mut scene, &mut random, Build::default())).collect();
    let update = scene.update().unwrap();
    assert_eq!(update.skins, 8);
    let update = scene.update().unwrap();
    assert_eq!(update, SceneUpdateStats::default(), "nothing moved");
    assert_eq!(changed(&scene), []);

    for &number in &[5, 2] {
        let mut bone = scene.graph.node_mut(figures[number].bones[0]).unwrap();
        bone.set_rotation(Quat::from_rotation_x(0.4)).unwrap();
    }
    let update = scene.update().unwrap();
    assert_eq!((update.skins, update.bounds), (2, 2));
    let mut moved = [figures[5].node, figures[2].node];
    moved.sort_by_key(|node| node.index());
    assert_eq!(changed(&scene), moved, "each once, in the order of slots");
    for (node, range) in scene.joint_matrices().changed() {
        assert_eq!(Some(range), scene.joint_matrices().range(node));
    }
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

#[test]
fn moving_a_skinned_node_itself_computes_no_palette_and_leaves_its_bounds() {
    let mut random = Rng::new(4);
    let mut scene = Scene::new();
    let figure = Figure::spawn(&mut scene, &mut random, Build::default());
    scene.update().unwrap();
    let before = scene.spatial.world_bounds(figure.node).unwrap();
    scene.graph.node_mut(figure.node).unwrap().set_translation(Vec3::splat(1000.0)).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.changed, update.skins, update.bounds), (1, 0, 0));
    assert_eq!(scene.spatial.world_bounds(figure.node), Some(before));
}

#[test]
fn removing_what_no_skin_needs_computes_no_palette() {
    let mut random = Rng::new(5);
    let mut scene = Scene::new();
    let figures: Vec<Figure> =
        (0..4).map(|_| Figure::spawn(&mut scene, &mut random, Build::default())).collect();
    let bullet = spawn_cube(&mut scene, Vec3::X);
    scene.update().unwrap();
    scene.remove(bullet).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.skins, update.removed), (0, 1));
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

// ---- attachment ----

#[test]
fn a_sword_in_a_hand_follows_it_in_the_same_frame() {
    let mut random = Rng::new(6);
    let mut scene = Scene::new();
    let figure = Figure::spawn(&mut scene, &mut random, Build::default());
    let hand = *figure.bones.last().unwrap();
    let sword = spawn_cube(&mut scene, Vec3::ZERO);
    let grip = random.transform(0.5);
    scene.graph.node_mut(sword).unwrap().set_transform(grip).unwrap();
    scene.graph.attach(sword, hand).unwrap();
    for _ in 0..20 {
        figure.pose(&mut scene, &mut random);
        scene.update().unwrap();
        let worlds = scene.graph.world_matrices();
        let expected = world(&scene, hand) * grip.to_matrix().as_dmat4();
        assert!(nearly(&worlds[sword.index()], &expected, 1e-5));
        assert_palette(&scene, figure.node);
        let bounds = scene.spatial.world_bounds(sword).unwrap();
        assert!(bounds.contains_point(worlds[sword.index()].w_axis.truncate()));
    }
}

#[test]
fn one_step_poses_palette_bounds_sword_and_picture_at_once() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 4);
    let sword = spawn_cube(&mut scene, Vec3::Z);
    scene.graph.attach(sword, arm.bones[3]).unwrap();
    scene.update().unwrap();

    // As a clip does: a bone's local transform, then one update.
    let bend = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    scene.graph.node_mut(arm.bones[0]).unwrap().set_rotation(bend).unwrap();
    scene.update().unwrap();
    assert_palette(&scene, arm.node);
    let sword_at = scene.graph.node(sword).unwrap().world_translation();
    assert!(sword_at.abs_diff_eq(Vec3::new(4.0, 0.0, 0.0), 1e-5), "{sword_at}");
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    assert!(bounds.min.abs_diff_eq(Vec3::new(0.0, 0.0, -0.25), 1e-3), "{bounds:?}");
    assert!(bounds.max.abs_diff_eq(Vec3::new(4.0, 0.0, 0.25), 1e-3), "{bounds:?}");
    let down = Ray::new(Vec3::new(2.5, 5.0, 0.1), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&down, &Filter::default()).unwrap().node, arm.node);
}
