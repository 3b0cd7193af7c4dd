//! Spawning: nodes match their descriptions, including children; a failure leaves nothing behind.

use pleach::glam::{Quat, Vec3};
use pleach::{
    Camera, Error, Light, Node, NodeId, NodeKind, Scene, SceneUpdateStats, Transform, Walk,
};

use crate::common::{cube, material};

#[test]
fn new_scene_contains_only_its_root() {
    let mut scene = Scene::new();
    let root = scene.root();
    assert_eq!(scene.graph.len(), 1);
    assert_eq!(scene.graph.node(root).unwrap().parent(), None);
    assert_eq!(scene.graph.node(root).unwrap().transform(), Transform::IDENTITY);
    assert_eq!(scene.graph.node(root).unwrap().name(), None);
    assert_eq!(scene.kind(root), Some(NodeKind::Root));
    assert_eq!(scene.update().unwrap().bounds, 0);
    assert_eq!(scene.update().unwrap(), SceneUpdateStats::default());
    assert!(scene.environment.background.is_none() && scene.environment.fog.is_none());
}

#[test]
fn spawned_node_matches_its_description() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let yard = scene.spawn(Node::group()).unwrap();
    let rotation = Quat::from_rotation_z(0.5);
    let node = Node::mesh(&cube, &material)
        .named("crate")
        .under(yard)
        .at(Vec3::new(1.0, 2.0, 3.0))
        .rotated(rotation)
        .scaled(Vec3::splat(2.0))
        .hidden();
    let node = scene.spawn(node).unwrap();
    let at = scene.graph.node(node).unwrap();
    assert_eq!((at.name(), at.parent(), at.is_visible()), (Some("crate"), Some(yard), false));
    assert_eq!(at.translation(), Vec3::new(1.0, 2.0, 3.0));
    assert!(at.rotation().abs_diff_eq(rotation, 1e-6));
    assert_eq!(at.scale(), Vec3::splat(2.0));
    let mesh = scene.mesh(node).unwrap();
    assert_eq!((&mesh.parts[0].geometry, &mesh.parts[0].material), (&cube, &material));

    let pose = Transform::from_xyz(4.0, 5.0, 6.0);
    let posed = scene.spawn(Node::group().at(Vec3::ONE).with_transform(pose)).unwrap();
    assert_eq!(scene.graph.node(posed).unwrap().transform(), pose);
    assert_eq!(scene.graph.node(posed).unwrap().parent(), Some(scene.root()));
}

#[test]
fn nodes_are_unnamed_by_default() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    for node in [
        Node::group(),
        Node::mesh(&cube, &material),
        Node::camera(Camera::default()),
        Node::light(Light::ambient(Vec3::ONE, 1.0)),
    ] {
        let node = scene.spawn(node).unwrap();
        assert_eq!(scene.graph.node(node).unwrap().name(), None);
    }
    // Names need not be unique; the oldest node is found.
    let [a, b] = [(); 2].map(|()| scene.spawn(Node::group().named("door")).unwrap());
    assert_eq!(scene.graph.find("door"), Some(a));
    assert!(scene.graph.find_all("door").eq([a, b]));
}

#[test]
fn children_are_spawned_with_their_parent_in_order() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let wheel = |name: &str| Node::mesh(&cube, &material).named(name);
    let tank = Node::group()
        .named("tank")
        .at(Vec3::X)
        .child(
            Node::mesh(&cube, &material)
                .named("hull")
                .child(Node::group().named("turret").at(Vec3::Z).child(Node::group().named("gun"))),
        )
        .child(wheel("left"))
        .child(wheel("right"));
    let tank = scene.spawn(tank).unwrap();
    let name = |node: NodeId| scene.graph.node(node).unwrap().name().unwrap();
    let children: Vec<&str> = scene.graph.node(tank).unwrap().children().map(name).collect();
    assert_eq!(children, ["hull", "left", "right"]);
    let all: Vec<&str> = scene.graph.node(tank).unwrap().descendants().map(name).collect();
    assert_eq!(all, ["tank", "hull", "turret", "gun", "left", "right"]);
    assert_eq!(scene.meshes.len(), 3);
    scene.update().unwrap();
    let gun = scene.graph.find("gun").unwrap();
    assert_eq!(scene.graph.node(gun).unwrap().world_translation(), Vec3::new(1.0, 0.0, 1.0));
}

#[test]
fn several_children_can_be_spawned_at_once() {
    let mut scene = Scene::new();
    let rack = scene.spawn(Node::group()).unwrap();
    let first = scene.spawn(Node::group().under(rack)).unwrap();
    let nodes = scene.spawn_all(rack, (0..5).map(|i| Node::group().named(i.to_string()))).unwrap();
    assert_eq!(nodes.len(), 5);
    let children: Vec<NodeId> = scene.graph.node(rack).unwrap().children().collect();
    assert_eq!(children[0], first);
    assert_eq!(children[1..], nodes, "after the existing children");
    assert_eq!(scene.spawn_all(rack, []).unwrap(), []);
    // A parent of their own is an error, not ignored.
    let other = scene.spawn(Node::group()).unwrap();
    let nodes = [Node::group(), Node::group().under(other), Node::group()];
    let before = scene.graph.len();
    assert_eq!(scene.spawn_all(rack, nodes), Err(Error::ChildWithParent(other)));
    assert_eq!(scene.graph.len(), before + 1, "the node before it remains");
    assert_eq!(scene.children(other).count(), 0);
}

#[test]
fn d_child_with_a_parent_of_its_own_is_an_error() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let other = scene.spawn(Node::group()).unwrap();
    let lost = || Node::group().named("lost").under(other);
    let trees = [
        Node::group().child(lost()),
        Node::mesh(&cube, &material).child(Node::mesh(&cube, &material)).child(lost()),
        Node::group().child(Node::light(Light::point(Vec3::ONE, 1.0)).child(lost())),
        Node::group().under(other).child(lost()),
    ];
    scene.update().unwrap();
    let before = scene.graph.len();
    for tree in trees {
        assert_eq!(scene.spawn(tree.clone()), Err(Error::ChildWithParent(other)));
        assert_eq!(scene.spawn_tree(tree), Err(Error::ChildWithParent(other)));
        // Nothing is left behind.
        assert_eq!((scene.graph.len(), scene.meshes.len(), scene.lights.len()), (before, 0, 0));
        assert_eq!((scene.find("lost"), scene.children(other).count()), (None, 0));
        assert_eq!(scene.check(), []);
    }
    assert!(Error::ChildWithParent(other).to_string().contains("remove `under`"));
    assert_eq!(scene.update().unwrap().bounds, 0);
}

#[test]
fn description_can_be_spawned_repeatedly() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let crates = Node::mesh(&cube, &material).child(Node::mesh(&cube, &material).at(Vec3::Z));
    let nodes: Vec<NodeId> =
        (0..10).map(|i| scene.spawn(crates.clone().at(Vec3::X * i as f32)).unwrap()).collect();
    scene.update().unwrap();
    assert_eq!(scene.meshes.len(), 20);
    assert_eq!(cube.ref_count(), 1 + 2 + 20, "shared, not copied");
    let bounds = scene.spatial.subtree_bounds(&scene.graph, nodes[9]).unwrap();
    assert_eq!((bounds.min.x, bounds.max.z), (8.5, 1.5));
}

#[test]
fn failed_spawn_leaves_nothing_behind() {
    let mut scene = Scene::new();
    let removed = scene.spawn(Node::group()).unwrap();
    scene.remove(removed).unwrap();
    scene.update().unwrap();
    let before = (scene.graph.len(), scene.meshes.len());

    let error = scene.spawn(Node::group().under(removed)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("node {removed} is not in this graph: it was removed, or belongs to another graph"),
    );
    let error = scene.spawn(Node::group().at(Vec3::new(0.0, f32::NAN, 0.0))).unwrap_err();
    let root = scene.root();
    assert_eq!(
        error.to_string(),
        format!("new child of {root}: translation.y is NaN; it must be finite"),
    );

    // A grandchild is not finite: none of the nodes is spawned.
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let bad = Node::group().scaled(Vec3::splat(f32::INFINITY));
    let family = Node::mesh(&cube, &material)
        .named("top")
        .child(Node::mesh(&cube, &material).child(bad))
        .child(Node::mesh(&cube, &material));
    let error = scene.spawn(family).unwrap_err();
    assert!(error.to_string().ends_with("scale.x is inf; it must be finite"), "{error}");
    assert_eq!(scene.graph.find("top"), None);
    assert_eq!(scene.graph.len(), before.0);
    assert_eq!(scene.meshes.iter(&scene.graph).count(), 0);
    scene.update().unwrap();
    assert_eq!((scene.graph.len(), scene.meshes.len()), before);
    assert_eq!(scene.check(), []);

    // Nodes before the one that failed are kept.
    let nodes = [Node::group(), Node::group().at(Vec3::NAN), Node::group()];
    let root = scene.root();
    assert!(scene.spawn_all(root, nodes).is_err());
    assert_eq!(scene.graph.len(), before.0 + 1);
}

/// A scene is edited while it is walked; compared with a list of what should be visited.
#[test]
fn d_scene_is_edited_during_a_walk() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let barrel = || Node::mesh(&cube, &material).named("barrel").child(Node::group().named("lid"));
    let shed = Node::group().named("shed").child(barrel()).child(Node::group().named("tool"));
    scene.spawn_all(scene.root(), [barrel(), shed, Node::group().named("cart")]).unwrap();
    scene.update().unwrap();
    let mut visited = Vec::new();
    let mut walk = Walk::depth_first(scene.root());
    while let Some(node) = walk.next(&scene.graph) {
        let name = scene.node(node).unwrap().name().unwrap_or("root").to_string();
        match name.as_str() {
            // Its lid is not visited.
            "barrel" => _ = scene.remove(node).unwrap(),
            // Below the cart, which is due later, it is visited there.
            "tool" if scene.parent(node) == scene.find("shed") => {
                scene.attach(node, scene.find("cart").unwrap()).unwrap();
            }
            // A node added below the current one is visited.
            "cart" => _ = scene.spawn(Node::group().named("wheel").under(node)).unwrap(),
            "wheel" => _ = scene.insert(node, Light::point(Vec3::ONE, 1.0)).unwrap(),
            _ => {}
        }
        visited.push(name);
    }
    let expected = ["root", "barrel", "shed", "barrel", "tool", "cart", "tool", "wheel"];
    assert_eq!(visited, expected);
    scene.update().unwrap();
    let names: Vec<_> = scene.walk().map(|node| scene.node(node).unwrap().name()).collect();
    assert_eq!(names, [None, Some("shed"), Some("cart"), Some("tool"), Some("wheel")]);
    assert_eq!((scene.meshes.len(), scene.lights.len(), scene.check().len()), (0, 1, 0));
}
