//! Any bytes end in elements of the stated size or an error.

use pleach_meshopt::{Filter, Layout, Mode, decode};
use testkit::{Effort, Rng};

#[test]
fn random_bytes_never_panic_and_decode_to_the_stated_size() {
    let filters =
        [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];
    let mut rng = Rng::from_env(1);
    let mut decoded = 0;
    for _ in 0..Effort::pick(20_000, 2_000_000) {
        let mode = rng.pick(&[Mode::Attributes, Mode::Triangles, Mode::Indices]);
        let (header, byte_stride, filter) = match mode {
            Mode::Attributes => (0xa0, rng.pick(&[4, 8, 12, 32, 256]), rng.pick(&filters)),
            Mode::Triangles => (0xe0, rng.pick(&[2, 4]), Filter::None),
            Mode::Indices => (0xd0, rng.pick(&[2, 4]), Filter::None),
        };
        let count = rng.below(20) * 3;
        let layout = Layout { mode, filter, count, byte_stride };
        // Mostly small bytes, which are more often valid.
        let mut stream: Vec<u8> = (0..1 + rng.below(400))
            .map(|_| if rng.one_in(4) { rng.next_u32() as u8 } else { 0 })
            .collect();
        stream[0] = header | rng.below(2) as u8;
        if let Ok(elements) = decode(&layout, &stream) {
            assert_eq!(elements.len(), count * byte_stride);
            decoded += 1;
        }
    }
    assert!(decoded > 0, "no stream was valid");
}

#[test]
fn d_error_implements_std_error() {
    fn is_error<T: std::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<pleach_meshopt::Error>();
}
