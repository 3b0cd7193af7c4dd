//! Constraints: nodes that turn with others, in the same update, in whatever order they were
//! tied; and what cannot be tied.

mod common;

use common::figure::arm;
use common::{Random, spawn_cube, world};
use pleach::glam::{DVec3, Quat, Vec3};
use pleach::{Camera, Constraint, Filter, Node, NodeId, Ray, Scene, SceneUpdate, Transform};

fn look(target: NodeId) -> Constraint {
    Constraint::LookAt { target, up: Vec3::Z }
}

fn tie(scene: &mut Scene, node: NodeId, constraint: Constraint) {
    scene.constraints.set(&scene.graph, node, constraint).unwrap();
}

fn put(scene: &mut Scene, node: NodeId, at: Vec3) {
    scene.graph.node_mut(node).unwrap().set_translation(at).unwrap();
}

fn spawn_at(scene: &mut Scene, under: NodeId, at: Vec3) -> NodeId {
    scene.spawn(Node::group().under(under).at(at)).unwrap()
}

fn place(scene: &Scene, node: NodeId) -> DVec3 {
    world(scene, node).w_axis.truncate()
}

/// Which way an own axis of a node points in the world, from local transforms alone.
fn axis(scene: &Scene, node: NodeId, own: DVec3) -> DVec3 {
    world(scene, node).transform_vector3(own).normalize()
}

/// How much its −Z points beside another node: 0 if it looks at it.
fn beside(scene: &Scene, node: NodeId, target: NodeId) -> f64 {
    let to_target = (place(scene, target) - place(scene, node)).normalize();
    axis(scene, node, DVec3::NEG_Z).cross(to_target).length()
        + (1.0 - axis(scene, node, DVec3::NEG_Z).dot(to_target)).max(0.0)
}

#[track_caller]
fn assert_looks(scene: &Scene, node: NodeId, target: NodeId) {
    let beside = beside(scene, node, target);
    assert!(beside < 1e-5, "{node} looks beside {target} by {beside}");
}

/// How many of all constraints do not look where they should.
fn astray(scene: &Scene) -> usize {
    let rows = scene.constraints.iter(&scene.graph);
    rows.filter(|(node, row)| beside(scene, *node, row.target()) > 1e-4).count()
}

// ---- what each does ----

#[test]
fn a_node_looks_at_another_from_under_any_parent() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let parent = Node::group().with_transform(random.transform(5.0));
        let parent = scene.spawn(parent).unwrap();
        let (eye, target) = (spawn_at(&mut scene, parent, random.vec3(3.0)), scene.root());
        let other = Node::group().with_transform(random.transform(5.0));
        let other = scene.spawn(other).unwrap();
        let target = spawn_at(&mut scene, if random.one_in(2) { target } else { other }, Vec3::X);
        tie(&mut scene, eye, look(target));
        for _ in 0..4 {
            put(&mut scene, target, random.vec3(5.0));
            scene.update().unwrap();
            assert_looks(&scene, eye, target);
            assert_eq!(scene.constraints.left_out(), 0);
        }
    }
}

#[test]
fn up_is_up_for_who_looks_and_for_who_faces() {
    let mut random = Random::new(2);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let pose = Transform {
            translation: random.vec3(5.0),
            rotation: random.rotation(),
            scale: Vec3::splat(random.between(0.5, 2.0)),
        };
        let parent = scene.spawn(Node::group().with_transform(pose)).unwrap();
        let [eye, model] = [(); 2].map(|()| spawn_at(&mut scene, parent, random.vec3(3.0)));
        let target = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction();
        tie(&mut scene, eye, Constraint::LookAt { target, up });
        tie(&mut scene, model, Constraint::Face { target, up });
        scene.update().unwrap();
        for (node, ahead, above) in [(eye, DVec3::NEG_Z, DVec3::Y), (model, DVec3::NEG_Y, DVec3::Z)]
        {
            let to_target = (place(&scene, target) - place(&scene, node)).normalize();
            assert!(axis(&scene, node, ahead).abs_diff_eq(to_target, 1e-5));
            let above = axis(&scene, node, above);
            let side = to_target.cross(up.as_dvec3()).normalize();
            assert!(above.dot(side).abs() < 1e-5, "in the plane of its direction and up");
            assert!(above.dot(up.as_dvec3()) > 0.0, "not upside down");
        }
    }
}

#[test]
fn a_billboard_is_parallel_to_the_picture() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = Node::camera(Camera::default())
            .with_transform(Transform { scale: Vec3::ONE, ..random.transform(5.0) });
        let camera = scene.spawn(camera).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let sprite = spawn_at(&mut scene, parent, random.vec3(3.0));
        tie(&mut scene, sprite, Constraint::Billboard { camera });
        for _ in 0..3 {
            scene.update().unwrap();
            for own in [DVec3::X, DVec3::Y, DVec3::Z] {
                let expected = axis(&scene, camera, own);
                assert!(axis(&scene, sprite, own).abs_diff_eq(expected, 1e-5), "{own}");
            }
            let turn = random.rotation();
            scene.graph.node_mut(camera).unwrap().set_rotation(turn).unwrap();
        }
    }
}

#[test]
fn an_upright_node_turns_about_its_axis_only() {
    let mut random = Random::new(4);
    for _ in 0..50 {
        let mut scene = Scene::new();
        let camera = scene.spawn(Node::camera(Camera::default()).at(random.vec3(9.0))).unwrap();
        let parent = Node::group().rotated(random.rotation()).at(random.vec3(5.0));
        let parent = scene.spawn(parent).unwrap();
        let tree = spawn_at(&mut scene, parent, random.vec3(3.0));
        let up = random.direction() * random.between(0.1, 10.0);
        tie(&mut scene, tree, Constraint::Upright { camera, axis: up });
        scene.update().unwrap();
        let up = up.as_dvec3().normalize();
        assert!(axis(&scene, tree, DVec3::Y).abs_diff_eq(up, 1e-5));
        let to_camera = place(&scene, camera) - place(&scene, tree);
        let flat = (to_camera - up * to_camera.dot(up)).normalize();
        assert!(axis(&scene, tree, DVec3::Z).abs_diff_eq(flat, 1e-4));
    }
}

#[test]
fn sprites_and_trees_face_the_camera_far_from_the_origin_as_well() {
    let mut random = Random::new(5);
    for reach in [1e4, 1e5, 1e6, 1e7] {
        let mut scene = Scene::new();
        let far = scene.spawn(Node::group().at(random.direction() * reach)).unwrap();
        let camera = Node::camera(Camera::default()).under(far).rotated(random.rotation());
        let camera = scene.spawn(camera.at(Vec3::new(300.0, 200.0, 100.0))).unwrap();
        let sprite = spawn_at(&mut scene, far, Vec3::ZERO);
        let tree = spawn_at(&mut scene, far, Vec3::ZERO);
        tie(&mut scene, sprite, Constraint::Billboard { camera });
        tie(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
        scene.update().unwrap();
        assert_eq!(scene.constraints.left_out(), 0, "at {reach}");
        let back = axis(&scene, camera, DVec3::Z);
        let off = axis(&scene, sprite, DVec3::Z).distance(back);
        assert!(off < 1e-5, "a sprite at {reach} is off by {off}");
        let up = axis(&scene, tree, DVec3::Y);
        assert!(up.abs_diff_eq(DVec3::Z, 1e-5), "a tree at {reach} leans: {up}");
        assert!(axis(&scene, tree, DVec3::Z).z.abs() < 1e-5);
    }
}

#[test]
fn without_a_direction_a_node_stays_as_it_is_and_is_counted() {
    let mut scene = Scene::new();
    let root = scene.root();
    let turned = Quat::from_rotation_x(0.3);
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 5.0)).unwrap();
    let here = scene.spawn(Node::group().rotated(turned)).unwrap();
    let target = spawn_at(&mut scene, root, Vec3::ZERO);
    let tree = scene.spawn(Node::group().rotated(turned)).unwrap();
    tie(&mut scene, here, look(target));
    // The camera is straight above the tree.
    tie(&mut scene, tree, Constraint::Upright { camera, axis: Vec3::Z });
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 2);
    for node in [here, tree] {
        assert_eq!(scene.graph.node(node).unwrap().rotation(), turned);
    }
    put(&mut scene, target, Vec3::X);
    put(&mut scene, camera, Vec3::new(1.0, 0.0, 5.0));
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 0);
    assert_looks(&scene, here, target);
}

// ---- no lag ----

/// Followers, each of which looks at the tip of the one before; the first at `target`. With
/// the slots in the order of the chain, or against it.
fn chain(scene: &mut Scene, length: usize, backwards: bool) -> (NodeId, Vec<(NodeId, NodeId)>) {
    let root = scene.root();
    let mut random = Random::new(6);
    let mut nodes = Vec::new();
    for _ in 0..length {
        let node = spawn_at(scene, root, random.vec3(10.0));
        nodes.push((node, spawn_at(scene, node, random.vec3(2.0))));
    }
    if backwards {
        nodes.reverse();
    }
    let target = spawn_at(scene, root, Vec3::X * 30.0);
    let mut ties: Vec<(NodeId, NodeId)> = Vec::new();
    let mut at = target;
    for (node, tip) in nodes {
        ties.push((node, at));
        at = tip;
    }
    (target, ties)
}

#[test]
fn a_chain_of_ten_followers_has_no_lag() {
    for backwards in [false, true] {
        let mut random = Random::new(7);
        let mut scene = Scene::new();
        let (target, ties) = chain(&mut scene, 10, backwards);
        let mut order = ties.clone();
        if backwards {
            order.reverse();
        }
        for &(node, at) in &order {
            tie(&mut scene, node, look(at));
        }
        for frame in 0..20 {
            put(&mut scene, target, random.vec3(30.0));
            let update = scene.update().unwrap();
            // Far down the chain a turn may be too small for a float.
            assert!(update.moved >= 10, "followers and tips: {update:?}");
            for &(node, at) in &ties {
                assert_looks(&scene, node, at);
            }
            assert_eq!(scene.update().unwrap(), SceneUpdate::default(), "frame {frame}");
        }
    }
}

#[test]
fn random_followers_look_where_their_targets_are_now() {
    let mut refused = 0;
    for seed in 0..30 * 40 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let mut nodes = vec![scene.root()];
        for _ in 0..40 {
            let (under, at) = (random.pick(&nodes), random.vec3(5.0));
            nodes.push(spawn_at(&mut scene, under, at));
        }
        for _ in 0..40 {
            let (node, target) = (random.pick(&nodes[1..]), random.pick(&nodes[1..]));
            if node != target {
                let set = scene.constraints.set(&scene.graph, node, look(target));
                refused += usize::from(set.is_err());
            }
        }
        for _ in 0..8 {
            for _ in 0..random.below(5) {
                let (node, at) = (random.pick(&nodes[1..]), random.vec3(5.0));
                put(&mut scene, node, at);
            }
            scene.update().unwrap();
            assert_eq!(scene.constraints.left_out(), 0);
            assert_eq!(astray(&scene), 0);
            assert_eq!(scene.update().unwrap(), SceneUpdate::default());
        }
    }
    assert!(refused > 30, "some would wait for themselves: {refused}");
}

#[test]
fn what_hangs_on_a_follower_is_where_it_should_be_in_the_same_update() {
    // A turret, its gun, and a skinned arm whose bone looks at the gun: worlds, bounds and
    // palettes of one update.
    let mut scene = Scene::new();
    let root = scene.root();
    let target = spawn_at(&mut scene, root, Vec3::new(0.0, 10.0, 0.0));
    let turret = spawn_at(&mut scene, root, Vec3::ZERO);
    let gun = spawn_cube(&mut scene, Vec3::NEG_Z * 3.0);
    scene.graph.attach(gun, turret).unwrap();
    let arm = arm(&mut scene, 2);
    put(&mut scene, arm.top, Vec3::X * 20.0);
    tie(&mut scene, arm.bones[0], look(gun));
    tie(&mut scene, turret, look(target));
    for at in [Vec3::Y * 10.0, Vec3::X * 10.0, Vec3::Z * -10.0] {
        put(&mut scene, target, at);
        scene.update().unwrap();
        let expected = at.normalize() * 3.0;
        let bounds = scene.spatial.world_bounds(gun).unwrap();
        assert!(bounds.center().abs_diff_eq(expected, 1e-4), "{bounds:?}");
        assert_looks(&scene, arm.bones[0], gun);
        let joints = world(&scene, arm.bones[0]).as_mat4();
        let palette = scene.palettes().of(arm.node).unwrap()[0];
        assert!(palette.abs_diff_eq(joints, 1e-4), "its inverse bind is the identity");
        let ray = Ray::between(Vec3::new(1.0, 2.0, 30.0), expected).unwrap();
        let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
        assert!(scene.pick(&ray, &Filter::default()).is_some());
    }
}

#[test]
fn a_billboard_follows_a_camera_that_follows_something_itself() {
    let mut random = Random::new(8);
    let mut scene = Scene::new();
    let root = scene.root();
    let sprite = spawn_at(&mut scene, root, Vec3::X);
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 9.0)).unwrap();
    let hero = spawn_at(&mut scene, root, Vec3::Y);
    tie(&mut scene, sprite, Constraint::Billboard { camera });
    tie(&mut scene, camera, look(hero));
    for _ in 0..10 {
        put(&mut scene, hero, random.vec3(4.0));
        scene.update().unwrap();
        assert_looks(&scene, camera, hero);
        let expected = axis(&scene, camera, DVec3::Z);
        assert!(axis(&scene, sprite, DVec3::Z).abs_diff_eq(expected, 1e-5));
    }
}

#[test]
fn nothing_is_rewritten_in_a_frame_in_which_nothing_moves() {
    let mut scene = Scene::new();
    let (target, ties) = chain(&mut scene, 10, false);
    for &(node, at) in &ties {
        tie(&mut scene, node, look(at));
    }
    let bystander = spawn_cube(&mut scene, Vec3::Y * 50.0);
    scene.update().unwrap();
    for _ in 0..3 {
        assert_eq!(scene.update().unwrap(), SceneUpdate::default());
    }
    // Nor is what does not hang on what moves.
    put(&mut scene, bystander, Vec3::Y * 51.0);
    assert_eq!(scene.update().unwrap().moved, 1);
    put(&mut scene, target, Vec3::Z * 50.0);
    assert_eq!(scene.update().unwrap().moved, 21);
    // Setting one again turns it once.
    tie(&mut scene, ties[9].0, look(target));
    assert_eq!(scene.update().unwrap().moved, 2);
    assert_eq!(scene.update().unwrap().moved, 0);
}

#[test]
fn a_graph_that_was_updated_by_its_owner_is_followed_as_well() {
    // `scene.graph` is anybody's to update, to read worlds in the middle of a frame.
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    tie(&mut scene, eye, look(target));
    scene.update().unwrap();
    put(&mut scene, target, Vec3::Z * 5.0);
    scene.graph.update();
    scene.update().unwrap();
    assert_looks(&scene, eye, target);
    // The node's own move, too.
    put(&mut scene, eye, Vec3::X * 3.0);
    scene.graph.update();
    scene.update().unwrap();
    assert_looks(&scene, eye, target);
    assert_eq!(scene.update().unwrap(), SceneUpdate::default());
}

#[test]
fn a_rotation_that_is_set_by_hand_is_turned_back() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    tie(&mut scene, eye, look(target));
    scene.update().unwrap();
    scene.graph.node_mut(eye).unwrap().set_rotation(Quat::from_rotation_z(2.0)).unwrap();
    scene.update().unwrap();
    assert_looks(&scene, eye, target);
}

#[test]
fn a_node_that_is_untied_stays_where_it_looked() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    tie(&mut scene, eye, look(target));
    scene.update().unwrap();
    let rotation = scene.graph.node(eye).unwrap().rotation();
    assert_eq!(scene.constraints.remove(eye), Some(look(target)));
    assert_eq!(scene.constraints.remove(eye), None);
    put(&mut scene, target, Vec3::Z * 9.0);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation);
    assert_eq!(scene.constraints.get(&scene.graph, eye), None);
}

#[test]
fn removed_nodes_take_their_constraints_with_them() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (eye, target) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    tie(&mut scene, eye, look(target));
    scene.update().unwrap();
    let rotation = scene.graph.node(eye).unwrap().rotation();
    scene.remove(target).unwrap();
    put(&mut scene, eye, Vec3::Z);
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation, "there is nothing to look at");
    // A node in the slot of the target is not the target.
    let other = spawn_at(&mut scene, root, Vec3::NEG_ONE);
    assert_eq!(other.index(), target.index());
    scene.update().unwrap();
    assert_eq!(scene.graph.node(eye).unwrap().rotation(), rotation);
    scene.remove(eye).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.constraints.iter(&scene.graph).count(), 0);
}

// ---- circles ----

#[track_caller]
fn assert_refused(scene: &mut Scene, node: NodeId, constraint: Constraint) {
    let before: Vec<_> = scene.constraints.iter(&scene.graph).collect();
    let error = scene.constraints.set(&scene.graph, node, constraint).unwrap_err();
    let target = constraint.target();
    assert_eq!(
        error.to_string(),
        format!(
            "node {node} cannot turn with {target}: turning it moves {target}, at once or by way of \
             other constraints; attach {target} elsewhere, or choose another target",
        ),
    );
    let after: Vec<_> = scene.constraints.iter(&scene.graph).collect();
    assert_eq!(before, after);
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 0);
    assert_eq!(astray(scene), 0);
}

#[test]
fn a_node_cannot_turn_with_what_hangs_on_it() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = spawn_at(&mut scene, root, Vec3::Y);
    let child = spawn_at(&mut scene, node, Vec3::X);
    let grandchild = spawn_at(&mut scene, child, Vec3::X);
    let elsewhere = spawn_at(&mut scene, root, Vec3::Z * 4.0);
    for target in [child, grandchild] {
        assert_refused(&mut scene, node, look(target));
        assert_refused(&mut scene, node, Constraint::Face { target, up: Vec3::Z });
        assert_refused(&mut scene, node, Constraint::Billboard { camera: target });
        assert_refused(&mut scene, node, Constraint::Upright { camera: target, axis: Vec3::Z });
    }
    assert_refused(&mut scene, node, Constraint::Billboard { camera: node });
    // One that it had before stays.
    tie(&mut scene, node, look(elsewhere));
    assert_refused(&mut scene, node, look(child));
    assert_eq!(scene.constraints.get(&scene.graph, node), Some(&look(elsewhere)));
    scene.update().unwrap();
    assert_looks(&scene, node, elsewhere);
}

#[test]
fn a_node_cannot_turn_with_what_waits_for_it_by_way_of_others() {
    for length in [2, 3, 10] {
        let mut scene = Scene::new();
        let (target, ties) = chain(&mut scene, length, false);
        for &(node, at) in &ties {
            tie(&mut scene, node, look(at));
        }
        // The first looks at the tip of the last.
        let (first, (last, _)) = (ties[0].0, ties[length - 1]);
        let tip = scene.graph.node(last).unwrap().children().next().unwrap();
        assert_refused(&mut scene, first, look(tip));
        // Where the last one is, is no matter of how it is turned.
        tie(&mut scene, first, look(last));
        scene.update().unwrap();
        assert_eq!(astray(&scene), 0);
        tie(&mut scene, first, look(target));
    }
}

#[test]
fn two_that_look_at_each_other_are_no_circle() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (a, b) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    tie(&mut scene, a, look(b));
    tie(&mut scene, b, look(a));
    put(&mut scene, a, Vec3::Z * 7.0);
    scene.update().unwrap();
    assert_looks(&scene, a, b);
    assert_looks(&scene, b, a);
    assert_eq!(scene.constraints.left_out(), 0);
    // Two sprites that copy each other's turn are.
    scene.constraints.remove(a);
    scene.constraints.remove(b);
    tie(&mut scene, a, Constraint::Billboard { camera: b });
    let error = scene.constraints.set(&scene.graph, b, Constraint::Billboard { camera: a });
    assert!(error.is_err());
}

#[test]
fn what_is_dead_can_neither_be_tied_nor_tied_to() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (node, gone) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    scene.remove(gone).unwrap();
    let message =
        format!("node {gone} is not in this graph: it was removed, or is another graph's");
    for (node, target) in [(node, gone), (gone, node)] {
        let error = scene.constraints.set(&scene.graph, node, look(target)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(scene.constraints.iter(&scene.graph).count(), 0);
    scene.update().unwrap();
}

/// `a` looks at the tip of `b`, and `b` at `ball`, which hangs on `a` once it is attached to it.
struct Knot {
    scene: Scene,
    a: NodeId,
    b: NodeId,
    b_tip: NodeId,
    ball: NodeId,
}

fn knot() -> Knot {
    let mut scene = Scene::new();
    let root = scene.root();
    let (a, b) =
        (spawn_at(&mut scene, root, Vec3::ZERO), spawn_at(&mut scene, root, Vec3::X * 5.0));
    let b_tip = spawn_at(&mut scene, b, Vec3::new(0.0, 1.0, 0.5));
    let ball = spawn_at(&mut scene, root, Vec3::new(1.0, 2.0, 3.0));
    tie(&mut scene, a, look(b_tip));
    tie(&mut scene, b, look(ball));
    scene.update().unwrap();
    assert_eq!((scene.constraints.left_out(), astray(&scene)), (0, 0));
    Knot { scene, a, b, b_tip, ball }
}

#[test]
fn a_circle_that_is_made_later_is_left_out_and_counted() {
    let Knot { mut scene, a, ball, .. } = knot();
    let root = scene.root();
    for round in 0..3 {
        scene.graph.attach(ball, a).unwrap();
        for step in 0..4 {
            put(&mut scene, ball, Vec3::new(1.0, step as f32, 3.0));
            scene.update().unwrap();
            assert_eq!(scene.constraints.left_out(), 2, "both of the circle, round {round}");
        }
        // It settles: nothing turns for ever.
        assert_eq!(scene.update().unwrap().moved, 0);
        assert_eq!(scene.constraints.left_out(), 2, "left out still");

        scene.graph.attach(ball, root).unwrap();
        scene.update().unwrap();
        assert_eq!((scene.constraints.left_out(), astray(&scene)), (0, 0), "round {round}");
    }
}

#[test]
fn what_was_left_out_comes_back_when_the_circle_is_untied_by_hand() {
    for untie_a in [false, true] {
        let Knot { mut scene, a, b, b_tip, ball } = knot();
        scene.graph.attach(ball, a).unwrap();
        scene.update().unwrap();
        // Things move on while one of them is left out.
        put(&mut scene, b, Vec3::new(-5.0, 3.0, 1.0));
        put(&mut scene, ball, Vec3::new(4.0, 1.0, 1.0));
        scene.update().unwrap();
        assert_eq!(scene.constraints.left_out(), 2);
        scene.constraints.remove(if untie_a { a } else { b });
        scene.update().unwrap();
        assert_eq!(scene.constraints.left_out(), 0);
        if untie_a {
            assert_looks(&scene, b, ball);
        } else {
            assert_looks(&scene, a, b_tip);
        }
    }
}

#[test]
fn as_many_are_counted_as_are_left_out() {
    // A node under another, both of which read what is below both: several ways around.
    let mut scene = Scene::new();
    let root = scene.root();
    let far = spawn_at(&mut scene, root, Vec3::new(9.0, 8.0, 7.0));
    let a = spawn_at(&mut scene, root, Vec3::X);
    let b = spawn_at(&mut scene, a, Vec3::Y);
    let c = spawn_at(&mut scene, b, Vec3::new(1.0, 2.0, 3.0));
    let d = spawn_at(&mut scene, root, Vec3::new(-3.0, 2.0, 1.0));
    let e = spawn_at(&mut scene, d, Vec3::new(-1.0, 2.0, -3.0));
    tie(&mut scene, a, look(far));
    tie(&mut scene, b, look(far));
    tie(&mut scene, d, look(c));
    scene.update().unwrap();
    assert_eq!(astray(&scene), 0);
    // `far` comes to hang on d, which reads what both turn.
    scene.graph.attach(far, e).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 3, "each of the circle, once");
    // What hangs on no circle is not left out.
    let free = spawn_at(&mut scene, root, Vec3::NEG_ONE);
    tie(&mut scene, free, look(c));
    scene.update().unwrap();
    assert_looks(&scene, free, c);
}

#[test]
fn what_only_hangs_on_a_circle_can_still_be_tied() {
    let mut scene = Scene::new();
    let root = scene.root();
    let free = spawn_at(&mut scene, root, Vec3::new(5.0, 5.0, 5.0));
    let [a, b, c] = [1.0, 2.0, 3.0].map(|x| spawn_at(&mut scene, root, Vec3::new(x, x * x, 1.0)));
    let [tip_a, other_tip_a] = [Vec3::X, Vec3::Y].map(|at| spawn_at(&mut scene, a, at));
    let tip_c = spawn_at(&mut scene, c, Vec3::Z);
    let ball = spawn_at(&mut scene, root, Vec3::new(-2.0, 3.0, 1.0));
    tie(&mut scene, a, look(ball));
    tie(&mut scene, b, look(tip_a));
    tie(&mut scene, c, look(other_tip_a));
    // b hangs on c, and the ball on b: circles in several ways.
    scene.graph.attach(b, c).unwrap();
    scene.graph.attach(ball, b).unwrap();
    scene.update().unwrap();
    assert!(scene.constraints.left_out() > 0);
    let tied = scene.constraints.set(&scene.graph, free, look(tip_c));
    assert_eq!(tied, Ok(()), "nobody reads what it turns");
    scene.update().unwrap();
    assert_looks(&scene, free, tip_c);
}

#[test]
fn no_count_is_left_when_no_constraint_is() {
    let Knot { mut scene, a, b, ball, .. } = knot();
    scene.graph.attach(ball, a).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 2);
    for node in [a, b] {
        scene.constraints.remove(node);
    }
    scene.update().unwrap();
    assert_eq!(scene.constraints.left_out(), 0);
}
