//! `visible_meshes`: update, view and cull in one call; meshes only, in slot or depth-first order.

use pleach::glam::Vec3;
use pleach::{Aabb, Camera, Mesh, Node, NodeId, Scene, Visible};
use testkit::Rng;

use crate::common::character::{Character, CharacterOptions};
use crate::common::{cube, material};

#[test]
fn m98_visible_meshes_lists_meshes_only_in_either_order() {
    let mut random = Rng::from_env(98);
    let seed = random.state();
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 0.5), material(&scene.assets));
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    let mesh = Mesh::new(cube.clone(), material.clone());
    scene.insert(scene.root(), mesh).unwrap();
    let mut nodes: Vec<NodeId> = vec![scene.root()];
    for number in 0..200 {
        let parent = random.pick(&nodes);
        let node = if random.one_in(3) { Node::group() } else { Node::mesh(&cube, &material) };
        let node = scene.spawn(node.under(parent).at(random.vec3(3.0))).unwrap();
        // Bounds of other nodes than meshes.
        if number % 7 == 0 {
            scene.set_bounds(node, Some(Aabb::new(Vec3::ZERO, Vec3::ONE))).unwrap();
        } else if number % 11 == 0 && scene.mesh(node).is_none() {
            let bounds = Aabb::new(Vec3::ZERO, Vec3::ONE);
            scene.spatial.set_bounds(&scene.graph, node, bounds).unwrap();
        }
        if random.one_in(9) {
            scene.node_mut(node).unwrap().set_visible(false);
        }
        nodes.push(node);
    }
    let character = Character::spawn(&mut scene, &mut random, CharacterOptions::default());
    let mut visible = Visible::new();
    for round in 0..10 {
        // Slots and siblings in another order.
        let (node, parent) = (random.pick(&nodes[1..]), random.pick(&nodes));
        _ = scene.graph.attach(node, parent);
        let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
        let is_expected = |node: NodeId| {
            scene.mesh(node).is_some()
                && scene.node(node).unwrap().is_shown()
                && scene.spatial.world_bounds(node).is_some_and(|it| view.frustum.intersects(&it))
        };
        let depth_first: Vec<NodeId> =
            scene.graph.depth_first().filter(|&node| is_expected(node)).collect();
        let mut by_slot = depth_first.clone();
        by_slot.sort_unstable_by_key(|node| node.index());
        assert_eq!(visible.nodes(), by_slot, "seed {seed}, round {round}");
        assert_eq!(scene.depth_first(&visible).collect::<Vec<_>>(), depth_first, "seed {seed}");
        assert!(visible.contains(character.node) && by_slot.len() > 20);
    }
}

#[test]
fn root_with_a_mesh_is_listed_once_in_depth_first_order() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let root = scene.root();
    scene.insert(root, Mesh::new(cube, material)).unwrap();
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert!(scene.depth_first(&visible).eq([root]));
}
