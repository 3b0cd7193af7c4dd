//! The cost of an update, including the edits, by shape and size.
//!
//! `cargo bench -p pleach-graph --bench propagate`. Each target of the design has a
//! bench here, next to its baseline. Comparisons with other implementations are in
//! `peers/`.

mod shapes;

use divan::{Bencher, black_box};
use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform};
use shapes::{Scene, chains, flat, skeletons, tree};

fn main() {
    divan::main();
}

/// Sets another translation each time, updates, and clears.
fn bench_moves(bencher: Bencher, scene: Scene, moved: &[NodeId]) {
    let Scene { mut graph, .. } = scene;
    graph.update();
    graph.clear_changes();
    let mut step = 0.0;
    bencher.counter(divan::counter::ItemsCount::new(moved.len())).bench_local(|| {
        step += 1.0;
        let translation = black_box(Vec3::new(step, 0.0, 0.0));
        for &node in moved {
            graph.get_mut(node).unwrap().set_translation(translation).unwrap();
        }
        let updated = graph.update();
        graph.clear_changes();
        updated
    });
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn update_all_of_tree(bencher: Bencher, n: usize) {
    let scene = tree(n);
    let nodes = scene.nodes.clone();
    bench_moves(bencher, scene, &nodes);
}

#[divan::bench(args = [1_000, 10_000, 100_000])]
fn update_all_of_flat(bencher: Bencher, n: usize) {
    let scene = flat(n);
    let nodes = scene.nodes.clone();
    bench_moves(bencher, scene, &nodes);
}

#[divan::bench(args = [10_000, 100_000])]
fn update_all_of_chains_of_64(bencher: Bencher, n: usize) {
    let scene = chains(n);
    let nodes = scene.nodes.clone();
    bench_moves(bencher, scene, &nodes);
}

#[divan::bench(args = [10_000, 100_000])]
fn update_all_of_skeletons_of_64(bencher: Bencher, n: usize) {
    let scene = skeletons(n);
    let nodes = scene.nodes.clone();
    bench_moves(bencher, scene, &nodes);
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn update_root_of_tree(bencher: Bencher, n: usize) {
    let scene = tree(n);
    let root = [scene.nodes[0]];
    bench_moves(bencher, scene, &root);
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn update_1_percent_of_leaves_of_tree(bencher: Bencher, n: usize) {
    let scene = tree(n);
    let leaves = scene.leaves(100);
    bench_moves(bencher, scene, &leaves);
}

/// The time must not depend on the size.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn update_1_leaf_of_tree(bencher: Bencher, n: usize) {
    let scene = tree(n);
    let leaf = [*scene.nodes.last().unwrap()];
    bench_moves(bencher, scene, &leaf);
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000])]
fn update_nothing_of_tree(bencher: Bencher, n: usize) {
    let mut graph = tree(n).graph;
    graph.update();
    bencher.bench_local(|| black_box(&mut graph).update());
}

/// Target: at most 5 µs for 50 edited nodes of 2000.
#[divan::bench]
fn update_50_of_2000(bencher: Bencher) {
    let scene = tree(2_000);
    let edited: Vec<NodeId> = scene.leaves(scene.leaf_count() / 50);
    bench_moves(bencher, scene, &edited[..50]);
}

/// Target: at most 30 µs for 1000 nodes that are out of date.
#[divan::bench]
fn update_1000_of_2000(bencher: Bencher) {
    let scene = tree(2_000);
    let edited: Vec<NodeId> = scene.nodes.iter().rev().take(1_000).copied().collect();
    bench_moves(bencher, scene, &edited);
}

/// Columns, compared with boxed nodes scattered over the heap.
mod all_of_100k {
    use super::*;

    #[divan::bench]
    fn columns(bencher: Bencher) {
        let scene = tree(100_000);
        let nodes = scene.nodes.clone();
        bench_moves(bencher, scene, &nodes);
    }

    struct Boxed {
        transform: Transform,
        world: Mat4,
        #[allow(clippy::vec_box, reason = "the bench measures separately allocated nodes")]
        children: Vec<Box<Boxed>>,
    }

    #[divan::bench]
    fn shuffled_boxes(bencher: Bencher) {
        let mut root = boxed(&tree(100_000));
        let mut step = 0.0;
        bencher.bench_local(|| {
            step += 1.0;
            update(&mut root, black_box(Vec3::new(step, 0.0, 0.0)), None);
        });
    }

    /// The same tree, each node in its own box, allocated in a random order, as in
    /// a program that has been running for a while.
    fn boxed(scene: &Scene) -> Box<Boxed> {
        let n = scene.nodes.len();
        let mut order: Vec<usize> = (0..n).collect();
        testkit::Rng::new(1).shuffle(&mut order);
        let mut boxes: Vec<Option<Box<Boxed>>> = (0..n).map(|_| None).collect();
        for i in order {
            let transform = scene.graph.node(scene.nodes[i]).unwrap().transform();
            boxes[i] = Some(Box::new(Boxed { transform, world: Mat4::IDENTITY, children: vec![] }));
        }
        // Children come after their parents.
        for i in (1..n).rev() {
            let child = boxes[i].take().unwrap();
            let parent = scene.graph.node(scene.nodes[i]).unwrap().parent().unwrap();
            boxes[parent.index()].as_mut().unwrap().children.push(child);
        }
        boxes[0].take().unwrap()
    }

    fn update(node: &mut Boxed, translation: Vec3, parent: Option<&Mat4>) {
        node.transform.translation = translation;
        let Transform { translation, rotation, scale } = node.transform;
        let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
        node.world = parent.map_or(local, |parent| *parent * local);
        for child in &mut node.children {
            update(child, translation, Some(&node.world));
        }
    }
}

#[divan::bench(args = [1, 8, 64])]
fn compute_world_at_depth(bencher: Bencher, depth: usize) {
    let mut graph = Graph::new();
    let root =
        graph.add_root(Transform::from_rotation(Quat::from_xyzw(0.6, 0.0, 0.0, 0.8))).unwrap();
    let mut leaf = root;
    for _ in 0..depth {
        leaf = graph.add_child(leaf, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    }
    graph.update();
    graph.node_mut(root).unwrap().set_translation(Vec3::X).unwrap();
    bencher.bench_local(|| black_box(&graph).node(leaf).unwrap().compute_world());
}
