//! `EnvironmentTextures`: the prefiltered environment and the table of the split sum, as textures.
//!
//! The data is that of `pleach-shading`, computed once on the CPU; here it is uploaded once for each
//! environment map.

use std::sync::Arc;

use pleach_shading::{CubeMap, PrefilteredEnvironment, SplitSumLut};

use crate::Gpu;

/// The textures of an environment.
#[derive(Debug)]
pub(crate) struct EnvironmentTextures {
    /// The map that `cube` shows; `None` for black.
    map: Option<Arc<PrefilteredEnvironment>>,
    cube: wgpu::TextureView,
    table: wgpu::TextureView,
    sampler: wgpu::Sampler,
    generation: u64,
}

/// The format of both textures.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

impl EnvironmentTextures {
    /// Creates the textures of a black environment.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("environment"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let cube = cube_texture(gpu, 1, 1);
        Self {
            map: None,
            cube: cube_view(&cube),
            table: table_texture(gpu, SplitSumLut::shared()),
            sampler,
            generation: 0,
        }
    }

    /// Uploads a map, unless it is the one that was uploaded last; without one, drops the last one.
    pub(crate) fn set(&mut self, gpu: &Gpu, map: Option<&Arc<PrefilteredEnvironment>>) {
        if self.map.as_ref().map(Arc::as_ptr) == map.map(Arc::as_ptr) {
            return;
        }
        self.cube = match map {
            Some(map) => upload_cube(gpu, &map.cube),
            None => cube_view(&cube_texture(gpu, 1, 1)),
        };
        self.map = map.cloned();
        self.generation += 1;
    }

    /// Returns a number that changes whenever the textures are replaced.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn cube(&self) -> &wgpu::TextureView {
        &self.cube
    }

    pub(crate) fn table(&self) -> &wgpu::TextureView {
        &self.table
    }

    pub(crate) fn sampler(&self) -> &wgpu::Sampler {
        &self.sampler
    }
}

fn cube_texture(gpu: &Gpu, size: u32, levels: u32) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("environment"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 6 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

fn cube_view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..wgpu::TextureViewDescriptor::default()
    })
}

fn upload_cube(gpu: &Gpu, cube: &CubeMap) -> wgpu::TextureView {
    let levels = cube.levels();
    let texture = cube_texture(gpu, levels[0].size() as u32, levels.len() as u32);
    for (number, level) in (0..).zip(levels) {
        let size = level.size() as u32;
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level: number, ..texture.as_image_copy() },
            bytemuck::cast_slice(&level.to_rgba16f()),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(8 * size),
                rows_per_image: Some(size),
            },
            wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 6 },
        );
    }
    cube_view(&texture)
}

fn table_texture(gpu: &Gpu, table: &SplitSumLut) -> wgpu::TextureView {
    let size = table.size() as u32;
    let texture = crate::draw::targets::texture(
        &gpu.device,
        "split sum",
        [size, size],
        FORMAT,
        1,
        wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
    );
    gpu.queue.write_texture(
        texture.as_image_copy(),
        bytemuck::cast_slice(&table.to_rgba16f()),
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(8 * size),
            rows_per_image: None,
        },
        texture.size(),
    );
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
