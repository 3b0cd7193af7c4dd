// The last pass: from light to the colours of the caller's target.
//
// Reads the light of each pixel, which is multiplied by the exposure already (all samples of it, if SAMPLES > 1: they are tone-mapped before they
// are averaged, so that the edges of bright surfaces are smooth, too); writes colours that are
// premultiplied by alpha, or not (UNMULTIPLY), encoded as sRGB if the target does not (ENCODE_SRGB).

struct ToneMapping {
    // See tone_mapping.wgsl.
    curve: u32,
    unused: vec3u,
}

@group(0) @binding(0) var<uniform> tone_mapping: ToneMapping;

struct ScreenVertex {
    @builtin(position) clip: vec4f,
}

// One triangle that covers the picture.
@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenVertex {
    let corner = vec2f(f32(index / 2u), f32(index % 2u));
    return ScreenVertex(vec4f(corner * 4.0 - 1.0, 0.0, 1.0));
}

fn encode_srgb(linear: vec3f) -> vec3f {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3f(0.0)), vec3f(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3f(0.0031308));
}

@fragment
fn fragment(in: ScreenVertex) -> @location(0) vec4f {
    let pixel = vec2i(in.clip.xy);
    var sum = vec4f(0.0);
    for (var i = 0; i < SAMPLES; i++) {
        let light = load_light(pixel, i);
        let color = tone_mapping_apply(tone_mapping.curve, light.rgb);
        sum += vec4f(clamp(color, vec3f(0.0), vec3f(1.0)), clamp(light.a, 0.0, 1.0));
    }
    sum /= f32(SAMPLES);
    var color = sum.rgb;
    if (UNMULTIPLY && sum.a > 0.0) {
        color = min(color / sum.a, vec3f(1.0));
    }
    if (ENCODE_SRGB) {
        color = encode_srgb(color);
    }
    return vec4f(color, sum.a);
}
