//! `pleach turntable`: a scene from all around.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Draw a scene from all around
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach turntable town.glb -o town.apng")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
