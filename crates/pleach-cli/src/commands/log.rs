//! `pleach log`: shows the edits of a patch.

use std::fmt;
use std::path::PathBuf;

use pleach_gltf::patch::{EditAction, FileEdit};
use serde::Serialize;

use crate::input::patch;
use crate::report::output::{BOLD, DIM, ERROR, GOOD, NAME, OneLine, Output, Styled, Verdict, WARN};
use crate::report::short_value::ShortValue;
use crate::report::units::count;

/// Show the edits of a patch that `pleach diff --patch` wrote
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach log town.pleach\n\n\
    Lists each edit with the path of the node (or the name of another object), the property, and\n\
    its old and new value. Objects have their index in the first file; added ones have none.\n\
    --json has the whole values, the text at most 60 characters of each.")]
pub(crate) struct Args {
    /// A patch
    patch: PathBuf,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The program that wrote the patch.
    writer: String,
    /// The content hashes of the file that the patch is for, and of the result.
    base: String,
    result: String,
    edits: Vec<EditRow>,
}

/// One edit.
#[derive(Debug, Serialize)]
struct EditRow {
    action: &'static str,
    /// The array of the object; null for the root object.
    array: Option<&'static str>,
    /// The index in the first file.
    index: Option<usize>,
    /// The number of an added object, by which references name it.
    added: Option<usize>,
    path: String,
    property: String,
    old: Option<String>,
    new: Option<String>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let patch = patch::open(&args.patch)?;
    let answer = Answer {
        writer: patch.writer().into(),
        base: patch.base().to_string(),
        result: patch.result().to_string(),
        edits: patch.edits().map(EditRow::from).collect(),
    };
    output.answer(&answer, |output| {
        let mut text = String::new();
        for (edit, row) in patch.edits().zip(&answer.edits) {
            text.push_str(&format!("{}\n", EditLine(edit.action, row)));
        }
        let hashes = format!("{:.12} → {:.12}", patch.base(), patch.result());
        let edits = count(answer.edits.len(), "edit");
        let summary = format!("{edits}, by {}", OneLine(&answer.writer));
        text.push_str(&format!("{} {}\n", Styled(BOLD, summary), Styled(DIM, hashes)));
        output.text(text.as_bytes())
    })?;
    Ok(Verdict::Pass)
}

impl From<FileEdit> for EditRow {
    fn from(edit: FileEdit) -> Self {
        Self {
            action: edit.action.as_str(),
            array: edit.array.map(|it| it.name()),
            index: edit.index,
            added: edit.added,
            path: edit.path,
            property: edit.property,
            old: edit.old,
            new: edit.new,
        }
    }
}

/// An edit displayed as a line.
struct EditLine<'a>(EditAction, &'a EditRow);

impl fmt::Display for EditLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(action, row) = self;
        let (sign, style) = match action {
            EditAction::Added => ("+", GOOD),
            EditAction::Removed => ("-", ERROR),
            _ => ("~", WARN),
        };
        write!(f, "{}", Styled(style, format_args!("{sign} {:<10}", row.action)))?;
        let EditRow { array, index, added, .. } = **row;
        write!(f, "{}", ObjectName { array, index, added, path: &row.path })?;
        if *action != EditAction::Changed {
            return Ok(());
        }
        let (old, new) = (ShortValue(row.old.as_deref()), ShortValue(row.new.as_deref()));
        write!(f, " {}: {old} → {new}", OneLine(&row.property))
    }
}

/// An object of a file: its array, index, and path or name.
pub(super) struct ObjectName<'a> {
    pub(super) array: Option<&'static str>,
    pub(super) index: Option<usize>,
    pub(super) added: Option<usize>,
    pub(super) path: &'a str,
}

impl fmt::Display for ObjectName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.array.unwrap_or("(root)"))?;
        if let Some(index) = self.index {
            write!(f, "{}", Styled(DIM, format_args!(" #{index}")))?;
        }
        if let Some(number) = self.added {
            write!(f, "{}", Styled(DIM, format_args!(" new #{number}")))?;
        }
        if !self.path.is_empty() {
            write!(f, " {}", Styled(NAME, OneLine(self.path)))?;
        }
        Ok(())
    }
}
