//! `Filter`: which nodes a question is about.

use core::fmt;

use pleach_graph::NodeId;

use crate::index::rows::RowFlags;

/// The layers of a node that was given none: the first.
pub const DEFAULT_LAYERS: u32 = 1;

/// Which nodes a question is about: shown ones, on any layer, unless told otherwise.
///
/// ```
/// use pleach_spatial::Filter;
///
/// let everything = Filter::default();
/// let tools = Filter::default().with_layers(1 << 5).with_hidden();
/// ```
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
    /// Only nodes that are on one of these layers (bits).
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }

    /// Also nodes that are hidden, themselves or by an ancestor.
    #[must_use]
    pub fn with_hidden(self) -> Self {
        Self { include_hidden: true, ..self }
    }

    /// Only nodes of which this is true. Asked last, once for each node that passed
    /// everything else, in no promised order.
    #[must_use]
    pub fn with_predicate(self, predicate: &'a (dyn Fn(NodeId) -> bool + Sync)) -> Self {
        Self { predicate: Some(predicate), ..self }
    }

    /// The layers asked for.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Does it let every usual node pass without a look?
    pub(crate) fn passes_default_rows(&self) -> bool {
        self.layers & DEFAULT_LAYERS != 0 && self.predicate.is_none()
    }

    #[inline]
    pub(crate) fn passes(&self, node: NodeId, flags: RowFlags) -> bool {
        flags.in_tree
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
            .field("hidden", &self.include_hidden)
            .field("predicate", &self.predicate.is_some())
            .finish()
    }
}
