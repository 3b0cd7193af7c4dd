//! The filters: from decoded elements to what they encode.
//!
//! Each reads and writes the elements in place, one at a time. Guarantees the results of
//! meshoptimizer's portable decoder bit for bit, whatever the input: the same operations on `f32`
//! in the same order, rounded half away from zero, and truncated to the bits of the output. (Its
//! SIMD decoders may differ by one in the last place, which the extension allows.)
//!
//! - `octahedral.rs`, `quaternion.rs`, `exponential.rs`, `color.rs`: one filter each.

mod color;
mod exponential;
mod octahedral;
mod quaternion;

use crate::Filter;

/// Applies a filter to elements of this stride, which suits the filter.
pub(crate) fn apply(filter: Filter, stride: usize, elements: &mut [u8]) {
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => each(elements, octahedral::decode_8),
        (Filter::Octahedral, _) => each(elements, octahedral::decode_16),
        (Filter::Quaternion, _) => each(elements, quaternion::decode),
        (Filter::Exponential, _) => each(elements, exponential::decode),
        (Filter::Color, 4) => each(elements, color::decode_8),
        (Filter::Color, _) => each(elements, color::decode_16),
    }
}

#[inline]
fn each<const N: usize>(elements: &mut [u8], decode: impl Fn(&mut [u8; N])) {
    elements.as_chunks_mut().0.iter_mut().for_each(decode);
}

/// Rounds to the nearest integer, halves away from zero. NaN becomes 0.
#[inline]
fn round(v: f32) -> i32 {
    (v + 0.5f32.copysign(v)) as i32
}

#[cfg(test)]
fn decode_attributes(filter: Filter, count: usize, byte_stride: usize, stream: &[u8]) -> Vec<u8> {
    let mode = crate::Mode::Attributes;
    crate::decode(&crate::Layout { mode, filter, count, byte_stride }, stream).unwrap()
}
