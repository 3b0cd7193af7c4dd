//! Layers: what several clips make of a node, and what is left alone.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use pleach::animation::{
    Binding, Blend, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, PoseStats, Reference,
    Repeat,
};
use pleach::glam::{Mat4, Quat, Vec3, Vec4};
use pleach_graph::{Graph, NodeId, NodeMap, Transform};

/// A graph with a few nodes, and a mixer for them.
struct Stage {
    graph: Graph,
    weights: NodeMap<Vec<f32>>,
    nodes: Vec<NodeId>,
    mixer: Mixer,
}

impl Stage {
    fn new(nodes: usize) -> Self {
        let mut graph = Graph::new();
        let add = |_| graph.add_root(Transform::IDENTITY).unwrap();
        let nodes = (0..nodes).map(add).collect();
        Self { graph, weights: NodeMap::new(), nodes, mixer: Mixer::new() }
    }

    fn bind(&self, clip: &Arc<Clip>) -> BlendLayer {
        let nodes = self.nodes[..clip.targets().len()].to_vec();
        BlendLayer::new(Binding::new(clip.clone(), nodes).unwrap())
    }

    fn add(&mut self, layer: BlendLayer) -> pleach::animation::BlendLayerId {
        self.mixer.add(layer, &self.graph, &self.weights)
    }

    fn update(&mut self, seconds: f32) -> PoseStats {
        self.mixer.update(seconds, &mut self.graph, &mut self.weights)
    }

    fn transform(&self, node: usize) -> Transform {
        self.graph.node(self.nodes[node]).unwrap().transform()
    }

    fn x(&self, node: usize) -> f32 {
        self.transform(node).translation.x
    }

    fn changed(&mut self) -> Vec<NodeId> {
        self.graph.update();
        let changed = self.graph.changed().collect();
        self.graph.clear_changes();
        changed
    }
}

/// A clip of one pose: the first nodes are at these x.
fn at<const N: usize>(xs: [f32; N]) -> Arc<Clip> {
    let channels: Vec<Channel> = xs
        .iter()
        .zip(0..)
        .map(|(&x, target)| {
            let values = [Vec3::new(x, 0.0, 0.0)];
            Channel::translation(target, Interpolation::Step, [0.0], values).unwrap()
        })
        .collect();
    Arc::new(Clip::new("at", [""; N], channels).unwrap())
}

/// A clip that moves the first node from 0 to `x` in a second.
fn to(x: f32) -> Arc<Clip> {
    let values = [Vec3::ZERO, Vec3::new(x, 0.0, 0.0)];
    let channel = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], values).unwrap();
    Arc::new(Clip::new("to", ["node"], [channel]).unwrap())
}

fn turning(way: Interpolation, times: Vec<f32>, turns: Vec<Quat>) -> Arc<Clip> {
    let channel = Channel::rotation(0, way, times, turns).unwrap();
    Arc::new(Clip::new("turning", ["node"], [channel]).unwrap())
}

fn turned(turn: Quat) -> Arc<Clip> {
    turning(Interpolation::Step, vec![0.0], vec![turn])
}

// ---- weights ----

#[test]
fn one_layer_of_full_weight_is_its_clip_bit_for_bit() {
    let mut stage = Stage::new(1);
    let turns = vec![Quat::from_rotation_x(0.1), Quat::from_rotation_y(2.0)];
    let clip = turning(Interpolation::Linear, vec![0.0, 1.0], turns);
    let pleach::animation::Track::Rotation(curve) = clip.channels()[0].track() else { panic!() };
    stage.add(stage.bind(&clip).with_repeat(Repeat::Once));
    for frame in 1..=70 {
        stage.update(1.0 / 64.0);
        let seconds = (frame as f32 / 64.0).min(1.0);
        assert_eq!(stage.transform(0).rotation, curve.sample(seconds), "{frame}");
    }
}

#[test]
fn weights_of_a_priority_are_normalised_if_they_are_more_than_one() {
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&at([10.0])));
    stage.add(stage.bind(&at([40.0])).with_weight(0.5));
    stage.update(0.0);
    assert!((stage.x(0) - 20.0).abs() < 1e-5); // (10 + 40/2) / 1.5
}

#[test]
fn weights_of_less_than_one_let_the_rest_pose_show() {
    let mut stage = Stage::new(1);
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::X * 100.0).unwrap();
    stage.add(stage.bind(&at([10.0])).with_weight(0.25));
    stage.add(stage.bind(&at([20.0])).with_weight(0.25));
    stage.update(0.0);
    assert!((stage.x(0) - 57.5).abs() < 1e-5); // half of 15, half of 100
}

#[test]
fn a_higher_priority_covers_a_lower_one_by_its_weight() {
    let mut stage = Stage::new(2);
    let high = stage.add(stage.bind(&at([8.0])).with_priority(5).with_weight(0.25));
    stage.add(stage.bind(&at([4.0, 4.0]))); // added later, but below
    stage.update(0.0);
    assert_eq!((stage.x(0), stage.x(1)), (5.0, 4.0));
    stage.mixer.player_mut(high).unwrap().set_weight(1.0);
    stage.update(0.0);
    assert_eq!((stage.x(0), stage.x(1)), (8.0, 4.0));
}

#[test]
fn rotations_are_averaged_the_shortest_way_whatever_their_signs() {
    let (a, b) = (Quat::from_rotation_z(0.2), Quat::from_rotation_z(1.0));
    for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let mut stage = Stage::new(1);
        stage.add(stage.bind(&turned(a * signs[0])));
        stage.add(stage.bind(&turned(b * signs[1])));
        stage.update(0.0);
        let middle = stage.transform(0).rotation;
        assert!(middle.dot(Quat::from_rotation_z(0.6)).abs() > 1.0 - 1e-6, "{signs:?}");
    }
    // Opposite rotations have a middle, too.
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&turned(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0))));
    stage.add(stage.bind(&turned(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0))));
    stage.update(0.0);
    assert!((stage.transform(0).rotation.length() - 1.0).abs() < 1e-6);
}

#[test]
fn layers_that_agree_average_to_the_same_bits_at_any_weight() {
    let mut stage = Stage::new(1);
    let clip = at([0.1]);
    stage.add(stage.bind(&clip));
    let second = stage.add(stage.bind(&clip));
    for step in 0..=10 {
        stage.mixer.player_mut(second).unwrap().set_weight(step as f32 / 10.0);
        stage.update(0.0);
        assert_eq!(stage.x(0), 0.1);
    }
}

// ---- fading ----

#[test]
fn a_cross_fade_goes_from_one_to_the_other_and_its_weights_make_one() {
    let mut stage = Stage::new(1);
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::X * -1e6).unwrap();
    let first = stage.add(stage.bind(&at([10.0])));
    stage.update(0.1);
    let second = stage.bind(&at([20.0]));
    let second = stage.mixer.fade_to(second, 0.5, &stage.graph, &stage.weights);
    assert!(stage.mixer.is_fading_out(first) && !stage.mixer.is_fading_out(second));
    for step in 1..=50 {
        stage.update(0.01);
        let part = step as f32 / 50.0;
        // The rest pose, a million away, does not show.
        assert!((stage.x(0) - (10.0 + 10.0 * part)).abs() < 1e-3, "{step}: {}", stage.x(0));
    }
    stage.update(0.01);
    assert_eq!(stage.x(0), 20.0);
    assert!(stage.mixer.layer(first).is_none(), "what has faded out is removed");
    assert_eq!(stage.mixer.layers().len(), 1);
}

#[test]
fn a_fade_in_the_middle_of_a_fade_makes_no_jump() {
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&at([0.0])));
    for goal in [10.0, -10.0, 30.0, 5.0] {
        let next = stage.bind(&at([goal]));
        stage.mixer.fade_to(next, 1.0, &stage.graph, &stage.weights);
        let before = stage.x(0);
        stage.update(0.001);
        assert!((stage.x(0) - before).abs() < 0.1);
        for _ in 0..300 {
            stage.update(0.001);
        }
    }
    for _ in 0..1_000 {
        stage.update(0.001);
    }
    assert_eq!((stage.x(0), stage.mixer.layers().len()), (5.0, 1));
}

#[test]
fn fading_out_returns_to_rest_and_then_leaves_the_node_alone() {
    let mut stage = Stage::new(1);
    let rest = Transform::from_xyz(7.0, 8.0, 9.0);
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_transform(rest).unwrap();
    let layer = stage.add(stage.bind(&to(100.0)));
    assert_eq!(stage.mixer.rest_pose(stage.nodes[0]), Some(rest));
    stage.update(0.5);
    assert_eq!(stage.x(0), 50.0);
    assert!(stage.mixer.fade_out(layer, 0.5));
    stage.update(0.25);
    let half = stage.x(0);
    assert!((half - (75.0 + 7.0) / 2.0).abs() < 1e-4, "{half}");
    stage.update(0.25);
    assert_eq!(stage.transform(0), rest);
    assert!(!stage.mixer.fade_out(layer, 0.5), "it is gone");

    // Now the node is its owner's again.
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::ZERO).unwrap();
    assert_eq!(stage.update(0.1), PoseStats::default());
    assert_eq!(stage.x(0), 0.0);
}

#[test]
fn removing_a_layer_gives_its_nodes_back_to_rest_once() {
    let mut stage = Stage::new(1);
    let layer = stage.add(stage.bind(&at([3.0])));
    stage.update(0.0);
    assert!(stage.mixer.remove(layer) && !stage.mixer.remove(layer));
    stage.update(0.0);
    assert_eq!(stage.x(0), 0.0);
    assert!(stage.mixer.player_mut(layer).is_none() && stage.mixer.layer(layer).is_none());
}

#[test]
fn a_fade_of_no_time_is_a_switch() {
    let mut stage = Stage::new(1);
    let first = stage.add(stage.bind(&at([1.0])));
    let second = stage.bind(&at([2.0]));
    stage.mixer.fade_to(second, 0.0, &stage.graph, &stage.weights);
    stage.update(0.0);
    assert_eq!(stage.x(0), 2.0);
    assert!(stage.mixer.layer(first).is_none());
}

#[test]
fn a_layer_can_be_faded_to_any_level_and_called_back() {
    let mut stage = Stage::new(1);
    let layer = stage.add(stage.bind(&at([8.0])));
    assert!(stage.mixer.fade(layer, 0.5, 1.0));
    stage.update(2.0);
    assert_eq!((stage.x(0), stage.mixer.fade_level(layer)), (4.0, Some(0.5)));
    stage.mixer.fade_out(layer, 1.0);
    stage.update(0.5);
    assert!(stage.mixer.fade(layer, 1.0, 0.5), "called back on its way out");
    stage.update(1.0);
    assert_eq!((stage.x(0), stage.mixer.is_fading_out(layer)), (8.0, false));
}

// ---- additive ----

#[test]
fn an_additive_layer_that_does_nothing_changes_no_bit() {
    let turn = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9273618);
    let odd = Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);
    for reference in [Reference::FirstKey, Reference::At(0.7)] {
        let mut stage = Stage::new(1);
        stage.add(stage.bind(&turned(turn)));
        let still = turning(Interpolation::Linear, vec![0.0, 1.0], vec![odd; 2]);
        let still = stage.bind(&still).with_blend(Blend::Add(reference));
        stage.add(still.with_weight(0.3));
        for _ in 0..5 {
            stage.update(0.21);
            assert_eq!(stage.transform(0).rotation, turn, "{reference:?}");
        }
    }
}

#[test]
fn an_additive_layer_adds_its_difference_to_whatever_plays() {
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&at([100.0])));
    // From 3 to 5: a difference of up to 2.
    let values = [Vec3::X * 3.0, Vec3::X * 5.0];
    let lean = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], values).unwrap();
    let scale = [Vec3::splat(2.0), Vec3::splat(3.0)];
    let swell = Channel::scale(0, Interpolation::Linear, [0.0, 1.0], scale).unwrap();
    let quarter = [Quat::from_rotation_x(1.0), Quat::from_rotation_x(1.0 + FRAC_PI_2)];
    let roll = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], quarter).unwrap();
    let clip = Arc::new(Clip::new("lean", ["node"], [lean, swell, roll]).unwrap());
    let layer = stage.add(stage.bind(&clip).with_repeat(Repeat::Once).additive());
    stage.update(0.5);
    let half = stage.transform(0);
    assert_eq!((half.translation.x, half.scale), (101.0, Vec3::splat(1.5)));
    assert!(half.rotation.abs_diff_eq(Quat::from_rotation_x(FRAC_PI_2 / 2.0), 1e-6));
    stage.mixer.player_mut(layer).unwrap().set_weight(0.5);
    stage.update(0.5);
    let end = stage.transform(0);
    assert_eq!((end.translation.x, end.scale), (101.0, Vec3::splat(1.5)));
    assert!(end.rotation.abs_diff_eq(Quat::from_rotation_x(FRAC_PI_2 / 2.0), 1e-6));
}

#[test]
fn an_additive_rotation_turns_about_the_nodes_own_axes() {
    let (base, more) = (Quat::from_rotation_z(FRAC_PI_2), Quat::from_rotation_x(0.5));
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&turned(base)));
    let clip = turning(Interpolation::Step, vec![0.0, 0.5, 1.0], vec![Quat::IDENTITY, more, more]);
    stage.add(stage.bind(&clip).additive().with_repeat(Repeat::Once));
    stage.update(0.75);
    assert!(stage.transform(0).rotation.abs_diff_eq(base * more, 1e-6));
}

#[test]
fn the_reference_may_be_a_moment_or_the_rest_pose() {
    for (reference, expected) in [
        (Reference::FirstKey, 50.0 + 8.0),
        (Reference::At(0.25), 50.0 + 6.0),
        (Reference::RestPose, 50.0 + 8.0 - 20.0),
    ] {
        let mut stage = Stage::new(1);
        stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::X * 20.0).unwrap();
        stage.add(stage.bind(&at([50.0])));
        let added = stage.bind(&to(8.0)).with_blend(Blend::Add(reference));
        stage.add(added.with_repeat(Repeat::Once));
        stage.update(1.0);
        assert_eq!(stage.x(0), expected, "{reference:?}");
    }
}

#[test]
fn an_additive_layer_alone_adds_to_rest_and_is_not_part_of_a_cross_fade() {
    let mut stage = Stage::new(1);
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::X * 20.0).unwrap();
    let added = stage.add(stage.bind(&to(8.0)).additive().with_repeat(Repeat::Once));
    stage.update(1.0);
    assert_eq!(stage.x(0), 28.0);
    let other = stage.bind(&at([1.0]));
    stage.mixer.fade_to(other, 0.5, &stage.graph, &stage.weights);
    stage.update(0.5);
    assert_eq!((stage.x(0), stage.mixer.is_fading_out(added)), (9.0, false));
}

// ---- masks ----

#[test]
fn a_mask_says_how_much_each_node_is_moved() {
    let mut stage = Stage::new(4);
    let [a, b, c, _] = stage.nodes[..] else { unreachable!() };
    stage.add(stage.bind(&at([1.0, 1.0, 1.0, 1.0])));
    let mask = Mask::none().with(a, 1.0).with(b, 0.5).with(c, 1e-9);
    let high = stage.bind(&at([5.0, 5.0, 5.0, 5.0])).with_priority(1).with_mask(mask);
    let high = stage.add(high);
    stage.update(0.0);
    assert_eq!([0, 1, 2, 3].map(|node| stage.x(node)), [5.0, 3.0, 1.0, 1.0]);

    let mask = Mask::all().with(a, 0.0);
    assert!(stage.mixer.set_mask(high, mask, &stage.graph, &stage.weights));
    stage.update(0.0);
    assert_eq!([0, 1, 2, 3].map(|node| stage.x(node)), [1.0, 5.0, 5.0, 5.0]);
}

#[test]
fn a_mask_below_a_node_moves_that_part_of_the_tree_only() {
    let mut stage = Stage::new(4);
    let [hips, spine, head, leg] = stage.nodes[..] else { unreachable!() };
    for (child, parent) in [(spine, hips), (head, spine), (leg, hips)] {
        stage.graph.attach(child, parent).unwrap();
    }
    let mask = Mask::subtree(&stage.graph, spine).unwrap();
    stage.add(stage.bind(&at([1.0, 2.0, 3.0, 4.0])).with_mask(mask));
    assert_eq!(stage.update(0.0).transformed, 2);
    assert_eq!([0, 1, 2, 3].map(|node| stage.x(node)), [0.0, 2.0, 3.0, 0.0]);
    stage.graph.remove(leg).unwrap();
    assert!(Mask::subtree(&stage.graph, leg).is_err());
}

// ---- what is written ----

#[test]
fn only_what_moves_is_changed() {
    let mut stage = Stage::new(3);
    stage.add(stage.bind(&at([0.0, 1.0, 2.0]))); // the first is there already
    let moving = to(10.0);
    let third = Binding::new(moving, [stage.nodes[2]]).unwrap();
    stage.add(BlendLayer::new(third).with_priority(1).with_repeat(Repeat::Once));
    stage.changed();
    assert_eq!(stage.update(0.25).transformed, 2);
    assert_eq!(stage.changed(), stage.nodes[1..]);
    assert_eq!(stage.update(0.25).transformed, 1);
    assert_eq!(stage.changed(), stage.nodes[2..]);
    stage.update(1.0);
    stage.changed();
    // It has finished: nothing moves any more.
    assert_eq!(stage.update(0.25), PoseStats::default());
    assert_eq!(stage.changed(), []);
}

#[test]
fn properties_without_a_channel_stay_their_owners() {
    let mut stage = Stage::new(1);
    stage.add(stage.bind(&turned(Quat::from_rotation_x(1.0))));
    stage.update(0.0);
    let node = stage.nodes[0];
    stage.graph.node_mut(node).unwrap().set_translation(Vec3::Y).unwrap();
    stage.graph.node_mut(node).unwrap().set_scale(Vec3::splat(2.0)).unwrap();
    stage.update(0.1);
    let expected = Transform::from_translation(Vec3::Y)
        .with_rotation(Quat::from_rotation_x(1.0))
        .with_scale(Vec3::splat(2.0));
    assert_eq!(stage.transform(0), expected);
}

#[test]
fn a_paused_layer_holds_its_pose_against_edits() {
    let mut stage = Stage::new(1);
    let layer = stage.add(stage.bind(&to(10.0)));
    stage.update(0.5);
    stage.mixer.player_mut(layer).unwrap().pause();
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::ONE).unwrap();
    assert_eq!(stage.update(0.5).transformed, 1);
    assert_eq!(stage.x(0), 5.0);
}

#[test]
fn an_animated_translation_keeps_a_local_matrix_and_a_rotation_ends_it() {
    let mut sheared = Mat4::from_scale(Vec3::splat(2.0));
    sheared.y_axis = Vec4::new(0.5, 1.0, 0.0, 0.0);
    let mut stage = Stage::new(1);
    let node = stage.nodes[0];
    stage.graph.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    let slide = stage.add(stage.bind(&to(8.0)));
    stage.update(0.5);
    let view = stage.graph.node(node).unwrap();
    assert!(view.has_local_matrix());
    assert_eq!(view.local_matrix().y_axis, sheared.y_axis);
    assert_eq!(view.translation(), Vec3::X * 4.0);
    stage.mixer.player_mut(slide).unwrap().pause();
    assert_eq!(stage.update(0.5).transformed, 0);

    let turn = Quat::from_rotation_z(1.0);
    let scale = view_scale(&stage, node);
    stage.add(stage.bind(&turned(turn)));
    stage.update(0.0);
    let view = stage.graph.node(node).unwrap();
    assert!(!view.has_local_matrix());
    assert_eq!((view.rotation(), view.scale(), view.translation()), (turn, scale, Vec3::X * 4.0));
}

fn view_scale(stage: &Stage, node: NodeId) -> Vec3 {
    stage.graph.node(node).unwrap().scale()
}

#[test]
fn taking_the_rest_pose_anew_changes_where_fading_out_leads() {
    let mut stage = Stage::new(1);
    let layer = stage.add(stage.bind(&at([1.0])).with_weight(0.0));
    stage.update(0.0);
    stage.graph.node_mut(stage.nodes[0]).unwrap().set_translation(Vec3::X * 9.0).unwrap();
    stage.mixer.capture_rest_pose(&stage.graph, &stage.weights);
    stage.mixer.player_mut(layer).unwrap().set_weight(0.5);
    stage.update(0.0);
    assert_eq!(stage.x(0), 5.0);
}

#[test]
fn a_cleared_mixer_leaves_everything_where_it_is() {
    let mut stage = Stage::new(1);
    let layer = stage.add(stage.bind(&at([4.0])));
    stage.update(0.0);
    stage.mixer.clear();
    assert_eq!(stage.update(0.1), PoseStats::default());
    assert_eq!(stage.x(0), 4.0);
    assert_ne!(stage.add(stage.bind(&at([5.0]))), layer, "no handle comes again");
}

#[test]
fn the_three_steps_make_what_update_makes() {
    let build = || {
        let mut stage = Stage::new(3);
        stage.add(stage.bind(&to(3.0)));
        stage.add(stage.bind(&at([1.0, 2.0, 3.0])).with_weight(0.7));
        stage.add(stage.bind(&turned(Quat::from_rotation_x(1.0))).with_weight(0.4));
        stage.add(stage.bind(&to(2.0)).additive().with_speed(1.7));
        stage
    };
    let (mut whole, mut steps) = (build(), build());
    for _ in 0..50 {
        whole.update(0.03);
        steps.mixer.advance(0.03);
        let mixer = &mut steps.mixer;
        std::thread::scope(|scope| scope.spawn(|| mixer.sample()).join().unwrap());
        steps.mixer.write(&mut steps.graph, &mut steps.weights);
        for node in 0..3 {
            assert_eq!(whole.transform(node), steps.transform(node));
        }
    }
}

// ---- morph weights ----

fn morph(first: [f32; 2], last: [f32; 2]) -> Arc<Clip> {
    let values = [first, last].concat();
    let channel = Channel::weights(0, Interpolation::Linear, [0.0, 1.0], values).unwrap();
    Arc::new(Clip::new("morph", ["face"], [channel]).unwrap())
}

#[test]
fn morph_weights_go_to_the_map_and_say_when_they_changed() {
    let mut stage = Stage::new(1);
    let face = stage.nodes[0];
    let smile = morph([0.0, 1.0], [1.0, 0.0]);
    let layer = stage.add(stage.bind(&smile).with_repeat(Repeat::Once));
    let written = stage.update(0.25);
    assert_eq!((written.transformed, written.morphed, written.dead), (0, 1, 0));
    assert_eq!(stage.weights.get(&stage.graph, face), Some(&vec![0.25, 0.75]));
    assert_eq!(stage.mixer.weights_changed(), [face]);
    stage.mixer.player_mut(layer).unwrap().pause();
    assert_eq!(stage.update(0.25).morphed, 0);
    assert!(stage.mixer.weights_changed().is_empty());
    assert!(stage.changed() == [face] && stage.changed().is_empty(), "no transform was touched");
}

#[test]
fn morph_weights_are_mixed_faded_and_added_like_everything_else() {
    let mut stage = Stage::new(1);
    let face = stage.nodes[0];
    stage.weights.insert(&stage.graph, face, vec![0.5, 0.5, 0.25]).unwrap();
    let first = stage.add(stage.bind(&morph([1.0, 0.0], [1.0, 0.0])).with_weight(0.5));
    stage.update(0.0);
    let now = |stage: &Stage| stage.weights.get(&stage.graph, face).unwrap().clone();
    assert_eq!(now(&stage), [0.75, 0.25, 0.25], "half at rest; the third is not its own");
    let second = stage.add(stage.bind(&morph([0.0, 1.0], [0.0, 1.0])).with_weight(0.5));
    stage.update(0.0);
    assert_eq!(now(&stage), [0.5, 0.5, 0.25]);
    let added = stage.bind(&morph([0.0, 0.0], [2.0, 4.0])).additive().with_weight(0.5);
    let added = stage.add(added.with_repeat(Repeat::Once));
    stage.update(0.5);
    assert_eq!(now(&stage), [1.0, 1.5, 0.25]);
    for layer in [first, second, added] {
        stage.mixer.remove(layer);
    }
    stage.update(0.0);
    assert_eq!(now(&stage), [0.5, 0.5, 0.25], "at rest again");
}

#[test]
fn clips_with_different_numbers_of_weights_share_a_node() {
    let mut stage = Stage::new(1);
    let face = stage.nodes[0];
    stage.weights.insert(&stage.graph, face, vec![0.0, 0.0, 0.5]).unwrap();
    stage.add(stage.bind(&morph([1.0, 1.0], [1.0, 1.0])));
    stage.update(0.0);
    let three = Channel::weights(0, Interpolation::Step, [0.0], [0.0, 0.0, 1.0]).unwrap();
    let three = Arc::new(Clip::new("three", ["face"], [three]).unwrap());
    stage.add(stage.bind(&three));
    stage.update(0.0);
    assert_eq!(stage.weights.get(&stage.graph, face), Some(&vec![0.5, 0.5, 0.75]));
}

#[test]
fn everything_can_be_sent_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Mixer>();
    check::<Clip>();
    check::<BlendLayer>();
}
