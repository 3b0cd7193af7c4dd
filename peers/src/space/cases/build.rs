//! Building a tree of boxes.

use std::hint::black_box;

use crate::number_format::size;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_once};
use crate::space::boxes::BoxField;
use crate::space::contenders::obvhs::{self, FAST, FASTEST, MEDIUM};
use crate::space::contenders::pleach::Pleach;

pub const FIRST_SYNC: &str = "first sync";
pub const REBUILD: &str = "rebuild";

pub fn run(n: usize, effort: Effort) -> Table {
    let field = BoxField::new(n, effort.seed);
    let aabbs = &obvhs::aabbs(&field.boxes);
    let from_nothing = || Pleach::unsynced(&field.boxes).sync();
    let mut rebuilt = Pleach::new(&field.boxes);
    let mut benchmarks = vec![
        Benchmark::new(Implementation::Pleach, FIRST_SYNC, from_nothing),
        Benchmark::new(Implementation::Pleach, REBUILD, move || rebuilt.rebuild()),
    ];
    for (variant, params) in [FASTEST, FAST, MEDIUM] {
        let bvh2 = move || time_once(|| obvhs::bvh2(black_box(aabbs), params));
        benchmarks.push(Benchmark::new(Implementation::Bvh2, variant, bvh2));
        let cwbvh = move || time_once(|| obvhs::cwbvh(black_box(aabbs), params));
        benchmarks.push(Benchmark::new(Implementation::Cwbvh, variant, cwbvh));
    }
    Table {
        title: format!("Build, {} boxes", size(n)),
        note: "From nothing; freeing the memory is not timed. pleach's first `sync` also computes \
               the world bounds; `rebuild` builds only the tree, reusing its memory."
            .into(),
        unit: ("ms", 1e6),
        baseline: None,
        rows: run_rounds(benchmarks, effort.rounds),
    }
}
