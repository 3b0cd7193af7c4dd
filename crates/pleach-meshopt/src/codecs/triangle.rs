//! The triangle codec: the indices of a triangle list, most triangles in one byte.
//!
//! A stream is a header byte, one code per triangle, additional data for the codes that need them,
//! and a tail: the codeaux table of 16 frequent pairs of vertices. A code selects an edge of the
//! edge FIFO and a third vertex, which is in the vertex FIFO, or the first one that was never used,
//! or explicit: a delta to the last explicit index.
//!
//! Invariant: the FIFOs change exactly as in the encoder; each case below pushes what the encoder
//! pushed, in its order. The additional data end exactly where the tail begins.

use super::data::{Data, unzigzag, version, zeroed};
use crate::{Error, Mode, StreamPart};

const HEADER: u8 = 0xe0;
const TAIL_SIZE: usize = 16;

/// Decodes `count` indices of `SIZE` bytes, 2 or 4. Indices that do not fit into 2 bytes lose their
/// upper bits.
pub(crate) fn decode<const SIZE: usize>(count: usize, stream: &[u8]) -> Result<Vec<u8>, Error> {
    let version = version(Mode::Triangles, HEADER, stream)?;
    let triangles = count / 3;
    let min_length = 1 + triangles + TAIL_SIZE;
    if stream.len() < min_length {
        return Err(Error::TooShort { length: stream.len(), min_length });
    }
    let (bytes, tail) = stream.split_at(stream.len() - TAIL_SIZE);
    let codeaux_table = tail.first_chunk().expect("the tail has `TAIL_SIZE` bytes");
    let codes = &bytes[1..=triangles];
    let mut decoder = TriangleDecoder::new(version, Data { bytes, position: 1 + triangles });

    let mut indices = zeroed(count * SIZE)?;
    let out = indices.as_chunks_mut::<SIZE>().0.as_chunks_mut::<3>().0;
    for (triangle, (&code, out)) in codes.iter().zip(out).enumerate() {
        let Some(abc) = decoder.triangle(code, codeaux_table) else {
            let within = StreamPart::Triangle(triangle);
            return Err(Error::UnexpectedEnd { offset: bytes.len(), within });
        };
        for (index, out) in abc.iter().zip(out) {
            out.copy_from_slice(&index.to_le_bytes()[..SIZE]);
        }
    }
    decoder.data.finish()?;
    Ok(indices)
}

/// The state that codes refer to.
struct TriangleDecoder<'a> {
    data: Data<'a>,
    /// The lowest index that was not used yet.
    next: u32,
    /// The last explicit index.
    last: u32,
    /// Codes of third vertices below this are in the vertex FIFO: 15 in version 0, 13 in version 1.
    fifo_limit: u8,
    edge_fifo: Fifo<[u32; 2]>,
    vertex_fifo: Fifo<u32>,
}

impl<'a> TriangleDecoder<'a> {
    fn new(version: u8, data: Data<'a>) -> Self {
        Self {
            data,
            next: 0,
            last: 0,
            fifo_limit: if version == 0 { 15 } else { 13 },
            edge_fifo: Fifo { ring: [[u32::MAX; 2]; 16], position: 0 },
            vertex_fifo: Fifo { ring: [u32::MAX; 16], position: 0 },
        }
    }

    /// Returns the triangle of a code, or `None` if the data end within it.
    ///
    /// Always inlined, with its three cases: the state then stays in registers, which makes the
    /// decoder three times as fast.
    #[inline(always)]
    fn triangle(&mut self, code: u8, codeaux_table: &[u8; TAIL_SIZE]) -> Option<[u32; 3]> {
        match code {
            0..0xf0 => self.edge_triangle(code >> 4, code & 15),
            0xf0..0xfe => Some(self.new_vertex_triangle(codeaux_table[usize::from(code & 15)])),
            0xfe.. => self.explicit_triangle(code),
        }
    }

    /// Returns the triangle on the other side of an edge in the FIFO.
    #[inline(always)]
    fn edge_triangle(&mut self, edge: u8, third: u8) -> Option<[u32; 3]> {
        let [a, b] = self.edge_fifo.get(edge);
        let c = if third < self.fifo_limit {
            // Without a branch: whether the vertex is new cannot be predicted.
            let is_new = third == 0;
            let c = if is_new { self.next } else { self.vertex_fifo.get(third) };
            self.next = self.next.wrapping_add(u32::from(is_new));
            self.vertex_fifo.push_if(is_new, c);
            c
        } else {
            self.last = match third {
                13 => self.last.wrapping_sub(1),
                14 => self.last.wrapping_add(1),
                _ => self.explicit_index()?,
            };
            self.vertex_fifo.push(self.last);
            self.last
        };
        self.edge_fifo.push([c, b]);
        self.edge_fifo.push([a, c]);
        Some([a, b, c])
    }

    /// Returns a triangle of a new vertex and those of `codeaux`, in which 0 is a new vertex and
    /// others are in the FIFO.
    #[inline(always)]
    fn new_vertex_triangle(&mut self, codeaux: u8) -> [u32; 3] {
        let (second, third) = (codeaux >> 4, codeaux & 15);
        let a = self.new_index();
        let b = if second == 0 { self.new_index() } else { self.vertex_fifo.get(second - 1) };
        let c = if third == 0 { self.new_index() } else { self.vertex_fifo.get(third - 1) };
        self.vertex_fifo.push(a);
        self.vertex_fifo.push_if(second == 0, b);
        self.vertex_fifo.push_if(third == 0, c);
        self.push_edges([a, b, c]);
        [a, b, c]
    }

    /// Returns a triangle whose codeaux is in the data; 15 is an explicit index in it.
    #[inline(always)]
    fn explicit_triangle(&mut self, code: u8) -> Option<[u32; 3]> {
        let codeaux = self.data.byte()?;
        let (first, second, third) =
            (if code == 0xfe { 0 } else { 15 }, codeaux >> 4, codeaux & 15);
        if codeaux == 0 {
            // Another mesh begins, whose indices start at 0.
            self.next = 0;
        }
        // New vertices and those of the FIFO come before all explicit indices.
        let [mut a, mut b, mut c] = [first, second, third].map(|vertex| match vertex {
            0 => self.new_index(),
            in_fifo => self.vertex_fifo.get(in_fifo - 1),
        });
        for (vertex, index) in [(first, &mut a), (second, &mut b), (third, &mut c)] {
            if vertex == 15 {
                self.last = self.explicit_index()?;
                *index = self.last;
            }
        }
        self.vertex_fifo.push(a);
        self.vertex_fifo.push_if(second == 0 || second == 15, b);
        self.vertex_fifo.push_if(third == 0 || third == 15, c);
        self.push_edges([a, b, c]);
        Some([a, b, c])
    }

    #[inline]
    fn push_edges(&mut self, [a, b, c]: [u32; 3]) {
        self.edge_fifo.push([b, a]);
        self.edge_fifo.push([c, b]);
        self.edge_fifo.push([a, c]);
    }

    /// Returns the lowest index that was not used yet.
    #[inline]
    fn new_index(&mut self) -> u32 {
        let index = self.next;
        self.next = index.wrapping_add(1);
        index
    }

    /// Reads a delta and adds it to the last explicit index.
    #[inline]
    fn explicit_index(&mut self) -> Option<u32> {
        Some(self.last.wrapping_add(unzigzag(self.data.varint()?)))
    }
}

/// The last 16 values, in a ring.
struct Fifo<T> {
    ring: [T; 16],
    position: usize,
}

impl<T: Copy> Fifo<T> {
    /// Returns the value that was pushed before `age` others; 0 is the latest.
    #[inline]
    fn get(&self, age: u8) -> T {
        self.ring[self.position.wrapping_sub(1 + usize::from(age)) & 15]
    }

    #[inline]
    fn push(&mut self, value: T) {
        self.push_if(true, value);
    }

    /// Writes in either case, which saves a branch: a value that is not kept replaces the oldest
    /// one, which no code can refer to.
    #[inline]
    fn push_if(&mut self, keep: bool, value: T) {
        self.ring[self.position & 15] = value;
        self.position = self.position.wrapping_add(usize::from(keep));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip, a jump to large indices, and a second mesh; each triangle begins with its known
    /// edge, as the encoder rotates them.
    const INDICES: [u32; 30] = [
        0, 1, 2, 2, 1, 3, 2, 3, 4, 3, 1, 5, 70000, 70001, 4, 4, 70001, 5, 5, 70001, 70002, 0, 1, 2,
        2, 1, 9, 9, 1, 8,
    ];
    // Made by meshoptimizer's encoder.
    const V0: [u8; 39] = [
        0xe0, 0xf0, 0x10, 0x00, 0x30, 0xff, 0x12, 0x1f, 0xff, 0x1f, 0x1f, 0xf2, 0xe0, 0xc5, 0x08,
        0x02, 0x02, 0x87, 0xe3, 0xc5, 0x08, 0x12, 0x01, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9,
        0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];
    const V1: [u8; 36] = [
        0xe1, 0xf0, 0x10, 0x00, 0x30, 0xff, 0x12, 0x1e, 0xfe, 0x1f, 0x1d, 0xf2, 0xe0, 0xc5, 0x08,
        0x02, 0x00, 0xd1, 0xc5, 0x08, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89,
        0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];

    #[test]
    fn triangles_are_decoded_in_both_versions() {
        let words = INDICES.map(u32::to_le_bytes);
        assert_eq!(decode::<4>(30, &V0).unwrap(), words.as_flattened());
        assert_eq!(decode::<4>(30, &V1).unwrap(), words.as_flattened());
    }

    #[test]
    fn indices_of_two_bytes_are_truncated() {
        let truncated = INDICES.map(|index| (index as u16).to_le_bytes());
        assert_eq!(decode::<2>(30, &V0).unwrap(), truncated.as_flattened());
        assert_eq!(decode::<2>(30, &V1).unwrap(), truncated.as_flattened());
    }

    #[test]
    fn streams_of_another_length_are_refused() {
        for length in 0..V1.len() {
            assert!(decode::<4>(30, &V1[..length]).is_err());
        }
        let error = Error::UnexpectedEnd { offset: 19, within: StreamPart::Triangle(8) };
        assert_eq!(decode::<4>(30, &V1[..35]), Err(error));
        let mut longer = V1.to_vec();
        longer.push(0);
        assert_eq!(decode::<4>(30, &longer), Err(Error::TrailingBytes { count: 1 }));
        let error = Error::TooShort { length: 36, min_length: 37 };
        assert_eq!(decode::<4>(60, &V1), Err(error));
        let mut empty = [0; 17];
        empty[0] = 0xe1;
        assert_eq!(decode::<2>(0, &empty), Ok(vec![]));
    }

    #[test]
    fn an_edge_that_was_never_pushed_has_the_largest_indices() {
        let mut stream = [0; 18];
        stream[..2].copy_from_slice(&[0xe1, 0x00]);
        let words = [u32::MAX, u32::MAX, 0].map(u32::to_le_bytes);
        assert_eq!(decode::<4>(3, &stream).unwrap(), words.as_flattened());
    }
}
