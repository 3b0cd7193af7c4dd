//! Collecting the draws of visible nodes, in a compact form.
//!
//! Reads the records of meshes (`draw_records.rs`) and what the spatial index has of each node in view:
//! for a plain mesh nothing else. Skins, instances and levels of detail are read from their owners.
//!
//! Invariant: the draws are in the order of the visible nodes, their parts and their groups.

use core::ops::Range;

use glam::{Mat4, Vec3};
use pleach_graph::NodeId;
use pleach_spatial::{InView, Visible};

use super::draw_records::{
    DrawRecord, DrawRecords, INSTANCED, PartRecord, PartRecords, RECEIVE_SHADOW, STATIC,
    TRANSPARENT,
};
use super::render_list::Draw;
use super::static_draws::{StaticDraw, StaticDraws};
use crate::view::depth_along;
use crate::{Frustum, Mesh, Scene, View};

/// The draws of a list that are not in order yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    pub(super) opaque: Vec<Pending>,
    pub(super) transparent: Vec<Pending>,
    pub(super) details: Vec<Details>,
    /// The visible instances of one mesh.
    visible_instances: Vec<u32>,
}

/// A draw that is not in order yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) node: NodeId,
    pub(super) batch: u32,
    /// The index of its details, or `PLAIN`.
    details: u32,
    pub(super) depth: f32,
    pub(super) flipped: bool,
    /// The flags of the record of its mesh.
    flags: u8,
}

/// The properties that most draws do not have.
#[derive(Clone, Debug, Default)]
pub(super) struct Details {
    part: u32,
    group: Option<Range<u32>>,
    joint_matrices: Option<u32>,
    instances: Range<u32>,
}

/// A draw without details.
const PLAIN: u32 = u32::MAX;

impl Collected {
    fn clear(&mut self) {
        self.opaque.clear();
        self.transparent.clear();
        self.details.clear();
    }

    fn push(&mut self, pending: Pending, transparent: bool) {
        if transparent {
            self.transparent.push(pending);
        } else {
            self.opaque.push(pending);
        }
    }
}

impl Pending {
    #[inline]
    pub(super) fn to_draw(self, records: &DrawRecords, details: &[Details]) -> Draw {
        let batch = records.batch(self.batch);
        let Details { part, group, joint_matrices, instances } = match self.details {
            PLAIN => Details::default(),
            index => details[index as usize].clone(),
        };
        Draw {
            node: self.node,
            part,
            geometry: batch.geometry,
            material: batch.material,
            group,
            world: self.node.index() as u32,
            joint_matrices,
            instances,
            flipped: self.flipped,
            receive_shadow: self.flags & RECEIVE_SHADOW != 0,
            is_static: self.flags & STATIC != 0,
            depth: self.depth,
        }
    }
}

/// Collects the draws of visible nodes.
pub(super) struct Collector<'a> {
    scene: &'a Scene,
    view: &'a View,
    records: &'a DrawRecords,
    has_skins: bool,
    has_levels: bool,
    /// There are neither skins nor levels of detail.
    only_meshes: bool,
    instances: &'a mut Vec<u32>,
    collected: &'a mut Collected,
    statics: &'a mut StaticDraws,
}

impl<'a> Collector<'a> {
    /// Creates a collector that replaces what is in `instances` and `collected`, and adds to `statics`.
    pub(super) fn new(
        scene: &'a Scene,
        view: &'a View,
        records: &'a DrawRecords,
        instances: &'a mut Vec<u32>,
        collected: &'a mut Collected,
        statics: &'a mut StaticDraws,
    ) -> Self {
        instances.clear();
        collected.clear();
        let has_skins = !scene.skins.is_empty();
        let has_levels = scene.derived.lod_members.has_levels();
        let only_meshes = !has_skins && !has_levels;
        Self {
            scene,
            view,
            records,
            has_skins,
            has_levels,
            only_meshes,
            instances,
            collected,
            statics,
        }
    }

    /// Adds the draws of all visible nodes.
    pub(super) fn add_all(&mut self, visible: &Visible) {
        let (scene, axis) = (self.scene, self.view.depth_axis());
        if let Some(in_view) = scene.spatial.in_view(&scene.graph, visible) {
            self.collected.opaque.reserve(in_view.len());
            for InView { node, center, mirrored, .. } in in_view {
                self.add(node, depth_along(axis, center), mirrored);
            }
            return;
        }
        for &id in visible.nodes() {
            let Some(node) = scene.graph.get(id) else { continue };
            let center = scene.spatial.world_center(id);
            let center: Vec3 = center.unwrap_or_else(|| node.world_translation());
            self.add(id, depth_along(axis, center), node.winding_flipped());
        }
    }

    /// Adds the draws of a live node.
    #[inline(always)]
    fn add(&mut self, node: NodeId, depth: f32, flipped: bool) {
        let Some(record) = self.records.get(node) else { return };
        let pending =
            Pending { node, batch: 0, details: PLAIN, depth, flipped, flags: record.flags };
        match record.plain_batch() {
            Some(batch) if self.only_meshes => {
                self.collected.opaque.push(Pending { batch, ..pending });
            }
            _ => self.add_other(pending, record),
        }
    }

    /// Adds a mesh that may not be plain, or have a level of detail.
    #[inline(never)]
    fn add_other(&mut self, pending: Pending, record: DrawRecord) {
        let (scene, records) = (self.scene, self.records);
        if self.has_levels && !scene.draws_level(self.view, pending.node) {
            return;
        }
        let parts = records.parts(record);
        if let PartRecords::One(batch) = parts
            && !record.has(STATIC | INSTANCED)
            && !self.has_skins
        {
            return self.collected.push(Pending { batch, ..pending }, record.has(TRANSPARENT));
        }
        self.add_detailed(pending, record, parts);
    }

    /// Adds a mesh that may have a skin, instances, several draws, or be static.
    fn add_detailed(&mut self, pending: Pending, record: DrawRecord, parts: PartRecords<'_>) {
        if matches!(parts, PartRecords::Several([])) {
            return;
        }
        let (scene, id) = (self.scene, pending.node);
        let joint_matrices = match self.has_skins {
            true => scene.skin(id).and_then(|_| scene.joint_matrices().range(id)),
            false => None,
        };
        let joint_matrices = joint_matrices.map(|range| range.start as u32);
        let flipped = match joint_matrices {
            Some(_) => scene.joint_matrices().mirrors(id),
            None => pending.flipped,
        };
        let mut instances = 0..0;
        if record.has(INSTANCED)
            && let Some(mesh) = scene.mesh(id)
        {
            let start = self.instances.len();
            self.cull_instances(id, mesh);
            instances = start as u32..self.instances.len() as u32;
            if instances.is_empty() {
                return;
            }
        }
        let pending = Pending { flipped, ..pending };
        let mut details = Details { part: 0, group: None, joint_matrices, instances };
        match parts {
            PartRecords::One(batch) => {
                self.push(Pending { batch, ..pending }, &details, record.has(TRANSPARENT));
            }
            PartRecords::Several(parts) => {
                for &PartRecord { batch, part, ref group, transparent } in parts {
                    details.part = part;
                    details.group.clone_from(group);
                    self.push(Pending { batch, ..pending }, &details, transparent);
                }
            }
        }
    }

    fn push(&mut self, pending: Pending, details: &Details, transparent: bool) {
        if pending.flags & STATIC != 0 {
            self.push_static(&pending, details, transparent);
        }
        let Details { part, group, joint_matrices, instances } = details;
        let is_plain =
            *part == 0 && group.is_none() && joint_matrices.is_none() && instances.is_empty();
        let index = if is_plain { PLAIN } else { self.collected.details.len() as u32 };
        if !is_plain {
            self.collected.details.push(details.clone());
        }
        self.collected.push(Pending { details: index, ..pending }, transparent);
    }

    fn push_static(&mut self, pending: &Pending, details: &Details, transparent: bool) {
        let instances = details.instances.start as usize..details.instances.end as usize;
        let batch = self.records.batch(pending.batch);
        let draw = StaticDraw {
            node: pending.node,
            geometry: batch.geometry,
            material: batch.material,
            part: details.part,
            group: details.group.clone(),
            joint_matrices: details.joint_matrices,
            flipped: pending.flipped,
            receive_shadow: pending.flags & RECEIVE_SHADOW != 0,
            transparent,
            instances: instances.len() as u32,
        };
        self.statics.push(draw, &self.instances[instances]);
    }

    /// Appends the visible instances of a mesh to those of the list.
    fn cull_instances(&mut self, node: NodeId, mesh: &Mesh) {
        let Some(instances) = &mesh.instances else { return };
        let world = self.scene.graph.get(node).map_or(Mat4::IDENTITY, |node| node.world());
        // In the node's space; with a singular matrix, or if it is not culled, all instances are
        // visible.
        match local_frustum(self.view, &world) {
            Some(frustum) if mesh.frustum_culled => {
                instances.cull(&frustum, &mut self.collected.visible_instances);
                self.instances.extend_from_slice(&self.collected.visible_instances);
            }
            _ => self.instances.extend(0..instances.len() as u32),
        }
    }
}

/// Returns the view frustum in the space that `world` transforms from.
fn local_frustum(view: &View, world: &Mat4) -> Option<Frustum> {
    // In f64: far from the origin the rounding of an f32 product would exceed the slack of the
    // bounds.
    let local = view.view_projection.as_dmat4() * world.as_dmat4();
    Frustum::from_view_projection(&local.as_mat4(), view.clip_space).ok()
}
