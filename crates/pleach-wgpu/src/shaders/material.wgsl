// The surface of a material at a fragment: factors times textures.
//
// Reads the material's uniform block (upload/material_block.rs writes it), its textures through
// `sample_…` functions that the composer generates (white for absent ones), and the varyings.

struct Material {
    base_color: vec4f,
    // Times the strength.
    emissive: vec3f,
    alpha_cutoff: f32,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    ior: f32,
    dispersion: f32,
    clearcoat: f32,
    clearcoat_roughness: f32,
    sheen_color: vec3f,
    sheen_roughness: f32,
    specular_color: vec3f,
    specular: f32,
    transmission: f32,
    diffuse_transmission: f32,
    thickness: f32,
    // 0 if it is infinite.
    attenuation_distance: f32,
    attenuation_color: vec3f,
    clearcoat_normal_scale: f32,
    diffuse_transmission_color: vec3f,
    iridescence: f32,
    iridescence_ior: f32,
    iridescence_thickness_min: f32,
    iridescence_thickness_max: f32,
    anisotropy: f32,
    // The cosine and the sine.
    anisotropy_rotation: vec4f,
    // By texture: the rows of the transform; in w of the first: the set of coordinates.
    uv_transforms: array<vec4f, 38>,
}

@group(2) @binding(0) var<uniform> material: Material;

// Returns the coordinates of a texture.
fn texture_uv(uv: vec4f, slot: u32) -> vec2f {
    let x = material.uv_transforms[2u * slot];
    let y = material.uv_transforms[2u * slot + 1u];
    let coordinates = vec3f(select(uv.xy, uv.zw, x.w > 0.5), 1.0);
    return vec2f(dot(x.xyz, coordinates), dot(y.xyz, coordinates));
}

// Returns base colour and alpha.
fn surface_color(in: Varyings) -> vec4f {
    return material.base_color * max(in.color, vec4f(0.0)) * sample_base_color(in.uv);
}

fn surface_alpha(in: Varyings) -> f32 {
    return surface_color(in).a;
}
