//! rANS entropy decoding: probable symbols and bits take fewer bits.
//!
//! The decoder is one integer, its state. Each symbol is looked up in the low bits of the
//! state; when the state falls below its base, further bytes are shifted in, the *last* byte
//! first, as the encoder wrote them in the other direction.
//!
//! A state without bytes left continues to return symbols, as in the reference decoder: decoding
//! is ended by the callers' counts, not by the data.

use super::reader::Reader;
use crate::Error;
use crate::budget::Budget;

/// Reads the initial state from the end of the data and returns it with the rest of the data.
///
/// The two highest bits of the last byte are the number of additional bytes of the state.
fn initial_state(data: &[u8], base: u32) -> Result<(u32, &[u8]), Error> {
    let malformed = Error::Malformed("an rANS decoder has no initial state");
    let Some(last) = data.last() else { return Err(malformed) };
    let additional = usize::from(last >> 6);
    let Some(rest) = data.len().checked_sub(additional + 1) else { return Err(malformed) };
    let (rest, state) = data.split_at(rest);
    let state = state.iter().rev().fold(0, |state, &byte| state << 8 | u32::from(byte));
    let state = state & (u32::MAX >> (8 * (3 - additional) + 2));
    let state = state + base;
    if state >= base << 8 { Err(malformed) } else { Ok((state, rest)) }
}

/// A decoder of bits that share one probability.
pub(crate) struct RansBitDecoder<'a> {
    state: u32,
    data: &'a [u8],
    /// The probability of a set bit, in 256ths.
    probability: u32,
}

impl<'a> RansBitDecoder<'a> {
    const BASE: u32 = 4096;

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        // The stream has the probability of a cleared bit, where 0 stands for 256.
        let probability = reader.u8()?.wrapping_neg().into();
        let data = reader.length_prefixed()?;
        if data.last().is_some_and(|last| last >> 6 == 3) {
            return Err(Error::Malformed("an rANS bit decoder has no initial state"));
        }
        let (state, data) = initial_state(data, Self::BASE)?;
        Ok(Self { state, data, probability })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> bool {
        if self.state < Self::BASE
            && let Some((&byte, rest)) = self.data.split_last()
        {
            self.state = self.state << 8 | u32::from(byte);
            self.data = rest;
        }
        let (quotient, remainder) = (self.state >> 8, self.state & 255);
        let bit = remainder < self.probability;
        let scaled = quotient * self.probability;
        self.state = if bit { scaled + remainder } else { self.state - scaled - self.probability };
        bit
    }
}

/// A symbol and its share of the probability range.
#[derive(Clone, Copy)]
struct SymbolProbability {
    symbol: u32,
    probability: u32,
    cumulative: u32,
}

/// A decoder of symbols with a probability each.
pub(crate) struct RansSymbolDecoder<'a> {
    state: u32,
    data: &'a [u8],
    precision_bits: u32,
    probabilities: Vec<SymbolProbability>,
    /// By value of the state's low bits: the index into `probabilities`.
    lookup: Vec<u32>,
}

impl<'a> RansSymbolDecoder<'a> {
    /// Reads the probability table, whose sum is `1 << precision_bits`, and the data.
    pub(crate) fn read(
        reader: &mut Reader<'a>,
        precision_bits: u32,
        budget: &mut Budget,
    ) -> Result<Self, Error> {
        let precision = 1u32 << precision_bits;
        let probabilities = read_probabilities(reader, precision, budget)?;
        let mut lookup = budget.vec_with_capacity(precision as usize)?;
        for (index, entry) in (0..).zip(&probabilities) {
            lookup.extend(std::iter::repeat_n(index, entry.probability as usize));
        }
        let (state, data) = initial_state(reader.length_prefixed()?, precision << 2)?;
        Ok(Self { state, data, precision_bits, probabilities, lookup })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let base = 4 << self.precision_bits;
        while self.state < base
            && let Some((&byte, rest)) = self.data.split_last()
        {
            self.state = self.state << 8 | u32::from(byte);
            self.data = rest;
        }
        let quotient = self.state >> self.precision_bits;
        let remainder = self.state & ((1 << self.precision_bits) - 1);
        let entry = self.probabilities[self.lookup[remainder as usize] as usize];
        self.state = quotient * entry.probability + remainder - entry.cumulative;
        entry.symbol
    }

    pub(crate) fn release(self, budget: &mut Budget) {
        budget.release(self.probabilities);
        budget.release(self.lookup);
    }
}

/// Reads the symbols of nonzero probability. Their probabilities sum up to `precision`, so that
/// `lookup` has an entry for each value of the state's low bits.
fn read_probabilities(
    reader: &mut Reader<'_>,
    precision: u32,
    budget: &mut Budget,
) -> Result<Vec<SymbolProbability>, Error> {
    let symbols = reader.varint()?;
    let mut lookahead = *reader;
    let count = for_each_probability(&mut lookahead, symbols, precision, |_| ())?;
    let mut probabilities = budget.vec_with_capacity(count)?;
    for_each_probability(reader, symbols, precision, |entry| probabilities.push(entry))?;
    Ok(probabilities)
}

/// Reads the probability table, calls `each` with every nonzero probability, and returns their
/// number.
fn for_each_probability(
    reader: &mut Reader<'_>,
    symbols: u32,
    precision: u32,
    mut each: impl FnMut(SymbolProbability),
) -> Result<usize, Error> {
    let (mut symbol, mut cumulative, mut count) = (0u32, 0u32, 0);
    while symbol < symbols {
        let byte = u32::from(reader.u8()?);
        if byte & 3 == 3 {
            // A run of symbols that do not occur.
            symbol = symbol.saturating_add((byte >> 2) + 1);
            if symbol > symbols {
                return Err(Error::Malformed("a probability table has too many symbols"));
            }
            continue;
        }
        let mut probability = byte >> 2;
        for additional in 0..byte & 3 {
            probability |= u32::from(reader.u8()?) << (8 * additional + 6);
        }
        if probability > precision - cumulative {
            return Err(Error::Malformed("the sum of a probability table is too large"));
        }
        if probability > 0 {
            each(SymbolProbability { symbol, probability, cumulative });
            count += 1;
            cumulative += probability;
        }
        symbol += 1;
    }
    if cumulative != precision {
        return Err(Error::Malformed("the sum of a probability table is too small"));
    }
    Ok(count)
}
