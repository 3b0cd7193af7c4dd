// Diffuse reflection and KHR_materials_diffuse_transmission: Lambertian on both sides.
// Twin of pleach-shading/src/brdf/diffuse.rs.

// `front` and `back` are the light that arrives from either side: cosines, or irradiance.
fn diffuse(base_color: vec3f, front: vec3f, transmission: f32, transmitted_color: vec3f, back: vec3f) -> vec3f {
    return mix(base_color * front, transmitted_color * back, transmission);
}
