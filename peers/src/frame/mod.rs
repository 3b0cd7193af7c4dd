//! With `--scene`: frames of a scene. The cost that skins and animation add to an update, and the
//! cost of a frame from the moves to the render list.

mod cases;
mod channel_loop;
mod crowd;
mod expected;
mod graph_and_loop;
mod joint_loop;
mod mesh_field;
mod scene_targets;

use cases::steady_frame::Tally;
use cases::{animated_characters, animation, growth, joint_matrices, steady_frame};

use crate::args::Args;
use crate::rounds::{Effort, Table};
use crate::{environment, page};

/// The crates whose versions affect this benchmark.
const CRATES: [&str; 4] = ["pleach", "pleach-graph", "pleach-spatial", "glam"];

const NOTE: &str = "The loop reads contiguous world matrices; pleach gathers them by the joints' \
                    slots. The table also contains a whole `update` in which one joint of each \
                    skeleton moved, so that all joint matrices are recomputed.";

/// The results of each workload.
struct Results {
    joint_matrices: Table,
    /// By kind of clip.
    animation: Vec<Table>,
    characters: Table,
    growth: Vec<Table>,
    steady: Vec<Tally>,
}

pub fn run(args: &Args) -> Result<(), String> {
    let effort = Effort { rounds: if args.quick { 5 } else { 25 }, seed: args.seed };
    let results = measure(effort)?;
    let notes = format!("Seed {}, {} rounds, one thread", args.seed, effort.rounds);
    let head = environment::page_head("Scene", &CRATES, &notes, "--scene --out docs/benchmarks");
    let rest =
        page::page(&scene_targets::targets(&results), NOTE, &scene_targets::tables(&results));
    page::publish(&format!("{head}\n{rest}"), "scene.md", args)
}

fn measure(effort: Effort) -> Result<Results, String> {
    let progress = |what| eprintln!("{what}");
    progress("joint matrices");
    let joint_matrices = joint_matrices::run(effort)?;
    progress("animation");
    let animation = animation::CLIPS.iter().map(|&clip| animation::run(clip, effort));
    let animation = animation.collect::<Result<_, _>>()?;
    progress("animated characters");
    let characters = animated_characters::run(effort)?;
    progress("growth");
    let growth = growth::PLANS.iter().map(|&plan| growth::run(plan, effort));
    let growth = growth.collect::<Result<_, _>>()?;
    progress("steady");
    let steady = steady_frame::run(effort)?;
    Ok(Results { joint_matrices, animation, characters, growth, steady })
}
