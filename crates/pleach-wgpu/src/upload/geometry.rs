//! `Geometries`: vertex and index streams, one upload per array however many geometries use it.
//!
//! An array of [`VertexData`] that geometries share is one stream; it is identified by its
//! [`shared_id`](VertexData::shared_id), and a clone of it is kept so that no other array can get the
//! same id. Other arrays belong to one geometry each.
//!
//! Invariants: a stream exists as long as an uploaded geometry uses it; an uploaded geometry has the
//! streams of the version that was current when it was uploaded.

use std::any::Any;
use std::collections::HashMap;

use pleach::{AssetId, AssetVersion, Geometry, VertexData};

use crate::upload::id_map::IdMap;
use crate::upload::influences::InterleavedInfluences;
use crate::upload::prepare_geometry::{Prepared, Primitives};
use crate::upload::slab::{Allocation, Slabs};
use crate::upload::staging::Recorder;
use crate::{Error, Warning};

/// The vertex streams of a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum VertexStream {
    /// Three floats.
    Positions,
    /// Three floats.
    Normals,
    /// Four floats.
    Tangents,
    /// Two floats: the first set of texture coordinates.
    Uv0,
    /// Two floats: the second set.
    Uv1,
    /// Four floats.
    Colors,
    /// One or two sets of four joints (16 bits each) and four weights (32 bits each).
    Influences,
}

/// The number of streams.
const STREAMS: usize = 7;

/// A geometry on the GPU.
#[derive(Clone, Debug)]
pub struct GpuGeometry {
    version: u64,
    /// `true` if a newer version may exist.
    is_stale: bool,
    streams: [Option<u32>; STREAMS],
    indices: Option<Allocation>,
    groups: Option<Allocation>,
    primitives: Primitives,
    vertex_count: u32,
    index_count: u32,
    group_index_count: u32,
    influence_sets: u32,
    /// `true` if it has tangents, or was asked for some.
    has_requested_tangents: bool,
}

impl GpuGeometry {
    /// Returns the number of indices, or of vertices if it has no indices.
    #[must_use]
    pub fn index_count(&self) -> u32 {
        self.index_count
    }

    /// Returns the number of indices that [`Draw::group`](pleach::Draw::group) is a range of; 0 if the
    /// triangles do not select materials.
    #[must_use]
    pub fn group_index_count(&self) -> u32 {
        self.group_index_count
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        self.vertex_count
    }

    /// Returns the primitives; strips, loops and fans are uploaded as lists.
    #[must_use]
    pub fn primitives(&self) -> Primitives {
        self.primitives
    }

    /// Returns `true` if it has this stream.
    #[must_use]
    pub fn has(&self, stream: VertexStream) -> bool {
        self.streams[stream as usize].is_some()
    }

    /// Returns the number of sets of joint influences per vertex: 0, 1 or 2.
    #[must_use]
    pub fn influence_sets(&self) -> u32 {
        self.influence_sets
    }

    fn indices_mut(&mut self, is_group: bool) -> &mut Option<Allocation> {
        if is_group { &mut self.groups } else { &mut self.indices }
    }

    /// Returns everything that a recorded draw depends on.
    fn layout(&self) -> impl PartialEq + use<> {
        let Self { streams, indices, groups, primitives, .. } = *self;
        let counts =
            [self.vertex_count, self.index_count, self.group_index_count, self.influence_sets];
        (streams, indices, groups, primitives, counts)
    }
}

/// All uploaded geometries and their streams.
#[derive(Debug)]
pub(crate) struct Geometries {
    vertices: Slabs,
    indices: Slabs,
    geometries: IdMap<GpuGeometry>,
    streams: Vec<Option<Stream>>,
    free: Vec<u32>,
    shared: HashMap<SharedKey, u32>,
    generation: u64,
}

#[derive(Debug)]
struct Stream {
    allocation: Allocation,
    uses: u32,
    /// The key in `shared`, and the data that the key identifies.
    shared: Option<(SharedKey, Box<dyn Any + Send + Sync>)>,
}

/// The ids of the shared arrays of a stream; interleaved influences are made of up to four.
type SharedKey = [usize; 4];

/// Data of a stream to upload.
struct Source<'a> {
    bytes: &'a [u8],
    shared: Option<(SharedKey, Box<dyn Any + Send + Sync>)>,
}

impl Geometries {
    pub(crate) fn new() -> Self {
        Self {
            vertices: Slabs::new("vertices", wgpu::BufferUsages::VERTEX),
            indices: Slabs::new("indices", wgpu::BufferUsages::INDEX),
            geometries: IdMap::default(),
            streams: Vec::new(),
            free: Vec::new(),
            shared: HashMap::new(),
            generation: 0,
        }
    }

    /// Returns a number that changes whenever a stream is elsewhere than before.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn get(&self, id: AssetId) -> Option<&GpuGeometry> {
        self.geometries.get(&id)
    }

    /// Returns the buffer and offset of a stream of a geometry.
    pub(crate) fn stream(
        &self,
        geometry: &GpuGeometry,
        stream: VertexStream,
    ) -> Option<(&wgpu::Buffer, u64)> {
        let stream = self.streams[geometry.streams[stream as usize]? as usize].as_ref()?;
        Some(self.vertices.locate(stream.allocation))
    }

    /// Returns the buffer and offset of the indices of a geometry, or of its material groups.
    pub(crate) fn indices(
        &self,
        geometry: &GpuGeometry,
        is_group: bool,
    ) -> Option<(&wgpu::Buffer, u64)> {
        let allocation = if is_group { geometry.groups? } else { geometry.indices? };
        Some(self.indices.locate(allocation))
    }

    /// Returns the number of geometries, streams and buffers.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let streams = self.streams.iter().flatten().count();
        [self.geometries.len(), streams, self.vertices.len() + self.indices.len()]
    }

    /// Returns `true` if the current version of a geometry is uploaded, as far as is known, with
    /// tangents if they are needed and possible.
    #[inline]
    pub(crate) fn is_current(&self, id: AssetId, needs_tangents: bool) -> bool {
        self.geometries
            .get(&id)
            .is_some_and(|it| !it.is_stale && (it.has_requested_tangents || !needs_tangents))
    }

    /// Marks a geometry that may have been edited.
    pub(crate) fn mark_stale(&mut self, id: AssetId) {
        if let Some(geometry) = self.geometries.get_mut(&id) {
            geometry.is_stale = true;
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = AssetId> {
        self.geometries.keys().copied()
    }

    /// Frees a geometry, and the streams that no other uses.
    pub(crate) fn remove(&mut self, id: AssetId) {
        if let Some(geometry) = self.geometries.remove(&id) {
            self.release(&geometry);
            self.generation += 1;
        }
    }

    fn release(&mut self, geometry: &GpuGeometry) {
        for &stream in geometry.streams.iter().flatten() {
            self.release_stream(stream);
        }
        for allocation in [geometry.indices, geometry.groups].into_iter().flatten() {
            self.indices.release(allocation);
        }
    }

    fn release_stream(&mut self, index: u32) {
        let entry = &mut self.streams[index as usize];
        let Some(stream) = entry else { return };
        stream.uses -= 1;
        if stream.uses == 0 {
            self.vertices.release(stream.allocation);
            if let Some((key, _)) = &stream.shared {
                self.shared.remove(key);
            }
            *entry = None;
            self.free.push(index);
        }
    }

    /// Uploads the current version of a geometry, unless it is, and returns the prepared geometry if
    /// it was uploaded. Adds the bytes to `bytes`. What cannot be uploaded has no vertices.
    pub(crate) fn upload<'a>(
        &mut self,
        recorder: &mut Recorder<'_>,
        id: AssetId,
        value: &'a AssetVersion<Geometry>,
        tangent_uv_set: Option<usize>,
        warnings: &mut Vec<Warning>,
        bytes: &mut u64,
    ) -> Option<Prepared<'a>> {
        let mut before = self.geometries.remove(&id);
        let needs_tangents = tangent_uv_set.is_some();
        let has_tangents = before.as_ref().is_some_and(|it| it.has_requested_tangents);
        if (has_tangents || !needs_tangents)
            && let Some(before) = before.take_if(|it| it.version == value.version())
        {
            self.geometries.insert(id, GpuGeometry { is_stale: false, ..before });
            return None;
        }
        let prepared = Prepared::new(value, tangent_uv_set);
        let influences = InterleavedInfluences::new(&prepared.geometry);
        if influences.as_ref().is_some_and(|it| it.is_reduced) {
            let influences = 4 * prepared.geometry.influences.len();
            warnings.push(Warning::InfluencesReduced { geometry: id, influences });
        }
        let mut uploaded = GpuGeometry {
            version: value.version(),
            is_stale: false,
            streams: [None; STREAMS],
            indices: None,
            groups: None,
            primitives: prepared.primitives,
            vertex_count: prepared.geometry.positions.len() as u32,
            index_count: prepared.index_count,
            group_index_count: prepared.groups.as_ref().map_or(0, |it| it.len() as u32),
            influence_sets: influences.as_ref().map_or(0, |it| it.sets),
            has_requested_tangents: needs_tangents || !prepared.geometry.tangents.is_empty(),
        };
        let layout = before.as_ref().map(GpuGeometry::layout);
        let sources = sources(&prepared.geometry, influences.as_ref());
        let result = self
            .upload_streams(recorder, sources, before.as_ref(), &mut uploaded, bytes)
            .and_then(|()| {
                self.upload_indices(recorder, &prepared, before.as_mut(), &mut uploaded, bytes)
            });
        if let Err(error) = result {
            warnings.push(Warning::GeometryIgnored { geometry: id, cause: error.to_string() });
            (uploaded.index_count, uploaded.vertex_count) = (0, 0);
            uploaded.group_index_count = 0;
        }
        if layout != Some(uploaded.layout()) {
            self.generation += 1;
        }
        // Afterwards, so that streams that stay in use are kept.
        if let Some(before) = before {
            self.release(&before);
        }
        self.geometries.insert(id, uploaded);
        Some(prepared)
    }

    fn upload_streams(
        &mut self,
        recorder: &mut Recorder<'_>,
        sources: [Option<Source<'_>>; STREAMS],
        before: Option<&GpuGeometry>,
        uploaded: &mut GpuGeometry,
        bytes: &mut u64,
    ) -> Result<(), Error> {
        for (index, source) in sources.into_iter().enumerate() {
            let Some(source) = source else { continue };
            let before = before.and_then(|it| it.streams[index]);
            uploaded.streams[index] = Some(self.acquire(recorder, source, before, bytes)?);
        }
        Ok(())
    }

    fn upload_indices(
        &mut self,
        recorder: &mut Recorder<'_>,
        prepared: &Prepared<'_>,
        mut before: Option<&mut GpuGeometry>,
        uploaded: &mut GpuGeometry,
        bytes: &mut u64,
    ) -> Result<(), Error> {
        let lists = [prepared.indices.as_deref(), prepared.groups.as_deref()];
        for (is_group, list) in lists.into_iter().enumerate() {
            let Some(list) = list.filter(|list| !list.is_empty()) else { continue };
            let list: &[u8] = bytemuck::cast_slice(list);
            *bytes += list.len() as u64;
            let own = before.as_mut().and_then(|it| it.indices_mut(is_group == 1).take());
            let kept = own.filter(|&it| self.indices.rewrite(recorder, it, list));
            if let (Some(own), None) = (own, kept) {
                self.indices.release(own);
            }
            let allocation = match kept {
                Some(kept) => kept,
                None => self.indices.upload(recorder, list)?,
            };
            *uploaded.indices_mut(is_group == 1) = Some(allocation);
        }
        Ok(())
    }

    /// Returns a stream with this data: an existing one if it is shared, the one before if only its
    /// contents changed, or a new one.
    fn acquire(
        &mut self,
        recorder: &mut Recorder<'_>,
        source: Source<'_>,
        before: Option<u32>,
        bytes: &mut u64,
    ) -> Result<u32, Error> {
        let shared = source.shared.as_ref().and_then(|(key, _)| self.shared.get(key)).copied();
        if let Some(index) = shared
            && let Some(stream) = &mut self.streams[index as usize]
        {
            stream.uses += 1;
            return Ok(index);
        }
        *bytes += source.bytes.len() as u64;
        if let Some(index) = before
            && let Some(stream) = &mut self.streams[index as usize]
            && stream.shared.is_none()
            && source.shared.is_none()
            && self.vertices.rewrite(recorder, stream.allocation, source.bytes)
        {
            stream.uses += 1;
            return Ok(index);
        }
        let allocation = self.vertices.upload(recorder, source.bytes)?;
        let index = self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            self.streams.len() as u32 - 1
        });
        if let Some((key, _)) = &source.shared {
            self.shared.insert(*key, index);
        }
        self.streams[index as usize] = Some(Stream { allocation, uses: 1, shared: source.shared });
        Ok(index)
    }
}

/// Returns the data of the streams, in the order of [`VertexStream`].
fn sources<'a>(
    geometry: &'a Geometry,
    influences: Option<&'a InterleavedInfluences>,
) -> [Option<Source<'a>>; STREAMS] {
    let vertices = geometry.positions.len();
    let influences =
        influences.map(|it| Source { bytes: &it.bytes, shared: shared_influences(geometry) });
    [
        source(&geometry.positions, vertices),
        source(&geometry.normals, vertices),
        source(&geometry.tangents, vertices),
        geometry.uvs.first().and_then(|set| source(set, vertices)),
        geometry.uvs.get(1).and_then(|set| source(set, vertices)),
        geometry.colors.first().and_then(|set| source(set, vertices)),
        influences,
    ]
}

/// Returns the data of an attribute; `None` if it is absent or incomplete.
fn source<T: bytemuck::NoUninit + Send + Sync>(
    data: &VertexData<T>,
    vertices: usize,
) -> Option<Source<'_>> {
    if data.is_empty() || data.len() != vertices {
        return None;
    }
    let shared = data.shared_id().map(|id| ([id, 0, 0, 0], Box::new(data.clone()) as Box<_>));
    Some(Source { bytes: bytemuck::cast_slice(data), shared })
}

/// Returns the key of interleaved influences, if all of their arrays are shared.
fn shared_influences(geometry: &Geometry) -> Option<(SharedKey, Box<dyn Any + Send + Sync>)> {
    let sets = &geometry.influences;
    if sets.len() > 2 {
        return None;
    }
    let mut key = [0; 4];
    for (set, ids) in sets.iter().zip(key.as_chunks_mut::<2>().0) {
        *ids = [set.joints.shared_id()?, set.weights.shared_id()?];
    }
    Some((key, Box::new(sets.clone())))
}
