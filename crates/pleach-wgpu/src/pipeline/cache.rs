//! `Pipelines`: creates each shader module and pipeline once.
//!
//! A pipeline has a number, so that recorded draws refer to it by four bytes and sort by it.
//!
//! Invariant: numbers are never reused; a pipeline is never dropped.

use std::collections::HashMap;

use crate::draw::targets::{DEPTH_FORMAT, LIGHT_FORMAT};
use crate::pipeline::key::{Alpha, Pass, PipelineKey, ShaderKey};
use crate::pipeline::layouts::Layouts;
use crate::pipeline::vertex::VertexLayouts;
use crate::shaders;
use crate::upload::Primitives;

/// The number of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PipelineId(u32);

/// The format of the id target: slot + 1, generation, part, instance.
pub(crate) const ID_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// The format of the depth target of the id pass: the bits of a float, since not every device can draw
/// into floats of 32 bits.
pub(crate) const ID_DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// The shader modules and pipelines that were used so far.
#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    modules: HashMap<ShaderKey, wgpu::ShaderModule>,
    numbers: HashMap<PipelineKey, PipelineId>,
    pipelines: Vec<(wgpu::RenderPipeline, ShaderKey)>,
}

impl Pipelines {
    /// Returns the pipeline of a key, which is created on first use: milliseconds.
    pub(crate) fn id(
        &mut self,
        device: &wgpu::Device,
        layouts: &mut Layouts,
        key: PipelineKey,
    ) -> PipelineId {
        let key = key.canonical();
        if let Some(&id) = self.numbers.get(&key) {
            return id;
        }
        let module = self.modules.entry(key.shader).or_insert_with(|| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("surface"),
                source: wgpu::ShaderSource::Wgsl(shaders::surface(key.shader).into()),
            })
        });
        let pipeline = create(device, layouts, module, key);
        let id = PipelineId(self.pipelines.len() as u32);
        self.pipelines.push((pipeline, key.shader));
        self.numbers.insert(key, id);
        id
    }

    pub(crate) fn get(&self, id: PipelineId) -> &wgpu::RenderPipeline {
        &self.pipelines[id.0 as usize].0
    }

    /// Returns what the shader of a pipeline reads.
    pub(crate) fn shader(&self, id: PipelineId) -> &ShaderKey {
        &self.pipelines[id.0 as usize].1
    }
}

fn create(
    device: &wgpu::Device,
    layouts: &mut Layouts,
    module: &wgpu::ShaderModule,
    key: PipelineKey,
) -> wgpu::RenderPipeline {
    let material = layouts.material(device, key.shader.textures).clone();
    let frame =
        if key.shader.pass == Pass::Shadow { &layouts.shadow_frame } else { &layouts.frame };
    let mut groups = vec![Some(frame), Some(&layouts.data), Some(&material)];
    if key.shader.reads_screen() {
        groups.push(Some(&layouts.screen));
    }
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("surface"),
        bind_group_layouts: &groups,
        immediate_size: 0,
    });
    let buffers = VertexLayouts::new(key.shader.attributes);
    let topology = match key.primitives {
        Primitives::Points => wgpu::PrimitiveTopology::PointList,
        Primitives::Lines => wgpu::PrimitiveTopology::LineList,
        Primitives::Triangles => wgpu::PrimitiveTopology::TriangleList,
    };
    let front_face = match key.is_mirrored {
        true => wgpu::FrontFace::Cw,
        false => wgpu::FrontFace::Ccw,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("surface"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &buffers.layouts(),
        },
        primitive: wgpu::PrimitiveState {
            topology,
            front_face,
            cull_mode: key.cull,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(depth_state(key)),
        multisample: wgpu::MultisampleState {
            count: key.samples,
            ..wgpu::MultisampleState::default()
        },
        fragment: fragment_state(module, key),
        multiview_mask: None,
        cache: None,
    })
}

fn depth_state(key: PipelineKey) -> wgpu::DepthStencilState {
    let compare = match key.is_depth_reversed {
        true => wgpu::CompareFunction::Greater,
        false => wgpu::CompareFunction::Less,
    };
    let bias = match (key.shader.pass, key.primitives) {
        // Surfaces that light grazes are moved away from it by more.
        (Pass::Shadow, Primitives::Triangles) => {
            wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 }
        }
        _ => wgpu::DepthBiasState::default(),
    };
    wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(
            key.shader.pass != Pass::Light || key.shader.alpha != Alpha::Blended,
        ),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias,
    }
}

fn fragment_state(
    module: &wgpu::ShaderModule,
    key: PipelineKey,
) -> Option<wgpu::FragmentState<'_>> {
    // Colours are premultiplied by alpha.
    const BLENDED: wgpu::ColorTargetState = wgpu::ColorTargetState {
        format: LIGHT_FORMAT,
        blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    };
    const OPAQUE: wgpu::ColorTargetState = wgpu::ColorTargetState {
        format: LIGHT_FORMAT,
        blend: None,
        write_mask: wgpu::ColorWrites::ALL,
    };
    const IDS: [Option<wgpu::ColorTargetState>; 2] = [
        Some(wgpu::ColorTargetState {
            format: ID_FORMAT,
            blend: None,
            write_mask: wgpu::ColorWrites::ALL,
        }),
        Some(wgpu::ColorTargetState {
            format: ID_DEPTH_FORMAT,
            blend: None,
            write_mask: wgpu::ColorWrites::ALL,
        }),
    ];
    let targets: &[Option<wgpu::ColorTargetState>] = match (key.shader.pass, key.shader.alpha) {
        (Pass::Light, Alpha::Blended) => &[Some(BLENDED)],
        (Pass::Light, _) => &[Some(OPAQUE)],
        (Pass::Ids, _) => &IDS,
        (Pass::Shadow, _) if !key.shader.has_fragments() => return None,
        (Pass::Shadow, _) => &[],
    };
    Some(wgpu::FragmentState {
        module,
        entry_point: Some("fragment"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        targets,
    })
}
