//! `PunctualLight`: the lights of a scene, prepared to be evaluated at points.
//!
//! Units are glTF's, but without the factor 1/π of a diffuse surface: a surface that faces a light
//! of intensity 1 is as bright as its colour. Attenuation follows `KHR_lights_punctual`: the
//! inverse square of the distance with a smooth cutoff at the range, and cones by the cosine.

use glam::{DVec3, Vec3};
use pleach::{Light, LightKind, NodeId, Scene};

/// The maximum number of lights; beyond it the dimmest are ignored.
pub(crate) const MAX_LIGHTS: usize = 64;

/// A light with a position or a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PunctualLight {
    emitter: Emitter,
    /// The colour times the intensity.
    light: Vec3,
    /// The layers that it illuminates.
    pub(crate) layers: u32,
}

#[derive(Clone, Copy, Debug)]
enum Emitter {
    /// A directional light; the vector points towards the light.
    Directional(Vec3),
    Point {
        position: DVec3,
        range: f32,
        cone: Option<Cone>,
    },
}

/// A spot cone: `(cos * scale + offset)²`, clamped between 0 and 1.
#[derive(Clone, Copy, Debug)]
struct Cone {
    axis: Vec3,
    scale: f32,
    offset: f32,
}

/// The light that arrives at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncidentLight {
    /// The unit vector towards the light.
    pub(crate) direction: Vec3,
    /// The light at perpendicular incidence.
    pub(crate) light: Vec3,
    /// The distance to the light.
    pub(crate) distance: f32,
}

impl PunctualLight {
    /// Creates a directional light; `direction` points towards the light.
    pub(crate) fn directional(direction: Vec3, light: Vec3) -> Self {
        Self { emitter: Emitter::Directional(direction), light, layers: u32::MAX }
    }

    /// Returns `None` if the light is black or ambient.
    fn new(light: &Light, world: &glam::Mat4) -> Option<Self> {
        let color = light.color * light.intensity;
        let color = color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
        if color == Vec3::ZERO {
            return None;
        }
        let point_emitter = |cone| {
            let position = light.position(world).as_dvec3();
            let range = light.range();
            let valid = position.is_finite() && range > 0.0;
            valid.then_some(Emitter::Point { position, range, cone })
        };
        let emitter = match light.kind {
            LightKind::Directional => Emitter::Directional(-light.direction(world)?),
            LightKind::Point => point_emitter(None)?,
            LightKind::Spot { inner_angle, outer_angle } => {
                let axis = light.direction(world)?;
                point_emitter(Some(Cone::new(axis, inner_angle, outer_angle)?))?
            }
            // Ambient light comes from everywhere.
            _ => return None,
        };
        Some(Self { emitter, light: color, layers: light.layers })
    }

    /// Returns the light that arrives at a point, or `None` if it does not reach there.
    pub(crate) fn incident_at(&self, point: Vec3) -> Option<IncidentLight> {
        match self.emitter {
            Emitter::Directional(direction) => {
                Some(IncidentLight { direction, light: self.light, distance: f32::INFINITY })
            }
            Emitter::Point { position, range, cone } => {
                let to_light = position - point.as_dvec3();
                let squared = to_light.length_squared();
                let distance = squared.sqrt();
                let direction = (to_light / distance).as_vec3();
                if squared == 0.0 || !direction.is_finite() || distance >= f64::from(range) {
                    return None;
                }
                let ratio = (distance / f64::from(range)) as f32;
                let range_falloff = 1.0 - ratio * ratio * ratio * ratio;
                let cone_falloff = cone.map_or(1.0, |cone| cone.attenuation(direction));
                // Close to the light the value would overflow f32.
                let inverse_square = (1.0 / squared).min(1e12) as f32;
                let light = self.light * (inverse_square * range_falloff * cone_falloff);
                let lit = light.max_element() > 0.0;
                lit.then(|| IncidentLight {
                    direction,
                    light: light.min(Vec3::splat(1e30)),
                    distance: distance as f32,
                })
            }
        }
    }

    /// Returns an upper bound of the brightness within a sphere.
    fn brightness(&self, center: DVec3, radius: f64) -> f32 {
        let light = self.light.max_element();
        match self.emitter {
            Emitter::Directional(_) => light,
            Emitter::Point { position, range, .. } => {
                let distance = ((position - center).length() - radius).max(radius * 1e-2);
                if distance > f64::from(range) {
                    return 0.0;
                }
                (f64::from(light) / (distance * distance)).min(f64::from(f32::MAX)) as f32
            }
        }
    }
}

impl Cone {
    fn new(axis: Vec3, inner: f32, outer: f32) -> Option<Self> {
        if !inner.is_finite() || !outer.is_finite() || outer <= 0.0 {
            return None;
        }
        let [inner, outer] = [inner.clamp(0.0, outer), outer].map(libm::cosf);
        let scale = 1.0 / (inner - outer).max(0.001);
        Some(Self { axis, scale, offset: -outer * scale })
    }

    /// Returns the attenuation of the cone; `direction` points towards the light.
    fn attenuation(&self, direction: Vec3) -> f32 {
        let attenuation = (-self.axis.dot(direction) * self.scale + self.offset).clamp(0.0, 1.0);
        attenuation * attenuation
    }
}

/// Returns the visible punctual lights of a scene in the order of slots, and how many were ignored.
pub(crate) fn punctual_lights(scene: &Scene) -> (Vec<PunctualLight>, usize) {
    if scene.lights.is_empty() {
        return (Vec::new(), 0);
    }
    let mut attached = vec![false; scene.graph.parents().len()];
    if let Some(root) = scene.graph.get(scene.root()) {
        let descendants = root.descendants();
        descendants.chain([scene.root()]).for_each(|node| attached[node.index()] = true);
    }
    let is_active = |node: NodeId| {
        let is_shown = scene.graph.get(node).is_some_and(|at| at.is_shown());
        is_shown && attached.get(node.index()) == Some(&true)
    };
    let mut lights: Vec<(NodeId, PunctualLight)> = scene
        .lights
        .iter(&scene.graph)
        .filter(|&(node, _)| is_active(node))
        .filter_map(|(node, light)| {
            Some((node, PunctualLight::new(light, &scene.graph.get(node)?.world())?))
        })
        .collect();
    let total = lights.len();
    if total > MAX_LIGHTS {
        let bounds = scene.spatial.bounds();
        let (center, radius) =
            (bounds.center().as_dvec3(), bounds.half_extents().as_dvec3().length());
        lights.sort_by_cached_key(|(node, punctual)| {
            // Not negative, so the order of the bits is that of the values.
            (std::cmp::Reverse(punctual.brightness(center, radius).to_bits()), node.index())
        });
        lights.truncate(MAX_LIGHTS);
    }
    lights.sort_unstable_by_key(|(node, _)| node.index());
    (lights.into_iter().map(|(_, punctual)| punctual).collect(), total - total.min(MAX_LIGHTS))
}
