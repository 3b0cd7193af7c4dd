// What the overlay passes share: the view, the id pass, and colours.
//
// The constant IS_SRGB_TARGET is generated: such a target encodes colours itself.

struct OverlayView {
    // From world to clip space, with depths from 0 to 1 or reversed.
    view_projection: mat4x4<f32>,
    // The depth of a point along the view direction is dot(xyz, point) + w.
    depth_axis: vec4<f32>,
    // Width and height in pixels.
    size: vec2<f32>,
    // The width of outlines in pixels.
    outline_width: f32,
    // Bit 0 is set if `ids` and `depths` are those of the picture, bit 1 if `picture` is.
    textures: u32,
}

@group(0) @binding(0) var<uniform> view: OverlayView;
// Slot + 1, generation, part, instance; 0 where nothing is drawn.
@group(0) @binding(1) var ids: texture_2d<u32>;
// The bits of depths along the view direction.
@group(0) @binding(2) var depths: texture_2d<u32>;
// The picture in sRGB without overlays, not premultiplied.
@group(0) @binding(3) var picture: texture_2d<f32>;
// A bit for each slot: 128 per texel, row by row.
@group(0) @binding(4) var selection: texture_2d<u32>;
// The lines of one style, in sRGB, premultiplied.
@group(0) @binding(5) var layer: texture_2d<f32>;

// Returns a corner of a triangle that covers the picture.
fn corner_of_picture(index: u32) -> vec4<f32> {
    let corner = vec2<f32>(f32(index / 2u), f32(index % 2u));
    return vec4<f32>(corner * 4.0 - 1.0, 0.0, 1.0);
}

// Returns a colour in sRGB with opacity, as the target expects it: premultiplied.
fn target_color(srgb: vec3<f32>, alpha: f32) -> vec4<f32> {
    var color = srgb;
    if (IS_SRGB_TARGET) {
        let low = srgb / 12.92;
        let high = pow((srgb + 0.055) / 1.055, vec3<f32>(2.4));
        color = select(high, low, srgb <= vec3<f32>(0.04045));
    }
    return vec4<f32>(color * alpha, alpha);
}
