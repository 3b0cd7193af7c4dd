//! Seams: edges at which an attribute parts, though the surface does not.
//!
//! Each attribute with seams has a corner table of its own: the surface's, cut at its seams,
//! with a vertex for each piece that is left around a vertex of the surface. A *point* is
//! what triangles index in the end: corners are the same point if no attribute parts them.
//!
//! Invariant: points are counted vertex by vertex, and around each from the left. The order
//! is part of the format, as other accessors of the glTF may rely on it.

use crate::bitstream::rans::Flags;
use crate::budget::Room;
use crate::connectivity::corner_table::{Corners, NONE, Steps, next, set};
use crate::connectivity::edgebreaker::Surface;
use crate::error::Fault;

/// The triangles with all their connectivities.
pub(crate) struct Mesh {
    /// The surface, then what it is cut to for attributes with seams. None for triangles
    /// that were written in sequence.
    pub(crate) tables: Vec<Corners>,
    /// Which table each attribute has that says where its seams are; many have none.
    pub(crate) cuts: Vec<usize>,
    /// By corner: its point, which is below `points`.
    pub(crate) point: Vec<u32>,
    pub(crate) points: usize,
}

const NO_VERTEX: Fault = Fault::Broken("a corner has no vertex");

/// Cuts the surface for each attribute, and counts the points.
pub(crate) fn cut(surface: Surface<'_>, room: &mut Room) -> Result<Mesh, Fault> {
    let Surface { corners, open, seams } = surface;
    let mut tables = room.empty(seams.len() + 1)?;
    let mut cuts = room.empty(seams.len())?;
    let attributes = seams.len();
    tables.push(corners);
    for flags in seams {
        match cut_one(&tables[0], flags, room)? {
            None => cuts.push(0),
            Some(table) => {
                cuts.push(tables.len());
                tables.push(table);
            }
        }
    }
    let (point, points) = if attributes == 0 {
        // Nothing can part: points are vertices.
        let mut point = room.empty(tables[0].vertex.len())?;
        point.extend_from_slice(&tables[0].vertex);
        let points = tables[0].leftmost.len();
        if point.iter().any(|&point| point as usize >= points) {
            return Err(NO_VERTEX);
        }
        (point, points)
    } else {
        points(&tables[0], &tables[1..], &open, room)?
    };
    room.give(open);
    Ok(Mesh { tables, cuts, point, points })
}

/// The surface, cut at the seams of one attribute; or nothing, if it has none.
fn cut_one(
    surface: &Corners,
    mut flags: Flags<'_>,
    room: &mut Room,
) -> Result<Option<Corners>, Fault> {
    let count = surface.vertex.len();
    // Not given back, so that the work is paid for as well: there may be 255 attributes
    // without seams.
    let mut seam = room.filled(count, false)?;
    let mut seams = 0;
    for (corner, &across) in surface.opposite.iter().enumerate() {
        // Each edge has one flag, at the first triangle that has it.
        if across != NONE && across as usize / 3 >= corner / 3 && flags.next() {
            seam[corner] = true;
            seam[across as usize] = true;
            seams += 2;
        }
    }
    if seams == 0 {
        return Ok(None);
    }

    let mut opposite = room.empty(count)?;
    let cut = |(&across, &seam): (&u32, &bool)| if seam { NONE } else { across };
    opposite.extend(surface.opposite.iter().zip(&seam).map(cut));
    let vertex = room.filled(count, NONE)?;
    // Around a vertex, a new one begins at the first corner and to the right of each seam.
    let most = surface.leftmost.len() + seams;
    let mut cut = Corners { opposite, vertex, leftmost: room.empty(most)? };
    let mut steps = Steps::new(count, 8);
    for &start in &surface.leftmost {
        // Back to a seam, if there is one.
        let mut first = start;
        loop {
            steps.step()?;
            let left = cut.swing_left(first);
            if left == NONE {
                break;
            }
            first = left;
            if left == start {
                break;
            }
        }
        let mut corner = first;
        while corner != NONE {
            steps.step()?;
            if corner == first || seam.get(next(corner) as usize) == Some(&true) {
                if cut.leftmost.len() == most {
                    return Err(Fault::Broken("it has more vertices than corners"));
                }
                cut.leftmost.push(corner);
            }
            set(&mut cut.vertex, corner, cut.leftmost.len() as u32 - 1);
            corner = surface.swing_right(corner);
            if corner == first {
                break;
            }
        }
    }
    Ok(Some(cut))
}

/// The point of each corner, and how many there are.
fn points(
    surface: &Corners,
    attributes: &[Corners],
    open: &[bool],
    room: &mut Room,
) -> Result<(Vec<u32>, usize), Fault> {
    let mut point = room.filled(surface.vertex.len(), NONE)?;
    let mut points = 0;
    let mut steps = Steps::new(surface.vertex.len(), 4 + attributes.len());
    for (&start, &open) in surface.leftmost.iter().zip(open) {
        if start == NONE {
            continue;
        }
        let mut first = start;
        if !open {
            // All around are triangles: begin where some attribute parts.
            'begin: for attribute in attributes {
                if !attribute.is_on_boundary(attribute.vertex(start)) {
                    continue;
                }
                let mut corner = surface.swing_right(start);
                while corner != start {
                    steps.step()?;
                    if corner == NONE {
                        return Err(Fault::Broken("a closed vertex has an open edge"));
                    }
                    if attribute.vertex(corner) != attribute.vertex(start) {
                        first = corner;
                        break 'begin;
                    }
                    corner = surface.swing_right(corner);
                }
            }
        }
        let mut before = NONE;
        let mut corner = first;
        while corner != NONE {
            steps.step()?;
            let parts = |table: &Corners| table.vertex(corner) != table.vertex(before);
            if before == NONE || attributes.iter().any(parts) {
                points += 1;
            }
            set(&mut point, corner, points - 1);
            before = corner;
            corner = surface.swing_right(corner);
            if corner == first {
                break;
            }
        }
    }
    if point.contains(&NONE) {
        return Err(NO_VERTEX);
    }
    Ok((point, points as usize))
}
