// All lobes of a surface, layered, for one view direction. Twin of pleach-shading/src/brdf/shading.rs.
//
// From the bottom: diffuse reflection or transmission; a dielectric or metallic specular lobe, with
// or without a thin film; sheen; clear coat. A layer dims what is below it by what it reflects.

struct Shading {
    surface: Surface,
    view: vec3f,
    n_dot_v: f32,
    alphas: vec2f,
    dielectric_f0: vec3f,
    dielectric_f90: f32,
    dielectric_environment: vec3f,
    metal_environment: vec3f,
    dielectric_film: vec3f,
    metal_film: vec3f,
    sheen_albedo: f32,
    coat_weight: f32,
    attenuation: vec3f,
}

// `view` is the unit vector towards the camera.
fn shading_new(input: Surface, view: vec3f) -> Shading {
    var shading: Shading;
    let surface = clamped_surface(input);
    let n_dot_v = clamp(dot(surface.normal, view), GGX_MIN_COSINE, 1.0);
    let f0 = fresnel_f0_from_ior(surface.ior);
    let dielectric_f0 = min(surface.specular_color * f0, vec3f(1.0)) * surface.specular;
    let split_sum = ggx_lut(n_dot_v, surface.roughness);
    shading.surface = surface;
    shading.view = view;
    shading.n_dot_v = n_dot_v;
    shading.alphas = anisotropy_alphas(ggx_alpha_from_roughness(surface.roughness), surface.anisotropy);
    shading.dielectric_f0 = dielectric_f0;
    shading.dielectric_f90 = surface.specular;
    shading.dielectric_environment = fresnel_environment(dielectric_f0, surface.specular, split_sum);
    shading.metal_environment = fresnel_environment(surface.base_color, 1.0, split_sum);
    if surface.iridescence > 0.0 {
        let ior = surface.iridescence_ior;
        let thickness = surface.iridescence_thickness;
        shading.dielectric_film = iridescence_reflectance(ior, thickness, n_dot_v, dielectric_f0);
        shading.metal_film = iridescence_reflectance(ior, thickness, n_dot_v, surface.base_color);
    }
    if max_element(surface.sheen_color) > 0.0 {
        shading.sheen_albedo = charlie_lut(n_dot_v, surface.sheen_roughness);
    }
    shading.coat_weight = clearcoat_weight(surface.clearcoat, surface.clearcoat_normal, view);
    shading.attenuation =
        transmission_attenuation(surface.thickness, surface.attenuation_color, surface.attenuation_distance);
    return shading;
}

// The fraction of a punctual light that is reflected or transmitted towards the camera, including
// the cosine. `light` is the unit vector towards the light.
fn shading_evaluate(shading: Shading, light: vec3f) -> vec3f {
    let surface = shading.surface;
    let n_dot_l = min(dot(surface.normal, light), 1.0);
    let half_vector = normalize_or(light + shading.view, vec3f(0.0));
    let v_dot_h = saturate(dot(shading.view, half_vector));

    let specular = shading_specular(shading, light, half_vector, n_dot_l);
    let below = shading_transmitted_or_diffuse(shading, light, n_dot_l);
    let fresnel = fresnel_schlick(shading.dielectric_f0, shading.dielectric_f90, v_dot_h);
    var dielectric = shading_layer(below, vec3f(specular), fresnel);
    var metal = fresnel_schlick(surface.base_color, 1.0, v_dot_h) * specular;
    if surface.iridescence > 0.0 {
        let film = shading_layer(below, vec3f(specular), shading.dielectric_film);
        dielectric = mix(dielectric, film, surface.iridescence);
        metal = mix(metal, shading.metal_film * specular, surface.iridescence);
    }
    var reflected = mix(dielectric, metal, surface.metallic);
    if max_element(surface.sheen_color) > 0.0 {
        reflected = shading_add_sheen(shading, reflected, half_vector, n_dot_l);
    }
    if surface.clearcoat > 0.0 {
        let coat = clearcoat_specular(
            surface.clearcoat_roughness,
            surface.clearcoat_normal,
            light,
            shading.view,
            half_vector,
        );
        reflected = mix(reflected, vec3f(coat), shading.coat_weight);
    }
    return reflected;
}

// The light of the environment that is reflected, or transmitted diffusely, towards the camera.
fn shading_environment_light(shading: Shading) -> vec3f {
    let surface = shading.surface;
    let specular = environment_specular(shading_reflection(shading), surface.roughness);
    let below = shading_environment_diffuse(shading) * (1.0 - surface.transmission);
    var dielectric = shading_layer(below, specular, shading.dielectric_environment);
    var metal = specular * shading.metal_environment;
    if surface.iridescence > 0.0 {
        let film = shading_layer(below, specular, shading.dielectric_film);
        dielectric = mix(dielectric, film, surface.iridescence);
        metal = mix(metal, specular * shading.metal_film, surface.iridescence);
    }
    var reflected = mix(dielectric, metal, surface.metallic);
    if max_element(surface.sheen_color) > 0.0 {
        let light = environment_sheen(surface.normal, shading.view, surface.sheen_roughness);
        reflected = reflected * shading_below_sheen(shading, shading.sheen_albedo)
            + light * surface.sheen_color * shading.sheen_albedo;
    }
    if surface.clearcoat > 0.0 {
        let direction = shading_reflect(shading.view, surface.clearcoat_normal);
        let coat = environment_specular(direction, surface.clearcoat_roughness);
        reflected = mix(reflected, coat, shading.coat_weight);
    }
    return reflected * surface.occlusion;
}

// The emitted light that passes the clear coat.
fn shading_emitted_light(shading: Shading) -> vec3f {
    return shading.surface.emissive * (1.0 - shading.coat_weight);
}

// The fraction of the light behind the surface that reaches the camera through it.
fn shading_transmittance(shading: Shading) -> vec3f {
    let surface = shading.surface;
    var through = 1.0 - max_element(shading.dielectric_environment);
    if surface.iridescence > 0.0 {
        through = mix(through, 1.0 - max_element(shading.dielectric_film), surface.iridescence);
    }
    let above = shading_below_sheen(shading, shading.sheen_albedo) * (1.0 - shading.coat_weight);
    let factor = surface.transmission * (1.0 - surface.metallic) * through * above;
    return surface.base_color * shading.attenuation * factor;
}

// The vector from the surface to the exit point of the refracted ray, for an index of refraction:
// the surface's, or one of `transmission_dispersed_iors` for each channel.
fn shading_transmission_ray(shading: Shading, ior: f32) -> vec3f {
    return transmission_ray(shading.surface.normal, shading.view, shading.surface.thickness, ior);
}

fn shading_specular(shading: Shading, light: vec3f, half_vector: vec3f, n_dot_l: f32) -> f32 {
    let surface = shading.surface;
    if surface.anisotropy > 0.0 {
        return anisotropy_specular(
            shading.alphas,
            surface.tangent,
            surface.bitangent,
            surface.normal,
            light,
            shading.view,
            half_vector,
            n_dot_l,
            shading.n_dot_v,
        );
    }
    return ggx_specular(shading.alphas.y, surface.normal, half_vector, n_dot_l, shading.n_dot_v);
}

fn shading_transmitted_or_diffuse(shading: Shading, light: vec3f, n_dot_l: f32) -> vec3f {
    let surface = shading.surface;
    let below = diffuse(
        surface.base_color,
        vec3f(max(n_dot_l, 0.0)),
        surface.diffuse_transmission,
        surface.diffuse_transmission_color * shading.attenuation,
        vec3f(max(-n_dot_l, 0.0)),
    );
    if surface.transmission <= 0.0 {
        return below;
    }
    let lobe = transmission_transmitted(
        surface.roughness,
        surface.ior,
        surface.normal,
        shading.view,
        light,
        shading.n_dot_v,
    );
    return mix(below, surface.base_color * shading.attenuation * lobe, surface.transmission);
}

fn shading_environment_diffuse(shading: Shading) -> vec3f {
    let surface = shading.surface;
    var back = vec3f(0.0);
    if surface.diffuse_transmission > 0.0 {
        back = environment_irradiance(-surface.normal);
    }
    return diffuse(
        surface.base_color,
        environment_irradiance(surface.normal),
        surface.diffuse_transmission,
        surface.diffuse_transmission_color * shading.attenuation,
        back,
    );
}

fn shading_add_sheen(shading: Shading, below: vec3f, half_vector: vec3f, n_dot_l: f32) -> vec3f {
    let surface = shading.surface;
    let n_dot_h = saturate(dot(surface.normal, half_vector));
    let alpha = sheen_alpha_from_roughness(surface.sheen_roughness);
    let lobe = sheen_specular(alpha, n_dot_h, n_dot_l, shading.n_dot_v);
    let albedo = max(charlie_lut(max(n_dot_l, 0.0), surface.sheen_roughness), shading.sheen_albedo);
    return below * shading_below_sheen(shading, albedo) + surface.sheen_color * lobe;
}

// The fraction of light that the sheen leaves for the layers below.
fn shading_below_sheen(shading: Shading, albedo: f32) -> f32 {
    return max(1.0 - max_element(shading.surface.sheen_color) * albedo, 0.0);
}

fn shading_reflection(shading: Shading) -> vec3f {
    let surface = shading.surface;
    if surface.anisotropy > 0.0 {
        let bent = anisotropy_bent_normal(
            surface.normal,
            surface.bitangent,
            shading.view,
            surface.roughness,
            surface.anisotropy,
        );
        return shading_reflect(shading.view, bent);
    }
    return shading_reflect(shading.view, surface.normal);
}

// Puts a specular layer on top of `below`, which keeps what the layer does not reflect.
fn shading_layer(below: vec3f, specular: vec3f, fresnel: vec3f) -> vec3f {
    return below * (1.0 - max_element(fresnel)) + specular * fresnel;
}

fn shading_reflect(view: vec3f, normal: vec3f) -> vec3f {
    return normal * (2.0 * dot(normal, view)) - view;
}
