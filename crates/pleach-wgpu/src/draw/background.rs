//! `BackgroundPass`: the gradient behind all surfaces, drawn before them.

use std::collections::HashMap;

use crate::draw::targets::{DEPTH_FORMAT, LIGHT_FORMAT};
use crate::pipeline::layouts::Layouts;
use crate::shaders;

/// The pipelines that draw the background, by the number of samples.
#[derive(Debug, Default)]
pub(crate) struct BackgroundPass {
    pipelines: HashMap<u32, wgpu::RenderPipeline>,
}

impl BackgroundPass {
    /// Creates the pipeline for a number of samples, unless there is one.
    pub(crate) fn prepare(&mut self, device: &wgpu::Device, layouts: &Layouts, samples: u32) {
        self.pipelines.entry(samples).or_insert_with(|| pipeline(device, layouts, samples));
    }

    /// Draws the background.
    pub(crate) fn encode(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        frame: &wgpu::BindGroup,
        samples: u32,
    ) {
        if let Some(pipeline) = self.pipelines.get(&samples) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, frame, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

fn pipeline(device: &wgpu::Device, layouts: &Layouts, samples: u32) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("background"),
        source: wgpu::ShaderSource::Wgsl(shaders::background().into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("background"),
        bind_group_layouts: &[Some(&layouts.frame)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("background"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
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
