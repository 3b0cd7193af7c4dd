//! What is in view, by a tree and by a linear pass over the same boxes.

use pleach_spatial::CullMethod;

use super::{Culler, race_to_cull};
use crate::number_format::size;
use crate::rounds::{Effort, Table, Who};
use crate::space::boxes::Field;
use crate::space::brute_force;
use crate::space::contenders::obvhs::{FAST, single};
use crate::space::contenders::obvhs_cull::TreeCull;
use crate::space::contenders::pleach::Pleach;
use crate::space::contenders::simd_loop::SimdLoop;
use crate::space::view::View;

/// A view to all sides of the middle that holds one box in ten.
pub fn wide(n: usize, effort: Effort) -> Result<Table, String> {
    let field = Field::new(n, effort.seed);
    let view = View::from_within(&field, n / 10);
    run(&field, &view, effort)
}

/// A view with a near far plane, so that it holds a few boxes of many.
pub fn narrow(n: usize, wanted: usize, effort: Effort) -> Result<Table, String> {
    let field = Field::new(n, effort.seed);
    let view = View::of_what_is_near(&field, wanted);
    run(&field, &view, effort)
}

fn run(field: &Field, view: &View, effort: Effort) -> Result<Table, String> {
    let boxes = &field.boxes;
    let [params, as_built] = [single(FAST.1), FAST.1];
    let mut cullers = vec![
        Culler::new(Who::Pleach, "", Pleach::new(boxes).culling_by(CullMethod::Tree)),
        Culler::new(Who::PleachLinear, "", Pleach::new(boxes).culling_by(CullMethod::Scan)),
        Culler::new(Who::SimdLoop, "", SimdLoop::new(boxes)),
        Culler::new(Who::Bvh2, "a box a leaf, planes masked", TreeCull::masked(boxes, params)),
        Culler::new(Who::Bvh2, "leaves as built, planes masked", TreeCull::masked(boxes, as_built)),
    ];
    if let Some(tree) = TreeCull::six_at_once(boxes, params) {
        cullers.push(Culler::new(Who::Bvh2, "a box a leaf, six planes at once", tree));
    }
    if let Some(tree) = TreeCull::six_at_once(boxes, as_built) {
        cullers.push(Culler::new(Who::Bvh2, "leaves as built, six planes at once", tree));
    }
    let rows = race_to_cull(&mut cullers, boxes, view, effort)?;
    Ok(Table {
        title: format!("Tree cull, {} boxes", size(boxes.len())),
        note: format!(
            "{} boxes are in view. obvhs' trees are from `fast_build`, reordered.",
            brute_force::seen(boxes, view)
        ),
        unit: ("µs", 1e3),
        by: None,
        rows,
    })
}
