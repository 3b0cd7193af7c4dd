//! The symbols of Edgebreaker: how each next triangle meets what is there.
//!
//! They come from plain bits (*standard*), or from coders, one for each number of triangles
//! that the next vertex has so far (*valence*): that number tells much of what comes.

use crate::bitstream::reader::{Bits, Reader};
use crate::bitstream::symbols as numbers;
use crate::budget::Room;
use crate::connectivity::corner_table::{Corners, next, previous};
use crate::error::Fault;

/// How a triangle meets what is there, with the letters of the literature.
#[derive(Clone, Copy)]
pub(crate) enum Symbol {
    /// It closes the gap at a vertex.
    C,
    /// It joins two pieces.
    S,
    /// It is put on, and its left edge is open.
    L,
    /// It is put on, and its right edge is open.
    R,
    /// It begins a piece.
    E,
}

/// Where symbols come from.
pub(crate) enum Source<'a> {
    Standard(Bits<'a>),
    Valence(Valence),
}

/// Symbols by the valence of the next vertex.
pub(crate) struct Valence {
    /// The symbols of each context, the first to use last.
    contexts: [Vec<u32>; CONTEXTS],
    /// By vertex: how many edges it has so far.
    valences: Vec<i32>,
    /// The context of the next symbol; the first has none, and begins a piece.
    context: Option<usize>,
    last: Symbol,
}

const CONTEXTS: usize = 6;
const LEAST: i32 = 2;
const MOST: i32 = 7;

const TOO_FEW: Fault = Fault::Broken("it has fewer symbols than it says");

impl Source<'_> {
    /// Reads the contexts. There are at most `symbols` in all, and `vertices`.
    pub(crate) fn valence(
        reader: &mut Reader<'_>,
        symbols: usize,
        vertices: usize,
        room: &mut Room,
    ) -> Result<Self, Fault> {
        let mut contexts = [const { Vec::new() }; CONTEXTS];
        let mut left = symbols;
        for context in &mut contexts {
            let count = reader.count()?;
            left = left.checked_sub(count).ok_or(Fault::Broken("it has too many symbols"))?;
            *context = numbers::read(reader, count, 1, room, |symbol| symbol)?;
        }
        // The first is not written.
        if left > 1 {
            return Err(TOO_FEW);
        }
        let valences = room.filled(vertices, 0)?;
        Ok(Self::Valence(Valence { contexts, valences, context: None, last: Symbol::E }))
    }

    /// The next symbol.
    pub(crate) fn next(&mut self) -> Result<Symbol, Fault> {
        match self {
            Self::Standard(bits) => {
                if bits.read(1)? == 0 {
                    return Ok(Symbol::C);
                }
                Ok([Symbol::S, Symbol::L, Symbol::R, Symbol::E][bits.read(2)? as usize])
            }
            Self::Valence(valence) => valence.next(),
        }
    }

    /// Tells of the triangle that the last symbol made.
    pub(crate) fn made(&mut self, corners: &Corners, corner: u32) {
        if let Self::Valence(valence) = self {
            valence.made(corners, corner);
        }
    }

    /// Tells that a vertex became another.
    pub(crate) fn merged(&mut self, from: u32, into: u32) {
        if let Self::Valence(valence) = self {
            let edges = valence.valences.get(from as usize).copied().unwrap_or(0);
            valence.add(into, edges);
        }
    }

    pub(crate) fn give(self, room: &mut Room) {
        if let Self::Valence(valence) = self {
            valence.contexts.into_iter().for_each(|context| room.give(context));
            room.give(valence.valences);
        }
    }
}

impl Valence {
    fn next(&mut self) -> Result<Symbol, Fault> {
        if let Some(context) = self.context {
            self.last = match self.contexts[context].pop() {
                Some(0) => Symbol::C,
                Some(1) => Symbol::S,
                Some(2) => Symbol::L,
                Some(3) => Symbol::R,
                Some(4) => Symbol::E,
                Some(_) => return Err(Fault::Broken("a symbol is not one of five")),
                None => return Err(TOO_FEW),
            };
        }
        Ok(self.last)
    }

    fn made(&mut self, corners: &Corners, corner: u32) {
        let (at, ahead, behind) = match self.last {
            Symbol::C | Symbol::S => (0, 1, 1),
            Symbol::R => (1, 1, 2),
            Symbol::L => (1, 2, 1),
            Symbol::E => (2, 2, 2),
        };
        self.add(corners.vertex(corner), at);
        self.add(corners.vertex(previous(corner)), behind);
        let edges = self.add(corners.vertex(next(corner)), ahead);
        self.context = usize::try_from(edges.clamp(LEAST, MOST) - LEAST).ok();
    }

    fn add(&mut self, vertex: u32, edges: i32) -> i32 {
        let Some(valence) = self.valences.get_mut(vertex as usize) else { return 0 };
        *valence = valence.wrapping_add(edges);
        *valence
    }
}
