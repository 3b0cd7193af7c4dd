//! `pleach copy-node`: a node with all below it, from one file into another.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Copy a node with all below it from one file into another
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach copy-node town.glb lamp street.glb -o both.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
