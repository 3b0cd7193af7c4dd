//! Every box tested, one after the other.

use pleach_spatial::CullMethod;

use super::{Culler, race_to_cull};
use crate::number_format::size;
use crate::rounds::{Effort, Table, Who};
use crate::space::boxes::Field;
use crate::space::brute_force;
use crate::space::contenders::bevy::Bevy;
use crate::space::contenders::naive::Naive;
use crate::space::contenders::pleach::Pleach;
use crate::space::contenders::simd_loop::SimdLoop;
use crate::space::view::View;

pub fn run(n: usize, effort: Effort) -> Result<Table, String> {
    let field = Field::new(n, effort.seed);
    let view = View::from_within(&field, n / 10);
    let boxes = &field.boxes;
    let mut cullers = [
        Culler::new(Who::PleachLinear, "", Pleach::new(boxes).culling_by(CullMethod::Scan)),
        Culler::new(Who::SimdLoop, "", SimdLoop::new(boxes)),
        Culler::new(Who::Bevy, "", Bevy::new(boxes)),
        Culler::new(Who::Naive, "", Naive::new(boxes)),
    ];
    let rows = race_to_cull(&mut cullers, boxes, &view, effort)?;
    Ok(Table {
        title: format!("Linear cull, {} boxes", size(n)),
        note: format!(
            "{} boxes are in view, in no order in memory.",
            brute_force::seen(boxes, &view)
        ),
        unit: ("ns per box", n as f64),
        by: None,
        rows,
    })
}
