//! From boxes to a tree of them.

use std::hint::black_box;

use crate::number_format::size;
use crate::rounds::{Effort, Lane, Table, Who, once, race};
use crate::space::boxes::Field;
use crate::space::contenders::obvhs::{self, FAST, FASTEST, MEDIUM};
use crate::space::contenders::pleach::Pleach;

pub const FIRST_SYNC: &str = "first sync";
pub const REBUILD: &str = "rebuild";

pub fn run(n: usize, effort: Effort) -> Table {
    let field = Field::new(n, effort.seed);
    let aabbs = &obvhs::aabbs(&field.boxes);
    let from_nothing = || Pleach::unsynced(&field.boxes).sync();
    let mut rebuilt = Pleach::new(&field.boxes);
    let mut lanes = vec![
        Lane::new(Who::Pleach, FIRST_SYNC, from_nothing),
        Lane::new(Who::Pleach, REBUILD, move || rebuilt.rebuild()),
    ];
    for (way, params) in [FASTEST, FAST, MEDIUM] {
        let bvh2 = move || once(|| obvhs::bvh2(black_box(aabbs), params));
        lanes.push(Lane::new(Who::Bvh2, way, bvh2));
        let cwbvh = move || once(|| obvhs::cwbvh(black_box(aabbs), params));
        lanes.push(Lane::new(Who::Cwbvh, way, cwbvh));
    }
    Table {
        title: format!("Build, {} boxes", size(n)),
        note: "From nothing; the freeing is not timed. pleach's first `sync` also computes the \
               boxes; `rebuild` builds just the tree, into memory that it has."
            .into(),
        unit: ("ms", 1e6),
        by: None,
        rows: race(lanes, effort.rounds),
    }
}
