//! Errors of projections, views and shadow maps. Imports nothing of the crate: `crate::Error`
//! imports this.

use std::f32::consts::PI;
use std::fmt;

use pleach_spatial::Aabb;

/// Why a projection cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProjectionError {
    /// A number is out of its range, infinite, or not a number.
    OutOfRange {
        /// Which.
        parameter: ProjectionParameter,
        /// The number.
        value: f32,
    },
    /// The picture would end before it begins.
    FarBeforeNear {
        /// Where it begins.
        near: f32,
        /// Where it ends.
        far: f32,
    },
    /// An orthographic projection has an infinite far.
    InfiniteFar,
    /// A custom matrix has a number that is infinite or not a number.
    Custom {
        /// Which: an index into the column-major matrix.
        component: usize,
        /// The number.
        value: f32,
    },
    /// The numbers are each in range, but f32 cannot hold what comes of them.
    Extreme,
}

/// A number of a projection, as errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectionParameter {
    /// `fov_y` of a perspective.
    FovY,
    /// Width divided by height.
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
                "aspect is {value}; it must be positive and finite: the picture's width divided by \
                 its height",
            ),
            Self::OutOfRange { parameter: ProjectionParameter::Height, value } => write!(
                f,
                "height is {value}; it must be positive and finite: how much of the world fits \
                 into the picture from bottom to top",
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
                 (a perspective without an end has an infinite far, and none in a file)",
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
                "f32 cannot hold its matrix; bring fov_y, height, zoom, aspect and near nearer to 1",
            ),
        }
    }
}

/// Why there is no view of a camera.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ViewError {
    /// The projection cannot be used.
    Projection(ProjectionError),
    /// The viewport has no pixels.
    NoPixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// The node's world transform is flat.
    Singular,
    /// What is in view has no volume, or f32 cannot hold it.
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
                "the viewport has {width} × {height} pixels; leave out frames while the window has \
                 no size",
            ),
            Self::Singular => write!(
                f,
                "its world transform is flat (a scale of zero, or nearly), so it looks nowhere; \
                 give it and its parents a scale",
            ),
            Self::Frustum(error) => error.fmt(f),
        }
    }
}

/// Why there is no shadow map.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShadowError {
    /// `bounds` is not a length.
    Bounds(f32),
    /// A map cannot hold a cone with this angle from its middle to its edge.
    OuterAngle(f32),
    /// `near` or `far` cannot be used.
    Projection(ProjectionError),
    /// The box that the map is to hold is empty or infinite.
    InvalidAabb(Aabb),
    /// The world matrix of the light is flat.
    Singular,
    /// What the map would show has no volume, or f32 cannot hold it.
    Frustum(pleach_spatial::Error),
}

impl fmt::Display for ShadowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds(bounds) => write!(
                f,
                "bounds is {bounds}; it must be positive and finite: how far the map reaches to \
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
                "there is no map around the box from {min} to {max}; it must be finite, and not empty",
            ),
            Self::Singular => write!(
                f,
                "the world matrix of the light is flat (a scale of zero, or nearly), so it shines \
                 nowhere; give its node and the parents a scale",
            ),
            Self::Frustum(error) => error.fmt(f),
        }
    }
}
