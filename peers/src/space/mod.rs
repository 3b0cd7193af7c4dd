//! With `--space`: culling, ray casts, and the trees that accelerate them.

mod boxes;
mod brute_force;
mod cases;
mod contenders;
mod motion;
mod rays;
mod space_targets;
mod test_mesh;
mod view;

use cases::moving::Outcome;
use cases::{box_rays, build, linear_cull, mesh_rays, moving, refit, tree_cull};
use contenders::embree::{self, Embree};
use motion::Kind;

use crate::args::Args;
use crate::rounds::{Effort, Table};
use crate::{environment, page};

/// The crates whose versions affect this benchmark.
const CRATES: [&str; 5] = ["pleach-spatial", "obvhs", "glam", "bevy_shape", "bevy_transform"];

/// The tables of all workloads.
struct Results {
    linear_100k: Table,
    linear_2k: Table,
    tree_100k: Table,
    tree_1m: Table,
    refit: Table,
    moving: Vec<Outcome>,
    build: Table,
    box_rays: [Table; 2],
    mesh_rays: [Table; 2],
}

pub fn run(args: &Args) -> Result<(), String> {
    let effort = Effort { rounds: if args.quick { 5 } else { 25 }, seed: args.seed };
    let embree = Embree::load();
    let results = measure(effort, embree)?;
    let notes = format!("Seed {}, {} rounds", args.seed, effort.rounds);
    let head = environment::page_head("Space", &CRATES, &notes, "--space --out docs/benchmarks");
    let note = match embree {
        Some(embree) => embree.description(),
        None => format!("Embree is missing: {}.", embree::INSTALL),
    };
    let rest =
        page::page(&space_targets::targets(&results), &note, &space_targets::tables(&results));
    page::publish(&format!("{head}\n{rest}"), "space.md", args)
}

fn measure(effort: Effort, embree: Option<Embree>) -> Result<Results, String> {
    let progress = |what| eprintln!("{what}");
    progress("linear cull");
    let linear_100k = linear_cull::run(100_000, effort)?;
    let linear_2k = linear_cull::run(2000, effort)?;
    progress("tree cull");
    let tree_100k = tree_cull::wide(100_000, effort)?;
    let tree_1m = tree_cull::narrow(1_000_000, 10_000, effort)?;
    progress("refit");
    let refit = refit::run(100_000, effort)?;
    progress("moving");
    let moving = Kind::ALL.iter().map(|&kind| moving::run(100_000, kind, effort));
    let moving = moving.collect::<Result<_, _>>()?;
    progress("build");
    let build = build::run(100_000, effort);
    progress("rays");
    let box_rays = box_rays::run(100_000, effort, embree)?;
    let mesh_rays = mesh_rays::run(effort, embree)?;
    Ok(Results {
        linear_100k,
        linear_2k,
        tree_100k,
        tree_1m,
        refit,
        moving,
        build,
        box_rays,
        mesh_rays,
    })
}
