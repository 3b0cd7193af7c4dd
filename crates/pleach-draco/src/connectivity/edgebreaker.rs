//! Edgebreaker: triangles from a walk that the encoder took over them.
//!
//! The encoder walked from triangle to triangle and wrote how each meets those before. Here
//! the walk is taken from its end: every symbol puts one triangle on. A stack holds the
//! corner across from the open edge of each piece; its top is where the next triangle goes.
//!
//! Where the walk met itself again (a handle of the surface), a *split* tells which edge to
//! go on from later.

use crate::bitstream::rans::Flags;
use crate::bitstream::reader::{Bits, Reader};
use crate::budget::Room;
use crate::connectivity::clers::{Source, Symbol};
use crate::connectivity::corner_table::{Corners, NONE, Steps, next, previous, set};
use crate::error::Fault;

/// The triangles, and what is known of attributes that part where triangles meet.
pub(crate) struct Surface<'a> {
    pub(crate) corners: Corners,
    /// By vertex: whether there may be an open edge at it.
    pub(crate) open: Vec<bool>,
    /// For each attribute of its own connectivity: whether edges part it.
    pub(crate) seams: Vec<Flags<'a>>,
}

/// What the stream says of itself.
struct Head {
    triangles: usize,
    /// The most vertices there are at any time.
    vertices: usize,
    symbols: usize,
}

/// An edge to go on from later.
struct Split {
    /// The symbol after which to note the edge.
    source: usize,
    /// The symbol that goes on from it.
    target: usize,
    /// Whether it is the right edge.
    right: bool,
}

/// Draco's numbers of ways to write symbols. One between is of older versions.
const STANDARD: u8 = 0;
const VALENCE: u8 = 2;

/// Reads the triangles.
pub(crate) fn read<'a>(reader: &mut Reader<'a>, room: &mut Room) -> Result<Surface<'a>, Fault> {
    let way = reader.u8()?;
    if way != STANDARD && way != VALENCE {
        return Err(Fault::Unknown("Edgebreaker symbols in way", way.into()));
    }
    let (head, attributes) = Head::read(reader)?;
    let splits = splits(reader, &head, room)?;

    let bits = if way == STANDARD { reader.block()? } else { &[] };
    let mut starts = Flags::read(reader)?;
    let mut seams = room.empty(attributes)?;
    for _ in 0..attributes {
        seams.push(Flags::read(reader)?);
    }
    let source = if way == STANDARD {
        let bits = Bits::new(bits);
        bits.has(head.symbols)?;
        Source::Standard(bits)
    } else {
        Source::valence(reader, head.symbols, head.vertices, room)?
    };

    let mut walk = Walk {
        corners: Corners::new(head.triangles, head.vertices, room)?,
        open: room.filled(head.vertices, true)?,
        stack: room.empty(head.symbols)?,
        steps: Steps::new(head.triangles * 3, 256),
        resume: room.filled(if splits.is_empty() { 0 } else { head.symbols }, NONE)?,
        merged: room.empty(head.symbols)?,
        vertices: head.vertices,
        triangles: 0,
        splits,
        source,
    };
    for symbol in 0..head.symbols {
        walk.put(symbol, head.symbols)?;
    }
    walk.close(&mut starts, head.triangles)?;
    if attributes == 0 {
        walk.fill_gaps()?;
    }
    Ok(walk.surface(seams, room))
}

impl Head {
    /// The counts, if some surface can have them, and the number of attributes with seams.
    fn read(reader: &mut Reader<'_>) -> Result<(Self, usize), Fault> {
        let vertices = reader.count()?;
        let triangles = reader.count()?;
        let attributes = usize::from(reader.u8()?);
        let symbols = reader.count()?;
        let split_symbols = reader.count()?;
        if triangles > (NONE / 3) as usize || vertices > triangles * 3 {
            return Err(Fault::Broken("its numbers of triangles and vertices do not fit"));
        }
        // Each piece may have one triangle that has no symbol, and has three that do.
        if symbols > triangles || triangles - symbols > symbols / 3 || split_symbols > symbols {
            return Err(Fault::Broken("its numbers of triangles and symbols do not fit"));
        }
        let vertices = vertices.saturating_add(split_symbols);
        Ok((Self { triangles, vertices, symbols }, attributes))
    }
}

/// Reads the splits: sources rise, and targets are before them.
fn splits(reader: &mut Reader<'_>, head: &Head, room: &mut Room) -> Result<Vec<Split>, Fault> {
    let broken = Fault::Broken("a split is not at a symbol");
    let count = reader.count()?;
    if count > head.symbols {
        return Err(broken);
    }
    let mut splits = room.empty(count)?;
    let mut source = 0;
    for _ in 0..count {
        source = reader.count()?.saturating_add(source);
        let Some(target) = source.checked_sub(reader.count()?) else { return Err(broken) };
        if source >= head.symbols {
            return Err(broken);
        }
        splits.push(Split { source, target, right: false });
    }
    let mut bits = reader.bits();
    for split in &mut splits {
        split.right = bits.read(1)? == 1;
    }
    reader.skip_bits(&bits)?;
    Ok(splits)
}

/// The walk, from its end.
struct Walk<'a> {
    corners: Corners,
    open: Vec<bool>,
    /// The corner across from the open edge of each piece.
    stack: Vec<u32>,
    /// By symbol: the corner to go on from, where a split says so.
    resume: Vec<u32>,
    /// The vertices that became others.
    merged: Vec<u32>,
    steps: Steps,
    vertices: usize,
    triangles: u32,
    splits: Vec<Split>,
    source: Source<'a>,
}

const NO_PIECE: Fault = Fault::Broken("a triangle has nothing to meet");
const TAKEN: Fault = Fault::Broken("an edge has more than two triangles");

impl Walk<'_> {
    /// Puts the triangle of a symbol on.
    fn put(&mut self, symbol: usize, symbols: usize) -> Result<(), Fault> {
        let corner = self.triangles * 3;
        self.triangles += 1;
        let kind = self.source.next()?;
        match kind {
            Symbol::C => self.close_gap(corner)?,
            Symbol::S => self.join_pieces(corner, symbol)?,
            Symbol::L => self.put_on(corner, corner + 1, corner, corner + 2)?,
            Symbol::R => self.put_on(corner, corner + 2, corner + 1, corner)?,
            Symbol::E => self.begin_piece(corner)?,
        }
        self.source.made(&self.corners, corner);
        if matches!(kind, Symbol::L | Symbol::R | Symbol::E) {
            self.note_splits(corner, symbols - symbol - 1, symbols)?;
        }
        Ok(())
    }

    fn top(&self) -> Result<u32, Fault> {
        self.stack.last().copied().ok_or(NO_PIECE)
    }

    /// The new triangle is where the piece goes on from.
    fn go_on(&mut self, corner: u32) {
        if let Some(top) = self.stack.last_mut() {
            *top = corner;
        }
    }

    /// An edge must be open for a triangle to meet it.
    fn must_be_open(&self, corners: &[u32]) -> Result<(), Fault> {
        let open = |&corner: &u32| corner != NONE && self.corners.opposite(corner) == NONE;
        if corners.iter().all(open) { Ok(()) } else { Err(TAKEN) }
    }

    fn new_vertex(&mut self, corner: u32) -> Result<(), Fault> {
        let vertex = self.corners.leftmost.len();
        if vertex >= self.vertices {
            return Err(Fault::Broken("it has more vertices than it says"));
        }
        self.corners.leftmost.push(corner);
        set(&mut self.corners.vertex, corner, vertex as u32);
        Ok(())
    }

    fn begin_piece(&mut self, corner: u32) -> Result<(), Fault> {
        for corner in corner..corner + 3 {
            self.new_vertex(corner)?;
        }
        self.stack.push(corner);
        Ok(())
    }

    /// L and R: `tip` is across from the edge where it is put on, and a new vertex.
    fn put_on(&mut self, corner: u32, tip: u32, left: u32, right: u32) -> Result<(), Fault> {
        let edge = self.top()?;
        self.must_be_open(&[edge])?;
        self.corners.join(tip, edge);
        self.new_vertex(tip)?;
        let behind = self.corners.vertex(previous(edge));
        set(&mut self.corners.vertex, right, behind);
        set(&mut self.corners.leftmost, behind, right);
        let ahead = self.corners.vertex(next(edge));
        set(&mut self.corners.vertex, left, ahead);
        self.go_on(corner);
        Ok(())
    }

    /// C: the triangle is between two open edges at a vertex, which is then closed.
    fn close_gap(&mut self, corner: u32) -> Result<(), Fault> {
        let one = self.top()?;
        let closed = self.corners.vertex(next(one));
        let other = next(self.corners.leftmost(closed));
        self.must_be_open(&[one, other])?;
        let behind = self.corners.vertex(previous(one));
        let ahead = self.corners.vertex(next(other));
        if one == other || closed == behind || closed == ahead {
            return Err(Fault::Broken("a triangle has a vertex twice"));
        }
        self.corners.join(one, corner + 1);
        self.corners.join(other, corner + 2);
        set(&mut self.corners.vertex, corner, closed);
        set(&mut self.corners.vertex, corner + 1, ahead);
        set(&mut self.corners.vertex, corner + 2, behind);
        set(&mut self.corners.leftmost, behind, corner + 2);
        self.shut(closed);
        self.go_on(corner);
        Ok(())
    }

    /// S: the triangle is between two pieces, which thereby share a vertex.
    fn join_pieces(&mut self, corner: u32, symbol: usize) -> Result<(), Fault> {
        let upper = self.stack.pop().ok_or(NO_PIECE)?;
        if let Some(&resumed) = self.resume.get(symbol)
            && resumed != NONE
        {
            self.stack.push(resumed);
        }
        let lower = self.top()?;
        self.must_be_open(&[upper, lower])?;
        if upper == lower {
            return Err(TAKEN);
        }
        self.corners.join(lower, corner + 2);
        self.corners.join(upper, corner + 1);
        let kept = self.corners.vertex(previous(lower));
        let ahead = self.corners.vertex(next(lower));
        let behind = self.corners.vertex(previous(upper));
        set(&mut self.corners.vertex, corner, kept);
        set(&mut self.corners.vertex, corner + 1, ahead);
        set(&mut self.corners.vertex, corner + 2, behind);
        set(&mut self.corners.leftmost, behind, corner + 2);

        let first = next(upper);
        let gone = self.corners.vertex(first);
        self.source.merged(gone, kept);
        let leftmost = self.corners.leftmost(gone);
        set(&mut self.corners.leftmost, kept, leftmost);
        let mut walked = first;
        while walked != NONE {
            self.steps.step()?;
            set(&mut self.corners.vertex, walked, kept);
            walked = self.corners.swing_left(walked);
            if walked == first {
                return Err(Fault::Broken("pieces join where nothing is open"));
            }
        }
        set(&mut self.corners.leftmost, gone, NONE);
        self.merged.push(gone);
        self.go_on(corner);
        Ok(())
    }

    /// Notes the edges to go on from later. The encoder counted symbols from its own start.
    fn note_splits(&mut self, corner: u32, symbol: usize, symbols: usize) -> Result<(), Fault> {
        while let Some(split) = self.splits.last() {
            if split.source > symbol {
                return Err(Fault::Broken("a split is at a symbol that cannot have it"));
            }
            if split.source < symbol {
                break;
            }
            let edge = if split.right { next(corner) } else { previous(corner) };
            self.resume[symbols - split.target - 1] = edge;
            self.splits.pop();
        }
        Ok(())
    }

    /// Closes pieces whose last three open edges have a triangle without a symbol.
    fn close(&mut self, starts: &mut Flags<'_>, triangles: usize) -> Result<(), Fault> {
        while let Some(one) = self.stack.pop() {
            if !starts.next() {
                continue;
            }
            let corner = self.triangles * 3;
            self.triangles += 1;
            if self.triangles as usize > triangles {
                return Err(Fault::Broken("it has more triangles than it says"));
            }
            let ahead = self.corners.vertex(next(one));
            let two = next(self.corners.leftmost(ahead));
            let behind = self.corners.vertex(next(two));
            let three = next(self.corners.leftmost(behind));
            self.must_be_open(&[one, two, three])?;
            if one == two || two == three || three == one {
                return Err(TAKEN);
            }
            let tip = self.corners.vertex(next(three));
            let sides = [(one, behind), (two, tip), (three, ahead)];
            for (corner, (edge, vertex)) in (corner..).zip(sides) {
                self.corners.join(corner, edge);
                set(&mut self.corners.vertex, corner, vertex);
                self.shut(vertex);
            }
        }
        if self.triangles as usize != triangles {
            return Err(Fault::Broken("it has fewer triangles than it says"));
        }
        Ok(())
    }

    fn shut(&mut self, vertex: u32) {
        if let Some(open) = self.open.get_mut(vertex as usize) {
            *open = false;
        }
    }

    /// Gives the numbers of merged vertices to the last ones, so that none is without a
    /// corner. With seams it is not done: points are counted then, not vertices.
    fn fill_gaps(&mut self) -> Result<(), Fault> {
        for gap in 0..self.merged.len() {
            let gap = self.merged[gap];
            while self.corners.leftmost.last() == Some(&NONE) {
                self.corners.leftmost.pop();
            }
            let last = self.corners.leftmost.len().saturating_sub(1) as u32;
            if last < gap || self.corners.leftmost.is_empty() {
                continue;
            }
            let first = self.corners.leftmost(last);
            let mut corner = first;
            let mut leftwards = true;
            while corner != NONE {
                self.steps.step()?;
                if self.corners.vertex(corner) != last {
                    return Err(Fault::Broken("a triangle has a vertex that it does not touch"));
                }
                set(&mut self.corners.vertex, corner, gap);
                if leftwards {
                    corner = self.corners.swing_left(corner);
                    if corner == first {
                        break;
                    }
                    if corner == NONE {
                        leftwards = false;
                        corner = self.corners.swing_right(first);
                    }
                } else {
                    corner = self.corners.swing_right(corner);
                }
            }
            set(&mut self.corners.leftmost, gap, first);
            self.open[gap as usize] = self.open[last as usize];
            self.corners.leftmost.pop();
        }
        Ok(())
    }

    fn surface<'a>(self, seams: Vec<Flags<'a>>, room: &mut Room) -> Surface<'a> {
        room.give(self.stack);
        room.give(self.resume);
        room.give(self.merged);
        room.give(self.splits);
        self.source.give(room);
        Surface { corners: self.corners, open: self.open, seams }
    }
}
