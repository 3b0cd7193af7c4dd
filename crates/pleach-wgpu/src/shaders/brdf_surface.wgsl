// The parameters of a point of a surface, after textures. Twin of pleach-shading/src/brdf/surface.rs.
//
// The brdf_*.wgsl files, environment.wgsl, punctual.wgsl and tone_mapping.wgsl are functions without
// bindings: brdf_shading.wgsl needs all brdf_* files and environment.wgsl. What they read is
// supplied by the module that includes them:
//
//   fn ggx_lut(n_dot_v: f32, roughness: f32) -> vec2f      red and green of the split-sum table
//   fn charlie_lut(n_dot_v: f32, roughness: f32) -> f32    blue of the split-sum table
//   fn environment_row(index: u32) -> vec4f                row of EnvironmentLight::to_uniform
//   fn environment_cube(direction: vec3f, lod: f32) -> vec3f   the cube map, trilinear
//
// The table is a texture of SplitSumLut::to_rgba16f, sampled at (n_dot_v, roughness) with a linear
// filter and clamped at its edges. Start from default_surface() and set what the material has: what
// is constant removes the code of the extensions that it does not use.

struct Surface {
    normal: vec3f,
    tangent: vec3f,
    bitangent: vec3f,
    base_color: vec3f,
    metallic: f32,
    roughness: f32,
    occlusion: f32,
    emissive: vec3f,
    ior: f32,
    specular: f32,
    specular_color: vec3f,
    clearcoat: f32,
    clearcoat_roughness: f32,
    clearcoat_normal: vec3f,
    sheen_color: vec3f,
    sheen_roughness: f32,
    iridescence: f32,
    iridescence_ior: f32,
    // In nanometres.
    iridescence_thickness: f32,
    anisotropy: f32,
    diffuse_transmission: f32,
    diffuse_transmission_color: vec3f,
    transmission: f32,
    // In world space.
    thickness: f32,
    // 0 for no attenuation.
    attenuation_distance: f32,
    attenuation_color: vec3f,
    dispersion: f32,
}

// A white, rough dielectric without any extension that faces +Z.
fn default_surface() -> Surface {
    var surface: Surface;
    surface.normal = vec3f(0.0, 0.0, 1.0);
    surface.tangent = vec3f(1.0, 0.0, 0.0);
    surface.bitangent = vec3f(0.0, 1.0, 0.0);
    surface.base_color = vec3f(1.0);
    surface.metallic = 0.0;
    surface.roughness = 1.0;
    surface.occlusion = 1.0;
    surface.emissive = vec3f(0.0);
    surface.ior = 1.5;
    surface.specular = 1.0;
    surface.specular_color = vec3f(1.0);
    surface.clearcoat = 0.0;
    surface.clearcoat_roughness = 0.0;
    surface.clearcoat_normal = vec3f(0.0, 0.0, 1.0);
    surface.sheen_color = vec3f(0.0);
    surface.sheen_roughness = 0.0;
    surface.iridescence = 0.0;
    surface.iridescence_ior = 1.3;
    surface.iridescence_thickness = 400.0;
    surface.anisotropy = 0.0;
    surface.diffuse_transmission = 0.0;
    surface.diffuse_transmission_color = vec3f(1.0);
    surface.transmission = 0.0;
    surface.thickness = 0.0;
    surface.attenuation_distance = 0.0;
    surface.attenuation_color = vec3f(1.0);
    surface.dispersion = 0.0;
    return surface;
}

// Limits all parameters to their ranges, so that no product overflows.
fn clamped_surface(input: Surface) -> Surface {
    var surface = input;
    surface.base_color = saturate(surface.base_color);
    surface.metallic = saturate(surface.metallic);
    surface.roughness = saturate(surface.roughness);
    surface.occlusion = saturate(surface.occlusion);
    surface.emissive = clamp(surface.emissive, vec3f(0.0), vec3f(1e30));
    surface.ior = clamp(surface.ior, 0.0, 100.0);
    surface.specular = saturate(surface.specular);
    surface.specular_color = clamp(surface.specular_color, vec3f(0.0), vec3f(1e4));
    surface.clearcoat = saturate(surface.clearcoat);
    surface.clearcoat_roughness = saturate(surface.clearcoat_roughness);
    surface.sheen_color = saturate(surface.sheen_color);
    surface.sheen_roughness = saturate(surface.sheen_roughness);
    surface.iridescence = saturate(surface.iridescence);
    surface.anisotropy = saturate(surface.anisotropy);
    surface.diffuse_transmission = saturate(surface.diffuse_transmission);
    surface.diffuse_transmission_color = saturate(surface.diffuse_transmission_color);
    surface.transmission = saturate(surface.transmission);
    surface.thickness = clamp(surface.thickness, 0.0, 1e30);
    surface.dispersion = clamp(surface.dispersion, 0.0, 100.0);
    return surface;
}

fn max_element(value: vec3f) -> f32 {
    return max(value.x, max(value.y, value.z));
}

fn min_element(value: vec3f) -> f32 {
    return min(value.x, min(value.y, value.z));
}

// Returns `fallback` for a vector without a direction.
fn normalize_or(vector: vec3f, fallback: vec3f) -> vec3f {
    let squared = dot(vector, vector);
    if squared < 1e-24 {
        return fallback;
    }
    return vector * inverseSqrt(squared);
}
