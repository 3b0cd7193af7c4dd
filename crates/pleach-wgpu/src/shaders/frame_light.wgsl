// The textures of group 0 that surfaces are lit by.

@group(0) @binding(2) var environment_texture: texture_cube<f32>;
@group(0) @binding(3) var split_sum: texture_2d<f32>;
@group(0) @binding(4) var environment_sampler: sampler;
