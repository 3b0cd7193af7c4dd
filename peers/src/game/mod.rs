//! With `--frame`: the frame of a game, from the edits to the sorted draw list.

mod cases;
mod check;
mod contender;
mod contenders;
mod edits;
mod field;
mod frame_targets;
mod participants;
mod planes;
mod remote;
mod runner;
mod three_js;

use cases::Outcome;
use contender::Stage;
use edits::Motion;
use participants::{Contestant, GRAPH, INDEX, SCENE, SCENE_BULK, STORED_BOXES};
pub use remote::{WORKER, serve};

use crate::args::{self, Args};
use crate::number_format::{figure, size};
use crate::rounds::Implementation;
use crate::{environment, page};

/// The crates whose versions affect this benchmark.
const CRATES: [&str; 6] =
    ["pleach", "pleach-graph", "pleach-spatial", "glam", "bevy_transform", "bevy_ecs"];

const NOTE: &str = "Whole frames: edits, update, culling and the sorted draw list; medians, in \
                    nanoseconds per node. Bevy's column is the fastest of its modes, which may use \
                    two threads; all others use one. The naive tree transforms the corners of each \
                    mesh's box for its test; `stored boxes` is a variant that keeps the \
                    transformed boxes.";

pub fn run(args: &Args) -> Result<(), String> {
    let mut motions = args::parse_all(&args.workload_names)?;
    args::default_to_all(&mut motions, Motion::ALL);
    let mut contestants = args::parse_all(&args.contender_names)?;
    args::default_to_all(&mut contestants, Contestant::ALL);

    let mut participants = participants::participants(&contestants)?;
    let mut outcomes = Vec::new();
    for &nodes in &args.sizes {
        outcomes.extend(cases::run(nodes, &motions, &mut participants, args)?);
    }
    drop(participants);

    let notes = format!("Seed {}; one thread, except where stated", args.seed);
    let head = environment::page_head("Frame", &CRATES, &notes, "--frame --out docs/benchmarks");
    let tables: Vec<_> = outcomes.iter().map(|outcome| &outcome.table).collect();
    let note = format!("{NOTE}\n\n{}", summary(&outcomes));
    let mut rest = page::page(&frame_targets::targets(&outcomes), note.trim_end(), &tables);
    rest += &stages(&outcomes);
    page::publish(&format!("{head}\n{rest}"), "frame.md", args)
}

/// Formats all frames in one table, a column per contender.
fn summary(outcomes: &[Outcome]) -> String {
    use Implementation::{Bevy, Naive, Pleach, ThreeJs};
    let columns = [
        ("`Scene`", Pleach, Some(SCENE)),
        ("`Scene`, bulk", Pleach, Some(SCENE_BULK)),
        ("graph + index", Pleach, Some(INDEX)),
        ("graph, own boxes", Pleach, Some(GRAPH)),
        ("naive", Naive, Some("")),
        ("naive, stored boxes", Naive, Some(STORED_BOXES)),
        ("Bevy, best mode", Bevy, None),
        ("three.js", ThreeJs, None),
    ];
    let titles = columns.map(|(title, ..)| title).join(" | ");
    let mut text =
        format!("| frame | nodes | {titles} |\n| --- |{}\n", " --: |".repeat(columns.len() + 1));
    for Outcome { motion, nodes, table, .. } in outcomes {
        let cells = columns.map(|(_, implementation, variant)| {
            let time = match variant {
                Some(variant) => table.time_of(implementation, variant),
                None => table.time(implementation),
            };
            time.map_or("-".into(), |time| figure(time / *nodes as f64))
        });
        text += &format!("| {} | {} | {} |\n", motion.name(), size(*nodes), cells.join(" | "));
    }
    text
}

/// Formats the times of the stages.
fn stages(outcomes: &[Outcome]) -> String {
    let titles: Vec<_> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    let mut text = format!(
        "\n## Stages\n\nMedian nanoseconds per node. A contender may do in one stage what another \
         does in the next.\n\n| frame | nodes | contender | {} |\n| --- | --: | --- |{}\n",
        titles.join(" | "),
        " --: |".repeat(titles.len()),
    );
    for Outcome { motion, nodes, table, stages } in outcomes {
        for (row, times) in table.rows.iter().zip(stages) {
            let times = times.map(|time| figure(time / *nodes as f64)).join(" | ");
            let (motion, nodes) = (motion.name(), size(*nodes));
            text += &format!("| {motion} | {nodes} | {} | {times} |\n", row.name());
        }
    }
    text
}
