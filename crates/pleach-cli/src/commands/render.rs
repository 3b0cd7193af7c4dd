//! `pleach render`: pictures of a scene.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Draw a scene, without any GPU
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach render town.glb -o town.png --size 1280x720")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
