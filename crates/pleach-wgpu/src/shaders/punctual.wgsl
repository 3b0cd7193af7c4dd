// Punctual lights: KHR_lights_punctual. Twin of pleach-shading/src/punctual.rs.

// The rows of PunctualLight::to_rows.
struct PunctualLight {
    // The position and the inverse of the range.
    position: vec4f,
    // The axis of the cone, or the direction towards a directional light; and the kind: 0 for
    // directional, 1 for point, 2 for spot lights.
    direction: vec4f,
    color: vec4f,
    // Scale and offset of the cone, the lower and the upper 16 bits of the layers.
    cone: vec4f,
}

struct IncidentLight {
    // The unit vector towards the light.
    direction: vec3f,
    // The light at perpendicular incidence; black if it does not reach the point.
    light: vec3f,
    // The distance to the light; very large for a directional light.
    distance: f32,
}

fn punctual_is_directional(light: PunctualLight) -> bool {
    return light.direction.w < 0.5;
}

// Whether the light illuminates a node on these layers.
fn punctual_lights_layers(light: PunctualLight, layers: u32) -> bool {
    let own = u32(light.cone.z) | (u32(light.cone.w) << 16u);
    return (own & layers) != 0u;
}

// The light that arrives at a point.
fn punctual_incident_at(light: PunctualLight, point: vec3f) -> IncidentLight {
    if punctual_is_directional(light) {
        return IncidentLight(light.direction.xyz, light.color.xyz, 3e38);
    }
    let to_light = light.position.xyz - point;
    let squared = dot(to_light, to_light);
    let distance = sqrt(squared);
    let ratio = distance * light.position.w;
    if squared <= 0.0 || ratio >= 1.0 {
        return IncidentLight(vec3f(0.0, 0.0, 1.0), vec3f(0.0), distance);
    }
    let direction = to_light / distance;
    let range_falloff = 1.0 - ratio * ratio * ratio * ratio;
    let cone = saturate(-dot(light.direction.xyz, direction) * light.cone.x + light.cone.y);
    let inverse_square = min(1.0 / squared, 1e12);
    let arriving = light.color.xyz * (inverse_square * range_falloff * (cone * cone));
    return IncidentLight(direction, min(arriving, vec3f(1e30)), distance);
}
