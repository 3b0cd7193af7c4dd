//! The minimum and maximum of an accessor's components, as stored.
//!
//! Integers are not converted even if they are normalized, as in `min` and `max` of glTF.

use std::collections::BTreeMap;

use super::{Accessor, Component};

impl Accessor<'_> {
    /// Returns the minimum and maximum of each component, or `None` if the accessor has no bytes,
    /// for example because they are compressed by Draco. Ignores NaN.
    pub(crate) fn min_max(&self) -> Option<[Vec<f64>; 2]> {
        if self.is_fallback || self.count == 0 || (self.bytes.is_none() && self.sparse.is_none()) {
            return None;
        }
        let offsets = self.offsets();
        let mut range = MinMax { min: vec![f64::INFINITY; self.components], max: Vec::new() };
        range.max = range.min.iter().map(|it| -it).collect();
        let mut replaced = BTreeMap::new();
        if let Some(sparse) = &self.sparse {
            let size = self.element_size();
            for number in 0..sparse.count {
                // If an element is replaced twice, the last value counts.
                replaced.insert(sparse.index(number), &sparse.values[number * size..]);
            }
        }
        for bytes in replaced.values() {
            range.add(self.component, &offsets, bytes);
        }
        match self.bytes {
            Some(bytes) => {
                for (index, bytes) in bytes.chunks(self.stride).enumerate() {
                    if replaced.is_empty() || !replaced.contains_key(&index) {
                        range.add(self.component, &offsets, bytes);
                    }
                }
            }
            None if replaced.len() < self.count => range.add_zeros(),
            None => {}
        }
        let is_nonempty = |(min, max): (&f64, &f64)| min <= max;
        let is_known = range.min.iter().zip(&range.max).all(is_nonempty);
        is_known.then_some([range.min, range.max])
    }

    /// Returns the number of bytes that [`min_max`](Self::min_max) reads.
    pub(crate) fn min_max_bytes(&self) -> usize {
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

struct MinMax {
    min: Vec<f64>,
    max: Vec<f64>,
}

impl MinMax {
    fn add(&mut self, component: Component, offsets: &[usize], element: &[u8]) {
        let numbers = self.min.iter_mut().zip(&mut self.max).zip(offsets);
        for ((min, max), &offset) in numbers {
            let value = stored_value(component, element.get(offset..).unwrap_or_default());
            if value < *min {
                *min = value;
            }
            if value > *max {
                *max = value;
            }
        }
    }

    fn add_zeros(&mut self) {
        self.min.iter_mut().for_each(|it| *it = it.min(0.0));
        self.max.iter_mut().for_each(|it| *it = it.max(0.0));
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
