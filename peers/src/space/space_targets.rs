//! The targets of the space benchmark.

use super::Results;
use super::cases::build::{FIRST_SYNC, REBUILD};
use super::cases::moving::{MAINTAINED, REBUILT, UPDATED};
use super::cases::refit::FROM_MATRICES;
use super::contenders::obvhs::{FAST, FASTEST};
use crate::rounds::{Implementation, Table};
use crate::target::{Kind, Limit, Target, ratio};

pub fn targets(results: &Results) -> Vec<Target> {
    use Kind::{Goal, Required};
    use Limit::{AtLeast, AtMost};
    let mut targets = Vec::new();
    let mut target = |workload: &str, measured, limit, value, kind| {
        targets.push(Target { workload: workload.into(), measured, limit, value, kind });
    };

    let linear = &results.linear_100k;
    let pleach = linear.time(Implementation::PleachLinear);
    let name = "linear cull, 100k";
    target(
        name,
        "pleach / simd loop",
        AtMost(1.2),
        ratio(pleach, linear.time(Implementation::SimdLoop)),
        Required,
    );
    target(
        name,
        "bevy / pleach",
        AtLeast(6.0),
        ratio(linear.time(Implementation::Bevy), pleach),
        Required,
    );
    target(
        name,
        "naive / pleach",
        AtLeast(6.0),
        ratio(linear.time(Implementation::Naive), pleach),
        Required,
    );
    target(name, "ns per box", AtMost(1.0), pleach.map(|time| time / 1e5), Goal);

    let pleach = results.linear_2k.time(Implementation::PleachLinear).map(|time| time / 1e3);
    target("linear cull, 2000", "µs", AtMost(20.0), pleach, Required);
    target("linear cull, 2000", "µs", AtMost(3.0), pleach, Goal);

    let tree = &results.tree_100k;
    let value = ratio(tree.time(Implementation::Pleach), tree.time(Implementation::Bvh2));
    target("tree cull, 100k", "pleach / obvhs", AtMost(1.0), value, Required);

    let tree = &results.tree_1m;
    let pleach = tree.time(Implementation::Pleach);
    let name = "tree cull, 1M, 10k in view";
    target(
        name,
        "pleach linear / tree",
        AtLeast(20.0),
        ratio(tree.time(Implementation::PleachLinear), pleach),
        Required,
    );
    target(
        name,
        "simd loop / tree",
        AtLeast(20.0),
        ratio(tree.time(Implementation::SimdLoop), pleach),
        Required,
    );
    target(name, "ms", AtMost(0.2), pleach.map(|time| time / 1e6), Goal);

    let refit = &results.refit;
    let value = ratio(refit.time(Implementation::Pleach), refit.time(Implementation::Bvh2));
    let name = "refit of 100k";
    target(name, "pleach's sync / obvhs, bounds given", AtMost(3.0), value, Required);
    target(name, "pleach's sync / obvhs, bounds given", AtMost(2.0), value, Goal);
    let value = ratio(
        refit.time(Implementation::Pleach),
        refit.time_of(Implementation::Bvh2, FROM_MATRICES),
    );
    target(name, "pleach's sync / obvhs, bounds from matrices", AtMost(1.0), value, Required);

    for moving in &results.moving {
        let frames = &moving.frames;
        let name = format!("1 % of 100k moved, {}", moving.kind.name());
        let pleach = frames.time_of(Implementation::Pleach, UPDATED);
        for (measured, rebuild) in [
            ("pleach / its rebuild", frames.time_of(Implementation::Pleach, REBUILD)),
            ("pleach / obvhs fast_build", frames.time_of(Implementation::Bvh2, FAST.0)),
            ("pleach / obvhs fastest_build", frames.time_of(Implementation::Bvh2, FASTEST.0)),
        ] {
            target(&name, measured, AtMost(0.05), ratio(pleach, rebuild), Required);
        }
        let rays = &moving.rays;
        let [maintained, rebuilt] =
            [MAINTAINED, REBUILT].map(|variant| rays.time_of(Implementation::Pleach, variant));
        target(
            &name,
            "rays after 1000 frames / in a newly built tree",
            AtMost(1.3),
            ratio(maintained, rebuilt),
            Required,
        );
    }

    let build = &results.build;
    for (measured, variant) in [
        ("pleach rebuild / obvhs fast_build", REBUILD),
        ("first sync / obvhs fast_build", FIRST_SYNC),
    ] {
        let pleach = build.time_of(Implementation::Pleach, variant);
        let value = ratio(pleach, build.time_of(Implementation::Bvh2, FAST.0));
        target("build, 100k", measured, AtMost(1.5), value, Required);
    }

    let rays = results.box_rays.iter().chain(&results.mesh_rays);
    for (table, (name, limit, goal)) in rays.zip([
        ("rays, 100k boxes, scattered", 1.3, None),
        ("rays, 100k boxes, from a camera", 1.3, None),
        ("rays, 100k triangles, scattered", 2.2, Some(1.5)),
        ("rays, 100k triangles, from a camera", 2.2, Some(1.5)),
    ]) {
        let pleach = table.time(Implementation::Pleach);
        let value = ratio(pleach, table.time(Implementation::Cwbvh));
        target(name, "pleach / obvhs CWBVH", AtMost(1.0), value, Required);
        let value = ratio(pleach, table.time(Implementation::Embree));
        target(name, "pleach / Embree", AtMost(limit), value, Required);
        if let Some(goal) = goal {
            target(name, "pleach / Embree", AtMost(goal), value, Goal);
        }
    }
    targets
}

/// Returns the tables of the targets, in their order.
pub fn tables(results: &Results) -> Vec<&Table> {
    let mut tables =
        vec![&results.linear_100k, &results.linear_2k, &results.tree_100k, &results.tree_1m];
    tables.push(&results.refit);
    tables.extend(results.moving.iter().flat_map(|moving| [&moving.frames, &moving.rays]));
    tables.push(&results.build);
    tables.extend(results.box_rays.iter().chain(&results.mesh_rays));
    tables
}
