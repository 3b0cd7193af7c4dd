//! Runs a compute shader over rows of floats, with the tables of pleach-shading bound.

use pleach_shading::{EnvironmentLight, SplitSumLut};
use pleach_wgpu::{Gpu, Tier};
use wgpu::util::DeviceExt;

use crate::adapter::{self, TestGpu};
use crate::read_back;

/// The accessor functions of the including module: the table with a filter in `f32`, and the map as a texture.
const SUPPLIED: &str = "
@group(0) @binding(0) var<storage, read> inputs: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> outputs: array<vec4f>;
@group(0) @binding(2) var<storage, read> tables: array<vec4f>;
@group(0) @binding(3) var map: texture_cube<f32>;
@group(0) @binding(4) var map_sampler: sampler;
const LUT_SIZE: i32 = 64;
fn lut_texel(x: i32, y: i32) -> vec3f {
    return tables[11 + min(y, LUT_SIZE - 1) * LUT_SIZE + min(x, LUT_SIZE - 1)].xyz;
}
fn lut(n_dot_v: f32, roughness: f32) -> vec3f {
    let at = clamp(vec2f(n_dot_v, roughness) * f32(LUT_SIZE) - 0.5, vec2f(0.0), vec2f(63.0));
    let cell = vec2i(at);
    let part = at - vec2f(cell);
    let upper = mix(lut_texel(cell.x, cell.y), lut_texel(cell.x + 1, cell.y), part.x);
    let lower = mix(lut_texel(cell.x, cell.y + 1), lut_texel(cell.x + 1, cell.y + 1), part.x);
    return mix(upper, lower, part.y);
}
fn ggx_lut(n_dot_v: f32, roughness: f32) -> vec2f { return lut(n_dot_v, roughness).xy; }
fn charlie_lut(n_dot_v: f32, roughness: f32) -> f32 { return lut(n_dot_v, roughness).z; }
fn environment_row(index: u32) -> vec4f { return tables[index]; }
fn environment_cube(direction: vec3f, lod: f32) -> vec3f {
    return textureSampleLevel(map, map_sampler, direction, lod).xyz;
}
";

/// Returns the devices that can run compute shaders.
pub(crate) fn gpus() -> Vec<TestGpu> {
    let mut gpus = adapter::gpus();
    gpus.retain(|it| it.gpu.tier == Tier::Full);
    gpus
}

/// Returns the relative difference of light from the environment map that is tolerated. The filter of a
/// GPU has weights of 8 bits; wgpu's OpenGL does not filter across the edges of a cube, which shows in
/// small levels.
pub(crate) fn map_tolerance(gpu: &Gpu) -> f32 {
    if gpu.device.adapter_info().backend == wgpu::Backend::Gl { 0.1 } else { 0.01 }
}

/// Runs `source`, whose entry point is `run`, in workgroups of 64 for `count` elements; returns
/// `rows` rows for each.
pub(crate) fn run(
    gpu: &Gpu,
    source: &str,
    inputs: &[[f32; 4]],
    count: usize,
    rows: usize,
    environment: &EnvironmentLight,
) -> Vec<[f32; 4]> {
    let device = &gpu.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(format!("{SUPPLIED}{source}").into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("run"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let mut tables = environment.to_uniform().to_vec();
    tables.extend(SplitSumLut::shared().texels().iter().map(|it| it.extend(0.0).to_array()));
    let buffer = |contents: &[[f32; 4]]| {
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(contents),
            usage: wgpu::BufferUsages::STORAGE,
        })
    };
    let size = (count * rows * 16) as u64;
    let empty = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let output = empty(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let readable = empty(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let (inputs, tables, view) = (buffer(inputs), buffer(&tables), cube(gpu, environment));
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    });
    let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            entry(0, inputs.as_entire_binding()),
            entry(1, output.as_entire_binding()),
            entry(2, tables.as_entire_binding()),
            entry(3, wgpu::BindingResource::TextureView(&view)),
            entry(4, wgpu::BindingResource::Sampler(&sampler)),
        ],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups((count as u32).div_ceil(64), 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&output, 0, &readable, 0, size);
    gpu.queue.submit([encoder.finish()]);
    bytemuck::pod_collect_to_vec(&read_back::bytes(gpu, &readable))
}

/// Uploads the map of an environment as a renderer does.
fn cube(gpu: &Gpu, environment: &EnvironmentLight) -> wgpu::TextureView {
    let map = environment.map.as_ref().expect("the environment has a map");
    let levels = map.cube.levels();
    let extent = |size: usize| wgpu::Extent3d {
        width: size as u32,
        height: size as u32,
        depth_or_array_layers: 6,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: extent(levels[0].size()),
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba16Float,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in levels.iter().enumerate() {
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: mip_level as u32,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            bytemuck::cast_slice(&level.to_rgba16f()),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(8 * level.size() as u32),
                rows_per_image: Some(level.size() as u32),
            },
            extent(level.size()),
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    })
}
