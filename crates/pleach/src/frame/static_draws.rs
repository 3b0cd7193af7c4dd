//! `StaticDraws`: counts how often the draws of static meshes changed, from build to build of a list.
//!
//! The draws of a build are compared with those of the one before. Edits of assets do not change
//! them: these are looked for only if some asset of the process was edited in between.
//!
//! Invariant: the version changes if the set of static draws, one of their properties or visible
//! instances, or the version of one of their assets changes.

use core::ops::Range;

use pleach_graph::NodeId;

use crate::assets::{geometry_edits, other_edits};
use crate::{AssetId, Scene};

/// The properties of a static draw that a renderer may have recorded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StaticDraw {
    pub(super) node: NodeId,
    pub(super) geometry: AssetId,
    pub(super) material: AssetId,
    pub(super) part: u32,
    pub(super) group: Option<Range<u32>>,
    pub(super) joint_matrices: Option<u32>,
    pub(super) flipped: bool,
    pub(super) receive_shadow: bool,
    pub(super) transparent: bool,
    /// The number of visible instances.
    pub(super) instances: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StaticDraws {
    draws: Vec<StaticDraw>,
    instances: Vec<u32>,
    previous_draws: Vec<StaticDraw>,
    previous_instances: Vec<u32>,
    version: u64,
    /// The numbers of edits of geometries and of other assets at the last build.
    edits: [u64; 2],
}

impl StaticDraws {
    /// Returns the number of changes.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Starts a build.
    pub(super) fn begin(&mut self) {
        core::mem::swap(&mut self.draws, &mut self.previous_draws);
        core::mem::swap(&mut self.instances, &mut self.previous_instances);
        self.draws.clear();
        self.instances.clear();
    }

    pub(super) fn push(&mut self, draw: StaticDraw, instances: &[u32]) {
        self.draws.push(draw);
        self.instances.extend_from_slice(instances);
    }

    /// Ends a build: compares it with the one before.
    pub(super) fn finish(&mut self, scene: &Scene) {
        let edits = [geometry_edits(), other_edits()];
        let seen = core::mem::replace(&mut self.edits, edits);
        let changed = self.draws != self.previous_draws
            || self.instances != self.previous_instances
            || (edits != seen && self.draws.iter().any(|draw| is_edited(draw, scene, seen)));
        self.version += u64::from(changed);
    }
}

/// Returns `true` if the geometry or the material of a draw was edited since `seen`.
fn is_edited(draw: &StaticDraw, scene: &Scene, seen: [u64; 2]) -> bool {
    let Some(mesh) = scene.mesh(draw.node) else { return false };
    let Some(part) = mesh.parts.get(draw.part as usize) else { return false };
    let mut materials = mesh.materials.iter().chain([&part.material]);
    part.geometry.edited_since(seen[0])
        || materials.any(|it| it.id() == draw.material && it.edited_since(seen[1]))
}
