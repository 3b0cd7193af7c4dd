// The outline of selected nodes, as one triangle that covers the picture.
//
// A pixel that does not show a selected node is covered according to its distance from the nearest one
// that does, as in pleach-render.

// The colour in sRGB, generated: OUTLINE_COLOR.

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner_of_picture(index);
}

fn is_selected(pixel: vec2<i32>) -> bool {
    let id = textureLoad(ids, pixel, 0).x;
    if (id == 0u) {
        return false;
    }
    let slot = id - 1u;
    let size = textureDimensions(selection);
    let texel = vec2<u32>(slot / 128u % size.x, slot / 128u / size.x);
    if (texel.y >= size.y) {
        return false;
    }
    let words = textureLoad(selection, vec2<i32>(texel), 0);
    var word = words.x;
    switch (slot / 32u % 4u) {
        case 1u: { word = words.y; }
        case 2u: { word = words.z; }
        case 3u: { word = words.w; }
        default: {}
    }
    return ((word >> (slot % 32u)) & 1u) == 1u;
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(position.xy);
    let last = vec2<i32>(view.size) - 1;
    let reach = i32(ceil(view.outline_width + 0.5));
    var nearest = 1 << 20u;
    for (var y = max(pixel.y - reach, 0); y <= min(pixel.y + reach, last.y); y++) {
        for (var x = max(pixel.x - reach, 0); x <= min(pixel.x + reach, last.x); x++) {
            let offset = vec2<i32>(x, y) - pixel;
            let squared = offset.x * offset.x + offset.y * offset.y;
            if (squared < nearest && is_selected(vec2<i32>(x, y))) {
                nearest = squared;
            }
        }
    }
    let coverage = clamp(view.outline_width + 0.5 - sqrt(f32(nearest)), 0.0, 1.0);
    if (nearest == 0 || coverage == 0.0) {
        discard;
    }
    return target_color(OUTLINE_COLOR, coverage);
}
