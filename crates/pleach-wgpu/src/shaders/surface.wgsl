// The surface at a fragment, as the shading model reads it: all factors times textures, and the
// directions in world space.
//
// All textures are sampled here, before any branch that depends on the fragment, because their mip
// levels need derivatives.

// Returns the unit vector towards the camera.
fn view_direction(point: vec3f) -> vec3f {
    let towards = normalize_or(frame.camera.xyz - point, -frame.depth_axis.xyz);
    return select(-frame.depth_axis.xyz, towards, frame.camera.w > 0.5);
}

// Tangent, bitangent and normal, on the side of the viewer.
struct TangentFrame {
    tangent: vec3f,
    bitangent: vec3f,
    normal: vec3f,
}

// Returns the tangent frame of the texture with these coordinates: the geometry's own tangents, or the
// directions in which the coordinates grow across the triangle.
fn tangent_frame(in: Varyings, uv: vec2f, normal: vec3f, side: f32) -> TangentFrame {
    let geometric = normal * side;
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    let ux = dpdx(uv);
    let uy = dpdy(uv);
    var tangent = in.tangent.xyz;
    var sign = in.tangent.w;
    if (!HAS_TANGENTS) {
        let area = ux.x * uy.y - ux.y * uy.x;
        let orientation = select(1.0, -1.0, area < 0.0);
        tangent = (dx * uy.y - dy * ux.y) * orientation;
        let down = (dy * ux.x - dx * uy.x) * orientation;
        // In texture space, up is the direction of decreasing v.
        sign = select(1.0, -1.0, dot(cross(geometric, tangent), down) > 0.0);
    }
    tangent = normalize_or(tangent - geometric * dot(geometric, tangent), vec3f(0.0));
    let bitangent = cross(geometric, tangent) * sign;
    return TangentFrame(tangent * side, bitangent * side, normal);
}

// Returns the normal of a normal map's value; the frame's if that has no direction.
fn mapped_normal(tangents: TangentFrame, value: vec4f, scale: f32) -> vec3f {
    let v = value.xyz * 2.0 - 1.0;
    let mapped = tangents.tangent * (v.x * scale) + tangents.bitangent * (v.y * scale) + tangents.normal * v.z;
    let has_frame = dot(tangents.tangent, tangents.tangent) > 0.0;
    return select(tangents.normal, normalize_or(mapped, tangents.normal), has_frame);
}

// Returns the normal on the side of the viewer: the interpolated one, or that of the triangle.
fn shading_normal(in: Varyings, side: f32, view: vec3f) -> vec3f {
    let face = normalize_or(cross(dpdx(in.world), dpdy(in.world)), view);
    let towards_viewer = select(face, -face, dot(face, view) < 0.0);
    if (!HAS_NORMALS) {
        return towards_viewer;
    }
    return normalize_or(in.normal * side, towards_viewer);
}

fn evaluate_surface(in: Varyings, color: vec4f, view: vec3f, is_front: bool) -> Surface {
    var surface = default_surface();
    let side = select(-1.0, 1.0, is_front);
    let normal = shading_normal(in, side, view);
    let metallic_roughness = sample_metallic_roughness(in.uv);
    surface.base_color = color.rgb;
    surface.metallic = material.metallic * metallic_roughness.b;
    surface.roughness = material.roughness * metallic_roughness.g;
    surface.occlusion = 1.0 + material.occlusion_strength * (sample_occlusion(in.uv).r - 1.0);
    surface.emissive = material.emissive * sample_emissive(in.uv).rgb;
    surface.ior = material.ior;
    surface.normal = normal;
    if (HAS_NORMAL_MAP) {
        let tangents = tangent_frame(in, texture_uv(in.uv, 2u), normal, side);
        surface.normal = mapped_normal(tangents, sample_normal(in.uv), material.normal_scale);
    }
    if (HAS_SPECULAR) {
        surface.specular = material.specular * sample_specular(in.uv).a;
        surface.specular_color = material.specular_color * sample_specular_color(in.uv).rgb;
    }
    if (HAS_CLEARCOAT) {
        surface.clearcoat = material.clearcoat * sample_clearcoat(in.uv).r;
        surface.clearcoat_roughness = material.clearcoat_roughness * sample_clearcoat_roughness(in.uv).g;
        surface.clearcoat_normal = normal;
        if (HAS_CLEARCOAT_NORMAL_MAP) {
            let tangents = tangent_frame(in, texture_uv(in.uv, 7u), normal, side);
            let value = sample_clearcoat_normal(in.uv);
            surface.clearcoat_normal = mapped_normal(tangents, value, material.clearcoat_normal_scale);
        }
    }
    if (HAS_SHEEN) {
        surface.sheen_color = material.sheen_color * sample_sheen_color(in.uv).rgb;
        surface.sheen_roughness = material.sheen_roughness * sample_sheen_roughness(in.uv).a;
    }
    if (HAS_IRIDESCENCE) {
        surface.iridescence = material.iridescence * sample_iridescence(in.uv).r;
        surface.iridescence_ior = material.iridescence_ior;
        surface.iridescence_thickness = mix(
            material.iridescence_thickness_min,
            material.iridescence_thickness_max,
            sample_iridescence_thickness(in.uv).g,
        );
    }
    if (HAS_ANISOTROPY) {
        // Without a texture: along the tangent, at full strength.
        var value = vec4f(1.0, 0.5, 1.0, 1.0);
        if (HAS_ANISOTROPY_MAP) {
            value = sample_anisotropy(in.uv);
        }
        let direction = value.xy * 2.0 - 1.0;
        let rotation = material.anisotropy_rotation.xy;
        let along = vec2f(
            direction.x * rotation.x - direction.y * rotation.y,
            direction.x * rotation.y + direction.y * rotation.x,
        );
        // The frame of the normal map's coordinates, as the specification requires.
        let tangents = tangent_frame(in, texture_uv(in.uv, ANISOTROPY_UV_SLOT), normal, side);
        let tangent = tangents.tangent * along.x + tangents.bitangent * along.y;
        surface.tangent = normalize_or(tangent - surface.normal * dot(surface.normal, tangent), vec3f(1.0, 0.0, 0.0));
        surface.bitangent = cross(surface.normal, surface.tangent);
        surface.anisotropy = material.anisotropy * value.z;
    }
    if (HAS_DIFFUSE_TRANSMISSION) {
        surface.diffuse_transmission = material.diffuse_transmission * sample_diffuse_transmission(in.uv).a;
        surface.diffuse_transmission_color =
            material.diffuse_transmission_color * sample_diffuse_transmission_color(in.uv).rgb;
    }
    if (HAS_TRANSMISSION) {
        surface.transmission = material.transmission * sample_transmission(in.uv).r;
        surface.dispersion = material.dispersion;
    }
    if (HAS_VOLUME) {
        surface.thickness = material.thickness * sample_thickness(in.uv).g * in.scale;
        surface.attenuation_distance = material.attenuation_distance;
        surface.attenuation_color = material.attenuation_color;
    }
    return surface;
}
