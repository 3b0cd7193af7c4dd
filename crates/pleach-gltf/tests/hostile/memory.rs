//! Memory as each thread takes it, and an end before the machine suffers.

use std::cell::Cell;
use std::io::Write as _;

use crate::common::counting::Counting;

thread_local! {
    pub(crate) static HELD: Cell<isize> = const { Cell::new(0) };
    pub(crate) static PEAK: Cell<isize> = const { Cell::new(0) };
    /// The beginning of the name of the case that runs.
    pub(crate) static CASE: Cell<([u8; 160], usize)> = const { Cell::new(([0; 160], 0)) };
}

/// More than any case may take by far: before the machine suffers, the run ends.
const TOO_MUCH: isize = 3 << 30;

fn count(bytes: isize) {
    // A thread that is ending has no counters any more.
    _ = HELD.try_with(|held| {
        let now = held.get() + bytes;
        held.set(now);
        _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
        if now > TOO_MUCH && bytes > 0 {
            let (name, len) = CASE.get();
            let mut out = std::io::stderr();
            _ = out.write_all(b"\nmore than 3 GiB in case: ");
            _ = out.write_all(&name[..len]);
            _ = out.write_all(b"\n");
            std::process::abort();
        }
    });
}

#[global_allocator]
static COUNTING: Counting = Counting(count);
