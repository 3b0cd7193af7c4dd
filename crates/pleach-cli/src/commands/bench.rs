//! `pleach bench`: the core workloads on this machine.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Measure the core workloads on this machine, beside a naive scene graph
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach bench --svg bench.svg")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
