// Light as it is stored: no infinity and nothing that is not a number, which the mip chain behind rough
// transmissive surfaces would spread over the picture.

// More than the largest half float would be infinite, and infinity times 0 is not a number.
const MAX_LIGHT: f32 = 6e4;

// Returns a light within the range of half floats; 0 for what is not a number, which `clamp` may keep. By
// bits, because compilers may assume that every float is a number.
fn storable_light(light: vec3f) -> vec3f {
    let is_number = (bitcast<vec3u>(light) & vec3u(0x7fffffffu)) <= vec3u(0x7f800000u);
    return select(vec3f(0.0), clamp(light, vec3f(-MAX_LIGHT), vec3f(MAX_LIGHT)), is_number);
}
