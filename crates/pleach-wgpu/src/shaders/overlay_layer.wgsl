// Blends the lines of one style over the picture, as one triangle that covers it.

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner_of_picture(index);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let color = textureLoad(layer, vec2<i32>(position.xy), 0);
    if (color.a == 0.0) {
        discard;
    }
    return target_color(min(color.rgb / color.a, vec3<f32>(1.0)), color.a);
}
