//! The bars of part 2 of the plan, and whether pleach clears them in this run.

use super::Results;
use super::cases::build::{FIRST_SYNC, REBUILD};
use super::cases::moving::{FRESH, KEPT, MOVED};
use super::cases::refit::FROM_MATRICES;
use super::contenders::obvhs::{FAST, FASTEST};
use crate::rounds::{Table, Who};
use crate::target::{Bar, Kind, Limit, over};

pub fn bars(results: &Results) -> Vec<Bar> {
    use Kind::{Aim, Must};
    use Limit::{AtLeast, AtMost};
    let mut bars = Vec::new();
    let mut bar = |workload: &str, measured, limit, value, kind| {
        bars.push(Bar { workload: workload.into(), measured, limit, value, kind });
    };

    let linear = &results.linear_100k;
    let pleach = linear.time(Who::PleachLinear);
    let name = "linear cull, 100k";
    bar(name, "pleach / simd loop", AtMost(1.2), over(pleach, linear.time(Who::SimdLoop)), Must);
    bar(name, "bevy / pleach", AtLeast(6.0), over(linear.time(Who::Bevy), pleach), Must);
    bar(name, "naive / pleach", AtLeast(6.0), over(linear.time(Who::Naive), pleach), Must);
    bar(name, "ns per box", AtMost(1.0), pleach.map(|time| time / 1e5), Aim);

    let pleach = results.linear_2k.time(Who::PleachLinear).map(|time| time / 1e3);
    bar("linear cull, 2000", "µs", AtMost(20.0), pleach, Must);
    bar("linear cull, 2000", "µs", AtMost(3.0), pleach, Aim);

    let tree = &results.tree_100k;
    let value = over(tree.time(Who::Pleach), tree.time(Who::Bvh2));
    bar("tree cull, 100k", "pleach / obvhs", AtMost(1.0), value, Must);

    let tree = &results.tree_1m;
    let pleach = tree.time(Who::Pleach);
    let name = "tree cull, 1M, 10k in view";
    bar(
        name,
        "pleach linear / tree",
        AtLeast(20.0),
        over(tree.time(Who::PleachLinear), pleach),
        Must,
    );
    bar(name, "simd loop / tree", AtLeast(20.0), over(tree.time(Who::SimdLoop), pleach), Must);
    bar(name, "ms", AtMost(0.2), pleach.map(|time| time / 1e6), Aim);

    let refit = &results.refit;
    let value = over(refit.time(Who::Pleach), refit.time(Who::Bvh2));
    bar("refit of 100k", "pleach's sync / obvhs, bounds given", AtMost(1.0), value, Must);
    let value = over(refit.time(Who::Pleach), refit.time_of(Who::Bvh2, FROM_MATRICES));
    bar("refit of 100k", "pleach's sync / obvhs, bounds from matrices", AtMost(1.0), value, Must);

    for moving in &results.moving {
        let frames = &moving.frames;
        let name = format!("1 % of 100k moved, {}", moving.kind.word());
        let pleach = frames.time_of(Who::Pleach, MOVED);
        for (measured, rebuild) in [
            ("pleach / its rebuild", frames.time_of(Who::Pleach, REBUILD)),
            ("pleach / obvhs fast_build", frames.time_of(Who::Bvh2, FAST.0)),
            ("pleach / obvhs fastest_build", frames.time_of(Who::Bvh2, FASTEST.0)),
        ] {
            bar(&name, measured, AtMost(0.05), over(pleach, rebuild), Must);
        }
        let rays = &moving.rays;
        let [kept, fresh] = [KEPT, FRESH].map(|way| rays.time_of(Who::Pleach, way));
        bar(
            &name,
            "rays after 1000 frames / in a fresh tree",
            AtMost(1.3),
            over(kept, fresh),
            Must,
        );
    }

    let build = &results.build;
    for (measured, way) in [
        ("pleach rebuild / obvhs fast_build", REBUILD),
        ("first sync / obvhs fast_build", FIRST_SYNC),
    ] {
        let pleach = build.time_of(Who::Pleach, way);
        let value = over(pleach, build.time_of(Who::Bvh2, FAST.0));
        bar("build, 100k", measured, AtMost(1.5), value, Must);
    }

    let rays = results.box_rays.iter().chain(&results.mesh_rays);
    for (table, name) in rays.zip([
        "rays, 100k boxes, scattered",
        "rays, 100k boxes, from a camera",
        "rays, 100k triangles, scattered",
        "rays, 100k triangles, from a camera",
    ]) {
        let value = over(table.time(Who::Pleach), table.time(Who::Cwbvh));
        bar(name, "pleach / obvhs CWBVH", AtMost(1.0), value, Must);
    }
    bars
}

/// The tables the bars are about, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables =
        vec![&results.linear_100k, &results.linear_2k, &results.tree_100k, &results.tree_1m];
    tables.push(&results.refit);
    tables.extend(results.moving.iter().flat_map(|moving| [&moving.frames, &moving.rays]));
    tables.push(&results.build);
    tables.extend(results.box_rays.iter().chain(&results.mesh_rays));
    tables
}
