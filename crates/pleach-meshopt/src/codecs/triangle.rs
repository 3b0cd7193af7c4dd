//! The triangle codec: the indices of a triangle list, most triangles in one byte.
//!
//! A stream is a header byte, one code for each triangle, extra bytes for the codes that need
//! them, and a tail of 16 frequent corner pairs. A code names a recent edge, and a third corner
//! which is recent too, or the first that was never used, or close to the last one spelled out.
//!
//! Invariant: the queues of recent edges and corners move exactly as the encoder's did; each
//! case below pushes what the encoder pushed, in its order. The extra bytes end exactly where
//! the tail begins.

use crate::{Extra, Fault, Mode, Place, unzigzag, version};

const TAIL: usize = 16;

/// `count` indices of `SIZE` bytes, 2 or 4; what does not fit into 2 bytes loses its upper bits.
pub(crate) fn decode<const SIZE: usize>(count: usize, data: &[u8]) -> Result<Vec<u8>, Fault> {
    let version = version(Mode::Triangles, 0xe0, data)?;
    let triangles = count / 3;
    let least = 1 + triangles + TAIL;
    if data.len() < least {
        return Err(Fault::TooShort { length: data.len(), least });
    }
    let (data, tail) = data.split_at(data.len() - TAIL);
    let pairs = tail.first_chunk().expect("the tail has its length");
    let codes = &data[1..=triangles];
    let mut corners = Corners::new(version, Extra { data, at: 1 + triangles });

    let mut bytes = vec![0; count * SIZE];
    let out = bytes.as_chunks_mut::<SIZE>().0.as_chunks_mut::<3>().0;
    for (triangle, (&code, out)) in codes.iter().zip(out).enumerate() {
        let Some(abc) = corners.triangle(code, pairs) else {
            return Err(Fault::Ends { at: data.len(), within: Place::Triangle(triangle) });
        };
        for (index, out) in abc.iter().zip(out) {
            out.copy_from_slice(&index.to_le_bytes()[..SIZE]);
        }
    }
    corners.extra.finish()?;
    Ok(bytes)
}

/// What the codes speak of.
struct Corners<'a> {
    extra: Extra<'a>,
    /// The lowest index that was not used yet.
    next: u32,
    /// The last index that was spelled out.
    last: u32,
    /// Third corners from this code on are not recent ones; 13 since version 1.
    recent: u8,
    edges: Recent<[u32; 2]>,
    vertices: Recent<u32>,
}

impl<'a> Corners<'a> {
    fn new(version: u8, extra: Extra<'a>) -> Self {
        Self {
            extra,
            next: 0,
            last: 0,
            recent: if version == 0 { 15 } else { 13 },
            edges: Recent { ring: [[u32::MAX; 2]; 16], at: 0 },
            vertices: Recent { ring: [u32::MAX; 16], at: 0 },
        }
    }

    /// The triangle of a code, unless the extra bytes end within.
    ///
    /// Always inlined, with its three cases: the state then stays in registers, which makes
    /// the decoder three times as fast.
    #[inline(always)]
    fn triangle(&mut self, code: u8, pairs: &[u8; TAIL]) -> Option<[u32; 3]> {
        match code {
            0..0xf0 => self.beside_an_edge(code >> 4, code & 15),
            0xf0..0xfe => Some(self.of_a_new_corner(pairs[usize::from(code & 15)])),
            0xfe.. => self.spelled_out(code),
        }
    }

    /// The triangle on the other side of a recent edge.
    #[inline(always)]
    fn beside_an_edge(&mut self, edge: u8, third: u8) -> Option<[u32; 3]> {
        let [a, b] = self.edges.get(edge);
        let c = if third < self.recent {
            // Without a branch: whether the corner is new cannot be foreseen.
            let is_new = third == 0;
            let c = if is_new { self.next } else { self.vertices.get(third) };
            self.next = self.next.wrapping_add(u32::from(is_new));
            self.vertices.push_if(is_new, c);
            c
        } else {
            self.last = match third {
                13 => self.last.wrapping_sub(1),
                14 => self.last.wrapping_add(1),
                _ => self.spelled()?,
            };
            self.vertices.push(self.last);
            self.last
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Some([a, b, c])
    }

    /// A triangle of one new corner, and two that a pair says: 0 is new, others are recent.
    #[inline(always)]
    fn of_a_new_corner(&mut self, pair: u8) -> [u32; 3] {
        let (second, third) = (pair >> 4, pair & 15);
        let a = self.fresh();
        let b = if second == 0 { self.fresh() } else { self.vertices.get(second - 1) };
        let c = if third == 0 { self.fresh() } else { self.vertices.get(third - 1) };
        self.vertices.push(a);
        self.vertices.push_if(second == 0, b);
        self.vertices.push_if(third == 0, c);
        self.push_edges([a, b, c]);
        [a, b, c]
    }

    /// A triangle whose pair is an extra byte, in which 15 is a corner spelled out.
    #[inline(always)]
    fn spelled_out(&mut self, code: u8) -> Option<[u32; 3]> {
        let pair = self.extra.byte()?;
        let (first, second, third) = (if code == 0xfe { 0 } else { 15 }, pair >> 4, pair & 15);
        if pair == 0 {
            // Another mesh begins, whose indices begin anew.
            self.next = 0;
        }
        // All that is new or recent comes before all that is spelled out.
        let [mut a, mut b, mut c] = [first, second, third].map(|corner| match corner {
            0 => self.fresh(),
            recent => self.vertices.get(recent - 1),
        });
        for (corner, index) in [(first, &mut a), (second, &mut b), (third, &mut c)] {
            if corner == 15 {
                self.last = self.spelled()?;
                *index = self.last;
            }
        }
        self.vertices.push(a);
        self.vertices.push_if(second == 0 || second == 15, b);
        self.vertices.push_if(third == 0 || third == 15, c);
        self.push_edges([a, b, c]);
        Some([a, b, c])
    }

    #[inline]
    fn push_edges(&mut self, [a, b, c]: [u32; 3]) {
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
    }

    /// The next index that was not used yet.
    #[inline]
    fn fresh(&mut self) -> u32 {
        let fresh = self.next;
        self.next = fresh.wrapping_add(1);
        fresh
    }

    /// The index at some distance from the last one spelled out.
    #[inline]
    fn spelled(&mut self) -> Option<u32> {
        Some(self.last.wrapping_add(unzigzag(self.extra.number()?)))
    }
}

/// The last 16 of something, in a ring.
struct Recent<T> {
    ring: [T; 16],
    at: usize,
}

impl<T: Copy> Recent<T> {
    /// The one before `age` others; 0 is the latest.
    #[inline]
    fn get(&self, age: u8) -> T {
        self.ring[self.at.wrapping_sub(1 + usize::from(age)) & 15]
    }

    #[inline]
    fn push(&mut self, value: T) {
        self.push_if(true, value);
    }

    /// Writes in either case, which spares a branch: what is not kept takes the place of the
    /// oldest, which no code can name.
    #[inline]
    fn push_if(&mut self, keep: bool, value: T) {
        self.ring[self.at & 15] = value;
        self.at = self.at.wrapping_add(usize::from(keep));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip, a jump to large indices, and a second mesh; each triangle with its known edge
    /// first, as the encoder turns them.
    const INDICES: [u32; 30] = [
        0, 1, 2, 2, 1, 3, 2, 3, 4, 3, 1, 5, 70000, 70001, 4, 4, 70001, 5, 5, 70001, 70002, 0, 1, 2,
        2, 1, 9, 9, 1, 8,
    ];
    // By meshoptimizer's encoder.
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
    fn triangles_come_back_in_either_version() {
        let words = INDICES.map(u32::to_le_bytes);
        assert_eq!(decode::<4>(30, &V0).unwrap(), words.as_flattened());
        assert_eq!(decode::<4>(30, &V1).unwrap(), words.as_flattened());
    }

    #[test]
    fn indices_of_two_bytes_lose_what_does_not_fit() {
        let halves = INDICES.map(|index| (index as u16).to_le_bytes());
        assert_eq!(decode::<2>(30, &V0).unwrap(), halves.as_flattened());
        assert_eq!(decode::<2>(30, &V1).unwrap(), halves.as_flattened());
    }

    #[test]
    fn a_stream_of_another_length_is_refused() {
        for length in 0..V1.len() {
            assert!(decode::<4>(30, &V1[..length]).is_err());
        }
        let ends = Fault::Ends { at: 19, within: Place::Triangle(8) };
        assert_eq!(decode::<4>(30, &V1[..35]), Err(ends));
        let mut longer = V1.to_vec();
        longer.push(0);
        assert_eq!(decode::<4>(30, &longer), Err(Fault::LeftOver { bytes: 1 }));
        assert_eq!(decode::<4>(60, &V1), Err(Fault::TooShort { length: 36, least: 37 }));
        let mut empty = [0; 17];
        empty[0] = 0xe1;
        assert_eq!(decode::<2>(0, &empty), Ok(vec![]));
    }

    #[test]
    fn an_edge_that_was_never_seen_has_the_largest_indices() {
        let mut stream = [0; 18];
        stream[..2].copy_from_slice(&[0xe1, 0x00]);
        let words = [u32::MAX, u32::MAX, 0].map(u32::to_le_bytes);
        assert_eq!(decode::<4>(3, &stream).unwrap(), words.as_flattened());
    }
}
