//! `Shadow`: how a light's shadows are drawn; `ShadowView`: what its map shows.
//!
//! A shadow map is a picture taken from the light. The light looks along its node's −Z, with
//! scale and shear taken out, as cameras do (`basis.rs`).
//!
//! Invariant of a view: its matrix is finite, and its frustum is that of its matrix.

use glam::{DMat4, Mat4};
use pleach_spatial::{Aabb, ClipSpace, Frustum};

use super::basis::ViewBasis;
use super::error::{ProjectionError, ProjectionParameter, ShadowError};
use super::projection::{check_finite_depths, orthographic};
use crate::{Error, Projection};

/// How a light's shadows are drawn.
///
/// ```
/// use pleach::Shadow;
///
/// let shadow = Shadow { map_size: 4096, ..Shadow::default() };
/// assert_eq!((shadow.near, shadow.far, shadow.bounds), (0.5, 100.0, 30.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Are they drawn at all? To keep the settings of shadows that are off.
    pub enabled: bool,
    /// Width and height of the map in texels.
    pub map_size: u32,
    /// How much nearer, in depth of the map, a surface must be to shade another.
    pub bias: f32,
    /// How far along its normal a surface is moved before it is compared.
    pub normal_bias: f32,
    /// How far from the light the map begins.
    pub near: f32,
    /// How far from the light it ends.
    pub far: f32,
    /// How far the map of a directional light reaches to each side.
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
    /// What the map of a directional light shows that is on a node with this world matrix.
    ///
    /// It holds the cube that reaches as far as `bounds` to all sides of the node, along the light's
    /// axes, and what is before it from `near` to `far`: a sun that was put nowhere shades
    /// what is around the origin.
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a number cannot be used, or if the matrix is flat.
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

    /// What the map of a spot light shows that is on a node with this world matrix: its cone, from
    /// `near` to `far`. `outer_angle` is from the middle of the cone to its edge, in radians.
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if a number cannot be used, or if the matrix is flat.
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

/// What a shadow map shows: the picture that is taken from the light.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShadowView {
    /// From the world to the map's clip_space space.
    pub matrix: Mat4,
    /// The volume in which things cast shadows on the map, to cull with.
    pub frustum: Frustum,
    /// What depth means in the map.
    pub clip_space: ClipSpace,
}

impl ShadowView {
    /// The map of a directional light that just holds a box of the world: what is in view,
    /// or a part of it. No texel is wasted, but shadows crawl while the box changes.
    ///
    /// `world` is the matrix of the light's node, of which the rotation alone matters. What
    /// casts shadows into the box from outside is not in the map.
    ///
    /// # Errors
    ///
    /// [`Error::Shadow`] if the box is empty or infinite, or if the matrix is flat.
    pub fn from_aabb(aabb: &Aabb, world: &Mat4, clip_space: ClipSpace) -> Result<Self, Error> {
        if aabb.is_empty() || !aabb.is_finite() {
            return Err(ShadowError::InvalidAabb(*aabb).into());
        }
        let center = aabb.center().as_dvec3();
        let half = (aabb.max.as_dvec3() - center).max(center - aabb.min.as_dvec3());
        let basis = basis(world)?.with_position(center);
        let extents = [basis.right, basis.up, basis.back].map(|axis| axis.abs().dot(half));
        // More than rounding takes, and a little thickness for boxes that have none.
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
