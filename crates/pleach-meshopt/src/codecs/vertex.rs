//! The vertex codec: elements of equal size, as deltas of each byte to the element before.
//!
//! A stream is a header byte, blocks of at most 256 elements, and a tail: padding, the baseline
//! element before the first, and in version 1 the mode of each channel, which is four bytes of an
//! element. A block has one plane per byte of an element. A plane has groups of 16 deltas in 0, 1,
//! 2, 4 or 8 bits each; a delta with all bits set is a sentinel: its byte follows the group.
//!
//! Invariant: nothing is read past the end of the stream, and its blocks end exactly where the tail
//! begins. A group is read through a window of the maximum size of a group; the tail is at least as
//! long, so that in a valid stream there always is a window.

use super::data::{version, zeroed};
use crate::{Error, Mode, StreamPart};

const HEADER: u8 = 0xa0;
/// The number of deltas in a group.
const GROUP_SIZE: usize = 16;
/// The maximum size of a group: 16 sentinels of 4 bits, each with a byte.
const GROUP_DECODE_LIMIT: usize = 24;
const BLOCK_SIZE_BYTES: usize = 8192;
const MAX_BLOCK_ELEMENTS: usize = 256;
const MAX_CHANNELS: usize = 64;
const MIN_TAIL_SIZE_V0: usize = 32;

/// The deltas of one byte of the elements. The excess is for `decode_group`, which writes wide.
type Plane = [u8; MAX_BLOCK_ELEMENTS + GROUP_SIZE];

/// Decodes `count` elements of `stride` bytes: a multiple of 4, from 4 to 256.
pub(crate) fn decode(count: usize, stride: usize, stream: &[u8]) -> Result<Vec<u8>, Error> {
    let version = version(Mode::Attributes, HEADER, stream)?;
    let block_elements = ((BLOCK_SIZE_BYTES / stride) & !(GROUP_SIZE - 1)).min(MAX_BLOCK_ELEMENTS);
    let (tail, padded_tail) = match version {
        0 => (stride, stride.max(MIN_TAIL_SIZE_V0)),
        _ => (stride + stride / 4, (stride + stride / 4).max(GROUP_DECODE_LIMIT)),
    };
    let min_length = 1 + min_blocks_length(version, count, stride, block_elements) + padded_tail;
    if stream.len() < min_length {
        return Err(Error::TooShort { length: stream.len(), min_length });
    }
    let (baseline, channel_modes) = stream[stream.len() - tail..].split_at(stride);
    let mut last_element = [[0; 4]; MAX_CHANNELS];
    let last_element = &mut last_element[..stride / 4];
    last_element.copy_from_slice(baseline.as_chunks().0);

    let mut elements = zeroed(count * stride)?;
    let end = stream.len() - padded_tail;
    let mut blocks = BlockDecoder { stream, position: 1, end, channel_modes };
    for (index, block) in elements.chunks_mut(block_elements * stride).enumerate() {
        blocks.decode(index, block.as_chunks_mut().0, last_element)?;
    }
    match blocks.end - blocks.position {
        0 => Ok(elements),
        count => Err(Error::TrailingBytes { count }),
    }
}

/// Returns the length of blocks in which all elements are equal.
fn min_blocks_length(version: u8, count: usize, stride: usize, block_elements: usize) -> usize {
    let min_block_length = |elements: usize| match version {
        0 => elements.div_ceil(GROUP_SIZE).div_ceil(4) * stride,
        _ => elements.min(1) * (stride / 4),
    };
    count / block_elements * min_block_length(block_elements)
        + min_block_length(count % block_elements)
}

/// Decodes the blocks of a stream.
struct BlockDecoder<'a> {
    /// The whole stream, including its tail.
    stream: &'a [u8],
    position: usize,
    /// The offset of the tail.
    end: usize,
    /// By channel; empty in version 0.
    channel_modes: &'a [u8],
}

impl<'a> BlockDecoder<'a> {
    /// Decodes the next block to the channels of element after element. `last_element` is the
    /// element before the block, and then its last element.
    fn decode(
        &mut self,
        index: usize,
        channels: &mut [[u8; 4]],
        last_element: &mut [[u8; 4]],
    ) -> Result<(), Error> {
        let within = StreamPart::AttributeBlock(index);
        let unexpected_end = Error::UnexpectedEnd { offset: self.end, within };
        let elements = channels.len() / last_element.len();
        let Some(controls) = self.take(self.channel_modes.len()) else {
            return Err(unexpected_end);
        };

        let mut planes = [[0; MAX_BLOCK_ELEMENTS + GROUP_SIZE]; 4];
        let mut deltas = [0; MAX_BLOCK_ELEMENTS];
        let deltas = &mut deltas[..elements];
        for channel in 0..last_element.len() {
            let control = controls.get(channel).copied();
            if self.decode_planes(control, elements, &mut planes).is_none() {
                return Err(unexpected_end);
            }
            let mode = self.channel_modes.get(channel).copied().unwrap_or(0);
            match mode & 3 {
                0 => {
                    transpose(&planes, deltas, unzigzag_u8x4);
                    accumulate(deltas, channels, last_element, channel, add_u8x4);
                }
                1 => {
                    transpose(&planes, deltas, unzigzag_u16x2);
                    accumulate(deltas, channels, last_element, channel, add_u16x2);
                }
                2 => {
                    transpose(&planes, deltas, |v| v.rotate_right(u32::from(mode >> 4)));
                    accumulate(deltas, channels, last_element, channel, |a, b| a ^ b);
                }
                _ => return Err(Error::ChannelMode { channel, found: mode }),
            }
        }
        if self.position > self.end { Err(unexpected_end) } else { Ok(()) }
    }

    /// Decodes the planes of one channel, or returns `None` if the stream ends within.
    ///
    /// A control has two bits per plane: the bit widths of its groups, or that it has none.
    /// Version 0 has no controls.
    fn decode_planes(
        &mut self,
        control: Option<u8>,
        elements: usize,
        planes: &mut [Plane; 4],
    ) -> Option<()> {
        for (byte, plane) in planes.iter_mut().enumerate() {
            match control.map(|control| control >> (2 * byte) & 3) {
                None => self.decode_groups([0, 2, 4, 8], elements, plane)?,
                Some(0) => self.decode_groups([0, 1, 2, 4], elements, plane)?,
                Some(1) => self.decode_groups([1, 2, 4, 8], elements, plane)?,
                Some(2) => plane[..elements].fill(0),
                Some(_) => plane[..elements].copy_from_slice(self.take(elements)?),
            }
        }
        Some(())
    }

    /// Decodes the groups of a plane. Two header bits per group, four groups to a byte, select one
    /// of the bit widths.
    fn decode_groups(
        &mut self,
        bit_widths: [u8; 4],
        elements: usize,
        plane: &mut Plane,
    ) -> Option<()> {
        let groups = elements.div_ceil(GROUP_SIZE);
        let header = self.take(groups.div_ceil(4))?;
        for group in 0..groups {
            let selected = header[group / 4] >> (2 * (group % 4)) & 3;
            let window = self.stream.get(self.position..)?.first_chunk()?;
            let out = plane[group * GROUP_SIZE..].first_chunk_mut()?;
            self.position += decode_group(bit_widths[usize::from(selected)], window, out);
        }
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.stream.get(self.position..)?.get(..length)?;
        self.position += length;
        Some(taken)
    }
}

/// Decodes a group of deltas of `bit_width` bits and returns the number of bytes read. The upper
/// half of `out` is not written; its presence saves a bounds check.
#[inline]
fn decode_group(
    bit_width: u8,
    window: &[u8; GROUP_DECODE_LIMIT],
    out: &mut [u8; 2 * GROUP_SIZE],
) -> usize {
    let packed = u64::from_le_bytes(*window.first_chunk().expect("a window has 8 bytes"));
    let [low, high] = [packed as u32, (packed >> 32) as u32];
    match bit_width {
        0 => {
            out[..GROUP_SIZE].fill(0);
            0
        }
        1 => {
            out[..GROUP_SIZE].fill(0);
            2 + replace_sentinels(low & 0xffff, &window[2..], out)
        }
        2 => {
            let deltas = [spread_2_bits(low), spread_2_bits(low >> 16)];
            4 + write_group(deltas, 2, &window[4..], out)
        }
        4 => {
            let deltas = [spread_4_bits(low), spread_4_bits(high)];
            8 + write_group(deltas, 4, &window[8..], out)
        }
        _ => {
            out[..GROUP_SIZE].copy_from_slice(&window[..GROUP_SIZE]);
            GROUP_SIZE
        }
    }
}

/// Spreads two bytes of four 2-bit numbers each, the upper bits first, to eight bytes.
#[inline]
fn spread_2_bits(packed: u32) -> u64 {
    let v = u64::from(packed & 0xff) | u64::from(packed >> 8 & 0xff) << 32;
    (v >> 6 | v << 4 | v << 14 | v << 24) & 0x0303_0303_0303_0303
}

/// Spreads four bytes of two 4-bit numbers each, the upper bits first, to eight bytes.
#[inline]
fn spread_4_bits(packed: u32) -> u64 {
    let v = u64::from(packed);
    let v = (v | v << 16) & 0x0000_ffff_0000_ffff;
    let v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
    (v >> 4 | v << 8) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Writes a group with `explicit` bytes in place of its sentinels, and returns the number of those.
///
/// It may be all 16, though no encoder writes that, and the SSE decoder of meshoptimizer counts
/// them as none.
#[inline]
fn write_group(
    deltas: [u64; 2],
    bits: u32,
    explicit: &[u8],
    out: &mut [u8; 2 * GROUP_SIZE],
) -> usize {
    out[..8].copy_from_slice(&deltas[0].to_le_bytes());
    out[8..GROUP_SIZE].copy_from_slice(&deltas[1].to_le_bytes());
    let [low, high] = deltas.map(|deltas| sentinel_mask(deltas, bits));
    replace_sentinels(low | high << 8, explicit, out)
}

/// Returns one bit per byte, none of which has more than `bits`: whether all of these are set.
#[inline]
fn sentinel_mask(bytes: u64, bits: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let carried = (bytes + ONES) >> bits & ONES;
    // Moves bit 8i to bit 56 + i.
    (carried.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Writes `explicit` bytes where the mask is set, and returns their number.
#[inline]
fn replace_sentinels(mask: u32, explicit: &[u8], out: &mut [u8; 2 * GROUP_SIZE]) -> usize {
    let mut remaining = mask;
    for &byte in explicit {
        if remaining == 0 {
            break;
        }
        out[remaining.trailing_zeros() as usize & 31] = byte;
        remaining &= remaining - 1;
    }
    mask.count_ones() as usize
}

/// Computes the deltas of elements from their planes, the lowest byte first. Separate from
/// `accumulate` because the compiler vectorizes this loop, and cannot vectorize that one.
#[inline]
fn transpose([a, b, c, d]: &[Plane; 4], deltas: &mut [u32], unpack: impl Fn(u32) -> u32) {
    for ((((delta, &a), &b), &c), &d) in deltas.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *delta = unpack(u32::from_le_bytes([a, b, c, d]));
    }
}

/// Adds delta after delta to a channel of the last element, and writes each sum to its element.
#[inline]
fn accumulate(
    deltas: &[u32],
    channels: &mut [[u8; 4]],
    last_element: &mut [[u8; 4]],
    channel: usize,
    add: impl Fn(u32, u32) -> u32,
) {
    let mut sum = u32::from_le_bytes(last_element[channel]);
    for (&delta, element) in deltas.iter().zip(channels.chunks_exact_mut(last_element.len())) {
        sum = add(sum, delta);
        element[channel] = sum.to_le_bytes();
    }
    last_element[channel] = sum.to_le_bytes();
}

/// Decodes the zigzag encoding of four bytes: the lowest bit of each is its sign.
#[inline]
fn unzigzag_u8x4(v: u32) -> u32 {
    (v >> 1 & 0x7f7f_7f7f) ^ (v & 0x0101_0101).wrapping_mul(0xff)
}

/// Decodes the zigzag encoding of two `u16`.
#[inline]
fn unzigzag_u16x2(v: u32) -> u32 {
    (v >> 1 & 0x7fff_7fff) ^ (v & 0x0001_0001).wrapping_mul(0xffff)
}

/// Adds four bytes, without carry from one to the next.
#[inline]
fn add_u8x4(a: u32, b: u32) -> u32 {
    ((a & 0x7f7f_7f7f) + (b & 0x7f7f_7f7f)) ^ ((a ^ b) & 0x8080_8080)
}

/// Adds two `u16`, without carry from one to the next.
#[inline]
fn add_u16x2(a: u32, b: u32) -> u32 {
    ((a & 0x7fff_7fff) + (b & 0x7fff_7fff)) ^ ((a ^ b) & 0x8000_8000)
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    /// 20 elements of 12 bytes: four bytes that change slightly, two `u16` that change more, and a
    /// float. In version 1 each channel has another mode.
    fn mixed() -> Vec<u8> {
        let element = |i: u16| {
            let bytes = [(i * i) as u8, 7 - (i % 3) as u8, if i == 9 { 200 } else { 0 }, 5];
            let [a, b] = (1000 + 333 * i).to_le_bytes();
            let [c, d] = 5u16.wrapping_sub(260 * i).to_le_bytes();
            let float = (1.0 + f32::from(i % 5) / 8.0).to_le_bytes();
            [bytes, [a, b, c, d], float]
        };
        (0..20).flat_map(element).flatten().collect()
    }

    // Made by meshoptimizer's encoder.
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

    /// 300 elements of 4 bytes, in two blocks.
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
    fn elements_are_decoded_in_both_versions() {
        assert_eq!(decode(20, 12, &MIXED_V0).unwrap(), mixed());
        assert_eq!(decode(20, 12, &MIXED_V1).unwrap(), mixed());
    }

    #[test]
    fn a_block_continues_from_the_last_element_of_the_block_before() {
        assert_eq!(decode(300, 4, &STEPS_V0).unwrap(), steps());
        assert_eq!(decode(300, 4, &STEPS_V1).unwrap(), steps());
    }

    #[test]
    fn streams_of_another_length_are_refused() {
        for length in 0..MIXED_V0.len() {
            assert!(decode(20, 12, &MIXED_V0[..length]).is_err());
        }
        for length in 0..MIXED_V1.len() {
            assert!(decode(20, 12, &MIXED_V1[..length]).is_err());
        }
        let error = decode(300, 4, &STEPS_V1[..42]).unwrap_err();
        let within = StreamPart::AttributeBlock(1);
        assert_eq!(error, Error::UnexpectedEnd { offset: 18, within });
        assert_eq!(
            error.to_string(),
            "the stream ends after 18 bytes, where its tail begins, within attribute block 1"
        );
        assert_eq!(decode(256, 4, &STEPS_V1), Err(Error::TrailingBytes { count: 5 }));
    }

    #[test]
    fn equal_elements_take_the_minimum_length() {
        let zeros = |header: u8, length: usize| {
            let mut stream = vec![0; length];
            stream[0] = header;
            stream
        };
        // Two blocks: four header bytes for each plane of the first, one for the second.
        assert_eq!(decode(257, 4, &zeros(0xa0, 53)).unwrap(), vec![0; 257 * 4]);
        let error = Error::TooShort { length: 52, min_length: 53 };
        assert_eq!(decode(257, 4, &zeros(0xa0, 52)), Err(error));
        // One control for the channel of each block: all deltas are zero.
        let mut stream = zeros(0xa1, 27);
        stream[1..3].fill(0xaa);
        assert_eq!(decode(257, 4, &stream).unwrap(), vec![0; 257 * 4]);
        let error = Error::TooShort { length: 26, min_length: 27 };
        assert_eq!(decode(257, 4, &stream[..26]), Err(error));
        assert_eq!(decode(0, 256, &zeros(0xa1, 1 + 320)), Ok(vec![]));
    }

    #[test]
    fn unknown_channel_modes_are_refused() {
        let mut stream = MIXED_V1;
        stream[133] = 3;
        assert_eq!(decode(20, 12, &stream), Err(Error::ChannelMode { channel: 1, found: 3 }));
    }

    #[test]
    fn groups_of_every_width_are_decoded_as_bit_by_bit() {
        let mut rng = Rng::new(1);
        for round in 0..2000 {
            // Sometimes all bits are set.
            let window =
                std::array::from_fn(|_| if round % 9 == 0 { 0xff } else { rng.next_u32() as u8 });
            for bit_width in [0, 1, 2, 4, 8] {
                let mut out = [0x55; 2 * GROUP_SIZE];
                let length = decode_group(bit_width, &window, &mut out);
                let (naive, naive_length) = decode_group_naively(bit_width, &window);
                assert_eq!((&out[..GROUP_SIZE], length), (&naive[..], naive_length));
            }
        }
    }

    fn decode_group_naively(
        bit_width: u8,
        window: &[u8; GROUP_DECODE_LIMIT],
    ) -> ([u8; GROUP_SIZE], usize) {
        let width = usize::from(bit_width);
        let mut length = 2 * width;
        let group = std::array::from_fn(|i| {
            if width == 0 {
                return 0;
            }
            let (byte, bit) = (window[i * width / 8], i * width % 8);
            // Only single bits begin with the lowest.
            let shift = if width == 1 { bit } else { 8 - width - bit };
            let sentinel = ((1u32 << width) - 1) as u8;
            let packed = byte >> shift & sentinel;
            if width == 8 || packed != sentinel {
                return packed;
            }
            length += 1;
            window[length - 1]
        });
        (group, length)
    }

    #[test]
    fn lanes_do_not_carry_into_each_other() {
        assert_eq!(add_u8x4(0xff80_7f01, 0x0180_01ff), 0x0000_8000);
        assert_eq!(add_u16x2(0xffff_8000, 0x0001_8000), 0);
        assert_eq!(unzigzag_u8x4(0xff01_0203), 0x80ff_01fe);
        assert_eq!(unzigzag_u16x2(0x0001_0102), 0xffff_0081);
    }
}
