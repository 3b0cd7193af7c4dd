//! `PunctualLight`: a light of the scene, prepared to be evaluated at points.
//!
//! Attenuation follows `KHR_lights_punctual`: the inverse square of the distance with a smooth
//! cutoff at the range, and cones by the cosine.
//!
//! Twin: `punctual.wgsl` in `pleach-wgpu`.

use glam::{DVec3, Mat4, Vec3};
use pleach::{Light, LightKind, NodeId};

/// A directional, point or spot light in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PunctualLight {
    /// The node of the light; `None` for the key light of the studio.
    pub node: Option<NodeId>,
    /// Position, direction and attenuation.
    pub emitter: Emitter,
    /// The colour times the intensity.
    pub color: Vec3,
    /// The layers that it illuminates.
    pub layers: u32,
}

/// The origin of a [`PunctualLight`]'s light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Emitter {
    /// A light at an infinite distance.
    Directional {
        /// The unit vector towards the light.
        direction: Vec3,
    },
    /// A light at a point, in all directions or in a cone.
    Point {
        /// The position in world space.
        position: DVec3,
        /// The distance from which on it has no effect; may be infinite.
        range: f32,
        /// The cone of a spot light.
        cone: Option<Cone>,
    },
}

/// The attenuation of a spot light: `(cosine * scale + offset)²`, clamped between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The unit vector along the axis, away from the light.
    pub axis: Vec3,
    /// The factor of the cosine.
    pub scale: f32,
    /// The summand.
    pub offset: f32,
}

/// The light that arrives at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncidentLight {
    /// The unit vector towards the light.
    pub direction: Vec3,
    /// The light at perpendicular incidence.
    pub light: Vec3,
    /// The distance to the light; infinite for a directional light.
    pub distance: f32,
}

impl PunctualLight {
    /// Creates a directional light; `direction` is the unit vector towards the light.
    #[must_use]
    pub fn directional(direction: Vec3, color: Vec3) -> Self {
        let emitter = Emitter::Directional { direction };
        Self { node: None, emitter, color, layers: u32::MAX }
    }

    /// Prepares the light of a node with this world matrix. Returns `None` if it is black or
    /// ambient, or has no direction.
    #[must_use]
    pub fn new(light: &Light, world: &Mat4) -> Option<Self> {
        let color = light.color * light.intensity;
        let color = color.map(|it| if it.is_finite() { it.clamp(0.0, 1e30) } else { 0.0 });
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
            LightKind::Directional => Emitter::Directional { direction: -light.direction(world)? },
            LightKind::Point => point_emitter(None)?,
            LightKind::Spot { inner_angle, outer_angle } => {
                let axis = light.direction(world)?;
                point_emitter(Some(Cone::new(axis, inner_angle, outer_angle)?))?
            }
            // Ambient light comes from everywhere.
            _ => return None,
        };
        Some(Self { node: None, emitter, color, layers: light.layers })
    }

    /// Returns the light that arrives at a point, or `None` if it does not reach there.
    #[must_use]
    pub fn incident_at(&self, point: Vec3) -> Option<IncidentLight> {
        match self.emitter {
            Emitter::Directional { direction } => {
                Some(IncidentLight { direction, light: self.color, distance: f32::INFINITY })
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
                let light = self.color * (inverse_square * range_falloff * cone_falloff);
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
    #[must_use]
    pub fn brightness(&self, center: DVec3, radius: f64) -> f32 {
        let light = self.color.max_element();
        match self.emitter {
            Emitter::Directional { .. } => light,
            Emitter::Point { position, range, .. } => {
                let distance = ((position - center).length() - radius).max(radius * 1e-2);
                if distance > f64::from(range) {
                    return 0.0;
                }
                (f64::from(light) / (distance * distance)).min(f64::from(f32::MAX)) as f32
            }
        }
    }

    /// Returns what `punctual.wgsl` reads, for a buffer or a texture of floats: the position and
    /// the inverse of the range; the axis of the cone, or the direction towards a directional
    /// light, and 0 for directional, 1 for point and 2 for spot lights; the colour; scale and offset
    /// of the cone, and the lower and upper 16 bits of the layers.
    #[must_use]
    pub fn to_rows(&self) -> [[f32; 4]; 4] {
        let with = |vector: Vec3, w: f32| vector.extend(w).to_array();
        let [low, high] = [self.layers & 0xffff, self.layers >> 16].map(|it| it as f32);
        let color = with(self.color, 0.0);
        match self.emitter {
            Emitter::Directional { direction } => {
                [[0.0; 4], with(direction, 0.0), color, [0.0, 1.0, low, high]]
            }
            Emitter::Point { position, range, cone } => {
                let (axis, kind, [scale, offset]) = match cone {
                    None => (Vec3::ZERO, 1.0, [0.0, 1.0]),
                    Some(cone) => (cone.axis, 2.0, [cone.scale, cone.offset]),
                };
                let position = with(position.as_vec3(), 1.0 / range);
                [position, with(axis, kind), color, [scale, offset, low, high]]
            }
        }
    }
}

impl Cone {
    /// Creates a cone between two angles in radians. Returns `None` if they are not those of a
    /// cone.
    #[must_use]
    pub fn new(axis: Vec3, inner: f32, outer: f32) -> Option<Self> {
        if !inner.is_finite() || !outer.is_finite() || outer <= 0.0 {
            return None;
        }
        let [inner, outer] = [inner.clamp(0.0, outer), outer].map(libm::cosf);
        let scale = 1.0 / (inner - outer).max(0.001);
        Some(Self { axis, scale, offset: -outer * scale })
    }

    /// Returns the attenuation; `direction` points towards the light.
    #[must_use]
    pub fn attenuation(&self, direction: Vec3) -> f32 {
        let attenuation = (-self.axis.dot(direction) * self.scale + self.offset).clamp(0.0, 1.0);
        attenuation * attenuation
    }
}
