// The light of a surface towards the camera: the last stage of the pass of all visible surfaces.
//
// Writes light times the exposure, premultiplied by alpha; colours that exposure does not change as the
// light that tone mapping turns back into them.

fn ggx_lut(n_dot_v: f32, roughness: f32) -> vec2f {
    return textureSampleLevel(split_sum, environment_sampler, vec2f(n_dot_v, roughness), 0.0).rg;
}

fn charlie_lut(n_dot_v: f32, roughness: f32) -> f32 {
    return textureSampleLevel(split_sum, environment_sampler, vec2f(n_dot_v, roughness), 0.0).b;
}

fn environment_row(index: u32) -> vec4f {
    return frame.environment[index];
}

fn environment_cube(direction: vec3f, lod: f32) -> vec3f {
    return textureSampleLevel(environment_texture, environment_sampler, direction, lod).rgb;
}

// Returns a light, and in `shadow` its first shadow view and their number.
fn punctual_light(index: u32, shadow: ptr<function, vec2u>) -> PunctualLight {
    let first = 5u * index;
    let views = light_texel(first + 4u);
    *shadow = vec2u(u32(views.x), u32(views.y));
    return PunctualLight(
        light_texel(first),
        light_texel(first + 1u),
        light_texel(first + 2u),
        light_texel(first + 3u),
    );
}

// Returns the light that surfaces reflect, emit and transmit towards the camera.
fn outgoing_light(in: Varyings, surface: Surface, view: vec3f) -> vec3f {
    let shading = shading_new(surface, view);
    var light = shading_emitted_light(shading) + shading_environment_light(shading);
    let receives_shadows = (in.id.z & 0x80000000u) != 0u;
    for (var i = 0u; i < frame.counts.y; i++) {
        var shadow: vec2u;
        let punctual = punctual_light(i, &shadow);
        if (!punctual_lights_layers(punctual, in.layers)) {
            continue;
        }
        let incident = punctual_incident_at(punctual, in.world);
        var reflected = shading_evaluate(shading, incident.direction) * incident.light;
        if (receives_shadows && shadow.y > 0u && max_element(reflected) > 0.0) {
            reflected *= shadow_visibility(in.world, surface.normal, incident.direction, shadow);
        }
        light += reflected;
    }
    light *= frame.exposure.x;
    if (HAS_TRANSMISSION) {
        light += shading_transmittance(shading) * transmitted_light(shading, in.world);
    }
    return light;
}

// Returns the fraction of fog at a point.
fn fog_factor(point: vec3f) -> f32 {
    let depth = dot(frame.depth_axis.xyz, point) + frame.depth_axis.w;
    let distance = select(depth, length(point - frame.camera.xyz), frame.camera.w > 0.5);
    let near = frame.fog_range.x;
    let far = frame.fog_range.y;
    if (distance <= near) {
        return 0.0;
    }
    if (distance >= far) {
        return 1.0;
    }
    return saturate((distance - near) / (far - near));
}

@fragment
fn fragment(in: Varyings, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let color = surface_color(in);
    let alpha = select(1.0, saturate(color.a), IS_BLENDED);
    var emission = vec3f(0.0);
    if (IS_UNLIT && HAS_EMISSION) {
        emission = material.emissive * sample_emissive(in.uv).rgb;
    }
    // Of the colour after it is weighted: the light of a bright colour is much more than it weighs.
    var light = light_of_color((color.rgb + emission) * alpha);
    if (!IS_UNLIT) {
        let view = view_direction(in.world);
        let surface = evaluate_surface(in, color, view, is_front);
        light = storable_light(outgoing_light(in, surface, view)) * alpha;
    }
    if (IS_MASKED && color.a < material.alpha_cutoff) {
        discard;
    }
    if (frame.fog.a > 0.0) {
        light = mix(light, frame.fog.rgb * alpha, fog_factor(in.world));
    }
    return vec4f(light, alpha);
}
