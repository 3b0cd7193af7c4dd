//! `Layouts`: the bindings of the shaders.
//!
//! Four groups, from what changes least often to what changes most often: 0 the frame (camera, lights, environment,
//! shadows), 1 the scene data (matrices, morph targets), 2 the material, 3 the picture behind transmissive
//! surfaces. The shadow pass has a group 0 of its own: the matrix of the map.
//!
//! Invariant: bindings are those that `shaders/` declares.

use std::collections::HashMap;

use crate::Tier;
use crate::pipeline::key::TextureSet;

/// The bind group layouts; those of materials by their textures.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub(crate) frame: wgpu::BindGroupLayout,
    pub(crate) shadow_frame: wgpu::BindGroupLayout,
    pub(crate) data: wgpu::BindGroupLayout,
    pub(crate) screen: wgpu::BindGroupLayout,
    materials: HashMap<TextureSet, wgpu::BindGroupLayout>,
}

/// The bindings of group 0.
pub(crate) mod frame {
    pub(crate) const UNIFORMS: u32 = 0;
    pub(crate) const LIGHTS: u32 = 1;
    pub(crate) const ENVIRONMENT: u32 = 2;
    pub(crate) const SPLIT_SUM: u32 = 3;
    pub(crate) const SAMPLER: u32 = 4;
    pub(crate) const SHADOW_VIEWS: u32 = 5;
    pub(crate) const SHADOW_ATLAS: u32 = 6;
    pub(crate) const SHADOW_SAMPLER: u32 = 7;
}

/// The bindings of group 1.
pub(crate) mod data {
    pub(crate) const WORLDS: u32 = 0;
    pub(crate) const JOINTS: u32 = 1;
    pub(crate) const INSTANCES: u32 = 2;
    pub(crate) const MORPH_DELTAS: u32 = 3;
    pub(crate) const MORPH_RECORDS: u32 = 4;
}

impl Layouts {
    pub(crate) fn new(device: &wgpu::Device, tier: Tier) -> Self {
        use wgpu::ShaderStages as Stages;
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries,
            })
        };
        let cube = wgpu::TextureViewDimension::Cube;
        let flat = wgpu::TextureViewDimension::D2;
        let frame = layout(
            "frame",
            &[
                uniform(frame::UNIFORMS, Stages::VERTEX_FRAGMENT, false),
                data_entry(frame::LIGHTS, Stages::FRAGMENT, tier),
                texture(frame::ENVIRONMENT, cube, true),
                texture(frame::SPLIT_SUM, flat, true),
                sampler(frame::SAMPLER, wgpu::SamplerBindingType::Filtering),
                uniform(frame::SHADOW_VIEWS, Stages::FRAGMENT, false),
                entry(
                    frame::SHADOW_ATLAS,
                    Stages::FRAGMENT,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Depth,
                        view_dimension: flat,
                        multisampled: false,
                    },
                ),
                sampler(frame::SHADOW_SAMPLER, wgpu::SamplerBindingType::Comparison),
            ],
        );
        let data = layout(
            "scene data",
            &[data::WORLDS, data::JOINTS, data::INSTANCES, data::MORPH_DELTAS, data::MORPH_RECORDS]
                .map(|binding| data_entry(binding, Stages::VERTEX, tier)),
        );
        Self {
            frame,
            shadow_frame: layout("shadow view", &[uniform(0, Stages::VERTEX, true)]),
            data,
            screen: layout(
                "picture behind transmissive surfaces",
                &[texture(0, flat, true), sampler(1, wgpu::SamplerBindingType::Filtering)],
            ),
            materials: HashMap::new(),
        }
    }

    /// Returns the layout of materials with these textures: the uniform block, then a texture and
    /// a sampler for each.
    pub(crate) fn material(
        &mut self,
        device: &wgpu::Device,
        textures: TextureSet,
    ) -> &wgpu::BindGroupLayout {
        self.materials.entry(textures).or_insert_with(|| {
            let stages = wgpu::ShaderStages::FRAGMENT;
            let mut entries = vec![uniform(0, stages, false)];
            for number in 0..textures.count_ones() {
                entries.push(texture(1 + 2 * number, wgpu::TextureViewDimension::D2, true));
                entries.push(sampler(2 + 2 * number, wgpu::SamplerBindingType::Filtering));
            }
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("material"),
                entries: &entries,
            })
        })
    }
}

fn entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BindingType,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn uniform(binding: u32, stages: wgpu::ShaderStages, dynamic: bool) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Uniform;
    entry(
        binding,
        stages,
        wgpu::BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
    )
}

/// Data of any length: a storage buffer, or a texture on the limited tier.
fn data_entry(binding: u32, stages: wgpu::ShaderStages, tier: Tier) -> wgpu::BindGroupLayoutEntry {
    let ty = match tier {
        Tier::Full => wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        Tier::Limited => wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
    };
    entry(binding, stages, ty)
}

fn texture(
    binding: u32,
    view_dimension: wgpu::TextureViewDimension,
    filterable: bool,
) -> wgpu::BindGroupLayoutEntry {
    let sample_type = wgpu::TextureSampleType::Float { filterable };
    entry(
        binding,
        wgpu::ShaderStages::FRAGMENT,
        wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false },
    )
}

fn sampler(binding: u32, kind: wgpu::SamplerBindingType) -> wgpu::BindGroupLayoutEntry {
    entry(binding, wgpu::ShaderStages::FRAGMENT, wgpu::BindingType::Sampler(kind))
}
