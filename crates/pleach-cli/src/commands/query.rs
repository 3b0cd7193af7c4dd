//! `pleach query`: many questions at once, for scripts.

use std::path::PathBuf;

use crate::output::{Output, Verdict};

/// Answer a file of questions about a model, in JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach query town.glb questions.json")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _output: &mut Output) -> anyhow::Result<Verdict> {
    anyhow::bail!("{}: not there yet", args.file.display())
}
