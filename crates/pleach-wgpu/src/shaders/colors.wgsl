// Colours that exposure and tone mapping do not change: those of unlit surfaces, fog and background.

// Returns the light that the tone mapping pass maps to a colour; none if light is measured.
fn light_of_color(color: vec3f) -> vec3f {
    if (frame.counts.w == 1u) {
        return vec3f(0.0);
    }
    return tone_mapping_inverse(frame.counts.x, color);
}
