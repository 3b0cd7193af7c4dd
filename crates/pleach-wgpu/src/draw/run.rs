//! `Run`: consecutive draw calls of one pass, recorded once and encoded many times.
//!
//! Consecutive draws that differ in nothing but their records are one instanced call. Calls that are
//! encoded for the second time become a render bundle, which later frames only execute, also if the
//! records are others by then: where a few meshes move, their order changes and the calls do not.
//!
//! Invariants: the records of a call are contiguous and in the order of the list; a bundle draws exactly
//! the calls of its run, from its buffer.

use std::ops::Range;

use pleach::AssetId;
use wgpu::util::RenderEncoder;

use crate::Error;
use crate::draw::record::DrawRecord;
use crate::draw::resources::Resources;
use crate::draw::staged_buffer::StagedBuffer;
use crate::pipeline::cache::PipelineId;
use crate::upload::staging::Recorder;

/// One instanced call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) pipeline: PipelineId,
    pub(crate) material: AssetId,
    pub(crate) geometry: AssetId,
    /// The range in the geometry's material groups; `None` for all of the geometry.
    pub(crate) group: Option<Range<u32>>,
    /// The records of the instances.
    pub(crate) records: Range<u32>,
}

/// The draws of one pass, or of a part of it.
#[derive(Debug)]
pub(crate) struct Run {
    calls: Vec<Call>,
    records: Vec<DrawRecord>,
    buffer: StagedBuffer,
    /// The calls as a bundle, once they were encoded for the second time.
    bundle: Option<wgpu::RenderBundle>,
    /// `true` if the records are in the buffer.
    is_uploaded: bool,
    /// The calls that were encoded last, with the buffer and state that they depend on.
    encoded: Vec<Call>,
    encoded_state: Option<EncodedState>,
    /// The stamp of the recorded calls.
    stamp: Option<Stamp>,
}

/// The dependencies of encoded calls: the generation of the buffer, and the stamp without the version of
/// the list.
type EncodedState = [u64; 3];

/// The dependencies of recorded calls: the version of the list, of the uploaded resources, and of the state
/// of the pass.
pub(crate) type Stamp = [u64; 3];

/// The formats of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassFormats<'a> {
    pub(crate) colors: &'a [Option<wgpu::TextureFormat>],
    pub(crate) depth: wgpu::TextureFormat,
    pub(crate) samples: u32,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self {
            calls: Vec::new(),
            records: Vec::new(),
            buffer: StagedBuffer::new("draw records", wgpu::BufferUsages::VERTEX),
            bundle: None,
            is_uploaded: false,
            encoded: Vec::new(),
            encoded_state: None,
            stamp: None,
        }
    }

    /// Returns `true` if the calls are those of `stamp`.
    pub(crate) fn is_current(&self, stamp: Stamp) -> bool {
        self.stamp == Some(stamp)
    }

    /// Returns the stamp of the recorded calls.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Removes all calls, to record those of `stamp`.
    pub(crate) fn begin(&mut self, stamp: Stamp) {
        self.calls.clear();
        self.records.clear();
        self.is_uploaded = false;
        self.stamp = Some(stamp);
    }

    /// Returns the number of records.
    pub(crate) fn record_count(&self) -> u32 {
        self.records.len() as u32
    }

    pub(crate) fn push_record(&mut self, record: DrawRecord) {
        self.records.push(record);
    }

    /// Adds a call; extends the last one if only the records differ.
    pub(crate) fn push_call(&mut self, call: Call) {
        if call.records.is_empty() {
            return;
        }
        if let Some(last) = self.calls.last_mut()
            && last.records.end == call.records.start
            && *last == (Call { records: last.records.clone(), ..call.clone() })
        {
            last.records.end = call.records.end;
            return;
        }
        self.calls.push(call);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the number of calls.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Records the upload of the records, if they changed, and drops a bundle of other calls.
    pub(crate) fn upload(&mut self, recorder: &mut Recorder<'_>) -> Result<(), Error> {
        if self.is_uploaded {
            return Ok(());
        }
        if !self.records.is_empty() {
            self.buffer.write(recorder, bytemuck::cast_slice(&self.records))?;
        }
        self.is_uploaded = true;
        if self.encoded_state != self.state() || self.encoded != self.calls {
            self.encoded_state = None;
            self.bundle = None;
        }
        Ok(())
    }

    /// Returns the dependencies of the calls, apart from the list.
    fn state(&self) -> Option<EncodedState> {
        self.stamp.map(|[_, uploads, pass]| [self.buffer.generation(), uploads, pass])
    }

    /// Returns `true` if the calls are about to be encoded for the second time.
    pub(crate) fn needs_bundle(&self) -> bool {
        self.encoded_state.is_some() && self.bundle.is_none() && !self.calls.is_empty()
    }

    /// Makes a bundle of calls that are about to be encoded for the second time.
    pub(crate) fn make_bundle(
        &mut self,
        device: &wgpu::Device,
        resources: &Resources<'_>,
        formats: PassFormats<'_>,
    ) {
        if self.needs_bundle() {
            let mut encoder =
                device.create_render_bundle_encoder(&wgpu::RenderBundleEncoderDescriptor {
                    label: Some("draws"),
                    color_formats: formats.colors,
                    depth_stencil: Some(wgpu::RenderBundleDepthStencil {
                        format: formats.depth,
                        depth_read_only: false,
                        stencil_read_only: true,
                    }),
                    sample_count: formats.samples,
                    multiview: None,
                });
            self.encode_calls(&mut encoder, resources);
            self.bundle =
                Some(encoder.finish(&wgpu::RenderBundleDescriptor { label: Some("draws") }));
        }
    }

    /// Encodes the calls.
    pub(crate) fn encode<'a>(&'a self, pass: &mut wgpu::RenderPass<'a>, resources: &Resources<'a>) {
        match &self.bundle {
            Some(bundle) => pass.execute_bundles([bundle]),
            None => self.encode_calls(pass, resources),
        }
    }

    /// Notes that the calls were encoded.
    pub(crate) fn finish(&mut self) {
        if self.encoded_state.is_none() {
            self.encoded.clone_from(&self.calls);
            self.encoded_state = self.state();
        }
    }

    fn encode_calls<'a>(&'a self, pass: &mut impl RenderEncoder<'a>, resources: &Resources<'a>) {
        let Some(records) = self.buffer.buffer() else { return };
        if self.calls.is_empty() {
            return;
        }
        resources.bind(pass);
        pass.set_vertex_buffer(0, Some(records.slice(..)));
        let (mut pipeline, mut material, mut geometry) = (None, None, None);
        for call in &self.calls {
            if pipeline != Some(call.pipeline) {
                pass.set_pipeline(resources.pipelines.get(call.pipeline));
            }
            // The vertex buffers of a pipeline depend on the attributes that it reads.
            let indices = (call.geometry, call.group.is_some());
            if pipeline != Some(call.pipeline) || geometry != Some(indices) {
                resources.bind_geometry(pass, call.pipeline, call);
            }
            if pipeline != Some(call.pipeline) || material != Some(call.material) {
                resources.bind_material(pass, call.pipeline, call.material);
            }
            (pipeline, material, geometry) =
                (Some(call.pipeline), Some(call.material), Some(indices));
            resources.draw(pass, call);
        }
    }
}
