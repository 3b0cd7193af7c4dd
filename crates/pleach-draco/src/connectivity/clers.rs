//! The CLERS symbols of Edgebreaker: how each next triangle meets those before.
//!
//! They come from plain bits (*standard*), or from rANS symbols in one of six contexts
//! (*valence*): the context is the valence of the active vertex so far, from which the next
//! symbol can often be guessed.

use super::corner_table::{CornerTable, next, previous};
use crate::Error;
use crate::bitstream::reader::{BitReader, Reader};
use crate::bitstream::symbols;
use crate::budget::Budget;

/// The relation of a triangle to those before it; the letters of the Edgebreaker literature.
#[derive(Clone, Copy)]
pub(crate) enum Symbol {
    /// *Center*: it connects two boundary edges and encloses their common vertex.
    C,
    /// *Split*: it connects two components.
    S,
    /// *Left*: it is attached to an edge; the left edge becomes active.
    L,
    /// *Right*: it is attached to an edge; the right edge becomes active.
    R,
    /// *End*: it begins a component, as decoding runs backwards.
    E,
}

/// The decoder of symbols.
pub(crate) enum SymbolDecoder<'a> {
    Standard(BitReader<'a>),
    Valence(ValenceDecoder),
}

/// Decodes symbols in the context of the active vertex' valence.
pub(crate) struct ValenceDecoder {
    /// The symbols of each context in reverse order.
    contexts: [Vec<u32>; CONTEXTS],
    /// By vertex: its number of edges so far.
    valences: Vec<i32>,
    /// The context of the next symbol. The first symbol has none and is always `E`.
    context: Option<usize>,
    last_symbol: Symbol,
}

const CONTEXTS: usize = 6;
const MIN_VALENCE: i32 = 2;
const MAX_VALENCE: i32 = 7;

const TOO_FEW_SYMBOLS: Error = Error::Malformed("it has fewer symbols than its header states");

impl SymbolDecoder<'_> {
    /// Decodes the symbols of all contexts: at most `symbol_count` in total.
    pub(crate) fn read_valence(
        reader: &mut Reader<'_>,
        symbol_count: usize,
        vertex_count: usize,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        let mut contexts = [const { Vec::new() }; CONTEXTS];
        let mut remaining = symbol_count;
        for context in &mut contexts {
            let count = reader.count()?;
            let too_many = Error::Malformed("it has more symbols than its header states");
            remaining = remaining.checked_sub(count).ok_or(too_many)?;
            *context = symbols::decode(reader, count, 1, budget, |symbol| symbol)?;
        }
        // The first symbol is not part of the stream.
        if remaining > 1 {
            return Err(TOO_FEW_SYMBOLS);
        }
        let valences = budget.vec_filled(vertex_count, 0)?;
        let last_symbol = Symbol::E;
        Ok(Self::Valence(ValenceDecoder { contexts, valences, context: None, last_symbol }))
    }

    /// Returns the next symbol.
    pub(crate) fn next(&mut self) -> Result<Symbol, Error> {
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

    /// Updates the valences after the triangle of the last symbol was added.
    pub(crate) fn triangle_added(&mut self, table: &CornerTable, corner: u32) {
        if let Self::Valence(valence) = self {
            valence.triangle_added(table, corner);
        }
    }

    /// Updates the valences after a vertex was merged into another.
    pub(crate) fn vertices_merged(&mut self, from: u32, into: u32) {
        if let Self::Valence(valence) = self {
            let edges = valence.valences.get(from as usize).copied().unwrap_or(0);
            valence.add_edges(into, edges);
        }
    }

    pub(crate) fn release(self, budget: &mut Budget) {
        if let Self::Valence(valence) = self {
            valence.contexts.into_iter().for_each(|context| budget.release(context));
            budget.release(valence.valences);
        }
    }
}

impl ValenceDecoder {
    fn next(&mut self) -> Result<Symbol, Error> {
        if let Some(context) = self.context {
            self.last_symbol = match self.contexts[context].pop() {
                Some(0) => Symbol::C,
                Some(1) => Symbol::S,
                Some(2) => Symbol::L,
                Some(3) => Symbol::R,
                Some(4) => Symbol::E,
                Some(_) => return Err(Error::Malformed("a symbol is not one of C, S, L, R, E")),
                None => return Err(TOO_FEW_SYMBOLS),
            };
        }
        Ok(self.last_symbol)
    }

    fn triangle_added(&mut self, table: &CornerTable, corner: u32) {
        let (at_corner, at_next, at_previous) = match self.last_symbol {
            Symbol::C | Symbol::S => (0, 1, 1),
            Symbol::R => (1, 1, 2),
            Symbol::L => (1, 2, 1),
            Symbol::E => (2, 2, 2),
        };
        self.add_edges(table.vertex(corner), at_corner);
        self.add_edges(table.vertex(previous(corner)), at_previous);
        let valence = self.add_edges(table.vertex(next(corner)), at_next);
        self.context = usize::try_from(valence.clamp(MIN_VALENCE, MAX_VALENCE) - MIN_VALENCE).ok();
    }

    /// Adds edges to a vertex and returns its valence.
    fn add_edges(&mut self, vertex: u32, edges: i32) -> i32 {
        let Some(valence) = self.valences.get_mut(vertex as usize) else { return 0 };
        *valence = valence.wrapping_add(edges);
        *valence
    }
}
