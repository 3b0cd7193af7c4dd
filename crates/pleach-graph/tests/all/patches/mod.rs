//! Transactions, patches and parked nodes.

mod apply;
mod every_edit;
mod many_transforms;
mod random;
mod transactions;

use pleach_graph::{Graph, NodeId};

use crate::common::{bits, transform_bits};

/// The numbers of [`state`], which are faster to compare.
pub(crate) fn numbers(graph: &Graph) -> Vec<u32> {
    let mut numbers = Vec::new();
    for id in graph.depth_first() {
        let node = graph.node(id).unwrap();
        let parent = node.parent().map_or(u32::MAX, |parent| parent.index() as u32);
        let flags = u32::from(node.is_visible())
            | u32::from(node.is_shown()) << 1
            | u32::from(node.has_local_matrix()) << 2;
        numbers.extend([id.index() as u32, id.generation(), parent, flags]);
        let (translation, rotation, scale) = transform_bits(node.transform());
        numbers.extend(translation.into_iter().chain(rotation).chain(scale));
        numbers.extend(bits(node.local_matrix()));
        if let Some(name) = node.name() {
            numbers.extend(name.bytes().map(u32::from));
            numbers.extend(graph.find_all(name).map(|node| node.index() as u32));
        }
    }
    numbers
}

/// Returns everything that an undo restores, bit for bit, as text: handles, order, values, and the
/// nodes of each name.
pub(crate) fn state(graph: &Graph) -> String {
    let mut text = String::new();
    for id in graph.depth_first() {
        let node = graph.node(id).unwrap();
        let named: Option<Vec<NodeId>> = node.name().map(|name| graph.find_all(name).collect());
        text += &format!(
            "{id} {:?} {named:?} {} {} {:?} {:?} {} {:?} {:?}\n",
            node.name(),
            node.is_visible(),
            node.is_shown(),
            node.parent(),
            transform_bits(node.transform()),
            node.has_local_matrix(),
            bits(node.local_matrix()),
            bits(node.compute_world()),
        );
    }
    text
}
