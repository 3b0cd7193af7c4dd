//! Bindings by node, by name and by path; clones, dead nodes and equal names.

use std::sync::Arc;

use pleach::Table;
use pleach::animation::{BindError, Binding, Channel, Clip, Interpolation, Mixer, Repeat};
use pleach::animation::{BlendLayer, Mask};
use pleach::glam::{Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};

/// Returns a clip that moves target `i` to x = i + 1 in one second.
fn clip(labels: &[&str]) -> Arc<Clip> {
    let channels: Vec<Channel> = (0..labels.len() as u32)
        .map(|target| {
            let values = [Vec3::ZERO, Vec3::X * (target + 1) as f32];
            Channel::translation(target, Interpolation::Linear, [0.0, 1.0], values).unwrap()
        })
        .collect();
    Arc::new(Clip::new("slide", labels.iter().copied(), channels).unwrap())
}

fn named(graph: &mut Graph, parent: Option<NodeId>, name: &str) -> NodeId {
    let node = match parent {
        Some(parent) => graph.add_child(parent, Transform::IDENTITY).unwrap(),
        None => graph.add_root(Transform::IDENTITY).unwrap(),
    };
    graph.node_mut(node).unwrap().set_name(name);
    node
}

fn x(graph: &Graph, node: NodeId) -> f32 {
    graph.node(node).unwrap().translation().x
}

/// Plays a binding for one second.
fn play(graph: &mut Graph, binding: Binding) -> pleach::animation::PoseStats {
    let mut mixer = Mixer::new();
    let mut weights = Table::new();
    mixer.add(BlendLayer::new(binding).with_repeat(Repeat::Once), graph, &weights);
    mixer.update(1.0, graph, &mut weights)
}

#[test]
fn nodes_with_equal_names_are_animated_by_separate_channels() {
    let mut graph = Graph::new();
    let root = named(&mut graph, None, "joint");
    let joints: Vec<NodeId> = (0..100).map(|_| named(&mut graph, Some(root), "joint")).collect();
    let clip = clip(&["joint"; 100]);
    play(&mut graph, Binding::new(clip, joints.clone()).unwrap());
    for (index, &joint) in joints.iter().enumerate() {
        assert_eq!(x(&graph, joint), (index + 1) as f32);
        assert_eq!(graph.node(joint).unwrap().name(), Some("joint"), "names do not change");
    }
}

#[test]
fn clones_are_animated_independently() {
    let mut graph = Graph::new();
    let mut weights = Table::new();
    let hero = named(&mut graph, None, "hero");
    let arm = named(&mut graph, Some(hero), "arm");
    let hand = named(&mut graph, Some(arm), "hand");
    let binding = Binding::by_names(clip(&["arm", "hand"]), &graph, hero).unwrap();
    let clones = graph.clone_subtree(hero, None).unwrap();
    let (other_arm, other_hand) = (clones.get(arm).unwrap(), clones.get(hand).unwrap());

    let (mut first, mut second) = (Mixer::new(), Mixer::new());
    first.add(binding.clone(), &graph, &weights);
    second.add(binding.remapped(&clones), &graph, &weights);
    first.update(0.25, &mut graph, &mut weights);
    second.update(0.75, &mut graph, &mut weights);
    assert_eq!([arm, hand].map(|node| x(&graph, node)), [0.25, 0.5]);
    assert_eq!([other_arm, other_hand].map(|node| x(&graph, node)), [0.75, 1.5]);
    assert!(Arc::ptr_eq(binding.clip(), binding.remapped(&clones).clip()), "the clip is shared");
}

#[test]
fn running_mixer_can_be_remapped_to_cloned_nodes() {
    let mut graph = Graph::new();
    let mut weights = Table::new();
    let hero = named(&mut graph, None, "hero");
    let arm = named(&mut graph, Some(hero), "arm");
    let floor = named(&mut graph, None, "floor");
    let mut mixer = Mixer::new();
    let binding = Binding::new(clip(&["arm", "floor"]), [arm, floor]).unwrap();
    let mask = Mask::subtree(&graph, hero).unwrap();
    let layer = mixer.add(BlendLayer::new(binding).with_mask(mask), &graph, &weights);
    mixer.update(0.25, &mut graph, &mut weights);

    let clones = graph.clone_subtree(hero, None).unwrap();
    let mut clone = mixer.remapped(&clones);
    let other = clones.get(arm).unwrap();
    mixer.player_mut(layer).unwrap().pause();
    mixer.update(0.25, &mut graph, &mut weights);
    clone.update(0.25, &mut graph, &mut weights);
    assert_eq!((x(&graph, arm), x(&graph, other), x(&graph, floor)), (0.25, 0.5, 0.0));

    // Fading out returns each to its own rest pose.
    clone.fade_out(layer, 0.0);
    clone.update(0.1, &mut graph, &mut weights);
    assert_eq!((x(&graph, arm), x(&graph, other)), (0.25, 0.0));
}

#[test]
fn binding_can_be_remapped_to_another_graph() {
    let (mut workshop, mut street) = (Graph::new(), Graph::new());
    let car = named(&mut workshop, None, "car");
    let wheel = named(&mut workshop, Some(car), "wheel");
    let binding = Binding::new(clip(&["wheel"]), [wheel]).unwrap();
    named(&mut street, None, "shifts the slots");
    let moved = workshop.move_subtree_to(car, &mut street, None).unwrap();
    play(&mut street, binding.remapped(&moved));
    assert_eq!(x(&street, moved.get(wheel).unwrap()), 1.0);
}

#[test]
fn dead_targets_are_skipped_and_counted() {
    let mut graph = Graph::new();
    let mut weights = Table::new();
    let nodes = ["a", "b", "c"].map(|name| named(&mut graph, None, name));
    let mut channels = clip(&["a", "b", "c"]).channels().to_vec();
    channels.push(Channel::weights(1, Interpolation::Step, [0.0], [1.0]).unwrap());
    let clip = Clip::new("both", ["a", "b", "c"], channels).unwrap();
    let mut mixer = Mixer::new();
    mixer.add(Binding::new(clip, nodes).unwrap(), &graph, &weights);
    assert_eq!(mixer.update(0.25, &mut graph, &mut weights).dead, 0);

    graph.remove(nodes[1]).unwrap();
    let new_node = named(&mut graph, None, "reuses the slot of b");
    assert_eq!(new_node.index(), nodes[1].index());
    let stats = mixer.update(0.25, &mut graph, &mut weights);
    assert_eq!((stats.transformed, stats.morphed, stats.dead), (2, 0, 2));
    assert_eq!(x(&graph, nodes[2]), 1.5);
    assert_eq!(x(&graph, new_node), 0.0, "a new node in the same slot is not animated");
    assert!(weights.get(&graph, new_node).is_none());

    // Bound to a node that is already dead.
    let binding = Binding::new(self::clip(&["b"]), [nodes[1]]).unwrap();
    let stats = play(&mut graph, binding);
    assert_eq!((stats.transformed, stats.dead), (0, 1));
}

#[test]
fn names_are_searched_in_the_subtree_of_the_root() {
    let mut graph = Graph::new();
    let outside = named(&mut graph, None, "arm");
    let hero = named(&mut graph, None, "hero");
    let arm = named(&mut graph, Some(hero), "arm");
    let binding = Binding::by_names(clip(&["arm", "hero"]), &graph, hero).unwrap();
    assert_eq!(binding.nodes(), [Some(arm), Some(hero)]);
    assert_eq!((binding.node(0), binding.node(7)), (Some(arm), None));
    assert_ne!(binding.node(0), Some(outside));
}

#[test]
fn paths_distinguish_nodes_with_equal_names() {
    let mut graph = Graph::new();
    let root = named(&mut graph, None, "top");
    let sides = ["left", "right"].map(|name| named(&mut graph, Some(root), name));
    let hands = sides.map(|side| named(&mut graph, Some(side), "hand"));
    let clip = clip(&["right/hand", "left/hand", "left", ""]);
    let binding = Binding::by_paths(clip, &graph, root).unwrap();
    assert_eq!(binding.nodes(), [Some(hands[1]), Some(hands[0]), Some(sides[0]), Some(root)]);
}

#[test]
fn unbound_targets_are_skipped() {
    let mut graph = Graph::new();
    let hand = named(&mut graph, None, "hand");
    let binding = Binding::new(clip(&["finger", "hand"]), [None, Some(hand)]).unwrap();
    assert_eq!(play(&mut graph, binding).transformed, 1);
    assert_eq!(x(&graph, hand), 2.0);
}

#[test]
fn child_of_an_animated_joint_follows_in_the_same_frame() {
    let mut graph = Graph::new();
    let arm = named(&mut graph, None, "arm");
    let hand = graph.add_child(arm, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    let sword = graph.add_child(hand, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let rotation =
        Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], [Quat::IDENTITY, quarter]);
    let clip = Clip::new("raise", ["arm"], [rotation.unwrap()]).unwrap();
    graph.update();
    play(&mut graph, Binding::new(clip, [arm]).unwrap());
    graph.update();
    assert!(graph.node(sword).unwrap().world_translation().abs_diff_eq(Vec3::Y * 2.0, 1e-6));
    assert_eq!(graph.changed().count(), 3);
}

#[test]
fn missing_and_ambiguous_names_are_rejected() {
    let mut graph = Graph::new();
    let hero = named(&mut graph, None, "hero");
    for name in ["arm", "arm", "leg", "leg", "leg", "head"] {
        named(&mut graph, Some(hero), name);
    }
    let error = |labels: &[&str]| {
        let error = Binding::by_names(clip(labels), &graph, hero).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        error(&["head", "tail", "arm", "wing", "leg"]),
        "clip \"slide\" does not match the subtree of 0v1 \"hero\": \
         no node is named \"tail\", \"wing\"; several nodes are named \"arm\" (2), \"leg\" (3); \
         pass the nodes to Binding::new instead",
    );
    assert_eq!(
        error(&["1", "2", "3", "4", "5", "6", "7", "8"]),
        "clip \"slide\" does not match the subtree of 0v1 \"hero\": \
         no node is named \"1\", \"2\", \"3\", \"4\", \"5\", \"6\" and 2 more; \
         pass the nodes to Binding::new instead",
    );
    assert_eq!(
        error(&["head", "head"]),
        "clip \"slide\": targets 0 and 1 are both bound to node 6v1; \
         bind each to a different node, or to None",
    );
    let error = Binding::by_paths(clip(&["arm", "head/eye"]), &graph, hero).unwrap_err();
    assert_eq!(
        error.to_string(),
        "clip \"slide\" does not match the subtree of 0v1 \"hero\": \
         no node is at \"head/eye\"; several nodes are at \"arm\" (2); \
         pass the nodes to Binding::new instead",
    );
    let error = Binding::new(clip(&["a", "b"]), [hero]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "clip \"slide\" has 2 targets, but the number of nodes is 1; \
         pass one node per target, or None to skip a target",
    );
    graph.remove(hero).unwrap();
    let dead = Err(BindError::Graph(pleach_graph::Error::Dead(hero)));
    assert_eq!(Binding::by_names(clip(&["a"]), &graph, hero), dead);
    assert_eq!(Binding::by_paths(clip(&["a"]), &graph, hero), dead);
}
