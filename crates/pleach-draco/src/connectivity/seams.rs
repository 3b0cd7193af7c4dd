//! Attribute seams: edges at which the values of an attribute differ between two triangles.
//!
//! Each attribute with seams has a corner table of its own: that of the mesh, cut at the seams,
//! with a vertex for each fan of triangles that is left around a vertex of the mesh. A *point*
//! is what triangles index in the end: corners of a vertex share a point if no attribute has a
//! seam between them.
//!
//! Invariant: points are numbered vertex by vertex, and around each from the left. The order is
//! part of the format, as uncompressed glTF accessors may rely on it.

use super::Connectivity;
use super::corner_table::{CornerTable, INVALID, next, set};
use super::edgebreaker::EdgebreakerMesh;
use super::step_limit::StepLimit;
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::budget::Budget;

const NO_VERTEX: Error = Error::Malformed("a corner has no vertex");

/// Decodes the seams of each attribute and assigns the points.
pub(crate) fn decode(
    mesh: EdgebreakerMesh<'_>,
    budget: &mut Budget,
) -> Result<Connectivity, Error> {
    let EdgebreakerMesh { corner_table, may_be_on_boundary, attribute_seams } = mesh;
    let attributes = attribute_seams.len();
    let mut corner_tables = budget.vec_with_capacity(attributes + 1)?;
    let mut attribute_tables = budget.vec_with_capacity(attributes)?;
    corner_tables.push(corner_table);
    for seam_bits in attribute_seams {
        match cut_at_seams(&corner_tables[0], seam_bits, budget)? {
            None => attribute_tables.push(0),
            Some(table) => {
                attribute_tables.push(corner_tables.len());
                corner_tables.push(table);
            }
        }
    }
    let (corner_to_point, point_count) = if attributes == 0 {
        // Without seams, points are vertices.
        let mesh = &corner_tables[0];
        let mut corner_to_point = budget.vec_with_capacity(mesh.corner_count())?;
        corner_to_point.extend_from_slice(&mesh.corner_to_vertex);
        let point_count = mesh.vertex_count();
        if corner_to_point.iter().any(|&point| point as usize >= point_count) {
            return Err(NO_VERTEX);
        }
        (corner_to_point, point_count)
    } else {
        assign_points(&corner_tables[0], &corner_tables[1..], &may_be_on_boundary, budget)?
    };
    budget.release(may_be_on_boundary);
    Ok(Connectivity { corner_tables, attribute_tables, corner_to_point, point_count })
}

/// Returns the corner table of the mesh, cut at the seams of one attribute, or `None` if it has
/// no seams.
fn cut_at_seams(
    mesh: &CornerTable,
    mut seam_bits: RansBitDecoder<'_>,
    budget: &mut Budget,
) -> Result<Option<CornerTable>, Error> {
    let corner_count = mesh.corner_count();
    // Not released, so that the time is accounted for as well: there may be 255 attributes
    // without seams.
    let mut is_seam = budget.vec_filled(corner_count, false)?;
    let mut seam_corners = 0;
    for (corner, &opposite) in mesh.opposite_corners.iter().enumerate() {
        // Each edge has one bit, at the first triangle that has it.
        if opposite != INVALID && opposite as usize / 3 >= corner / 3 && seam_bits.next() {
            is_seam[corner] = true;
            is_seam[opposite as usize] = true;
            seam_corners += 2;
        }
    }
    if seam_corners == 0 {
        return Ok(None);
    }

    let mut opposite_corners = budget.vec_with_capacity(corner_count)?;
    let cut = |(&opposite, &is_seam): (&u32, &bool)| if is_seam { INVALID } else { opposite };
    opposite_corners.extend(mesh.opposite_corners.iter().zip(&is_seam).map(cut));
    let corner_to_vertex = budget.vec_filled(corner_count, INVALID)?;
    // Around a vertex, a new one begins at the first corner and to the right of each seam.
    let max_vertices = mesh.vertex_count() + seam_corners;
    let left_most_corners = budget.vec_with_capacity(max_vertices)?;
    let mut table = CornerTable { opposite_corners, corner_to_vertex, left_most_corners };
    let mut steps = StepLimit::new(corner_count, 8);
    for &start in &mesh.left_most_corners {
        // Swing left to a seam, if there is one.
        let mut first = start;
        loop {
            steps.step()?;
            let left = table.swing_left(first);
            if left == INVALID {
                break;
            }
            first = left;
            if left == start {
                break;
            }
        }
        let mut corner = first;
        while corner != INVALID {
            steps.step()?;
            if corner == first || is_seam.get(next(corner) as usize) == Some(&true) {
                if table.vertex_count() == max_vertices {
                    return Err(Error::Malformed("an attribute has more vertices than corners"));
                }
                table.left_most_corners.push(corner);
            }
            let vertex = table.vertex_count() as u32 - 1;
            set(&mut table.corner_to_vertex, corner, vertex);
            corner = mesh.swing_right(corner);
            if corner == first {
                break;
            }
        }
    }
    Ok(Some(table))
}

/// Returns the point of each corner, and the number of points.
fn assign_points(
    mesh: &CornerTable,
    attributes: &[CornerTable],
    may_be_on_boundary: &[bool],
    budget: &mut Budget,
) -> Result<(Vec<u32>, usize), Error> {
    let mut corner_to_point = budget.vec_filled(mesh.corner_count(), INVALID)?;
    let mut point_count = 0;
    let mut steps = StepLimit::new(mesh.corner_count(), 4 + attributes.len());
    for (&start, &may_be_on_boundary) in mesh.left_most_corners.iter().zip(may_be_on_boundary) {
        if start == INVALID {
            continue;
        }
        let mut first = start;
        if !may_be_on_boundary {
            // Triangles surround the vertex: begin at the seam of an attribute.
            'find_seam: for attribute in attributes {
                if !attribute.is_on_boundary(attribute.vertex(start)) {
                    continue;
                }
                let mut corner = mesh.swing_right(start);
                while corner != start {
                    steps.step()?;
                    if corner == INVALID {
                        return Err(Error::Malformed("an interior vertex has a boundary edge"));
                    }
                    if attribute.vertex(corner) != attribute.vertex(start) {
                        first = corner;
                        break 'find_seam;
                    }
                    corner = mesh.swing_right(corner);
                }
            }
        }
        let mut last = INVALID;
        let mut corner = first;
        while corner != INVALID {
            steps.step()?;
            let differs = |table: &CornerTable| table.vertex(corner) != table.vertex(last);
            if last == INVALID || attributes.iter().any(differs) {
                point_count += 1;
            }
            set(&mut corner_to_point, corner, point_count - 1);
            last = corner;
            corner = mesh.swing_right(corner);
            if corner == first {
                break;
            }
        }
    }
    if corner_to_point.contains(&INVALID) {
        return Err(NO_VERTEX);
    }
    Ok((corner_to_point, point_count as usize))
}
