//! The same calls give the same results in the same order, on every run.

use pleach_graph::{ChangeReader, Transform};
use testkit::{Rng, sized};

use crate::common::{RandomTransform, dump, random_tree, seeds};

/// Everything that has an order, over many random edits, as text.
fn recording(seed: u64) -> String {
    let mut random = Rng::new(seed);
    let (mut graph, mut nodes) = random_tree(&mut random, sized(150, 12));
    let mut readers: [ChangeReader; 2] = [(); 2].map(|()| graph.change_reader());
    let mut text = String::new();
    for round in 0..sized(40, 2) {
        for _ in 0..random.below(sized(60, 12)) {
            let (id, other) = (random.pick(&nodes), random.pick(&nodes));
            match random.below(10) {
                0 => _ = graph.attach(id, other),
                1 => graph.detach(id).unwrap(),
                2 => nodes.push(graph.add_child(id, random.transform()).unwrap()),
                3 => {
                    let clones = graph.clone_subtree(id, None).unwrap();
                    nodes.extend(clones.pairs().iter().map(|pair| pair.1));
                }
                4 if nodes.len() > 50 => {
                    graph.remove(id).unwrap();
                    nodes.retain(|&id| graph.contains(id));
                    if nodes.is_empty() {
                        nodes.push(graph.add_root(Transform::IDENTITY).unwrap());
                    }
                }
                5 => _ = graph.node_mut(id).unwrap().set_visible(random.one_in(2)),
                6 => _ = graph.node_mut(id).unwrap().set_name(["a", "b", "c"][random.below(3)]),
                _ => _ = graph.node_mut(id).unwrap().set_transform(random.transform()).unwrap(),
            }
            if nodes.len() > 1_000 {
                graph.clear();
                nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
            }
        }
        let updated = graph.update();
        text += &format!("round {round}: {updated:?}\n{}", dump(&graph));
        for (pace, reader) in [1, 3].into_iter().zip(&mut readers) {
            if round % pace == 0 {
                let changes = reader.read(&graph).unwrap();
                text += &format!(
                    "{:?} {:?} {:?}\n",
                    changes.changed(),
                    changes.shown_changed(),
                    changes.removed()
                );
            }
        }
        if random.one_in(3) {
            let mut ranges = Vec::new();
            graph.changed().ranges(1, &mut ranges);
            text += &format!("{ranges:?}\n");
            graph.clear_changes();
        }
    }
    text
}

#[test]
fn the_same_calls_give_the_same_lists_in_the_same_order() {
    for seed in seeds(5) {
        let (first, second) = (recording(seed), recording(seed));
        let different = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        assert_eq!(different, None, "seed {seed}");
        assert_eq!(first.len(), second.len(), "seed {seed}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "two recordings are enough for Miri")]
fn another_thread_gives_the_same_lists_in_the_same_order() {
    let here = recording(99);
    let there = std::thread::spawn(|| recording(99)).join().unwrap();
    assert!(here == there, "a recording on another thread differs, seed 99");
}
