//! Octahedral coordinates of normals, and the canonicalized octahedron transform.
//!
//! A direction is a point of the octahedron |x| + |y| + |z| = 1, unfolded to a square. The half
//! with x > 0 is a diamond in the middle of the square; the other half is folded out to the
//! corners. Corrections are relative to the bottom left of the diamond, to which every prediction
//! is rotated first.

use crate::Error;
use crate::bitstream::reader::Reader;

/// The square: coordinates are from 0 to twice `center`.
#[derive(Clone, Copy)]
pub(crate) struct Octahedron {
    center: i32,
}

impl Octahedron {
    /// Creates a square of `bits` per coordinate.
    pub(crate) fn with_quantization_bits(bits: u32) -> Result<Self, Error> {
        if !(2..=30).contains(&bits) {
            return Err(Error::Malformed("normals are not quantized to 2 to 30 bits"));
        }
        Ok(Self { center: (1 << (bits - 1)) - 1 })
    }

    /// Reads the parameters of the transform: the largest quantized value, and the center, which
    /// follows from it.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let (max_quantized_value, _center) = (reader.i32()?, reader.i32()?);
        if max_quantized_value < 0 || max_quantized_value & 1 == 0 {
            return Err(Error::Malformed("the largest quantized value of normals is even"));
        }
        Self::with_quantization_bits(32 - max_quantized_value.leading_zeros())
    }

    /// Returns the unit vector at octahedral coordinates.
    pub(crate) fn unit_vector(self, [s, t]: [i32; 2]) -> [f32; 3] {
        let scale = 2.0 / (self.center as f32 * 2.0);
        let (mut y, mut z) = (s as f32 * scale - 1.0, t as f32 * scale - 1.0);
        let x = 1.0 - y.abs() - z.abs();
        let folded = (-x).max(0.0);
        y += if y < 0.0 { folded } else { -folded };
        z += if z < 0.0 { folded } else { -folded };
        let length_squared = x * x + y * y + z * z;
        if f64::from(length_squared) < 1e-6 {
            return [0.0; 3];
        }
        let scale = 1.0 / length_squared.sqrt();
        [x * scale, y * scale, z * scale]
    }

    /// Returns the coordinates of a prediction and its correction.
    pub(crate) fn restore(self, prediction: [i32; 2], correction: [i32; 2]) -> [i32; 2] {
        let mut predicted = prediction.map(|p| p.wrapping_sub(self.center));
        let distance = predicted[0].wrapping_abs().wrapping_add(predicted[1].wrapping_abs());
        let is_outside_diamond = distance > self.center;
        if is_outside_diamond {
            predicted = self.invert_diamond(predicted);
        }
        let rotations = rotation_count(predicted);
        let predicted = rotate(predicted, rotations);
        let mut coordinates =
            [0, 1].map(|i| self.wrap_around(predicted[i].wrapping_add(correction[i])));
        coordinates = rotate(coordinates, 4 - rotations);
        if is_outside_diamond {
            coordinates = self.invert_diamond(coordinates);
        }
        coordinates.map(|p| p.wrapping_add(self.center))
    }

    /// Folds a corner of the square into the diamond, or back.
    fn invert_diamond(self, [s, t]: [i32; 2]) -> [i32; 2] {
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

    /// Wraps a coordinate relative to the center around at the border of the square.
    fn wrap_around(self, x: i32) -> i32 {
        let span = self.center * 2 + 1;
        if x > self.center {
            x.wrapping_sub(span)
        } else if x < -self.center {
            x.wrapping_add(span)
        } else {
            x
        }
    }

    /// Scales a vector of any length so that the absolute values of its components sum up to the
    /// center.
    pub(crate) fn canonicalize(self, vector: [i32; 3]) -> [i32; 3] {
        let center = i64::from(self.center);
        let [x, y, z] = vector.map(i64::from);
        let sum = x.abs() + y.abs() + z.abs();
        let (x, y, is_negative) = match sum {
            0 => (center, 0, false),
            _ => (x * center / sum, y * center / sum, z < 0),
        };
        let z = center - x.abs() - y.abs();
        [x, y, if is_negative { -z } else { z }].map(|v| v as i32)
    }

    /// Returns the octahedral coordinates of a canonicalized vector.
    pub(crate) fn coordinates(self, [x, y, z]: [i32; 3]) -> [i32; 2] {
        let (center, max) = (self.center, self.center * 2);
        let [s, t] = if x >= 0 {
            [y + center, z + center]
        } else {
            let folded =
                |sign: i32, other: i32| if sign < 0 { other.abs() } else { max - other.abs() };
            [folded(y, z), folded(z, y)]
        };
        // On the border of the square, two coordinates are one direction: choose one of them.
        match (s, t) {
            (0, 0) => [max, max],
            (0, t) if t == max => [max, max],
            (s, 0) if s == max => [max, max],
            (0, t) if t > center => [0, max - t],
            (s, t) if s == max && t < center => [s, max - t],
            (s, t) if t == max && s < center => [max - s, t],
            (s, 0) if s > center => [max - s, 0],
            coordinates => coordinates.into(),
        }
    }
}

/// Returns the number of quarter turns that rotate coordinates to the bottom left.
fn rotation_count([s, t]: [i32; 2]) -> u32 {
    match (s.signum(), t.signum()) {
        (0, 0) | (-1, -1 | 0) => 0,
        (0 | 1, -1) => 1,
        (1, _) => 2,
        _ => 3,
    }
}

/// Rotates coordinates about the center by quarter turns.
fn rotate([s, t]: [i32; 2], rotations: u32) -> [i32; 2] {
    match rotations % 4 {
        1 => [t, s.wrapping_neg()],
        2 => [s.wrapping_neg(), t.wrapping_neg()],
        3 => [t.wrapping_neg(), s],
        _ => [s, t],
    }
}
