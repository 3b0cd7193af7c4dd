// Light from all directions: uniform light and a prefiltered environment map.
// Twin of pleach-shading/src/environment/light.rs and harmonics.rs.
//
// Reads the rows of EnvironmentLight::to_uniform by `environment_row(index)`: 0 is the uniform light
// and the intensity of the map, 1 the cosine and sine of its rotation and its last level, 2 to 10
// are harmonics; and the map by `environment_cube(direction, lod)`.

// The irradiance divided by π of a surface with this normal.
fn environment_irradiance(normal: vec3f) -> vec3f {
    let light = environment_row(0u);
    let direction = environment_to_map(normal);
    return light.xyz + light.w * environment_harmonics(direction, direction, 1.0);
}

// The light around a direction, blurred by the GGX lobe of a roughness.
fn environment_specular(direction: vec3f, roughness: f32) -> vec3f {
    return environment_row(0u).xyz + environment_background(direction, roughness);
}

// The light of the map in a direction, blurred by the GGX lobe of a roughness.
fn environment_background(direction: vec3f, roughness: f32) -> vec3f {
    let intensity = environment_row(0u).w;
    return environment_cube(environment_to_map(direction), environment_lod(roughness)) * intensity;
}

// The light that the sheen lobe gathers around a normal, seen from `view`.
fn environment_sheen(normal: vec3f, view: vec3f, roughness: f32) -> vec3f {
    let light = environment_row(0u);
    let n = environment_to_map(normal);
    let v = environment_to_map(view);
    let moments = environment_sheen_moments(roughness);
    let tangential = normalize_or(v - n * dot(n, v), vec3f(0.0));
    let first = n * moments.x + tangential * moments.z;
    return light.xyz + light.w * environment_harmonics(first, n, moments.y);
}

// The mip level for a roughness.
fn environment_lod(roughness: f32) -> f32 {
    let limited = saturate(roughness);
    return environment_row(1u).z * (limited * (2.0 - limited));
}

// The second band at `first`, which need not have length 1, and the third at `second`, scaled.
fn environment_harmonics(first: vec3f, second: vec3f, scale: f32) -> vec3f {
    let d = second;
    var sum = environment_row(2u).xyz
        + environment_row(3u).xyz * first.y
        + environment_row(4u).xyz * first.z
        + environment_row(5u).xyz * first.x;
    sum += environment_row(6u).xyz * (d.x * d.y * scale)
        + environment_row(7u).xyz * (d.y * d.z * scale)
        + environment_row(8u).xyz * ((3.0 * d.z * d.z - 1.0) * scale)
        + environment_row(9u).xyz * (d.x * d.z * scale)
        + environment_row(10u).xyz * ((d.x * d.x - d.y * d.y) * scale);
    return max(sum, vec3f(0.0));
}

// Moments of the sheen lobe relative to those of the cosine lobe: first and second order along the
// normal, first order along the view.
fn environment_sheen_moments(roughness: f32) -> vec3f {
    let r = clamp(roughness, 0.07, 1.0);
    return vec3f(
        -0.019 + r * (2.6316 + r * (-2.8479 + r * 1.0909)),
        -2.3527 + r * (5.7836 + r * (-3.4407 + r * 0.3172)),
        1.0636 + r * (-2.0334 + r * (1.6804 + r * -0.5483)),
    );
}

// Rotates a direction of the world into the space of the map.
fn environment_to_map(direction: vec3f) -> vec3f {
    let rotation = environment_row(1u);
    return vec3f(
        rotation.x * direction.x + rotation.y * direction.y,
        rotation.x * direction.y - rotation.y * direction.x,
        direction.z,
    );
}
