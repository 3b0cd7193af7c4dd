// The GGX microfacet distribution with height-correlated Smith masking and shadowing, times π.
// Twin of pleach-shading/src/brdf/ggx.rs.

const GGX_MIN_ROUGHNESS: f32 = 0.05;
const GGX_MIN_COSINE: f32 = 1e-3;

fn ggx_alpha_from_roughness(roughness: f32) -> f32 {
    let limited = clamp(roughness, GGX_MIN_ROUGHNESS, 1.0);
    return limited * limited;
}

// The sine comes from the cross product: 1 - cos² would have no digits left where the lobe of a
// smooth surface is.
fn ggx_distribution(alpha: f32, normal: vec3f, half_vector: vec3f) -> f32 {
    let cosine = dot(normal, half_vector);
    if cosine <= 0.0 {
        return 0.0;
    }
    let sine = cross(normal, half_vector);
    let scaled = cosine * alpha;
    let ratio = alpha / (dot(sine, sine) + scaled * scaled);
    return ratio * ratio;
}

fn ggx_visibility(alpha: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    let squared = alpha * alpha;
    let masking = n_dot_l * sqrt(n_dot_v * n_dot_v * (1.0 - squared) + squared);
    let shadowing = n_dot_v * sqrt(n_dot_l * n_dot_l * (1.0 - squared) + squared);
    return 0.5 / (masking + shadowing);
}

// The specular lobe without its Fresnel term, times the cosine of the incident light.
fn ggx_specular(alpha: f32, normal: vec3f, half_vector: vec3f, n_dot_l: f32, n_dot_v: f32) -> f32 {
    if n_dot_l <= 0.0 {
        return 0.0;
    }
    return ggx_distribution(alpha, normal, half_vector) * ggx_visibility(alpha, n_dot_l, n_dot_v) * n_dot_l;
}
