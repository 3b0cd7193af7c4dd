// Shadow maps: the fraction of a light that reaches a point.
//
// All maps are tiles of one depth texture. A light has one view (spot), six (point: +X, -X, +Y, -Y, +Z,
// -Z) or up to four cascades (directional), the nearest first.

struct ShadowView {
    // From world space to the clip space of the map.
    matrix: mat4x4f,
    // The tile in the atlas: its upper left corner and its size, in texture coordinates.
    tile: vec4f,
    // The depth along the view direction where a cascade ends; the size of a texel in world space where
    // w is 1; the bias in depths of the map; the size of a texel of the atlas in texture coordinates.
    parameters: vec4f,
}

const MAX_SHADOW_VIEWS: u32 = 64u;
// In texels: how far a point is moved along its normal before it is compared.
const NORMAL_OFFSET: f32 = 1.5;

@group(0) @binding(5) var<uniform> shadow_views: array<ShadowView, 64>;
@group(0) @binding(6) var shadow_atlas: texture_depth_2d;
@group(0) @binding(7) var shadow_sampler: sampler_comparison;

// Returns the view whose map contains the point, or NONE. `views` is the first and the number.
fn shadow_view_at(point: vec3f, to_light: vec3f, views: vec2u) -> u32 {
    if (views.y == 6u) {
        let size = abs(to_light);
        // Away from the light.
        let d = -to_light;
        if (size.x >= size.y && size.x >= size.z) {
            return views.x + select(1u, 0u, d.x > 0.0);
        }
        if (size.y >= size.z) {
            return views.x + select(3u, 2u, d.y > 0.0);
        }
        return views.x + select(5u, 4u, d.z > 0.0);
    }
    let depth = dot(frame.depth_axis.xyz, point) + frame.depth_axis.w;
    for (var i = 0u; i < views.y; i++) {
        if (depth <= shadow_views[min(views.x + i, MAX_SHADOW_VIEWS - 1u)].parameters.x) {
            return views.x + i;
        }
    }
    return NONE;
}

// Returns the fraction of a light's rays that reach a point; `to_light` is the unit vector towards the
// light.
fn shadow_visibility(point: vec3f, normal: vec3f, to_light: vec3f, views: vec2u) -> f32 {
    let index = shadow_view_at(point, to_light, views);
    if (index >= MAX_SHADOW_VIEWS) {
        return 1.0;
    }
    let view = shadow_views[index];
    let w = (view.matrix * vec4f(point, 1.0)).w;
    // The more the light grazes the surface, the farther.
    let slope = sqrt(saturate(1.0 - pow(dot(normal, to_light), 2.0)));
    let facing = select(-normal, normal, dot(normal, to_light) > 0.0);
    let moved = point + facing * (view.parameters.y * w * NORMAL_OFFSET * (0.3 + slope));
    let clip = view.matrix * vec4f(moved, 1.0);
    if (clip.w <= 0.0) {
        return 1.0;
    }
    let ndc = clip.xyz / clip.w;
    if (any(abs(ndc.xy) > vec2f(1.0)) || ndc.z > 1.0 || ndc.z < 0.0) {
        return 1.0;
    }
    let texel = view.parameters.w;
    let uv = view.tile.xy + (ndc.xy * vec2f(0.5, -0.5) + 0.5) * view.tile.zw;
    let low = view.tile.xy + vec2f(0.5 * texel);
    let high = view.tile.xy + view.tile.zw - vec2f(0.5 * texel);
    let depth = ndc.z - view.parameters.z;
    var lit = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let at = clamp(uv + vec2f(f32(x), f32(y)) * texel, low, high);
            lit += textureSampleCompareLevel(shadow_atlas, shadow_sampler, at, depth);
        }
    }
    return lit / 9.0;
}
