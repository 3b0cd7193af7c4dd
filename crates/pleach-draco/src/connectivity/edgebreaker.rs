//! Edgebreaker: triangles from the encoder's traversal of them.
//!
//! The encoder walked from triangle to triangle and wrote how each meets those before. Decoding
//! runs backwards: every symbol adds one triangle. A stack holds the active corner of each
//! component, which is opposite to its active boundary edge; the next triangle is attached to
//! the edge on top of the stack.
//!
//! Where the traversal met itself again (a handle of the surface), a *topology split* states
//! which edge becomes active later.

use super::clers::{Symbol, SymbolDecoder};
use super::corner_table::{CornerTable, INVALID, next, previous, set};
use super::step_limit::StepLimit;
use crate::Error;
use crate::bitstream::rans::RansBitDecoder;
use crate::bitstream::reader::{BitReader, Reader};
use crate::budget::Budget;

/// The decoded triangles, and the seams of attributes that are still to be decoded.
pub(crate) struct EdgebreakerMesh<'a> {
    pub(crate) corner_table: CornerTable,
    /// By vertex: whether it may be on a boundary edge.
    pub(crate) may_be_on_boundary: Vec<bool>,
    /// By attribute that may have seams: the bits of its edges.
    pub(crate) attribute_seams: Vec<RansBitDecoder<'a>>,
}

/// The element counts of the stream.
struct ElementCounts {
    triangles: usize,
    /// The maximum number of vertices at any time.
    vertices: usize,
    symbols: usize,
}

/// An edge that becomes active later.
struct TopologySplit {
    /// The symbol whose triangle has the edge.
    source_symbol: usize,
    /// The symbol that makes the edge active.
    split_symbol: usize,
    is_right_edge: bool,
}

/// Draco's numbers of traversal decoders. Number 1, the predictive one, is of older versions.
const STANDARD: u8 = 0;
const VALENCE: u8 = 2;

/// Decodes the triangles.
pub(crate) fn decode<'a>(
    reader: &mut Reader<'a>,
    budget: &mut Budget,
) -> Result<EdgebreakerMesh<'a>, Error> {
    let traversal = reader.u8()?;
    if traversal != STANDARD && traversal != VALENCE {
        let field = "Edgebreaker traversal";
        return Err(Error::Unsupported { field, value: traversal.into() });
    }
    let (counts, attributes) = ElementCounts::read(reader)?;
    let topology_splits = read_topology_splits(reader, &counts, budget)?;

    let bits = if traversal == STANDARD { reader.length_prefixed()? } else { &[] };
    let mut start_faces = RansBitDecoder::read(reader)?;
    let mut attribute_seams = budget.vec_with_capacity(attributes)?;
    for _ in 0..attributes {
        attribute_seams.push(RansBitDecoder::read(reader)?);
    }
    let symbols = if traversal == STANDARD {
        let bits = BitReader::new(bits);
        bits.require(counts.symbols)?;
        SymbolDecoder::Standard(bits)
    } else {
        SymbolDecoder::read_valence(reader, counts.symbols, counts.vertices, budget)?
    };

    let split_corners = if topology_splits.is_empty() { 0 } else { counts.symbols };
    let mut decoder = EdgebreakerDecoder {
        table: CornerTable::new(counts.triangles, counts.vertices, budget)?,
        may_be_on_boundary: budget.vec_filled(counts.vertices, true)?,
        active_corners: budget.vec_with_capacity(counts.symbols)?,
        steps: StepLimit::new(counts.triangles * 3, 256),
        split_corners: budget.vec_filled(split_corners, INVALID)?,
        merged_vertices: budget.vec_with_capacity(counts.symbols)?,
        max_vertices: counts.vertices,
        triangles: 0,
        topology_splits,
        symbols,
    };
    for symbol in 0..counts.symbols {
        decoder.decode_symbol(symbol, counts.symbols)?;
    }
    decoder.decode_start_faces(&mut start_faces, counts.triangles)?;
    if attributes == 0 {
        decoder.renumber_merged_vertices()?;
    }
    Ok(decoder.finish(attribute_seams, budget))
}

impl ElementCounts {
    /// Reads the counts, if a mesh can have them, and the number of attributes that may have
    /// seams.
    fn read(reader: &mut Reader<'_>) -> Result<(Self, usize), Error> {
        let vertices = reader.count()?;
        let triangles = reader.count()?;
        let attributes = usize::from(reader.u8()?);
        let symbols = reader.count()?;
        let split_symbols = reader.count()?;
        if triangles > (INVALID / 3) as usize || vertices > triangles * 3 {
            return Err(Error::Malformed("its numbers of triangles and vertices do not match"));
        }
        // Each component may have one triangle without a symbol, and has at least three with.
        if symbols > triangles || triangles - symbols > symbols / 3 || split_symbols > symbols {
            return Err(Error::Malformed("its numbers of triangles and symbols do not match"));
        }
        let vertices = vertices.saturating_add(split_symbols);
        Ok((Self { triangles, vertices, symbols }, attributes))
    }
}

/// Reads the topology splits: in ascending order of the source symbol, which is not before the
/// split symbol.
fn read_topology_splits(
    reader: &mut Reader<'_>,
    counts: &ElementCounts,
    budget: &mut Budget,
) -> Result<Vec<TopologySplit>, Error> {
    let malformed = Error::Malformed("a topology split does not refer to a symbol");
    let count = reader.count()?;
    if count > counts.symbols {
        return Err(malformed);
    }
    let mut splits = budget.vec_with_capacity(count)?;
    let mut source_symbol = 0;
    for _ in 0..count {
        source_symbol = reader.count()?.saturating_add(source_symbol);
        let split_symbol = source_symbol.checked_sub(reader.count()?);
        let Some(split_symbol) = split_symbol else { return Err(malformed) };
        if source_symbol >= counts.symbols {
            return Err(malformed);
        }
        splits.push(TopologySplit { source_symbol, split_symbol, is_right_edge: false });
    }
    let mut bits = reader.bit_reader();
    for split in &mut splits {
        split.is_right_edge = bits.read(1)? == 1;
    }
    reader.skip_past(&bits)?;
    Ok(splits)
}

/// The state of the reversed traversal.
struct EdgebreakerDecoder<'a> {
    table: CornerTable,
    may_be_on_boundary: Vec<bool>,
    /// The corner opposite to the active edge of each component.
    active_corners: Vec<u32>,
    /// By symbol: the corner that becomes active there because of a topology split.
    split_corners: Vec<u32>,
    /// The vertices that were merged into others.
    merged_vertices: Vec<u32>,
    steps: StepLimit,
    max_vertices: usize,
    triangles: u32,
    topology_splits: Vec<TopologySplit>,
    symbols: SymbolDecoder<'a>,
}

const NO_COMPONENT: Error = Error::Malformed("a triangle has no edge to be attached to");
const NON_MANIFOLD: Error = Error::Malformed("an edge has more than two triangles");

impl EdgebreakerDecoder<'_> {
    /// Adds the triangle of a symbol.
    fn decode_symbol(&mut self, symbol: usize, symbol_count: usize) -> Result<(), Error> {
        let corner = self.triangles * 3;
        self.triangles += 1;
        let kind = self.symbols.next()?;
        match kind {
            Symbol::C => self.decode_center(corner)?,
            Symbol::S => self.decode_split(corner, symbol)?,
            Symbol::L => self.decode_left_or_right(corner, corner + 1, corner, corner + 2)?,
            Symbol::R => self.decode_left_or_right(corner, corner + 2, corner + 1, corner)?,
            Symbol::E => self.decode_end(corner)?,
        }
        self.symbols.triangle_added(&self.table, corner);
        if matches!(kind, Symbol::L | Symbol::R | Symbol::E) {
            self.resolve_topology_splits(corner, symbol_count - symbol - 1, symbol_count)?;
        }
        Ok(())
    }

    fn active_corner(&self) -> Result<u32, Error> {
        self.active_corners.last().copied().ok_or(NO_COMPONENT)
    }

    /// Replaces the active corner of the current component.
    fn set_active_corner(&mut self, corner: u32) {
        if let Some(active) = self.active_corners.last_mut() {
            *active = corner;
        }
    }

    /// Fails unless the edges opposite to `corners` are boundary edges.
    fn require_boundary(&self, corners: &[u32]) -> Result<(), Error> {
        let is_boundary =
            |&corner: &u32| corner != INVALID && self.table.opposite(corner) == INVALID;
        if corners.iter().all(is_boundary) { Ok(()) } else { Err(NON_MANIFOLD) }
    }

    fn add_vertex(&mut self, corner: u32) -> Result<(), Error> {
        let vertex = self.table.vertex_count();
        if vertex >= self.max_vertices {
            return Err(Error::Malformed("it has more vertices than its header states"));
        }
        self.table.left_most_corners.push(corner);
        set(&mut self.table.corner_to_vertex, corner, vertex as u32);
        Ok(())
    }

    /// E: the triangle begins a component.
    fn decode_end(&mut self, corner: u32) -> Result<(), Error> {
        for corner in corner..corner + 3 {
            self.add_vertex(corner)?;
        }
        self.active_corners.push(corner);
        Ok(())
    }

    /// L and R: the triangle is attached to the active edge. `tip` is opposite to that edge and
    /// has a new vertex.
    fn decode_left_or_right(
        &mut self,
        corner: u32,
        tip: u32,
        left: u32,
        right: u32,
    ) -> Result<(), Error> {
        let active = self.active_corner()?;
        self.require_boundary(&[active])?;
        self.table.set_opposite(tip, active);
        self.add_vertex(tip)?;
        let previous_vertex = self.table.vertex(previous(active));
        set(&mut self.table.corner_to_vertex, right, previous_vertex);
        set(&mut self.table.left_most_corners, previous_vertex, right);
        let next_vertex = self.table.vertex(next(active));
        set(&mut self.table.corner_to_vertex, left, next_vertex);
        self.set_active_corner(corner);
        Ok(())
    }

    /// C: the triangle connects two boundary edges of a vertex, which is then enclosed.
    fn decode_center(&mut self, corner: u32) -> Result<(), Error> {
        let a = self.active_corner()?;
        let center = self.table.vertex(next(a));
        let b = next(self.table.left_most_corner(center));
        self.require_boundary(&[a, b])?;
        let previous_vertex = self.table.vertex(previous(a));
        let next_vertex = self.table.vertex(next(b));
        if a == b || center == previous_vertex || center == next_vertex {
            return Err(Error::Malformed("a triangle has a vertex twice"));
        }
        self.table.set_opposite(a, corner + 1);
        self.table.set_opposite(b, corner + 2);
        set(&mut self.table.corner_to_vertex, corner, center);
        set(&mut self.table.corner_to_vertex, corner + 1, next_vertex);
        set(&mut self.table.corner_to_vertex, corner + 2, previous_vertex);
        set(&mut self.table.left_most_corners, previous_vertex, corner + 2);
        self.mark_interior(center);
        self.set_active_corner(corner);
        Ok(())
    }

    /// S: the triangle connects two components, two vertices of which are merged.
    fn decode_split(&mut self, corner: u32, symbol: usize) -> Result<(), Error> {
        let b = self.active_corners.pop().ok_or(NO_COMPONENT)?;
        if let Some(&split_corner) = self.split_corners.get(symbol)
            && split_corner != INVALID
        {
            self.active_corners.push(split_corner);
        }
        let a = self.active_corner()?;
        self.require_boundary(&[b, a])?;
        if b == a {
            return Err(NON_MANIFOLD);
        }
        self.table.set_opposite(a, corner + 2);
        self.table.set_opposite(b, corner + 1);
        let kept = self.table.vertex(previous(a));
        let next_vertex = self.table.vertex(next(a));
        let previous_vertex = self.table.vertex(previous(b));
        set(&mut self.table.corner_to_vertex, corner, kept);
        set(&mut self.table.corner_to_vertex, corner + 1, next_vertex);
        set(&mut self.table.corner_to_vertex, corner + 2, previous_vertex);
        set(&mut self.table.left_most_corners, previous_vertex, corner + 2);

        let first = next(b);
        let merged = self.table.vertex(first);
        self.symbols.vertices_merged(merged, kept);
        let left_most = self.table.left_most_corner(merged);
        set(&mut self.table.left_most_corners, kept, left_most);
        let mut walked = first;
        while walked != INVALID {
            self.steps.step()?;
            set(&mut self.table.corner_to_vertex, walked, kept);
            walked = self.table.swing_left(walked);
            if walked == first {
                return Err(Error::Malformed("components are connected at an interior vertex"));
            }
        }
        set(&mut self.table.left_most_corners, merged, INVALID);
        self.merged_vertices.push(merged);
        self.set_active_corner(corner);
        Ok(())
    }

    /// Stores the corners that become active later. `symbol` counts from the encoder's start.
    fn resolve_topology_splits(
        &mut self,
        corner: u32,
        symbol: usize,
        symbol_count: usize,
    ) -> Result<(), Error> {
        while let Some(split) = self.topology_splits.last() {
            if split.source_symbol > symbol {
                return Err(Error::Malformed("a topology split refers to a C or S symbol"));
            }
            if split.source_symbol < symbol {
                break;
            }
            let edge = if split.is_right_edge { next(corner) } else { previous(corner) };
            self.split_corners[symbol_count - split.split_symbol - 1] = edge;
            self.topology_splits.pop();
        }
        Ok(())
    }

    /// Adds the start faces: triangles without a symbol that enclose the last three boundary
    /// edges of a component.
    fn decode_start_faces(
        &mut self,
        start_faces: &mut RansBitDecoder<'_>,
        triangle_count: usize,
    ) -> Result<(), Error> {
        while let Some(a) = self.active_corners.pop() {
            if !start_faces.next() {
                continue;
            }
            let corner = self.triangles * 3;
            self.triangles += 1;
            if self.triangles as usize > triangle_count {
                return Err(Error::Malformed("it has more triangles than its header states"));
            }
            let next_vertex = self.table.vertex(next(a));
            let b = next(self.table.left_most_corner(next_vertex));
            let previous_vertex = self.table.vertex(next(b));
            let c = next(self.table.left_most_corner(previous_vertex));
            self.require_boundary(&[a, b, c])?;
            if a == b || b == c || c == a {
                return Err(NON_MANIFOLD);
            }
            let tip = self.table.vertex(next(c));
            let sides = [(a, previous_vertex), (b, tip), (c, next_vertex)];
            for (corner, (opposite, vertex)) in (corner..).zip(sides) {
                self.table.set_opposite(corner, opposite);
                set(&mut self.table.corner_to_vertex, corner, vertex);
                self.mark_interior(vertex);
            }
        }
        if self.triangles as usize != triangle_count {
            return Err(Error::Malformed("it has fewer triangles than its header states"));
        }
        Ok(())
    }

    fn mark_interior(&mut self, vertex: u32) {
        if let Some(may_be_on_boundary) = self.may_be_on_boundary.get_mut(vertex as usize) {
            *may_be_on_boundary = false;
        }
    }

    /// Gives the indices of merged vertices to the last vertices, so that every vertex has a
    /// corner. Not done with seams: points are counted then, not vertices.
    fn renumber_merged_vertices(&mut self) -> Result<(), Error> {
        for index in 0..self.merged_vertices.len() {
            let unused = self.merged_vertices[index];
            while self.table.left_most_corners.last() == Some(&INVALID) {
                self.table.left_most_corners.pop();
            }
            let last = self.table.vertex_count().saturating_sub(1) as u32;
            if last < unused || self.table.left_most_corners.is_empty() {
                continue;
            }
            let first = self.table.left_most_corner(last);
            let mut corner = first;
            let mut leftwards = true;
            while corner != INVALID {
                self.steps.step()?;
                if self.table.vertex(corner) != last {
                    return Err(Error::Malformed("a corner has the vertex of another"));
                }
                set(&mut self.table.corner_to_vertex, corner, unused);
                if leftwards {
                    corner = self.table.swing_left(corner);
                    if corner == first {
                        break;
                    }
                    if corner == INVALID {
                        leftwards = false;
                        corner = self.table.swing_right(first);
                    }
                } else {
                    corner = self.table.swing_right(corner);
                }
            }
            set(&mut self.table.left_most_corners, unused, first);
            self.may_be_on_boundary[unused as usize] = self.may_be_on_boundary[last as usize];
            self.table.left_most_corners.pop();
        }
        Ok(())
    }

    fn finish<'a>(
        self,
        attribute_seams: Vec<RansBitDecoder<'a>>,
        budget: &mut Budget,
    ) -> EdgebreakerMesh<'a> {
        budget.release(self.active_corners);
        budget.release(self.split_corners);
        budget.release(self.merged_vertices);
        budget.release(self.topology_splits);
        self.symbols.release(budget);
        EdgebreakerMesh {
            corner_table: self.table,
            may_be_on_boundary: self.may_be_on_boundary,
            attribute_seams,
        }
    }
}
