//! The vertex codec: rows of equal size, as differences of each byte from the row before.
//!
//! A stream is a header byte, blocks of at most 256 rows, and a tail: padding, the row before
//! the first, and in version 1 one channel mode for each four bytes of a row. A block has one
//! plane for each byte of a row. A plane has groups of 16 differences, packed in 0, 1, 2, 4 or 8
//! bits each; packed bits that are all set stand for a whole byte, which follows the group.
//!
//! Invariant: nothing is read behind the tail, and the blocks end exactly where it begins. A
//! group is read through a window of the most bytes that a group can take; the tail is at
//! least as long, so that a window on a good stream never leaves it.

use super::{Fault, Mode, Place, version};

const GROUP: usize = 16;
/// The most that a group takes: 16 differences of 4 bits, each followed by a whole byte.
const WINDOW: usize = 24;
const MOST_ROWS: usize = 256;

/// The differences of one byte of the rows of a block. The slack behind takes what the last
/// group writes beyond its end.
type Plane = [u8; MOST_ROWS + GROUP];

/// `count` rows of `stride` bytes: a multiple of 4, at most 256.
pub(super) fn decode(count: usize, stride: usize, data: &[u8]) -> Result<Vec<u8>, Fault> {
    let version = version(Mode::Attributes, 0xa0, data)?;
    let rows = ((8192 / stride) & !(GROUP - 1)).min(MOST_ROWS);

    let least = 1 + least_of_blocks(version, count, rows, stride) + tail_length(version, stride);
    if data.len() < least {
        return Err(Fault::TooShort { length: data.len(), least });
    }
    let end = data.len() - tail_length(version, stride);
    let unpadded = if version == 0 { stride } else { stride + stride / 4 };
    let (before, channels) = data[data.len() - unpadded..].split_at(stride);
    let mut last = before.as_chunks().0.to_vec();

    let mut bytes = vec![0; count * stride];
    let mut blocks = Blocks { data, at: 1, version, channels };
    for (index, block) in bytes.chunks_mut(rows * stride).enumerate() {
        let words = block.as_chunks_mut().0;
        let ends = Fault::Ends { at: end, within: Place::Block(index) };
        blocks.decode(words, &mut last)?.filter(|()| blocks.at <= end).ok_or(ends)?;
    }
    match end - blocks.at {
        0 => Ok(bytes),
        bytes => Err(Fault::LeftOver { bytes }),
    }
}

/// The tail with its padding, which makes it as long as what the reference decoder may read
/// beyond a group.
fn tail_length(version: u8, stride: usize) -> usize {
    if version == 0 { stride.max(32) } else { (stride + stride / 4).max(WINDOW) }
}

/// The length of blocks in which nothing ever changes.
fn least_of_blocks(version: u8, count: usize, rows: usize, stride: usize) -> usize {
    let least_of_block = |rows: usize| match version {
        0 => rows.div_ceil(GROUP).div_ceil(4) * stride,
        _ => rows.min(1) * (stride / 4),
    };
    count / rows * least_of_block(rows) + least_of_block(count % rows)
}

/// A walk over the blocks of a stream.
struct Blocks<'a> {
    /// The whole stream.
    data: &'a [u8],
    at: usize,
    version: u8,
    /// How each four bytes of a row differ from those of the row before; none in version 0.
    channels: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// The next block, in words of four bytes, row after row; `None` if the stream ends within.
    /// `last` is the row before it, and then its last row.
    fn decode(
        &mut self,
        words: &mut [[u8; 4]],
        last: &mut [[u8; 4]],
    ) -> Result<Option<()>, Fault> {
        let width = last.len();
        let rows = words.len() / width;
        let Some(controls) = self.take(self.channels.len()) else { return Ok(None) };

        let mut planes = [[0; MOST_ROWS + GROUP]; 4];
        let mut differences = [0; MOST_ROWS];
        let differences = &mut differences[..rows];
        for (word, last) in last.iter_mut().enumerate() {
            let control = controls.get(word).copied();
            if self.planes(control, rows, &mut planes).is_none() {
                return Ok(None);
            }
            transpose(&planes, differences);

            let column = words[word..].iter_mut().step_by(width);
            match self.channels.get(word).copied().unwrap_or(0) {
                mode if mode & 3 == 0 => {
                    differences.iter_mut().for_each(|d| *d = unzigzag_bytes(*d));
                    accumulate(differences, last, column, add_bytes);
                }
                mode if mode & 3 == 1 => {
                    differences.iter_mut().for_each(|d| *d = unzigzag_halves(*d));
                    accumulate(differences, last, column, add_halves);
                }
                mode if mode & 3 == 2 => {
                    let turn = u32::from(mode >> 4);
                    differences.iter_mut().for_each(|d| *d = d.rotate_right(turn));
                    accumulate(differences, last, column, |a, b| a ^ b);
                }
                found => return Err(Fault::Channel { channel: word, found }),
            }
        }
        Ok(Some(()))
    }

    /// The planes of one word. A control has two bits for each: how its groups are packed, or
    /// that there are none. In version 0 there is no control.
    fn planes(&mut self, control: Option<u8>, rows: usize, planes: &mut [Plane; 4]) -> Option<()> {
        for (byte, plane) in planes.iter_mut().enumerate() {
            match control.map(|control| control >> (2 * byte) & 3) {
                None => self.groups([0, 2, 4, 8], rows, plane)?,
                Some(0) => self.groups([0, 1, 2, 4], rows, plane)?,
                Some(1) => self.groups([1, 2, 4, 8], rows, plane)?,
                Some(2) => plane[..rows].fill(0),
                Some(_) => plane[..rows].copy_from_slice(self.take(rows)?),
            }
        }
        Some(())
    }

    /// The groups of a plane. Two bits for each, four to a byte, choose one of the widths.
    fn groups(&mut self, widths: [u8; 4], rows: usize, plane: &mut Plane) -> Option<()> {
        let groups = rows.div_ceil(GROUP);
        let choices = self.take(groups.div_ceil(4))?;
        for group in 0..groups {
            let choice = choices[group / 4] >> (2 * (group % 4)) & 3;
            let window = self.data.get(self.at..)?.first_chunk()?;
            let out = plane[group * GROUP..].first_chunk_mut()?;
            self.at += unpack(widths[usize::from(choice)], window, out);
        }
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.data.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(taken)
    }
}

/// Unpacks a group of this many bits each, and says how many bytes it took. What `out` has
/// beyond a group is scratch.
#[inline]
fn unpack(width: u8, window: &[u8; WINDOW], out: &mut [u8; 2 * GROUP]) -> usize {
    let low = u64::from_le_bytes(*window.first_chunk().expect("a window has 8 bytes"));
    match width {
        0 => {
            out[..GROUP].fill(0);
            0
        }
        1 => {
            out[..GROUP].fill(0);
            2 + fill_in(low as u32 & 0xffff, &window[2..], out)
        }
        2 => {
            let halves = [spread_2(low as u32), spread_2(low as u32 >> 16)];
            write_halves(halves, out);
            let [a, b] = halves.map(|half| all_set(half, 2));
            4 + fill_in(a | b << 8, &window[4..], out)
        }
        4 => {
            let halves = [spread_4(low as u32), spread_4((low >> 32) as u32)];
            write_halves(halves, out);
            let [a, b] = halves.map(|half| all_set(half, 4));
            8 + fill_in(a | b << 8, &window[8..], out)
        }
        _ => {
            out[..GROUP].copy_from_slice(&window[..GROUP]);
            GROUP
        }
    }
}

#[inline]
fn write_halves(halves: [u64; 2], out: &mut [u8; 2 * GROUP]) {
    out[..8].copy_from_slice(&halves[0].to_le_bytes());
    out[8..GROUP].copy_from_slice(&halves[1].to_le_bytes());
}

/// Two bytes of four 2-bit numbers each, the upper bits first, to eight bytes.
#[inline]
fn spread_2(packed: u32) -> u64 {
    let v = u64::from(packed & 0xff) | u64::from(packed >> 8 & 0xff) << 32;
    (v >> 6 | v << 4 | v << 14 | v << 24) & 0x0303_0303_0303_0303
}

/// Four bytes of two 4-bit numbers each, the upper bits first, to eight bytes.
#[inline]
fn spread_4(packed: u32) -> u64 {
    let v = u64::from(packed);
    let v = (v | v << 16) & 0x0000_ffff_0000_ffff;
    let v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
    (v >> 4 | v << 8) & 0x0f0f_0f0f_0f0f_0f0f
}

/// One bit for each of eight bytes: whether its lower `bits` are all set, and no other is.
#[inline]
fn all_set(bytes: u64, bits: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let carried = (bytes + ONES) >> bits & ONES;
    // Moves bit 8i to 56 + i; none of the sums carries.
    (carried.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Puts whole bytes where the mask has ones, and says how many.
#[inline]
fn fill_in(mask: u32, whole: &[u8], out: &mut [u8; 2 * GROUP]) -> usize {
    let mut left = mask;
    for &byte in whole {
        if left == 0 { break; }
        out[left.trailing_zeros() as usize & 31] = byte;
        left &= left - 1;
    }
    mask.count_ones() as usize
}

/// Rows from planes: the bytes at one place of each, the first lowest.
fn transpose([a, b, c, d]: &[Plane; 4], rows: &mut [u32]) {
    for ((((row, &a), &b), &c), &d) in rows.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *row = u32::from_le_bytes([a, b, c, d]);
    }
}

/// Adds difference after difference to `last`, and writes each sum down the column.
#[inline]
fn accumulate<'a>(
    differences: &[u32],
    last: &mut [u8; 4],
    column: impl Iterator<Item = &'a mut [u8; 4]>,
    add: impl Fn(u32, u32) -> u32,
) {
    let mut sum = u32::from_le_bytes(*last);
    for (&difference, out) in differences.iter().zip(column) {
        sum = add(sum, difference);
        *out = sum.to_le_bytes();
    }
    *last = sum.to_le_bytes();
}

/// Undoes the zigzag of four bytes: the lowest bit of each is its sign.
#[inline]
fn unzigzag_bytes(v: u32) -> u32 {
    (v >> 1 & 0x7f7f_7f7f) ^ (v & 0x0101_0101).wrapping_mul(0xff)
}

/// Undoes the zigzag of two halves.
#[inline]
fn unzigzag_halves(v: u32) -> u32 {
    (v >> 1 & 0x7fff_7fff) ^ (v & 0x0001_0001).wrapping_mul(0xffff)
}

/// Adds four bytes, without carry from one to the next.
#[inline]
fn add_bytes(a: u32, b: u32) -> u32 {
    ((a & 0x7f7f_7f7f) + (b & 0x7f7f_7f7f)) ^ ((a ^ b) & 0x8080_8080)
}

/// Adds two halves, without carry from one to the next.
#[inline]
fn add_halves(a: u32, b: u32) -> u32 {
    ((a & 0x7fff_7fff) + (b & 0x7fff_7fff)) ^ ((a ^ b) & 0x8000_8000)
}
