//! `Light`: what a node needs to shine.
//!
//! Units and meaning are those of glTF's `KHR_lights_punctual`. Plain data: where a light is
//! and which way it shines is its node's world matrix, of which scale and shear change neither
//! range nor cone.

use glam::{DVec3, Mat4, Vec3};
use pleach_spatial::{Aabb, ClipSpace};

use crate::view::{direction, position, sin_cos};
use crate::{Ambient, Error, Shadow, ShadowView};

/// A light, which shines along its node's own −Z if it has a direction.
///
/// ```
/// use pleach::{Light, Shadow};
/// use pleach::glam::{Mat4, Vec3};
///
/// let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(Shadow::default());
/// assert_eq!(sun.direction(&Mat4::from_scale(Vec3::splat(9.0))), Some(Vec3::NEG_Z));
///
/// let lamp = Light::point(Vec3::ONE, 60.0).with_range(4.0);
/// let lit = lamp.influence(&Mat4::IDENTITY).unwrap();
/// assert_eq!((lit.min, lit.max), (Vec3::splat(-4.0), Vec3::splat(4.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// What kind of light it is.
    pub kind: LightKind,
    /// Its colour, linear: multiplied with the intensity.
    pub color: Vec3,
    /// How bright it would be if it were white: in lux (lm/m²) if it is directional, in candela
    /// (lm/sr) if it is a point or a spot, in the unit of your choice if it is ambient.
    pub intensity: f32,
    /// The layers it lights, as bits: all, if not told otherwise.
    pub layers: u32,
}

/// The kinds of lights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// The sun: from infinitely far away, the same everywhere. Where its node is matters to its
    /// shadow map only.
    Directional {
        /// How its shadows are drawn, if it has any.
        shadow: Option<Shadow>,
    },
    /// A bulb: from one point to all sides.
    Point {
        /// How far it shines; `None` for without end.
        range: Option<f32>,
        /// How its shadows are drawn, if it has any.
        shadow: Option<Shadow>,
    },
    /// A torch: from one point, in a cone.
    Spot {
        /// How far it shines; `None` for without end.
        range: Option<f32>,
        /// From the middle of the cone to where it gets darker, in radians: from 0, and
        /// less than the outer angle.
        inner_angle: f32,
        /// From the middle of the cone to where it is dark, in radians: π/2 at most.
        outer_angle: f32,
        /// How its shadows are drawn, if it has any.
        shadow: Option<Shadow>,
    },
    /// From nowhere and everywhere: it is added to the
    /// [environment's](crate::Environment::ambient) while its node is shown.
    Ambient,
}

impl Light {
    fn new(kind: LightKind, color: Vec3, intensity: f32) -> Self {
        Self { kind, color, intensity, layers: u32::MAX }
    }

    /// A sun that gives so many lux. It has no shadows until it is given some.
    #[must_use]
    pub fn directional(color: Vec3, lux: f32) -> Self {
        Self::new(LightKind::Directional { shadow: None }, color, lux)
    }

    /// A bulb of so many candela, with no end and no shadows until it is given some.
    #[must_use]
    pub fn point(color: Vec3, candela: f32) -> Self {
        Self::new(LightKind::Point { range: None, shadow: None }, color, candela)
    }

    /// A torch of so many candela, with no end and no shadows until it is given some. Angles are
    /// from the middle of its cone, in radians: where it gets darker, and where it is dark.
    #[must_use]
    pub fn spot(color: Vec3, candela: f32, inner_angle: f32, outer_angle: f32) -> Self {
        let kind = LightKind::Spot { range: None, inner_angle, outer_angle, shadow: None };
        Self::new(kind, color, candela)
    }

    /// Light from everywhere.
    #[must_use]
    pub fn ambient(color: Vec3, intensity: f32) -> Self {
        Self::new(LightKind::Ambient, color, intensity)
    }

    /// The same light with an end, if it is a point or a spot.
    #[must_use]
    pub fn with_range(mut self, range: f32) -> Self {
        if let LightKind::Point { range: current, .. } | LightKind::Spot { range: current, .. } =
            &mut self.kind
        {
            *current = Some(range);
        }
        self
    }

    /// The same light with shadows, if it is not ambient.
    #[must_use]
    pub fn with_shadow(mut self, shadow: Shadow) -> Self {
        match &mut self.kind {
            LightKind::Directional { shadow: current }
            | LightKind::Point { shadow: current, .. }
            | LightKind::Spot { shadow: current, .. } => *current = Some(shadow),
            LightKind::Ambient => {}
        }
        self
    }

    /// The same light, lighting only nodes that are on one of these layers (bits).
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }

    /// How its shadows are drawn; `None` if it has none or they are not enabled.
    #[must_use]
    pub fn shadow(&self) -> Option<&Shadow> {
        let shadow = match &self.kind {
            LightKind::Directional { shadow }
            | LightKind::Point { shadow, .. }
            | LightKind::Spot { shadow, .. } => shadow.as_ref(),
            LightKind::Ambient => None,
        };
        shadow.filter(|shadow| shadow.enabled)
    }

    /// How far it shines: infinity if there is no end.
    #[must_use]
    pub fn range(&self) -> f32 {
        match self.kind {
            LightKind::Point { range, .. } | LightKind::Spot { range, .. } => {
                range.unwrap_or(f32::INFINITY)
            }
            LightKind::Directional { .. } | LightKind::Ambient => f32::INFINITY,
        }
    }

    /// Where it shines from, on a node with this world matrix. It means nothing to ambient
    /// light, and only the place of the shadow map to a directional one.
    #[must_use]
    pub fn position(&self, world: &Mat4) -> Vec3 {
        position(world).as_vec3()
    }

    /// Which way it shines, on a node with this world matrix, with length 1: where the node's own
    /// −Z points, whatever its scale (one that is negative along Z turns it round, as it
    /// does with everything on the node).
    ///
    /// `None` for points and ambient light, and if the matrix is flat along Z.
    #[must_use]
    pub fn direction(&self, world: &Mat4) -> Option<Vec3> {
        match self.kind {
            LightKind::Directional { .. } | LightKind::Spot { .. } => {
                direction(world).map(|direction| direction.as_vec3())
            }
            LightKind::Point { .. } | LightKind::Ambient => None,
        }
    }

    /// The box outside of which it lights nothing, on a node with this world matrix; `None`
    /// if it shines everywhere. A range that is negative or NaN reaches nothing:
    /// [`Aabb::EMPTY`].
    #[must_use]
    pub fn influence_bounds(&self, world: &Mat4) -> Option<Aabb> {
        let range = self.range();
        if range == f32::INFINITY {
            return None;
        }
        let cone = match self.kind {
            LightKind::Spot { outer_angle, .. } if range > 0.0 => {
                direction(world).and_then(|ahead| cone_extents(ahead, outer_angle))
            }
            _ => None,
        };
        let Some([backward, forward]) = cone else {
            return Some(Aabb::from_center_half(self.position(world), Vec3::splat(range)));
        };
        let (tip, range) = (position(world), f64::from(range));
        let max = DVec3::splat(f32::MAX.into());
        let corner = |corner: DVec3| corner.clamp(-max, max).as_vec3();
        Some(Aabb::new(corner(tip - backward * range), corner(tip + forward * range)))
    }

    /// It as a part of the environment, if it is ambient.
    #[must_use]
    pub fn as_ambient(&self) -> Option<Ambient> {
        let Self { kind, color, intensity, .. } = *self;
        (kind == LightKind::Ambient).then_some(Ambient { color, intensity })
    }

    /// What its shadow map shows, on a node with this world matrix: a directional light's
    /// [cube](Shadow::directional) or a spot's [cone](Shadow::spot), which ends at its range.
    ///
    /// `None` if it has no shadows, or is a point: that takes six maps, whose faces every graphics
    /// interface turns its own way. What casts shadows there is within its
    /// [`influence`](Self::influence).
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a number cannot be used, or if the matrix is flat.
    pub fn shadow_view(&self, world: &Mat4, clip: ClipSpace) -> Result<Option<ShadowView>, Error> {
        let Some(shadow) = self.shadow() else { return Ok(None) };
        match self.kind {
            LightKind::Directional { .. } => shadow.directional(world, clip).map(Some),
            LightKind::Spot { outer_angle, .. } => {
                let far =
                    if self.range() > 0.0 { shadow.far.min(self.range()) } else { shadow.far };
                Shadow { far, ..*shadow }.spot(world, outer_angle, clip).map(Some)
            }
            LightKind::Point { .. } | LightKind::Ambient => Ok(None),
        }
    }
}

/// How far a cone of length 1 with a round end reaches from its tip, backwards and forwards along
/// each axis. `None` if it is no cone.
///
/// Along an axis within the cone it reaches 1; otherwise its edge comes nearest, which is at the
/// difference of the angles; and never less than the tip, 0.
fn cone_extents(ahead: DVec3, outer_angle: f32) -> Option<[DVec3; 2]> {
    if !(0.0..=std::f32::consts::FRAC_PI_2).contains(&outer_angle) {
        return None;
    }
    let (sin, cos) = sin_cos(f64::from(outer_angle));
    let extent = |cosine: f64| {
        if cosine >= cos {
            return 1.0;
        }
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        // A millionth, for the rounding of what compares with the box in f32.
        (cosine * cos + sine * sin + 1e-6).clamp(0.0, 1.0)
    };
    let extents = |ahead: DVec3| DVec3::from_array(ahead.to_array().map(extent));
    Some([extents(-ahead), extents(ahead)])
}
