// Fresnel reflectance: Schlick's approximation, and its mean over an environment.
// Twin of pleach-shading/src/brdf/fresnel.rs.

fn fresnel_f0_from_ior(ior: f32) -> f32 {
    if ior <= 0.0 {
        return 1.0;
    }
    let ratio = (ior - 1.0) / (ior + 1.0);
    return ratio * ratio;
}

fn fresnel_schlick_weight(cosine: f32) -> f32 {
    let x = saturate(1.0 - cosine);
    let square = x * x;
    return square * square * x;
}

fn fresnel_schlick(f0: vec3f, f90: f32, cosine: f32) -> vec3f {
    return f0 + (vec3f(f90) - f0) * fresnel_schlick_weight(cosine);
}

// Single scattering by the split sum, and multiple scattering after Fdez-Agüera (2019).
fn fresnel_environment(f0: vec3f, f90: f32, lut: vec2f) -> vec3f {
    let single = f0 * lut.x + vec3f(f90 * lut.y);
    let missing = clamp(1.0 - (lut.x + lut.y), 0.0, 0.99);
    let average = f0 + (vec3f(f90) - f0) * (1.0 / 21.0);
    let multiple = single * average * missing / (vec3f(1.0) - average * missing);
    return saturate(single + multiple);
}
