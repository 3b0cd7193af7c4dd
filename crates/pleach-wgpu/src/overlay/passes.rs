//! `OverlayPasses`: the pipelines and bindings of lines and outlines.
//!
//! The lines of one style are drawn into a layer, which keeps the maximum of their coverages: so lines
//! that meet or coincide look like one. Then the layer is blended over the caller's target, as is the
//! outline. They read what the id pass wrote and a copy of the picture.
//! What a picture does not need is bound as a texture of one empty texel.

use std::collections::HashMap;

use bytemuck::{Pod, Zeroable};
use glam::{DMat4, DVec4};
use pleach::{ClipSpace, View};
use pleach_shading::overlay::outline_width;

use super::line_buffer::LineInstance;
use super::{OverlayTextures, SurfaceTextures};
use crate::draw::targets::texture;
use crate::shaders;
use crate::upload::staging::{Recorder, Target};

/// Binding 0 of `overlay.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct ViewUniforms {
    view_projection: [[f32; 4]; 4],
    depth_axis: [f32; 4],
    size: [f32; 2],
    outline_width: f32,
    /// Bit 0 is set if the passes read surfaces, bit 1 if they read the picture.
    textures: u32,
}

impl ViewUniforms {
    fn new(view: &View, textures: &OverlayTextures<'_>) -> Self {
        let [width, height] = textures.size;
        let world_to_view = view.view.as_dmat4();
        let clip = view.projection.as_dmat4() * world_to_view;
        let clip = match view.clip_space {
            ClipSpace::NegOneToOne => {
                let halved = DVec4::new(0.0, 0.0, 0.5, 0.0);
                DMat4::from_cols(DVec4::X, DVec4::Y, halved, DVec4::new(0.0, 0.0, 0.5, 1.0)) * clip
            }
            _ => clip,
        };
        Self {
            view_projection: clip.as_mat4().to_cols_array_2d(),
            depth_axis: (-world_to_view.row(2)).as_vec4().to_array(),
            size: [width as f32, height as f32],
            outline_width: outline_width(height) as f32,
            textures: u32::from(textures.surfaces.is_some())
                | u32::from(textures.picture.is_some()) << 1,
        }
    }
}

/// The format of the layer.
const LAYER_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A kind of pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OverlayPass {
    /// Lines into the layer.
    Lines,
    /// The layer onto the target.
    Layer,
    /// The outline onto the target.
    Outline,
}

impl OverlayPass {
    /// Returns the format that a pass draws into, given that of the target.
    fn format(self, target: wgpu::TextureFormat) -> wgpu::TextureFormat {
        if self == Self::Lines { LAYER_FORMAT } else { target }
    }
}

/// The bind groups of a picture.
pub(super) struct PictureGroups {
    /// For lines.
    pub(super) lines: wgpu::BindGroup,
    /// For the layer and the outline.
    pub(super) target: wgpu::BindGroup,
}

/// The pipelines and the uniform block.
#[derive(Debug)]
pub(super) struct OverlayPasses {
    layout: wgpu::BindGroupLayout,
    pipelines: HashMap<(OverlayPass, wgpu::TextureFormat), wgpu::RenderPipeline>,
    uniforms: wgpu::Buffer,
    /// Empty textures: unsigned integers and floats.
    empty: [wgpu::TextureView; 2],
    /// The lines of one style. It has the size of the last picture.
    layer: Option<([u32; 2], wgpu::TextureView)>,
}

impl OverlayPasses {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("overlays"),
            size: size_of::<ViewUniforms>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let empty =
            [wgpu::TextureFormat::Rgba32Uint, wgpu::TextureFormat::Rgba8Unorm].map(|format| {
                let usage = wgpu::TextureUsages::TEXTURE_BINDING;
                texture(device, "empty", [1; 2], format, 1, usage).create_view(&Default::default())
            });
        Self { layout: layout(device), pipelines: HashMap::new(), uniforms, empty, layer: None }
    }

    /// Records the upload of the view, and creates the pipelines for a format if they do not
    /// exist yet.
    pub(super) fn prepare(
        &mut self,
        recorder: &mut Recorder<'_>,
        view: &View,
        textures: &OverlayTextures<'_>,
    ) {
        let format = textures.format;
        let uniforms = ViewUniforms::new(view, textures);
        recorder.copy([uniforms], Target::Buffer(self.uniforms.clone(), 0));
        let device = &recorder.gpu.device;
        for pass in [OverlayPass::Lines, OverlayPass::Layer, OverlayPass::Outline] {
            let (layout, format) = (&self.layout, pass.format(format));
            let create = || pipeline(device, layout, pass, format);
            self.pipelines.entry((pass, format)).or_insert_with(create);
        }
        if self.layer.as_ref().is_none_or(|(size, _)| *size != textures.size) {
            let usage =
                wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
            let layer = texture(device, "lines", textures.size, LAYER_FORMAT, 1, usage);
            self.layer = Some((textures.size, layer.create_view(&Default::default())));
        }
    }

    /// Returns the layer that [`prepare`](Self::prepare) created.
    pub(super) fn layer(&self) -> Option<&wgpu::TextureView> {
        self.layer.as_ref().map(|(_, view)| view)
    }

    /// Creates the bind groups of a picture.
    pub(super) fn bind_groups(
        &self,
        device: &wgpu::Device,
        textures: &OverlayTextures<'_>,
        selection: Option<&wgpu::TextureView>,
    ) -> PictureGroups {
        // A texture cannot be read while it is drawn into.
        let lines = self.bind_group(device, textures, selection, None);
        let target = self.bind_group(device, textures, selection, self.layer());
        PictureGroups { lines, target }
    }

    fn bind_group(
        &self,
        device: &wgpu::Device,
        textures: &OverlayTextures<'_>,
        selection: Option<&wgpu::TextureView>,
        layer: Option<&wgpu::TextureView>,
    ) -> wgpu::BindGroup {
        let [integers, floats] = &self.empty;
        let [ids, depths] = match textures.surfaces {
            Some(SurfaceTextures { ids, depths }) => [ids, depths],
            None => [integers, integers],
        };
        let picture = textures.picture.unwrap_or(floats);
        let selection = selection.unwrap_or(integers);
        let views = [ids, depths, picture, selection, layer.unwrap_or(floats)];
        let mut entries =
            vec![wgpu::BindGroupEntry { binding: 0, resource: self.uniforms.as_entire_binding() }];
        entries.extend((1..).zip(views).map(|(binding, view)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        }));
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("overlays"),
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Returns a pipeline that [`prepare`](Self::prepare) created for the format of a target.
    pub(super) fn pipeline(
        &self,
        pass: OverlayPass,
        target: wgpu::TextureFormat,
    ) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&(pass, pass.format(target)))
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
    let texture = |binding, sample_type| {
        let ty = wgpu::BindingType::Texture {
            sample_type,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        wgpu::BindGroupLayoutEntry {
            visibility: wgpu::ShaderStages::FRAGMENT,
            ..entry(binding, ty)
        }
    };
    let float = wgpu::TextureSampleType::Float { filterable: false };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("overlays"),
        entries: &[
            entry(
                0,
                wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
            ),
            texture(1, wgpu::TextureSampleType::Uint),
            texture(2, wgpu::TextureSampleType::Uint),
            texture(3, float),
            texture(4, wgpu::TextureSampleType::Uint),
            texture(5, float),
        ],
    })
}

fn pipeline(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    pass: OverlayPass,
    format: wgpu::TextureFormat,
) -> wgpu::RenderPipeline {
    let text = match pass {
        OverlayPass::Lines => shaders::overlay_lines(),
        OverlayPass::Layer => shaders::overlay_layer(format.is_srgb()),
        OverlayPass::Outline => shaders::overlay_outline(format.is_srgb()),
    };
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("overlays"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("overlays"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let buffers = [Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<LineInstance>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &LineInstance::ATTRIBUTES,
    })];
    let maximum = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Max,
    };
    let (buffers, topology, blend) = match pass {
        OverlayPass::Lines => (
            &buffers[..],
            wgpu::PrimitiveTopology::TriangleStrip,
            wgpu::BlendState { color: maximum, alpha: maximum },
        ),
        OverlayPass::Layer | OverlayPass::Outline => (
            &[][..],
            wgpu::PrimitiveTopology::TriangleList,
            wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING,
        ),
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("overlays"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers,
        },
        primitive: wgpu::PrimitiveState { topology, ..wgpu::PrimitiveState::default() },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format,
                blend: Some(blend),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
