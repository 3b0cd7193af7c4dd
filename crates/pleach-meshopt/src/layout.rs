//! `Layout`: the contents of a stream as the glTF extension declares them, and the valid combinations.

use std::fmt;

use crate::Error;

/// The contents of a stream, which the stream itself does not state.
///
/// The fields are the members of the same names of `EXT_meshopt_compression`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The codec.
    pub mode: Mode,
    /// The filter.
    pub filter: Filter,
    /// The number of elements.
    pub count: usize,
    /// The size of an element in bytes.
    pub byte_stride: usize,
}

/// The codec of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The vertex codec, for elements of any content. The stride is a multiple of 4 up to 256.
    Attributes,
    /// The triangle codec, for the indices of a triangle list. The stride is 2 or 4.
    Triangles,
    /// The index sequence codec, for any other indices. The stride is 2 or 4.
    Indices,
}

/// The filter that is applied to decoded attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// No filter.
    None,
    /// Unit vectors in octahedral encoding. The stride is 4 or 8.
    Octahedral,
    /// Unit quaternions without their largest component. The stride is 8.
    Quaternion,
    /// Floats as mantissa and exponent.
    Exponential,
    /// Colors in YCoCg. The stride is 4 or 8.
    Color,
}

impl Layout {
    /// Returns the size of the decoded elements in bytes, or `None` if it does not fit into
    /// `usize`.
    ///
    /// It is all that [`decode`](crate::decode) allocates: compare it with a limit before decoding
    /// untrusted streams.
    #[must_use]
    pub fn byte_length(&self) -> Option<usize> {
        self.count.checked_mul(self.byte_stride)
    }

    /// Checks everything that does not depend on the stream.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { mode, filter, count, byte_stride } = *self;
        let is_valid = match mode {
            Mode::Attributes => byte_stride.is_multiple_of(4) && (4..=256).contains(&byte_stride),
            Mode::Triangles | Mode::Indices => byte_stride == 2 || byte_stride == 4,
        };
        if !is_valid {
            return Err(Error::ModeStride { mode, byte_stride });
        }
        if mode != Mode::Attributes && filter != Filter::None {
            return Err(Error::FilteredIndices { mode, filter });
        }
        let is_valid = match filter {
            Filter::None | Filter::Exponential => true,
            Filter::Octahedral | Filter::Color => byte_stride == 4 || byte_stride == 8,
            Filter::Quaternion => byte_stride == 8,
        };
        if !is_valid {
            return Err(Error::FilterStride { filter, byte_stride });
        }
        if mode == Mode::Triangles && !count.is_multiple_of(3) {
            return Err(Error::IncompleteTriangle { count });
        }
        // Larger allocations do not exist.
        match self.byte_length() {
            Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
            _ => Err(Error::TooLarge { count, byte_stride }),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attributes => "attributes",
            Self::Triangles => "triangles",
            Self::Indices => "indices",
        })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "NONE",
            Self::Octahedral => "OCTAHEDRAL",
            Self::Quaternion => "QUATERNION",
            Self::Exponential => "EXPONENTIAL",
            Self::Color => "COLOR",
        })
    }
}
