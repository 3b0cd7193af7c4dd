//! `cull_reason`: the reason a node is not in view, for people.

use core::fmt;

use pleach_graph::{Graph, NodeId};

use crate::{Error, Filter, Frustum, Side, SpatialIndex};

/// Why a view does or does not list a node. See
/// [`SpatialIndex::cull_reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CullReason {
    /// It is listed.
    InView,
    /// It is listed wherever it is, because frusta may not cull it.
    NeverCulled,
    /// It has no bounds, or got them after the last sync.
    NoBounds,
    /// It is hidden, by itself or an ancestor.
    Hidden {
        /// The topmost node above it (or itself) that is not visible.
        by: NodeId,
    },
    /// It is on none of the layers that were asked for.
    Layers {
        /// Those it is on.
        node: u32,
        /// Those that were asked for.
        filter: u32,
    },
    /// The filter's predicate said no.
    Predicate,
    /// Its world bounds are outside of this side of the frustum.
    Outside(Side),
}

impl CullReason {
    /// Is the node listed?
    #[must_use]
    pub fn is_in_view(self) -> bool {
        matches!(self, Self::InView | Self::NeverCulled)
    }
}

impl SpatialIndex {
    /// Why [`cull`](Self::cull) lists a node, or why not: the first reason in the order
    /// bounds, hidden, layers, predicate, sides of the frustum.
    ///
    /// As of the last [`sync`](Self::sync); only which node hides it is looked up in
    /// the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the node is not in the graph.
    pub fn cull_reason(
        &self,
        graph: &Graph,
        node: NodeId,
        frustum: &Frustum,
        filter: &Filter<'_>,
    ) -> Result<CullReason, Error> {
        let view = graph.node(node)?;
        let Some(row) = self.rows.find(node).filter(|&row| self.rows.flags(row).in_tree) else {
            return Ok(CullReason::NoBounds);
        };
        let flags = self.rows.flags(row);
        if !flags.shown && !filter.includes_hidden() {
            let hides = |ancestor: &NodeId| graph.get(*ancestor).is_some_and(|it| !it.is_visible());
            let by = view.ancestors().filter(hides).last().unwrap_or(node);
            return Ok(CullReason::Hidden { by });
        }
        if flags.layers & filter.layers() == 0 {
            return Ok(CullReason::Layers { node: flags.layers, filter: filter.layers() });
        }
        if filter.rejects(node) {
            return Ok(CullReason::Predicate);
        }
        if flags.never_culled {
            return Ok(CullReason::NeverCulled);
        }
        Ok(frustum
            .first_outside(&self.rows.world[row])
            .map_or(CullReason::InView, CullReason::Outside))
    }
}

impl fmt::Display for CullReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InView => write!(f, "it is in view"),
            Self::NeverCulled => write!(f, "it is never_culled in view: frusta may not cull it"),
            Self::NoBounds => {
                write!(f, "it has no bounds; set some, then sync (or sync since they were set)")
            }
            Self::Hidden { by } => write!(f, "it is hidden: node {by} is not visible"),
            Self::Layers { node, filter } => {
                write!(f, "it is on layers {node:#x}, and the view asks for {filter:#x}")
            }
            Self::Predicate => write!(f, "the filter's predicate rejects it"),
            Self::Outside(side) => write!(f, "its bounds are outside of the {side} plane"),
        }
    }
}
