//! Texture coordinates, predicted from positions: a triangle is taken to have the same shape
//! on the texture as in space.
//!
//! The edge that is known on both tells scale and direction; the new corner is where it
//! would be if nothing else were distorted. It may be on either side of the edge: that is a
//! flag in the stream. All in integers, scaled by the squared length of the edge.

use crate::bitstream::rans::Flags;
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::connectivity::corner_table::{next, previous};
use crate::error::Fault;
use crate::prediction::parallelogram::{Place, Positions, Wrap};

/// Which side of the known edge each new corner is on, the first to use last.
pub(crate) struct Sides(Vec<bool>);

impl Sides {
    /// Reads them: each flag tells whether it is the same as the one before.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        entries: usize,
        room: &mut Room,
    ) -> Result<Self, Fault> {
        let count = usize::try_from(reader.i32()?).ok().filter(|&count| count <= entries);
        let count = count.ok_or(Fault::Broken("it has more sides than texture coordinates"))?;
        let mut flags = Flags::read(reader)?;
        let mut sides = room.empty(count)?;
        let mut side = true;
        sides.extend((0..count).map(|_| {
            side = side == flags.next();
            side
        }));
        Ok(Self(sides))
    }

    pub(crate) fn give(self, room: &mut Room) {
        room.give(self.0);
    }
}

/// Restores texture coordinates, two by entry.
pub(crate) fn restore(
    values: &mut [i32],
    place: Place<'_>,
    positions: Positions<'_>,
    wrap: Wrap,
    sides: &mut Sides,
) -> Result<(), Fault> {
    for (entry, &corner) in place.order.corner.iter().enumerate() {
        let prediction = predict(values, entry, corner, place, positions, sides)?;
        for (value, prediction) in values[entry * 2..entry * 2 + 2].iter_mut().zip(prediction) {
            *value = wrap.restore(prediction, *value);
        }
    }
    Ok(())
}

fn predict(
    values: &[i32],
    entry: usize,
    corner: u32,
    place: Place<'_>,
    positions: Positions<'_>,
    sides: &mut Sides,
) -> Result<[i32; 2], Fault> {
    let value = |entry: usize| [values[entry * 2], values[entry * 2 + 1]];
    let next = place.entry(next(corner)) as usize;
    let previous = place.entry(previous(corner)) as usize;
    if next < entry && previous < entry {
        if value(next) == value(previous) {
            return Ok(value(previous));
        }
        let position = |entry: usize| positions.at(place.order.corner[entry]);
        let space = [position(entry)?, position(next)?, position(previous)?];
        let texture = [value(next), value(previous)].map(|uv| uv.map(i64::from));
        if let Some(prediction) = transfer(space, texture, sides)? {
            return Ok(prediction);
        }
    }
    Ok(match () {
        () if next < entry => value(next),
        () if entry > 0 => value(entry - 1),
        () => [0, 0],
    })
}

/// Where the tip of a triangle in space is on the texture, if the edge has a length.
fn transfer(
    [tip, next, previous]: [[i64; 3]; 3],
    [next_uv, previous_uv]: [[i64; 2]; 2],
    sides: &mut Sides,
) -> Result<Option<[i32; 2]>, Fault> {
    let edge = minus(previous, next);
    let length = dot(edge, edge);
    if length == 0 {
        return Ok(None);
    }
    // How far along the edge the foot of the tip is, times the squared length.
    let along = dot(edge, minus(tip, next));
    let edge_uv = minus(previous_uv, next_uv);
    let foot_uv = [0, 1]
        .map(|i| next_uv[i].wrapping_mul(length).wrapping_add(edge_uv[i].wrapping_mul(along)));
    let foot =
        [0, 1, 2].map(|i| next[i].wrapping_add(edge[i].wrapping_mul(along).wrapping_div(length)));
    // How far off the edge the tip is, times the squared length.
    let height = minus(tip, foot);
    let off = (dot(height, height).wrapping_mul(length) as u64).isqrt() as i64;
    let side = sides.0.pop().ok_or(Fault::Broken("it has fewer sides than it uses"))?;
    let off = if side { off } else { off.wrapping_neg() };
    let tip_uv = [
        foot_uv[0].wrapping_add(edge_uv[1].wrapping_mul(off)),
        foot_uv[1].wrapping_sub(edge_uv[0].wrapping_mul(off)),
    ];
    Ok(Some(tip_uv.map(|uv| uv.wrapping_div(length) as i32)))
}

fn minus<const N: usize>(a: [i64; N], b: [i64; N]) -> [i64; N] {
    std::array::from_fn(|i| a[i].wrapping_sub(b[i]))
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    (0..3).fold(0, |sum, i| sum.wrapping_add(a[i].wrapping_mul(b[i])))
}
