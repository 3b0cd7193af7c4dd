//! `DrawRecords`: by slot, what a render list needs to know of a mesh.
//!
//! A mesh, its parts and its assets are far apart in memory, and a list reads those of every visible
//! node. So an update writes a few bytes per changed mesh here. What changes without an edit of the
//! mesh (world matrix, bounds, skin, instances) is not recorded.
//!
//! A *batch* is a material with a geometry; meshes that share both share its entry.
//!
//! Invariants: after an update, each node with a mesh has a record of this mesh, and no other node
//! has one; `uses` is the number of draws of a batch, which is dropped at zero. Numbers of batches
//! depend on the order of edits and are reused: they never decide the order of draws.

use core::hash::{BuildHasherDefault, Hasher};
use core::ops::Range;
use std::collections::{BTreeMap, HashMap};

use pleach_graph::{Graph, NodeId};

use crate::assets::{flag_edits, geometry_edits};
use crate::stamp::next_stamp;
use crate::{AssetId, Handle, Mesh, Scene, Table};

#[derive(Clone, Debug, Default)]
pub(crate) struct DrawRecords {
    /// By slot.
    records: Vec<DrawRecord>,
    /// The number of nodes with a record.
    len: usize,
    batches: Batches,
    /// The draws of meshes with several; unused entries are in `free`.
    several: Vec<Vec<PartRecord>>,
    free: Vec<u32>,
    /// The numbers of edits of flags and of geometries that the records take into account.
    flag_edits: u64,
    geometry_edits: u64,
}

/// The draws of a mesh, in a few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawRecord {
    /// The generation of the node; 0 if the slot has no record.
    generation: u32,
    /// The batch, or the index in `several` if [`SEVERAL`] is set.
    index: u32,
    pub(super) flags: u8,
}

/// One of several draws of a mesh.
#[derive(Clone, Debug)]
pub(super) struct PartRecord {
    /// The material and geometry.
    pub(super) batch: u32,
    /// The index of the part in its mesh.
    pub(super) part: u32,
    pub(super) group: Option<Range<u32>>,
    pub(super) transparent: bool,
}

/// The draws of a mesh.
pub(super) enum PartRecords<'a> {
    /// The whole geometry of the only part, with this batch.
    One(u32),
    Several(&'a [PartRecord]),
}

/// The assets, part, group and transparency of a draw.
type DescribedPart = ((AssetId, AssetId), u32, Option<Range<u32>>, bool);

/// The mesh has more than one draw, or none.
const SEVERAL: u8 = 1;
/// The only draw is transparent.
pub(super) const TRANSPARENT: u8 = 2;
pub(super) const STATIC: u8 = 4;
pub(super) const RECEIVE_SHADOW: u8 = 8;
pub(super) const INSTANCED: u8 = 16;

impl DrawRecord {
    const NONE: Self = Self { generation: 0, index: 0, flags: 0 };

    #[inline]
    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the batch if the mesh is one opaque draw, neither static nor instanced.
    #[inline]
    pub(super) fn plain_batch(self) -> Option<u32> {
        (self.flags & !RECEIVE_SHADOW == 0).then_some(self.index)
    }
}

impl DrawRecords {
    /// Returns the record of a node.
    #[inline]
    pub(super) fn get(&self, node: NodeId) -> Option<DrawRecord> {
        let record = *self.records.get(node.index())?;
        (record.generation == node.generation()).then_some(record)
    }

    /// Returns the draws of a record, sorted by part and then by group.
    #[inline]
    pub(super) fn parts(&self, record: DrawRecord) -> PartRecords<'_> {
        match record.has(SEVERAL) {
            false => PartRecords::One(record.index),
            true => PartRecords::Several(&self.several[record.index as usize]),
        }
    }

    #[inline]
    pub(super) fn batch(&self, batch: u32) -> &Batch {
        &self.batches.batches[batch as usize]
    }

    /// Returns a number greater than that of each batch.
    pub(super) fn batch_count(&self) -> usize {
        self.batches.batches.len()
    }

    /// Returns the batches in use with their numbers, in any order.
    pub(super) fn batches(&self) -> impl Iterator<Item = (u32, &Batch)> {
        (0..).zip(&self.batches.batches).filter(|(_, batch)| batch.uses > 0)
    }

    /// Returns a number that no other set of batches has, in any scene.
    pub(super) fn batches_stamp(&self) -> u64 {
        self.batches.stamp
    }

    /// Returns `true` if the records of `nodes` are those of their meshes as they are now. O(1) if
    /// nothing was edited since the update that wrote them.
    pub(super) fn are_up_to_date(&self, scene: &Scene, nodes: &[NodeId]) -> bool {
        let other_flags = self.flag_edits != flag_edits();
        let other_groups = self.has_several() && self.geometry_edits != geometry_edits();
        let is_up_to_date = |&node: &NodeId| {
            let (Some(record), Some(mesh)) = (self.get(node), scene.mesh(node)) else {
                return true;
            };
            let is_edited =
                || mesh.parts.iter().any(|it| it.geometry.edited_since(self.geometry_edits));
            let groups_may_differ = other_groups && !mesh.materials.is_empty() && is_edited();
            !groups_may_differ && (!other_flags || self.has_transparency_of(record, mesh))
        };
        // The numbers differ if the table was replaced by another.
        !scene.meshes.has_changed()
            && self.len == scene.meshes.len()
            && (!(other_flags || other_groups) || nodes.iter().all(is_up_to_date))
    }

    /// Returns `true` if a mesh has more than one draw, or none.
    fn has_several(&self) -> bool {
        self.several.len() != self.free.len()
    }

    /// Returns `true` if the same draws are transparent in the record of a mesh as in the mesh.
    fn has_transparency_of(&self, record: DrawRecord, mesh: &Mesh) -> bool {
        let PartRecords::Several(parts) = self.parts(record) else {
            return record.has(TRANSPARENT) == mesh.is_transparent(0, 0);
        };
        parts.iter().all(|it| {
            let material = self.batch(it.batch).material;
            let own = mesh.parts.get(it.part as usize).map(|part| &part.material);
            let mut materials = mesh.materials.iter().chain(own);
            let material = materials.find(|handle| handle.id() == material);
            let is_transparent = || material.is_some_and(Handle::is_transparent);
            it.transparent == mesh.transparent.unwrap_or_else(is_transparent)
        })
    }

    /// Writes the records of the nodes whose meshes changed, and of those with a material whose
    /// transparency did. `changed` includes the meshes of geometries that were edited until the
    /// number of edits was `geometry_edits`.
    pub(super) fn update(
        &mut self,
        graph: &Graph,
        meshes: &Table<Mesh>,
        changed: &[NodeId],
        geometry_edits: u64,
    ) {
        self.geometry_edits = geometry_edits;
        let flag_edits = flag_edits();
        let other_flags = core::mem::replace(&mut self.flag_edits, flag_edits) != flag_edits;
        for &node in changed {
            match meshes.get(graph, node) {
                Some(mesh) => self.set(node, mesh),
                None => self.remove(node),
            }
        }
        if self.len != meshes.len() {
            self.clear();
            meshes.iter(graph).for_each(|(node, mesh)| self.set(node, mesh));
        } else if other_flags {
            for (node, mesh) in meshes.iter(graph) {
                if self.get(node).is_none_or(|it| !self.has_transparency_of(it, mesh)) {
                    self.set(node, mesh);
                }
            }
        }
    }

    /// Replaces the records by those of the meshes of some nodes, as they are now.
    pub(super) fn replace(&mut self, scene: &Scene, nodes: &[NodeId]) {
        self.clear();
        for &node in nodes {
            if let Some(mesh) = scene.mesh(node) {
                self.set(node, mesh);
            }
        }
    }

    /// Removes the record of a node. That of a later node in its slot remains.
    pub(super) fn remove(&mut self, node: NodeId) {
        if let Some(record) = self.get(node) {
            self.records[node.index()] = DrawRecord::NONE;
            self.release(record);
        }
    }

    fn set(&mut self, node: NodeId, mesh: &Mesh) {
        if self.records.len() <= node.index() {
            self.records.resize(node.index() + 1, DrawRecord::NONE);
        }
        let record = self.acquire(node, mesh);
        let before = core::mem::replace(&mut self.records[node.index()], record);
        // Afterwards, so that a batch that stays in use is not dropped and created again.
        if before.generation != 0 {
            self.release(before);
        }
    }

    fn acquire(&mut self, node: NodeId, mesh: &Mesh) -> DrawRecord {
        self.len += 1;
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let flags = flag(mesh.is_static, STATIC)
            | flag(mesh.receive_shadow, RECEIVE_SHADOW)
            | flag(mesh.instances.is_some(), INSTANCED);
        let generation = node.generation();
        if let [part] = &mesh.parts[..]
            && mesh.materials.is_empty()
        {
            let index = self.batches.acquire(part.material.id(), part.geometry.id());
            let flags = flags | flag(mesh.is_transparent(0, 0), TRANSPARENT);
            return DrawRecord { generation, index, flags };
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.several.push(Vec::new());
            self.several.len() as u32 - 1
        });
        let parts = &mut self.several[index as usize];
        for_each_draw(mesh, |part, material, group| {
            let Some(handle) = mesh.material(part, material) else { return };
            parts.push(PartRecord {
                batch: self.batches.acquire(handle.id(), mesh.parts[part].geometry.id()),
                part: part as u32,
                group,
                transparent: mesh.is_transparent(part, material),
            });
        });
        DrawRecord { generation, index, flags: flags | SEVERAL }
    }

    fn release(&mut self, record: DrawRecord) {
        self.len -= 1;
        if !record.has(SEVERAL) {
            return self.batches.release(record.index);
        }
        for part in self.several[record.index as usize].drain(..) {
            self.batches.release(part.batch);
        }
        self.free.push(record.index);
    }

    /// Returns the nodes whose records are wrong, if they should be right; `None` for a problem of
    /// the batches. For checks. O(meshes).
    pub(crate) fn problems(&self, scene: &Scene) -> Vec<Option<NodeId>> {
        let (graph, meshes) = (&scene.graph, &scene.meshes);
        let nodes: Vec<NodeId> = meshes.iter(graph).map(|(node, _)| node).collect();
        if !self.are_up_to_date(scene, &nodes) {
            return Vec::new();
        }
        let mut expected = Self::default();
        meshes.iter(graph).for_each(|(node, mesh)| expected.set(node, mesh));
        let is_wrong = |node| self.describe(node) != expected.describe(node);
        let mut problems: Vec<_> =
            nodes.iter().copied().filter(|&node| is_wrong(node)).map(Some).collect();
        // Rows of nodes that were removed since the update still have records.
        if nodes.len() == self.len && self.uses() != expected.uses() {
            problems.push(None);
        }
        problems
    }

    /// Returns a record and its draws, without numbers that depend on the order of edits.
    fn describe(&self, node: NodeId) -> Option<(u8, Vec<DescribedPart>)> {
        let record = self.get(node)?;
        let ids = |batch| (self.batch(batch).material, self.batch(batch).geometry);
        let parts = match self.parts(record) {
            PartRecords::One(batch) => vec![(ids(batch), 0, None, record.has(TRANSPARENT))],
            PartRecords::Several(parts) => {
                let part =
                    |it: &PartRecord| (ids(it.batch), it.part, it.group.clone(), it.transparent);
                parts.iter().map(part).collect()
            }
        };
        Some((record.flags, parts))
    }

    /// Returns the batches in use and how often each is used, by material and geometry.
    fn uses(&self) -> BTreeMap<(AssetId, AssetId), u32> {
        let numbers = self.batches.numbers.iter();
        numbers.map(|(&ids, &number)| (ids, self.batch(number).uses)).collect()
    }

    fn clear(&mut self) {
        self.records.clear();
        self.len = 0;
        self.batches.clear();
        self.several.iter_mut().for_each(Vec::clear);
        self.free.clear();
        self.free.extend((0..self.several.len() as u32).rev());
    }
}

/// Calls `f` with the part, the index of the material and the group of each draw of a mesh.
fn for_each_draw(mesh: &Mesh, mut f: impl FnMut(usize, u32, Option<Range<u32>>)) {
    for (index, part) in mesh.parts.iter().enumerate() {
        if mesh.materials.is_empty() {
            f(index, 0, None);
            continue;
        }
        match part.geometry.get().material_groups() {
            None => f(index, 0, None),
            Some(groups) => groups
                .groups()
                .iter()
                .for_each(|group| f(index, group.material, Some(group.range.clone()))),
        }
    }
}

/// A material with a geometry.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) material: AssetId,
    pub(super) geometry: AssetId,
    uses: u32,
}

#[derive(Clone, Debug, Default)]
struct Batches {
    batches: Vec<Batch>,
    /// By material and geometry. Only searched, so that its order does not matter.
    numbers: HashMap<(AssetId, AssetId), u32, BuildHasherDefault<IdHasher>>,
    free: Vec<u32>,
    /// Changes whenever a batch is created or dropped.
    stamp: u64,
}

/// A hash of ids, which this process assigns one after the other: they need no protection from chosen
/// keys, which the standard hasher pays for.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        // An odd constant: no two ids are multiplied to the same. The high bits depend on all others.
        self.0 = (self.0.rotate_left(32) ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

impl Batches {
    fn acquire(&mut self, material: AssetId, geometry: AssetId) -> u32 {
        let Self { batches, numbers, free, stamp } = self;
        let number = *numbers.entry((material, geometry)).or_insert_with(|| {
            *stamp = next_stamp();
            let batch = Batch { material, geometry, uses: 0 };
            match free.pop() {
                Some(number) => {
                    batches[number as usize] = batch;
                    number
                }
                None => {
                    batches.push(batch);
                    batches.len() as u32 - 1
                }
            }
        });
        batches[number as usize].uses += 1;
        number
    }

    fn release(&mut self, number: u32) {
        let batch = &mut self.batches[number as usize];
        batch.uses -= 1;
        if batch.uses == 0 {
            self.numbers.remove(&(batch.material, batch.geometry));
            self.free.push(number);
            self.stamp = next_stamp();
        }
    }

    fn clear(&mut self) {
        self.batches.clear();
        self.numbers.clear();
        self.free.clear();
        self.stamp = next_stamp();
    }
}
