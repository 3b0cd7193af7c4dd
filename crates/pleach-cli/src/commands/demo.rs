//! `pleach demo`: a scene built in code, its frame loop, a picture.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Build a scene in code, run its frame loop, draw it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach demo -o demo.png")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
