//! `Projection`: the transform from view space to clip space.
//!
//! View space is right-handed: −Z is ahead, +Y is up, +X is right, as in glTF and OpenGL.
//! Everything is computed in f64 and rounded once, the tangent by `trig.rs`, so a projection has
//! the same bits on every machine.
//!
//! Invariant: a returned matrix is finite, and its x and y scales are not zero.

use std::f32::consts::{FRAC_PI_3, PI};

use glam::{DMat4, DVec4, Mat4};
use pleach_spatial::ClipSpace;

use super::error::{ProjectionError, ProjectionParameter};
use super::trig;
use crate::Error;

/// A projection of a camera.
///
/// ```
/// use pleach::{ClipSpace, Projection};
/// use pleach::glam::Vec3;
///
/// let wide = Projection::Perspective { fov_y: 90f32.to_radians(), near: 0.1, far: f32::INFINITY };
/// let matrix = wide.matrix(16.0 / 9.0, ClipSpace::ZeroToOne)?;
/// // At 45° the upper edge of the image is as high as it is far away.
/// assert!((matrix.project_point3(Vec3::new(0.0, 7.0, -7.0)).y - 1.0).abs() < 1e-6);
///
/// let degrees = Projection::Perspective { fov_y: 60.0, near: 0.1, far: 100.0 };
/// assert_eq!(
///     degrees.matrix(1.5, ClipSpace::ZeroToOne).unwrap_err().to_string(),
///     "projection: fov_y is 60; it must be greater than 0 and less than π, in radians \
///      (60° are 1.0471976)",
/// );
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// A perspective projection.
    Perspective {
        /// The vertical field of view in radians: `60f32.to_radians()`.
        fov_y: f32,
        /// The distance of the near plane; greater than 0.
        near: f32,
        /// The distance of the far plane; may be `f32::INFINITY`.
        far: f32,
    },
    /// An orthographic projection.
    Orthographic {
        /// The height of the image in units of the world, at a zoom of 1. Twice glTF's `ymag`; its
        /// `xmag` is `ymag` times the aspect ratio.
        height: f32,
        /// The magnification; 1 for none.
        zoom: f32,
        /// The distance of the near plane; negative behind the camera.
        near: f32,
        /// The distance of the far plane.
        far: f32,
    },
    /// A custom matrix from view space to the camera's clip space, used unchanged for every aspect
    /// ratio.
    Custom(Mat4),
}

impl Default for Projection {
    /// Creates a perspective projection of 60°, from 0.1 to 500.
    fn default() -> Self {
        Self::Perspective { fov_y: FRAC_PI_3, near: 0.1, far: 500.0 }
    }
}

impl Projection {
    /// Computes the matrix from view space to clip space. `aspect` is the width of the image
    /// divided by its height.
    ///
    /// In [`ClipSpace::NegOneToOne`] these are glTF's matrices, except for rounding.
    ///
    /// # Errors
    ///
    /// [`Error::Projection`] with the invalid parameter and its value.
    pub fn matrix(&self, aspect: f32, clip_space: ClipSpace) -> Result<Mat4, Error> {
        self.try_matrix(aspect, clip_space).map_err(Error::Projection)
    }

    pub(crate) fn try_matrix(
        &self,
        aspect: f32,
        clip_space: ClipSpace,
    ) -> Result<Mat4, ProjectionError> {
        let matrix = match *self {
            Self::Perspective { fov_y, near, far } => {
                check_positive(ProjectionParameter::Aspect, aspect)?;
                if !(fov_y > 0.0 && fov_y < PI) {
                    return Err(ProjectionError::OutOfRange {
                        parameter: ProjectionParameter::FovY,
                        value: fov_y,
                    });
                }
                check_positive(ProjectionParameter::Near, near)?;
                check_far(near, far)?;
                perspective([fov_y, aspect, near, far].map(f64::from), clip_space)
            }
            Self::Orthographic { height, zoom, near, far } => {
                check_positive(ProjectionParameter::Aspect, aspect)?;
                check_positive(ProjectionParameter::Height, height)?;
                check_positive(ProjectionParameter::Zoom, zoom)?;
                check_finite_depths(near, far)?;
                let half_height = f64::from(height) / f64::from(zoom) * 0.5;
                let half_width = half_height * f64::from(aspect);
                orthographic([half_width, half_height], [near, far].map(f64::from), clip_space)
            }
            Self::Custom(matrix) => {
                let numbers = matrix.to_cols_array();
                return match numbers.iter().position(|number| !number.is_finite()) {
                    None => Ok(matrix),
                    Some(at) => Err(ProjectionError::Custom { component: at, value: numbers[at] }),
                };
            }
        };
        let matrix = matrix.as_mat4();
        let shows = matrix.is_finite() && matrix.x_axis.x != 0.0 && matrix.y_axis.y != 0.0;
        if shows { Ok(matrix) } else { Err(ProjectionError::Extreme) }
    }
}

fn perspective([fov_y, aspect, near, far]: [f64; 4], clip_space: ClipSpace) -> DMat4 {
    let height = trig::tan(fov_y * 0.5);
    let is_infinite = far == f64::INFINITY;
    let (zz, zw) = match clip_space {
        ClipSpace::NegOneToOne if is_infinite => (-1.0, -2.0 * near),
        ClipSpace::NegOneToOne => ((far + near) / (near - far), 2.0 * far * near / (near - far)),
        ClipSpace::ZeroToOne if is_infinite => (-1.0, -near),
        ClipSpace::ZeroToOne => (far / (near - far), far * near / (near - far)),
        ClipSpace::ZeroToOneReversed if is_infinite => (0.0, near),
        ClipSpace::ZeroToOneReversed => (near / (far - near), far * near / (far - near)),
    };
    DMat4::from_cols(
        DVec4::new(1.0 / (aspect * height), 0.0, 0.0, 0.0),
        DVec4::new(0.0, 1.0 / height, 0.0, 0.0),
        DVec4::new(0.0, 0.0, zz, -1.0),
        DVec4::new(0.0, 0.0, zw, 0.0),
    )
}

/// Computes an orthographic projection with the half extents `half` between two depths.
pub(crate) fn orthographic(half: [f64; 2], [near, far]: [f64; 2], clip_space: ClipSpace) -> DMat4 {
    let (zz, zw) = match clip_space {
        ClipSpace::NegOneToOne => (2.0 / (near - far), (far + near) / (near - far)),
        ClipSpace::ZeroToOne => (1.0 / (near - far), near / (near - far)),
        ClipSpace::ZeroToOneReversed => (1.0 / (far - near), far / (far - near)),
    };
    DMat4::from_cols(
        DVec4::new(1.0 / half[0], 0.0, 0.0, 0.0),
        DVec4::new(0.0, 1.0 / half[1], 0.0, 0.0),
        DVec4::new(0.0, 0.0, zz, 0.0),
        DVec4::new(0.0, 0.0, zw, 1.0),
    )
}

fn check_positive(parameter: ProjectionParameter, value: f32) -> Result<(), ProjectionError> {
    let is_usable = value > 0.0 && value.is_finite();
    if is_usable { Ok(()) } else { Err(ProjectionError::OutOfRange { parameter, value }) }
}

fn check_far(near: f32, far: f32) -> Result<(), ProjectionError> {
    if far > near { Ok(()) } else { Err(ProjectionError::FarBeforeNear { near, far }) }
}

/// Checks the depths of an orthographic projection.
pub(crate) fn check_finite_depths(near: f32, far: f32) -> Result<(), ProjectionError> {
    if !near.is_finite() {
        return Err(ProjectionError::OutOfRange {
            parameter: ProjectionParameter::Near,
            value: near,
        });
    }
    check_far(near, far)?;
    if far == f32::INFINITY { Err(ProjectionError::InfiniteFar) } else { Ok(()) }
}
