//! The targets of the scene benchmark.

use super::Results;
use super::cases::growth::{PLANS, VARIANTS};
use super::cases::{animated_characters, animation, joint_matrices, steady_frame};
use crate::rounds::{Implementation, Table};
use crate::target::{Kind, Limit, Target, ratio};

pub fn targets(results: &Results) -> Vec<Target> {
    use Kind::{Goal, Required};
    use Limit::{AtLeast, AtMost};
    let mut targets = Vec::new();
    let mut target = |workload: &str, measured, limit, value, kind| {
        targets.push(Target { workload: workload.into(), measured, limit, value, kind });
    };

    let table = &results.joint_matrices;
    let value = ratio(
        table.time_of(Implementation::Pleach, joint_matrices::ONE_JOINT),
        table.time(Implementation::SimdLoop),
    );
    target(
        "joint matrices, 1000 × 64",
        "update, one joint of each moved / simd loop",
        AtMost(1.1),
        value,
        Required,
    );

    for (table, (_, clip)) in results.animation.iter().zip(animation::CLIPS) {
        let value = ratio(
            table.time(Implementation::ChannelLoop),
            table.time_of(Implementation::Pleach, ""),
        );
        let workload = format!("animation, 1000 × 64, {clip}");
        target(&workload, "channel loop / pleach", AtLeast(2.0), value, Goal);
    }

    let table = &results.characters;
    let frame = table.time_of(Implementation::Pleach, animated_characters::FRAME);
    let alone = ratio(frame, table.time_of(Implementation::Pleach, animated_characters::ALONE));
    let measured = "animate and update / update without meshes";
    target("animated characters, 1000 × 64", measured, AtMost(3.0), alone, Required);
    target("animated characters, 1000 × 64", measured, AtMost(2.0), alone, Goal);

    let [large, small] = VARIANTS[0].1;
    for (table, numbers) in results.growth.iter().zip(PLANS) {
        let value = ratio(
            table.time_of(Implementation::Pleach, large),
            table.time_of(Implementation::Pleach, small),
        );
        target(&numbers.name(), "frame of 100k meshes / of 10k", AtMost(2.0), value, Required);
    }

    for tally in &results.steady {
        let each = tally.allocations as f64 / steady_frame::COUNTED_FRAMES as f64;
        target(&tally.workload, "allocations per frame", AtMost(0.0), Some(each), Required);
    }
    targets
}

/// Returns the tables of the targets, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables = vec![&results.joint_matrices];
    tables.extend(&results.animation);
    tables.push(&results.characters);
    tables.extend(&results.growth);
    tables
}
