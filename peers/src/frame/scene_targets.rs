//! The bars of part 3 of the plan, and whether pleach clears them in this run.

use super::Results;
use super::cases::growth::{PLANS, WAYS};
use super::cases::{animated_characters, joint_matrices, steady_frame};
use crate::rounds::{Table, Who};
use crate::target::{Bar, Kind, Limit, over};

pub fn bars(results: &Results) -> Vec<Bar> {
    use Kind::{Aim, Must};
    use Limit::AtMost;
    let mut bars = Vec::new();
    let mut bar = |workload: &str, measured, limit, value, kind| {
        bars.push(Bar { workload: workload.into(), measured, limit, value, kind });
    };

    let table = &results.palettes;
    let value = over(table.time_of(Who::Pleach, joint_matrices::ALONE), table.time(Who::SimdLoop));
    bar("palettes, 1000 × 64", "palettes alone / simd loop", AtMost(1.2), value, Must);

    let table = &results.people;
    let frame = table.time_of(Who::Pleach, animated_characters::FRAME);
    let alone = over(frame, table.time_of(Who::Pleach, animated_characters::ALONE));
    let measured = "animate and update / update without meshes";
    bar("animated people, 1000 × 64", measured, AtMost(3.0), alone, Must);
    bar("animated people, 1000 × 64", measured, AtMost(2.0), alone, Aim);

    let [large, small] = WAYS[0].1;
    for (table, numbers) in results.growth.iter().zip(PLANS) {
        let value = over(table.time_of(Who::Pleach, large), table.time_of(Who::Pleach, small));
        bar(&numbers.name(), "frame of 100k meshes / of 10k", AtMost(2.0), value, Must);
    }

    for tally in &results.steady {
        let each = tally.allocations as f64 / steady_frame::COUNTED as f64;
        bar(&tally.workload, "allocations a frame", AtMost(0.0), Some(each), Must);
    }
    bars
}

/// The tables the bars are about, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables = vec![&results.palettes, &results.people];
    tables.extend(&results.growth);
    tables
}
