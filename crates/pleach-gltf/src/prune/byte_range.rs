//! Byte ranges of buffer views, and of accessors in them.

use std::ops::Range;

use crate::json::{Accessor, BufferView, Root, UInt};

/// A range of bytes in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByteRange {
    pub(super) buffer: usize,
    pub(super) bytes: Range<usize>,
}

impl ByteRange {
    fn new(buffer: UInt, offset: UInt, length: UInt) -> Option<Self> {
        let start = offset.index();
        Some(Self { buffer: buffer.index(), bytes: start..start.checked_add(length.index())? })
    }

    /// Returns the range of a view.
    pub(super) fn of_view(view: &BufferView<'_>) -> Option<Self> {
        Self::new(view.buffer, view.byte_offset, view.byte_length)
    }

    /// Returns the ranges of the compressed bytes of a view, with the extension.
    pub(super) fn of_compressed(
        view: &BufferView<'_>,
    ) -> impl Iterator<Item = (&'static str, Self)> {
        let extensions = view.extensions.as_ref();
        let both = extensions.map(|it| {
            [
                ("EXT_meshopt_compression", &it.ext_meshopt),
                ("KHR_meshopt_compression", &it.khr_meshopt),
            ]
        });
        both.into_iter().flatten().filter_map(|(name, view)| {
            let view = view.as_ref()?;
            Some((name, Self::new(view.buffer, view.byte_offset, view.byte_length)?))
        })
    }

    /// Returns the bytes from an accessor's first element to its last. `view` is the accessor's
    /// view or an equal one. Returns `None` for compressed views.
    pub(super) fn of_accessor(
        root: &Root<'_>,
        accessor: &Accessor<'_>,
        view: usize,
    ) -> Option<Self> {
        let view = root.buffer_views.get(view)?;
        if view.compressed().is_some() {
            return None;
        }
        let (whole, size) = (Self::of_view(view)?, element_size(accessor)?);
        let stride = view.byte_stride.map_or(size, UInt::index);
        let steps = accessor.count.index().checked_sub(1)?.checked_mul(stride)?;
        let start = whole.bytes.start.checked_add(accessor.byte_offset.index())?;
        let end = start.checked_add(steps)?.checked_add(size)?;
        (end <= whole.bytes.end).then_some(Self { buffer: whole.buffer, bytes: start..end })
    }
}

/// Returns the size of an element in bytes.
pub(super) fn element_size(accessor: &Accessor<'_>) -> Option<usize> {
    let size = match accessor.component_type.get() {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    Some(match &*accessor.kind {
        "SCALAR" => size,
        "VEC2" => 2 * size,
        "VEC3" => 3 * size,
        "VEC4" => 4 * size,
        // Matrix columns start at multiples of four bytes.
        "MAT2" => 2 * (2 * size).next_multiple_of(4),
        "MAT3" => 3 * (3 * size).next_multiple_of(4),
        "MAT4" => 16 * size,
        _ => return None,
    })
}
