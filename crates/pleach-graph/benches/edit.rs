//! The cost of building, reparenting, removing and searching, by shape and size.
//!
//! `cargo bench -p pleach-graph --bench edit`.

mod shapes;

use divan::{Bencher, black_box};
use pleach_graph::{Graph, NodeId, Transform};
use shapes::{Scene, flat, tree};
use testkit::Rng;

fn main() {
    divan::main();
}

/// The time must be linear in the number of nodes.
#[divan::bench(args = [10_000, 100_000, 200_000])]
fn build_tree(n: usize) -> Graph {
    tree(n).graph
}

/// Growth from 256 rows by doubling.
#[divan::bench(args = [256, 512, 1_024, 2_048])]
fn grow_to(n: usize) -> Graph {
    let mut graph = Graph::new();
    for _ in 0..n {
        graph.add_root(Transform::IDENTITY).unwrap();
    }
    graph
}

fn bench_reparenting(bencher: Bencher, scene: Scene) {
    let leaves = scene.leaves(100);
    let Scene { mut graph, nodes } = scene;
    let parents = [nodes[1], nodes[2]];
    let mut step = 0;
    graph.update();
    bencher.counter(divan::counter::ItemsCount::new(leaves.len())).bench_local(|| {
        step += 1;
        for &leaf in &leaves {
            graph.attach(leaf, parents[step % 2]).unwrap();
        }
        graph.update();
        graph.clear_changes();
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn reparent_1_percent_of_tree(bencher: Bencher, n: usize) {
    bench_reparenting(bencher, tree(n));
}

/// All nodes, one by one and at once, each followed by an update.
#[divan::bench(args = [10_000, 100_000])]
fn set_transform_of_all(bencher: Bencher, n: usize) {
    let Scene { mut graph, nodes } = tree(n);
    let transforms = graph.transforms().to_vec();
    bencher.counter(divan::counter::ItemsCount::new(n)).bench_local(|| {
        for (&node, &transform) in nodes.iter().zip(&transforms) {
            graph.node_mut(node).unwrap().set_transform(transform).unwrap();
        }
        graph.update();
        graph.clear_changes();
    });
}

#[divan::bench(args = [10_000, 100_000])]
fn set_transforms_of_all(bencher: Bencher, n: usize) {
    let Scene { mut graph, nodes } = tree(n);
    let transforms = graph.transforms().to_vec();
    bencher.counter(divan::counter::ItemsCount::new(n)).bench_local(|| {
        graph.set_transforms(&nodes, &transforms).unwrap();
        graph.update();
        graph.clear_changes();
    });
}

/// The time must be linear in the number of nodes.
#[divan::bench(args = [10_000, 20_000])]
fn chain_built_from_its_end(n: usize) -> Graph {
    let mut graph = Graph::new();
    let mut root = graph.add_root(Transform::IDENTITY).unwrap();
    for _ in 1..n {
        let parent = graph.add_root(Transform::IDENTITY).unwrap();
        graph.attach(root, parent).unwrap();
        root = parent;
    }
    graph.update();
    graph
}

fn bench_churn(bencher: Bencher, scene: Scene) {
    let leaves = scene.leaves(100);
    let Scene { mut graph, .. } = scene;
    let parents: Vec<NodeId> =
        leaves.iter().map(|&leaf| graph.node(leaf).unwrap().parent().unwrap()).collect();
    let mut nodes = leaves;
    graph.update();
    bencher.counter(divan::counter::ItemsCount::new(nodes.len())).bench_local(|| {
        for &node in &nodes {
            graph.remove(node).unwrap();
        }
        for (node, &parent) in nodes.iter_mut().zip(&parents) {
            *node = graph.add_child(parent, Transform::IDENTITY).unwrap();
        }
        graph.update();
        graph.clear_changes();
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn remove_and_add_1_percent_of_tree(bencher: Bencher, n: usize) {
    bench_churn(bencher, tree(n));
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn remove_and_add_1_percent_of_flat(bencher: Bencher, n: usize) {
    bench_churn(bencher, flat(n));
}

/// Returns 64 evenly spaced items, few enough for the L1 cache, so that the cost of
/// the lookup is measured and not that of memory.
fn spread<T: Clone>(items: &[T]) -> Vec<T> {
    items.iter().step_by(items.len() / 64).take(64).cloned().collect()
}

/// The time must not depend on the size.
#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn read_64_worlds_in_tree(bencher: Bencher, n: usize) {
    let Scene { mut graph, nodes } = tree(n);
    graph.update();
    let nodes = spread(&nodes);
    bencher.bench_local(|| {
        for &node in &nodes {
            black_box(graph.node(node).unwrap().world());
        }
    });
}

/// The time must not depend on the size.
#[divan::bench(args = [1_000, 100_000, 1_000_000])]
fn find_64_names_in_tree(bencher: Bencher, n: usize) {
    let Scene { mut graph, nodes } = tree(n);
    let names: Vec<String> = (0..n).map(|i| format!("node {i}")).collect();
    for (&node, name) in nodes.iter().zip(&names) {
        graph.node_mut(node).unwrap().set_name(name);
    }
    let names = spread(&names);
    bencher.bench_local(|| {
        for name in &names {
            black_box(graph.find(name));
        }
    });
}

/// A random tree as input for `Graph::add_all`: the parent of each node is any node
/// before it.
fn random_forest(n: usize) -> Vec<(Option<u32>, Transform)> {
    let mut rng = Rng::new(1);
    let parent = |i: u32| (i > 0).then(|| rng.below(i as usize) as u32);
    let transform = |i: usize| Transform::from_xyz(i as f32, 1.0, 2.0);
    (0..n as u32).map(parent).zip((0..n).map(transform)).collect()
}

const MANY: usize = 100_000;

/// For comparison with `add_all_100k_random_tree`.
#[divan::bench]
fn add_one_by_one_100k_random_tree(bencher: Bencher) {
    let nodes = random_forest(MANY);
    bencher.counter(divan::counter::ItemsCount::new(MANY)).bench_local(|| {
        let mut graph = Graph::with_capacity(MANY).unwrap();
        let mut added: Vec<NodeId> = Vec::with_capacity(MANY);
        for &(parent, transform) in &nodes {
            let node = match parent {
                Some(parent) => graph.add_child(added[parent as usize], transform),
                None => graph.add_root(transform),
            };
            added.push(node.unwrap());
        }
        (graph, added)
    });
}

#[divan::bench]
fn add_all_100k_random_tree(bencher: Bencher) {
    let nodes = random_forest(MANY);
    bencher.counter(divan::counter::ItemsCount::new(MANY)).bench_local(|| {
        let mut graph = Graph::with_capacity(MANY).unwrap();
        let added = graph.add_all(None, &nodes).unwrap();
        (graph, added)
    });
}

fn many_names() -> Vec<String> {
    (0..MANY).map(|i| format!("node {i}")).collect()
}

fn give_names(graph: &mut Graph, nodes: &[NodeId], names: &[String]) {
    for (&node, name) in nodes.iter().zip(names) {
        graph.node_mut(node).unwrap().set_name(name);
    }
}

#[divan::bench]
fn name_100k_nodes(bencher: Bencher) {
    let Scene { graph, nodes } = tree(MANY);
    let names = many_names();
    bencher
        .counter(divan::counter::ItemsCount::new(MANY))
        .with_inputs(|| graph.clone())
        .bench_local_values(|mut graph| {
            give_names(&mut graph, &nodes, &names);
            graph
        });
}

#[divan::bench]
fn drop_100k_named_nodes(bencher: Bencher) {
    let Scene { graph, nodes } = tree(MANY);
    let names = many_names();
    let named = || {
        let mut graph = graph.clone();
        give_names(&mut graph, &nodes, &names);
        graph
    };
    bencher
        .counter(divan::counter::ItemsCount::new(MANY))
        .with_inputs(named)
        .bench_local_values(drop);
}

/// The first search by name, which builds the index of names.
#[divan::bench]
fn find_in_100k_names_first(bencher: Bencher) {
    let Scene { mut graph, nodes } = tree(MANY);
    let names = many_names();
    give_names(&mut graph, &nodes, &names);
    bencher.with_inputs(|| graph.clone()).bench_local_values(|graph| {
        black_box(graph.find(&names[MANY / 2]));
        graph
    });
}

/// Names spread over the graph, so that cache misses count.
#[divan::bench]
fn find_in_100k_names(bencher: Bencher) {
    let Scene { mut graph, nodes } = tree(MANY);
    let names = many_names();
    give_names(&mut graph, &nodes, &names);
    bencher.counter(divan::counter::ItemsCount::new(1_000usize)).bench_local(|| {
        for i in 0..1_000 {
            black_box(graph.find(&names[i * 7_919 % MANY]));
        }
    });
}
