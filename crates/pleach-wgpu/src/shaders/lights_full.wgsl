// The lights on the full tier: a storage buffer. lights_limited.wgsl has the same function.

@group(0) @binding(1) var<storage, read> lights: array<vec4f>;

fn light_texel(index: u32) -> vec4f {
    return lights[index];
}
