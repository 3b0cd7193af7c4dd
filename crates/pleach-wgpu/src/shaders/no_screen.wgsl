// Surfaces that transmit no light: the twin of screen.wgsl without bindings.

fn transmitted_light(shading: Shading, point: vec3f) -> vec3f {
    return vec3f(0.0);
}
