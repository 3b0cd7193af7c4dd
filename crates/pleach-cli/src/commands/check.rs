//! `pleach check`: what is wrong with a file, where, and what to do.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Tell what is wrong with a file, where, and what to do about it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach check town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
