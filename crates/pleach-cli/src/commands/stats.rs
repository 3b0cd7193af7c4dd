//! `pleach stats`: what a scene costs.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Tell what a scene costs: memory, levels, moves
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach stats town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
