//! Shared by the tests: random transforms, small and random trees, and a text dump
//! of a graph.

use core::fmt::Write;

use pleach_graph::glam::{DMat4, DVec3, DVec4, Mat4, Vec3};
use pleach_graph::{Graph, NodeId, NodeRef, Transform};
use testkit::{Effort, Rng, sized};

/// Returns the seeds that a random test runs with: `quick` of them, four times as many with full
/// effort, or one under Miri.
pub(crate) fn seeds(quick: usize) -> core::ops::Range<u64> {
    0..sized(Effort::pick(quick, 4 * quick), 1) as u64
}

/// Random values of pleach's own types.
pub(crate) trait RandomTransform {
    fn transform(&mut self) -> Transform;
}

impl RandomTransform for Rng {
    fn transform(&mut self) -> Transform {
        Transform { translation: self.vec3(10.0), rotation: self.rotation(), scale: self.scale() }
    }
}

/// A random tree of `count` nodes; a few of them are roots. Not updated yet.
pub(crate) fn random_tree(random: &mut Rng, count: usize) -> (Graph, Vec<NodeId>) {
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

/// Adds a chain of nodes, each the child of the one before; the first is the root.
pub(crate) fn chain(graph: &mut Graph, length: usize) -> Vec<NodeId> {
    let mut nodes = vec![graph.add_root(Transform::from_xyz(1.0, 0.0, 0.0)).unwrap()];
    while nodes.len() < length {
        let parent = *nodes.last().unwrap();
        nodes.push(graph.add_child(parent, Transform::from_xyz(0.0, 1.0, 0.0)).unwrap());
    }
    nodes
}

/// Adds a named node.
pub(crate) fn add_named(
    graph: &mut Graph,
    parent: impl Into<Option<NodeId>>,
    name: &str,
) -> NodeId {
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

/// Sets the translation of a node.
pub(crate) fn move_to(graph: &mut Graph, node: NodeId, to: Vec3) {
    graph.node_mut(node).unwrap().set_translation(to).unwrap();
}

pub(crate) fn children(graph: &Graph, parent: NodeId) -> Vec<NodeId> {
    node(graph, parent).children().collect()
}

/// Returns the number of nodes in the subtree of a node.
pub(crate) fn subtree_size(graph: &Graph, root: NodeId) -> usize {
    node(graph, root).descendants().count()
}

/// Asserts that no invariant is violated. (Not under Miri, which looks for
/// undefined behaviour; a normal run checks the results.)
#[track_caller]
pub(crate) fn assert_consistent(graph: &Graph) {
    if cfg!(miri) {
        return;
    }
    assert_eq!(graph.check(), []);
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

/// A hash of the columns, for Miri, which is too slow for a full dump.
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

/// Returns everything that can be read from a graph and its nodes as text, bit for
/// bit.
pub(crate) fn dump(graph: &Graph) -> String {
    if cfg!(miri) {
        return short_dump(graph);
    }
    let mut text = String::new();
    writeln!(
        text,
        "{} nodes, capacity {}, structure {}, roots {:?}, dirty below {:?}",
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

/// Returns the local matrix of a node in f64, from its stored numbers.
pub(crate) fn reference_local(node: NodeRef<'_>) -> DMat4 {
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

/// Like `reference_local`, with upper bounds of the elements and of the numbers
/// they are computed from.
fn local_bound(node: NodeRef<'_>) -> DMat4 {
    if node.has_local_matrix() {
        let [x, y, z, w] =
            [0, 1, 2, 3].map(|column| node.local_matrix().as_dmat4().col(column).abs());
        return DMat4::from_cols(x, y, z, w);
    }
    let [x, y, z] = node.scale().as_dvec3().abs().to_array().map(|s| DVec4::new(s, s, s, 0.0));
    DMat4::from_cols(x, y, z, node.translation().as_dvec3().abs().extend(1.0))
}

/// Returns the world matrix of a node in f64, by definition: the product of the
/// local matrices from its root down. And the product of their bounds, as a scale
/// for rounding errors.
pub(crate) fn reference_world(node: NodeRef<'_>) -> (DMat4, DMat4) {
    let graph = node.graph();
    let (mut world, mut bound) = (reference_local(node), local_bound(node));
    for ancestor in node.ancestors() {
        let ancestor = graph.node(ancestor).unwrap();
        (world, bound) = (reference_local(ancestor) * world, local_bound(ancestor) * bound);
    }
    (world, bound)
}

/// Returns the maximum error of a matrix, relative to the bounds.
pub(crate) fn relative_error(matrix: Mat4, (expected, bound): (DMat4, DMat4)) -> f64 {
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
