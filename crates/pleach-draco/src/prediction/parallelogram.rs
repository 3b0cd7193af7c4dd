//! Parallelogram prediction: a value is predicted to complete a parallelogram with the triangle
//! across the edge opposite to its corner.
//!
//! The *constrained multi-parallelogram* scheme averages those of all triangles around the
//! vertex, except across crease edges.

use super::MeshData;
use super::wrap::WrapTransform;
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::connectivity::corner_table::CornerTable;
use crate::connectivity::step_limit::StepLimit;

/// Restores values of `components` integers from one parallelogram each.
pub(crate) fn restore_single(
    values: &mut [i32],
    components: usize,
    mesh: MeshData<'_>,
    wrap: WrapTransform,
) {
    for (entry, &corner) in mesh.order.entry_to_corner.iter().enumerate() {
        let parallelogram = mesh.parallelogram_entries(corner, entry);
        for component in 0..components {
            let value = |entry: usize| values[entry * components + component];
            let prediction = match parallelogram {
                Some(entries) => complete(entries.map(value)),
                None if entry == 0 => 0,
                None => value(entry - 1),
            };
            let index = entry * components + component;
            values[index] = wrap.restore(prediction, values[index]);
        }
    }
}

/// Returns the fourth corner of a parallelogram.
fn complete([next, previous, opposite]: [i32; 3]) -> i32 {
    next.wrapping_add(previous).wrapping_sub(opposite)
}

/// The maximum number of parallelograms at a vertex.
const MAX_PARALLELOGRAMS: usize = 4;

/// By number of parallelograms at a vertex: which of them are not used, in reverse order.
pub(crate) struct CreaseEdges([Vec<bool>; MAX_PARALLELOGRAMS]);

impl CreaseEdges {
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        table: &CornerTable,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        let mut creases = [const { Vec::new() }; MAX_PARALLELOGRAMS];
        // Each corner has one parallelogram at most.
        let mut remaining = table.corner_count();
        for creases in &mut creases {
            let count = reader.count()?;
            let too_many = Error::Malformed("it has more crease edges than edges");
            remaining = remaining.checked_sub(count).ok_or(too_many)?;
            if count > 0 {
                let mut bits = RansBitDecoder::read(reader)?;
                // Not released, so that the time is accounted for as well.
                *creases = budget.vec_with_capacity(count)?;
                creases.extend((0..count).map(|_| bits.next()));
                // Reversed, to be taken from the end.
                creases.reverse();
            }
        }
        Ok(Self(creases))
    }
}

/// Restores values of `components` integers from several parallelograms each.
pub(crate) fn restore_constrained_multi(
    values: &mut [i32],
    components: usize,
    mesh: MeshData<'_>,
    wrap: WrapTransform,
    creases: &mut CreaseEdges,
) -> Result<(), Error> {
    let mut steps = StepLimit::new(mesh.table.corner_count(), 4);
    for (entry, &corner) in mesh.order.entry_to_corner.iter().enumerate() {
        let mut parallelograms = [[0; 3]; MAX_PARALLELOGRAMS];
        let mut count = 0;
        if entry > 0 {
            for corner in mesh.table.vertex_corners(corner) {
                steps.step()?;
                if let Some(entries) = mesh.parallelogram_entries(corner, entry) {
                    parallelograms[count] = entries;
                    count += 1;
                    if count == MAX_PARALLELOGRAMS {
                        break;
                    }
                }
            }
        }
        let mut used = 0;
        for index in 0..count {
            let is_crease = creases.0[count - 1].pop();
            if !is_crease.ok_or(Error::Malformed("it has too few crease edges"))? {
                parallelograms[used] = parallelograms[index];
                used += 1;
            }
        }
        for component in 0..components {
            let value = |entry: usize| values[entry * components + component];
            let prediction = if used > 0 {
                let sum = parallelograms[..used]
                    .iter()
                    .fold(0i32, |sum, entries| sum.wrapping_add(complete(entries.map(value))));
                sum / used as i32
            } else if entry > 0 {
                value(entry - 1)
            } else {
                0
            };
            let index = entry * components + component;
            values[index] = wrap.restore(prediction, values[index]);
        }
    }
    Ok(())
}
