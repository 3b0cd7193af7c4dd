//! Seams: edges at which an attribute parts, though the surface does not.
//!
//! Each attribute with seams has a corner table of its own: the surface's, cut at its seams,
//! with a vertex for each piece that is left around a vertex of the surface. A *point* is
//! what triangles index in the end: corners are the same point if no attribute parts them.
//!
//! Invariant: points are counted vertex by vertex, and around each from the left. The order
//! is part of the format, as other accessors of the glTF may rely on it.

use super::corners::{Corners, NONE, Steps, next, previous, set};
use super::edgebreaker::Surface;
use super::fault::Fault;
use super::rans::Flags;
use super::room::Room;

/// The triangles with all their connectivities.
pub(super) struct Mesh {
    /// The surface, then the attributes with seams.
    pub(super) tables: Vec<Corners>,
    /// By corner: its point.
    pub(super) point: Vec<u32>,
    pub(super) points: usize,
}

/// Cuts the surface for each attribute, and counts the points.
pub(super) fn cut(surface: Surface<'_>, room: &mut Room) -> Result<Mesh, Fault> {
    let Surface { corners, open, seams } = surface;
    let mut tables = room.empty(seams.len() + 1)?;
    tables.push(corners);
    for flags in seams {
        let cut = cut_one(&tables[0], flags, room)?;
        tables.push(cut);
    }
    let (point, points) = if let [surface] = tables.as_slice() {
        // Nothing parts: points are vertices.
        let mut point = room.empty(surface.vertex.len())?;
        point.extend_from_slice(&surface.vertex);
        (point, surface.leftmost.len())
    } else {
        points(&tables, &open, room)?
    };
    room.give(open);
    Ok(Mesh { tables, point, points })
}

/// The surface, cut at the seams of one attribute.
fn cut_one(surface: &Corners, mut flags: Flags<'_>, room: &mut Room) -> Result<Corners, Fault> {
    let count = surface.vertex.len();
    let mut opposite = room.empty(count)?;
    opposite.extend_from_slice(&surface.opposite);
    let mut parted = room.filled(surface.leftmost.len(), false)?;
    for corner in 0..count as u32 {
        let across = surface.opposite(corner);
        // Each edge has one flag, at the first triangle that has it. Open edges are seams.
        let seam = across == NONE || across / 3 >= corner / 3 && flags.next();
        if !seam {
            continue;
        }
        for corner in [corner, across] {
            set(&mut opposite, corner, NONE);
            for end in [next(corner), previous(corner)] {
                if let Some(parted) = parted.get_mut(surface.vertex(end) as usize) {
                    *parted = true;
                }
            }
        }
    }

    let vertex = room.filled(count, NONE)?;
    // As many vertices as corners, if every edge is a seam.
    let leftmost = room.empty(count)?;
    let mut cut = Corners { opposite, vertex, leftmost };
    let mut steps = Steps::new(count, 4);
    for (start, &parted) in surface.leftmost.iter().zip(&parted) {
        let mut first = *start;
        if first == NONE {
            continue;
        }
        if parted {
            loop {
                let left = cut.swing_left(first);
                if left == NONE {
                    break;
                }
                first = left;
                steps.step()?;
            }
        }
        let mut corner = first;
        while corner != NONE {
            steps.step()?;
            let begins = corner == first || cut.opposite(next(corner)) == NONE;
            if begins {
                if cut.leftmost.len() == count {
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
    room.give(parted);
    Ok(cut)
}

/// The point of each corner, and how many there are.
fn points(
    tables: &[Corners],
    open: &[bool],
    room: &mut Room,
) -> Result<(Vec<u32>, usize), Fault> {
    let [surface, attributes @ ..] = tables else { return Ok((Vec::new(), 0)) };
    let mut point = room.filled(surface.vertex.len(), NONE)?;
    let mut points = 0;
    let mut steps = Steps::new(surface.vertex.len(), 4 * tables.len());
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
        return Err(Fault::Broken("a corner has no vertex"));
    }
    Ok((point, points as usize))
}
