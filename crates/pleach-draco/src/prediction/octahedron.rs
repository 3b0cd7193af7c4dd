//! Normals on an octahedron, unfolded to a square.
//!
//! A direction is a place on the octahedron |x| + |y| + |z| = 1. The half of it with x > 0
//! is a diamond in the middle of the square; the other half is folded out to the corners.
//! Differences are made in the lower left of the diamond, to which every prediction is
//! turned first.

use crate::bitstream::rans::Flags;
use crate::bitstream::reader::Reader;
use crate::connectivity::corner_table::{Steps, next, previous};
use crate::error::Fault;
use crate::prediction::parallelogram::{Place, Positions};

/// The square: places are from 0 to twice `center`.
#[derive(Clone, Copy)]
pub(crate) struct Square {
    center: i32,
}

impl Square {
    /// Of so many bits for each coordinate.
    pub(crate) fn new(bits: u32) -> Result<Self, Fault> {
        if !(2..=30).contains(&bits) {
            return Err(Fault::Broken("normals have less than 2 bits, or more than 30"));
        }
        Ok(Self { center: (1 << (bits - 1)) - 1 })
    }

    /// What the stream says for differences: the greatest number, and the center, which
    /// follows from it.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let (greatest, _center) = (reader.i32()?, reader.i32()?);
        if greatest < 0 || greatest & 1 == 0 {
            return Err(Fault::Broken("the greatest number of normals is even"));
        }
        Self::new(32 - greatest.leading_zeros())
    }

    /// The direction at a place, of length 1.
    pub(crate) fn direction(self, [s, t]: [i32; 2]) -> [f32; 3] {
        let scale = 2.0 / (self.center as f32 * 2.0);
        let (mut y, mut z) = (s as f32 * scale - 1.0, t as f32 * scale - 1.0);
        let x = 1.0 - y.abs() - z.abs();
        let folded = (-x).max(0.0);
        y += if y < 0.0 { folded } else { -folded };
        z += if z < 0.0 { folded } else { -folded };
        let length = x * x + y * y + z * z;
        if f64::from(length) < 1e-6 {
            return [0.0; 3];
        }
        let scale = 1.0 / length.sqrt();
        [x * scale, y * scale, z * scale]
    }

    /// The place, from a prediction and the difference.
    fn restore(self, prediction: [i32; 2], difference: [i32; 2]) -> [i32; 2] {
        let mut from = prediction.map(|p| p.wrapping_sub(self.center));
        let folded = from[0].wrapping_abs().wrapping_add(from[1].wrapping_abs()) > self.center;
        if folded {
            from = self.fold(from);
        }
        let turns = turns(from);
        let from = turn(from, turns);
        let mut place = [0, 1].map(|i| self.go_around(from[i].wrapping_add(difference[i])));
        place = turn(place, 4 - turns);
        if folded {
            place = self.fold(place);
        }
        place.map(|p| p.wrapping_add(self.center))
    }

    /// Folds a corner of the square into the diamond, or out.
    fn fold(self, [s, t]: [i32; 2]) -> [i32; 2] {
        let (sign_s, sign_t) = if s >= 0 && t >= 0 {
            (1, 1)
        } else if s <= 0 && t <= 0 {
            (-1, -1)
        } else {
            (if s > 0 { 1 } else { -1 }, if t > 0 { 1 } else { -1 })
        };
        let corner = [sign_s * self.center, sign_t * self.center];
        let s = s.wrapping_mul(2).wrapping_sub(corner[0]);
        let t = t.wrapping_mul(2).wrapping_sub(corner[1]);
        let (s, t) = if sign_s == sign_t { (t.wrapping_neg(), s.wrapping_neg()) } else { (t, s) };
        [s.wrapping_add(corner[0]) / 2, t.wrapping_add(corner[1]) / 2]
    }

    fn go_around(self, x: i32) -> i32 {
        let span = self.center * 2 + 1;
        if x > self.center {
            x.wrapping_sub(span)
        } else if x < -self.center {
            x.wrapping_add(span)
        } else {
            x
        }
    }

    /// A direction of any length, moved to where its coordinates sum up to the center.
    fn on_octahedron(self, direction: [i32; 3]) -> [i32; 3] {
        let center = i64::from(self.center);
        let [x, y, z] = direction.map(i64::from);
        let sum = x.abs() + y.abs() + z.abs();
        let (x, y, negative) = match sum {
            0 => (center, 0, false),
            _ => (x * center / sum, y * center / sum, z < 0),
        };
        let z = center - x.abs() - y.abs();
        [x, y, if negative { -z } else { z }].map(|v| v as i32)
    }

    /// The place of a direction whose coordinates sum up to the center.
    fn place(self, [x, y, z]: [i32; 3]) -> [i32; 2] {
        let (center, most) = (self.center, self.center * 2);
        let [s, t] = if x >= 0 {
            [y + center, z + center]
        } else {
            let far =
                |sign: i32, other: i32| if sign < 0 { other.abs() } else { most - other.abs() };
            [far(y, z), far(z, y)]
        };
        // On the rim of the square, two places are one: the one of these that is meant.
        match (s, t) {
            (0, 0) => [most, most],
            (0, t) if t == most => [most, most],
            (s, 0) if s == most => [most, most],
            (0, t) if t > center => [0, most - t],
            (s, t) if s == most && t < center => [s, most - t],
            (s, t) if t == most && s < center => [most - s, t],
            (s, 0) if s > center => [most - s, 0],
            place => place.into(),
        }
    }
}

/// How many quarter turns bring a place to the lower left.
fn turns([s, t]: [i32; 2]) -> u32 {
    match (s.signum(), t.signum()) {
        (0, 0) | (-1, -1 | 0) => 0,
        (0 | 1, -1) => 1,
        (1, _) => 2,
        _ => 3,
    }
}

/// Quarter turns about the center.
fn turn([s, t]: [i32; 2], turns: u32) -> [i32; 2] {
    match turns % 4 {
        1 => [t, s.wrapping_neg()],
        2 => [s.wrapping_neg(), t.wrapping_neg()],
        3 => [t.wrapping_neg(), s],
        _ => [s, t],
    }
}

/// Each normal is predicted to be the one before.
pub(crate) fn from_last(values: &mut [i32], square: Square) {
    let mut last = [0, 0];
    for value in values.as_chunks_mut().0 {
        last = square.restore(last, *value);
        *value = last;
    }
}

/// Each normal is predicted from the triangles around, the larger the more; or to be the
/// opposite, as flags tell.
pub(crate) fn from_positions(
    values: &mut [i32],
    place: Place<'_>,
    positions: Positions<'_>,
    square: Square,
    mut flags: Flags<'_>,
) -> Result<(), Fault> {
    let mut steps = Steps::new(place.corners.vertex.len(), 4);
    for (&corner, value) in place.order.corner.iter().zip(values.as_chunks_mut().0) {
        let prediction = normal(corner, place, positions, &mut steps)?;
        // Moved first, as that rounds, and then flipped.
        let mut direction = square.on_octahedron(prediction);
        if flags.next() {
            direction = direction.map(|v| -v);
        }
        *value = square.restore(square.place(direction), *value);
    }
    Ok(())
}

/// The normal at a corner's vertex, from the triangles around it.
fn normal(
    corner: u32,
    place: Place<'_>,
    positions: Positions<'_>,
    steps: &mut Steps,
) -> Result<[i32; 3], Fault> {
    let position = |corner: u32| {
        let corner = place.order.corner.get(place.entry(corner) as usize);
        positions.at(*corner.ok_or(Fault::Broken("a corner has no entry"))?)
    };
    let center = position(corner)?;
    let mut normal = [0i64; 3];
    for corner in place.corners.around(corner) {
        steps.step()?;
        let (a, b) = (position(next(corner))?, position(previous(corner))?);
        let a: [i64; 3] = std::array::from_fn(|i| a[i].wrapping_sub(center[i]));
        let b: [i64; 3] = std::array::from_fn(|i| b[i].wrapping_sub(center[i]));
        for (i, sum) in normal.iter_mut().enumerate() {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let cross = a[j].wrapping_mul(b[k]).wrapping_sub(a[k].wrapping_mul(b[j]));
            *sum = sum.wrapping_add(cross);
        }
    }
    let sum = normal.iter().fold(0i64, |sum, v| sum.saturating_add(v.saturating_abs()));
    const MOST: i64 = 1 << 29;
    if sum > MOST {
        normal = normal.map(|v| v / (sum / MOST));
    }
    Ok(normal.map(|v| v as i32))
}
