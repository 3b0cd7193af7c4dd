// Thin-film interference: KHR_materials_iridescence, after Belcour and Barla (2017).
// Twin of pleach-shading/src/brdf/iridescence.rs.

const IRIDESCENCE_PI: f32 = 3.14159265;
const IRIDESCENCE_TAU: f32 = 6.28318531;

// The reflectance of a film (index, thickness in nanometres) on a base with a reflectance in air.
fn iridescence_reflectance(film_ior: f32, thickness: f32, cos_incident: f32, base_f0: vec3f) -> vec3f {
    let ior = 1.0 + (clamp(film_ior, 1.0, 10.0) - 1.0) * smoothstep(0.0, 0.03, thickness);
    let cosine = saturate(cos_incident);
    let inside_squared = 1.0 - (1.0 - cosine * cosine) / (ior * ior);
    let inside = sqrt(max(inside_squared, 0.0));

    // Air to film.
    let outer_f0 = iridescence_interface_f0(vec3f(ior), 1.0).x;
    let outer = outer_f0 + (1.0 - outer_f0) * fresnel_schlick_weight(cosine);
    let through = 1.0 - outer;

    // Film to base, by channel.
    let root = sqrt(clamp(base_f0, vec3f(0.0), vec3f(0.9999)));
    let base_ior = (vec3f(1.0) + root) / (vec3f(1.0) - root);
    let inner_f0 = iridescence_interface_f0(base_ior, ior);
    let inner = inner_f0 + (vec3f(1.0) - inner_f0) * fresnel_schlick_weight(inside);
    let phase = vec3f(IRIDESCENCE_PI) + select(vec3f(0.0), vec3f(IRIDESCENCE_PI), base_ior < vec3f(ior));

    let path = 2.0 * ior * clamp(thickness, 0.0, 1e5) * inside;
    let bounce = clamp(inner * outer, vec3f(1e-5), vec3f(0.9999));
    let amplitude = sqrt(bounce);
    let escaping = inner * (through * through) / (vec3f(1.0) - bounce);
    let first = (escaping - vec3f(through)) * amplitude;
    let second = first * amplitude;
    let sum = escaping + vec3f(outer)
        + first * iridescence_sensitivity(path, phase) * 2.0
        + second * iridescence_sensitivity(path * 2.0, phase * 2.0) * 2.0;
    return saturate(sum);
}

// The response of the linear sRGB channels to an optical path difference and a phase shift.
fn iridescence_sensitivity(path: f32, shift: vec3f) -> vec3f {
    let phase = IRIDESCENCE_TAU * path * 1e-9;
    let x = iridescence_gaussian(5.4856e-13, 1.6810e6, 4.3278e9, phase, shift.x)
        + iridescence_gaussian(9.7470e-14, 2.2399e6, 4.5282e9, phase, shift.x);
    let y = iridescence_gaussian(4.4201e-13, 1.7953e6, 9.3046e9, phase, shift.y);
    let z = iridescence_gaussian(5.2481e-13, 2.2084e6, 6.6121e9, phase, shift.z);
    let xyz = vec3f(x, y, z) / 1.0685e-7;
    return vec3f(
        3.2404542 * xyz.x - 1.5371385 * xyz.y - 0.4985314 * xyz.z,
        -0.9692660 * xyz.x + 1.8760108 * xyz.y + 0.0415560 * xyz.z,
        0.0556434 * xyz.x - 0.2040259 * xyz.y + 1.0572252 * xyz.z,
    );
}

fn iridescence_gaussian(height: f32, position: f32, variance: f32, phase: f32, shift: f32) -> f32 {
    let envelope = exp(-phase * phase * variance);
    return height * sqrt(IRIDESCENCE_TAU * variance) * iridescence_cosine(position * phase + shift) * envelope;
}

// Reduced first: cos is precise for small angles only.
fn iridescence_cosine(angle: f32) -> f32 {
    return cos(angle - IRIDESCENCE_TAU * floor(angle / IRIDESCENCE_TAU + 0.5));
}

fn iridescence_interface_f0(inner: vec3f, outer: f32) -> vec3f {
    let ratio = (inner - vec3f(outer)) / (inner + vec3f(outer));
    return ratio * ratio;
}
