//! Users' own components: dropped with their nodes, cloned with subtrees, described in `Node`,
//! checked and validated like the built-in kinds.

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Camera, Component, Constraint, Error, Graph, Level, Light, Lod, MapNode, MorphWeights, Node,
    NodeId, NodeMap, Scene, SceneProblemKind, Skin, UnmappedNode,
};

#[derive(Clone, Debug, PartialEq)]
struct Health(u32);

impl Component for Health {
    const NAME: &'static str = "health";

    fn validate(&self, _: &Graph, node: NodeId, _: &NodeMap<Self>) -> Result<(), Error> {
        match self.0 {
            1000.. => {
                let reason = "at most 999".to_string();
                Err(Error::Component { component: Self::NAME, node, reason })
            }
            _ => Ok(()),
        }
    }

    fn check(&self, _: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        if self.0 == 0 {
            let message = "it is dead".to_string();
            report(SceneProblemKind::Component { component: Self::NAME, message });
        }
    }
}

/// Refers to another node.
#[derive(Clone, Debug, PartialEq)]
struct Follows(NodeId);

impl Component for Follows {
    const NAME: &'static str = "follows";

    fn map_nodes(&mut self, map: &MapNode<'_>) -> Result<(), UnmappedNode> {
        self.0 = map(self.0)?;
        Ok(())
    }
}

#[test]
fn own_components_are_inserted_read_and_removed_like_built_in_ones() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group()).unwrap();
    assert!(scene.table::<Health>().is_empty() && scene.get::<Health>(node).is_none());
    assert_eq!(scene.insert(node, Health(3)), Ok(None));
    assert_eq!(scene.insert(node, Health(4)), Ok(Some(Health(3))));
    scene.get_mut::<Health>(node).unwrap().0 += 1;
    assert_eq!(scene.get::<Health>(node), Some(&Health(5)));
    for (_, health) in scene.graph_and_table_mut::<Health>().1.rows() {
        assert_eq!(health.0, 5);
    }
    assert_eq!(scene.remove_component::<Health>(node), Some(Health(5)));
    assert_eq!(scene.remove_component::<Health>(node), None);

    // The same calls for a built-in kind.
    assert_eq!(scene.insert(node, Camera::default()), Ok(None));
    scene.get_mut::<Camera>(node).unwrap().layers = 2;
    assert_eq!(scene.camera(node), scene.get::<Camera>(node));
    assert_eq!(scene.remove_component::<Camera>(node).unwrap().layers, 2);
    assert!(scene.cameras.is_empty());

    let dead = node;
    scene.remove(node).unwrap();
    assert_eq!(scene.insert(dead, Health(1)), Err(Error::Graph(pleach_graph::Error::Dead(dead))));
    assert!(scene.get_mut::<Health>(dead).is_none());
}

#[test]
fn own_components_are_dropped_with_their_nodes() {
    let mut scene = Scene::new();
    let parent =
        scene.spawn(Node::group().with(Health(1)).child(Node::group().with(Health(2)))).unwrap();
    let other = scene.spawn(Node::group().with(Health(3))).unwrap();
    scene.update().unwrap();
    scene.remove(parent).unwrap();
    assert!(scene.get::<Health>(parent).is_none(), "immediately");
    scene.update().unwrap();
    assert!(scene.table::<Health>().rows().eq([(other, &Health(3))]));

    // A row of a removed node does not block its slot, with or without an update in between.
    scene.remove(other).unwrap();
    let new = scene.spawn(Node::group().with(Health(4))).unwrap();
    assert_eq!(new.index(), other.index());
    assert_eq!(scene.table::<Health>().len(), 1, "the row of the removed node was replaced");
    scene.update().unwrap();
    assert!(scene.table::<Health>().rows().eq([(new, &Health(4))]));
}

#[test]
fn own_components_are_cloned_with_their_references() {
    let mut scene = Scene::new();
    let outside = scene.spawn(Node::group()).unwrap();
    let team = scene.spawn(Node::group()).unwrap();
    let leader = scene.spawn(Node::group().under(team).with(Follows(outside))).unwrap();
    let member =
        scene.spawn(Node::group().under(team).with(Follows(leader)).with(Health(7))).unwrap();

    let clones = scene.clone_subtree(team, None).unwrap();
    let [leader_clone, member_clone] = [leader, member].map(|node| clones.get(node).unwrap());
    assert_eq!(scene.get(member_clone), Some(&Follows(leader_clone)));
    assert_eq!(scene.get(leader_clone), Some(&Follows(outside)), "kept within a scene");
    assert_eq!(scene.get(member_clone), Some(&Health(7)));

    // Into a scene that has never seen these kinds.
    let mut level = Scene::new();
    let error = level.clone_subtree_from(&scene, team, None).unwrap_err();
    let Error::ExternalReference(external) = error else { panic!("{error}") };
    assert_eq!((external.node, external.referenced), (leader, outside));
    assert_eq!(level.graph.len(), 1);
    assert!(level.table::<Follows>().is_empty() && level.table::<Health>().is_empty());
    assert_eq!(level.changes().inserted_rows::<Follows>().count(), 0);

    scene.remove_component::<Follows>(leader);
    let clones = level.clone_subtree_from(&scene, team, None).unwrap();
    let member = clones.get(member).unwrap();
    assert_eq!(level.get(member), Some(&Follows(clones.get(leader).unwrap())));
    assert_eq!(level.get(member), Some(&Health(7)));
    level.update().unwrap();
    assert_eq!(level.check(), []);
}

#[test]
fn every_kind_can_be_described_in_a_node() {
    let mut scene = Scene::new();
    let target = scene.spawn(Node::group()).unwrap();
    let lod = Lod { levels: vec![Level { node: target, min_screen_size: 0.5 }] };
    let node = Node::group()
        .with(MorphWeights(vec![0.25]))
        .with(lod.clone())
        .with(Constraint::LookAt { target, up: Vec3::Z })
        .with(Skin::new(vec![target], vec![Mat4::IDENTITY]).unwrap())
        .with(Light::ambient(Vec3::ONE, 1.0))
        .with(Camera::default())
        .with(Health(1))
        .with(Health(2))
        .at(Vec3::X);
    let copy = node.clone();
    for node in [node, copy] {
        let node = scene.spawn(node).unwrap();
        assert_eq!(scene.weights.get(&scene.graph, node), Some(&MorphWeights(vec![0.25])));
        assert_eq!(scene.lods.get(&scene.graph, node), Some(&lod));
        assert!(scene.constraints.get(&scene.graph, node).is_some());
        assert!(scene.skin(node).is_some() && scene.light(node).is_some());
        assert!(scene.camera(node).is_some());
        assert_eq!(scene.get(node), Some(&Health(2)), "the later one replaces the earlier one");
    }
}

#[test]
fn replaced_component_of_a_node_is_neither_validated_nor_inserted() {
    let mut scene = Scene::new();
    let node = Node::group().with(Health(1000)).with(Follows(scene.root())).with(Health(2));
    let node = scene.spawn(node).unwrap();
    assert_eq!(scene.get(node), Some(&Health(2)));
    assert_eq!(scene.get(node), Some(&Follows(scene.root())));
    scene.update().unwrap();
    assert!(scene.changes().inserted_rows::<Health>().eq([node]));
}

#[test]
fn rows_can_be_edited_while_the_graph_is_edited() {
    let mut scene = Scene::new();
    let nodes = [1, 2, 3].map(|i| scene.spawn(Node::group().with(Health(i))).unwrap());
    scene.update().unwrap();
    scene.clear_changes();
    // No update between a removal and the loop: rows of removed nodes are not visited.
    let parent = scene.spawn(Node::group().with(Health(9))).unwrap();
    scene.attach(nodes[1], parent).unwrap();
    scene.remove(parent).unwrap();
    assert!(scene.changes().removed_rows::<Health>().eq([nodes[1]]));
    let (graph, table) = scene.graph_and_table_mut::<Health>();
    assert_eq!(table.len(), 2);
    for (node, health) in table.rows_mut() {
        health.0 += 10;
        graph.node_mut(node).unwrap().set_translation(Vec3::X * health.0 as f32).unwrap();
    }
    scene.update().unwrap();
    for (node, health) in [(nodes[0], 11), (nodes[2], 13)] {
        assert_eq!(scene.get(node), Some(&Health(health)));
        assert_eq!(scene.node(node).unwrap().world_translation().x, health as f32);
    }
    let mut changed: Vec<NodeId> = scene.changes().changed_rows::<Health>().collect();
    changed.sort();
    assert_eq!(changed, [nodes[0], nodes[2]]);
}

#[test]
fn node_whose_component_is_rejected_is_not_spawned() {
    let mut scene = Scene::new();
    let (before, tables) = (scene.graph.len(), scene.table::<Health>().len());
    let bad = Node::group().with(Health(1)).child(Node::group().with(Health(2)).with(Health(1000)));
    for node in [bad.clone(), Node::group().child(bad), Node::group().with(Health(1000))] {
        let error = scene.spawn(node).unwrap_err();
        assert!(matches!(error, Error::Component { component: "health", .. }), "{error}");
        assert!(error.to_string().ends_with(": at most 999"), "{error}");
        assert_eq!((scene.graph.len(), scene.table::<Health>().len()), (before, tables));
        assert_eq!(scene.changes().inserted_rows::<Health>().count(), 0);
    }
    // A constraint that its own rotation would move.
    let eye = scene.spawn(Node::group().child(Node::group().named("tip"))).unwrap();
    let tip = scene.graph.find("tip").unwrap();
    let look = Constraint::LookAt { target: tip, up: Vec3::Z };
    assert!(matches!(scene.insert(eye, look), Err(Error::Constraint(_))));
    let child = Node::group().under(tip).with(Constraint::Billboard { camera: tip });
    scene.spawn(child).unwrap();
}

#[test]
fn child_with_a_parent_of_its_own_is_an_error() {
    let mut scene = Scene::new();
    let elsewhere = scene.spawn(Node::group()).unwrap();
    let child = Node::group().under(elsewhere);
    let error = scene.spawn(Node::group().child(Node::group()).child(child)).unwrap_err();
    assert_eq!(error, Error::ChildWithParent(elsewhere));
    assert_eq!(
        error.to_string(),
        "a node to spawn below another is also under node 1v1; remove `under`, or spawn it on its own",
    );
    assert_eq!(scene.graph.len(), 2, "nothing was spawned");
}

#[test]
fn spawn_tree_returns_the_nodes_in_the_order_of_their_description() {
    let mut scene = Scene::new();
    let node = |name: &str| Node::group().named(name);
    let tree = node("a").child(node("b").child(node("c")).child(node("d"))).child(node("e"));
    let spawned = scene.spawn_tree(tree).unwrap();
    let names: Vec<_> = spawned.iter().map(|&id| scene.node(id).unwrap().name().unwrap()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    assert!(scene.walk().skip(1).eq(spawned.iter().copied()));
}

#[test]
fn own_components_are_checked() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group().with(Health(0))).unwrap();
    let problems = scene.check();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].node.as_ref().unwrap().node, node);
    assert_eq!(problems[0].to_string(), format!("node {node}: health: it is dead"));
}

#[test]
fn scenes_with_own_components_can_be_sent_to_other_threads() {
    fn is_send_and_sync<T: Send + Sync>(_: &T) {}
    let mut scene = Scene::new();
    scene.register::<Health>();
    is_send_and_sync(&scene);
    is_send_and_sync(&Node::group().with(Health(1)));
    assert!(format!("{scene:?}").contains("Table of 0 \"health\""));
    assert!(format!("{:?}", Node::group().with(Health(1))).contains("[health]"));
}
