//! Errors of projections, views and shadow maps. Imports nothing of the crate: `crate::Error`
//! imports this.

use std::f32::consts::PI;
use std::fmt;

use pleach_spatial::Aabb;

/// A reason why a projection is invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProjectionError {
    /// A parameter is out of range, infinite or NaN.
    OutOfRange {
        /// The parameter.
        parameter: ProjectionParameter,
        /// The value.
        value: f32,
    },
    /// The far plane is not beyond the near plane.
    FarBeforeNear {
        /// The distance of the near plane, in metres.
        near: f32,
        /// The distance of the far plane, in metres.
        far: f32,
    },
    /// The far plane of an orthographic projection is infinitely far away.
    InfiniteFar,
    /// A custom matrix has an infinite or NaN component.
    Custom {
        /// The index into the column-major matrix, 0 to 15.
        component: usize,
        /// The value.
        value: f32,
    },
    /// Each parameter is in range, but f32 cannot represent the matrix.
    Extreme,
}

/// A parameter of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectionParameter {
    /// `fov_y` of a perspective projection.
    FovY,
    /// The aspect ratio: width divided by height.
    Aspect,
    /// `height` of an orthographic projection.
    Height,
    /// `zoom` of an orthographic projection.
    Zoom,
    /// `near`
    Near,
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { parameter: ProjectionParameter::FovY, value } => {
                let must = "it must be greater than 0 and less than π, in radians";
                write!(f, "fov_y is {value}; {must}")?;
                if *value >= PI && value.is_finite() {
                    write!(f, " ({value}° are {})", value.to_radians())?;
                }
                Ok(())
            }
            Self::OutOfRange { parameter: ProjectionParameter::Aspect, value } => write!(
                f,
                "aspect is {value}; it must be positive and finite: the image's width divided by \
                 its height",
            ),
            Self::OutOfRange { parameter: ProjectionParameter::Height, value } => write!(
                f,
                "height is {value}; it must be positive and finite: how much of the world the \
                 image shows from bottom to top",
            ),
            Self::OutOfRange { parameter: ProjectionParameter::Zoom, value } => {
                write!(f, "zoom is {value}; it must be positive and finite, and 1 for none")
            }
            Self::OutOfRange { parameter: ProjectionParameter::Near, value } => write!(
                f,
                "near is {value}; it must be finite, and positive in a perspective: 0.1 will often \
                 do",
            ),
            Self::FarBeforeNear { near, far } => write!(
                f,
                "far is {far}; it must be greater than near, which is {near} \
                 (an infinite perspective has an infinite far, and no zfar in a file)",
            ),
            Self::InfiniteFar => write!(
                f,
                "far is inf; it must be finite in an orthographic projection, whose depths are \
                 evenly spaced",
            ),
            Self::Custom { component, value } => write!(
                f,
                "column {} row {} of the custom matrix is {value}; it must be finite",
                component / 4,
                component % 4,
            ),
            Self::Extreme => write!(
                f,
                "f32 cannot hold its matrix; choose fov_y, height, zoom, aspect and near closer to 1",
            ),
        }
    }
}

impl std::error::Error for ProjectionError {}

/// A reason why the view of a camera cannot be computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ViewError {
    /// The projection is invalid.
    Projection(ProjectionError),
    /// The viewport has no pixels.
    NoPixels {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
    /// The node's world matrix is singular.
    Singular,
    /// The frustum is empty, or f32 cannot represent it.
    Frustum(pleach_spatial::Error),
}

impl From<ProjectionError> for ViewError {
    fn from(error: ProjectionError) -> Self {
        Self::Projection(error)
    }
}

impl From<pleach_spatial::Error> for ViewError {
    fn from(error: pleach_spatial::Error) -> Self {
        Self::Frustum(error)
    }
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Projection(error) => error.fmt(f),
            Self::NoPixels { width, height } => write!(
                f,
                "the viewport has {width} × {height} pixels; skip the frame while the window has \
                 no size",
            ),
            Self::Singular => write!(
                f,
                "its world matrix is singular (a scale of zero, or nearly), so it has no view \
                 direction; give it and its parents a scale",
            ),
            Self::Frustum(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ViewError {}

/// A reason why the view of a shadow map cannot be computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShadowError {
    /// `bounds` is not positive and finite.
    Bounds(f32),
    /// The angle of the spot light does not fit into one shadow map.
    OuterAngle(f32),
    /// `near` or `far` is invalid.
    Projection(ProjectionError),
    /// The bounds to cover are empty or infinite.
    InvalidAabb(Aabb),
    /// The world matrix of the light is singular.
    Singular,
    /// The frustum is empty, or f32 cannot represent it.
    Frustum(pleach_spatial::Error),
}

impl fmt::Display for ShadowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds(bounds) => write!(
                f,
                "bounds is {bounds}; it must be positive and finite: how far the map extends to \
                 each side",
            ),
            Self::OuterAngle(angle) => write!(
                f,
                "the outer angle of the spot light is {angle}; it must be greater than 0 and less \
                 than π/2, in radians, to have a shadow map",
            ),
            Self::Projection(error) => error.fmt(f),
            Self::InvalidAabb(Aabb { min, max }) => write!(
                f,
                "the bounds from {min} to {max} cannot be covered; they must be finite, and not empty",
            ),
            Self::Singular => write!(
                f,
                "the world matrix of the light is singular (a scale of zero, or nearly), so it has \
                 no direction; give its node and the parents a scale",
            ),
            Self::Frustum(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ShadowError {}
