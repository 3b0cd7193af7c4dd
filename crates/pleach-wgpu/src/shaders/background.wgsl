// The background, drawn first: a gradient from the top to the bottom of the picture, or the environment
// map.

fn environment_row(index: u32) -> vec4f {
    return frame.environment[index];
}

fn environment_cube(direction: vec3f, lod: f32) -> vec3f {
    return textureSampleLevel(environment_texture, environment_sampler, direction, lod).rgb;
}

struct ScreenVertex {
    @builtin(position) clip: vec4f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenVertex {
    let corner = vec2f(f32(index / 2u), f32(index % 2u));
    return ScreenVertex(vec4f(corner * 4.0 - 1.0, 0.0, 1.0));
}

@fragment
fn fragment(in: ScreenVertex) -> @location(0) vec4f {
    // Measured light is that of surfaces.
    if (frame.counts.w == 1u) {
        return vec4f(0.0);
    }
    if (frame.counts.z == 1u) {
        let ndc = in.clip.xy * frame.viewport.zw * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
        let direction = frame.rays[0].xyz + ndc.x * frame.rays[1].xyz + ndc.y * frame.rays[2].xyz;
        let light = environment_background(normalize(direction), frame.background[0].x);
        return vec4f(min(light * frame.exposure.x, vec3f(6e4)), 1.0);
    }
    let color = mix(frame.background[0], frame.background[1], in.clip.y * frame.viewport.w);
    return vec4f(light_of_color(color.rgb) * color.a, color.a);
}
