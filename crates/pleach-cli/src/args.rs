//! What may be asked: the commands, and what they all take.

use clap::{Parser, Subcommand};

use crate::commands;
use crate::output::Color;

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

    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
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
