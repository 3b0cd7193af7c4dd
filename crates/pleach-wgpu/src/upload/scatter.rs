//! `Scatter`: many matrices to slots that are far apart, by one staging buffer and one compute dispatch.
//!
//! A thousand small copies are a thousand commands. A dispatch writes the rows of all slots at once, for
//! 52 bytes per matrix of 48.
//!
//! Invariant: `words` is empty between uploads.

use crate::Gpu;
use crate::upload::matrix_rows::MatrixRows;
use crate::upload::staging::Recorder;

/// The number of invocations of a workgroup.
const WORKGROUP: u32 = 64;

/// The pipeline, and the entries of the current upload.
#[derive(Debug)]
pub(crate) struct Scatter {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    words: Vec<u32>,
}

impl Scatter {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::include_wgsl!("../shaders/scatter.wgsl"));
        let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("pleach scatter"),
            entries: &[entry(0, true), entry(1, false)],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("pleach scatter"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("pleach scatter"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("scatter"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pipeline, layout, words: Vec::new() }
    }

    /// Returns the number of matrices that one dispatch can write.
    pub(crate) fn max_entries(gpu: &Gpu) -> usize {
        let limits = &gpu.limits;
        let bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        let workgroups = u64::from(limits.max_compute_workgroups_per_dimension);
        (workgroups * u64::from(WORKGROUP)).min(bytes.saturating_sub(4) / 52) as usize
    }

    /// Records the upload of matrices to their rows of `store`, and returns the bytes. There are at
    /// most [`max_entries`](Self::max_entries).
    pub(crate) fn write(
        &mut self,
        recorder: &mut Recorder<'_>,
        store: &wgpu::Buffer,
        matrices: impl Iterator<Item = (u32, MatrixRows)>,
    ) -> u64 {
        self.words.push(0);
        for (slot, rows) in matrices {
            self.words.push(slot);
            self.words.extend(rows.as_flattened().iter().map(|number| number.to_bits()));
        }
        let entries = (self.words.len() / 13) as u32;
        self.words[0] = entries;
        // What is staged already is copied first.
        recorder.flush();
        let contents = bytemuck::cast_slice(&self.words);
        let bytes = contents.len() as u64;
        let usage = wgpu::BufferUsages::STORAGE;
        let staging = recorder.filled_buffer("pleach scatter", contents, usage);
        self.words.clear();
        let Some(staging) = staging else { return bytes };
        let device = &recorder.gpu.device;
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("pleach scatter"),
            layout: &self.layout,
            entries: &[entry(0, staging.as_entire_binding()), entry(1, store.as_entire_binding())],
        });
        let mut pass = recorder.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("pleach scatter"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(entries.div_ceil(WORKGROUP), 1, 1);
        drop(pass);
        bytes
    }
}
