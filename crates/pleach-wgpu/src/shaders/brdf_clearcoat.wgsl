// A clear coating with a normal of its own: KHR_materials_clearcoat.
// Twin of pleach-shading/src/brdf/clearcoat.rs.

const CLEARCOAT_F0: f32 = 0.04;

// The fraction of light that a coat of this strength reflects towards the view.
fn clearcoat_weight(strength: f32, normal: vec3f, view: vec3f) -> f32 {
    let cosine = saturate(dot(normal, view));
    return strength * (CLEARCOAT_F0 + (1.0 - CLEARCOAT_F0) * fresnel_schlick_weight(cosine));
}

// The lobe of the coat without its Fresnel term, times the cosine of the incident light and π.
fn clearcoat_specular(roughness: f32, normal: vec3f, light: vec3f, view: vec3f, half_vector: vec3f) -> f32 {
    let n_dot_v = clamp(dot(normal, view), GGX_MIN_COSINE, 1.0);
    let alpha = ggx_alpha_from_roughness(roughness);
    return ggx_specular(alpha, normal, half_vector, min(dot(normal, light), 1.0), n_dot_v);
}
