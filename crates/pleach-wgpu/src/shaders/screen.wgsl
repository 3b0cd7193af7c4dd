// Light through transmissive surfaces: a picture of everything else, at the point where the refracted
// ray leaves the volume, blurred by the roughness.

@group(3) @binding(0) var screen_picture: texture_2d<f32>;
@group(3) @binding(1) var screen_sampler: sampler;

fn screen_light(point: vec3f, lod: f32) -> vec3f {
    let clip = project(point);
    let uv = clip.xy / max(clip.w, 1e-6) * vec2f(0.5, -0.5) + 0.5;
    return textureSampleLevel(screen_picture, screen_sampler, uv, lod).rgb;
}

// Returns the light behind a surface, times the exposure.
fn transmitted_light(shading: Shading, point: vec3f) -> vec3f {
    let surface = shading.surface;
    let lod = transmission_lod(surface.roughness, surface.ior, frame.viewport.x);
    if (!HAS_DISPERSION) {
        return screen_light(point + shading_transmission_ray(shading, surface.ior), lod);
    }
    let iors = transmission_dispersed_iors(surface.ior, surface.dispersion);
    return vec3f(
        screen_light(point + shading_transmission_ray(shading, iors.x), lod).r,
        screen_light(point + shading_transmission_ray(shading, iors.y), lod).g,
        screen_light(point + shading_transmission_ray(shading, iors.z), lod).b,
    );
}
