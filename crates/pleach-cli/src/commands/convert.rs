//! `pleach convert`: from .gltf to .glb and back.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Convert between .gltf and .glb
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach convert town.gltf town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
