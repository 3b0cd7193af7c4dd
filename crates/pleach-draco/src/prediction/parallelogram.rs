//! Predictions: what a value may be, from those before it. The stream has the differences.
//!
//! Values come in the order of [`Order`]; a prediction uses neighbours of lower entries only.
//! Each scheme works in place: differences in, values out.
//!
//! Arithmetic wraps, as the reference decoder's does: a broken stream gives wrong numbers,
//! not a panic.

use crate::attributes::traversal::Order;
use crate::bitstream::rans::Flags;
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::connectivity::corner_table::{Corners, Steps, at, next, previous};
use crate::error::Fault;

/// Where values are on the triangles.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) corners: &'a Corners,
    pub(crate) order: &'a Order,
}

impl Place<'_> {
    /// The entry of the vertex at a corner.
    pub(crate) fn entry(&self, corner: u32) -> u32 {
        at(&self.order.entry, self.corners.vertex(corner))
    }

    /// The entries of the triangle across from a corner, if all are before `entry`: the two
    /// of the shared edge, and the one that is not on it.
    fn across(&self, corner: u32, entry: usize) -> Option<[usize; 3]> {
        let across = self.corners.opposite(corner);
        let entries = [next(across), previous(across), across].map(|c| self.entry(c) as usize);
        entries.iter().all(|&before| before < entry).then_some(entries)
    }
}

/// The positions, for what is predicted from them.
#[derive(Clone, Copy)]
pub(crate) struct Positions<'a> {
    pub(crate) place: Place<'a>,
    /// Three by entry, before they are made floats.
    pub(crate) values: &'a [i32],
}

impl Positions<'_> {
    /// The position at a corner.
    pub(crate) fn at(&self, corner: u32) -> Result<[i64; 3], Fault> {
        let entry = self.place.entry(corner) as usize;
        let value = self.values.get(entry.saturating_mul(3)..).and_then(|rest| rest.first_chunk());
        let value: &[i32; 3] = value.ok_or(Fault::Broken("a corner has no position"))?;
        Ok(value.map(i64::from))
    }
}

/// Values between two bounds: differences go around at these.
#[derive(Clone, Copy)]
pub(crate) struct Wrap {
    least: i32,
    most: i32,
    span: i32,
}

impl Wrap {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let (least, most) = (reader.i32()?, reader.i32()?);
        let span = most.checked_sub(least).and_then(|span| span.checked_add(1));
        let span = span.filter(|&span| span > 0);
        let span = span.ok_or(Fault::Broken("the bounds of an attribute do not fit"))?;
        Ok(Self { least, most, span })
    }

    /// The value, from a prediction and the difference.
    #[inline]
    pub(crate) fn restore(self, prediction: i32, difference: i32) -> i32 {
        let value = prediction.clamp(self.least, self.most).wrapping_add(difference);
        if value > self.most {
            value.wrapping_sub(self.span)
        } else if value < self.least {
            value.wrapping_add(self.span)
        } else {
            value
        }
    }
}

/// Each value is predicted to be the one before.
pub(crate) fn from_last(values: &mut [i32], components: usize, wrap: Wrap) {
    for at in 0..values.len() {
        let last = if at < components { 0 } else { values[at - components] };
        values[at] = wrap.restore(last, values[at]);
    }
}

/// Each value is predicted to complete a parallelogram with the triangle across.
pub(crate) fn parallelogram(values: &mut [i32], components: usize, place: Place<'_>, wrap: Wrap) {
    for (entry, &corner) in place.order.corner.iter().enumerate() {
        let across = place.across(corner, entry);
        for component in 0..components {
            let value = |entry: usize| values[entry * components + component];
            let prediction = match across {
                Some(across) => complete(across.map(value)),
                None if entry == 0 => 0,
                None => value(entry - 1),
            };
            let at = entry * components + component;
            values[at] = wrap.restore(prediction, values[at]);
        }
    }
}

/// The fourth corner of a parallelogram.
fn complete([next, previous, tip]: [i32; 3]) -> i32 {
    next.wrapping_add(previous).wrapping_sub(tip)
}

/// The most parallelograms at a vertex.
const MOST: usize = 4;

/// For each number of parallelograms at a vertex, which of them are not used: those over
/// sharp edges.
pub(crate) struct Creases([Vec<bool>; MOST]);

impl Creases {
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        corners: &Corners,
        room: &mut Room,
    ) -> Result<Self, Fault> {
        let mut creases = [const { Vec::new() }; MOST];
        // Each corner makes one parallelogram at most.
        let mut left = corners.vertex.len();
        for creases in &mut creases {
            let count = reader.count()?;
            let more = Fault::Broken("it has more sharp edges than edges");
            left = left.checked_sub(count).ok_or(more)?;
            if count > 0 {
                let mut flags = Flags::read(reader)?;
                // Not given back, so that the work is paid for as well.
                *creases = room.empty(count)?;
                creases.extend((0..count).map(|_| flags.next()));
                // Used from the first on, and taken from the end.
                creases.reverse();
            }
        }
        Ok(Self(creases))
    }
}

/// Each value is predicted to be between those that complete parallelograms with all
/// triangles around, but not over sharp edges.
pub(crate) fn parallelograms(
    values: &mut [i32],
    components: usize,
    place: Place<'_>,
    wrap: Wrap,
    creases: &mut Creases,
) -> Result<(), Fault> {
    let mut steps = Steps::new(place.corners.vertex.len(), 4);
    for (entry, &corner) in place.order.corner.iter().enumerate() {
        let mut found = [[0; 3]; MOST];
        let mut count = 0;
        if entry > 0 {
            for corner in place.corners.around(corner) {
                steps.step()?;
                if let Some(across) = place.across(corner, entry) {
                    found[count] = across;
                    count += 1;
                    if count == MOST {
                        break;
                    }
                }
            }
        }
        let mut used = 0;
        for at in 0..count {
            let crease = creases.0[count - 1].pop();
            if !crease.ok_or(Fault::Broken("it has fewer sharp edges than it uses"))? {
                found[used] = found[at];
                used += 1;
            }
        }
        for component in 0..components {
            let value = |entry: usize| values[entry * components + component];
            let prediction = if used > 0 {
                let sum = found[..used]
                    .iter()
                    .fold(0i32, |sum, across| sum.wrapping_add(complete(across.map(value))));
                sum / used as i32
            } else if entry > 0 {
                value(entry - 1)
            } else {
                0
            };
            let at = entry * components + component;
            values[at] = wrap.restore(prediction, values[at]);
        }
    }
    Ok(())
}
