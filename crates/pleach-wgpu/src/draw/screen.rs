//! `ScreenPicture`: what transmissive surfaces show: the light of everything else, with a mip chain for
//! the blur of rough ones.
//!
//! Invariant: the picture has the size of the targets; the bind group of the shaders refers to all of its
//! levels.

use crate::draw::targets::{LIGHT_FORMAT, color_attachment};
use crate::pipeline::layouts::Layouts;
use crate::shaders;

/// The picture and its mip chain.
#[derive(Debug)]
pub(crate) struct ScreenPicture {
    pub(crate) texture: wgpu::Texture,
    /// One view per level.
    levels: Vec<wgpu::TextureView>,
    /// By level but the last: the source of the next level.
    sources: Vec<wgpu::BindGroup>,
    /// Group 3 of the shaders.
    group: wgpu::BindGroup,
    pipeline: wgpu::RenderPipeline,
}

impl ScreenPicture {
    pub(crate) fn new(device: &wgpu::Device, layouts: &Layouts, [width, height]: [u32; 2]) -> Self {
        let level_count = 32 - width.max(height).max(1).leading_zeros();
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture behind transmissive surfaces"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: level_count,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: LIGHT_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("picture behind transmissive surfaces"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let group = |view: &wgpu::TextureView| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("picture behind transmissive surfaces"),
                layout: &layouts.screen,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::TextureView(view),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::Sampler(&sampler),
                    },
                ],
            })
        };
        let level = |base_mip_level| {
            texture.create_view(&wgpu::TextureViewDescriptor {
                base_mip_level,
                mip_level_count: Some(1),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let levels: Vec<_> = (0..level_count).map(level).collect();
        let sources = levels[..levels.len() - 1].iter().map(group).collect();
        let group = group(&texture.create_view(&wgpu::TextureViewDescriptor::default()));
        Self { texture, levels, sources, group, pipeline: pipeline(device, layouts) }
    }

    /// Returns the view of the picture itself.
    pub(crate) fn view(&self) -> &wgpu::TextureView {
        &self.levels[0]
    }

    /// Returns bind group 3 of transmissive surfaces.
    pub(crate) fn group(&self) -> &wgpu::BindGroup {
        &self.group
    }

    /// Records the computation of all levels from the first.
    pub(crate) fn encode_levels(&self, encoder: &mut wgpu::CommandEncoder) {
        for (source, target) in self.sources.iter().zip(&self.levels[1..]) {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("mip level"),
                color_attachments: &[Some(color_attachment(target, None, true))],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, source, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

fn pipeline(device: &wgpu::Device, layouts: &Layouts) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("mip level"),
        source: wgpu::ShaderSource::Wgsl(shaders::downsample().into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("mip level"),
        bind_group_layouts: &[Some(&layouts.screen)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("mip level"),
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
            targets: &[Some(LIGHT_FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
