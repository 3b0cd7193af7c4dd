// The sheen of fibres: KHR_materials_sheen, after Estevez and Kulla (2017), times π.
// Twin of pleach-shading/src/brdf/sheen.rs.

const SHEEN_MIN_ROUGHNESS: f32 = 0.07;

fn sheen_alpha_from_roughness(roughness: f32) -> f32 {
    let limited = clamp(roughness, SHEEN_MIN_ROUGHNESS, 1.0);
    return limited * limited;
}

// The "Charlie" density of fibres with this cosine to the normal.
fn sheen_distribution(alpha: f32, n_dot_h: f32) -> f32 {
    let inverse = 1.0 / alpha;
    let sine_squared = saturate(1.0 - n_dot_h * n_dot_h);
    return (2.0 + inverse) * pow(sine_squared, inverse * 0.5) * 0.5;
}

// Masking and shadowing divided by 4 n·l n·v, at most 1.
fn sheen_visibility(alpha: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    let masking = 1.0 + sheen_lambda(alpha, n_dot_v) + sheen_lambda(alpha, n_dot_l);
    return saturate(1.0 / max(masking * 4.0 * n_dot_v * n_dot_l, 1e-7));
}

// The sheen lobe times the cosine of the incident light.
fn sheen_specular(alpha: f32, n_dot_h: f32, n_dot_l: f32, n_dot_v: f32) -> f32 {
    if n_dot_l <= 0.0 {
        return 0.0;
    }
    return sheen_distribution(alpha, n_dot_h) * sheen_visibility(alpha, n_dot_l, n_dot_v) * n_dot_l;
}

fn sheen_lambda(alpha: f32, cosine: f32) -> f32 {
    if cosine < 0.5 {
        return exp(sheen_lambda_exponent(alpha, cosine));
    }
    return exp(2.0 * sheen_lambda_exponent(alpha, 0.5) - sheen_lambda_exponent(alpha, 1.0 - cosine));
}

fn sheen_lambda_exponent(alpha: f32, x: f32) -> f32 {
    let weight = (1.0 - alpha) * (1.0 - alpha);
    let a = mix(21.5473, 25.3245, weight);
    let b = mix(3.82987, 3.32435, weight);
    let c = mix(0.19823, 0.16801, weight);
    let d = mix(-1.97760, -1.27393, weight);
    let e = mix(-4.32054, -4.85967, weight);
    return a / (1.0 + b * pow(max(x, 0.0), c)) + d * x + e;
}
