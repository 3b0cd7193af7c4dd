//! Layouts that are rejected before the stream is decoded.

use pleach_meshopt::{Error, Filter, Layout, Mode, decode};

fn layout(mode: Mode, filter: Filter, count: usize, byte_stride: usize) -> Layout {
    Layout { mode, filter, count, byte_stride }
}

fn message(mode: Mode, filter: Filter, [count, byte_stride]: [usize; 2], data: &[u8]) -> String {
    decode(&layout(mode, filter, count, byte_stride), data).unwrap_err().to_string()
}

#[test]
fn strides_that_do_not_suit_the_mode_are_refused() {
    for byte_stride in [0, 1, 2, 3, 5, 6, 257, 260, usize::MAX] {
        let error = Error::ModeStride { mode: Mode::Attributes, byte_stride };
        assert_eq!(
            decode(&layout(Mode::Attributes, Filter::None, 1, byte_stride), &[]),
            Err(error)
        );
    }
    for mode in [Mode::Triangles, Mode::Indices] {
        for byte_stride in [0, 1, 3, 8] {
            let error = Error::ModeStride { mode, byte_stride };
            assert_eq!(decode(&layout(mode, Filter::None, 3, byte_stride), &[]), Err(error));
        }
    }
}

#[test]
fn layouts_that_do_not_exist_are_refused() {
    assert_eq!(
        message(Mode::Attributes, Filter::Color, [1, 12], &[]),
        "filter COLOR on elements of 12 bytes; the stride must be 4 or 8"
    );
    assert_eq!(
        message(Mode::Attributes, Filter::Quaternion, [1, 4], &[]),
        "filter QUATERNION on elements of 4 bytes; the stride must be 8"
    );
    assert_eq!(
        message(Mode::Triangles, Filter::Octahedral, [3, 4], &[]),
        "filter OCTAHEDRAL on triangles; only attributes have filters"
    );
    assert_eq!(
        message(Mode::Triangles, Filter::None, [4, 2], &[]),
        "4 triangle indices; the count must be a multiple of 3"
    );
}

#[test]
fn more_than_memory_is_refused_before_it_is_allocated() {
    for (mode, data) in [
        (Mode::Attributes, [0xa0; 64]),
        (Mode::Attributes, [0xa1; 64]),
        (Mode::Triangles, [0xe1; 64]),
        (Mode::Indices, [0xd1; 64]),
    ] {
        for count in [usize::MAX / 3 * 3, usize::MAX / 12 * 3, usize::MAX / 3072 * 3] {
            let error = decode(&layout(mode, Filter::None, count, 4), &data).unwrap_err();
            assert!(matches!(error, Error::TooLarge { .. } | Error::TooShort { .. }), "{error}");
        }
    }
}

#[test]
fn a_stream_of_another_mode_is_reported() {
    assert_eq!(
        message(Mode::Triangles, Filter::None, [3, 2], &[0xa0; 40]),
        "the stream begins with 0xa0; a stream of triangles begins with 0xe0 or 0xe1"
    );
    assert_eq!(
        message(Mode::Attributes, Filter::None, [3, 4], &[0xa2; 40]),
        "the stream begins with 0xa2; a stream of attributes begins with 0xa0 or 0xa1"
    );
    assert_eq!(message(Mode::Indices, Filter::None, [0, 2], &[]), "the stream is empty");
}
