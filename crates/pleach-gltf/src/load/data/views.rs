//! Buffer views: slices of buffers, decompressed if they are compressed.
//!
//! Invariant: a `View` lies within its buffer.

use std::borrow::Cow;

use super::buffers::{Buffer, Origin};
use crate::diagnostics::{Pointer, Result};
use crate::json::{self, check_index};
use crate::load::Load;
use crate::{Error, WarningCode};

/// A slice of a buffer.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// `None` if the buffer is a fallback without bytes.
    pub(crate) bytes: Option<Cow<'a, [u8]>>,
    pub(crate) stride: Option<usize>,
}

/// Loads all buffer views of a file.
pub(crate) fn views<'a>(load: &mut Load<'_>, buffers: &'a [Buffer]) -> Result<Vec<View<'a>>> {
    let root = load.root;
    let mut views = Vec::new();
    for (index, view) in root.buffer_views.iter().enumerate() {
        let at = Pointer::entry("bufferViews", index);
        let buffer = check_index(view.buffer, buffers.len(), "buffer", &at.key("buffer"))?;
        let stride = view.byte_stride.map(json::UInt::index);
        if let Some(stride) = stride.filter(|stride| !(4..=252).contains(stride) || stride % 4 != 0)
        {
            let message =
                format!("a stride of {stride} bytes; it must be a multiple of 4 from 4 to 252");
            load.tolerate(&at.key("byteStride"), WarningCode::InvalidByteStride, message)?;
        }
        let bytes = match view.compressed() {
            Some((name, compressed)) => {
                let extensions = at.key("extensions");
                let at = extensions.key(name);
                let bytes = decompress(load, compressed, buffers, view.byte_length.index(), &at)?;
                Some(Cow::Owned(bytes))
            }
            None if buffers[buffer].origin == Origin::Fallback => None,
            None => {
                let range = [view.byte_offset, view.byte_length].map(json::UInt::index);
                Some(Cow::Borrowed(slice_buffer(&buffers[buffer].bytes, range, buffer, &at)?))
            }
        };
        views.push(View { bytes, stride });
    }
    Ok(views)
}

/// Returns the bytes of a buffer at an offset, with a length.
fn slice_buffer<'a>(
    bytes: &'a [u8],
    [offset, length]: [usize; 2],
    buffer: usize,
    at: &Pointer<'_>,
) -> Result<&'a [u8]> {
    let end = offset.checked_add(length);
    end.and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
        let message = format!(
            "{length} bytes at offset {offset} exceed buffer {buffer}, which has {} bytes",
            bytes.len()
        );
        Error::data(&at.key("byteLength"), message)
    })
}

fn decompress(
    load: &mut Load<'_>,
    view: &json::Compressed<'_>,
    buffers: &[Buffer],
    length: usize,
    at: &Pointer<'_>,
) -> Result<Vec<u8>> {
    let buffer = check_index(view.buffer, buffers.len(), "buffer", &at.key("buffer"))?;
    let range = [view.byte_offset, view.byte_length].map(json::UInt::index);
    let data = slice_buffer(&buffers[buffer].bytes, range, buffer, at)?;
    let mode = match &*view.mode {
        "ATTRIBUTES" => pleach_meshopt::Mode::Attributes,
        "TRIANGLES" => pleach_meshopt::Mode::Triangles,
        "INDICES" => pleach_meshopt::Mode::Indices,
        other => {
            let message = format!("{other:?} is not one of ATTRIBUTES, TRIANGLES and INDICES");
            return Err(Error::value(&at.key("mode"), message));
        }
    };
    let filter = match view.filter.as_deref().unwrap_or("NONE") {
        "NONE" => pleach_meshopt::Filter::None,
        "OCTAHEDRAL" => pleach_meshopt::Filter::Octahedral,
        "QUATERNION" => pleach_meshopt::Filter::Quaternion,
        "EXPONENTIAL" => pleach_meshopt::Filter::Exponential,
        "COLOR" => pleach_meshopt::Filter::Color,
        other => {
            let message = format!(
                "{other:?} is not one of NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL and COLOR"
            );
            return Err(Error::value(&at.key("filter"), message));
        }
    };
    let (count, stride) = (view.count.index(), view.byte_stride.index());
    if count.checked_mul(stride) != Some(length) {
        let message =
            format!("{count} elements of {stride} bytes are not the {length} bytes of the view");
        return Err(Error::data(&at.key("count"), message));
    }
    load.budget.take(&at.key("count"), count, stride)?;
    let layout = pleach_meshopt::Layout { mode, filter, count, byte_stride: stride };
    pleach_meshopt::decode(&layout, data).map_err(|error| match error {
        pleach_meshopt::Error::OutOfMemory { bytes } => Error::out_of_memory(at.to_string(), bytes),
        error => Error::data(at, error.to_string()),
    })
}
