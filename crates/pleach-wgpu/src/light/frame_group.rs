//! `FrameGroup`: bind group 0, with the buffers and textures in it.
//!
//! Invariant: the group refers to the current buffers and textures; its generation changes whenever
//! it is created again, which makes bundles that refer to it invalid.

use crate::draw::staged_buffer::StagedBuffer;
use crate::draw::targets::{DEPTH_FORMAT, texture};
use crate::light::environment::EnvironmentTextures;
use crate::light::lights::LightData;
use crate::pipeline::layouts::{Layouts, frame};
use crate::{Error, Gpu};

/// The resources of group 0.
#[derive(Debug)]
pub(crate) struct FrameGroup {
    pub(crate) uniforms: StagedBuffer,
    pub(crate) shadow_views: StagedBuffer,
    pub(crate) lights: LightData,
    pub(crate) environment: EnvironmentTextures,
    shadow_atlas: wgpu::TextureView,
    atlas_generation: u64,
    shadow_sampler: wgpu::Sampler,
    group: Option<wgpu::BindGroup>,
    /// The generations of what the group refers to.
    key: [u64; 5],
    generation: u64,
}

impl FrameGroup {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::RENDER_ATTACHMENT;
        let atlas = texture(&gpu.device, "no shadows", [1, 1], DEPTH_FORMAT, 1, usage);
        Self {
            uniforms: StagedBuffer::new("frame", wgpu::BufferUsages::UNIFORM),
            shadow_views: StagedBuffer::new("shadow views", wgpu::BufferUsages::UNIFORM),
            lights: LightData::new(gpu),
            environment: EnvironmentTextures::new(gpu),
            shadow_atlas: atlas.create_view(&wgpu::TextureViewDescriptor::default()),
            atlas_generation: 0,
            shadow_sampler: gpu.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadows"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: Some(wgpu::CompareFunction::LessEqual),
                ..wgpu::SamplerDescriptor::default()
            }),
            group: None,
            key: [0; 5],
            generation: 0,
        }
    }

    /// Sets the shadow atlas, with its generation.
    pub(crate) fn set_shadow_atlas(&mut self, atlas: &wgpu::TextureView, generation: u64) {
        if self.atlas_generation != generation {
            self.shadow_atlas = atlas.clone();
            self.atlas_generation = generation;
        }
    }

    /// Creates the group again if something in it was replaced. All buffers were written before.
    pub(crate) fn update(&mut self, gpu: &Gpu, layouts: &Layouts) -> Result<(), Error> {
        let key = [
            self.uniforms.generation(),
            self.shadow_views.generation(),
            self.lights.store().generation(),
            self.environment.generation(),
            self.atlas_generation,
        ];
        if self.group.is_some() && self.key == key {
            return Ok(());
        }
        let (Some(uniforms), Some(shadow_views)) =
            (self.uniforms.buffer(), self.shadow_views.buffer())
        else {
            return Err(Error::Device("the frame was not written before its group".into()));
        };
        let view = wgpu::BindingResource::TextureView;
        let sampler = wgpu::BindingResource::Sampler;
        let entries = [
            (frame::UNIFORMS, uniforms.as_entire_binding()),
            (frame::LIGHTS, self.lights.store().binding()),
            (frame::ENVIRONMENT, view(self.environment.cube())),
            (frame::SPLIT_SUM, view(self.environment.table())),
            (frame::SAMPLER, sampler(self.environment.sampler())),
            (frame::SHADOW_VIEWS, shadow_views.as_entire_binding()),
            (frame::SHADOW_ATLAS, view(&self.shadow_atlas)),
            (frame::SHADOW_SAMPLER, sampler(&self.shadow_sampler)),
        ]
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
        self.group = Some(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &layouts.frame,
            entries: &entries,
        }));
        self.key = key;
        self.generation += 1;
        Ok(())
    }

    /// Returns the group; `None` before the first update.
    pub(crate) fn group(&self) -> Option<&wgpu::BindGroup> {
        self.group.as_ref()
    }

    /// Returns a number that changes whenever the group does.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}
