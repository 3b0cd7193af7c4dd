//! The components of an accessor as stored, and their minimum and maximum.
//!
//! Integers are not converted even if they are normalized, as in `min` and `max` of glTF.

use std::collections::BTreeMap;

use super::{Accessor, Component};

impl Accessor<'_> {
    /// Returns the minimum and maximum of each component, or `None` if the accessor has no bytes,
    /// for example because they are compressed by Draco. Ignores NaN.
    pub(crate) fn min_max(&self) -> Option<[Vec<f64>; 2]> {
        let mut min = vec![f64::INFINITY; self.components];
        let mut max = vec![f64::NEG_INFINITY; self.components];
        self.for_each_stored(|element| {
            for ((min, max), &value) in min.iter_mut().zip(&mut max).zip(element) {
                if value < *min {
                    *min = value;
                }
                if value > *max {
                    *max = value;
                }
            }
        });
        let is_known = min.iter().zip(&max).all(|(min, max)| min <= max);
        is_known.then_some([min, max])
    }

    /// Calls `visit` with the components of each element, in order; not for accessors without
    /// bytes. If a sparse accessor has no base, its zeros are visited once.
    pub(crate) fn for_each_stored(&self, mut visit: impl FnMut(&[f64])) {
        if self.is_fallback || self.count == 0 || (self.bytes.is_none() && self.sparse.is_none()) {
            return;
        }
        let offsets = self.offsets();
        let mut replaced = BTreeMap::new();
        if let Some(sparse) = &self.sparse {
            let size = self.element_size();
            for number in 0..sparse.count {
                // If an element is replaced twice, the last value counts.
                replaced.insert(sparse.index(number), &sparse.values[number * size..]);
            }
        }
        let mut values = vec![0.0; self.components];
        let mut read = |bytes: &[u8]| {
            for (value, &offset) in values.iter_mut().zip(&offsets) {
                *value = stored_value(self.component, bytes.get(offset..).unwrap_or_default());
            }
            visit(&values);
        };
        let Some(bytes) = self.bytes else {
            replaced.values().for_each(|bytes| read(bytes));
            if replaced.len() < self.count {
                read(&[]);
            }
            return;
        };
        for (index, bytes) in bytes.chunks(self.stride).enumerate() {
            let sparse = if replaced.is_empty() { None } else { replaced.get(&index).copied() };
            read(sparse.unwrap_or(bytes));
        }
    }

    /// Returns `true` if the components are floats.
    pub(crate) fn is_float(&self) -> bool {
        self.component == Component::F32
    }

    /// Returns the index that restarts a primitive.
    pub(crate) fn restart_index(&self) -> Option<f64> {
        match self.component {
            Component::U8 => Some(u8::MAX.into()),
            Component::U16 => Some(u16::MAX.into()),
            Component::U32 => Some(u32::MAX.into()),
            _ => None,
        }
    }

    /// Returns the number of bytes that [`for_each_stored`](Self::for_each_stored) reads.
    pub(crate) fn stored_bytes(&self) -> usize {
        let sparse = self.sparse.as_ref().map_or(0, |it| it.indices.len() + it.values.len());
        self.bytes.map_or(0, <[u8]>::len).saturating_add(sparse)
    }

    /// Returns the number of bytes of an element, with the padding of its columns.
    fn element_size(&self) -> usize {
        let column = self.components / self.columns * self.component.size();
        if self.columns == 1 { column } else { column.next_multiple_of(4) * self.columns }
    }

    /// Returns the byte offsets of the components of an element.
    fn offsets(&self) -> Vec<usize> {
        let (rows, size) = (self.components / self.columns, self.component.size());
        let column = if self.columns == 1 { 0 } else { (rows * size).next_multiple_of(4) };
        (0..self.components).map(|it| it / rows * column + it % rows * size).collect()
    }
}

/// Reads the first component as stored.
fn stored_value(component: Component, bytes: &[u8]) -> f64 {
    match (component, bytes) {
        (Component::I8, [a, ..]) => f64::from(*a as i8),
        (Component::U8, [a, ..]) => f64::from(*a),
        (Component::I16, [a, b, ..]) => f64::from(i16::from_le_bytes([*a, *b])),
        (Component::U16, [a, b, ..]) => f64::from(u16::from_le_bytes([*a, *b])),
        (Component::U32, [a, b, c, d, ..]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        (Component::F32, [a, b, c, d, ..]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => 0.0,
    }
}
