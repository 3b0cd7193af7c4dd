// From light to colour, and back. Twin of pleach-shading/src/tone_mapping.rs.
//
// `curve` is ToneMapping::shader_constant. Multiply light by the exposure before it is stored in a
// 16-bit target: suns of 100 000 lux would overflow it. Unlit surfaces, fog and background store
// `tone_mapping_inverse(curve, color)`, which `tone_mapping_apply` turns back into the colour.

const TONE_MAPPING_NEUTRAL: u32 = 0u;
const TONE_MAPPING_CLAMP: u32 = 1u;
const TONE_MAPPING_ACES: u32 = 2u;

const TONE_MAPPING_OFFSET: f32 = 0.04;
const TONE_MAPPING_START: f32 = 0.76;
const TONE_MAPPING_DESATURATION: f32 = 0.15;
const TONE_MAPPING_MAX_INVERSE: f32 = 0.99951171875;
const TONE_MAPPING_MAX_LIGHT: f32 = 1e9;

// Maps light to a colour between 0 and 1.
fn tone_mapping_apply(curve: u32, light: vec3f) -> vec3f {
    let limited = clamp(light, vec3f(-TONE_MAPPING_MAX_LIGHT), vec3f(TONE_MAPPING_MAX_LIGHT));
    if curve == TONE_MAPPING_CLAMP {
        return saturate(limited);
    }
    if curve == TONE_MAPPING_ACES {
        return saturate(tone_mapping_aces(limited));
    }
    return saturate(tone_mapping_neutral(limited));
}

// Returns the light that is mapped to a colour.
fn tone_mapping_inverse(curve: u32, color: vec3f) -> vec3f {
    let limited = saturate(color);
    if curve == TONE_MAPPING_CLAMP {
        return limited;
    }
    if curve == TONE_MAPPING_ACES {
        return tone_mapping_aces_inverse(limited);
    }
    return tone_mapping_neutral_inverse(limited);
}

fn tone_mapping_neutral(light: vec3f) -> vec3f {
    let darkest = min(light.x, min(light.y, light.z));
    let color = light - vec3f(darkest - tone_mapping_toe(darkest));
    let peak = max(color.x, max(color.y, color.z));
    if peak < TONE_MAPPING_START {
        return color;
    }
    let range = 1.0 - TONE_MAPPING_START;
    let new_peak = 1.0 - range * range / (peak + range - TONE_MAPPING_START);
    return mix(color * (new_peak / peak), vec3f(new_peak), tone_mapping_desaturation(peak, new_peak));
}

fn tone_mapping_neutral_inverse(input: vec3f) -> vec3f {
    let color = min(input, vec3f(TONE_MAPPING_MAX_INVERSE));
    let new_peak = max(color.x, max(color.y, color.z));
    var light = color;
    if new_peak >= TONE_MAPPING_START {
        let range = 1.0 - TONE_MAPPING_START;
        let peak = range * range / (1.0 - new_peak) - range + TONE_MAPPING_START;
        let weight = tone_mapping_desaturation(peak, new_peak);
        light = (color - vec3f(new_peak * weight)) / (1.0 - weight) * (peak / new_peak);
    }
    let darkest = min(light.x, min(light.y, light.z));
    return light + vec3f(tone_mapping_toe_inverse(darkest) - darkest);
}

// The curve of the darkest component, continued symmetrically for the negative light of inverses.
fn tone_mapping_toe(darkest: f32) -> f32 {
    let size = abs(darkest);
    let value = select(size - TONE_MAPPING_OFFSET, 6.25 * size * size, size < 2.0 * TONE_MAPPING_OFFSET);
    return select(value, -value, darkest < 0.0);
}

fn tone_mapping_toe_inverse(value: f32) -> f32 {
    let size = abs(value);
    let darkest = select(size + TONE_MAPPING_OFFSET, sqrt(size / 6.25), size < TONE_MAPPING_OFFSET);
    return select(darkest, -darkest, value < 0.0);
}

fn tone_mapping_desaturation(peak: f32, new_peak: f32) -> f32 {
    return 1.0 - 1.0 / (TONE_MAPPING_DESATURATION * (peak - new_peak) + 1.0);
}

fn tone_mapping_aces(input: vec3f) -> vec3f {
    let light = clamp(input, vec3f(0.0), vec3f(1e4));
    return light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14);
}

fn tone_mapping_aces_inverse(color: vec3f) -> vec3f {
    let a = 2.51 - 2.43 * color;
    let b = 0.59 * color - 0.03;
    return (b + sqrt(b * b + 0.56 * a * color)) / (2.0 * a);
}
