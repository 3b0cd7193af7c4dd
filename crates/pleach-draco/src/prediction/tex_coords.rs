//! Prediction of texture coordinates from positions: a triangle is assumed to have the same
//! shape on the texture as in space.
//!
//! The edge whose texture coordinates are known gives scale and direction; the prediction is
//! where the third corner would be without any distortion. It may be on either side of the edge:
//! that is the *orientation*, a bit of the stream. All arithmetic is in integers, scaled by the
//! squared length of the edge.

use super::wrap::WrapTransform;
use super::{MeshData, Positions};
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::bitstream::reader::Reader;
use crate::budget::Budget;
use crate::connectivity::corner_table::{next, previous};

/// The side of the known edge that each predicted corner is on, in reverse order.
pub(crate) struct Orientations(Vec<bool>);

impl Orientations {
    /// Reads them: each bit states whether it equals the one before.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        entry_count: usize,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        let count = usize::try_from(reader.i32()?).ok().filter(|&count| count <= entry_count);
        let too_many = Error::Malformed("it has more orientations than texture coordinates");
        let count = count.ok_or(too_many)?;
        let mut bits = RansBitDecoder::read(reader)?;
        let mut orientations = budget.vec_with_capacity(count)?;
        let mut orientation = true;
        orientations.extend((0..count).map(|_| {
            orientation = orientation == bits.next();
            orientation
        }));
        Ok(Self(orientations))
    }

    pub(crate) fn release(self, budget: &mut Budget) {
        budget.release(self.0);
    }
}

/// Predicts texture coordinates.
pub(crate) struct TexCoordPredictor<'a> {
    pub(crate) mesh: MeshData<'a>,
    pub(crate) positions: Positions<'a>,
    pub(crate) orientations: Orientations,
}

impl TexCoordPredictor<'_> {
    /// Restores texture coordinates, two integers per entry.
    pub(crate) fn restore(&mut self, values: &mut [i32], wrap: WrapTransform) -> Result<(), Error> {
        let mesh = self.mesh;
        for (entry, &corner) in mesh.order.entry_to_corner.iter().enumerate() {
            let prediction = self.predict(values, entry, corner)?;
            for (value, prediction) in values[entry * 2..entry * 2 + 2].iter_mut().zip(prediction) {
                *value = wrap.restore(prediction, *value);
            }
        }
        Ok(())
    }

    fn predict(&mut self, values: &[i32], entry: usize, corner: u32) -> Result<[i32; 2], Error> {
        let value = |entry: usize| [values[entry * 2], values[entry * 2 + 1]];
        let mesh = self.mesh;
        let next = mesh.entry(next(corner)) as usize;
        let previous = mesh.entry(previous(corner)) as usize;
        if next < entry && previous < entry {
            if value(next) == value(previous) {
                return Ok(value(previous));
            }
            let positions = self.positions;
            let position = |entry: usize| positions.at_corner(mesh.order.entry_to_corner[entry]);
            let triangle = [position(entry)?, position(next)?, position(previous)?];
            let edge_uv = [value(next), value(previous)].map(|uv| uv.map(i64::from));
            if let Some(prediction) = self.tip_uv(triangle, edge_uv)? {
                return Ok(prediction);
            }
        }
        Ok(match () {
            () if next < entry => value(next),
            () if entry > 0 => value(entry - 1),
            () => [0, 0],
        })
    }

    /// Returns the texture coordinates of the tip of a triangle in space, or `None` if its edge
    /// has no length.
    fn tip_uv(
        &mut self,
        [tip, next, previous]: [[i64; 3]; 3],
        [next_uv, previous_uv]: [[i64; 2]; 2],
    ) -> Result<Option<[i32; 2]>, Error> {
        let edge = subtract(previous, next);
        let length_squared = dot(edge, edge);
        if length_squared == 0 {
            return Ok(None);
        }
        // The tip, projected to the edge: its distance along the edge, times the squared length.
        let along = dot(edge, subtract(tip, next));
        let edge_uv = subtract(previous_uv, next_uv);
        let projection_uv = [0, 1].map(|i| {
            next_uv[i].wrapping_mul(length_squared).wrapping_add(edge_uv[i].wrapping_mul(along))
        });
        let projection = [0, 1, 2].map(|i| {
            next[i].wrapping_add(edge[i].wrapping_mul(along).wrapping_div(length_squared))
        });
        // The distance of the tip from the edge, times the squared length.
        let height = subtract(tip, projection);
        let distance = (dot(height, height).wrapping_mul(length_squared) as u64).isqrt() as i64;
        let orientation = self.orientations.0.pop();
        let orientation = orientation.ok_or(Error::Malformed("it has too few orientations"))?;
        let distance = if orientation { distance } else { distance.wrapping_neg() };
        let tip_uv = [
            projection_uv[0].wrapping_add(edge_uv[1].wrapping_mul(distance)),
            projection_uv[1].wrapping_sub(edge_uv[0].wrapping_mul(distance)),
        ];
        Ok(Some(tip_uv.map(|uv| uv.wrapping_div(length_squared) as i32)))
    }
}

fn subtract<const N: usize>(a: [i64; N], b: [i64; N]) -> [i64; N] {
    std::array::from_fn(|i| a[i].wrapping_sub(b[i]))
}

fn dot(a: [i64; 3], b: [i64; 3]) -> i64 {
    (0..3).fold(0, |sum, i| sum.wrapping_add(a[i].wrapping_mul(b[i])))
}
