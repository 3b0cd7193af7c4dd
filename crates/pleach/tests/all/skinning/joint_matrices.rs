//! Joint matrices: the pose of the same update, computed only for skeletons that moved; and nodes
//! attached to joints.

use crate::common::RandomValues;
use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Filter, Node, NodeId, Ray, Scene, SceneUpdateStats, Skin};
use testkit::Rng;

use super::reference::assert_joint_matrices;
use crate::common::character::{Character, CharacterOptions, arm};
use crate::common::skinning::scene_joint_matrices;
use crate::common::{nearly_equal, spawn_cube, world};

#[test]
fn joint_matrices_are_world_times_inverse_bind_in_every_pose() {
    for seed in 0..12 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let options =
            CharacterOptions { joints: 1 + seed as usize * 3, ..CharacterOptions::default() };
        let characters: Vec<Character> =
            (0..3).map(|_| Character::spawn(&mut scene, &mut random, options)).collect();
        for _ in 0..6 {
            for character in &characters {
                character.pose(&mut scene, &mut random);
            }
            scene.update().unwrap();
            for character in &characters {
                assert_joint_matrices(&scene, character.node);
            }
        }
    }
}

#[test]
fn bind_matrix_is_applied_before_the_inverse_bind_matrices() {
    let mut random = Rng::new(1);
    let mut scene = Scene::new();
    let options = CharacterOptions { bind_matrix: true, ..CharacterOptions::default() };
    let character = Character::spawn(&mut scene, &mut random, options);
    character.pose(&mut scene, &mut random);
    scene.update().unwrap();
    assert_joint_matrices(&scene, character.node);

    // Like the shader of three.js in attached mode, which applies the inverse of the mesh's
    // world matrix after skinning, and then the world matrix.
    let skin = scene.skin(character.node).unwrap();
    let mesh = world(&scene, character.node);
    for (joint, matrix) in scene_joint_matrices(&scene, character.node).into_iter().enumerate() {
        let joint_world = world(&scene, skin.joints[joint]);
        let vertex = DVec3::new(0.3, -0.7, 1.1);
        let bound = skin.bind_matrix.as_dmat4().transform_point3(vertex);
        let skinned =
            (joint_world * skin.inverse_bind_matrices[joint].as_dmat4()).transform_point3(bound);
        let in_three = mesh.transform_point3(mesh.inverse().transform_point3(skinned));
        assert!(matrix.transform_point3(vertex).abs_diff_eq(in_three, 1e-3));
    }
}

#[test]
fn joint_matrices_of_all_skins_are_contiguous() {
    let mut random = Rng::new(2);
    let mut scene = Scene::new();
    let mut characters: Vec<Character> = (1..6)
        .map(|joints| {
            Character::spawn(
                &mut scene,
                &mut random,
                CharacterOptions { joints, ..CharacterOptions::default() },
            )
        })
        .collect();
    scene.update().unwrap();
    characters.sort_by_key(|character| character.node.index());
    let mut next = 0;
    for character in &characters {
        let range = scene.joint_matrices().range(character.node).unwrap();
        assert_eq!(range, next..next + character.joints.len());
        next = range.end;
    }
    assert_eq!(scene.joint_matrices().matrices().len(), next);

    // One is removed: the others move up and keep their matrices.
    scene.remove(characters[2].root).unwrap();
    let removed = characters.remove(2);
    scene.update().unwrap();
    assert_eq!(scene.joint_matrices().get(removed.node), None);
    assert_eq!(scene.joint_matrices().matrices().len(), next - removed.joints.len());
    characters.iter().for_each(|character| assert_joint_matrices(&scene, character.node));
}

fn changed(scene: &Scene) -> Vec<NodeId> {
    scene.joint_matrices().changed().map(|(node, _)| node).collect()
}

#[test]
fn only_moved_skeletons_are_recomputed() {
    let mut random = Rng::new(3);
    let mut scene = Scene::new();
    let characters: Vec<Character> = (0..8)
        .map(|_| Character::spawn(&mut scene, &mut random, CharacterOptions::default()))
        .collect();
    let update = scene.update().unwrap();
    assert_eq!(update.skins, 8);
    let update = scene.update().unwrap();
    assert_eq!(update, SceneUpdateStats::default(), "nothing moved");
    assert_eq!(changed(&scene), []);

    for &number in &[5, 2] {
        let mut joint = scene.graph.node_mut(characters[number].joints[0]).unwrap();
        joint.set_rotation(Quat::from_rotation_x(0.4)).unwrap();
    }
    let update = scene.update().unwrap();
    assert_eq!((update.skins, update.bounds), (2, 2));
    let mut moved = [characters[5].node, characters[2].node];
    moved.sort_by_key(|node| node.index());
    assert_eq!(changed(&scene), moved, "each once, in slot order");
    for (node, range) in scene.joint_matrices().changed() {
        assert_eq!(Some(range), scene.joint_matrices().range(node));
    }
    characters.iter().for_each(|character| assert_joint_matrices(&scene, character.node));
}

#[test]
fn each_moved_joint_recomputes_all_skins_that_use_it() {
    for seed in 0..20 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let mut spawn = || scene.spawn(Node::group()).unwrap();
        let joints: Vec<NodeId> = (0..30).map(|_| spawn()).collect();
        // Runs of joints, in order or not, with and without those of other skins.
        let mut skinned: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        for number in 0..8 {
            let start = if number < 3 { number * 8 } else { random.below(26) };
            let mut own = joints[start..start + 1 + random.below(4)].to_vec();
            if number % 2 == 1 {
                own.push(random.pick(&joints));
                own.reverse();
            }
            let skin = Skin::from_current_pose(&scene.graph, own.clone()).unwrap();
            skinned.push((scene.spawn(Node::group().skinned(skin)).unwrap(), own));
        }
        scene.update().unwrap();
        for _ in 0..30 {
            let moved: Vec<NodeId> = (0..random.below(4)).map(|_| random.pick(&joints)).collect();
            for &joint in &moved {
                let translation = Vec3::splat(random.between(-1.0, 1.0));
                scene.graph.node_mut(joint).unwrap().set_translation(translation).unwrap();
            }
            scene.update().unwrap();
            let uses_moved = |joints: &Vec<NodeId>| joints.iter().any(|it| moved.contains(it));
            let using = skinned.iter().filter(|(_, joints)| uses_moved(joints));
            let mut expected: Vec<NodeId> = using.map(|(node, _)| *node).collect();
            expected.sort_by_key(|node| node.index());
            assert_eq!(changed(&scene), expected, "seed {seed}");
            for (node, _) in &skinned {
                assert_joint_matrices(&scene, *node);
            }
        }
        // A removed joint lays the matrices out again, whichever skin it has.
        scene.remove(random.pick(&skinned[0].1)).unwrap();
        assert_eq!(scene.update().unwrap().skins, scene.joint_matrices().changed_ranges().len());
        assert_eq!(changed(&scene).len(), skinned.len());
    }
}

#[test]
fn moving_a_skinned_node_recomputes_neither_joint_matrices_nor_bounds() {
    let mut random = Rng::new(4);
    let mut scene = Scene::new();
    let character = Character::spawn(&mut scene, &mut random, CharacterOptions::default());
    scene.update().unwrap();
    let before = scene.spatial.world_bounds(character.node).unwrap();
    scene.graph.node_mut(character.node).unwrap().set_translation(Vec3::splat(1000.0)).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.changed, update.skins, update.bounds), (1, 0, 0));
    assert_eq!(scene.spatial.world_bounds(character.node), Some(before));
}

#[test]
fn removing_unrelated_nodes_recomputes_no_joint_matrices() {
    let mut random = Rng::new(5);
    let mut scene = Scene::new();
    let characters: Vec<Character> = (0..4)
        .map(|_| Character::spawn(&mut scene, &mut random, CharacterOptions::default()))
        .collect();
    let bullet = spawn_cube(&mut scene, Vec3::X);
    scene.update().unwrap();
    scene.remove(bullet).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.skins, update.removed), (0, 1));
    characters.iter().for_each(|character| assert_joint_matrices(&scene, character.node));
}

// ---- attachment ----

#[test]
fn child_of_a_joint_follows_in_the_same_frame() {
    let mut random = Rng::new(6);
    let mut scene = Scene::new();
    let character = Character::spawn(&mut scene, &mut random, CharacterOptions::default());
    let hand = *character.joints.last().unwrap();
    let sword = spawn_cube(&mut scene, Vec3::ZERO);
    let grip = random.transform(0.5);
    scene.graph.node_mut(sword).unwrap().set_transform(grip).unwrap();
    scene.graph.attach(sword, hand).unwrap();
    for _ in 0..20 {
        character.pose(&mut scene, &mut random);
        scene.update().unwrap();
        let worlds = scene.graph.world_matrices();
        let expected = world(&scene, hand) * grip.to_matrix().as_dmat4();
        assert!(nearly_equal(&worlds[sword.index()], &expected, 1e-5));
        assert_joint_matrices(&scene, character.node);
        let bounds = scene.spatial.world_bounds(sword).unwrap();
        assert!(bounds.contains_point(worlds[sword.index()].w_axis.truncate()));
    }
}

#[test]
fn one_update_covers_joint_matrices_bounds_attachments_and_views() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 4);
    let sword = spawn_cube(&mut scene, Vec3::Z);
    scene.graph.attach(sword, arm.joints[3]).unwrap();
    scene.update().unwrap();

    // Like an animation: the local transform of a joint changes, then one update.
    let bend = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    scene.graph.node_mut(arm.joints[0]).unwrap().set_rotation(bend).unwrap();
    scene.update().unwrap();
    assert_joint_matrices(&scene, arm.node);
    let sword_at = scene.graph.node(sword).unwrap().world_translation();
    assert!(sword_at.abs_diff_eq(Vec3::new(4.0, 0.0, 0.0), 1e-5), "{sword_at}");
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    assert!(bounds.min.abs_diff_eq(Vec3::new(0.0, 0.0, -0.25), 1e-3), "{bounds:?}");
    assert!(bounds.max.abs_diff_eq(Vec3::new(4.0, 0.0, 0.25), 1e-3), "{bounds:?}");
    let down = Ray::new(Vec3::new(2.5, 5.0, 0.1), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&down, &Filter::default()).unwrap().node, arm.node);
}
