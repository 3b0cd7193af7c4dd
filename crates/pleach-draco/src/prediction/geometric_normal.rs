//! Prediction of normals from positions: the area-weighted normal of the triangles around the
//! vertex, or its opposite, depending on a bit of the stream.

use super::octahedron::Octahedron;
use super::{MeshData, Positions};
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::connectivity::corner_table::{next, previous};
use crate::connectivity::step_limit::StepLimit;

/// Restores octahedral coordinates, two integers per entry.
pub(crate) fn restore(
    values: &mut [i32],
    mesh: MeshData<'_>,
    positions: Positions<'_>,
    octahedron: Octahedron,
    mut flips: RansBitDecoder<'_>,
) -> Result<(), Error> {
    let mut steps = StepLimit::new(mesh.table.corner_count(), 4);
    for (&corner, value) in mesh.order.entry_to_corner.iter().zip(values.as_chunks_mut().0) {
        let prediction = vertex_normal(corner, mesh, positions, &mut steps)?;
        // Canonicalized before it is flipped, as that rounds.
        let mut normal = octahedron.canonicalize(prediction);
        if flips.next() {
            normal = normal.map(|v| -v);
        }
        *value = octahedron.restore(octahedron.coordinates(normal), *value);
    }
    Ok(())
}

/// Returns the sum of the normals of the triangles around a corner's vertex.
fn vertex_normal(
    corner: u32,
    mesh: MeshData<'_>,
    positions: Positions<'_>,
    steps: &mut StepLimit,
) -> Result<[i32; 3], Error> {
    let position = |corner: u32| {
        let corner = mesh.order.entry_to_corner.get(mesh.entry(corner) as usize);
        positions.at_corner(*corner.ok_or(Error::Malformed("a corner has no entry"))?)
    };
    let center = position(corner)?;
    let mut normal = [0i64; 3];
    for corner in mesh.table.vertex_corners(corner) {
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
    const MAX_SUM: i64 = 1 << 29;
    if sum > MAX_SUM {
        normal = normal.map(|v| v / (sum / MAX_SUM));
    }
    Ok(normal.map(|v| v as i32))
}
