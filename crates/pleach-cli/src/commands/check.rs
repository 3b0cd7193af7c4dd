//! `pleach check`: what is wrong with a file, where, and what to do.
//!
//! What the loader says comes first; if the file loads, each file in `check/` looks at one kind of
//! thing in it. `finding.rs` puts what they find together.

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

use self::context::Survey;
use self::finding::{Findings, Problem, Severity};
use self::gltf_arrays::Tables;
use crate::report::output::{BOLD, DIM, FAULT, GOOD, OneLine, Output, Painted, Verdict, WARN};
use crate::report::units::{count, thousands};

/// Tell what is wrong with a file, where, and what to do about it
///
/// Prints errors (the file cannot be loaded, or something in it is broken), warnings (it loads, but
/// other programs may refuse it, or it will not look as meant) and hints (worth knowing). Each
/// with the places as JSON pointers, such as /nodes/14/skin, and advice. The same problem in many
/// places is told once.
///
/// Ends with 1 if there is an error or a warning, with 0 if there are hints only.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach check town.glb --strict")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// Also tell whether a reader that tolerates nothing refuses the file
    #[arg(long)]
    strict: bool,

    /// Tell so many places of each problem
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    locations: usize,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut findings = Findings::new(args.locations);
    let document = load::load(args, &mut findings)?;
    if let Some(document) = &document {
        let survey = Survey::of(document);
        let tables = Tables::of(document);
        members::look(&survey, &mut findings);
        nodes::look(&survey, &mut findings);
        duplicate_names::look(&survey, &mut findings);
        accessors::look(document, &tables, &mut findings);
        primitives::look(&survey, &tables, &mut findings);
        geometry::look(&survey, &mut findings);
        images::look(&survey, &mut findings);
        cameras_and_lights::look(&survey, &mut findings);
        animations::look(&survey, &mut findings);
        unused::look(&survey, &mut findings);
        extensions::look(&survey, &mut findings);
    }
    let problems = findings.into_problems();
    let of = |severity| problems.iter().filter(|it| it.severity == severity).count();
    let answer = Answer {
        file: args.file.display().to_string(),
        loads: document.is_some(),
        errors: of(Severity::Error),
        warnings: of(Severity::Warning),
        hints: of(Severity::Hint),
        problems,
    };
    output.answer(&answer, |output| print(&answer, output))?;
    let is_fine = answer.errors + answer.warnings == 0;
    Ok(if is_fine { Verdict::Fine } else { Verdict::Bad })
}

/// What is wrong with a file.
#[derive(Debug, Serialize)]
struct Answer {
    file: String,
    /// Can it be loaded at all?
    loads: bool,
    /// How many problems of each severity there are.
    errors: usize,
    warnings: usize,
    hints: usize,
    /// Errors first, then warnings, then hints.
    problems: Vec<Problem>,
}

fn print(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let file = Painted(BOLD, OneLine(&answer.file));
    if answer.problems.is_empty() {
        return output.line(format_args!("{file}: {}", Painted(GOOD, "nothing is wrong")));
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
        Severity::Error => Painted(FAULT, "error"),
        Severity::Warning => Painted(WARN, "warning"),
        Severity::Hint => Painted(BOLD, "hint"),
    };
    let times = match problem.count {
        1 => String::new(),
        many => format!(" ({} places)", thousands(many)),
    };
    let code = Painted(DIM, format_args!("[{}]", problem.code));
    output.line(format_args!("\n{severity}: {}{times} {code}", OneLine(&problem.message)))?;
    for place in &problem.locations {
        let pointer = if place.pointer.is_empty() { "the file" } else { &place.pointer };
        match &place.note {
            Some(note) => {
                output.line(format_args!("  at {}: {}", OneLine(pointer), OneLine(note)))?;
            }
            None => output.line(format_args!("  at {}", OneLine(pointer)))?,
        }
    }
    let rest = problem.count - problem.locations.len();
    if rest > 0 && !problem.locations.is_empty() {
        output.line(format_args!("  and {} more", thousands(rest)))?;
    }
    output.line(format_args!("  {}", Painted(DIM, OneLine(&problem.advice))))
}
