//! `Morphs`: the offsets of morph targets by geometry, and their weights by node.
//!
//! Offsets, in the store of deltas: for each target, for each attribute that a target of the geometry has
//! (positions, normals, tangents, in this order), for each vertex one texel: x, y, z, 0. They are uploaded
//! with their geometry.
//!
//! Records, in another store. A node has consecutive texels: one for each part of its mesh (the start of
//! the offsets, the number of vertices, a mask of the attributes, the index of its list of weights), then
//! the lists. A list is one texel with the number of weights other than zero, then these with their
//! targets, two per texel: target, weight, target, weight. All numbers are floats; indices are below 2²⁴
//! and thus exact.
//!
//! Invariant: after a sync and the submission of its commands, the records are those of the weights in
//! the scene and of the geometries that are uploaded.

use std::collections::HashMap;

use pleach::{AssetId, Geometry, Mesh, MorphTarget, NodeId, Part, Scene, VertexData};

use crate::upload::data_store::DataStore;
use crate::upload::id_map::IdMap;
use crate::upload::staging::Recorder;
use crate::upload::suballocator::Suballocator;
use crate::{Error, Gpu};

/// The bits of the attributes that morph targets offset.
pub const MORPH_POSITIONS: u32 = 1;
/// See [`MORPH_POSITIONS`].
pub const MORPH_NORMALS: u32 = 2;
/// See [`MORPH_POSITIONS`].
pub const MORPH_TANGENTS: u32 = 4;

/// The offsets and weights of morph targets.
#[derive(Debug)]
pub(crate) struct Morphs {
    deltas: Texels,
    by_geometry: IdMap<Deltas>,
    records: Texels,
    blocks: HashMap<NodeId, Block>,
    /// The texels of records that were uploaded.
    copy: Vec<[f32; 4]>,
    /// The record of one node.
    record: Vec<[f32; 4]>,
    /// Counts syncs.
    stamp: u64,
    generation: u64,
}

/// A store whose texels are allocated in blocks.
#[derive(Debug)]
struct Texels {
    store: DataStore,
    free: Suballocator,
}

/// The offsets of a geometry.
#[derive(Clone, Copy, Debug)]
struct Deltas {
    start: u32,
    len: u32,
    vertices: u32,
    attributes: u32,
    targets: usize,
}

/// The record of a node.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    len: u32,
    parts: u32,
    /// The sync that found it in use.
    stamp: u64,
}

impl Texels {
    fn new(gpu: &Gpu, what: &'static str) -> Self {
        let store = DataStore::new(gpu, what);
        let free = Suballocator::new(store.capacity());
        Self { store, free }
    }

    fn allocate(&mut self, recorder: &mut Recorder<'_>, len: u64) -> Result<u32, Error> {
        let fits = u32::try_from(len).ok().and_then(|len| self.free.allocate(len));
        if let Some(start) = fits {
            return Ok(start);
        }
        self.store.reserve(recorder, u64::from(self.free.len()) + len)?;
        self.free.grow(self.store.capacity());
        Ok(self.free.allocate(len as u32).expect("room for the texels was reserved"))
    }
}

impl Morphs {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            deltas: Texels::new(gpu, "morph targets"),
            by_geometry: IdMap::default(),
            records: Texels::new(gpu, "morph weights"),
            blocks: HashMap::new(),
            copy: Vec::new(),
            record: Vec::new(),
            stamp: 0,
            generation: 0,
        }
    }

    pub(crate) fn deltas(&self) -> &DataStore {
        &self.deltas.store
    }

    pub(crate) fn records(&self) -> &DataStore {
        &self.records.store
    }

    /// Returns a number that changes whenever the record of a node is elsewhere.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the index of the record of a part; `None` if it is not morphed.
    pub(crate) fn record(&self, node: NodeId, part: u32) -> Option<u32> {
        let block = self.blocks.get(&node)?;
        let is_morphed = part < block.parts && self.copy[(block.start + part) as usize][2] != 0.0;
        is_morphed.then_some(block.start + part)
    }

    /// Replaces the offsets of a geometry, and returns the bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not allow as many. The geometry has none then.
    pub(crate) fn set_geometry(
        &mut self,
        recorder: &mut Recorder<'_>,
        id: AssetId,
        geometry: &Geometry,
    ) -> Result<u64, Error> {
        self.remove_geometry(id);
        let vertices = geometry.positions.len();
        let targets = &geometry.morph_targets[..];
        let present: Vec<_> = ATTRIBUTES
            .into_iter()
            .filter(|(_, data)| targets.iter().any(|target| !data(target).is_empty()))
            .collect();
        let len = vertices as u64 * targets.len() as u64 * present.len() as u64;
        if len == 0 {
            return Ok(0);
        }
        let start = self.deltas.allocate(recorder, len)?;
        let attributes = present.iter().map(|(bit, _)| bit).sum();
        let mut at = start;
        let mut bytes = 0;
        for target in targets {
            for (_, data) in &present {
                let data = data(target);
                let texel = |vertex: usize| {
                    let [x, y, z] = data.get(vertex).copied().unwrap_or_default().to_array();
                    [x, y, z, 0.0]
                };
                bytes += self.deltas.store.write(recorder, at, (0..vertices).map(texel));
                at += vertices as u32;
            }
        }
        let (len, vertices) = (len as u32, vertices as u32);
        let deltas = Deltas { start, len, vertices, attributes, targets: targets.len() };
        self.by_geometry.insert(id, deltas);
        Ok(bytes)
    }

    /// Frees the offsets of a geometry.
    pub(crate) fn remove_geometry(&mut self, id: AssetId) {
        if let Some(deltas) = self.by_geometry.remove(&id) {
            self.deltas.free.release(deltas.start, deltas.len);
        }
    }

    /// Uploads the records that changed, and returns the bytes. O(weights).
    pub(crate) fn sync(
        &mut self,
        recorder: &mut Recorder<'_>,
        scene: &Scene,
    ) -> Result<u64, Error> {
        self.stamp += 1;
        let mut bytes = 0;
        for (node, weights) in scene.weights.iter(&scene.graph) {
            if let Some(mesh) = scene.mesh(node) {
                bytes += self.sync_node(recorder, node, mesh, weights)?;
            }
        }
        let Self { blocks, records, stamp, generation, .. } = self;
        blocks.retain(|_, block| {
            let is_used = block.stamp == *stamp;
            if !is_used {
                records.free.release(block.start, block.len);
                *generation += 1;
            }
            is_used
        });
        Ok(bytes)
    }

    fn sync_node(
        &mut self,
        recorder: &mut Recorder<'_>,
        node: NodeId,
        mesh: &Mesh,
        weights: &[f32],
    ) -> Result<u64, Error> {
        let targets = |part: &Part| self.by_geometry.get(&part.geometry.id()).map(|it| it.targets);
        if mesh.parts.iter().all(|part| targets(part).is_none()) {
            return Ok(0);
        }
        let parts = mesh.parts.len();
        let list = |part: &Part| targets(part).map_or(0, |it| list_len(it.min(weights.len())));
        let len = (parts + mesh.parts.iter().map(list).sum::<usize>()) as u32;
        let block = match self.blocks.get_mut(&node) {
            Some(block) if block.len == len && block.parts as usize == parts => {
                block.stamp = self.stamp;
                *block
            }
            _ => self.allocate(recorder, node, len, parts as u32)?,
        };
        self.fill_record(mesh, weights, block);
        let start = block.start as usize;
        let copy = &mut self.copy[start..start + len as usize];
        // From the first texel that differs to the last.
        let differs = |index: &usize| {
            bytemuck::bytes_of(&copy[*index]) != bytemuck::bytes_of(&self.record[*index])
        };
        let Some(first) = (0..len as usize).find(differs) else { return Ok(0) };
        let last = (0..len as usize).rfind(differs).unwrap_or(first);
        if copy[..parts].iter().zip(&self.record).any(|(a, b)| a[2] != b[2]) {
            self.generation += 1;
        }
        copy.copy_from_slice(&self.record);
        let texels = self.record[first..=last].iter().copied();
        Ok(self.records.store.write(recorder, block.start + first as u32, texels))
    }

    /// Computes the record of a node.
    fn fill_record(&mut self, mesh: &Mesh, weights: &[f32], block: Block) {
        let Self { record, by_geometry, .. } = self;
        record.clear();
        record.resize(mesh.parts.len(), [0.0; 4]);
        for (index, part) in mesh.parts.iter().enumerate() {
            let Some(it) = by_geometry.get(&part.geometry.id()) else { continue };
            let weights_at = block.start + record.len() as u32;
            record[index] =
                [it.start as f32, it.vertices as f32, it.attributes as f32, weights_at as f32];
            push_weights(record, &weights[..it.targets.min(weights.len())]);
        }
    }

    fn allocate(
        &mut self,
        recorder: &mut Recorder<'_>,
        node: NodeId,
        len: u32,
        parts: u32,
    ) -> Result<Block, Error> {
        if let Some(before) = self.blocks.remove(&node) {
            self.records.free.release(before.start, before.len);
        }
        let start = self.records.allocate(recorder, len.into())?;
        self.copy.resize(self.records.store.capacity() as usize, [f32::NAN; 4]);
        self.copy[start as usize..][..len as usize].fill([f32::NAN; 4]);
        let block = Block { start, len, parts, stamp: self.stamp };
        self.blocks.insert(node, block);
        self.generation += 1;
        Ok(block)
    }
}

/// Returns the number of texels of a list of weights.
fn list_len(weights: usize) -> usize {
    1 + weights.div_ceil(2)
}

/// Appends the weights that have an effect.
fn push_weights(record: &mut Vec<[f32; 4]>, weights: &[f32]) {
    let start = record.len();
    let has_effect = |weight: &f32| *weight != 0.0 && weight.is_finite();
    let active = (0..).zip(weights).filter(|(_, weight)| has_effect(weight));
    record.push([0.0; 4]);
    for (index, (target, &weight)) in active.enumerate() {
        if index % 2 == 0 {
            record.push([target as f32, weight, 0.0, 0.0]);
        } else if let Some(texel) = record.last_mut() {
            [texel[2], texel[3]] = [target as f32, weight];
        }
        record[start][0] += 1.0;
    }
    record.resize(start + list_len(weights.len()), [0.0; 4]);
}

/// Returns the offsets of an attribute.
type AttributeOf = fn(&MorphTarget) -> &VertexData<glam::Vec3>;

/// The attributes that a target offsets, with their bits.
const ATTRIBUTES: [(u32, AttributeOf); 3] = [
    (MORPH_POSITIONS, |target| &target.positions),
    (MORPH_NORMALS, |target| &target.normals),
    (MORPH_TANGENTS, |target| &target.tangents),
];
