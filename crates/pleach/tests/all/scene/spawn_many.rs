//! Spawning many nodes of one description equals spawning them one by one; a failure leaves nothing
//! behind.

use pleach::glam::Vec3;
use pleach::{Component, Error, Graph, Light, Mesh, Node, NodeId, NodeMap, Scene, Transform};
use testkit::Rng;

use crate::common::{RandomValues, cube, material};

/// A component of which a scene has at most ten.
#[derive(Clone, Debug, PartialEq)]
struct Tag(usize);

impl Component for Tag {
    const NAME: &'static str = "tag";

    fn validate(&self, _: &Graph, node: NodeId, table: &NodeMap<Self>) -> Result<(), Error> {
        match table.len() {
            0..10 => Ok(()),
            _ => Err(Error::Component { component: Self::NAME, node, reason: "too many".into() }),
        }
    }
}

/// Returns what spawning determines: of each node its handle, parent, name, transform, visibility
/// and components.
fn describe(scene: &Scene) -> Vec<String> {
    let describe = |id: NodeId| {
        let node = scene.node(id).unwrap();
        let parts = scene.mesh(id).map(|mesh| mesh.parts.len());
        let (tag, light) = (scene.get::<Tag>(id), scene.light(id));
        let (name, visible) = (node.name(), node.is_visible());
        let (parent, transform) = (node.parent(), node.transform());
        format!("{id} {parent:?} {name:?} {transform:?} {visible} {parts:?} {tag:?} {light:?}")
    };
    scene.walk().map(describe).collect()
}

#[test]
fn spawning_many_equals_spawning_one_by_one() {
    let mut random = Rng::from_env(61);
    println!("seed {}", random.state());
    let [mut many, mut single] = [Scene::new(), Scene::new()];
    let (cube, material) = (cube(&many.assets, 1.0), material(&many.assets));
    for round in 0..25 {
        // So that slots are reused.
        let nodes: Vec<NodeId> = many.walk().skip(1).collect();
        for _ in 0..random.below(nodes.len() / 3 + 1) {
            let node = random.pick(&nodes);
            assert_eq!(many.remove(node).ok(), single.remove(node).ok());
        }
        if random.one_in(2) {
            many.update().unwrap();
            single.update().unwrap();
        }
        let inner = Node::mesh(&cube, &material).named("inner").child(Node::group().hidden());
        let mut node = Node::mesh(&cube, &material).child(inner).child(Node::group());
        if random.one_in(2) {
            let parents: Vec<NodeId> = many.walk().collect();
            node = node.under(random.pick(&parents));
        }
        if random.one_in(2) {
            node = node.hidden().named("outer").with(Light::point(Vec3::ONE, 1.0));
        }
        let count = if round < 2 { 4 } else { random.below(6) };
        if round < 2 {
            node = node.with(Tag(round));
        }
        let transforms: Vec<Transform> = (0..count).map(|_| random.transform(3.0)).collect();
        let spawned = many.spawn_many(&node, &transforms).unwrap();
        let each = transforms.iter().map(|&it| single.spawn(node.clone().with_transform(it)));
        assert_eq!(spawned, each.collect::<Result<Vec<_>, _>>().unwrap());
        assert_eq!(describe(&many), describe(&single), "round {round}");
        let inserted = |scene: &Scene| scene.changes().inserted_rows::<Mesh>().collect::<Vec<_>>();
        let sorted = |mut nodes: Vec<NodeId>| {
            nodes.sort();
            nodes
        };
        assert_eq!(sorted(inserted(&many)), sorted(inserted(&single)));
        for scene in [&mut many, &mut single] {
            scene.update().unwrap();
            assert_eq!(scene.check(), []);
            scene.clear_changes();
        }
        assert_eq!(many.spatial.len(), single.spatial.len());
    }
}

#[test]
fn failure_of_spawning_many_leaves_nothing_behind() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let removed = scene.spawn(Node::group()).unwrap();
    scene.remove(removed).unwrap();
    scene.spawn(Node::group().with(Tag(0))).unwrap();
    scene.update().unwrap();
    scene.clear_changes();
    let before = describe(&scene);
    let places = [Transform::IDENTITY; 12];
    let mut bad = places;
    bad[11].translation.y = f32::NAN;

    let mesh = || Node::mesh(&cube, &material);
    let child = mesh().under(scene.root());
    for (node, places, message) in [
        (mesh(), bad, "translation.y is NaN"),
        (mesh().child(Node::group().scaled(Vec3::INFINITY)), places, "scale.x is inf"),
        (mesh().under(removed), places, "is not in this graph"),
        (mesh().child(child), places, "remove `under`"),
        (mesh().child(mesh().with(Tag(1))), places, "too many"),
    ] {
        let error = scene.spawn_many(&node, &places).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(describe(&scene), before, "{message}");
        assert_eq!(scene.graph.len(), before.len());
        assert_eq!((scene.meshes.len(), scene.table::<Tag>().len()), (0, 1));
        assert_eq!(scene.changes().inserted_rows::<Mesh>().count(), 0);
        scene.update().unwrap();
        assert_eq!(scene.check(), []);
        assert!(scene.spatial.is_empty());
    }
    assert_eq!(cube.ref_count(), 1);
    assert_eq!(scene.spawn_many(&mesh(), &[]).unwrap(), []);
}

#[test]
fn setting_and_attaching_many_changes_all_nodes_or_none() {
    let mut scene = Scene::new();
    let nodes = scene.spawn_many(&Node::group(), &[Transform::IDENTITY; 4]).unwrap();
    let places = [1.0, 2.0, 3.0, f32::NAN].map(|x| Transform::from_xyz(x, 0.0, 0.0));
    assert!(scene.set_transforms(&nodes, &places).is_err());
    assert!(scene.set_transforms(&nodes, &places[..3]).is_err());
    assert_eq!(scene.node(nodes[0]).unwrap().translation(), Vec3::ZERO);
    scene.set_transforms(&nodes[..3], &places[..3]).unwrap();
    assert_eq!(scene.node(nodes[2]).unwrap().translation(), Vec3::X * 3.0);

    let root = scene.root();
    assert!(matches!(scene.attach_all(&[nodes[1], root], nodes[0]), Err(Error::RootAttached)));
    let parents = [nodes[0], nodes[0]];
    assert!(matches!(scene.attach_each(&[nodes[1], root], &parents), Err(Error::RootAttached)));
    assert_eq!(scene.parent(nodes[1]), Some(root));
    scene.attach_all(&nodes[1..], nodes[0]).unwrap();
    assert!(scene.children(nodes[0]).eq(nodes[1..].iter().copied()));
    scene.update().unwrap();
    assert_eq!(scene.node(nodes[2]).unwrap().world_translation(), Vec3::X * 4.0);
}
