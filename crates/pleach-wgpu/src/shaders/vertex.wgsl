// Vertices: morphed, skinned or placed by the world matrix, then projected.
//
// Reads the attributes of a vertex, its record (one per draw, or per instance) and the scene data
// (data_full.wgsl or data_limited.wgsl); writes the varyings of every pass. The order of operations is
// that of the CPU: morph targets first, then joints, then the world matrix; a skinned vertex does
// not use its world matrix.

// An affine matrix by rows.
struct Affine {
    x: vec4f,
    y: vec4f,
    z: vec4f,
}

struct Varyings {
    @builtin(position) clip: vec4f,
    // In world space.
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    // w: the sign of the bitangent.
    @location(2) tangent: vec4f,
    // Both sets of texture coordinates.
    @location(3) uv: vec4f,
    @location(4) color: vec4f,
    // The slot and generation of the node, the part (the highest bit: receives shadows), the instance.
    @location(5) @interpolate(flat) id: vec4u,
    @location(6) @interpolate(flat) layers: u32,
    // The mean scale of the transform to world space.
    @location(7) @interpolate(flat) scale: f32,
}

fn transform_point(matrix: Affine, point: vec3f) -> vec3f {
    let p = vec4f(point, 1.0);
    return vec3f(dot(matrix.x, p), dot(matrix.y, p), dot(matrix.z, p));
}

fn transform_vector(matrix: Affine, v: vec3f) -> vec3f {
    return vec3f(dot(matrix.x.xyz, v), dot(matrix.y.xyz, v), dot(matrix.z.xyz, v));
}

// Transforms a normal by the inverse transpose, up to its length: by the cofactors, which exist for
// singular matrices, too.
fn transform_normal(matrix: Affine, normal: vec3f) -> vec3f {
    let x = cross(matrix.y.xyz, matrix.z.xyz);
    let y = cross(matrix.z.xyz, matrix.x.xyz);
    let z = cross(matrix.x.xyz, matrix.y.xyz);
    let transformed = vec3f(dot(x, normal), dot(y, normal), dot(z, normal));
    return select(transformed, -transformed, dot(matrix.x.xyz, x) < 0.0);
}

// Returns the product of two affine matrices: applies `b` first.
fn product(a: Affine, b: Affine) -> Affine {
    return Affine(product_row(a.x, b), product_row(a.y, b), product_row(a.z, b));
}

fn product_row(row: vec4f, b: Affine) -> vec4f {
    return row.x * b.x + row.y * b.y + row.z * b.z + vec4f(0.0, 0.0, 0.0, row.w);
}

fn world_matrix(slot: u32) -> Affine {
    return Affine(world_row(slot, 0u), world_row(slot, 1u), world_row(slot, 2u));
}

// Adds a joint matrix times a weight.
fn add_joint(sum: ptr<function, Affine>, joint: u32, weight: f32) {
    if (weight != 0.0) {
        (*sum).x += weight * joint_row(joint, 0u);
        (*sum).y += weight * joint_row(joint, 1u);
        (*sum).z += weight * joint_row(joint, 2u);
    }
}

// Returns the transform of a vertex to world space.
fn vertex_to_world(in: VertexInput) -> Affine {
    if (HAS_SKIN && in.record.y != NONE) {
        return skin_matrix(in);
    }
    let world = world_matrix(in.record.x);
    if (HAS_INSTANCES && in.record.w != NONE) {
        let instance = in.record.w;
        return product(
            world,
            Affine(instance_row(instance, 0u), instance_row(instance, 1u), instance_row(instance, 2u)),
        );
    }
    return world;
}

@vertex
fn vertex(in: VertexInput) -> Varyings {
    var position = in.position;
    var normal = attribute_normal(in);
    var tangent = attribute_tangent(in);
    if (HAS_MORPHS && in.record.z != NONE) {
        let record = morph_record(in.record.z);
        for (var i = 0u; i < record.count; i++) {
            let active_target = morph_weight(record, i);
            let morph = u32(active_target.x);
            let weight = active_target.y;
            position += weight * morph_offset(record, 1u, morph, in.index);
            if (HAS_NORMALS) {
                normal += weight * morph_offset(record, 2u, morph, in.index);
            }
            if (HAS_TANGENTS) {
                tangent += vec4f(weight * morph_offset(record, 4u, morph, in.index), 0.0);
            }
        }
    }
    let to_world = vertex_to_world(in);
    var out: Varyings;
    out.world = transform_point(to_world, position);
    out.clip = project(out.world);
    out.normal = transform_normal(to_world, normal);
    let mirrors = dot(to_world.x.xyz, cross(to_world.y.xyz, to_world.z.xyz)) < 0.0;
    out.tangent = vec4f(transform_vector(to_world, tangent.xyz), select(tangent.w, -tangent.w, mirrors));
    out.scale = mean_scale(to_world);
    out.id = vec4u(in.record.x, in.ids.xyz);
    out.layers = in.ids.w;
    out.uv = attribute_uvs(in);
    out.color = attribute_color(in);
    return out;
}

// Returns the mean length of the images of the three axes.
fn mean_scale(matrix: Affine) -> f32 {
    let x = vec3f(matrix.x.x, matrix.y.x, matrix.z.x);
    let y = vec3f(matrix.x.y, matrix.y.y, matrix.z.y);
    let z = vec3f(matrix.x.z, matrix.y.z, matrix.z.z);
    return (length(x) + length(y) + length(z)) / 3.0;
}
