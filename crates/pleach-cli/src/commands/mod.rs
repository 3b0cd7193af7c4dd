//! The commands, one file each: `Args` defines the arguments, `run` executes the command.
//!
//! A command reads its arguments and files, and writes its answer through `Output`. It returns an
//! error if there is no answer, and a verdict, from which the exit code follows, if there is one.

pub(crate) mod apply;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod copy_node;
pub(crate) mod cull;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod info;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod pick;
pub(crate) mod query;
pub(crate) mod render;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod turntable;

use crate::args::Command;
use crate::report::output::{Output, Verdict};

pub(crate) fn run(command: &Command, output: &mut Output) -> anyhow::Result<Verdict> {
    match command {
        Command::Demo(args) => demo::run(args, output),
        Command::Info(args) => info::run(args, output),
        Command::Tree(args) => tree::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Stats(args) => stats::run(args, output),
        Command::Render(args) => render::run(args, output),
        Command::Turntable(args) => turntable::run(args, output),
        Command::Pick(args) => pick::run(args, output),
        Command::Cull(args) => cull::run(args, output),
        Command::Convert(args) => convert::run(args, output),
        Command::Diff(args) => diff::run(args, output),
        Command::Apply(args) => apply::run(args, output),
        Command::Log(args) => log::run(args, output),
        Command::Merge(args) => merge::run(args, output),
        Command::CopyNode(args) => copy_node::run(args, output),
        Command::Bench(args) => bench::run(args, output),
        Command::Query(args) => query::run(args, output),
        Command::Completions(args) => completions::run(args, output),
        Command::Man(args) => man::run(args, output),
    }
}
