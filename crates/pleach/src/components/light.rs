//! `Light`: a light source that a node emits.
//!
//! Units and meaning are those of glTF's `KHR_lights_punctual`. Plain data: position and direction
//! come from the world matrix of the node, whose scale and shear change neither range nor cone.

use std::hash::Hash;

use glam::{DVec3, Mat4, Vec3};
use pleach_graph::{Graph, NodeId, NodeMap};
use pleach_spatial::{Aabb, ClipSpace};

use crate::content::Content;
use crate::view::{direction, position, sin_cos};
use crate::{Ambient, Component, Error, LightError, Scene, SceneProblemKind, Shadow, ShadowView};

/// A light. Directional and spot lights shine along their node's −Z.
///
/// ```
/// use pleach::{Light, Shadow};
/// use pleach::glam::{Mat4, Vec3};
///
/// let sun = Light::directional(Vec3::new(1.0, 0.95, 0.8), 1.2).with_shadow(Shadow::default());
/// assert_eq!(sun.direction(&Mat4::from_scale(Vec3::splat(9.0))), Some(Vec3::NEG_Z));
///
/// let lamp = Light::point(Vec3::ONE, 60.0).with_range(4.0);
/// let lit = lamp.influence_bounds(&Mat4::IDENTITY).unwrap();
/// assert_eq!((lit.min, lit.max), (Vec3::splat(-4.0), Vec3::splat(4.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// The kind of light.
    pub kind: LightKind,
    /// The linear colour, which is multiplied by the intensity.
    pub color: Vec3,
    /// The intensity: in lux (lm/m²) for directional lights, in candela (lm/sr) for point and spot
    /// lights, in arbitrary units for ambient light.
    pub intensity: f32,
    /// The distance at which a point or spot light ends; `None` for an infinite range.
    pub range: Option<f32>,
    /// The shadow settings, if it casts shadows; not for ambient lights.
    pub shadow: Option<Shadow>,
    /// The layers it lights, as bits; all by default.
    pub layers: u32,
}

/// The kinds of lights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LightKind {
    /// A sun: infinitely far away and the same everywhere. The position of its node only affects
    /// its shadow map.
    Directional,
    /// A bulb: from one point in all directions.
    Point,
    /// A torch: from one point, within a cone.
    Spot {
        /// The angle from the axis of the cone to where the falloff begins, in radians: at least 0,
        /// and less than `outer_angle`.
        inner_angle: f32,
        /// The angle from the axis of the cone to its edge, in radians: at most π/2.
        outer_angle: f32,
    },
    /// Ambient light: added to that of the [environment](crate::Environment::ambient) while its
    /// node is shown.
    Ambient,
}

impl Component for Light {
    const NAME: &'static str = "light";

    fn write_content(&self, content: &mut Content) -> bool {
        let &Self { kind, color, intensity, range, shadow, layers } = self;
        let (number, inner, outer) = match kind {
            LightKind::Directional => (0_u8, 0.0, 0.0),
            LightKind::Point => (1, 0.0, 0.0),
            LightKind::Spot { inner_angle, outer_angle } => (2, inner_angle, outer_angle),
            LightKind::Ambient => (3, 0.0, 0.0),
        };
        (number, layers).hash(content);
        content.write_numbers(&[color.x, color.y, color.z, intensity, inner, outer]);
        content.write_option(range.as_ref(), |content, range| content.write_numbers(&[*range]));
        content.write_option(shadow.as_ref(), |content, shadow| {
            let &Shadow { enabled, map_size, bias, normal_bias, near, far, bounds } = shadow;
            (enabled, map_size).hash(content);
            content.write_numbers(&[bias, normal_bias, near, far, bounds]);
        });
        true
    }

    /// Rejects values that have no effect: see [`Light::check`].
    fn validate(&self, _: &Graph, _: NodeId, _: &NodeMap<Self>) -> Result<(), Error> {
        self.check()
    }

    fn check(&self, _: &Scene, _: NodeId, report: &mut dyn FnMut(SceneProblemKind)) {
        if let Err(Error::Light(error)) = self.check() {
            report(SceneProblemKind::Light(error));
        }
    }
}

impl Light {
    fn new(kind: LightKind, color: Vec3, intensity: f32) -> Self {
        Self { kind, color, intensity, range: None, shadow: None, layers: u32::MAX }
    }

    /// Creates a directional light, without shadows.
    #[doc(alias("DirectionalLight", "DirectionalLight3D"))]
    #[must_use]
    pub fn directional(color: Vec3, lux: f32) -> Self {
        Self::new(LightKind::Directional, color, lux)
    }

    /// Creates a point light with an infinite range, without shadows.
    #[doc(alias("PointLight", "OmniLight3D"))]
    #[must_use]
    pub fn point(color: Vec3, candela: f32) -> Self {
        Self::new(LightKind::Point, color, candela)
    }

    /// Creates a spot light with an infinite range, without shadows. The angles are from the axis
    /// of the cone, in radians: to where the falloff begins, and to its edge.
    #[doc(alias("SpotLight", "SpotLight3D"))]
    #[must_use]
    pub fn spot(color: Vec3, candela: f32, inner_angle: f32, outer_angle: f32) -> Self {
        Self::new(LightKind::Spot { inner_angle, outer_angle }, color, candela)
    }

    /// Creates an ambient light.
    #[must_use]
    pub fn ambient(color: Vec3, intensity: f32) -> Self {
        Self::new(LightKind::Ambient, color, intensity)
    }

    /// Sets the range of a point or spot light. Others have none: spawning or inserting them with a
    /// range is an error; see [`check`](Self::check).
    #[must_use]
    pub fn with_range(self, range: f32) -> Self {
        Self { range: Some(range), ..self }
    }

    /// Sets the shadow settings. An ambient light casts no shadows: spawning or inserting it with
    /// settings is an error; see [`check`](Self::check).
    #[must_use]
    pub fn with_shadow(self, shadow: Shadow) -> Self {
        Self { shadow: Some(shadow), ..self }
    }

    /// Sets the layers it lights, as bits.
    #[must_use]
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers, ..self }
    }

    /// Returns the shadow settings; `None` if it has none or they are disabled.
    #[must_use]
    pub fn shadow(&self) -> Option<&Shadow> {
        let shadow = self.shadow.as_ref().filter(|_| self.kind != LightKind::Ambient);
        shadow.filter(|shadow| shadow.enabled)
    }

    /// Checks that the range and the shadow settings apply to this kind of light. Spawning and
    /// inserting a light check it, too; after edits in place [`Scene::check`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Light`] for a range of a directional or ambient light, and for shadow settings of an
    /// ambient light: they have no effect.
    ///
    /// ```
    /// use pleach::glam::Vec3;
    /// use pleach::{Error, Light, LightError};
    ///
    /// let sun = Light::directional(Vec3::ONE, 1.0);
    /// assert_eq!(sun.check(), Ok(()));
    /// assert_eq!(sun.with_range(9.0).check(), Err(Error::Light(LightError::RangeNotApplicable)));
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        let has_range = matches!(self.kind, LightKind::Point | LightKind::Spot { .. });
        if self.range.is_some() && !has_range {
            return Err(Error::Light(LightError::RangeNotApplicable));
        }
        if self.shadow.is_some() && self.kind == LightKind::Ambient {
            return Err(Error::Light(LightError::AmbientShadow));
        }
        Ok(())
    }

    /// Returns the range; infinity if it is unlimited.
    #[must_use]
    pub fn range(&self) -> f32 {
        match self.kind {
            LightKind::Point | LightKind::Spot { .. } => self.range.unwrap_or(f32::INFINITY),
            LightKind::Directional | LightKind::Ambient => f32::INFINITY,
        }
    }

    /// Returns the position on a node with this world matrix. Meaningless for ambient light; for a
    /// directional light it is only the position of the shadow map.
    #[must_use]
    pub fn position(&self, world: &Mat4) -> Vec3 {
        position(world).as_vec3()
    }

    /// Returns the direction on a node with this world matrix: that of the node's −Z, of length 1,
    /// whatever its scale (a negative scale along Z reverses it, like everything on the node).
    ///
    /// `None` for point and ambient lights, and if the Z axis of the matrix is zero.
    #[must_use]
    pub fn direction(&self, world: &Mat4) -> Option<Vec3> {
        match self.kind {
            LightKind::Directional | LightKind::Spot { .. } => {
                direction(world).map(|direction| direction.as_vec3())
            }
            LightKind::Point | LightKind::Ambient => None,
        }
    }

    /// Returns the bounds outside of which it lights nothing, on a node with this world matrix;
    /// `None` if the range is infinite. [`Aabb::EMPTY`] if the range is negative or NaN.
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

    /// Returns it as ambient light of an environment, if it is ambient.
    #[must_use]
    pub fn as_ambient(&self) -> Option<Ambient> {
        let Self { kind, color, intensity, .. } = *self;
        (kind == LightKind::Ambient).then_some(Ambient { color, intensity })
    }

    /// Computes the view of its shadow map on a node with this world matrix: the
    /// [box](Shadow::directional) of a directional light or the [cone](Shadow::spot) of a spot
    /// light, which ends at its range.
    ///
    /// `None` if it casts no shadows, or is a point light: that takes six maps, whose faces each
    /// graphics API orients in its own way. Shadow casters of a point light are within its
    /// [`influence_bounds`](Self::influence_bounds).
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a parameter is out of range, or the matrix is singular.
    pub fn shadow_view(
        &self,
        world: &Mat4,
        clip_space: ClipSpace,
    ) -> Result<Option<ShadowView>, Error> {
        let Some(shadow) = self.shadow() else { return Ok(None) };
        match self.kind {
            LightKind::Directional => shadow.directional(world, clip_space).map(Some),
            LightKind::Spot { outer_angle, .. } => {
                let far =
                    if self.range() > 0.0 { shadow.far.min(self.range()) } else { shadow.far };
                Shadow { far, ..*shadow }.spot(world, outer_angle, clip_space).map(Some)
            }
            LightKind::Point | LightKind::Ambient => Ok(None),
        }
    }
}

/// Returns how far a cone of length 1 with a spherical cap extends from its apex along each axis,
/// backward and forward. `None` if the angle is not that of a cone.
///
/// Along an axis within the cone the extent is 1; otherwise it is the cosine of the angle between
/// the axis and the edge of the cone; and at least 0, the apex.
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
        // A margin for the rounding of computations in f32 that are compared with the bounds.
        (cosine * cos + sine * sin + 1e-6).clamp(0.0, 1.0)
    };
    let extents = |ahead: DVec3| DVec3::from_array(ahead.to_array().map(extent));
    Some([extents(-ahead), extents(ahead)])
}
