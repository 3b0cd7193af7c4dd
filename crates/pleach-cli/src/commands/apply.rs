//! `pleach apply`: applies a patch to the file that it was made from.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;

use super::convert::model_files::{ModelFiles, parse_model_path};
use super::convert::overwrite::guard;
use crate::input::{open, patch};
use crate::report::new_file::write_options;
use crate::report::output::{Output, Verdict};
use crate::report::units::count;

/// Apply a patch to the file that it was made from
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach diff town.glb town-new.glb --patch town.pleach\n\
    \x20         pleach apply town.glb town.pleach -o town-new.glb\n\n\
    FILE must have the content that the patch is for, else it is an error that names both hashes;\n\
    how its JSON is written and where its data lies in buffers does not matter. The result has the\n\
    content of the second file of the diff, which is verified before OUT is written.\n\
    OUT is overwritten if it exists. FILE, the files it references and unrelated files next to OUT\n\
    are overwritten only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file that the patch is for
    file: PathBuf,

    /// The patch
    patch: PathBuf,

    /// The output file; its extension, .gltf or .glb, selects the format
    #[arg(short, long, value_name = "OUT", value_parser = parse_model_path)]
    output: PathBuf,

    /// Overwrite FILE, files it references and unrelated files next to OUT if necessary
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The number of applied edits.
    edits: usize,
    /// The content hash of the result.
    result: String,
    out: ModelFiles,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let patch = patch::open(&args.patch)?;
    let document = open::open(&args.file)?;
    for warning in document.report().warnings() {
        output.note(format_args!("{}: {warning}", args.file.display()));
    }
    let applied = patch.apply(&document, &open::options(&args.output)).with_context(|| {
        format!("cannot apply {} to {}", args.patch.display(), args.file.display())
    })?;
    let saved = applied.save_bytes_for(&args.output)?;
    if !args.force {
        guard(&args.output, &saved, &[&ModelFiles::of(&args.file)?])?;
    }
    saved.write_with(&args.output, &write_options())?;
    let result = patch.result().to_string();
    let answer = Answer { edits: patch.len(), result, out: ModelFiles::of(&args.output)? };
    output.answer(&answer, |output| {
        output.line(format_args!("applied  {}", count(answer.edits, "edit")))?;
        output.line(format_args!("written  {}", answer.out))
    })?;
    Ok(Verdict::Pass)
}
