// The id pass: the node, part and instance of each pixel, and its depth along the view direction.

struct Ids {
    // The slot + 1 (0 where nothing is drawn), the generation, the part, the instance.
    @location(0) id: vec4u,
    // The bits of the depth along the view direction; 0 where nothing is drawn.
    @location(1) depth: u32,
}

@fragment
fn fragment(in: Varyings) -> Ids {
    let alpha = surface_alpha(in);
    if ((IS_MASKED && alpha < material.alpha_cutoff) || (IS_BLENDED && alpha <= 0.0)) {
        discard;
    }
    let id = vec4u(in.id.x + 1u, in.id.y, in.id.z & 0x7fffffffu, in.id.w);
    return Ids(id, bitcast<u32>(dot(frame.depth_axis.xyz, in.world) + frame.depth_axis.w));
}
