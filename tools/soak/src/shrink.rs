//! Shrinks a long list of edits that ends in a difference to a short one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::edit::Edit;

/// The time after which the shortest list so far is returned.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Removes edits, many at a time and then fewer, as long as `apply` still fails for
/// the remaining ones. A panic is a failure.
pub fn shortest<E>(mut edits: Vec<Edit>, apply: impl Fn(&[Edit]) -> Result<(), E>) -> Vec<Edit> {
    let fails =
        |edits: &[Edit]| !matches!(catch_unwind(AssertUnwindSafe(|| apply(edits))), Ok(Ok(())));
    let start_time = Instant::now();
    let mut size = edits.len();
    while size > 0 && start_time.elapsed() < TIME_LIMIT {
        let before = edits.len();
        let mut start = 0;
        while start < edits.len() && start_time.elapsed() < TIME_LIMIT {
            let mut remaining = edits.clone();
            remaining.drain(start..(start + size).min(edits.len()));
            if fails(&remaining) {
                edits = remaining;
            } else {
                start += size;
            }
        }
        // One at a time until none can be removed.
        size = if size > 1 { size / 2 } else { usize::from(edits.len() < before) };
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::NodeChoice;

    #[test]
    fn only_necessary_edits_remain() {
        let edits = (0..1000).map(|number| Edit::Remove(NodeChoice::Live(number))).collect();
        let has = |edits: &[Edit], wanted: u32| {
            edits
                .iter()
                .any(|edit| matches!(edit, Edit::Remove(NodeChoice::Live(n)) if *n == wanted))
        };
        let apply =
            |edits: &[Edit]| if has(edits, 7) && has(edits, 700) { Err(()) } else { Ok(()) };
        assert_eq!(shortest(edits, apply).len(), 2);
    }
}
