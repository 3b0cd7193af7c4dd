//! The lights of a scene, ready to be asked what arrives at a point.
//!
//! Units are glTF's, but without the 1/π of a diffuse surface: what a light of intensity 1 shines
//! straight at is as bright as its colour. Shapes are glTF's `KHR_lights_punctual`: the inverse
//! square of the distance, cut off softly at the range, and cones by the cosine.

use glam::{DVec3, Vec3};
use pleach::{Light, LightKind, NodeId, Scene};

/// More lights than this are not asked at every point: the dimmest are left out.
pub(crate) const MAX_LIGHTS: usize = 64;

/// A light with a place or a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PunctualLight {
    emitter: Emitter,
    /// Colour times intensity.
    light: Vec3,
    /// The layers it lights.
    pub(crate) layers: u32,
}

#[derive(Clone, Copy, Debug)]
enum Emitter {
    /// From everywhere along one direction; this leads to where it comes from.
    Directional(Vec3),
    Point {
        position: DVec3,
        range: f32,
        cone: Option<Cone>,
    },
}

/// `(cos * scale + offset)²`, between 0 and 1.
#[derive(Clone, Copy, Debug)]
struct Cone {
    axis: Vec3,
    scale: f32,
    offset: f32,
}

/// Light that arrives at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncidentLight {
    /// To where it comes from, of length 1.
    pub(crate) direction: Vec3,
    /// Straight onto a surface.
    pub(crate) light: Vec3,
    /// How far away the lamp is.
    pub(crate) distance: f32,
}

impl PunctualLight {
    /// A sun from this direction.
    pub(crate) fn directional(direction: Vec3, light: Vec3) -> Self {
        Self { emitter: Emitter::Directional(direction), light, layers: u32::MAX }
    }

    /// `None` if it gives no light, or is ambient.
    fn new(light: &Light, world: &glam::Mat4) -> Option<Self> {
        let color = light.color * light.intensity;
        let color = color.map(|it| if it.is_finite() { it.max(0.0) } else { 0.0 });
        if color == Vec3::ZERO {
            return None;
        }
        let point_emitter = |range: Option<f32>, cone| {
            let position = light.position(world).as_dvec3();
            let range = range.unwrap_or(f32::INFINITY);
            (position.is_finite() && range > 0.0).then_some(Emitter::Point {
                position,
                range,
                cone,
            })
        };
        let emitter = match light.kind {
            LightKind::Ambient => return None,
            LightKind::Directional { .. } => Emitter::Directional(-light.direction(world)?),
            LightKind::Point { range, .. } => point_emitter(range, None)?,
            LightKind::Spot { range, inner_angle, outer_angle, .. } => {
                let axis = light.direction(world)?;
                point_emitter(range, Some(Cone::new(axis, inner_angle, outer_angle)?))?
            }
        };
        Some(Self { emitter, light: color, layers: light.layers })
    }

    /// What arrives at a point; `None` if it is dark there.
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
                // Right at the lamp it would be brighter than f32 can tell.
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

    /// How bright it is at most within a ball.
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

    /// How much of the light goes there.
    fn attenuation(&self, direction: Vec3) -> f32 {
        let attenuation = (-self.axis.dot(direction) * self.scale + self.offset).clamp(0.0, 1.0);
        attenuation * attenuation
    }
}

/// The lamps of a scene that are shown, by slot; and how many were left out.
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
            // Not negative, so in the order of their bits.
            (std::cmp::Reverse(punctual.brightness(center, radius).to_bits()), node.index())
        });
        lights.truncate(MAX_LIGHTS);
    }
    lights.sort_unstable_by_key(|(node, _)| node.index());
    (lights.into_iter().map(|(_, punctual)| punctual).collect(), total - total.min(MAX_LIGHTS))
}
