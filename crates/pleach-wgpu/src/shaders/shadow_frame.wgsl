// The view of a shadow map.

struct Frame {
    view_projection: mat4x4f,
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn project(point: vec3f) -> vec4f {
    return frame.view_projection * vec4f(point, 1.0);
}
