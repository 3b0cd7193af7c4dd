//! What may be asked: the commands, and what they all take.

use std::fmt::Display;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands;
use crate::report::output::Color;

/// Look at any glTF scene, on any machine: pictures, trees, costs, answers.
#[derive(Debug, Parser)]
#[command(name = "pleach", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 fine, 1 the file or the answer is bad, 2 usage.\n\n\
    Begin with:  pleach demo")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Answer in JSON, for scripts; docs/program.md has the schemas
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Trust the files: read what they name outside of their directory, and let them take any memory
    #[arg(long, global = true)]
    pub(crate) trust: bool,

    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

impl Cli {
    /// What was asked. Prints the help, or what is wrong with the command line, by itself, and ends.
    pub(crate) fn parse_args() -> Self {
        // "-1" is a value that does not fit, not an option that is not known.
        let mut command = Self::command().mut_subcommands(|it| it.allow_negative_numbers(true));
        let matches = command.get_matches_mut();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }
}

/// Ends the program as an argument that does not fit would: for what can only be seen of several together.
pub(crate) fn exit_with_usage_error(command: &str, message: impl Display) -> ! {
    let mut all = Cli::command();
    all.build();
    let error = match all.find_subcommand_mut(command) {
        Some(command) => command.error(ErrorKind::ValueValidation, message),
        None => all.error(ErrorKind::ValueValidation, message),
    };
    error.exit()
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::Args),
    Info(commands::info::Args),
    Tree(commands::tree::Args),
    Check(commands::check::Args),
    Stats(commands::stats::Args),
    Render(commands::render::Args),
    Turntable(commands::turntable::Args),
    Pick(commands::pick::Args),
    Cull(commands::cull::Args),
    Convert(commands::convert::Args),
    Diff(commands::diff::Args),
    CopyNode(commands::copy_node::Args),
    Bench(commands::bench::Args),
    Query(commands::query::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}
