//! Validation of the parameters of shapes, and its errors.

use std::fmt;

/// The maximum size: a sum of several sizes is still finite in f32.
const MAX_SIZE: f32 = 1e37;

/// The maximum number of vertices: more than useful, but far below the limits of memory.
const MAX_VERTICES: u64 = 1 << 24;

/// An invalid parameter of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is negative, above the maximum or NaN.
    Size {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value.
        value: f32,
        /// The maximum.
        max: f32,
    },
    /// A count is too small.
    TooFew {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value.
        value: u32,
        /// The minimum.
        min: u32,
    },
    /// The shape would have more than 2^24 vertices.
    TooMany {
        /// The shape.
        shape: &'static str,
        /// The number of vertices, counting poles as full rows.
        vertices: u64,
    },
}

/// Validates the parameters of the shape with this name.
pub(super) struct Validator(pub(super) &'static str);

impl Validator {
    pub(super) fn size(&self, parameter: &'static str, value: f32) -> Result<f64, ShapeError> {
        self.size_up_to(MAX_SIZE, parameter, value)
    }

    pub(super) fn size_up_to(
        &self,
        max: f32,
        parameter: &'static str,
        value: f32,
    ) -> Result<f64, ShapeError> {
        // A range does not contain NaN.
        match (0.0..=max).contains(&value) {
            true => Ok(f64::from(value)),
            false => Err(ShapeError::Size { shape: self.0, parameter, value, max }),
        }
    }

    pub(super) fn count(
        &self,
        parameter: &'static str,
        value: u32,
        min: u32,
    ) -> Result<u32, ShapeError> {
        match value >= min {
            true => Ok(value),
            false => Err(ShapeError::TooFew { shape: self.0, parameter, value, min }),
        }
    }

    /// Checks the number of vertices of a grid, which is an upper bound for all shapes.
    pub(super) fn vertices(&self, columns: u32, rows: u32) -> Result<(), ShapeError> {
        let vertices = (u64::from(columns) + 1).saturating_mul(u64::from(rows) + 1);
        match vertices <= MAX_VERTICES {
            true => Ok(()),
            false => Err(ShapeError::TooMany { shape: self.0, vertices }),
        }
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Size { shape, parameter, value, max } => {
                write!(f, "{shape}: {parameter} is {value}; it must be from 0 to ")?;
                if max == MAX_SIZE { write!(f, "{max:e}") } else { write!(f, "{max}") }
            }
            Self::TooFew { shape, parameter, value, min } => {
                write!(f, "{shape}: {parameter} is {value}; it must be {min} or more")
            }
            Self::TooMany { shape, vertices } => write!(
                f,
                "{shape}: it would have {vertices} vertices, but the limit is {MAX_VERTICES}; \
                 use fewer segments",
            ),
        }
    }
}

impl std::error::Error for ShapeError {}
