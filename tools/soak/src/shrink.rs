//! From a long list of edits that ends in a difference to a short one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::edit::Edit;

/// When to be content with what was found so far.
const PATIENCE: Duration = Duration::from_secs(30);

/// Leaves out edits, many at a time and then fewer, as long as `apply` still
/// fails for the rest. A panic is a failure.
pub fn shortest<E>(mut edits: Vec<Edit>, apply: impl Fn(&[Edit]) -> Result<(), E>) -> Vec<Edit> {
    let fails =
        |edits: &[Edit]| !matches!(catch_unwind(AssertUnwindSafe(|| apply(edits))), Ok(Ok(())));
    let began = Instant::now();
    let mut size = edits.len();
    while size > 0 && began.elapsed() < PATIENCE {
        let before = edits.len();
        let mut start = 0;
        while start < edits.len() && began.elapsed() < PATIENCE {
            let mut rest = edits.clone();
            rest.drain(start..(start + size).min(edits.len()));
            if fails(&rest) {
                edits = rest;
            } else {
                start += size;
            }
        }
        // One at a time until none can be spared.
        size = if size > 1 { size / 2 } else { usize::from(edits.len() < before) };
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Pick;

    #[test]
    fn only_the_edits_that_are_needed_are_left() {
        let edits = (0..1000).map(|number| Edit::Remove(Pick::Living(number))).collect();
        let has = |edits: &[Edit], wanted: u32| {
            edits.iter().any(|edit| matches!(edit, Edit::Remove(Pick::Living(n)) if *n == wanted))
        };
        let apply =
            |edits: &[Edit]| if has(edits, 7) && has(edits, 700) { Err(()) } else { Ok(()) };
        assert_eq!(shortest(edits, apply).len(), 2);
    }
}
