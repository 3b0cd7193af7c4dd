//! Culling by a tree, and by a linear pass over the same boxes.

use pleach_spatial::CullMethod;

use super::{Culler, time_culling};
use crate::number_format::size;
use crate::rounds::{Effort, Implementation, Table};
use crate::space::boxes::BoxField;
use crate::space::brute_force;
use crate::space::contenders::obvhs::{FAST, one_box_per_leaf};
use crate::space::contenders::obvhs_cull::TreeCull;
use crate::space::contenders::pleach::Pleach;
use crate::space::contenders::simd_loop::SimdLoop;
use crate::space::view::View;

/// Runs with a view from the centre that contains 10 % of the boxes.
pub fn wide(n: usize, effort: Effort) -> Result<Table, String> {
    let field = BoxField::new(n, effort.seed);
    let view = View::with_fov_for(&field, n / 10);
    run(&field, &view, effort)
}

/// Runs with a view with a close far plane, which contains few of many boxes.
pub fn narrow(n: usize, target_count: usize, effort: Effort) -> Result<Table, String> {
    let field = BoxField::new(n, effort.seed);
    let view = View::with_far_plane_for(&field, target_count);
    run(&field, &view, effort)
}

fn run(field: &BoxField, view: &View, effort: Effort) -> Result<Table, String> {
    let boxes = &field.boxes;
    let [params, as_built] = [one_box_per_leaf(FAST.1), FAST.1];
    let mut cullers = vec![
        Culler::new(
            Implementation::Pleach,
            "",
            Pleach::new(boxes).with_cull_method(CullMethod::Tree),
        ),
        Culler::new(
            Implementation::PleachLinear,
            "",
            Pleach::new(boxes).with_cull_method(CullMethod::Scan),
        ),
        Culler::new(Implementation::SimdLoop, "", SimdLoop::new(boxes)),
        Culler::new(
            Implementation::Bvh2,
            "one box per leaf, planes masked",
            TreeCull::masked(boxes, params),
        ),
        Culler::new(
            Implementation::Bvh2,
            "leaves as built, planes masked",
            TreeCull::masked(boxes, as_built),
        ),
    ];
    if let Some(tree) = TreeCull::simd_planes(boxes, params) {
        cullers.push(Culler::new(
            Implementation::Bvh2,
            "one box per leaf, six planes at once",
            tree,
        ));
    }
    if let Some(tree) = TreeCull::simd_planes(boxes, as_built) {
        cullers.push(Culler::new(
            Implementation::Bvh2,
            "leaves as built, six planes at once",
            tree,
        ));
    }
    let rows = time_culling(&mut cullers, boxes, view, effort)?;
    Ok(Table {
        title: format!("Tree cull, {} boxes", size(boxes.len())),
        note: format!(
            "{} boxes are in view. obvhs' trees are built with `fast_build` and reordered.",
            brute_force::visible_count(boxes, view)
        ),
        unit: ("µs", 1e3),
        baseline: None,
        rows,
    })
}
