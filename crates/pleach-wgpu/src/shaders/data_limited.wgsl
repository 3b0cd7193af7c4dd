// Scene data on the limited tier: textures of 32-bit floats with 1536 texels per line (`LINE` in
// upload/data_store.rs). data_full.wgsl has the same functions.

@group(1) @binding(0) var worlds: texture_2d<f32>;
@group(1) @binding(1) var joints: texture_2d<f32>;
@group(1) @binding(2) var instances: texture_2d<f32>;
@group(1) @binding(3) var morph_deltas: texture_2d<f32>;
@group(1) @binding(4) var morph_records: texture_2d<f32>;

fn texel_at(index: u32) -> vec2u {
    return vec2u(index % 1536u, index / 1536u);
}

fn world_texel(index: u32) -> vec4f {
    return textureLoad(worlds, texel_at(index), 0);
}

fn joint_texel(index: u32) -> vec4f {
    return textureLoad(joints, texel_at(index), 0);
}

fn instance_texel(index: u32) -> vec4f {
    return textureLoad(instances, texel_at(index), 0);
}

fn morph_delta_texel(index: u32) -> vec4f {
    return textureLoad(morph_deltas, texel_at(index), 0);
}

fn morph_record_texel(index: u32) -> vec4f {
    return textureLoad(morph_records, texel_at(index), 0);
}
