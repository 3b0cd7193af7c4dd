//! Flat lists of what is in use, compared with a brute-force filter after random edits.

use pleach::glam::Vec3;
use pleach::{Camera, Light, Mesh, Node, NodeId, NodeLists, Scene, Skin};
use testkit::Rng;

use crate::common::{cube, material};

/// The nodes that have a component and are shown and attached, in slot order.
fn filtered(scene: &Scene, has: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let is_used = |&node: &NodeId| {
        scene.is_attached(node) && scene.node(node).unwrap().is_shown() && has(node)
    };
    let mut nodes: Vec<NodeId> = scene.graph.depth_first().filter(is_used).collect();
    nodes.sort_unstable_by_key(|node| node.index());
    nodes
}

#[test]
fn m54_lists_equal_a_brute_force_filter_after_any_edits() {
    let mut random = Rng::from_env(54);
    let seed = random.state();
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let joint = scene.spawn(Node::group()).unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap();
    let mut nodes: Vec<NodeId> = vec![scene.root()];
    let (mut lists, mut late) = (NodeLists::new(), NodeLists::new());
    let mut moved_only = 0;
    for step in 0..3000 {
        let mut only_moves = true;
        for _ in 0..random.below(4) {
            nodes.retain(|&node| scene.graph.contains(node));
            let node = random.pick(&nodes);
            let operation = random.below(14);
            only_moves &= operation >= 9;
            match operation {
                0 => {
                    let spawned = match random.below(5) {
                        0 => Node::group(),
                        1 => Node::mesh(&cube, &material),
                        2 => Node::mesh(&cube, &material).skinned(skin.clone()),
                        3 => Node::camera(Camera::default()),
                        _ => Node::light(Light::point(Vec3::ONE, 1.0)),
                    };
                    let parent = if random.one_in(3) { node } else { scene.root() };
                    nodes.push(scene.spawn(spawned.under(parent)).unwrap());
                }
                1 if nodes.len() > 60 => _ = scene.remove(node),
                2 if node != scene.root() => {
                    _ = scene.graph.attach(node, random.pick(&nodes));
                }
                3 if node != scene.root() && random.one_in(4) => _ = scene.graph.detach(node),
                4 | 5 if node != scene.root() => {
                    scene.node_mut(node).unwrap().set_visible(!random.one_in(4));
                }
                6 => {
                    let mesh = Mesh::new(cube.clone(), material.clone());
                    _ = scene.meshes.insert(&scene.graph, node, mesh).unwrap();
                }
                7 => _ = scene.meshes.remove(node),
                8 => {
                    _ = scene.skins.remove(node);
                    _ = scene.lights.remove(node);
                }
                _ => {
                    let at = random.vec3(5.0);
                    scene.node_mut(node).unwrap().set_translation(at).unwrap();
                }
            }
        }
        scene.update().unwrap();
        let version = lists.version();
        let changed = lists.build(&scene);
        assert_eq!(changed, lists.version() != version);
        assert!(!(only_moves && changed), "seed {seed}, step {step}");
        moved_only += usize::from(only_moves);
        if random.one_in(10) {
            late.build(&scene);
            assert_eq!(late.meshes(), lists.meshes());
            assert_eq!(late.lights(), lists.lights());
        }
        let skinned = |node| scene.skin(node).is_some();
        let message = format!("seed {seed}, step {step}");
        let has_mesh = |node| scene.mesh(node).is_some();
        let plain = filtered(&scene, |node| has_mesh(node) && !skinned(node));
        assert_eq!(lists.meshes(), plain, "{message}");
        let posed = filtered(&scene, |node| has_mesh(node) && skinned(node));
        assert_eq!(lists.skinned_meshes(), posed, "{message}");
        let cameras = filtered(&scene, |node| scene.camera(node).is_some());
        assert_eq!(lists.cameras(), cameras, "{message}");
        let lights = filtered(&scene, |node| scene.light(node).is_some());
        assert_eq!(lists.lights(), lights, "{message}");
        let count = plain.len() + posed.len() + cameras.len() + lights.len();
        assert_eq!((lists.len(), lists.is_empty()), (count, count == 0));
    }
    assert!(moved_only > 100 && lists.version() > 100);
}

/// Lists that were built from one scene are rebuilt for another.
#[test]
fn lists_follow_the_scene_they_are_built_from() {
    let mut scenes = [Scene::new(), Scene::new()];
    scenes[0].spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap();
    let mut lists = NodeLists::new();
    for scene in &mut scenes {
        scene.update().unwrap();
        lists.build(scene);
        assert_eq!(lists.lights().len(), scene.lights.len());
    }
}
