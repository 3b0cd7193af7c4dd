//! Which sizes and counts shapes accept, and how it is said that they do not.

use std::fmt;

/// The greatest size: the sum of a few is finite in f32.
const MAX_SIZE: f32 = 1e37;

/// The most vertices; past any use, and long before memory runs out.
const MAX_VERTICES: u64 = 1 << 24;

/// Why a shape cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is negative, too great or not a number.
    Size {
        /// Of which shape.
        shape: &'static str,
        /// Which length.
        parameter: &'static str,
        /// The length.
        value: f32,
        /// The greatest that it may be.
        max: f32,
    },
    /// There are too few of something.
    TooFew {
        /// Of which shape.
        shape: &'static str,
        /// What.
        parameter: &'static str,
        /// How many were asked for.
        value: u32,
        /// The least that makes the shape.
        min: u32,
    },
    /// It would have too many vertices.
    TooMany {
        /// Which shape.
        shape: &'static str,
        /// How many, where poles are counted as rows.
        vertices: u64,
    },
}

/// A shape whose parameters are being checked.
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
        // No NaN is in the range.
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

    /// The vertices between so many columns and rows; no shape has more.
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
                "{shape}: it would have {vertices} vertices; at most {MAX_VERTICES} are built, \
                 take fewer segments",
            ),
        }
    }
}

impl std::error::Error for ShapeError {}
