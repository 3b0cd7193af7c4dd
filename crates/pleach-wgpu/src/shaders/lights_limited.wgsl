// The lights on the limited tier: a texture with 1536 texels per line (`LINE` in upload/data_store.rs).
// lights_full.wgsl has the same function.

@group(0) @binding(1) var lights: texture_2d<f32>;

fn light_texel(index: u32) -> vec4f {
    return textureLoad(lights, vec2u(index % 1536u, index / 1536u), 0);
}
