// GGX lobes stretched along the tangent: KHR_materials_anisotropy.
// Twin of pleach-shading/src/brdf/anisotropy.rs.

fn anisotropy_alphas(alpha: f32, strength: f32) -> vec2f {
    return vec2f(alpha + (1.0 - alpha) * strength * strength, alpha);
}

// The specular lobe without its Fresnel term, times the cosine of the incident light and π.
fn anisotropy_specular(
    alphas: vec2f,
    tangent: vec3f,
    bitangent: vec3f,
    normal: vec3f,
    light: vec3f,
    view: vec3f,
    half_vector: vec3f,
    n_dot_l: f32,
    n_dot_v: f32,
) -> f32 {
    if n_dot_l <= 0.0 || dot(normal, half_vector) <= 0.0 {
        return 0.0;
    }
    let area = alphas.x * alphas.y;
    let stretched = vec3f(
        alphas.y * dot(tangent, half_vector),
        alphas.x * dot(bitangent, half_vector),
        area * dot(normal, half_vector),
    );
    let ratio = area / max(dot(stretched, stretched), 1.17549435e-38);
    let distribution = area * ratio * ratio;
    let masking = length(vec3f(alphas.x * dot(tangent, view), alphas.y * dot(bitangent, view), n_dot_v));
    let shadowing = length(vec3f(alphas.x * dot(tangent, light), alphas.y * dot(bitangent, light), n_dot_l));
    let denominator = n_dot_l * masking + n_dot_v * shadowing;
    return distribution * 0.5 / denominator * n_dot_l;
}

// The normal that the environment is reflected with, so that reflections are stretched.
fn anisotropy_bent_normal(normal: vec3f, bitangent: vec3f, view: vec3f, roughness: f32, strength: f32) -> vec3f {
    let bend = cross(cross(bitangent, view), bitangent);
    let base = 1.0 - strength * (1.0 - roughness);
    let weight = base * base * base * base;
    return normalize_or(bend + (normal - bend) * weight, normal);
}
