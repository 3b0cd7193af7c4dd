//! Meshes with equal skins share one set of joint matrices; detached skins follow their nodes.

use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{BindMode, Filter, Node, NodeId, Ray, Scene, Skin};
use testkit::Rng;

use crate::common::character::{Character, CharacterOptions, arm};

#[test]
fn one_set_of_joint_matrices_for_a_shared_skeleton() {
    let mut random = Rng::from_env(8);
    let seed = random.state();
    let mut scene = Scene::new();
    let options = CharacterOptions { bind_matrix: true, ..CharacterOptions::default() };
    let body = Character::spawn(&mut scene, &mut random, options);
    let (mesh, skin) =
        (scene.mesh(body.node).unwrap().clone(), scene.skin(body.node).unwrap().clone());
    let spawn = |scene: &mut Scene, skin: Skin| {
        scene.spawn(Node::group().with_mesh(mesh.clone()).skinned(skin)).unwrap()
    };
    // Equal contents in another allocation.
    let copied =
        Skin { inverse_bind_matrices: skin.inverse_bind_matrices.to_vec().into(), ..skin.clone() };
    let clothes: Vec<NodeId> = [skin.clone(), copied].map(|skin| spawn(&mut scene, skin)).to_vec();
    let other_bind = Skin { bind_matrix: random.invertible(1.0), ..skin.clone() };
    let fewer = Skin::new(skin.joints[1..].to_vec(), &skin.inverse_bind_matrices[1..]).unwrap();
    let mut reversed = skin.clone();
    reversed.joints.reverse();
    let others = [other_bind, fewer, reversed].map(|skin| spawn(&mut scene, skin));
    let joints = options.joints;
    for frame in 0..4 {
        body.pose(&mut scene, &mut random);
        let stats = scene.update().unwrap();
        let matrices = scene.joint_matrices();
        let range = matrices.range(body.node).unwrap();
        for &node in &clothes {
            assert_eq!(matrices.range(node), Some(range.clone()), "seed {seed}, frame {frame}");
        }
        let mut ranges: Vec<_> = others.map(|node| matrices.range(node).unwrap()).to_vec();
        ranges.push(range);
        ranges.sort_by_key(|range| range.start);
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?}");
        assert_eq!(matrices.matrices().len(), 4 * joints - 1);
        assert_eq!(stats.skins, 4);
        assert_eq!(matrices.changed().count(), 6, "each node is listed");
        assert_eq!(matrices.changed_ranges().collect::<Vec<_>>(), ranges, "each range once");
        // Each node has the matrices of its own skin.
        for node in clothes.iter().chain(&others).chain([&body.node]) {
            let skin = scene.skin(*node).unwrap();
            for (index, &joint) in skin.joints.iter().enumerate() {
                let world = scene.node(joint).unwrap().world();
                let expected = world.as_dmat4()
                    * skin.inverse_bind_matrices[index].as_dmat4()
                    * skin.bind_matrix.as_dmat4();
                let found = matrices.get(*node).unwrap()[index];
                assert!(crate::common::nearly_equal(&found, &expected, 1e-5), "{found}");
            }
        }
    }
    // A skin of its own again.
    scene.skins.get_mut(&scene.graph, clothes[0]).unwrap().bind_matrix = Mat4::IDENTITY;
    scene.update().unwrap();
    let matrices = scene.joint_matrices();
    assert_ne!(matrices.range(clothes[0]), matrices.range(body.node));
    assert_eq!(matrices.range(clothes[1]), matrices.range(body.node));
    // The first node of a set is removed: the others keep the set.
    scene.remove(body.node).unwrap();
    scene.node_mut(body.joints[0]).unwrap().set_translation(Vec3::X).unwrap();
    scene.update().unwrap();
    assert!(scene.joint_matrices().get(clothes[1]).is_some());
}

#[test]
fn detached_skins_follow_their_own_nodes() {
    let mut scene = Scene::new();
    let body = arm(&mut scene, 2);
    let mesh = scene.mesh(body.node).unwrap().clone();
    let bind = Mat4::from_translation(Vec3::Z * 0.5);
    let skin = Skin { bind_matrix: bind, ..scene.skin(body.node).unwrap().clone() };
    let skin = skin.with_bind_mode(BindMode::Detached);
    let places = [Vec3::X * 10.0, Vec3::X * 20.0];
    let nodes = places.map(|at| {
        scene.spawn(Node::group().with_mesh(mesh.clone()).skinned(skin.clone()).at(at)).unwrap()
    });
    for frame in 0..3 {
        let rotation = Quat::from_rotation_x(0.4 * frame as f32);
        scene.node_mut(body.joints[1]).unwrap().set_rotation(rotation).unwrap();
        // The second one moves without its joints.
        let moved = places[1] + Vec3::Y * frame as f32;
        scene.node_mut(nodes[1]).unwrap().set_translation(moved).unwrap();
        scene.update().unwrap();
        for (node, at) in nodes.into_iter().zip([places[0], moved]) {
            for (index, found) in scene.joint_matrices().get(node).unwrap().iter().enumerate() {
                let joint = scene.node(skin.joints[index]).unwrap().world().as_dmat4();
                let expected = Mat4::from_translation(at).as_dmat4()
                    * bind.as_dmat4().inverse()
                    * joint
                    * skin.inverse_bind_matrices[index].as_dmat4()
                    * bind.as_dmat4();
                assert!(crate::common::nearly_equal(found, &expected, 1e-5), "{found} {expected}");
            }
            let bounds = scene.spatial.world_bounds(node).unwrap();
            assert!((bounds.center().x - at.x).abs() < 0.1, "{bounds:?}");
            let ray = Ray::new(at + Vec3::new(0.1, -50.0, 0.6), Vec3::Y).unwrap();
            let hit = scene.pick(&ray, &Filter::default()).unwrap();
            assert_eq!(hit.node, node);
        }
        // A detached skin at rest where only its node moves is computed, too.
        scene.node_mut(nodes[0]).unwrap().set_translation(places[0]).unwrap();
        scene.update().unwrap();
        assert!(scene.joint_matrices().changed().all(|(node, _)| node == nodes[0]));
    }
}
