//! `SpatialIndex::in_view`: what a draw list needs of the nodes in view, read row by row.
//!
//! Whether the world matrix of a row mirrors is computed when it is first asked for, and kept in a
//! cell until a sync moves the row. Several threads may compute it; they get the same.

use core::sync::atomic::{AtomicU8, Ordering};

use glam::Vec3;
use pleach_graph::{Graph, NodeId};

use crate::kernel::prefetch::prefetch_element;
use crate::{SpatialIndex, Visible};

/// A node in view; see [`SpatialIndex::in_view`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InView {
    /// The node.
    pub node: NodeId,
    /// The centre of its world bounds.
    pub center: Vec3,
    /// `true` if its world matrix mirrors: the winding of triangles is reversed.
    pub mirrored: bool,
}

/// The number of rows that are prefetched.
const PREFETCHED: usize = 12;

impl SpatialIndex {
    /// Iterates over the nodes of a cull, in the order of [`Visible::nodes`], with the data that
    /// draws are sorted by; faster than [`world_center`](Self::world_center) for each. `None` if
    /// `visible` was not culled by this index as it is now, or the graph was edited in its structure
    /// or updated since the last [`sync`](Self::sync).
    ///
    /// ```
    /// # use pleach_graph::{Graph, Transform};
    /// # use pleach_spatial::{Aabb, Filter, Frustum, Plane, SpatialIndex, Visible};
    /// # use pleach_spatial::glam::Vec3;
    /// let mut graph = Graph::new();
    /// let mut index = SpatialIndex::new(&mut graph);
    /// let node = graph.add_root(Transform::from_xyz(5.0, 0.0, 0.0))?;
    /// index.set_bounds(&graph, node, Aabb::new(Vec3::ZERO, Vec3::ONE))?;
    /// graph.update();
    /// index.sync(&graph)?;
    ///
    /// let mut visible = Visible::new();
    /// let everything = Frustum::from_planes([Plane::AT_INFINITY; 6])?;
    /// index.cull(&everything, &Filter::default(), &mut visible);
    /// let in_view = index.in_view(&graph, &visible).unwrap().next().unwrap();
    /// assert_eq!((in_view.node, in_view.center.x, in_view.mirrored), (node, 5.5, false));
    /// graph.remove(node)?;
    /// assert!(index.in_view(&graph, &visible).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_view<'a>(
        &'a self,
        graph: &'a Graph,
        visible: &'a Visible,
    ) -> Option<impl ExactSizeIterator<Item = InView> + 'a> {
        let is_synced = self.change_reader.is_reader_of(graph)
            && self.synced == Some((graph.structure_version(), graph.world_version()));
        let is_current = is_synced && visible.version == Some(self.version());
        is_current.then(move || {
            let rows = &self.rows;
            let numbers = &visible.rows;
            visible.nodes.iter().zip(numbers).enumerate().map(move |(i, (&node, &row))| {
                let later = numbers.get(i + PREFETCHED).map_or(row, |&row| row);
                prefetch_element(&rows.world, later as usize);
                let compute = || graph.get(node).is_some_and(|node| node.winding_flipped());
                InView {
                    node,
                    center: rows.world[row as usize].center_unless_partly_empty(),
                    mirrored: rows.mirrored[row as usize].get_or_compute(compute),
                }
            })
        })
    }
}

/// The winding of a row: whether its world matrix mirrors, once that is known.
#[derive(Debug, Default)]
pub(crate) struct Mirrored(AtomicU8);

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;
/// The row does not follow the world matrix of its node: it is computed each time.
const UNTRACKED: u8 = 3;

impl Mirrored {
    /// Forgets the value. It is kept again once known, if syncs notice that the matrix `is_tracked`.
    #[inline(always)]
    pub(crate) fn reset(&mut self, is_tracked: bool) {
        *self.0.get_mut() = if is_tracked { UNKNOWN } else { UNTRACKED };
    }

    #[inline(always)]
    fn get_or_compute(&self, compute: impl FnOnce() -> bool) -> bool {
        match self.0.load(Ordering::Relaxed) {
            NO => false,
            YES => true,
            state => {
                let mirrored = compute();
                if state == UNKNOWN {
                    self.0.store(if mirrored { YES } else { NO }, Ordering::Relaxed);
                }
                mirrored
            }
        }
    }
}

impl Clone for Mirrored {
    fn clone(&self) -> Self {
        Self(AtomicU8::new(self.0.load(Ordering::Relaxed)))
    }
}
