//! `pleach convert`: from .gltf to .glb and back.
//!
//! What comes out says the same as what went in, byte for byte where the form allows it. The file
//! that is read, those it names, and what others put beside OUT are never replaced unless `--force`
//! says so.

mod dropped;
mod external_files;
pub(in crate::commands) mod model_files;
pub(in crate::commands) mod overwrite;

use std::path::PathBuf;

use pleach_gltf::Prune;
use serde::Serialize;

use self::dropped::Dropped;
use self::model_files::{ModelFiles, parse_model_path};
use self::overwrite::guard;
use crate::input::open;
use crate::report::output::{Output, Verdict};

/// Convert between .gltf and .glb
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach convert town.gltf town.glb --drop-unused\n\n\
    Names, extras, unknown extensions and the digits of numbers stay as they are. A .glb takes\n\
    image files in; a .gltf that was a .glb has its bytes in a file of its own name, one that was a\n\
    .gltf keeps the names of its files: in the same directory both share them.\n\
    OUT is replaced if it is there. IN, what it names, and files beside OUT that are not its own are\n\
    replaced only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file to read
    #[arg(value_name = "IN")]
    from: PathBuf,

    /// The file to write; its name ends with .gltf or .glb
    #[arg(value_name = "OUT", value_parser = parse_model_path)]
    to: PathBuf,

    /// Leave out what no node uses: meshes, materials, textures, images, accessors, bytes, … A
    /// file with an extension that may name anything by its number is left whole
    #[arg(long)]
    drop_unused: bool,

    /// Also leave out nodes that are in no scene, and what only moves them
    #[arg(long)]
    drop_nodes: bool,

    /// Leave out what is unused, and keep one of what is equal: accessors with the same elements,
    /// images, samplers, textures, and materials and meshes of the same name. Nothing looks
    /// different, and nothing is compressed
    #[arg(long, alias = "optimize")]
    optimise: bool,

    /// Replace IN, files it names, and files beside OUT that belong to something else, if that is
    /// what it takes
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    r#in: ModelFiles,
    out: ModelFiles,
    /// If something was to be dropped: what was.
    dropped: Option<Dropped>,
    /// What could not be said in the file.
    warnings: Vec<String>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = open::open(&args.from)?;
    for warning in document.report().warnings() {
        output.note(format_args!("{}: {warning}", args.from.display()));
    }
    let from = ModelFiles::of(&args.from)?;
    let mut dropped = None;
    if let Some(prune) = pruning(args) {
        let (pruned, report) = prune.run(document)?;
        document = pruned;
        if let Some(reason) = &report.skip_reason {
            output.note(format_args!("{}: {reason}", args.from.display()));
        }
        dropped = Some(Dropped::of(&report));
    }
    let saved = document.save_bytes_for(&args.to)?;
    if !args.force {
        guard(&args.to, &saved, &[&from])?;
    }
    saved.write(&args.to)?;
    let warnings: Vec<String> = saved.report.warnings().iter().map(ToString::to_string).collect();
    for warning in &warnings {
        output.note(format_args!("{}: {warning}", args.to.display()));
    }
    let answer = Answer { r#in: from, out: ModelFiles::of(&args.to)?, dropped, warnings };
    output.answer(&answer, |output| {
        output.line(format_args!("read     {}", answer.r#in))?;
        output.line(format_args!("written  {}", answer.out))?;
        match &answer.dropped {
            Some(report) => output.line(format_args!("dropped  {report}")),
            None => Ok(()),
        }
    })?;
    Ok(Verdict::Pass)
}

/// What is to be left out, if anything.
fn pruning(args: &Args) -> Option<Prune> {
    let any = args.drop_unused || args.drop_nodes || args.optimise;
    let mut prune = any.then(Prune::new)?;
    if args.drop_nodes {
        prune = prune.drop_unused_nodes();
    }
    if args.optimise {
        prune = prune.merge_equal();
    }
    Some(prune)
}
