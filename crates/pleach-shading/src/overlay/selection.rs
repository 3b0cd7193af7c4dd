//! `Selection` and its outline: the pixels around the selected nodes of an id image.
//!
//! A pixel that does not show a selected node is covered according to its distance from the nearest
//! one that does. Both renderers use the formula of `outline_coverage`.

use pleach::{Graph, NodeId};

use super::line::{Color, LineWidth};

/// The colour of outlines.
pub const OUTLINE_COLOR: Color = [255, 110, 0];

/// Returns the width of outlines in pixels for a picture of this height.
#[must_use]
pub fn outline_width(height: u32) -> f64 {
    2.0 * LineWidth::Thin.pixels(height)
}

/// Returns the coverage of a pixel, from 0 to 1, at this distance in pixels from the nearest pixel
/// that shows a selected node: its distance is 0, and it is not covered.
///
/// ```
/// use pleach_shading::overlay::outline_coverage;
///
/// assert_eq!([0.0, 1.0, 2.0, 3.0].map(|distance| outline_coverage(distance, 2.0)), [0.0, 1.0, 0.5, 0.0]);
/// ```
#[must_use]
pub fn outline_coverage(distance: f64, width: f64) -> f64 {
    if distance > 0.0 { (width + 0.5 - distance).clamp(0.0, 1.0) } else { 0.0 }
}

/// A set of nodes with all their descendants, by slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    slots: Vec<u8>,
}

impl Selection {
    /// Selects nodes and their descendants. Nodes that are not in the graph are ignored. O(slots),
    /// and O(descendants) for each node.
    ///
    /// ```
    /// use pleach::{Graph, Transform};
    /// use pleach_shading::overlay::Selection;
    ///
    /// let mut graph = Graph::new();
    /// let [door, tree] = [(); 2].map(|()| graph.add_root(Transform::IDENTITY).unwrap());
    /// let handle = graph.add_child(door, Transform::IDENTITY)?;
    /// let selection = Selection::new(&graph, &[door]);
    /// assert!(selection.contains(door) && selection.contains(handle) && !selection.contains(tree));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(graph: &Graph, nodes: &[NodeId]) -> Self {
        let nodes = nodes.iter().filter_map(|&node| graph.get(node));
        let mut slots = Vec::new();
        for node in nodes {
            slots.resize(graph.parents().len(), 0);
            // A subtree that was selected already is skipped.
            if slots[node.id().index()] == 0 {
                node.descendants().for_each(|node| slots[node.index()] = 1);
            }
        }
        Self { slots }
    }

    /// Returns `true` if nothing is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns `true` if a node of this graph is selected.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.slots.get(node.index()) == Some(&1)
    }

    /// Returns 1 for each slot that is selected, and 0 for others; slots past the end are not
    /// selected.
    #[must_use]
    pub fn slots(&self) -> &[u8] {
        &self.slots
    }
}
