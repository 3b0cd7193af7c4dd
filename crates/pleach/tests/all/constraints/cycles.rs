//! Constraint cycles: rejected by `set`; skipped and counted if they arise later.

use pleach::glam::Vec3;
use pleach::{Constraint, NodeId, Scene};

use super::setup::{
    assert_looks_at, chain, constrain, look, misaligned_count, set_position, spawn_at,
};

#[track_caller]
fn assert_rejected(scene: &mut Scene, node: NodeId, constraint: Constraint) {
    let before: Vec<_> =
        scene.constraints.iter(&scene.graph).map(|(node, it)| (node, *it)).collect();
    let error = scene.constraints.insert(&scene.graph, node, constraint).unwrap_err();
    let target = constraint.target();
    assert_eq!(
        error.to_string(),
        format!(
            "node {node} cannot be constrained to {target}: rotating it moves {target}, directly or \
             through other constraints; attach {target} elsewhere, or choose another target",
        ),
    );
    let after: Vec<_> =
        scene.constraints.iter(&scene.graph).map(|(node, it)| (node, *it)).collect();
    assert_eq!(before, after);
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 0);
    assert_eq!(misaligned_count(scene), 0);
}

#[test]
fn constraint_on_a_descendant_is_rejected() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = spawn_at(&mut scene, root, Vec3::Y);
    let child = spawn_at(&mut scene, node, Vec3::X);
    let grandchild = spawn_at(&mut scene, child, Vec3::X);
    let elsewhere = spawn_at(&mut scene, root, Vec3::Z * 4.0);
    for target in [child, grandchild] {
        assert_rejected(&mut scene, node, look(target));
        assert_rejected(&mut scene, node, Constraint::Face { target, up: Vec3::Z });
        assert_rejected(&mut scene, node, Constraint::Billboard { camera: target });
        assert_rejected(&mut scene, node, Constraint::Upright { camera: target, axis: Vec3::Z });
    }
    assert_rejected(&mut scene, node, Constraint::Billboard { camera: node });
    // A previous constraint is kept.
    constrain(&mut scene, node, look(elsewhere));
    assert_rejected(&mut scene, node, look(child));
    assert_eq!(scene.constraints.get(&scene.graph, node), Some(&look(elsewhere)));
    scene.update().unwrap();
    assert_looks_at(&scene, node, elsewhere);
}

#[test]
fn indirect_constraint_cycle_is_rejected() {
    for length in [2, 3, 10] {
        let mut scene = Scene::new();
        let (target, pairs) = chain(&mut scene, length, false);
        for &(node, at) in &pairs {
            constrain(&mut scene, node, look(at));
        }
        // The first would look at the tip of the last.
        let (first, (last, _)) = (pairs[0].0, pairs[length - 1]);
        let tip = scene.graph.node(last).unwrap().children().next().unwrap();
        assert_rejected(&mut scene, first, look(tip));
        // The position of the last node does not depend on its rotation.
        constrain(&mut scene, first, look(last));
        scene.update().unwrap();
        assert_eq!(misaligned_count(&scene), 0);
        constrain(&mut scene, first, look(target));
    }
}

#[test]
fn nodes_that_look_at_each_other_are_not_a_cycle() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (a, b) = (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    constrain(&mut scene, a, look(b));
    constrain(&mut scene, b, look(a));
    set_position(&mut scene, a, Vec3::Z * 7.0);
    scene.update().unwrap();
    assert_looks_at(&scene, a, b);
    assert_looks_at(&scene, b, a);
    assert_eq!(scene.skipped_constraints(), 0);
    // Two billboards that copy each other's rotation are a cycle.
    scene.constraints.remove(a);
    scene.constraints.remove(b);
    constrain(&mut scene, a, Constraint::Billboard { camera: b });
    let error = scene.constraints.insert(&scene.graph, b, Constraint::Billboard { camera: a });
    assert!(error.is_err());
}

#[test]
fn constraints_with_dead_nodes_are_rejected() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (node, removed) =
        (spawn_at(&mut scene, root, Vec3::Y), spawn_at(&mut scene, root, Vec3::X));
    scene.remove(removed).unwrap();
    let message =
        format!("node {removed} is not in this graph: it was removed, or belongs to another graph");
    for (node, target) in [(node, removed), (removed, node)] {
        let error = scene.constraints.insert(&scene.graph, node, look(target)).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(scene.constraints.iter(&scene.graph).count(), 0);
    scene.update().unwrap();
}

/// `a` looks at the tip of `b`, and `b` at `ball`: a cycle once `ball` is attached to `a`.
struct Cycle {
    scene: Scene,
    a: NodeId,
    b: NodeId,
    b_tip: NodeId,
    ball: NodeId,
}

fn cycle() -> Cycle {
    let mut scene = Scene::new();
    let root = scene.root();
    let (a, b) =
        (spawn_at(&mut scene, root, Vec3::ZERO), spawn_at(&mut scene, root, Vec3::X * 5.0));
    let b_tip = spawn_at(&mut scene, b, Vec3::new(0.0, 1.0, 0.5));
    let ball = spawn_at(&mut scene, root, Vec3::new(1.0, 2.0, 3.0));
    constrain(&mut scene, a, look(b_tip));
    constrain(&mut scene, b, look(ball));
    scene.update().unwrap();
    assert_eq!((scene.skipped_constraints(), misaligned_count(&scene)), (0, 0));
    Cycle { scene, a, b, b_tip, ball }
}

#[test]
fn cycle_created_by_attaching_is_skipped_and_counted() {
    let Cycle { mut scene, a, ball, .. } = cycle();
    let root = scene.root();
    for round in 0..3 {
        scene.graph.attach(ball, a).unwrap();
        for step in 0..4 {
            set_position(&mut scene, ball, Vec3::new(1.0, step as f32, 3.0));
            scene.update().unwrap();
            assert_eq!(scene.skipped_constraints(), 2, "both of the cycle, round {round}");
        }
        // The result is stable.
        assert_eq!(scene.update().unwrap().changed, 0);
        assert_eq!(scene.skipped_constraints(), 2, "still skipped");

        scene.graph.attach(ball, root).unwrap();
        scene.update().unwrap();
        assert_eq!(
            (scene.skipped_constraints(), misaligned_count(&scene)),
            (0, 0),
            "round {round}"
        );
    }
}

#[test]
fn skipped_constraints_resume_when_the_cycle_is_resolved() {
    for remove_a in [false, true] {
        let Cycle { mut scene, a, b, b_tip, ball } = cycle();
        scene.graph.attach(ball, a).unwrap();
        scene.update().unwrap();
        // Nodes move while the constraints are skipped.
        set_position(&mut scene, b, Vec3::new(-5.0, 3.0, 1.0));
        set_position(&mut scene, ball, Vec3::new(4.0, 1.0, 1.0));
        scene.update().unwrap();
        assert_eq!(scene.skipped_constraints(), 2);
        scene.constraints.remove(if remove_a { a } else { b });
        scene.update().unwrap();
        assert_eq!(scene.skipped_constraints(), 0);
        if remove_a {
            assert_looks_at(&scene, b, ball);
        } else {
            assert_looks_at(&scene, a, b_tip);
        }
    }
}

#[test]
fn skipped_count_equals_the_number_of_skipped_constraints() {
    // A constrained node below another, both of which depend on a descendant: several cycles.
    let mut scene = Scene::new();
    let root = scene.root();
    let far = spawn_at(&mut scene, root, Vec3::new(9.0, 8.0, 7.0));
    let a = spawn_at(&mut scene, root, Vec3::X);
    let b = spawn_at(&mut scene, a, Vec3::Y);
    let c = spawn_at(&mut scene, b, Vec3::new(1.0, 2.0, 3.0));
    let d = spawn_at(&mut scene, root, Vec3::new(-3.0, 2.0, 1.0));
    let e = spawn_at(&mut scene, d, Vec3::new(-1.0, 2.0, -3.0));
    constrain(&mut scene, a, look(far));
    constrain(&mut scene, b, look(far));
    constrain(&mut scene, d, look(c));
    scene.update().unwrap();
    assert_eq!(misaligned_count(&scene), 0);
    // `far` becomes a descendant of d, which depends on both.
    scene.graph.attach(far, e).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 3, "each of the cycle, once");
    // A constraint that is not part of a cycle is not skipped.
    let free = spawn_at(&mut scene, root, Vec3::NEG_ONE);
    constrain(&mut scene, free, look(c));
    scene.update().unwrap();
    assert_looks_at(&scene, free, c);
}

#[test]
fn constraint_on_a_descendant_of_a_cycle_is_accepted() {
    let mut scene = Scene::new();
    let root = scene.root();
    let free = spawn_at(&mut scene, root, Vec3::new(5.0, 5.0, 5.0));
    let [a, b, c] = [1.0, 2.0, 3.0].map(|x| spawn_at(&mut scene, root, Vec3::new(x, x * x, 1.0)));
    let [tip_a, other_tip_a] = [Vec3::X, Vec3::Y].map(|at| spawn_at(&mut scene, a, at));
    let tip_c = spawn_at(&mut scene, c, Vec3::Z);
    let ball = spawn_at(&mut scene, root, Vec3::new(-2.0, 3.0, 1.0));
    constrain(&mut scene, a, look(ball));
    constrain(&mut scene, b, look(tip_a));
    constrain(&mut scene, c, look(other_tip_a));
    // b becomes a child of c, and the ball a child of b: several cycles.
    scene.graph.attach(b, c).unwrap();
    scene.graph.attach(ball, b).unwrap();
    scene.update().unwrap();
    assert!(scene.skipped_constraints() > 0);
    let result = scene.constraints.insert(&scene.graph, free, look(tip_c));
    assert_eq!(result, Ok(None), "nothing depends on its rotation");
    scene.update().unwrap();
    assert_looks_at(&scene, free, tip_c);
}

#[test]
fn skipped_count_is_zero_without_constraints() {
    let Cycle { mut scene, a, b, ball, .. } = cycle();
    scene.graph.attach(ball, a).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 2);
    for node in [a, b] {
        scene.constraints.remove(node);
    }
    scene.update().unwrap();
    assert_eq!(scene.skipped_constraints(), 0);
}
