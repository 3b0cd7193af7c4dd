//! The vertex codec: rows of equal size, as differences of each byte from the row before.
//!
//! A stream is a header byte, blocks of at most 256 rows, and a tail: padding, the row before
//! the first, and in version 1 one mode for each channel, which is four bytes of a row. A block
//! has one plane for each byte of a row. A plane has groups of 16 differences, packed in 0, 1,
//! 2, 4 or 8 bits each; packed bits that are all set stand for a whole byte behind the group.
//!
//! Invariant: nothing is read behind the stream, and its blocks end exactly where the tail
//! begins. A group is read through a window of the most bytes that a group can take; the tail
//! is at least as long, so that in a good stream there always is a window.

use crate::{Fault, Mode, Place, version};

const GROUP: usize = 16;
/// 16 differences of 4 bits, each with a whole byte.
const WINDOW: usize = 24;
const MOST_ROWS: usize = 256;
const MOST_CHANNELS: usize = 64;

/// The differences of one byte of the rows. The slack is for `unpack`, which writes wide.
type Plane = [u8; MOST_ROWS + GROUP];

/// `count` rows of `stride` bytes: a multiple of 4, from 4 to 256.
pub(crate) fn decode(count: usize, stride: usize, data: &[u8]) -> Result<Vec<u8>, Fault> {
    let version = version(Mode::Attributes, 0xa0, data)?;
    let rows = ((8192 / stride) & !(GROUP - 1)).min(MOST_ROWS);
    let (tail, padded) = match version {
        0 => (stride, stride.max(32)),
        _ => (stride + stride / 4, (stride + stride / 4).max(WINDOW)),
    };
    let least = 1 + least_of_blocks(version, count, stride, rows) + padded;
    if data.len() < least {
        return Err(Fault::TooShort { length: data.len(), least });
    }
    let (before, modes) = data[data.len() - tail..].split_at(stride);
    let mut last = [[0; 4]; MOST_CHANNELS];
    let last = &mut last[..stride / 4];
    last.copy_from_slice(before.as_chunks().0);

    let mut bytes = vec![0; count * stride];
    let mut blocks = Blocks { data, at: 1, end: data.len() - padded, modes };
    for (index, block) in bytes.chunks_mut(rows * stride).enumerate() {
        blocks.decode(index, block.as_chunks_mut().0, last)?;
    }
    match blocks.end - blocks.at {
        0 => Ok(bytes),
        bytes => Err(Fault::LeftOver { bytes }),
    }
}

/// The length of blocks in which no row differs from the one before.
fn least_of_blocks(version: u8, count: usize, stride: usize, rows: usize) -> usize {
    let least_of_block = |rows: usize| match version {
        0 => rows.div_ceil(GROUP).div_ceil(4) * stride,
        _ => rows.min(1) * (stride / 4),
    };
    count / rows * least_of_block(rows) + least_of_block(count % rows)
}

/// A walk over the blocks of a stream.
struct Blocks<'a> {
    /// The whole stream, its tail included.
    data: &'a [u8],
    at: usize,
    /// Where the tail begins.
    end: usize,
    /// Of each channel; none in version 0.
    modes: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// The next block into its cells, the channels of row after row. `last` is the row before
    /// it, and then its last row.
    fn decode(
        &mut self,
        index: usize,
        cells: &mut [[u8; 4]],
        last: &mut [[u8; 4]],
    ) -> Result<(), Fault> {
        let ends = Fault::Ends { at: self.end, within: Place::Block(index) };
        let rows = cells.len() / last.len();
        let Some(controls) = self.take(self.modes.len()) else { return Err(ends) };

        let mut planes = [[0; MOST_ROWS + GROUP]; 4];
        let mut differences = [0; MOST_ROWS];
        let differences = &mut differences[..rows];
        for channel in 0..last.len() {
            let control = controls.get(channel).copied();
            if self.planes(control, rows, &mut planes).is_none() {
                return Err(ends);
            }
            let mode = self.modes.get(channel).copied().unwrap_or(0);
            match mode & 3 {
                0 => {
                    transpose(&planes, differences, unzigzag_bytes);
                    accumulate(differences, cells, last, channel, add_bytes);
                }
                1 => {
                    transpose(&planes, differences, unzigzag_halves);
                    accumulate(differences, cells, last, channel, add_halves);
                }
                2 => {
                    transpose(&planes, differences, |v| v.rotate_right(u32::from(mode >> 4)));
                    accumulate(differences, cells, last, channel, |a, b| a ^ b);
                }
                _ => return Err(Fault::Channel { channel, found: mode }),
            }
        }
        if self.at > self.end { Err(ends) } else { Ok(()) }
    }

    /// The planes of one channel, unless the stream ends within. A control has two bits for
    /// each: how wide its groups may be, or that it has none. Version 0 has no controls.
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

/// Unpacks a group of differences of `width` bits, and says how many bytes it took. The upper
/// half of `out` is not touched; that it is there spares a check.
#[inline]
fn unpack(width: u8, window: &[u8; WINDOW], out: &mut [u8; 2 * GROUP]) -> usize {
    let packed = u64::from_le_bytes(*window.first_chunk().expect("a window has 8 bytes"));
    let [low, high] = [packed as u32, (packed >> 32) as u32];
    match width {
        0 => {
            out[..GROUP].fill(0);
            0
        }
        1 => {
            out[..GROUP].fill(0);
            2 + fill_in(low & 0xffff, &window[2..], out)
        }
        2 => {
            let halves = [spread_2(low), spread_2(low >> 16)];
            4 + write(halves, 2, &window[4..], out)
        }
        4 => {
            let halves = [spread_4(low), spread_4(high)];
            8 + write(halves, 4, &window[8..], out)
        }
        _ => {
            out[..GROUP].copy_from_slice(&window[..GROUP]);
            GROUP
        }
    }
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

/// Writes a group of two halves, with whole bytes in place of what has all its bits set, and
/// says how many those are. They may be all 16, though no encoder writes that, and the SSE
/// decoder of meshoptimizer counts them as none.
#[inline]
fn write(halves: [u64; 2], bits: u32, whole: &[u8], out: &mut [u8; 2 * GROUP]) -> usize {
    out[..8].copy_from_slice(&halves[0].to_le_bytes());
    out[8..GROUP].copy_from_slice(&halves[1].to_le_bytes());
    let [low, high] = halves.map(|half| all_set(half, bits));
    fill_in(low | high << 8, whole, out)
}

/// One bit for each of eight bytes, none of which has more than `bits`: whether all are set.
#[inline]
fn all_set(bytes: u64, bits: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let carried = (bytes + ONES) >> bits & ONES;
    // Moves bit 8i to bit 56 + i.
    (carried.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Puts whole bytes where the mask has ones, and says how many.
#[inline]
fn fill_in(mask: u32, whole: &[u8], out: &mut [u8; 2 * GROUP]) -> usize {
    let mut left = mask;
    for &byte in whole {
        if left == 0 {
            break;
        }
        out[left.trailing_zeros() as usize & 31] = byte;
        left &= left - 1;
    }
    mask.count_ones() as usize
}

/// The differences of rows from their planes, the lowest byte first. Apart from `accumulate`
/// because the compiler makes vectors of this loop, and cannot of that one.
#[inline]
fn transpose([a, b, c, d]: &[Plane; 4], rows: &mut [u32], undo: impl Fn(u32) -> u32) {
    for ((((row, &a), &b), &c), &d) in rows.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *row = undo(u32::from_le_bytes([a, b, c, d]));
    }
}

/// Adds difference after difference to the last row's channel, and writes each sum to its row.
#[inline]
fn accumulate(
    differences: &[u32],
    cells: &mut [[u8; 4]],
    last: &mut [[u8; 4]],
    channel: usize,
    add: impl Fn(u32, u32) -> u32,
) {
    let mut sum = u32::from_le_bytes(last[channel]);
    for (&difference, row) in differences.iter().zip(cells.chunks_exact_mut(last.len())) {
        sum = add(sum, difference);
        row[channel] = sum.to_le_bytes();
    }
    last[channel] = sum.to_le_bytes();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 rows of 12 bytes: four bytes that move a little, two halves that move more, and a
    /// float. In version 1 each channel has another mode.
    fn mixed() -> Vec<u8> {
        let row = |i: u16| {
            let bytes = [(i * i) as u8, 7 - (i % 3) as u8, if i == 9 { 200 } else { 0 }, 5];
            let [a, b] = (1000 + 333 * i).to_le_bytes();
            let [c, d] = 5u16.wrapping_sub(260 * i).to_le_bytes();
            let float = (1.0 + f32::from(i % 5) / 8.0).to_le_bytes();
            [bytes, [a, b, c, d], float]
        };
        (0..20).flat_map(row).flatten().collect()
    }

    // By meshoptimizer's encoder.
    const MIXED_V0: [u8; 174] = [
        0xa0, 0x07, 0x00, 0x02, 0x06, 0x0a, 0x0e, 0x12, 0x16, 0x1a, 0x1e, 0x22, 0x26, 0x2a, 0x2e,
        0x32, 0x36, 0x3a, 0xff, 0x00, 0x00, 0x00, 0x3e, 0x42, 0x46, 0x4a, 0x06, 0x01, 0x14, 0x11,
        0x41, 0x14, 0x11, 0x41, 0x14, 0x5d, 0x00, 0x00, 0x00, 0x04, 0x01, 0x00, 0x00, 0x3c, 0x00,
        0x6f, 0x70, 0x00, 0x07, 0x00, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a,
        0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0xff, 0x00, 0x00, 0x00, 0x9a, 0x9a, 0x9a, 0x9a, 0x06, 0x04,
        0x22, 0x42, 0x24, 0x22, 0x24, 0x22, 0x42, 0xba, 0x00, 0x00, 0x00, 0x04, 0x0a, 0x07, 0x77,
        0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
        0x1d, 0x55, 0x55, 0x55, 0x03, 0x55, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x20, 0x20,
        0x20, 0x20, 0x7f, 0x20, 0x20, 0x20, 0x20, 0x7f, 0x20, 0x20, 0x20, 0x20, 0x7f, 0xff, 0x00,
        0x00, 0x00, 0x20, 0x20, 0x20, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00,
        0x05, 0xe8, 0x03, 0x05, 0x00, 0x00, 0x00, 0x80, 0x3f,
    ];
    const MIXED_V1: [u8; 135] = [
        0xa1, 0x87, 0x57, 0x6a, 0x00, 0x02, 0x06, 0x0a, 0x0e, 0x12, 0x16, 0x1a, 0x1e, 0x22, 0x26,
        0x2a, 0x2e, 0x32, 0x36, 0x3a, 0x3e, 0x42, 0x46, 0x4a, 0x06, 0x01, 0x14, 0x11, 0x41, 0x14,
        0x11, 0x41, 0x14, 0x5d, 0x00, 0x00, 0x00, 0x04, 0x01, 0x00, 0x06, 0x6f, 0x70, 0x00, 0x9a,
        0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a, 0x9a,
        0x9a, 0x9a, 0x9a, 0x05, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x02, 0x07, 0x77,
        0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0x0f, 0x00, 0x07, 0x07, 0x07, 0x07, 0x05, 0x2a, 0xaa,
        0xaa, 0xaa, 0xaa, 0x00, 0x00, 0x00, 0x02, 0x01, 0x31, 0x74, 0x13, 0x17, 0x41, 0x31, 0x74,
        0x0f, 0x00, 0x01, 0x03, 0x01, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x07, 0x00, 0x05, 0xe8, 0x03, 0x05, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x01, 0x42,
    ];

    /// 300 rows of 4 bytes, in two blocks.
    fn steps() -> Vec<u8> {
        (0..300u32).flat_map(|i| (i / 64).to_le_bytes()).collect()
    }

    const STEPS_V0: [u8; 69] = [
        0xa0, 0x00, 0x01, 0x01, 0x01, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x80, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
        0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ];
    const STEPS_V1: [u8; 44] = [
        0xa1, 0xa8, 0x00, 0x01, 0x01, 0x01, 0x01, 0x00, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00, 0x02,
        0xa8, 0x01, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ];

    #[test]
    fn rows_come_back_in_either_version() {
        assert_eq!(decode(20, 12, &MIXED_V0).unwrap(), mixed());
        assert_eq!(decode(20, 12, &MIXED_V1).unwrap(), mixed());
    }

    #[test]
    fn a_block_goes_on_from_the_one_before() {
        assert_eq!(decode(300, 4, &STEPS_V0).unwrap(), steps());
        assert_eq!(decode(300, 4, &STEPS_V1).unwrap(), steps());
    }

    #[test]
    fn a_stream_of_another_length_is_refused() {
        for length in 0..MIXED_V0.len() {
            assert!(decode(20, 12, &MIXED_V0[..length]).is_err());
        }
        for length in 0..MIXED_V1.len() {
            assert!(decode(20, 12, &MIXED_V1[..length]).is_err());
        }
        let ends = Fault::Ends { at: 18, within: Place::Block(1) };
        assert_eq!(decode(300, 4, &STEPS_V1[..42]), Err(ends));
        let fault = decode(300, 4, &STEPS_V1[..42]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "the stream ends after 18 bytes, where its tail begins, within vertex block 1"
        );
        assert_eq!(decode(256, 4, &STEPS_V1), Err(Fault::LeftOver { bytes: 5 }));
    }

    #[test]
    fn so_many_rows_take_at_least_so_many_bytes() {
        let still = |header: u8, length: usize| {
            let mut stream = vec![0; length];
            stream[0] = header;
            stream
        };
        // Two blocks: four bytes of choices for each plane of the first, one for the second.
        assert_eq!(decode(257, 4, &still(0xa0, 53)).unwrap(), vec![0; 257 * 4]);
        let fault = Fault::TooShort { length: 52, least: 53 };
        assert_eq!(decode(257, 4, &still(0xa0, 52)), Err(fault));
        // One control for the channel of each block, which says that nothing changes.
        let mut stream = still(0xa1, 27);
        stream[1..3].fill(0xaa);
        assert_eq!(decode(257, 4, &stream).unwrap(), vec![0; 257 * 4]);
        let fault = Fault::TooShort { length: 26, least: 27 };
        assert_eq!(decode(257, 4, &stream[..26]), Err(fault));
        assert_eq!(decode(0, 256, &still(0xa1, 1 + 320)), Ok(vec![]));
    }

    #[test]
    fn a_channel_of_unknown_mode_is_refused() {
        let mut stream = MIXED_V1;
        stream[133] = 3;
        assert_eq!(decode(20, 12, &stream), Err(Fault::Channel { channel: 1, found: 3 }));
    }

    #[test]
    fn groups_of_every_width_unpack_as_bit_by_bit() {
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (seed >> 24) as u8
        };
        for round in 0..2000 {
            // Now and then all bits are set.
            let window = std::array::from_fn(|_| if round % 9 == 0 { 0xff } else { random() });
            for width in [0, 1, 2, 4, 8] {
                let mut out = [0x55; 2 * GROUP];
                let taken = unpack(width, &window, &mut out);
                let (slow, slowly_taken) = unpack_slowly(width, &window);
                assert_eq!((&out[..GROUP], taken), (&slow[..], slowly_taken));
            }
        }
    }

    fn unpack_slowly(width: u8, window: &[u8; WINDOW]) -> ([u8; GROUP], usize) {
        let width = usize::from(width);
        let mut taken = 2 * width;
        let group = std::array::from_fn(|i| {
            if width == 0 {
                return 0;
            }
            let (byte, place) = (window[i * width / 8], i * width % 8);
            // Single bits are the only ones that begin with the lowest.
            let shift = if width == 1 { place } else { 8 - width - place };
            let all = ((1u32 << width) - 1) as u8;
            let packed = byte >> shift & all;
            if width == 8 || packed != all {
                return packed;
            }
            taken += 1;
            window[taken - 1]
        });
        (group, taken)
    }

    #[test]
    fn lanes_do_not_carry_into_each_other() {
        assert_eq!(add_bytes(0xff80_7f01, 0x0180_01ff), 0x0000_8000);
        assert_eq!(add_halves(0xffff_8000, 0x0001_8000), 0);
        assert_eq!(unzigzag_bytes(0xff01_0203), 0x80ff_01fe);
        assert_eq!(unzigzag_halves(0x0001_0102), 0xffff_0081);
    }
}
