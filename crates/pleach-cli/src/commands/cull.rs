//! `pleach cull`: what a camera sees, and why not the rest.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Tell what a camera sees, and why it does not see the rest
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach cull town.glb --camera Main")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
