//! Attribute transforms: from integers to the values they encode, by point.

use super::descriptor::{AttributeDescriptor, Encoding};
use crate::Error;
use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::prediction::octahedron::Octahedron;

/// Values by entry, before the transform.
pub(super) enum EntryValues<'a> {
    Raw(&'a [u8]),
    Integers(Vec<i32>),
}

/// The conversion from decoded integers to values.
pub(super) enum AttributeTransform {
    /// Unchanged.
    Identity,
    /// To floats: `min + integer * step`.
    Dequantize { min: Vec<f32>, step: f32 },
    /// To unit vectors.
    Octahedral(Octahedron),
}

impl AttributeTransform {
    pub(super) fn read(
        reader: &mut Reader<'_>,
        descriptor: &AttributeDescriptor,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        match descriptor.encoding {
            Encoding::Raw | Encoding::Integer => Ok(Self::Identity),
            Encoding::Octahedral => {
                Ok(Self::Octahedral(Octahedron::with_quantization_bits(reader.u8()?.into())?))
            }
            Encoding::Quantized => {
                let mut min = budget.vec_with_capacity(descriptor.components)?;
                for _ in 0..descriptor.components {
                    min.push(reader.f32()?);
                }
                let range = reader.f32()?;
                let quantization_bits = reader.u8()?;
                if !(1..=30).contains(&quantization_bits) {
                    return Err(Error::Malformed("floats are not quantized to 1 to 30 bits"));
                }
                let step = range / ((1 << quantization_bits) - 1) as f32;
                Ok(Self::Dequantize { min, step })
            }
        }
    }

    /// Appends a value in little-endian order.
    fn append(&self, value: &[i32], descriptor: &AttributeDescriptor, bytes: &mut Vec<u8>) {
        match self {
            Self::Identity => {
                let size = descriptor.data_type.size();
                for component in value {
                    bytes.extend_from_slice(&component.to_le_bytes()[..size]);
                }
            }
            Self::Dequantize { min, step } => {
                for (&component, min) in value.iter().zip(min) {
                    bytes.extend_from_slice(&(component as f32 * step + min).to_le_bytes());
                }
            }
            Self::Octahedral(octahedron) => {
                for component in octahedron.unit_vector([value[0], value[1]]) {
                    bytes.extend_from_slice(&component.to_le_bytes());
                }
            }
        }
    }
}

/// Returns the bytes of the values of all points. `entries` are the entries of the points.
pub(super) fn values_by_point(
    descriptor: &AttributeDescriptor,
    values: &EntryValues<'_>,
    transform: &AttributeTransform,
    entries: impl ExactSizeIterator<Item = usize>,
    budget: &mut Budget,
) -> Result<Vec<u8>, Error> {
    let size = descriptor.value_size();
    let mut bytes = budget.vec_with_capacity(entries.len().saturating_mul(size))?;
    match values {
        EntryValues::Raw(raw) => {
            for entry in entries {
                bytes.extend_from_slice(value(raw, entry, size)?);
            }
        }
        EntryValues::Integers(values) => {
            let components = descriptor.integers_per_value();
            for entry in entries {
                transform.append(value(values, entry, components)?, descriptor, &mut bytes);
            }
        }
    }
    Ok(bytes)
}

/// Returns the value of an entry.
fn value<T>(values: &[T], entry: usize, size: usize) -> Result<&[T], Error> {
    let value = values.get(entry.saturating_mul(size)..).and_then(|rest| rest.get(..size));
    value.ok_or(Error::Malformed("a point has no value"))
}
