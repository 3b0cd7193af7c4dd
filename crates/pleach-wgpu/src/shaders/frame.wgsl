// What is the same for all draws of a view: the camera, fog and light.

struct Frame {
    // From world to clip space, with depths from 0 to 1 or reversed.
    view_projection: mat4x4f,
    // xyz: the position; w: 1 if all rays start there, 0 if they are parallel.
    camera: vec4f,
    // The depth of a point along the view direction is dot(xyz, point) + w; xyz has length 1.
    depth_axis: vec4f,
    // Width and height in pixels, and their inverses.
    viewport: vec4f,
    // rgb: the light that tone mapping maps to the fog's colour; a: 1 if there is fog.
    fog: vec4f,
    // Near, far.
    fog_range: vec2f,
    // The factor of light before tone mapping, and its inverse.
    exposure: vec2f,
    // The tone curve, the number of lights, 1 if the background is the environment map, 1 if
    // light is measured.
    counts: vec4u,
    // See environment.wgsl.
    environment: array<vec4f, 11>,
    // The background: linear colour and alpha at the top and at the bottom.
    // If it is the environment map: the roughness that it is blurred by.
    background: array<vec4f, 2>,
    // The direction at the centre, and its changes to the right and upwards.
    rays: array<vec4f, 3>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn project(point: vec3f) -> vec4f {
    return frame.view_projection * vec4f(point, 1.0);
}
