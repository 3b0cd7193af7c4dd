//! `ListInputs`: everything that a render list depends on, except for the visible nodes, as a few
//! numbers that can be compared.
//!
//! A list that has the inputs and the nodes of its last build would be built alike, so it is not
//! built. What a build reads, and the number that changes with it:
//!
//! | read | number |
//! | --- | --- |
//! | nodes and world matrices | the counters of the graph |
//! | bounds, and so depths and levels of detail | the version of the spatial index |
//! | records of draws, joint matrices, members of levels of detail | the stamp of the last update that changed them |
//! | rows of meshes, skins and levels of detail | the stamps of their tables |
//! | flags and versions of assets | the numbers of edits in this process |
//! | the view | itself, bit by bit |
//!
//! Invariant: if the inputs of two builds are the same, all of these are. Index versions differ
//! between scenes, and inputs only exist if the graph is the one that the scene was created with and
//! no row was edited since the last update.

use glam::Mat4;
use pleach_spatial::IndexVersion;

use crate::assets::{flag_edits, geometry_edits, other_edits};
use crate::{Scene, View};

#[derive(Clone, Copy, Debug)]
pub(super) struct ListInputs {
    view: View,
    numbers: [u64; 9],
    index: IndexVersion,
}

impl ListInputs {
    /// Returns the inputs of a list of this scene and view, or `None` if there are edits that no
    /// number stands for. O(1). Call it before the build: an asset that another thread edits
    /// meanwhile then counts as edited after it.
    pub(super) fn new(scene: &Scene, view: &View) -> Option<Self> {
        let graph = &scene.graph;
        if !scene.change_reader.is_reader_of(graph) {
            return None;
        }
        let numbers = [
            graph.structure_version(),
            graph.world_version(),
            scene.derived.stamp,
            scene.meshes.stamp()?,
            scene.skins.stamp()?,
            scene.lods.stamp()?,
            geometry_edits(),
            other_edits(),
            flag_edits(),
        ];
        Some(Self { view: *view, numbers, index: scene.spatial.version() })
    }

    pub(super) fn are_those_of(&self, other: &Self) -> bool {
        self.numbers == other.numbers
            && self.index == other.index
            && same_view(&self.view, &other.view)
    }
}

/// Returns `true` if two views are the same, also in the signs of zeros, which are an order of depths.
pub(super) fn same_view(a: &View, b: &View) -> bool {
    let bits = |matrix: &Mat4| matrix.to_cols_array().map(f32::to_bits);
    a == b
        && bits(&a.view) == bits(&b.view)
        && bits(&a.projection) == bits(&b.projection)
        && bits(&a.view_projection) == bits(&b.view_projection)
}
