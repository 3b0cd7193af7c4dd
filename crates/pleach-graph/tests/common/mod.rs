//! What the stories share: a seeded source of randomness, small and random trees,
//! and a text of everything that a graph tells of itself.

#![allow(dead_code, reason = "each test file uses its part of it")]

use core::fmt::Write;

use pleach_graph::glam::{DMat4, DVec3, DVec4, Mat4, Quat, Vec3};
use pleach_graph::{Graph, NodeId, NodeRef, Transform};

/// A size for normal runs, and a smaller one for Miri, which is slow.
pub(crate) const fn sized(normal: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { normal }
}

/// The seeds that a random test runs with: so many, or one under Miri.
pub(crate) fn seeds(normal: usize) -> core::ops::Range<u64> {
    0..sized(normal, 1) as u64
}

/// Random numbers, the same for the same seed on every machine (splitmix64).
///
/// Prints its seed when the test that holds it fails.
pub(crate) struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    pub(crate) fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * ((self.next() >> 40) as f32 / (1u32 << 24) as f32)
    }

    pub(crate) fn vec3(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.between(-reach, reach)))
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        loop {
            let parts = [(); 4].map(|()| self.between(-1.0, 1.0));
            let square: f32 = parts.iter().map(|part| part * part).sum();
            if (0.01..=1.0).contains(&square) {
                return Quat::from_array(parts).normalize();
            }
        }
    }

    /// Uneven, and one in four axes mirrored.
    pub(crate) fn scale(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| {
            let size = self.between(0.5, 2.0);
            if self.one_in(4) { -size } else { size }
        }))
    }

    pub(crate) fn transform(&mut self) -> Transform {
        Transform { translation: self.vec3(10.0), rotation: self.rotation(), scale: self.scale() }
    }

    /// Any affine matrix, mostly sheared.
    pub(crate) fn matrix(&mut self) -> Mat4 {
        let [x, y, z] = [(); 3].map(|()| self.vec3(2.0));
        let at = self.vec3(10.0);
        Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), at.extend(1.0))
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with random seed {}", self.seed);
        }
    }
}

/// A random tree of `count` nodes; a few of them are roots. Not updated yet.
pub(crate) fn random_tree(random: &mut Random, count: usize) -> (Graph, Vec<NodeId>) {
    let mut graph = Graph::new();
    let mut nodes = Vec::with_capacity(count);
    for index in 0..count {
        let transform = random.transform();
        let node = if index == 0 || random.one_in(50) {
            graph.add_root(transform)
        } else {
            graph.add_child(random.pick(&nodes), transform)
        };
        nodes.push(node.unwrap());
    }
    (graph, nodes)
}

/// A node and one child after another below it: `chain[0]` is the root.
pub(crate) fn chain(graph: &mut Graph, length: usize) -> Vec<NodeId> {
    let mut nodes = vec![graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap()];
    while nodes.len() < length {
        let parent = *nodes.last().unwrap();
        nodes.push(graph.add_child(parent, Transform::from_xyz(0.0, 1.0, 0.0)).unwrap());
    }
    nodes
}

/// Adds a named node.
pub(crate) fn named(graph: &mut Graph, parent: impl Into<Option<NodeId>>, name: &str) -> NodeId {
    let node = match parent.into() {
        Some(parent) => graph.add_child(parent, Transform::IDENTITY).unwrap(),
        None => graph.add_root(Transform::IDENTITY).unwrap(),
    };
    graph.node_mut(node).unwrap().set_name(name);
    node
}

pub(crate) fn node(graph: &Graph, node: NodeId) -> NodeRef<'_> {
    graph.node(node).unwrap()
}

/// Moves a node, in its parent's space.
pub(crate) fn shift(graph: &mut Graph, node: NodeId, to: Vec3) {
    graph.node_mut(node).unwrap().set_translation(to).unwrap();
}

pub(crate) fn children(graph: &Graph, parent: NodeId) -> Vec<NodeId> {
    node(graph, parent).children().collect()
}

/// The size of the tree of a node.
pub(crate) fn size_of_tree(graph: &Graph, top: NodeId) -> usize {
    node(graph, top).descendants().count()
}

/// Nothing is wrong with the graph. (Not asked under Miri: what it looks for are
/// not wrong results, and they were asked for in a normal run.)
#[track_caller]
pub(crate) fn assert_sound(graph: &Graph) {
    if cfg!(miri) {
        return;
    }
    assert_eq!(graph.check(), Vec::<String>::new());
}

pub(crate) fn bits(matrix: Mat4) -> [u32; 16] {
    matrix.to_cols_array().map(f32::to_bits)
}

pub(crate) fn transform_bits(transform: Transform) -> ([u32; 3], [u32; 4], [u32; 3]) {
    (
        transform.translation.to_array().map(f32::to_bits),
        transform.rotation.to_array().map(f32::to_bits),
        transform.scale.to_array().map(f32::to_bits),
    )
}

/// As much of it as Miri has time for: one number of the columns.
fn short_dump(graph: &Graph) -> String {
    let mut sum = graph.structure_version();
    let mut add = |number: u32| sum = (sum ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3);
    for id in graph.depth_first() {
        add(id.index() as u32);
        add(graph.parents()[id.index()]);
        add(u32::from(graph.flags()[id.index()].is_local_dirty()));
        add(u32::from(graph.flags()[id.index()].is_shown()));
        let (translation, rotation, scale) = transform_bits(graph.transforms()[id.index()]);
        translation.into_iter().chain(rotation).chain(scale).for_each(&mut add);
        bits(graph.world_matrices()[id.index()]).into_iter().for_each(&mut add);
    }
    [graph.changed().count(), graph.shown_changed().count(), graph.removed().len()]
        .into_iter()
        .for_each(|count| add(count as u32));
    sum.to_string()
}

/// Everything that a graph tells of itself and its nodes, bit for bit.
pub(crate) fn dump(graph: &Graph) -> String {
    if cfg!(miri) {
        return short_dump(graph);
    }
    let mut text = String::new();
    writeln!(
        text,
        "{} nodes, room for {}, structure {}, roots {:?}, dirty below {:?}",
        graph.len(),
        graph.capacity(),
        graph.structure_version(),
        graph.roots().collect::<Vec<_>>(),
        graph.dirty_roots(),
    )
    .unwrap();
    writeln!(
        text,
        "changed {:?}, shown changed {:?}, removed {:?}",
        graph.changed(),
        graph.shown_changed(),
        graph.removed(),
    )
    .unwrap();
    for id in graph.depth_first() {
        let node = node(graph, id);
        writeln!(
            text,
            "{id} {:?} depth {} parent {:?} children {:?} {:?} dirty {} local {:?} matrix {} {:?} \
             world {:?} or {:?}",
            node.name(),
            node.depth(),
            node.parent(),
            node.children().collect::<Vec<_>>(),
            graph.flags()[id.index()],
            node.is_dirty(),
            transform_bits(node.transform()),
            node.has_local_matrix(),
            bits(node.local_matrix()),
            bits(node.world()),
            bits(node.compute_world()),
        )
        .unwrap();
        if let Some(name) = node.name() {
            writeln!(text, "  {name:?}: {:?}", graph.find_all(name).collect::<Vec<_>>()).unwrap();
        }
    }
    writeln!(text, "{:?}", graph.by_depth().collect::<Vec<_>>()).unwrap();
    text
}

/// The local matrix of a node in f64, from the numbers it was given.
pub(crate) fn local64(node: NodeRef<'_>) -> DMat4 {
    if node.has_local_matrix() {
        return node.local_matrix().as_dmat4();
    }
    let Transform { translation, rotation, scale } = node.transform();
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let columns = [
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    ];
    let scale = scale.as_dvec3();
    DMat4::from_cols(
        (columns[0] * scale.x).extend(0.0),
        (columns[1] * scale.y).extend(0.0),
        (columns[2] * scale.z).extend(0.0),
        translation.as_dvec3().extend(1.0),
    )
}

/// As `local64`, with bounds instead of numbers: how great each element, and what
/// it was computed of, can be.
fn local_bound(node: NodeRef<'_>) -> DMat4 {
    if node.has_local_matrix() {
        let [x, y, z, w] =
            [0, 1, 2, 3].map(|column| node.local_matrix().as_dmat4().col(column).abs());
        return DMat4::from_cols(x, y, z, w);
    }
    let [x, y, z] = node.scale().as_dvec3().abs().to_array().map(|s| DVec4::new(s, s, s, 0.0));
    DMat4::from_cols(x, y, z, node.translation().as_dvec3().abs().extend(1.0))
}

/// The world matrix of a node in f64, by definition: the product of the locals
/// from its root down. And the product of their bounds, the yardstick for
/// rounding errors.
pub(crate) fn world64(node: NodeRef<'_>) -> (DMat4, DMat4) {
    let graph = node.graph();
    let (mut world, mut bound) = (local64(node), local_bound(node));
    for ancestor in node.ancestors() {
        let ancestor = graph.node(ancestor).unwrap();
        (world, bound) = (local64(ancestor) * world, local_bound(ancestor) * bound);
    }
    (world, bound)
}

/// The greatest error of a matrix, relative to the numbers it was made of.
pub(crate) fn error64(matrix: Mat4, (expected, bound): (DMat4, DMat4)) -> f64 {
    let difference = (matrix.as_dmat4() - expected).to_cols_array();
    let bound = bound.to_cols_array();
    difference.iter().zip(bound).map(|(d, b)| d.abs() / b.max(1e-30)).fold(0.0, f64::max)
}

/// The corners of a cube of side 2.
pub(crate) fn corners() -> impl Iterator<Item = DVec4> {
    (0..8).map(|corner| {
        let sign = |bit: i32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        DVec4::new(sign(0), sign(1), sign(2), 1.0)
    })
}
