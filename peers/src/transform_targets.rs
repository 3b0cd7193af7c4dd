//! The targets of the transform benchmark: a tree of 100k nodes.

use crate::bench::{Outcome, Timing};
use crate::participants::Column;
use crate::scene::Shape;
use crate::target::{Kind, Limit, Target, ratio};
use crate::workload::Workload;

const NODES: usize = 100_000;

/// Returns the targets whose workloads were measured.
pub fn targets(outcomes: &[Outcome]) -> Vec<Target> {
    use Column::{Naive, Pleach, PleachBulk, SimdLoop};
    use Kind::{Goal, Required};
    use Workload::{AllSet, Build, Churn};
    let mut targets = Vec::new();
    let mut target = |workload: Workload, measured, [column, other]: [Column; 2], limit, kind| {
        let outcome = outcomes.iter().find(|outcome| {
            (outcome.shape, outcome.n, outcome.workload) == (Shape::Tree, NODES, workload)
        });
        let Some(outcome) = outcome else { return };
        let time = |column| outcome.best(column).and_then(Timing::median);
        targets.push(Target {
            workload: format!("{}, tree, 100k", workload.name()),
            measured,
            limit: Limit::AtMost(limit),
            value: ratio(time(column), time(other)),
            kind,
        });
    };
    target(AllSet, "pleach / simd loop", [Pleach, SimdLoop], 1.3, Required);
    target(AllSet, "pleach bulk / simd loop", [PleachBulk, SimdLoop], 1.1, Required);
    target(AllSet, "pleach bulk / simd loop", [PleachBulk, SimdLoop], 1.0, Goal);
    target(Build, "pleach / naive", [Pleach, Naive], 1.15, Required);
    target(Build, "pleach bulk / naive", [PleachBulk, Naive], 0.9, Required);
    target(Build, "pleach bulk / naive", [PleachBulk, Naive], 0.7, Goal);
    target(Churn, "pleach / simd loop", [Pleach, SimdLoop], 1.7, Required);
    target(Churn, "pleach / simd loop", [Pleach, SimdLoop], 1.3, Goal);
    targets
}
