//! `cull_reason`: explains why a node is or is not in view.

use core::fmt;

use pleach_graph::{Graph, NodeId};

use crate::{Error, Filter, Frustum, Side, SpatialIndex};

/// The reason why a node is or is not in view. See [`SpatialIndex::cull_reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CullReason {
    /// The node is in view.
    InView,
    /// The node is in every view, because frusta may not cull it.
    NeverCulled,
    /// The node has no bounds, or they were set after the last sync.
    NoBounds,
    /// The node is not part of the scene, or was attached after the last sync: see
    /// [`SpatialIndex::set_attached`].
    Detached,
    /// The node is hidden, by itself or by an ancestor.
    Hidden {
        /// The topmost node that is not visible: an ancestor or the node itself.
        by: NodeId,
    },
    /// The node is on none of the filter's layers.
    Layers {
        /// The layers of the node.
        node: u32,
        /// The layers of the filter.
        filter: u32,
    },
    /// The filter's predicate returned `false`.
    Predicate,
    /// The node's world bounds are outside this side of the frustum.
    Outside(Side),
}

impl CullReason {
    /// Returns `true` if the node is in view.
    #[must_use]
    pub fn is_in_view(self) -> bool {
        matches!(self, Self::InView | Self::NeverCulled)
    }
}

impl SpatialIndex {
    /// Returns the reason why [`cull`](Self::cull) lists or does not list a node: the first that
    /// applies of bounds, attachment, visibility, layers, predicate and sides of the frustum.
    ///
    /// As of the last [`sync`](Self::sync); only the node that hides it is looked up in the graph.
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, ClipSpace, CullReason, Filter, Frustum, Side, SpatialIndex};
    /// # use pleach_spatial::glam::Vec3;
    /// # let mut graph = Graph::new();
    /// # let mut index = SpatialIndex::new(&mut graph);
    /// # let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    /// # use pleach_spatial::glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
    /// # let near = graph.add_root(Transform::from_xyz(0.0, 2.0, 0.0))?;
    /// # let far = graph.add_root(Transform::from_xyz(0.0, 8.0, 0.0))?;
    /// # for node in [near, far] {
    /// #     index.set_bounds(&graph, node, cube)?;
    /// # }
    /// # graph.update();
    /// # index.sync(&graph)?;
    /// // From the origin along +Y.
    /// let camera = perspective(1.0, 1.6, 0.1, 5.0) * look_to_mat4(Vec3::ZERO, Vec3::Y, Vec3::Z);
    /// let frustum = Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne)?;
    /// let reason = index.cull_reason(&graph, far, &frustum, &Filter::default())?;
    /// assert_eq!(reason, CullReason::Outside(Side::Far));
    /// assert_eq!(reason.to_string(), "its bounds are outside the far plane");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let Some(row) = self.rows.find(node) else { return Ok(CullReason::NoBounds) };
        let flags = self.rows.flags(row);
        if !flags.active {
            let is_new = !flags.synced && !flags.detached;
            return Ok(if is_new { CullReason::NoBounds } else { CullReason::Detached });
        }
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
            Self::NeverCulled => write!(f, "it is in every view: frusta may not cull it"),
            Self::NoBounds => {
                write!(
                    f,
                    "it has no bounds, or they are newer than the last sync; set them, then sync"
                )
            }
            Self::Detached => write!(
                f,
                "it is detached: it is not part of the scene; attach it below the scene's root"
            ),
            Self::Hidden { by } => write!(f, "it is hidden: node {by} is not visible"),
            Self::Layers { node, filter } => {
                write!(f, "it is on layers {node:#x}, but the filter selects {filter:#x}")
            }
            Self::Predicate => write!(f, "the filter's predicate rejects it"),
            Self::Outside(side) => write!(f, "its bounds are outside the {side} plane"),
        }
    }
}
