//! `pleach check`: reports problems of a file with their locations and advice.
//!
//! The loader's errors and warnings come first; if the file loads, each file in `check/` examines
//! one kind of object. `finding.rs` collects the problems.

mod accessors;
mod advice;
mod animations;
mod cameras_and_lights;
mod context;
mod duplicate_names;
mod extensions;
mod finding;
mod geometry;
mod gltf_arrays;
mod images;
mod load;
mod members;
mod nodes;
mod primitives;
mod schema;
mod skip_scalars;
mod unused;

use std::path::PathBuf;

use serde::Serialize;

use self::context::Context;
use self::finding::{Findings, Problem, Severity};
use self::gltf_arrays::GltfArrays;
use crate::report::output::{BOLD, DIM, ERROR, GOOD, OneLine, Output, Styled, Verdict, WARN};
use crate::report::units::{count, thousands};

/// Report problems in a file, with locations and advice
///
/// Prints errors (the file cannot be loaded, or part of it is broken), warnings (it loads, but
/// other programs may reject it or show it differently) and hints. Each problem is printed once,
/// with its locations as JSON pointers, such as /nodes/14/skin, and advice.
///
/// The exit code is 1 if there is an error or a warning, 0 if there are only hints.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach check town.glb --strict")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// Also report whether a strict loader rejects the file
    #[arg(long)]
    strict: bool,

    /// Show at most COUNT locations per problem
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    locations: usize,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut findings = Findings::new(args.locations);
    let document = load::load(args, &mut findings)?;
    if let Some(document) = &document {
        let context = Context::new(document);
        let arrays = GltfArrays::new(document);
        members::check(&context, &mut findings);
        nodes::check(&context, &mut findings);
        duplicate_names::check(&context, &mut findings);
        accessors::check(document, &arrays, &mut findings);
        primitives::check(&context, &arrays, &mut findings);
        geometry::check(&context, &mut findings);
        images::check(&context, &mut findings);
        cameras_and_lights::check(&context, &mut findings);
        animations::check(&context, &mut findings);
        unused::check(&context, &mut findings);
        extensions::check(&context, &mut findings);
    }
    let problems = findings.into_problems();
    let count_of = |severity| problems.iter().filter(|it| it.severity == severity).count();
    let answer = Answer {
        file: args.file.display().to_string(),
        loads: document.is_some(),
        errors: count_of(Severity::Error),
        warnings: count_of(Severity::Warning),
        hints: count_of(Severity::Hint),
        problems,
    };
    output.answer(&answer, |output| print(&answer, output))?;
    let is_fine = answer.errors + answer.warnings == 0;
    Ok(if is_fine { Verdict::Pass } else { Verdict::Fail })
}

/// The problems of a file.
#[derive(Debug, Serialize)]
struct Answer {
    file: String,
    /// `true` if the file can be loaded.
    loads: bool,
    /// The number of problems of each severity.
    errors: usize,
    warnings: usize,
    hints: usize,
    /// Errors first, then warnings, then hints.
    problems: Vec<Problem>,
}

fn print(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let file = Styled(BOLD, OneLine(&answer.file));
    if answer.problems.is_empty() {
        return output.line(format_args!("{file}: {}", Styled(GOOD, "no problems found")));
    }
    let counts = [(answer.errors, "error"), (answer.warnings, "warning"), (answer.hints, "hint")];
    let counts = counts.into_iter().filter(|&(number, _)| number > 0);
    let counts: Vec<String> = counts.map(|(number, thing)| count(number, thing)).collect();
    output.line(format_args!("{file}: {}", counts.join(", ")))?;
    for problem in &answer.problems {
        print_problem(problem, output)?;
    }
    Ok(())
}

fn print_problem(problem: &Problem, output: &mut Output) -> anyhow::Result<()> {
    let severity = match problem.severity {
        Severity::Error => Styled(ERROR, "error"),
        Severity::Warning => Styled(WARN, "warning"),
        Severity::Hint => Styled(BOLD, "hint"),
    };
    let times = match problem.count {
        1 => String::new(),
        many => format!(" ({} locations)", thousands(many)),
    };
    let code = Styled(DIM, format_args!("[{}]", problem.code));
    output.line(format_args!("\n{severity}: {}{times} {code}", OneLine(&problem.message)))?;
    for location in &problem.locations {
        let (preposition, pointer) = match &*location.pointer {
            "" => ("in", "the file"),
            pointer => ("at", pointer),
        };
        let pointer = OneLine(pointer);
        match &location.note {
            Some(note) => {
                output.line(format_args!("  {preposition} {pointer}: {}", OneLine(note)))?;
            }
            None => output.line(format_args!("  {preposition} {pointer}"))?,
        }
    }
    let omitted = problem.count - problem.locations.len();
    if omitted > 0 && !problem.locations.is_empty() {
        output.line(format_args!("  and {} more", thousands(omitted)))?;
    }
    output.line(format_args!("  {}", Styled(DIM, OneLine(&problem.advice))))
}
