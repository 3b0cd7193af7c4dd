//! Verifies before any timing that all contenders compute the same matrices: one that skipped work
//! would look fast.

use crate::number_format::size;
use crate::participants::Participant;
use crate::scene::Case;
use crate::workload::Workload;

/// The maximum difference of two numbers, relative to the largest number of the matrix.
const TOLERANCE: f32 = 1e-4;

/// The number of frames at a time. Reparenting frames come in pairs, so after an odd number the
/// subtrees are displaced.
const ODD: u32 = 1;

/// Runs a few frames of every kind and compares all matrices with each other.
pub fn same_worlds(participants: &mut [Participant], case: &Case) -> Result<(), String> {
    let mut participants: Vec<_> = participants.iter_mut().collect();
    compare(&mut participants, case, "after the first update")?;
    for (workload, moment) in [
        (Workload::Churn, "after replacing leaves first"),
        (Workload::AllSet, "after setting all transforms"),
        (Workload::AllMoved, "after moving all nodes"),
        (Workload::Leaves, "after moving leaves"),
        (Workload::RootMoved, "after moving the root"),
        (Workload::Reparent, "after changing parents"),
        (Workload::Churn, "after replacing leaves"),
        (Workload::Leaves, "after moving leaves among new ones"),
        (Workload::Reparent, "after changing parents back"),
        (Workload::Churn, "after replacing leaves again"),
        (Workload::AllMoved, "after moving all once more"),
    ] {
        // A contender that does not support the workload is not compared any further.
        participants.retain(|participant| participant.runner.supports(workload));
        for participant in &mut participants {
            participant.runner.time(workload, ODD);
        }
        compare(&mut participants, case, moment)?;
    }
    Ok(())
}

fn compare(participants: &mut [&mut Participant], case: &Case, moment: &str) -> Result<(), String> {
    let Some((first, others)) = participants.split_first_mut() else {
        return Ok(());
    };
    let expected = first.runner.worlds();
    for other in others {
        let found = other.runner.worlds();
        if let Some(node) = (0..case.n).find(|&node| differ(&expected[node], &found[node])) {
            return Err(format!(
                "{} and {} differ at node {node} of {} {} {moment}:\n{:?}\n{:?}",
                first.name(),
                other.name(),
                case.shape.name(),
                size(case.n),
                expected[node],
                found[node],
            ));
        }
    }
    Ok(())
}

fn differ(a: &[f32; 16], b: &[f32; 16]) -> bool {
    let size = a.iter().fold(1.0_f32, |size, number| size.max(number.abs()));
    // Written so that NaN differs from everything.
    !(0..16).all(|i| (a[i] - b[i]).abs() <= TOLERANCE * size)
}
