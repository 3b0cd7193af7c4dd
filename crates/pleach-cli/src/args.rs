//! The command line: the subcommands and the options that all of them accept.

use std::fmt::Display;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands;
use crate::report::output::Color;

/// Inspect, render and convert glTF scenes, without a GPU
#[derive(Debug, Parser)]
#[command(name = "pleach", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 success, 1 bad file or result, 2 usage error.\n\n\
    Start with:  pleach demo")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Print the answer as JSON, for scripts; docs/program.md describes the schemas
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Trust the input files: read files outside their directory and lift the memory limits
    #[arg(long, global = true)]
    pub(crate) trust: bool,

    /// Create missing directories of output files
    #[arg(long, global = true)]
    pub(crate) create_dirs: bool,

    /// Use of colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

impl Cli {
    /// Parses the command line. Prints the help or the usage error and exits if there is one.
    pub(crate) fn parse_args() -> Self {
        // "-1" is reported as an invalid value, not as an unknown option.
        let mut command = Self::command().mut_subcommands(|it| it.allow_negative_numbers(true));
        let matches = command.get_matches_mut();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }
}

/// Exits with a usage error of `command`, for constraints between several arguments.
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
    Apply(commands::apply::Args),
    Log(commands::log::Args),
    Merge(commands::merge::Args),
    CopyNode(commands::copy_node::Args),
    Bench(commands::bench::Args),
    Query(commands::query::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}
