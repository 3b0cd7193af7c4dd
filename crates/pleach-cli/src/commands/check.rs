//! `pleach check`: prints the problems that `pleach_gltf::validate` finds.

use std::path::PathBuf;

use anstyle::Style;
use pleach_gltf::validate::{Location, Problem, ProblemCode, Rule, Severity};
use pleach_gltf::{ErrorKind, Validate, WarningCode};
use serde::{Serialize, Serializer};

use crate::input::open;
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

    /// Report everything that the specification forbids as an error
    #[arg(long)]
    strict: bool,

    /// Show at most COUNT locations per problem
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    locations: usize,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let validate = Validate::new().with_options(open::options(&args.file));
    let validate = validate.max_locations(args.locations);
    let validate = if args.strict { validate.strict() } else { validate };
    let validation = validate.file(&args.file)?;
    let answer = Answer {
        file: args.file.display().to_string(),
        loads: validation.loads,
        errors: validation.count(Severity::Error),
        warnings: validation.count(Severity::Warning),
        hints: validation.count(Severity::Hint),
        problems: validation.problems.iter().map(ProblemAnswer::of).collect(),
    };
    let is_fine = answer.errors + answer.warnings == 0;
    output.answer(&answer, |output| print(&answer, output))?;
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
    problems: Vec<ProblemAnswer>,
}

/// A problem and its locations.
#[derive(Debug, Serialize)]
struct ProblemAnswer {
    #[serde(serialize_with = "serialize_severity")]
    severity: Severity,
    /// The identifier for scripts.
    code: &'static str,
    message: String,
    advice: &'static str,
    /// The number of locations.
    count: usize,
    /// The first locations.
    locations: Vec<LocationAnswer>,
}

/// The location of a problem.
#[derive(Debug, Serialize)]
struct LocationAnswer {
    /// The JSON pointer; empty for the whole file.
    pointer: String,
    note: Option<String>,
}

impl ProblemAnswer {
    fn of(problem: &Problem) -> Self {
        let location = |Location { pointer, note, .. }: &Location| LocationAnswer {
            pointer: pointer.clone(),
            note: note.clone(),
        };
        Self {
            severity: problem.severity,
            code: problem.code.as_str(),
            message: problem.message.clone(),
            advice: command_for(problem.code).unwrap_or(problem.advice),
            count: problem.count,
            locations: problem.locations.iter().map(location).collect(),
        }
    }
}

/// Returns the name of a severity and its style.
fn severity_name(severity: Severity) -> (&'static str, Style) {
    match severity {
        Severity::Error => ("error", ERROR),
        Severity::Warning => ("warning", WARN),
        _ => ("hint", BOLD),
    }
}

fn serialize_severity<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(severity_name(*severity).0)
}

/// Returns the advice for a problem that a command or an option of this program solves.
fn command_for(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::Rule(Rule::Unused) => {
            "Remove it with `pleach convert --drop-unused`: it makes the file larger and has no \
             effect."
        }
        ProblemCode::Rule(Rule::UnreferencedNode) => {
            "Add it to a scene, or remove it with `pleach convert --drop-nodes`."
        }
        ProblemCode::Tolerated(
            WarningCode::ImageOutsideDirectory | WarningCode::ImageMemoryLimit,
        ) => "Put the image into the directory of the model, or use --trust.",
        ProblemCode::Rejected(ErrorKind::Uri) => {
            "Put the file at its URI, in the directory of the model or below it; other files are \
             not read without --trust."
        }
        _ => return None,
    })
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

fn print_problem(problem: &ProblemAnswer, output: &mut Output) -> anyhow::Result<()> {
    let (name, style) = severity_name(problem.severity);
    let severity = Styled(style, name);
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
    output.line(format_args!("  {}", Styled(DIM, OneLine(problem.advice))))
}
