//! Compressed buffer views: `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! Three codecs, each in its file, and the filters that run over decoded vertices. All of them
//! read what a stranger wrote.
//!
//! Invariant: a stream is decoded whole or refused. Nothing is read outside it, and nothing is
//! allocated but the elements, after the stream was seen to be long enough to hold them.
//!
//! Streams are taken and refused exactly as meshoptimizer does, which is more lenient than the
//! extension's text: bits that it calls reserved are ignored, and an edge or vertex that was not
//! yet seen reads as `u32::MAX`. Ranges of indices are the caller's to check.

#![forbid(unsafe_code)]

mod codecs;
mod filters;

use std::fmt;

use codecs::{index_sequence as sequence, triangle as indices, vertex as vertices};

/// How the elements are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Rows of any content.
    Attributes,
    /// The indices of a triangle list.
    Triangles,
    /// Indices of any other kind.
    Indices,
}

/// What is undone after the unpacking of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    None,
    /// Unit vectors, as points of an octahedron.
    Octahedral,
    /// Unit quaternions, without their largest component.
    Quaternion,
    /// Floats, as mantissa and exponent.
    Exponential,
    /// Colours, as luma and two differences.
    Color,
}

/// Decodes one compressed buffer view: `count` elements of `stride` bytes.
///
/// # Errors
///
/// The stride does not suit the mode or the filter, or `data` is not the stream of this many
/// elements.
pub fn decode(
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
    data: &[u8],
) -> Result<Vec<u8>, Fault> {
    check_layout(mode, filter, count, stride)?;
    match mode {
        Mode::Attributes => {
            let mut vertices = vertices::decode(count, stride, data)?;
            filters::undo(filter, stride, &mut vertices);
            Ok(vertices)
        }
        Mode::Triangles if stride == 2 => indices::decode::<2>(count, data),
        Mode::Triangles => indices::decode::<4>(count, data),
        Mode::Indices if stride == 2 => sequence::decode::<2>(count, data),
        Mode::Indices => sequence::decode::<4>(count, data),
    }
}

/// What can be refused before looking at the stream.
fn check_layout(mode: Mode, filter: Filter, count: usize, stride: usize) -> Result<(), Fault> {
    let suits = match mode {
        Mode::Attributes => stride.is_multiple_of(4) && (4..=256).contains(&stride),
        Mode::Triangles | Mode::Indices => stride == 2 || stride == 4,
    };
    if !suits {
        return Err(Fault::ModeStride { mode, stride });
    }
    if mode != Mode::Attributes && filter != Filter::None {
        return Err(Fault::FilteredIndices { mode, filter });
    }
    let suits = match filter {
        Filter::None | Filter::Exponential => true,
        Filter::Octahedral | Filter::Color => stride == 4 || stride == 8,
        Filter::Quaternion => stride == 8,
    };
    if !suits {
        return Err(Fault::FilterStride { filter, stride });
    }
    if mode == Mode::Triangles && !count.is_multiple_of(3) {
        return Err(Fault::PartTriangle { count });
    }
    // No allocation may be larger than this.
    match count.checked_mul(stride) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Fault::TooLarge { count, stride }),
    }
}

/// Why a compressed view was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The mode has no elements of this size.
    ModeStride { mode: Mode, stride: usize },
    /// The filter has no elements of this size.
    FilterStride { filter: Filter, stride: usize },
    /// Only attributes have filters.
    FilteredIndices { mode: Mode, filter: Filter },
    /// The indices do not come in threes.
    PartTriangle { count: usize },
    /// The elements do not fit into memory.
    TooLarge { count: usize, stride: usize },
    /// The first byte is not that of a stream of this mode.
    Header { mode: Mode, found: Option<u8> },
    /// So few bytes cannot hold so many elements, whatever they are.
    TooShort { length: usize, least: usize },
    /// The elements go on where the tail begins.
    Ends { at: usize, within: Place },
    /// A mode of difference that does not exist.
    Channel { channel: usize, found: u8 },
    /// The elements end before the tail begins.
    LeftOver { bytes: usize },
}

/// A part of a stream, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Block(usize),
    Triangle(usize),
    Index(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ModeStride { mode: mode @ Mode::Attributes, stride } => {
                write!(f, "{mode} of {stride} bytes; the size must be 4, 8, 12 and so on to 256")
            }
            Self::ModeStride { mode, stride } => {
                write!(f, "{mode} of {stride} bytes; the size must be 2 or 4")
            }
            Self::FilterStride { filter, stride } => {
                let must = if filter == Filter::Quaternion { "8" } else { "4 or 8" };
                write!(f, "filter {filter} on elements of {stride} bytes; they must have {must}")
            }
            Self::FilteredIndices { mode, filter } => {
                write!(f, "filter {filter} on {mode}; only attributes have filters")
            }
            Self::PartTriangle { count } => {
                write!(f, "{count} indices of triangles; the number must be a multiple of 3")
            }
            Self::TooLarge { count, stride } => {
                write!(f, "{count} elements of {stride} bytes do not fit into memory")
            }
            Self::Header { found: None, .. } => write!(f, "the stream is empty"),
            Self::Header { mode, found: Some(found) } => {
                let first = match mode {
                    Mode::Attributes => "0xa0 or 0xa1",
                    Mode::Triangles => "0xe0 or 0xe1",
                    Mode::Indices => "0xd0 or 0xd1",
                };
                write!(f, "the stream begins with {found:#04x}; one of {mode} begins with {first}")
            }
            Self::TooShort { length, least } => write!(
                f,
                "the stream has {length} bytes; so many elements take {least} bytes at the least",
            ),
            Self::Ends { at, within } => {
                write!(
                    f,
                    "the stream ends after {at} bytes, where its tail begins, within {within}"
                )
            }
            Self::Channel { channel, found } => {
                write!(f, "channel {channel} has mode {found:#04x}; the modes are 0, 1 and 2")
            }
            Self::LeftOver { bytes } => {
                let are = if bytes == 1 { " is" } else { "s are" };
                write!(f, "{bytes} byte{are} left over between the last element and the tail")
            }
        }
    }
}

impl std::error::Error for Fault {}

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

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(block) => write!(f, "vertex block {block}"),
            Self::Triangle(triangle) => write!(f, "triangle {triangle}"),
            Self::Index(index) => write!(f, "index {index}"),
        }
    }
}

/// The version of a stream, 0 or 1, from its first byte: `kind` with the version in the low bits.
fn version(mode: Mode, kind: u8, data: &[u8]) -> Result<u8, Fault> {
    match data.first() {
        Some(&first) if first == kind || first == kind | 1 => Ok(first & 1),
        found => Err(Fault::Header { mode, found: found.copied() }),
    }
}

/// The bytes of a stream after its header, which end where its tail begins.
struct Extra<'a> {
    data: &'a [u8],
    at: usize,
}

impl Extra<'_> {
    /// The next byte, if the tail does not begin here.
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.data.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The next number, in 1 to 5 bytes of 7 bits, the lowest first. The top bit says that more
    /// follow; that of the fifth is ignored, and so are the bits above the 32nd.
    #[inline]
    fn number(&mut self) -> Option<u32> {
        let first = self.byte()?;
        if first < 128 {
            return Some(u32::from(first));
        }
        let mut number = u32::from(first & 127);
        for shift in [7, 14, 21, 28] {
            let next = self.byte()?;
            number |= u32::from(next & 127) << shift;
            if next < 128 {
                break;
            }
        }
        Some(number)
    }

    /// Refuses what was not read.
    fn finish(&self) -> Result<(), Fault> {
        match self.data.len() - self.at {
            0 => Ok(()),
            bytes => Err(Fault::LeftOver { bytes }),
        }
    }
}

/// Undoes the zigzag that gives small numbers to small differences of either sign.
#[inline]
fn unzigzag(v: u32) -> u32 {
    (v >> 1) ^ (v & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(mode: Mode, filter: Filter, count: usize, stride: usize, data: &[u8]) -> String {
        decode(mode, filter, count, stride, data).unwrap_err().to_string()
    }

    #[test]
    fn layouts_that_do_not_exist_are_refused() {
        use {Filter::*, Mode::*};
        for stride in [0, 1, 2, 3, 5, 6, 257, 260, usize::MAX] {
            let fault = Fault::ModeStride { mode: Attributes, stride };
            assert_eq!(decode(Attributes, None, 1, stride, &[]), Err(fault));
        }
        for stride in [0, 1, 3, 8] {
            assert!(matches!(
                decode(Triangles, None, 3, stride, &[]),
                Err(Fault::ModeStride { .. })
            ));
            assert!(matches!(decode(Indices, None, 3, stride, &[]), Err(Fault::ModeStride { .. })));
        }
        assert_eq!(
            refused(Attributes, Color, 1, 12, &[]),
            "filter COLOR on elements of 12 bytes; they must have 4 or 8"
        );
        assert_eq!(
            refused(Attributes, Quaternion, 1, 4, &[]),
            "filter QUATERNION on elements of 4 bytes; they must have 8"
        );
        assert_eq!(
            refused(Triangles, Octahedral, 3, 4, &[]),
            "filter OCTAHEDRAL on triangles; only attributes have filters"
        );
        assert_eq!(
            refused(Triangles, None, 4, 2, &[]),
            "4 indices of triangles; the number must be a multiple of 3"
        );
    }

    #[test]
    fn more_than_memory_is_refused_before_it_is_allocated() {
        for (mode, data) in [
            (Mode::Attributes, [0xa0; 64]),
            (Mode::Attributes, [0xa1; 64]),
            (Mode::Triangles, [0xe1; 64]),
            (Mode::Indices, [0xd1; 64]),
        ] {
            for count in [usize::MAX / 3 * 3, usize::MAX / 12 * 3, usize::MAX / 3072 * 3] {
                let fault = decode(mode, Filter::None, count, 4, &data).unwrap_err();
                assert!(
                    matches!(fault, Fault::TooLarge { .. } | Fault::TooShort { .. }),
                    "{fault}"
                );
            }
        }
    }

    #[test]
    fn a_stream_of_another_kind_is_told_apart() {
        assert_eq!(
            refused(Mode::Triangles, Filter::None, 3, 2, &[0xa0; 40]),
            "the stream begins with 0xa0; one of triangles begins with 0xe0 or 0xe1"
        );
        assert_eq!(
            refused(Mode::Attributes, Filter::None, 3, 4, &[0xa2; 40]),
            "the stream begins with 0xa2; one of attributes begins with 0xa0 or 0xa1"
        );
        assert_eq!(refused(Mode::Indices, Filter::None, 0, 2, &[]), "the stream is empty");
    }

    #[test]
    fn a_number_has_at_most_five_bytes() {
        let number = |data: &[u8]| {
            let mut extra = Extra { data, at: 0 };
            (extra.number(), extra.at)
        };
        assert_eq!(number(&[0x7f]), (Some(0x7f), 1));
        assert_eq!(number(&[0x81, 0x04, 9]), (Some(0x201), 2));
        assert_eq!(number(&[0xff, 0xff, 0xff, 0xff, 0xff, 1]), (Some(u32::MAX), 5));
        assert_eq!(number(&[0x80, 0x80]), (None, 2));
        assert_eq!(number(&[]), (None, 0));
    }
}
