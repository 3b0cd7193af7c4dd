//! `ToneMapPass`: the last pass, from light to the caller's target.
//!
//! On the full tier each sample is tone-mapped before the samples are averaged; on the limited tier,
//! where shaders cannot read multisampled textures, the hardware averages light first.

use std::collections::HashMap;

use crate::draw::staged_buffer::StagedBuffer;
use crate::draw::targets::{Targets, color_attachment};
use crate::shaders;

/// The way light is read and colour is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToneMapKey {
    pub(crate) format: wgpu::TextureFormat,
    /// The samples that the shader reads.
    pub(crate) samples: u32,
    /// `true` to divide the colour by alpha.
    pub(crate) unmultiply: bool,
}

/// The pipelines and the uniform block of the pass.
#[derive(Debug)]
pub(crate) struct ToneMapPass {
    pipelines: HashMap<ToneMapKey, wgpu::RenderPipeline>,
    layouts: [wgpu::BindGroupLayout; 2],
    pub(crate) uniforms: StagedBuffer,
    /// The bind group of the targets that were drawn last, by the size and samples of those.
    group: Option<([u32; 3], wgpu::BindGroup)>,
}

impl ToneMapPass {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let uniforms = StagedBuffer::new("tone mapping", wgpu::BufferUsages::UNIFORM);
        let layouts = [false, true].map(|multisampled| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("tone mapping"),
                entries: &[
                    wgpu::BindGroupLayoutEntry {
                        binding: 0,
                        visibility: wgpu::ShaderStages::FRAGMENT,
                        ty: wgpu::BindingType::Buffer {
                            ty: wgpu::BufferBindingType::Uniform,
                            has_dynamic_offset: false,
                            min_binding_size: None,
                        },
                        count: None,
                    },
                    wgpu::BindGroupLayoutEntry {
                        binding: 1,
                        visibility: wgpu::ShaderStages::FRAGMENT,
                        ty: wgpu::BindingType::Texture {
                            sample_type: wgpu::TextureSampleType::Float { filterable: false },
                            view_dimension: wgpu::TextureViewDimension::D2,
                            multisampled,
                        },
                        count: None,
                    },
                ],
            })
        });
        Self { pipelines: HashMap::new(), layouts, uniforms, group: None }
    }

    /// Creates what the pass needs for targets and a format, if it does not exist yet.
    /// The uniforms were written before.
    pub(crate) fn prepare(&mut self, device: &wgpu::Device, targets: &Targets, key: ToneMapKey) {
        let Some(uniforms) = self.uniforms.buffer() else { return };
        let layout = &self.layouts[usize::from(key.samples > 1)];
        let [width, height] = targets.size;
        let targets_key = [width, height, key.samples];
        if self.group.as_ref().is_none_or(|(known, _)| *known != targets_key) {
            let source = match (&targets.resolved, key.samples) {
                (Some(resolved), 1) => resolved,
                _ => &targets.light,
            };
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("tone mapping"),
                layout,
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::TextureView(source),
                    },
                ],
            });
            self.group = Some((targets_key, group));
        }
        self.pipelines.entry(key).or_insert_with(|| pipeline(device, layout, key));
    }

    /// Forgets the targets, which were replaced.
    pub(crate) fn forget_targets(&mut self) {
        self.group = None;
    }

    /// Records the pass. [`prepare`](Self::prepare) was called with the same key.
    pub(crate) fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        key: ToneMapKey,
    ) {
        let (Some(pipeline), Some((_, group))) = (self.pipelines.get(&key), &self.group) else {
            return;
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("tone mapping"),
            color_attachments: &[Some(color_attachment(target, None, true))],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    key: ToneMapKey,
) -> wgpu::RenderPipeline {
    let source = shaders::tone_map_pass(key.samples, key.unmultiply, !key.format.is_srgb());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("tone mapping"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("tone mapping"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("tone mapping"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(key.format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
