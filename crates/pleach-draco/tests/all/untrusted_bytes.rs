//! Any bytes end in a valid mesh or an error, within the budget.

use pleach_draco::{Error, Mesh, decode};
use testkit::{Effort, Rng};

use crate::streams::{BUDGET, STREAMS};

/// Asserts what is guaranteed of every decoded mesh.
fn assert_valid(mesh: &Mesh) {
    assert!(mesh.indices.len().is_multiple_of(3));
    assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.point_count));
    for attribute in &mesh.attributes {
        let size = attribute.components * attribute.component_type.size();
        assert_eq!(attribute.bytes.len(), mesh.point_count * size);
    }
}

#[test]
fn truncated_streams_are_refused() {
    for stream in STREAMS {
        let bytes = stream.bytes();
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], BUDGET).is_err());
        }
    }
}

#[test]
fn flipped_bits_never_panic_and_keep_the_guarantees() {
    for stream in STREAMS {
        let mut bytes = stream.bytes();
        for at in 0..bytes.len() {
            let bit = 1 << (at * 5 % 8);
            bytes[at] ^= bit;
            if let Ok(mesh) = decode(&bytes, BUDGET) {
                assert_valid(&mesh);
            }
            bytes[at] ^= bit;
        }
    }
}

#[test]
fn random_bytes_never_panic_and_keep_the_guarantees() {
    let mut rng = Rng::from_env(1);
    for _ in 0..Effort::pick(2_000, 200_000) {
        let mut bytes = STREAMS[rng.below(STREAMS.len())].bytes();
        for _ in 0..=rng.below(8) {
            // Behind the header, which would only be refused.
            let at = 9 + rng.below(bytes.len() - 9);
            bytes[at] = rng.next_u32() as u8;
        }
        if let Ok(mesh) = decode(&bytes, BUDGET) {
            assert_valid(&mesh);
        }
    }
}

#[test]
fn too_small_a_budget_is_reported() {
    for stream in STREAMS {
        let error = decode(&stream.bytes(), 100).unwrap_err();
        assert!(matches!(error, Error::OverBudget { .. }), "{error}");
    }
}

/// Returns a stream of this connectivity method that continues with `rest`.
fn stream(method: u8, rest: &[u8]) -> Vec<u8> {
    [b"DRACO\x02\x02\x01".as_slice(), &[method, 0, 0], rest].concat()
}

#[test]
fn counts_without_data_allocate_nothing() {
    // Four billion triangles of equal symbols.
    let equal = stream(0, &[0xff, 0xff, 0xff, 0xff, 5, 3, 0, 1, 5, 1, 0x03, 0x40, 1, 0]);
    assert!(matches!(decode(&equal, BUDGET).unwrap_err(), Error::OverBudget { .. }));
    // A probability table of every 32-bit number.
    let table = stream(0, &[1, 3, 0, 1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    assert_eq!(decode(&table, BUDGET).unwrap_err(), Error::UnexpectedEnd);
    // A hundred million symbols in one byte.
    let symbols = [0, 0x80, 0xc2, 0xd7, 0x2f, 0x80, 0xc2, 0xd7, 0x2f, 0, 0x80, 0xc2, 0xd7, 0x2f];
    let symbols = stream(1, &[&symbols[..], &[0, 0, 1, 0, 128, 1, 0]].concat());
    assert_eq!(decode(&symbols, usize::MAX).unwrap_err(), Error::UnexpectedEnd);
}

#[test]
fn unsupported_streams_are_named() {
    let message = |bytes: &[u8]| decode(bytes, BUDGET).unwrap_err().to_string();
    assert_eq!(message(b"glTF"), "not a Draco stream: it does not begin with \"DRACO\"");
    assert_eq!(
        message(b"DRACO\x01\x01\x01\x01"),
        "the Draco stream has bitstream version 1.1, but only 2.2 is supported; encode the mesh \
         again with a current encoder",
    );
    assert_eq!(
        message(b"DRACO\x02\x02\x00\x00\x00\x00"),
        "the Draco stream has geometry type 0, but only triangular meshes (type 1) are supported",
    );
    assert_eq!(
        message(&stream(7, &[])),
        "the Draco stream has connectivity method 7, which is not supported",
    );
}

#[test]
fn d_error_implements_std_error() {
    fn is_error<T: std::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<Error>();
}
