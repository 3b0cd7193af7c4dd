//! Mixers: blending of layers, fades, masks, and which properties are written.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use pleach::animation::{
    Binding, Blend, BlendLayer, Channel, Clip, Interpolation, Mask, Mixer, PoseStats, Reference,
    Repeat,
};
use pleach::glam::{Mat4, Quat, Vec3, Vec4};
use pleach::{MorphWeights, Table};
use pleach_graph::{Graph, NodeId, Transform};

/// A graph with several nodes, and a mixer for them.
struct Rig {
    graph: Graph,
    weights: Table<MorphWeights>,
    nodes: Vec<NodeId>,
    mixer: Mixer,
}

impl Rig {
    fn new(nodes: usize) -> Self {
        let mut graph = Graph::new();
        let add = |_| graph.add_root(Transform::IDENTITY).unwrap();
        let nodes = (0..nodes).map(add).collect();
        Self { graph, weights: Table::new(), nodes, mixer: Mixer::new() }
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

/// Returns a clip of a constant pose: the x coordinates of the first nodes.
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

/// Returns a clip that moves the first node from 0 to `x` in one second.
fn to(x: f32) -> Arc<Clip> {
    let values = [Vec3::ZERO, Vec3::new(x, 0.0, 0.0)];
    let channel = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], values).unwrap();
    Arc::new(Clip::new("to", ["node"], [channel]).unwrap())
}

fn rotating(interpolation: Interpolation, times: Vec<f32>, rotations: Vec<Quat>) -> Arc<Clip> {
    let channel = Channel::rotation(0, interpolation, times, rotations).unwrap();
    Arc::new(Clip::new("rotate", ["node"], [channel]).unwrap())
}

fn rotated(rotation: Quat) -> Arc<Clip> {
    rotating(Interpolation::Step, vec![0.0], vec![rotation])
}

// ---- weights ----

#[test]
fn single_layer_of_full_weight_equals_its_clip_bit_for_bit() {
    let mut rig = Rig::new(1);
    let rotations = vec![Quat::from_rotation_x(0.1), Quat::from_rotation_y(2.0)];
    let clip = rotating(Interpolation::Linear, vec![0.0, 1.0], rotations);
    let pleach::animation::Track::Rotation(curve) = clip.channels()[0].track() else { panic!() };
    rig.add(rig.bind(&clip).with_repeat(Repeat::Once));
    for frame in 1..=70 {
        rig.update(1.0 / 64.0);
        let seconds = (frame as f32 / 64.0).min(1.0);
        assert_eq!(rig.transform(0).rotation, curve.sample(seconds), "{frame}");
    }
}

#[test]
fn weights_that_sum_to_more_than_one_are_normalized() {
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&at([10.0])));
    rig.add(rig.bind(&at([40.0])).with_weight(0.5));
    rig.update(0.0);
    assert!((rig.x(0) - 20.0).abs() < 1e-5); // (10 + 40/2) / 1.5
}

#[test]
fn weights_that_sum_to_less_than_one_blend_with_the_rest_pose() {
    let mut rig = Rig::new(1);
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::X * 100.0).unwrap();
    rig.add(rig.bind(&at([10.0])).with_weight(0.25));
    rig.add(rig.bind(&at([20.0])).with_weight(0.25));
    rig.update(0.0);
    assert!((rig.x(0) - 57.5).abs() < 1e-5); // half of 15, half of 100
}

#[test]
fn higher_priority_is_blended_over_a_lower_one_by_its_weight() {
    let mut rig = Rig::new(2);
    let high = rig.add(rig.bind(&at([8.0])).with_priority(5).with_weight(0.25));
    rig.add(rig.bind(&at([4.0, 4.0]))); // added later, but with a lower priority
    rig.update(0.0);
    assert_eq!((rig.x(0), rig.x(1)), (5.0, 4.0));
    rig.mixer.player_mut(high).unwrap().set_weight(1.0);
    rig.update(0.0);
    assert_eq!((rig.x(0), rig.x(1)), (8.0, 4.0));
}

#[test]
fn rotations_are_averaged_along_the_shortest_path_for_all_signs() {
    let (a, b) = (Quat::from_rotation_z(0.2), Quat::from_rotation_z(1.0));
    for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let mut rig = Rig::new(1);
        rig.add(rig.bind(&rotated(a * signs[0])));
        rig.add(rig.bind(&rotated(b * signs[1])));
        rig.update(0.0);
        let middle = rig.transform(0).rotation;
        assert!(middle.dot(Quat::from_rotation_z(0.6)).abs() > 1.0 - 1e-6, "{signs:?}");
    }
    // The average of opposite rotations is a rotation as well.
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&rotated(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0))));
    rig.add(rig.bind(&rotated(Quat::from_xyzw(0.0, 1.0, 0.0, 0.0))));
    rig.update(0.0);
    assert!((rig.transform(0).rotation.length() - 1.0).abs() < 1e-6);
}

#[test]
fn average_of_equal_layers_is_exact_for_any_weight() {
    let mut rig = Rig::new(1);
    let clip = at([0.1]);
    rig.add(rig.bind(&clip));
    let second = rig.add(rig.bind(&clip));
    for step in 0..=10 {
        rig.mixer.player_mut(second).unwrap().set_weight(step as f32 / 10.0);
        rig.update(0.0);
        assert_eq!(rig.x(0), 0.1);
    }
}

// ---- fading ----

#[test]
fn cross_fade_weights_sum_to_one() {
    let mut rig = Rig::new(1);
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::X * -1e6).unwrap();
    let first = rig.add(rig.bind(&at([10.0])));
    rig.update(0.1);
    let second = rig.bind(&at([20.0]));
    let second = rig.mixer.fade_to(second, 0.5, &rig.graph, &rig.weights);
    assert!(rig.mixer.is_fading_out(first) && !rig.mixer.is_fading_out(second));
    for step in 1..=50 {
        rig.update(0.01);
        let fraction = step as f32 / 50.0;
        // The rest pose, at a distance of 1e6, has no influence.
        assert!((rig.x(0) - (10.0 + 10.0 * fraction)).abs() < 1e-3, "{step}: {}", rig.x(0));
    }
    rig.update(0.01);
    assert_eq!(rig.x(0), 20.0);
    assert!(rig.mixer.layer(first).is_none(), "a layer is removed when it has faded out");
    assert_eq!(rig.mixer.layers().len(), 1);
}

#[test]
fn interrupted_cross_fade_is_continuous() {
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&at([0.0])));
    for goal in [10.0, -10.0, 30.0, 5.0] {
        let next = rig.bind(&at([goal]));
        rig.mixer.fade_to(next, 1.0, &rig.graph, &rig.weights);
        let before = rig.x(0);
        rig.update(0.001);
        assert!((rig.x(0) - before).abs() < 0.1);
        for _ in 0..300 {
            rig.update(0.001);
        }
    }
    for _ in 0..1_000 {
        rig.update(0.001);
    }
    assert_eq!((rig.x(0), rig.mixer.layers().len()), (5.0, 1));
}

#[test]
fn fading_out_returns_to_the_rest_pose_and_releases_the_node() {
    let mut rig = Rig::new(1);
    let rest = Transform::from_xyz(7.0, 8.0, 9.0);
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_transform(rest).unwrap();
    let layer = rig.add(rig.bind(&to(100.0)));
    assert_eq!(rig.mixer.rest_pose(rig.nodes[0]), Some(rest));
    rig.update(0.5);
    assert_eq!(rig.x(0), 50.0);
    assert!(rig.mixer.fade_out(layer, 0.5));
    rig.update(0.25);
    let half = rig.x(0);
    assert!((half - (75.0 + 7.0) / 2.0).abs() < 1e-4, "{half}");
    rig.update(0.25);
    assert_eq!(rig.transform(0), rest);
    assert!(!rig.mixer.fade_out(layer, 0.5), "the layer was removed");

    // The node can now be edited freely.
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::ZERO).unwrap();
    assert_eq!(rig.update(0.1), PoseStats::default());
    assert_eq!(rig.x(0), 0.0);
}

#[test]
fn removing_a_layer_returns_its_nodes_to_the_rest_pose_once() {
    let mut rig = Rig::new(1);
    let layer = rig.add(rig.bind(&at([3.0])));
    rig.update(0.0);
    assert!(rig.mixer.remove(layer) && !rig.mixer.remove(layer));
    rig.update(0.0);
    assert_eq!(rig.x(0), 0.0);
    assert!(rig.mixer.player_mut(layer).is_none() && rig.mixer.layer(layer).is_none());
}

#[test]
fn cross_fade_without_duration_is_immediate() {
    let mut rig = Rig::new(1);
    let first = rig.add(rig.bind(&at([1.0])));
    let second = rig.bind(&at([2.0]));
    rig.mixer.fade_to(second, 0.0, &rig.graph, &rig.weights);
    rig.update(0.0);
    assert_eq!(rig.x(0), 2.0);
    assert!(rig.mixer.layer(first).is_none());
}

#[test]
fn layer_can_be_faded_to_any_level_and_back_in() {
    let mut rig = Rig::new(1);
    let layer = rig.add(rig.bind(&at([8.0])));
    assert!(rig.mixer.fade(layer, 0.5, 1.0));
    rig.update(2.0);
    assert_eq!((rig.x(0), rig.mixer.fade_level(layer)), (4.0, Some(0.5)));
    rig.mixer.fade_out(layer, 1.0);
    rig.update(0.5);
    assert!(rig.mixer.fade(layer, 1.0, 0.5), "faded in again while fading out");
    rig.update(1.0);
    assert_eq!((rig.x(0), rig.mixer.is_fading_out(layer)), (8.0, false));
}

// ---- additive ----

#[test]
fn additive_layer_with_zero_difference_changes_no_bit() {
    let rotation = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9273618);
    let odd = Quat::from_xyzw(0.5, -0.5, 0.5, 0.5);
    for reference in [Reference::FirstKey, Reference::At(0.7)] {
        let mut rig = Rig::new(1);
        rig.add(rig.bind(&rotated(rotation)));
        let still = rotating(Interpolation::Linear, vec![0.0, 1.0], vec![odd; 2]);
        let still = rig.bind(&still).with_blend(Blend::Add(reference));
        rig.add(still.with_weight(0.3));
        for _ in 0..5 {
            rig.update(0.21);
            assert_eq!(rig.transform(0).rotation, rotation, "{reference:?}");
        }
    }
}

#[test]
fn additive_layer_adds_its_difference_to_other_layers() {
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&at([100.0])));
    // From 3 to 5: the difference is at most 2.
    let values = [Vec3::X * 3.0, Vec3::X * 5.0];
    let lean = Channel::translation(0, Interpolation::Linear, [0.0, 1.0], values).unwrap();
    let scale = [Vec3::splat(2.0), Vec3::splat(3.0)];
    let swell = Channel::scale(0, Interpolation::Linear, [0.0, 1.0], scale).unwrap();
    let quarter = [Quat::from_rotation_x(1.0), Quat::from_rotation_x(1.0 + FRAC_PI_2)];
    let roll = Channel::rotation(0, Interpolation::Linear, [0.0, 1.0], quarter).unwrap();
    let clip = Arc::new(Clip::new("lean", ["node"], [lean, swell, roll]).unwrap());
    let layer = rig.add(rig.bind(&clip).with_repeat(Repeat::Once).additive());
    rig.update(0.5);
    let half = rig.transform(0);
    assert_eq!((half.translation.x, half.scale), (101.0, Vec3::splat(1.5)));
    assert!(half.rotation.abs_diff_eq(Quat::from_rotation_x(FRAC_PI_2 / 2.0), 1e-6));
    rig.mixer.player_mut(layer).unwrap().set_weight(0.5);
    rig.update(0.5);
    let end = rig.transform(0);
    assert_eq!((end.translation.x, end.scale), (101.0, Vec3::splat(1.5)));
    assert!(end.rotation.abs_diff_eq(Quat::from_rotation_x(FRAC_PI_2 / 2.0), 1e-6));
}

#[test]
fn additive_rotation_is_about_the_local_axes() {
    let (base, more) = (Quat::from_rotation_z(FRAC_PI_2), Quat::from_rotation_x(0.5));
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&rotated(base)));
    let clip = rotating(Interpolation::Step, vec![0.0, 0.5, 1.0], vec![Quat::IDENTITY, more, more]);
    rig.add(rig.bind(&clip).additive().with_repeat(Repeat::Once));
    rig.update(0.75);
    assert!(rig.transform(0).rotation.abs_diff_eq(base * more, 1e-6));
}

#[test]
fn reference_pose_is_a_time_or_the_rest_pose() {
    for (reference, expected) in [
        (Reference::FirstKey, 50.0 + 8.0),
        (Reference::At(0.25), 50.0 + 6.0),
        (Reference::RestPose, 50.0 + 8.0 - 20.0),
    ] {
        let mut rig = Rig::new(1);
        rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::X * 20.0).unwrap();
        rig.add(rig.bind(&at([50.0])));
        let added = rig.bind(&to(8.0)).with_blend(Blend::Add(reference));
        rig.add(added.with_repeat(Repeat::Once));
        rig.update(1.0);
        assert_eq!(rig.x(0), expected, "{reference:?}");
    }
}

#[test]
fn additive_layer_adds_to_the_rest_pose_and_is_kept_by_a_cross_fade() {
    let mut rig = Rig::new(1);
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::X * 20.0).unwrap();
    let added = rig.add(rig.bind(&to(8.0)).additive().with_repeat(Repeat::Once));
    rig.update(1.0);
    assert_eq!(rig.x(0), 28.0);
    let other = rig.bind(&at([1.0]));
    rig.mixer.fade_to(other, 0.5, &rig.graph, &rig.weights);
    rig.update(0.5);
    assert_eq!((rig.x(0), rig.mixer.is_fading_out(added)), (9.0, false));
}

// ---- masks ----

#[test]
fn mask_weights_are_applied_per_node() {
    let mut rig = Rig::new(4);
    let [a, b, c, _] = rig.nodes[..] else { unreachable!() };
    rig.add(rig.bind(&at([1.0, 1.0, 1.0, 1.0])));
    let mask = Mask::none().with(a, 1.0).with(b, 0.5).with(c, 1e-9);
    let high = rig.bind(&at([5.0, 5.0, 5.0, 5.0])).with_priority(1).with_mask(mask);
    let high = rig.add(high);
    rig.update(0.0);
    assert_eq!([0, 1, 2, 3].map(|node| rig.x(node)), [5.0, 3.0, 1.0, 1.0]);

    let mask = Mask::all().with(a, 0.0);
    assert!(rig.mixer.set_mask(high, mask, &rig.graph, &rig.weights));
    rig.update(0.0);
    assert_eq!([0, 1, 2, 3].map(|node| rig.x(node)), [1.0, 5.0, 5.0, 5.0]);
}

#[test]
fn subtree_mask_animates_only_the_subtree() {
    let mut rig = Rig::new(4);
    let [hips, spine, head, leg] = rig.nodes[..] else { unreachable!() };
    for (child, parent) in [(spine, hips), (head, spine), (leg, hips)] {
        rig.graph.attach(child, parent).unwrap();
    }
    let mask = Mask::subtree(&rig.graph, spine).unwrap();
    rig.add(rig.bind(&at([1.0, 2.0, 3.0, 4.0])).with_mask(mask));
    assert_eq!(rig.update(0.0).transformed, 2);
    assert_eq!([0, 1, 2, 3].map(|node| rig.x(node)), [0.0, 2.0, 3.0, 0.0]);
    rig.graph.remove(leg).unwrap();
    assert!(Mask::subtree(&rig.graph, leg).is_err());
}

// ---- writing ----

#[test]
fn only_moving_nodes_are_changed() {
    let mut rig = Rig::new(3);
    rig.add(rig.bind(&at([0.0, 1.0, 2.0]))); // the first does not move
    let moving = to(10.0);
    let third = Binding::new(moving, [rig.nodes[2]]).unwrap();
    rig.add(BlendLayer::new(third).with_priority(1).with_repeat(Repeat::Once));
    rig.changed();
    assert_eq!(rig.update(0.25).transformed, 2);
    assert_eq!(rig.changed(), rig.nodes[1..]);
    assert_eq!(rig.update(0.25).transformed, 1);
    assert_eq!(rig.changed(), rig.nodes[2..]);
    rig.update(1.0);
    rig.changed();
    // The clip has finished: nothing moves.
    assert_eq!(rig.update(0.25), PoseStats::default());
    assert_eq!(rig.changed(), []);
}

#[test]
fn properties_without_a_channel_are_never_written() {
    let mut rig = Rig::new(1);
    rig.add(rig.bind(&rotated(Quat::from_rotation_x(1.0))));
    rig.update(0.0);
    let node = rig.nodes[0];
    rig.graph.node_mut(node).unwrap().set_translation(Vec3::Y).unwrap();
    rig.graph.node_mut(node).unwrap().set_scale(Vec3::splat(2.0)).unwrap();
    rig.update(0.1);
    let expected = Transform::from_translation(Vec3::Y)
        .with_rotation(Quat::from_rotation_x(1.0))
        .with_scale(Vec3::splat(2.0));
    assert_eq!(rig.transform(0), expected);
}

#[test]
fn paused_layer_overwrites_edits() {
    let mut rig = Rig::new(1);
    let layer = rig.add(rig.bind(&to(10.0)));
    rig.update(0.5);
    rig.mixer.player_mut(layer).unwrap().pause();
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::ONE).unwrap();
    assert_eq!(rig.update(0.5).transformed, 1);
    assert_eq!(rig.x(0), 5.0);
}

#[test]
fn animated_translation_keeps_a_local_matrix_and_rotation_replaces_it() {
    let mut sheared = Mat4::from_scale(Vec3::splat(2.0));
    sheared.y_axis = Vec4::new(0.5, 1.0, 0.0, 0.0);
    let mut rig = Rig::new(1);
    let node = rig.nodes[0];
    rig.graph.node_mut(node).unwrap().set_local_matrix(sheared).unwrap();
    let slide = rig.add(rig.bind(&to(8.0)));
    rig.update(0.5);
    let view = rig.graph.node(node).unwrap();
    assert!(view.has_local_matrix());
    assert_eq!(view.local_matrix().y_axis, sheared.y_axis);
    assert_eq!(view.translation(), Vec3::X * 4.0);
    rig.mixer.player_mut(slide).unwrap().pause();
    assert_eq!(rig.update(0.5).transformed, 0);

    let rotation = Quat::from_rotation_z(1.0);
    let scale = view_scale(&rig, node);
    rig.add(rig.bind(&rotated(rotation)));
    rig.update(0.0);
    let view = rig.graph.node(node).unwrap();
    assert!(!view.has_local_matrix());
    assert_eq!(
        (view.rotation(), view.scale(), view.translation()),
        (rotation, scale, Vec3::X * 4.0)
    );
}

fn view_scale(rig: &Rig, node: NodeId) -> Vec3 {
    rig.graph.node(node).unwrap().scale()
}

#[test]
fn captured_rest_pose_replaces_the_old_one() {
    let mut rig = Rig::new(1);
    let layer = rig.add(rig.bind(&at([1.0])).with_weight(0.0));
    rig.update(0.0);
    rig.graph.node_mut(rig.nodes[0]).unwrap().set_translation(Vec3::X * 9.0).unwrap();
    rig.mixer.capture_rest_pose(&rig.graph, &rig.weights);
    rig.mixer.player_mut(layer).unwrap().set_weight(0.5);
    rig.update(0.0);
    assert_eq!(rig.x(0), 5.0);
}

#[test]
fn cleared_mixer_leaves_the_nodes_unchanged() {
    let mut rig = Rig::new(1);
    let layer = rig.add(rig.bind(&at([4.0])));
    rig.update(0.0);
    rig.mixer.clear();
    assert_eq!(rig.update(0.1), PoseStats::default());
    assert_eq!(rig.x(0), 4.0);
    assert_ne!(rig.add(rig.bind(&at([5.0]))), layer, "handles are not reused");
}

#[test]
fn advance_sample_and_write_equal_update() {
    let build = || {
        let mut rig = Rig::new(3);
        rig.add(rig.bind(&to(3.0)));
        rig.add(rig.bind(&at([1.0, 2.0, 3.0])).with_weight(0.7));
        rig.add(rig.bind(&rotated(Quat::from_rotation_x(1.0))).with_weight(0.4));
        rig.add(rig.bind(&to(2.0)).additive().with_speed(1.7));
        rig
    };
    let (mut combined, mut steps) = (build(), build());
    for _ in 0..50 {
        combined.update(0.03);
        steps.mixer.advance(0.03);
        let mixer = &mut steps.mixer;
        std::thread::scope(|scope| scope.spawn(|| mixer.sample()).join().unwrap());
        steps.mixer.write(&mut steps.graph, &mut steps.weights);
        for node in 0..3 {
            assert_eq!(combined.transform(node), steps.transform(node));
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
fn morph_weights_are_written_and_their_changes_reported() {
    let mut rig = Rig::new(1);
    let face = rig.nodes[0];
    let smile = morph([0.0, 1.0], [1.0, 0.0]);
    let layer = rig.add(rig.bind(&smile).with_repeat(Repeat::Once));
    let written = rig.update(0.25);
    assert_eq!((written.transformed, written.morphed, written.dead), (0, 1, 0));
    assert_eq!(rig.weights.get(&rig.graph, face), Some(&MorphWeights(vec![0.25, 0.75])));
    assert_eq!(rig.mixer.weights_changed(), [face]);
    rig.mixer.player_mut(layer).unwrap().pause();
    assert_eq!(rig.update(0.25).morphed, 0);
    assert!(rig.mixer.weights_changed().is_empty());
    assert!(rig.changed() == [face] && rig.changed().is_empty(), "no transform changed");
}

#[test]
fn morph_weights_are_blended_faded_and_added() {
    let mut rig = Rig::new(1);
    let face = rig.nodes[0];
    rig.weights.insert(&rig.graph, face, vec![0.5, 0.5, 0.25].into()).unwrap();
    let first = rig.add(rig.bind(&morph([1.0, 0.0], [1.0, 0.0])).with_weight(0.5));
    rig.update(0.0);
    let current = |rig: &Rig| rig.weights.get(&rig.graph, face).unwrap().0.clone();
    assert_eq!(
        current(&rig),
        [0.75, 0.25, 0.25],
        "half of the rest pose; the third weight is not animated"
    );
    let second = rig.add(rig.bind(&morph([0.0, 1.0], [0.0, 1.0])).with_weight(0.5));
    rig.update(0.0);
    assert_eq!(current(&rig), [0.5, 0.5, 0.25]);
    let added = rig.bind(&morph([0.0, 0.0], [2.0, 4.0])).additive().with_weight(0.5);
    let added = rig.add(added.with_repeat(Repeat::Once));
    rig.update(0.5);
    assert_eq!(current(&rig), [1.0, 1.5, 0.25]);
    for layer in [first, second, added] {
        rig.mixer.remove(layer);
    }
    rig.update(0.0);
    assert_eq!(current(&rig), [0.5, 0.5, 0.25], "the rest pose");
}

#[test]
fn clips_with_different_weight_counts_can_share_a_node() {
    let mut rig = Rig::new(1);
    let face = rig.nodes[0];
    rig.weights.insert(&rig.graph, face, vec![0.0, 0.0, 0.5].into()).unwrap();
    rig.add(rig.bind(&morph([1.0, 1.0], [1.0, 1.0])));
    rig.update(0.0);
    let three = Channel::weights(0, Interpolation::Step, [0.0], [0.0, 0.0, 1.0]).unwrap();
    let three = Arc::new(Clip::new("three", ["face"], [three]).unwrap());
    rig.add(rig.bind(&three));
    rig.update(0.0);
    assert_eq!(rig.weights.get(&rig.graph, face), Some(&MorphWeights(vec![0.5, 0.5, 0.75])));
}

#[test]
fn animation_types_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Mixer>();
    check::<Clip>();
    check::<BlendLayer>();
}
