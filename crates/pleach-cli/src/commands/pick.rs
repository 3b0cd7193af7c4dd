//! `pleach pick`: what a ray meets.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Tell what a ray, or what is seen through a pixel, meets
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach pick town.glb --ray 0,0,10:0,0,-1")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
