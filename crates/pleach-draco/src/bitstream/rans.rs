//! rANS: numbers and flags in fewer bits the likelier they are.
//!
//! The coder is one integer, its state. It is read with the likelihood of each answer at
//! hand, and takes up further bytes when it falls below its base: the *last* byte first, as
//! the encoder wrote them in the other direction.
//!
//! A state without bytes left goes on to give answers, as in the reference decoder: the
//! callers' counts end it, not the data.

use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::error::Fault;

/// The state at the start, from the end of the data: the two highest bits of the last byte
/// say in how many more bytes it is.
fn start(data: &[u8], base: u32) -> Result<(u32, &[u8]), Fault> {
    let broken = Fault::Broken("a coder has no state to start from");
    let Some(last) = data.last() else { return Err(broken) };
    let more = usize::from(last >> 6);
    let Some(rest) = data.len().checked_sub(more + 1) else { return Err(broken) };
    let (rest, state) = data.split_at(rest);
    let state = state.iter().rev().fold(0, |state, &byte| state << 8 | u32::from(byte));
    let state = state & (u32::MAX >> (8 * (3 - more) + 2));
    let state = state + base;
    if state >= base << 8 { Err(broken) } else { Ok((state, rest)) }
}

/// A sequence of flags, most of which are alike.
pub(crate) struct Flags<'a> {
    state: u32,
    data: &'a [u8],
    /// How many of 256 are set.
    likely: u32,
}

impl<'a> Flags<'a> {
    const BASE: u32 = 4096;

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Fault> {
        // Written is how many are not, where 0 stands for all 256.
        let likely = reader.u8()?.wrapping_neg().into();
        let data = reader.block()?;
        if data.last().is_some_and(|last| last >> 6 == 3) {
            return Err(Fault::Broken("flags have no state to start from"));
        }
        let (state, data) = start(data, Self::BASE)?;
        Ok(Self { state, data, likely })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> bool {
        if self.state < Self::BASE
            && let Some((&byte, rest)) = self.data.split_last()
        {
            self.state = self.state << 8 | u32::from(byte);
            self.data = rest;
        }
        let (whole, part) = (self.state >> 8, self.state & 255);
        let set = part < self.likely;
        let below = whole * self.likely;
        self.state = if set { below + part } else { self.state - below - self.likely };
        set
    }
}

/// A number, and where it is within the range of all likelihoods.
#[derive(Clone, Copy)]
struct Share {
    symbol: u32,
    size: u32,
    start: u32,
}

/// A sequence of small numbers, some of which are likelier.
pub(crate) struct Symbols<'a> {
    state: u32,
    data: &'a [u8],
    precision: u32,
    shares: Vec<Share>,
    /// Which share each place of the range is in.
    slots: Vec<u32>,
}

impl<'a> Symbols<'a> {
    /// The table of likelihoods, which together make `1 << precision`, and the data.
    pub(crate) fn read(
        reader: &mut Reader<'a>,
        precision: u32,
        room: &mut Room,
    ) -> Result<Self, Fault> {
        let range = 1u32 << precision;
        let shares = shares(reader, range, room)?;
        let mut slots = room.empty(range as usize)?;
        for (at, share) in (0..).zip(&shares) {
            slots.extend(std::iter::repeat_n(at, share.size as usize));
        }
        let (state, data) = start(reader.block()?, range << 2)?;
        Ok(Self { state, data, precision, shares, slots })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u32 {
        let base = 4 << self.precision;
        while self.state < base
            && let Some((&byte, rest)) = self.data.split_last()
        {
            self.state = self.state << 8 | u32::from(byte);
            self.data = rest;
        }
        let whole = self.state >> self.precision;
        let part = self.state & ((1 << self.precision) - 1);
        let share = self.shares[self.slots[part as usize] as usize];
        self.state = whole * share.size + part - share.start;
        share.symbol
    }

    pub(crate) fn give(self, room: &mut Room) {
        room.give(self.shares);
        room.give(self.slots);
    }
}

/// The shares that are not empty. Their sizes make up the range: `slots` has a share at
/// every place.
fn shares(reader: &mut Reader<'_>, range: u32, room: &mut Room) -> Result<Vec<Share>, Fault> {
    let count = reader.varint()?;
    let mut used = *reader;
    let present = each_share(&mut used, count, range, |_| ())?;
    let mut shares = room.empty(present)?;
    each_share(reader, count, range, |share| shares.push(share))?;
    Ok(shares)
}

/// Reads the table, and returns how many shares it has.
fn each_share(
    reader: &mut Reader<'_>,
    count: u32,
    range: u32,
    mut each: impl FnMut(Share),
) -> Result<usize, Fault> {
    let (mut symbol, mut start, mut present) = (0u32, 0u32, 0);
    while symbol < count {
        let byte = u32::from(reader.u8()?);
        if byte & 3 == 3 {
            // A run of numbers that do not occur.
            symbol = symbol.saturating_add((byte >> 2) + 1);
            if symbol > count {
                return Err(Fault::Broken("a table of likelihoods is longer than it says"));
            }
            continue;
        }
        let mut size = byte >> 2;
        for more in 0..byte & 3 {
            size |= u32::from(reader.u8()?) << (8 * more + 6);
        }
        if size > range - start {
            return Err(Fault::Broken("likelihoods make more than the whole"));
        }
        if size > 0 {
            each(Share { symbol, size, start });
            present += 1;
            start += size;
        }
        symbol += 1;
    }
    if start != range {
        return Err(Fault::Broken("likelihoods do not make the whole"));
    }
    Ok(present)
}
