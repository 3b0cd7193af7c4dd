//! Linear culling: every box is tested.

use pleach_spatial::CullMethod;

use super::{Culler, time_culling};
use crate::number_format::size;
use crate::rounds::{Effort, Implementation, Table};
use crate::space::boxes::BoxField;
use crate::space::brute_force;
use crate::space::contenders::bevy::Bevy;
use crate::space::contenders::naive::Naive;
use crate::space::contenders::pleach::Pleach;
use crate::space::contenders::simd_loop::SimdLoop;
use crate::space::view::View;

pub fn run(n: usize, effort: Effort) -> Result<Table, String> {
    let field = BoxField::new(n, effort.seed);
    let view = View::with_fov_for(&field, n / 10);
    let boxes = &field.boxes;
    let mut cullers = [
        Culler::new(
            Implementation::PleachLinear,
            "",
            Pleach::new(boxes).with_cull_method(CullMethod::Scan),
        ),
        Culler::new(Implementation::SimdLoop, "", SimdLoop::new(boxes)),
        Culler::new(Implementation::Bevy, "", Bevy::new(boxes)),
        Culler::new(Implementation::Naive, "", Naive::new(boxes)),
    ];
    let rows = time_culling(&mut cullers, boxes, &view, effort)?;
    Ok(Table {
        title: format!("Linear cull, {} boxes", size(n)),
        note: format!(
            "{} boxes are in view, in random order in memory.",
            brute_force::visible_count(boxes, &view)
        ),
        unit: ("ns per box", n as f64),
        baseline: None,
        rows,
    })
}
