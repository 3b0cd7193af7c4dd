//! Bit-for-bit reproducibility: every kernel, any number of threads, incremental or
//! full updates, debug and release builds.
//!
//! The same random edits are applied to graphs that differ only in the kind of
//! update; then every byte of their world columns is compared. The hash of a fixed
//! recording is stored here, so that machines can be compared too.

use std::io::Write;
use std::sync::Once;

use pleach_graph::glam::{Mat4, Quat, Vec3};
use pleach_graph::{Graph, NodeId, Transform, TransformKernel, UpdateStats};
use soak::edit::{Edit, NodeChoice, WORDS};
use testkit::{Fnv, Rng};

/// Returns the kernels that this CPU supports. Reports once which are not tested.
fn kernels() -> Vec<TransformKernel> {
    static REPORTED: Once = Once::new();
    let (available, missing): (Vec<TransformKernel>, Vec<TransformKernel>) =
        TransformKernel::ALL.into_iter().partition(|kernel| kernel.is_available());
    REPORTED.call_once(|| {
        for kernel in missing {
            report_not_tested(&format!(
                "the {kernel:?} kernel, which this CPU or build does not support"
            ));
        }
    });
    available
}

/// Writes past the test runner, which would capture the output.
fn report_not_tested(text: &str) {
    _ = writeln!(std::io::stderr(), "NOT TESTED: {text}");
}

/// A graph, and the handles it issued.
#[derive(Clone)]
struct World {
    graph: Graph,
    nodes: Vec<NodeId>,
}

impl World {
    /// Creates a forest of three levels with the same number of nodes. The first
    /// root has half of the second level as children.
    fn new(nodes: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut this = Self { graph: Graph::new(), nodes: Vec::new() };
        let level = nodes.div_ceil(3);
        for index in 0..nodes {
            let transform = Transform::from_xyz(rng.between(-1.0, 1.0), 1.0, 0.0);
            let parent = match index / level {
                0 => None,
                1 if rng.one_in(2) => Some(0),
                depth => Some((depth - 1) * level + rng.below(level)),
            };
            let node = match parent {
                None => this.graph.add_root(transform),
                Some(parent) => this.graph.add_child(this.nodes[parent], transform),
            };
            this.nodes.push(node.unwrap());
        }
        this
    }

    fn with_kernel(&self, kernel: TransformKernel) -> Self {
        let mut this = self.clone();
        assert!(this.graph.set_kernel(kernel));
        this
    }

    /// Applies the edit, if it is valid.
    fn apply(&mut self, edit: &Edit) {
        let Self { graph, nodes } = self;
        let node_of = |choice: NodeChoice| chosen_node(nodes, choice);
        match *edit {
            Edit::AddRoot(to) => nodes.push(graph.add_root(to).unwrap()),
            Edit::AddChild(node, to) => {
                let child = graph.add_child(node_of(node), to);
                nodes.extend(child);
            }
            Edit::Attach(node, parent) => _ = graph.attach(node_of(node), node_of(parent)),
            Edit::AttachBefore(node, next) => _ = graph.attach_before(node_of(node), node_of(next)),
            Edit::AttachInPlace(node, parent) => {
                _ = graph.attach_in_place(node_of(node), node_of(parent));
            }
            Edit::Detach(node) => _ = graph.detach(node_of(node)),
            Edit::Remove(node) if graph.get(node_of(node)).is_some_and(|node| node.depth() > 1) => {
                _ = graph.remove(node_of(node));
            }
            Edit::SetVisible(node, visible) => {
                if let Some(mut node) = graph.get_mut(node_of(node)) {
                    node.set_visible(visible);
                }
            }
            _ => self.set(edit),
        }
    }

    fn set(&mut self, edit: &Edit) {
        let (Edit::SetTranslation(node, _)
        | Edit::SetRotation(node, _)
        | Edit::SetRotationRaw(node, _)
        | Edit::SetScale(node, _)
        | Edit::SetTransform(node, _)
        | Edit::SetMatrix(node, _)) = *edit
        else {
            return;
        };
        let Some(mut node) = self.graph.get_mut(chosen_node(&self.nodes, node)) else { return };
        let set = match *edit {
            Edit::SetTranslation(_, to) => node.set_translation(to),
            Edit::SetRotation(_, to) => node.set_rotation(to),
            Edit::SetRotationRaw(_, to) => node.set_rotation_raw(to),
            Edit::SetScale(_, to) => node.set_scale(to),
            Edit::SetTransform(_, to) => node.set_transform(to),
            Edit::SetMatrix(_, to) => node.set_local_matrix(to),
            _ => return,
        };
        set.expect("the numbers are finite");
    }

    /// The result of an update: its count, the changes in order, every byte.
    fn result(&self, updated: UpdateStats) -> (usize, Vec<NodeId>, &[u8]) {
        (updated.changed, self.graph.changed().collect(), self.graph.world_bytes())
    }
}

/// Some of the nodes are dead: edits of these are rejected by all worlds alike.
fn chosen_node(nodes: &[NodeId], choice: NodeChoice) -> NodeId {
    match choice {
        NodeChoice::Latest => nodes[nodes.len() - 1],
        NodeChoice::Live(number) | NodeChoice::Dead(number) => nodes[number as usize % nodes.len()],
    }
}

/// Random edits, the same for the same seed.
fn edits(seed: u64, count: usize) -> Vec<Edit> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| Edit::from_words([(); WORDS].map(|()| rng.next_u32()))).collect()
}

/// The edits between updates: none for the new world; its last level, or a third of
/// it; its first root; few and many random edits.
fn rounds(nodes: usize) -> Vec<Vec<Edit>> {
    let set = |index: usize| Edit::SetTranslation(NodeChoice::Live(index as u32), Vec3::ONE);
    let last_level = 2 * nodes.div_ceil(3)..nodes;
    let third_of_it = last_level.clone().take(nodes / 9);
    vec![
        vec![],
        third_of_it.map(set).collect(),
        last_level.map(set).collect(),
        vec![set(0)],
        edits(1, 1),
        edits(2, nodes / 100),
        edits(3, 7),
        edits(4, nodes / 3),
        vec![set(0)],
    ]
}

/// Applies the same edits to equal worlds, updates each in its own way, and asserts
/// that the results are the same.
fn compare(worlds: &mut [(String, World)], update: impl Fn(usize, &mut Graph) -> UpdateStats) {
    let nodes = worlds[0].1.nodes.len();
    for (round, edits) in rounds(nodes).iter().enumerate() {
        let mut results = Vec::new();
        for (index, (name, world)) in worlds.iter_mut().enumerate() {
            world.graph.clear_changes();
            edits.iter().for_each(|edit| world.apply(edit));
            let updated = update(index, &mut world.graph);
            results.push((name, world.result(updated)));
        }
        let (first_name, first) = &results[0];
        for (name, result) in &results[1..] {
            assert!(result == first, "round {round}: {name} differs from {first_name}");
        }
    }
}

const SMALL: usize = 300;

#[test]
fn every_kernel_gives_the_same_bits() {
    for (nodes, seed) in [(3, 1), (SMALL, 2), (SMALL, 3), (5_000, 4)] {
        let world = World::new(if cfg!(miri) { nodes.min(20) } else { nodes }, seed);
        let with = |kernel| (format!("{kernel:?}"), world.with_kernel(kernel));
        let mut worlds: Vec<(String, World)> = kernels().into_iter().map(with).collect();
        compare(&mut worlds, |_, graph| graph.update());
    }
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Enough that levels, and a ninth of them, are split over threads.
    let world = World::new(if cfg!(miri) { 50 } else { 90_000 }, 5);
    let pools = [1, 2, 3, 4]
        .map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let mut worlds = vec![("update".to_string(), world.clone())];
    worlds.extend((1..=4).map(|threads| (format!("{threads} threads"), world.clone())));
    worlds.push((
        "the scalar kernel on 3 threads".into(),
        world.with_kernel(TransformKernel::Scalar),
    ));
    compare(&mut worlds, |index, graph| match index {
        0 => graph.update(),
        1..=4 => pools[index - 1].install(|| graph.update_parallel()),
        _ => pools[2].install(|| graph.update_parallel()),
    });
}

#[cfg(not(feature = "parallel"))]
#[test]
fn update_parallel_is_reported_as_not_tested_without_its_feature() {
    report_not_tested("update_parallel, which needs `--features parallel`");
}

#[test]
fn incremental_updates_give_the_bits_of_an_update_of_clones() {
    let mut world = World::new(if cfg!(miri) { 20 } else { SMALL }, 6);
    for round in 0..if cfg!(miri) { 3 } else { 60 } {
        for edit in edits(100 + round, 50) {
            world.apply(&edit);
        }
        world.graph.update();
        let mut rebuilt = Graph::new();
        for root in world.graph.roots() {
            let clones = rebuilt.clone_subtree_from(&world.graph, root, None).unwrap();
            rebuilt.update();
            for &(old, new) in clones.pairs() {
                let [old, new] = [(&world.graph, old), (&rebuilt, new)]
                    .map(|(graph, node)| graph.node(node).unwrap().world().to_cols_array());
                assert_eq!(old.map(f32::to_bits), new.map(f32::to_bits), "round {round}");
            }
        }
    }
}

// ---- the recording ----

/// The hash of the recording's world transforms, after every update, on every
/// machine and with every kernel.
const RECORDED: u64 = 0x0184_9041_fb26_2096;

/// A fixed scene and fixed edits, from an integer generator: every number is a
/// small fraction with a power of two as denominator, and therefore exact. No
/// trigonometry is used.
fn recording(kernel: TransformKernel) -> u64 {
    let mut state = 1u32;
    let mut random = move |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut hash = Fnv::new();
    let mut graph = Graph::new();
    graph.set_kernel(kernel);
    let mut nodes = vec![graph.add_root(Transform::IDENTITY).unwrap()];
    for _ in 0..40 {
        for _ in 0..50 {
            let mut number = |scale: f32| (random(2001) as f32 - 1000.0) / scale;
            let vector = Vec3::new(number(64.0), number(64.0), number(64.0));
            let scale = Vec3::new(1.0 + number(4096.0), 1.0, 1.0 - number(8192.0));
            let rotation = Quat::from_xyzw(number(1024.0), number(1024.0), number(1024.0), 0.5);
            let node = nodes[random(nodes.len() as u32) as usize];
            let other = nodes[random(nodes.len() as u32) as usize];
            match random(8) {
                0..3 => {
                    let transform = Transform::from_translation(vector).with_rotation(rotation);
                    nodes.push(graph.add_child(node, transform).unwrap());
                }
                3 => _ = graph.attach(node, other),
                4 => _ = graph.node_mut(node).unwrap().set_translation(vector).unwrap(),
                5 => _ = graph.node_mut(node).unwrap().set_rotation(rotation).unwrap(),
                6 => _ = graph.node_mut(node).unwrap().set_scale(scale).unwrap(),
                _ => {
                    let mut matrix = Mat4::from_translation(vector);
                    matrix.y_axis.x = scale.x;
                    graph.node_mut(node).unwrap().set_local_matrix(matrix).unwrap();
                }
            }
        }
        graph.update();
        // In tree order: the slots of the nodes do not matter.
        for node in graph.depth_first() {
            hash.write_f32s(&graph.node(node).unwrap().world().to_cols_array());
        }
    }
    hash.finish()
}

#[test]
#[cfg_attr(miri, ignore = "hashing takes Miri many minutes")]
fn the_recording_has_the_expected_hash() {
    for kernel in kernels() {
        let hash = recording(kernel);
        assert_eq!(hash, RECORDED, "{kernel:?}: {hash:#018x}");
    }
}
