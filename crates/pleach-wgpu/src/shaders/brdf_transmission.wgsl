// Light through surfaces: KHR_materials_transmission, KHR_materials_volume and
// KHR_materials_dispersion. Distances are in world space.
// Twin of pleach-shading/src/brdf/transmission.rs.

// The geometry's thickness times the mean scale of the node's axes.
fn transmission_world_thickness(thickness: f32, x_axis: vec3f, y_axis: vec3f, z_axis: vec3f) -> f32 {
    return thickness * ((length(x_axis) + length(y_axis) + length(z_axis)) * (1.0 / 3.0));
}

// The vector from the surface to where the refracted ray leaves the volume.
fn transmission_ray(normal: vec3f, view: vec3f, thickness: f32, ior: f32) -> vec3f {
    return transmission_refracted(normal, view, ior) * thickness;
}

fn transmission_refracted(normal: vec3f, view: vec3f, ior: f32) -> vec3f {
    let ratio = 1.0 / clamp(ior, 1.0, 100.0);
    let cosine = saturate(dot(normal, view));
    let inside = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    let direction = normal * (ratio * cosine - sqrt(max(inside, 0.0))) - view * ratio;
    return normalize_or(direction, -view);
}

// The indices of refraction for red, green and blue.
fn transmission_dispersed_iors(ior: f32, dispersion: f32) -> vec3f {
    let half_spread = (ior - 1.0) * 0.025 * dispersion;
    return vec3f(ior - half_spread, ior, ior + half_spread);
}

fn transmission_roughness(roughness: f32, ior: f32) -> f32 {
    return roughness * saturate(ior * 2.0 - 2.0);
}

// The mip level of a picture of this width that is as blurred as transmitted light.
fn transmission_lod(roughness: f32, ior: f32, width: f32) -> f32 {
    return log2(max(width, 1.0)) * transmission_roughness(roughness, ior);
}

// Beer's law. A distance of 0 stands for infinity.
fn transmission_attenuation(distance: f32, attenuation_color: vec3f, attenuation_distance: f32) -> vec3f {
    if attenuation_distance <= 0.0 || distance <= 0.0 {
        return vec3f(1.0);
    }
    return pow(saturate(attenuation_color), vec3f(distance / attenuation_distance));
}

// The lobe of a light behind the surface without its Fresnel term and colour, times the cosine of
// the light and π: GGX for the light mirrored to the front.
fn transmission_transmitted(roughness: f32, ior: f32, normal: vec3f, view: vec3f, light: vec3f, n_dot_v: f32) -> f32 {
    let n_dot_l = dot(normal, light);
    let mirrored = light - normal * (2.0 * n_dot_l);
    let half_vector = normalize_or(mirrored + view, vec3f(0.0));
    let alpha = ggx_alpha_from_roughness(transmission_roughness(roughness, ior));
    return ggx_specular(alpha, normal, half_vector, -n_dot_l, n_dot_v);
}
