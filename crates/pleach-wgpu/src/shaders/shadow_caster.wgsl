// The pass of a shadow map: depth alone. Masked surfaces cast shadows where they are opaque; blended
// and transmissive ones discard a share of their fragments, in a pattern that filtering blurs. The alpha
// of opaque surfaces is 1.

// Interleaved gradient noise (Jimenez, "Next Generation Post Processing in Call of Duty", 2014).
fn dither(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}

@fragment
fn fragment(in: Varyings) {
    let alpha = surface_alpha(in);
    var opacity = select(1.0, alpha, IS_BLENDED);
    if (HAS_TRANSMISSION) {
        opacity *= 1.0 - material.transmission * (1.0 - material.metallic);
    }
    let is_dithered = IS_BLENDED || HAS_TRANSMISSION;
    if ((IS_MASKED && alpha < material.alpha_cutoff) || (is_dithered && opacity <= dither(in.clip.xy))) {
        discard;
    }
}
