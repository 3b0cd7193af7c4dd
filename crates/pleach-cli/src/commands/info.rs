//! `pleach info`: what a file holds, in short.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Tell in short what a file holds
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach info town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
