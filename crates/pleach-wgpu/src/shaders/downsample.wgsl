// One level of the mip chain of the picture behind transmissive surfaces: a tent filter of the level
// before it, of 4 × 4 texels by four bilinear samples.

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

struct ScreenVertex {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec2f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenVertex {
    let corner = vec2f(f32(index / 2u), f32(index % 2u));
    return ScreenVertex(
        vec4f(corner * 4.0 - 1.0, 0.0, 1.0),
        vec2f(corner.x * 2.0, 1.0 - corner.y * 2.0),
    );
}

@fragment
fn fragment(in: ScreenVertex) -> @location(0) vec4f {
    let texel = 1.0 / vec2f(textureDimensions(source));
    var sum = vec4f(0.0);
    sum += textureSampleLevel(source, source_sampler, in.uv + texel * vec2f(-1.0, -1.0), 0.0);
    sum += textureSampleLevel(source, source_sampler, in.uv + texel * vec2f(1.0, -1.0), 0.0);
    sum += textureSampleLevel(source, source_sampler, in.uv + texel * vec2f(-1.0, 1.0), 0.0);
    sum += textureSampleLevel(source, source_sampler, in.uv + texel * vec2f(1.0, 1.0), 0.0);
    return sum * 0.25;
}
