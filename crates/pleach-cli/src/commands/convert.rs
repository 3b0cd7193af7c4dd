//! `pleach convert`: converts between .gltf and .glb.
//!
//! The content is preserved, byte for byte where the format allows it. The input file, the files it
//! references and unrelated files next to OUT are overwritten only with `--force`.

mod dropped;
pub(in crate::commands) mod model_files;
pub(in crate::commands) mod overwrite;

use std::path::PathBuf;

use pleach_gltf::Prune;
use serde::Serialize;

use self::dropped::Dropped;
use self::model_files::{ModelFiles, parse_model_path};
use self::overwrite::guard;
use crate::input::open;
use crate::report::new_file::write_options;
use crate::report::output::{Output, Verdict};

/// Convert between .gltf and .glb
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach convert town.gltf town.glb --drop-unused\n\n\
    Names, extras, unknown extensions and the digits of numbers are preserved. A .glb embeds\n\
    image files. A .gltf converted from a .glb stores its data in a .bin file of the same name.\n\
    A .gltf converted from a .gltf keeps the names of its external files: if IN and OUT are in\n\
    the same directory, they share them.\n\
    OUT is overwritten if it exists. IN, the files it references and unrelated files next to OUT\n\
    are overwritten only with --force.")]
pub(crate) struct Args {
    /// The input file, .gltf or .glb
    #[arg(value_name = "IN")]
    from: PathBuf,

    /// The output file; its extension, .gltf or .glb, selects the format
    #[arg(value_name = "OUT", value_parser = parse_model_path)]
    to: PathBuf,

    /// Remove what no node uses: meshes, materials, textures, images, accessors, buffer data, …
    /// Nothing is removed if an unknown extension may reference objects by index
    #[arg(long)]
    drop_unused: bool,

    /// Also remove nodes that are not in any scene, and the animation channels that target only
    /// them
    #[arg(long)]
    drop_nodes: bool,

    /// Remove what is unused and merge what is equal: accessors with the same elements, images,
    /// samplers, textures, and materials and meshes of the same name. The appearance does not
    /// change, and nothing is compressed
    #[arg(long, alias = "optimize")]
    optimise: bool,

    /// Overwrite IN, files it references and unrelated files next to OUT if necessary
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    r#in: ModelFiles,
    out: ModelFiles,
    /// The removed objects, if removal was requested.
    dropped: Option<Dropped>,
    /// The content that glTF cannot represent.
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
    saved.write_with(&args.to, &write_options())?;
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

/// Returns the requested pruning, if any.
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
