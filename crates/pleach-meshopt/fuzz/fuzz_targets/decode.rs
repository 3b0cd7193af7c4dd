//! Any bytes of any layout: decoding them ends in elements of the stated size or an error.
//!
//! `cargo +nightly fuzz run decode -- -rss_limit_mb=256 -timeout=5`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pleach_meshopt::{Filter, Layout, Mode, decode};

/// The largest result to decode to, in bytes.
const LIMIT: usize = 16 << 20;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    mode: u8,
    filter: u8,
    count: u32,
    byte_stride: u16,
    stream: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let modes = [Mode::Attributes, Mode::Triangles, Mode::Indices];
    let filters =
        [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];
    let layout = Layout {
        mode: modes[usize::from(input.mode) % modes.len()],
        filter: filters[usize::from(input.filter) % filters.len()],
        count: input.count as usize,
        byte_stride: input.byte_stride.into(),
    };
    if layout.byte_length().is_none_or(|length| length > LIMIT) {
        return;
    }
    if let Ok(elements) = decode(&layout, input.stream) {
        assert_eq!(Some(elements.len()), layout.byte_length());
    }
});
