// Scene data on the full tier: storage buffers. data_limited.wgsl has the same functions.

@group(1) @binding(0) var<storage, read> worlds: array<vec4f>;
@group(1) @binding(1) var<storage, read> joints: array<vec4f>;
@group(1) @binding(2) var<storage, read> instances: array<vec4f>;
@group(1) @binding(3) var<storage, read> morph_deltas: array<vec4f>;
@group(1) @binding(4) var<storage, read> morph_records: array<vec4f>;

fn world_texel(index: u32) -> vec4f {
    return worlds[index];
}

fn joint_texel(index: u32) -> vec4f {
    return joints[index];
}

fn instance_texel(index: u32) -> vec4f {
    return instances[index];
}

fn morph_delta_texel(index: u32) -> vec4f {
    return morph_deltas[index];
}

fn morph_record_texel(index: u32) -> vec4f {
    return morph_records[index];
}
