//! `Shadow`: the shadow settings of a light; `ShadowView`: the view of its shadow map.
//!
//! A shadow map is an image rendered from the light, along its node's −Z without scale and shear,
//! as for cameras (`basis.rs`).
//!
//! Invariant of a shadow view: its matrix is finite, and its frustum is that of its matrix.

use glam::{DMat4, Mat4};
use pleach_spatial::{Aabb, ClipSpace, Frustum};

use super::basis::ViewBasis;
use super::error::{ProjectionError, ProjectionParameter, ShadowError};
use super::projection::{check_finite_depths, orthographic};
use crate::{Error, Projection};

/// The shadow settings of a light.
///
/// ```
/// use pleach::Shadow;
///
/// let shadow = Shadow { map_size: 4096, ..Shadow::default() };
/// assert_eq!((shadow.near, shadow.far, shadow.bounds), (0.5, 100.0, 30.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// `true` if shadows are drawn; `false` to keep the settings of shadows that are off.
    pub enabled: bool,
    /// The width and height of the shadow map in texels.
    pub map_size: u32,
    /// The minimum depth difference, in the depth of the map, at which a surface shades another.
    pub bias: f32,
    /// The distance, in metres, that a surface is moved along its normal before it is compared.
    pub normal_bias: f32,
    /// The distance from the light to the near plane of the map, in metres.
    pub near: f32,
    /// The distance from the light to the far plane of the map, in metres.
    pub far: f32,
    /// The half extent of the map of a directional light, in metres.
    pub bounds: f32,
}

impl Default for Shadow {
    /// 2048 texels, from 0.5 to 100, 30 to each side, with a bias of 0.0005.
    fn default() -> Self {
        Self {
            enabled: true,
            map_size: 2048,
            bias: 0.0005,
            normal_bias: 0.0,
            near: 0.5,
            far: 100.0,
            bounds: 30.0,
        }
    }
}

impl Shadow {
    /// Computes the shadow view of a directional light on a node with this world matrix.
    ///
    /// It covers the cube with the half extent `bounds` around the node, along the light's axes,
    /// and what is ahead of it from `near` to `far`: a sun at the origin shades what is around the
    /// origin.
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a parameter is out of range, or the matrix is singular.
    ///
    /// ```
    /// use pleach::{ClipSpace, Shadow};
    /// use pleach::glam::{Mat4, Vec3};
    ///
    /// let shadow = Shadow { bounds: 10.0, ..Shadow::default() };
    /// let map = shadow.directional(&Mat4::from_scale(Vec3::splat(3.0)), ClipSpace::ZeroToOne)?;
    /// assert!(map.frustum.contains_point(Vec3::new(9.9, -9.9, 9.9)));
    /// assert!(map.frustum.contains_point(Vec3::new(0.0, 0.0, -99.0)));
    /// assert!(!map.frustum.contains_point(Vec3::new(10.1, 0.0, 0.0)));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn directional(&self, world: &Mat4, clip_space: ClipSpace) -> Result<ShadowView, Error> {
        if !(self.bounds > 0.0 && self.bounds.is_finite()) {
            return Err(ShadowError::Bounds(self.bounds).into());
        }
        check_finite_depths(self.near, self.far).map_err(ShadowError::Projection)?;
        let bounds = f64::from(self.bounds);
        let depths = [f64::from(self.near).min(-bounds), f64::from(self.far).max(bounds)];
        ShadowView::build(&basis(world)?, orthographic([bounds; 2], depths, clip_space), clip_space)
    }

    /// Computes the shadow view of a spot light on a node with this world matrix: its cone, from
    /// `near` to `far`. `outer_angle` is the angle from the axis of the cone to its edge, in
    /// radians.
    ///
    /// ```
    /// use pleach::glam::{Mat4, Vec3};
    /// use pleach::{ClipSpace, Shadow};
    ///
    /// let map = Shadow::default().spot(&Mat4::IDENTITY, 0.5, ClipSpace::ZeroToOne)?;
    /// assert!(map.frustum.contains_point(Vec3::new(0.0, 2.0, -5.0)));
    /// assert!(!map.frustum.contains_point(Vec3::new(0.0, 4.0, -5.0)));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a parameter is out of range, or the matrix is singular.
    pub fn spot(
        &self,
        world: &Mat4,
        outer_angle: f32,
        clip_space: ClipSpace,
    ) -> Result<ShadowView, Error> {
        let fov_y = 2.0 * outer_angle;
        let projection = Projection::Perspective { fov_y, near: self.near, far: self.far };
        let projection = projection.try_matrix(1.0, clip_space).map_err(|error| match error {
            ProjectionError::OutOfRange { parameter: ProjectionParameter::FovY, .. } => {
                ShadowError::OuterAngle(outer_angle)
            }
            error => ShadowError::Projection(error),
        })?;
        ShadowView::build(&basis(world)?, projection.as_dmat4(), clip_space)
    }
}

/// The view from a light, for rendering its shadow map.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShadowView {
    /// The transform from world space to the clip space of the map.
    pub matrix: Mat4,
    /// The volume of the shadow casters, for culling.
    pub frustum: Frustum,
    /// The depth range of the map.
    pub clip_space: ClipSpace,
}

impl ShadowView {
    /// Computes the tightest shadow view of a directional light around `aabb`, a box in world space:
    /// that of the visible nodes, or of a part of them for one cascade. No texel is wasted, but
    /// shadow edges flicker while the box changes.
    ///
    /// `world` is the world matrix of the light's node; only its rotation is used. Shadow casters
    /// outside of the box are not in the map.
    ///
    /// ```
    /// use pleach::glam::{Mat4, Vec3};
    /// use pleach::{Aabb, ClipSpace, ShadowView};
    ///
    /// let seen = Aabb::new(Vec3::ZERO, Vec3::new(10.0, 10.0, 3.0));
    /// let map = ShadowView::from_aabb(&seen, &Mat4::IDENTITY, ClipSpace::ZeroToOne)?;
    /// assert!(seen.corners().into_iter().all(|corner| map.frustum.contains_point(corner)));
    /// # Ok::<(), pleach::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if the box is empty or infinite, or the matrix is singular.
    pub fn from_aabb(aabb: &Aabb, world: &Mat4, clip_space: ClipSpace) -> Result<Self, Error> {
        if aabb.is_empty() || !aabb.is_finite() {
            return Err(ShadowError::InvalidAabb(*aabb).into());
        }
        let center = aabb.center().as_dvec3();
        let half = (aabb.max.as_dvec3() - center).max(center - aabb.min.as_dvec3());
        let basis = basis(world)?.with_position(center);
        let extents = [basis.right, basis.up, basis.back].map(|axis| axis.abs().dot(half));
        // More than the rounding error, and a minimum thickness for flat bounds.
        let rounding = (1e-6 * aabb.min.abs().max(aabb.max.abs()).max_element()).max(1e-9);
        let [x, y, z] = extents.map(|extent| extent + f64::from(rounding));
        Self::build(&basis, orthographic([x, y], [-z, z], clip_space), clip_space)
    }

    fn build(basis: &ViewBasis, projection: DMat4, clip_space: ClipSpace) -> Result<Self, Error> {
        let matrix = (projection * basis.view_matrix()).as_mat4();
        let frustum = Frustum::from_view_projection(&matrix, clip_space);
        let frustum = frustum.map_err(ShadowError::Frustum)?;
        Ok(Self { matrix, frustum, clip_space })
    }
}

fn basis(world: &Mat4) -> Result<ViewBasis, ShadowError> {
    ViewBasis::from_world(world).ok_or(ShadowError::Singular)
}
