//! `Filter`: selects the nodes that a query considers.

use core::fmt;

use pleach_graph::NodeId;

use crate::index::rows::RowFlags;

/// The layers of a node for which none were set: only the first layer, bit 0.
pub const DEFAULT_LAYERS: u32 = 1;

/// Selects the nodes that a query considers: by default all shown nodes, on any layer. Nodes that
/// are [detached](crate::SpatialIndex::set_attached) are never considered.
///
/// ```
/// use pleach_spatial::Filter;
///
/// let shown = Filter::default();
/// let tools = Filter::default().with_layers(1 << 5).with_hidden();
/// ```
#[doc(alias("LayerMask", "QueryFilter", "mask"))]
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    layers: u32,
    include_hidden: bool,
    predicate: Option<&'a (dyn Fn(NodeId) -> bool + Sync)>,
}

impl Default for Filter<'_> {
    fn default() -> Self {
        Self { layers: u32::MAX, include_hidden: false, predicate: None }
    }
}

impl<'a> Filter<'a> {
    /// Restricts the query to nodes on at least one of these layers, a bit mask.
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }

    /// Includes nodes that are hidden, by themselves or by an ancestor.
    #[must_use]
    pub fn with_hidden(self) -> Self {
        Self { include_hidden: true, ..self }
    }

    /// Restricts the query to nodes for which `predicate` returns `true`. It is called last, once
    /// for each node that passed everything else, in unspecified order. It may borrow other data,
    /// such as the graph.
    ///
    /// ```
    /// use pleach_graph::{Graph, NodeId, Transform};
    /// use pleach_spatial::Filter;
    ///
    /// let mut graph = Graph::new();
    /// let team = graph.add_root(Transform::IDENTITY)?;
    /// let in_team = |node: NodeId| graph.get(node).and_then(|it| it.parent()) == Some(team);
    /// let filter = Filter::default().with_predicate(&in_team);
    /// # _ = filter;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_predicate(self, predicate: &'a (dyn Fn(NodeId) -> bool + Sync)) -> Self {
        Self { predicate: Some(predicate), ..self }
    }

    /// Returns the layers, a bit mask.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Returns `true` if every row with default flags passes.
    pub(crate) fn passes_default_rows(&self) -> bool {
        self.layers & DEFAULT_LAYERS != 0 && self.predicate.is_none()
    }

    #[inline]
    pub(crate) fn passes(&self, node: NodeId, flags: RowFlags) -> bool {
        flags.active
            && (flags.shown || self.include_hidden)
            && flags.layers & self.layers != 0
            && self.predicate.is_none_or(|predicate| predicate(node))
    }

    pub(crate) fn includes_hidden(&self) -> bool {
        self.include_hidden
    }

    pub(crate) fn rejects(&self, node: NodeId) -> bool {
        self.predicate.is_some_and(|predicate| !predicate(node))
    }
}

impl fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter")
            .field("layers", &self.layers)
            .field("include_hidden", &self.include_hidden)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}
