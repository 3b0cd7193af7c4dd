// Lines of overlays as quads, one instance each, antialiased.
//
// A line is clipped here, before the division by w, against the planes of the view and a margin around
// the picture: so lines of any length are exact. The coverage of a pixel is given by the distance of
// its centre from the nearest point of the line, as in pleach-render. They are drawn into a layer, which
// keeps the maximum of their coverages.

// The modes of lines behind surfaces, as in `line_buffer.rs`.
const FAINT: u32 = 1u;
const VISIBLE: u32 = 2u;

struct LineInput {
    @builtin(vertex_index) corner: u32,
    // xyz: an end in world space; w: the opacity there.
    @location(0) from_end: vec4<f32>,
    @location(1) to_end: vec4<f32>,
    // The colours on light and dark pixels (8 bits per channel, red first), the width in pixels as a
    // float, the mode behind surfaces.
    @location(2) style: vec4<u32>,
}

struct LineVaryings {
    @builtin(position) clip: vec4<f32>,
    // The ends in pixels.
    @location(0) @interpolate(flat, either) ends: vec4<f32>,
    // The w of the ends in clip space, and their depths.
    @location(1) @interpolate(flat, either) end_depths: vec4<f32>,
    // The opacities of the ends.
    @location(2) @interpolate(flat, either) alphas: vec2<f32>,
    @location(3) @interpolate(flat, either) style: vec4<u32>,
}

// The part of a line from `x` to `y` that is on the inner side of a plane, given the distances of the
// ends of the whole line from it.
fn clip_range(range: vec2<f32>, at_from: f32, at_to: f32) -> vec2<f32> {
    if (at_from < 0.0 && at_to < 0.0) {
        return vec2<f32>(1.0, 0.0);
    }
    var out = range;
    if (at_from < 0.0) {
        out.x = max(out.x, at_from / (at_from - at_to));
    } else if (at_to < 0.0) {
        out.y = min(out.y, at_from / (at_from - at_to));
    }
    return out;
}

fn pixel_of(clip: vec4<f32>) -> vec2<f32> {
    return (vec2<f32>(clip.x, -clip.y) / clip.w * 0.5 + 0.5) * view.size;
}

fn depth_of(point: vec3<f32>) -> f32 {
    return dot(view.depth_axis.xyz, point) + view.depth_axis.w;
}

@vertex
fn vertex(in: LineInput) -> LineVaryings {
    let radius = bitcast<f32>(in.style.z) * 0.5 + 0.5;
    let whole_from = view.view_projection * vec4<f32>(in.from_end.xyz, 1.0);
    let whole_to = view.view_projection * vec4<f32>(in.to_end.xyz, 1.0);
    let margin = 1.0 + 2.0 * radius / view.size;
    var range = vec2<f32>(0.0, 1.0);
    range = clip_range(range, whole_from.w - 1e-20, whole_to.w - 1e-20);
    range = clip_range(range, whole_from.z, whole_to.z);
    range = clip_range(range, whole_from.w - whole_from.z, whole_to.w - whole_to.z);
    range = clip_range(range, whole_from.w * margin.x - whole_from.x, whole_to.w * margin.x - whole_to.x);
    range = clip_range(range, whole_from.w * margin.x + whole_from.x, whole_to.w * margin.x + whole_to.x);
    range = clip_range(range, whole_from.w * margin.y - whole_from.y, whole_to.w * margin.y - whole_to.y);
    range = clip_range(range, whole_from.w * margin.y + whole_from.y, whole_to.w * margin.y + whole_to.y);

    let from_clip = mix(whole_from, whole_to, range.x);
    let to_clip = mix(whole_from, whole_to, range.y);
    let depths_of_ends = vec2<f32>(depth_of(in.from_end.xyz), depth_of(in.to_end.xyz));
    let end_alphas = vec2<f32>(in.from_end.w, in.to_end.w);
    var out: LineVaryings;
    out.style = in.style;
    // Nothing is visible, or an end is not finite: a quad without area.
    if (!(range.x <= range.y) || !(from_clip.w > 0.0) || !(to_clip.w > 0.0)) {
        out.clip = vec4<f32>(2.0, 2.0, 0.0, 1.0);
        return out;
    }
    let from_pixel = pixel_of(from_clip);
    let to_pixel = pixel_of(to_clip);
    out.ends = vec4<f32>(from_pixel, to_pixel);
    out.end_depths = vec4<f32>(
        from_clip.w,
        to_clip.w,
        mix(depths_of_ends.x, depths_of_ends.y, range.x),
        mix(depths_of_ends.x, depths_of_ends.y, range.y),
    );
    out.alphas = vec2<f32>(
        mix(end_alphas.x, end_alphas.y, range.x),
        mix(end_alphas.x, end_alphas.y, range.y),
    );
    var along = vec2<f32>(1.0, 0.0);
    let direction = to_pixel - from_pixel;
    if (dot(direction, direction) > 1e-12) {
        along = normalize(direction);
    }
    let across = vec2<f32>(-along.y, along.x);
    let is_end = (in.corner & 1u) == 1u;
    let side = f32(in.corner >> 1u) * 2.0 - 1.0;
    let end = select(from_pixel - along * radius, to_pixel + along * radius, is_end);
    let pixel = end + across * side * radius;
    let ndc = (pixel / view.size - 0.5) * vec2<f32>(2.0, -2.0);
    out.clip = vec4<f32>(ndc, 0.0, 1.0);
    return out;
}

fn surface_depth(pixel: vec2<i32>) -> f32 {
    return bitcast<f32>(textureLoad(depths, pixel, 0).x);
}

// Returns the smaller difference of a surface's depth to its neighbours in a direction; 0 if both are
// outside of the picture or show nothing.
fn slope(pixel: vec2<i32>, step: vec2<i32>, surface: f32) -> f32 {
    var smallest = NO_SURFACE;
    for (var sign = -1; sign <= 1; sign += 2) {
        let other = pixel + step * sign;
        let is_inside = all(other >= vec2<i32>(0)) && all(other < vec2<i32>(view.size));
        if (is_inside && textureLoad(ids, other, 0).x != 0u) {
            smallest = min(smallest, abs(surface_depth(other) - surface));
        }
    }
    return select(smallest, 0.0, smallest == NO_SURFACE);
}

const NO_SURFACE: f32 = 3.0e38;

// Returns `true` if a surface occludes a line at this depth, at a pixel whose centre is at most
// `radius` pixels from the line.
fn is_occluded(pixel: vec2<i32>, depth: f32, radius: f32) -> bool {
    if ((view.textures & 1u) == 0u || textureLoad(ids, pixel, 0).x == 0u) {
        return false;
    }
    let surface = surface_depth(pixel);
    let tolerance = abs(surface) * OCCLUSION_TOLERANCE;
    if (depth <= surface + tolerance) {
        return false;
    }
    let slopes = slope(pixel, vec2<i32>(1, 0), surface) + slope(pixel, vec2<i32>(0, 1), surface);
    return depth > surface + tolerance + slopes * radius;
}

// WebGL2 has no unpack4x8unorm.
fn unpack_color(packed: u32) -> vec3<f32> {
    return vec3<f32>(vec3<u32>(packed, packed >> 8u, packed >> 16u) & vec3<u32>(255u)) / 255.0;
}

@fragment
fn fragment(in: LineVaryings) -> @location(0) vec4<f32> {
    let radius = bitcast<f32>(in.style.z) * 0.5 + 0.5;
    let offset = in.clip.xy - in.ends.xy;
    let along = in.ends.zw - in.ends.xy;
    let squared = dot(along, along);
    let t = select(0.0, clamp(dot(offset, along) / max(squared, 1e-30), 0.0, 1.0), squared > 0.0);
    let coverage = min(radius - length(offset - along * t), 1.0);
    if (!(coverage > 0.0)) {
        discard;
    }
    // The parameter in space: perspective correction.
    let far = t * in.end_depths.x;
    let t_in_space = far / (far + (1.0 - t) * in.end_depths.y);
    let pixel = vec2<i32>(in.clip.xy);
    var alpha = coverage * mix(in.alphas.x, in.alphas.y, t_in_space);
    if (in.style.w != VISIBLE) {
        let depth = mix(in.end_depths.z, in.end_depths.w, t_in_space);
        if (is_occluded(pixel, depth, radius)) {
            alpha *= select(0.0, FAINT_ALPHA, in.style.w == FAINT);
        }
    }
    var packed = in.style.x;
    if (in.style.x != in.style.y && (view.textures & 2u) != 0u) {
        let under = textureLoad(picture, pixel, 0);
        let luma = dot(under.rgb, vec3<f32>(0.3, 0.6, 0.1));
        packed = select(in.style.y, in.style.x, luma > LIGHT_LUMA || under.a < 0.5);
    }
    return vec4<f32>(unpack_color(packed) * alpha, alpha);
}
