//! `decode`: check the layout, decode the stream, apply the filter.

use crate::codecs::{index_sequence, triangle, vertex};
use crate::{Error, Layout, Mode, filters};

/// Decodes a stream to `layout.count` elements of `layout.byte_stride` bytes, in little-endian
/// order.
///
/// Indices are not checked against a number of vertices: a stream may encode any index.
///
/// # Memory
///
/// The result is the only allocation: [`Layout::byte_length`] bytes, made after the stream was
/// found to be long enough for that many elements. As the shortest streams repeat one element,
/// it may be 1024 times the length of the stream.
///
/// # Errors
///
/// [`Error`] if the layout is invalid, or if `data` is not a stream of this layout. A layout is
/// valid if [`Mode`] and [`Filter`](crate::Filter) allow the stride, the filter is `None` unless the
/// mode is `Attributes`, and the count is a multiple of 3 if the mode is `Triangles`.
pub fn decode(layout: &Layout, data: &[u8]) -> Result<Vec<u8>, Error> {
    layout.check()?;
    let Layout { mode, filter, count, byte_stride } = *layout;
    match mode {
        Mode::Attributes => {
            let mut elements = vertex::decode(count, byte_stride, data)?;
            filters::apply(filter, byte_stride, &mut elements);
            Ok(elements)
        }
        Mode::Triangles if byte_stride == 2 => triangle::decode::<2>(count, data),
        Mode::Triangles => triangle::decode::<4>(count, data),
        Mode::Indices if byte_stride == 2 => index_sequence::decode::<2>(count, data),
        Mode::Indices => index_sequence::decode::<4>(count, data),
    }
}
