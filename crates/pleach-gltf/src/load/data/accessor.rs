//! Accessors: typed elements in buffer views.
//!
//! Invariant: an `Accessor` was validated: all of its elements lie within its view, and its sparse
//! elements within theirs. Reading can therefore fail only because of the memory budget, an
//! unexpected element type, or a fallback buffer.

mod min_max;

use glam::{Quat, Vec2, Vec3, Vec4};

use super::views::View;
use crate::diagnostics::{Pointer, Result};
use crate::json::{self, check_index};
use crate::load::Load;
use crate::load::budget::Budget;
use crate::{Error, WarningCode};

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: json::UInt, at: &Pointer<'_>) -> Result<Self> {
        Ok(match code.get() {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            other => {
                let message = format!("{other} is not a component type (5120 to 5123, 5125, 5126)");
                return Err(Error::value(at, message));
            }
        })
    }

    /// Returns the name in the specification.
    fn name(self) -> &'static str {
        match self {
            Self::I8 => "BYTE",
            Self::U8 => "UNSIGNED_BYTE",
            Self::I16 => "SHORT",
            Self::U16 => "UNSIGNED_SHORT",
            Self::U32 => "UNSIGNED_INT",
            Self::F32 => "FLOAT",
        }
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// Returns the rows and columns of an element type.
fn element_shape(kind: &str) -> Option<(usize, usize)> {
    Some(match kind {
        "SCALAR" => (1, 1),
        "VEC2" => (2, 1),
        "VEC3" => (3, 1),
        "VEC4" => (4, 1),
        "MAT2" => (2, 2),
        "MAT3" => (3, 3),
        "MAT4" => (4, 4),
        _ => return None,
    })
}

/// A validated accessor.
#[derive(Clone, Debug)]
pub(crate) struct Accessor<'a> {
    pub(crate) count: usize,
    /// The number of components of an element.
    pub(crate) components: usize,
    /// The columns of a matrix; 1 for other types.
    columns: usize,
    pub(crate) component: Component,
    pub(crate) normalized: bool,
    /// The bytes from the first element; `None` if all elements are zero.
    bytes: Option<&'a [u8]>,
    stride: usize,
    sparse: Option<Sparse<'a>>,
    /// `true` if the buffer view has a `byteStride`.
    pub(crate) has_stride: bool,
    /// `true` if the buffer is a fallback without bytes.
    is_fallback: bool,
}

#[derive(Clone, Debug)]
struct Sparse<'a> {
    count: usize,
    indices: &'a [u8],
    index: Component,
    values: &'a [u8],
}

/// Checks all accessors of a file.
pub(crate) fn accessors<'a>(
    load: &mut Load<'_>,
    views: &'a [View<'a>],
) -> Result<Vec<Accessor<'a>>> {
    let entries = load.root.accessors.iter().enumerate();
    let mut loader = AccessorLoader { load, views };
    entries.map(|(index, it)| loader.accessor(it, &Pointer::entry("accessors", index))).collect()
}

/// Checks accessors against the buffer views of their file.
struct AccessorLoader<'l, 'a, 'r> {
    load: &'l mut Load<'r>,
    views: &'a [View<'a>],
}

impl<'a> AccessorLoader<'_, 'a, '_> {
    fn accessor(
        &mut self,
        accessor: &json::Accessor<'_>,
        at: &Pointer<'_>,
    ) -> Result<Accessor<'a>> {
        let component = Component::new(accessor.component_type, &at.key("componentType"))?;
        let Some((rows, columns)) = element_shape(&accessor.kind) else {
            let message =
                format!("{:?} is not one of SCALAR, VEC2 to VEC4, MAT2 to MAT4", &*accessor.kind);
            return Err(Error::value(&at.key("type"), message));
        };
        // Matrix columns are aligned to four bytes; the last element need not be padded at its end.
        let column = rows * component.size();
        let size = if columns == 1 { column } else { column.next_multiple_of(4) * columns };
        let padding = if columns == 1 { 0 } else { column.next_multiple_of(4) - column };
        let count = accessor.count.index();
        if count == 0 {
            let message = "the accessor has no elements";
            self.load.tolerate(&at.key("count"), WarningCode::EmptyAccessor, message)?;
        }
        let mut made = Accessor {
            count,
            components: rows * columns,
            columns,
            component,
            normalized: accessor.normalized,
            bytes: None,
            stride: size,
            sparse: None,
            has_stride: false,
            is_fallback: false,
        };
        if let Some(view) = accessor.buffer_view {
            let index = check_index(view, self.views.len(), "buffer view", &at.key("bufferView"))?;
            let view = &self.views[index];
            let offset = accessor.byte_offset.index();
            made.has_stride = view.stride.is_some();
            made.stride = view.stride.unwrap_or(size);
            if made.stride < size {
                let message = format!(
                    "its buffer view has a stride of {} bytes, but an element has {size} bytes",
                    made.stride
                );
                return Err(Error::data(&at.key("bufferView"), message));
            }
            match &view.bytes {
                None => made.is_fallback = true,
                Some(bytes) => {
                    let needed = byte_span(count, made.stride, size - padding)
                        .and_then(|it| it.checked_add(offset));
                    let Some(needed) = needed.filter(|&needed| needed <= bytes.len()) else {
                        let message = format!(
                            "{count} elements of {size} bytes with a stride of {} at offset {offset} do \
                             not fit in buffer view {index}, which has {} bytes",
                            made.stride,
                            bytes.len(),
                        );
                        return Err(Error::data(&at.key("count"), message));
                    };
                    made.bytes = Some(&bytes[offset.min(needed)..needed]);
                }
            }
            if !offset.is_multiple_of(component.size()) {
                let message =
                    format!("the offset {offset} is not a multiple of {}", component.size());
                self.load.tolerate(
                    &at.key("byteOffset"),
                    WarningCode::UnalignedAccessor,
                    message,
                )?;
            }
        }
        if let Some(sparse) = &accessor.sparse {
            // Bounds the time rather than the memory: many accessors could share the same indices.
            self.load.budget.take(&at.key("sparse"), sparse.count.index().min(count), 4)?;
            made.sparse = Some(self.sparse(sparse, [size, padding, count], &at.key("sparse"))?);
        }
        Ok(made)
    }

    fn sparse(
        &mut self,
        sparse: &json::Sparse,
        [size, padding, elements]: [usize; 3],
        at: &Pointer<'_>,
    ) -> Result<Sparse<'a>> {
        let count = sparse.count.index();
        if count > elements {
            let message = format!("{count} sparse elements, but the accessor has only {elements}");
            return Err(Error::data(&at.key("count"), message));
        }
        let indices_at = at.key("indices");
        let index =
            Component::new(sparse.indices.component_type, &indices_at.key("componentType"))?;
        if !matches!(index, Component::U8 | Component::U16 | Component::U32) {
            return Err(Error::value(
                &indices_at.key("componentType"),
                "indices must be unsigned: 5121, 5123 or 5125",
            ));
        }
        let views = self.views;
        let tight = |view: json::UInt,
                     offset: json::UInt,
                     [size, padding]: [usize; 2],
                     at: &Pointer<'_>| {
            let number = check_index(view, views.len(), "buffer view", &at.key("bufferView"))?;
            let bytes = views[number].bytes.as_deref().unwrap_or_default();
            let needed = byte_span(count, size, size - padding);
            let range = needed.and_then(|it| Some(offset.index()..it.checked_add(offset.index())?));
            range.and_then(|range| bytes.get(range)).ok_or_else(|| {
                let message = format!(
                    "{count} elements of {size} bytes at offset {} do not fit in buffer view {number}, \
                     which has {} bytes",
                    offset.get(),
                    bytes.len(),
                );
                Error::data(at, message)
            })
        };
        let indices = tight(
            sparse.indices.buffer_view,
            sparse.indices.byte_offset,
            [index.size(), 0],
            &indices_at,
        )?;
        let values = tight(
            sparse.values.buffer_view,
            sparse.values.byte_offset,
            [size, padding],
            &at.key("values"),
        )?;
        let made = Sparse { count, indices, index, values };
        let mut before = None;
        for number in 0..count {
            let element = made.index(number);
            if element >= elements {
                let message =
                    format!("entry {number} is element {element}, but the accessor has {elements}");
                return Err(Error::data(&indices_at, message));
            }
            if before.is_some_and(|before| before >= element) {
                let message =
                    format!("entry {number} (element {element}) is not in increasing order");
                self.load.tolerate(&indices_at, WarningCode::SparseIndexOrder, message)?;
                break;
            }
            before = Some(element);
        }
        if (0..count).any(|number| made.index(number) >= elements) {
            return Err(Error::data(
                &indices_at,
                format!("an entry exceeds the {elements} elements of the accessor"),
            ));
        }
        Ok(made)
    }
}

/// Returns the number of bytes from the first to the last byte of `count` elements.
fn byte_span(count: usize, stride: usize, size: usize) -> Option<usize> {
    match count {
        0 => Some(0),
        _ => (count - 1).checked_mul(stride)?.checked_add(size),
    }
}

impl Sparse<'_> {
    fn index(&self, number: usize) -> usize {
        read_uint(self.index, &self.indices[number * self.index.size()..]) as usize
    }
}

/// Reads the first component as an unsigned integer.
#[inline]
fn read_uint(component: Component, bytes: &[u8]) -> u32 {
    match (component, bytes) {
        (Component::U8 | Component::I8, [a, ..]) => u32::from(*a),
        (Component::U16 | Component::I16, [a, b, ..]) => u32::from(u16::from_le_bytes([*a, *b])),
        (_, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
        _ => 0,
    }
}

/// Reads the first component as `f32`.
#[inline]
fn read_float(component: Component, normalized: bool, bytes: &[u8]) -> f32 {
    match (component, bytes) {
        (Component::F32, [a, b, c, d, ..]) => f32::from_le_bytes([*a, *b, *c, *d]),
        (Component::U8, [a, ..]) if normalized => f32::from(*a) / 255.0,
        (Component::U8, [a, ..]) => f32::from(*a),
        (Component::I8, [a, ..]) if normalized => (f32::from(*a as i8) / 127.0).max(-1.0),
        (Component::I8, [a, ..]) => f32::from(*a as i8),
        (Component::U16, [a, b, ..]) => {
            let value = f32::from(u16::from_le_bytes([*a, *b]));
            if normalized { value / 65535.0 } else { value }
        }
        (Component::I16, [a, b, ..]) => {
            let value = f32::from(i16::from_le_bytes([*a, *b]));
            if normalized { (value / 32767.0).max(-1.0) } else { value }
        }
        (Component::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]) as f32,
        _ => 0.0,
    }
}

impl<'a> Accessor<'a> {
    /// Creates an accessor of tightly packed elements.
    #[cfg(feature = "draco")]
    pub(super) fn tightly_packed(
        bytes: &'a [u8],
        components: usize,
        component: Component,
        normalized: bool,
    ) -> Self {
        let stride = components * component.size();
        Self {
            count: bytes.len() / stride.max(1),
            components,
            columns: 1,
            component,
            normalized,
            bytes: Some(bytes),
            stride: stride.max(1),
            sparse: None,
            has_stride: false,
            is_fallback: false,
        }
    }

    /// Returns `true` if the accessor has bytes, so that it is not all zeros.
    #[cfg(not(feature = "draco"))]
    pub(super) fn has_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    /// Reads elements of `N` components as `f32` and converts each with `make`.
    pub(crate) fn read<const N: usize, T: Clone>(
        &self,
        at: &Pointer<'_>,
        budget: &mut Budget,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>> {
        self.check_present(at)?;
        // Smaller matrices may have padding between columns, and glTF does not use them.
        let columns = if N == 16 { 4 } else { 1 };
        if self.components != N || self.columns != columns {
            let message =
                format!("elements have {} components, but {N} are required", self.components);
            return Err(Error::value(at, message));
        }
        let mut out: Vec<T> = budget.vec(at, self.count)?;
        let size = self.component.size();
        let element = |bytes: &[u8]| -> [f32; N] {
            std::array::from_fn(|i| {
                read_float(
                    self.component,
                    self.normalized,
                    bytes.get(i * size..).unwrap_or_default(),
                )
            })
        };
        match self.bytes {
            None => out.resize(self.count, make([0.0; N])),
            // The common case, which compiles to a copy.
            Some(bytes) if self.component == Component::F32 => {
                let plain = |bytes: &[u8]| -> [f32; N] {
                    let (words, _) = bytes.as_chunks::<4>();
                    std::array::from_fn(|i| f32::from_le_bytes(words[i]))
                };
                if self.stride == N * 4 {
                    out.extend(bytes.chunks_exact(N * 4).map(|bytes| make(plain(bytes))));
                } else {
                    out.extend(bytes.chunks(self.stride).map(|bytes| make(plain(bytes))));
                }
            }
            Some(bytes) => {
                out.extend(bytes.chunks(self.stride).map(|bytes| make(element(bytes))));
            }
        }
        if let Some(sparse) = &self.sparse {
            for (number, bytes) in
                sparse.values.chunks_exact(N * size).enumerate().take(sparse.count)
            {
                out[sparse.index(number)] = make(element(bytes));
            }
        }
        Ok(out)
    }

    /// Reads elements of `N` unsigned integers and converts each with `make`.
    pub(crate) fn read_uints<const N: usize, T: Clone>(
        &self,
        at: &Pointer<'_>,
        budget: &mut Budget,
        make: impl Fn([u32; N]) -> T,
    ) -> Result<Vec<T>> {
        self.check_present(at)?;
        let is_unsigned = matches!(self.component, Component::U8 | Component::U16 | Component::U32);
        if self.components != N || self.columns != 1 || !is_unsigned {
            let message = format!(
                "elements have {} components of type {}, but {N} unsigned integers are required",
                self.components,
                self.component.name(),
            );
            return Err(Error::value(at, message));
        }
        let mut out: Vec<T> = budget.vec(at, self.count)?;
        let size = self.component.size();
        let element = |bytes: &[u8]| -> [u32; N] {
            std::array::from_fn(|i| {
                read_uint(self.component, bytes.get(i * size..).unwrap_or_default())
            })
        };
        match self.bytes {
            None => out.resize(self.count, make([0; N])),
            Some(bytes) => {
                out.extend(bytes.chunks(self.stride).map(|bytes| make(element(bytes))));
            }
        }
        if let Some(sparse) = &self.sparse {
            for (number, bytes) in
                sparse.values.chunks_exact(N * size).enumerate().take(sparse.count)
            {
                out[sparse.index(number)] = make(element(bytes));
            }
        }
        Ok(out)
    }

    fn check_present(&self, at: &Pointer<'_>) -> Result<()> {
        if self.is_fallback {
            let message = "its buffer has no bytes: it is a fallback for compressed data";
            return Err(Error::data(at, message));
        }
        Ok(())
    }

    pub(crate) fn scalars(&self, at: &Pointer<'_>, budget: &mut Budget) -> Result<Vec<f32>> {
        self.read(at, budget, |[x]| x)
    }

    pub(crate) fn vec2s(&self, at: &Pointer<'_>, budget: &mut Budget) -> Result<Vec<Vec2>> {
        self.read(at, budget, Vec2::from_array)
    }

    pub(crate) fn vec3s(&self, at: &Pointer<'_>, budget: &mut Budget) -> Result<Vec<Vec3>> {
        self.read(at, budget, Vec3::from_array)
    }

    pub(crate) fn vec4s(&self, at: &Pointer<'_>, budget: &mut Budget) -> Result<Vec<Vec4>> {
        self.read(at, budget, Vec4::from_array)
    }

    pub(crate) fn quats(&self, at: &Pointer<'_>, budget: &mut Budget) -> Result<Vec<Quat>> {
        self.read(at, budget, Quat::from_array)
    }
}
