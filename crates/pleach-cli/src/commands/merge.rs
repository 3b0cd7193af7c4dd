//! `pleach merge`: merges the changes of two files that were derived from a third.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pleach_gltf::patch::{Conflict, Merged, merge};
use pleach_gltf::{Document, Format};
use serde::Serialize;

use super::convert::model_files::{ModelFiles, format_of};
use super::convert::overwrite::guard;
use super::log::ObjectName;
use crate::input::open;
use crate::report::new_file::write_options;
use crate::report::output::{BOLD, ERROR, OneLine, Output, Styled, Verdict};
use crate::report::short_value::ShortValue;
use crate::report::units::count;

/// Merge the changes of two files that were derived from a third
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach merge base.glb ours.glb theirs.glb -o merged.glb\n\n\
    Changes that do not touch each other are merged: other properties, other nodes, other members\n\
    of extras. Conflicts are listed with the path of the node and the property; then nothing is\n\
    written, and the exit code is 1. docs/version-control.md has the settings for git.\n\
    BASE may be an empty file (of 0 bytes) if there is no common file.\n\
    OUT is overwritten if it exists. BASE, OURS, THEIRS, the files they reference and unrelated\n\
    files next to OUT are overwritten only with --force.")]
pub(crate) struct Args {
    /// The file that both were derived from
    base: PathBuf,

    /// The first changed file
    ours: PathBuf,

    /// The second changed file
    theirs: PathBuf,

    /// The output file; its extension, .gltf or .glb, selects the format [default: that of OURS]
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Overwrite the input files, files they reference and unrelated files next to OUT if necessary
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    merged: bool,
    conflicts: Vec<ConflictRow>,
    /// The merged file; null if there are conflicts.
    out: Option<ModelFiles>,
}

/// One conflict.
#[derive(Debug, Serialize)]
struct ConflictRow {
    conflict: &'static str,
    /// The array of the object; null for the root object.
    array: Option<&'static str>,
    /// The index in the base.
    index: Option<usize>,
    path: String,
    property: String,
    base: Option<String>,
    ours: Option<String>,
    theirs: Option<String>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut open = |path: &Path| -> anyhow::Result<Document> {
        let document = open::open(path)?;
        for warning in document.report().warnings() {
            output.note(format_args!("{}: {warning}", path.display()));
        }
        Ok(document)
    };
    let is_empty = fs::metadata(&args.base).is_ok_and(|it| it.is_file() && it.len() == 0);
    let base = if is_empty { None } else { Some(open(&args.base)?) };
    let (ours, theirs) = (open(&args.ours)?, open(&args.theirs)?);
    let options = open::options(&args.output);
    let merged = merge(base.as_ref(), &ours, &theirs, &options).with_context(|| {
        format!("cannot merge {} and {}", args.ours.display(), args.theirs.display())
    })?;
    let document = match merged {
        Merged::Document(document) => document,
        Merged::Conflicts(conflicts) => return report_conflicts(conflicts, output),
        _ => anyhow::bail!("the result of the merge is not known"),
    };
    let ours = ModelFiles::of(&args.ours)?;
    let saved = match format_of(&args.output) {
        Some(_) => document.save_bytes_for(&args.output)?,
        None => document.save_bytes(if ours.is_glb() { Format::Glb } else { Format::Gltf })?,
    };
    if !args.force {
        let theirs = ModelFiles::of(&args.theirs)?;
        let base = if is_empty { None } else { Some(ModelFiles::of(&args.base)?) };
        let inputs: Vec<&ModelFiles> = base.iter().chain([&ours, &theirs]).collect();
        guard(&args.output, &saved, &inputs)?;
    }
    saved.write_with(&args.output, &write_options())?;
    let out = Some(ModelFiles::of(&args.output)?);
    let answer = Answer { merged: true, conflicts: Vec::new(), out };
    output.answer(&answer, |output| match &answer.out {
        Some(out) => output.line(format_args!("written  {out}")),
        None => Ok(()),
    })?;
    Ok(Verdict::Pass)
}

fn report_conflicts(conflicts: Vec<Conflict>, output: &mut Output) -> anyhow::Result<Verdict> {
    let conflicts: Vec<ConflictRow> = conflicts.into_iter().map(ConflictRow::from).collect();
    let answer = Answer { merged: false, conflicts, out: None };
    output.answer(&answer, |output| {
        let mut text = String::new();
        for row in &answer.conflicts {
            text.push_str(&format!("{}\n", ConflictLine(row)));
        }
        let summary = format!("{}; nothing was written", count(answer.conflicts.len(), "conflict"));
        text.push_str(&format!("{}\n", Styled(BOLD, summary)));
        output.text(text.as_bytes())
    })?;
    Ok(Verdict::Fail)
}

impl From<Conflict> for ConflictRow {
    fn from(conflict: Conflict) -> Self {
        Self {
            conflict: conflict.kind.as_str(),
            array: conflict.array.map(|it| it.name()),
            index: conflict.index,
            path: conflict.path,
            property: conflict.property,
            base: conflict.base,
            ours: conflict.ours,
            theirs: conflict.theirs,
        }
    }
}

/// A conflict displayed as a line.
struct ConflictLine<'a>(&'a ConflictRow);

impl fmt::Display for ConflictLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = self.0;
        write!(f, "{}", Styled(ERROR, format_args!("! {:<10}", row.conflict)))?;
        let ConflictRow { array, index, .. } = *row;
        write!(f, "{}", ObjectName { array, index, added: None, path: &row.path })?;
        if !row.property.is_empty() {
            write!(f, " {}", OneLine(&row.property))?;
        }
        let value =
            |value: &Option<String>| value.as_deref().map(|it| ShortValue(Some(it)).to_string());
        let values = [("base", &row.base), ("ours", &row.ours), ("theirs", &row.theirs)];
        if values.iter().all(|it| it.1.is_none()) {
            return write!(f, ": both changed data that belong together");
        }
        for (number, (side, text)) in values.into_iter().enumerate() {
            let text = value(text).unwrap_or_else(|| "–".into());
            write!(f, "{} {side} {text}", if number > 0 { "," } else { ":" })?;
        }
        Ok(())
    }
}
