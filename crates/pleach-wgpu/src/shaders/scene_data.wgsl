// Matrices and morph targets by index, whatever they are stored in. The layouts are those of
// upload/uploads.rs.

fn world_row(slot: u32, row: u32) -> vec4f {
    return world_texel(3u * slot + row);
}

fn joint_row(joint: u32, row: u32) -> vec4f {
    return joint_texel(3u * joint + row);
}

fn instance_row(instance: u32, row: u32) -> vec4f {
    return instance_texel(3u * instance + row);
}

// The morph targets of a part.
struct MorphRecord {
    // The first texel of the offsets, the number of vertices.
    start: u32,
    vertices: u32,
    // Bit 0: positions, 1: normals, 2: tangents; and their number.
    attributes: u32,
    attribute_count: u32,
    // The first texel of the weights, and their number.
    weights: u32,
    count: u32,
}

// The number of bits that are set. WebGL2 has no countOneBits.
fn count_bits(mask: u32) -> u32 {
    let pairs = mask - ((mask >> 1u) & 0x55555555u);
    let nibbles = (pairs & 0x33333333u) + ((pairs >> 2u) & 0x33333333u);
    let bytes = (nibbles + (nibbles >> 4u)) & 0x0f0f0f0fu;
    return (bytes * 0x01010101u) >> 24u;
}

fn morph_record(index: u32) -> MorphRecord {
    let texel = vec4u(morph_record_texel(index));
    let count = u32(morph_record_texel(texel.w).x);
    return MorphRecord(texel.x, texel.y, texel.z, count_bits(texel.z), texel.w + 1u, count);
}

// Returns the target of the i-th weight, and the weight.
fn morph_weight(record: MorphRecord, i: u32) -> vec2f {
    let texel = morph_record_texel(record.weights + i / 2u);
    return select(texel.xy, texel.zw, i % 2u == 1u);
}

// Returns the offset of an attribute (its bit is `mask`) by a target; 0 if the targets do not offset it.
fn morph_offset(record: MorphRecord, mask: u32, morph: u32, vertex: u32) -> vec3f {
    if ((record.attributes & mask) == 0u) {
        return vec3f(0.0);
    }
    let before = count_bits(record.attributes & (mask - 1u));
    let index = record.start + (morph * record.attribute_count + before) * record.vertices + vertex;
    return morph_delta_texel(index).xyz;
}
