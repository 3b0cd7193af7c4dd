//! `pleach convert`: from .gltf to .glb and back.
//!
//! What comes out says the same as what went in, byte for byte where the form allows it. The file
//! that is read, and those it names, are never replaced unless `--force` says so.

mod beside;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pleach_gltf::Form;
use serde::Serialize;

use self::beside::Beside;
use crate::open;
use crate::output::{BOLD, DIM, OneLine, Output, Painted, Verdict};

/// Convert between .gltf and .glb
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach convert town.gltf town.glb\n\n\
    Names, extras, unknown extensions and the digits of numbers stay as they are. A .glb takes\n\
    image files in; a .gltf has its bytes in a file of its own name, and image files beside it.\n\
    A file that is there already is replaced, but IN and what it names only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file to read
    #[arg(value_name = "IN")]
    from: PathBuf,

    /// The file to write; its name ends with .gltf or .glb
    #[arg(value_name = "OUT", value_parser = model_name)]
    to: PathBuf,

    /// Replace IN, too
    #[arg(long)]
    force: bool,
}

/// A path that can be written, by its extension.
fn model_name(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match form_of(&path) {
        Some(_) => Ok(path),
        None => Err("the name must end with .gltf or .glb: that says what is written".into()),
    }
}

fn form_of(path: &Path) -> Option<Form> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "gltf" => Some(Form::Gltf),
        "glb" => Some(Form::Glb),
        _ => None,
    }
}

/// The answer.
#[derive(Debug, Serialize)]
struct Converted {
    r#in: Model,
    out: Model,
    /// What could not be said in the file.
    warnings: Vec<String>,
}

/// A model on disk.
#[derive(Debug, Serialize)]
struct Model {
    path: String,
    form: &'static str,
    /// Of the file itself.
    bytes: u64,
    files: Vec<Beside>,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let document = open::open(&args.from)?;
    for warning in document.report().warnings() {
        output.remark(format_args!("{}: {warning}", args.from.display()));
    }
    let from = Model::of(&args.from)?;
    if is_same_file(&args.from, &args.to) && !args.force {
        bail!("{} would be replaced; --force does that", args.from.display());
    }
    let report = document.save(&args.to)?;
    let warnings: Vec<String> = report.warnings().iter().map(ToString::to_string).collect();
    for warning in &warnings {
        output.remark(format_args!("{}: {warning}", args.to.display()));
    }
    let answer = Converted { r#in: from, out: Model::of(&args.to)?, warnings };
    output.answer(&answer, |output| {
        output.line(format_args!("read     {}", answer.r#in))?;
        output.line(format_args!("written  {}", answer.out))
    })?;
    Ok(Verdict::Fine)
}

/// Are these two names of one file?
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        // What is not there cannot be replaced.
        _ => false,
    }
}

impl Model {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let is_glb = beside::is_glb(&file);
        let directory = path.parent().unwrap_or(Path::new(""));
        Ok(Self {
            path: path.display().to_string(),
            form: if is_glb { "glb" } else { "gltf" },
            bytes: file.len() as u64,
            files: beside::of(&file, directory)?,
        })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Painted(BOLD, OneLine(&self.path)))?;
        write!(f, " {}", Painted(DIM, format_args!("({}, {})", self.form, Size(self.bytes))))?;
        for file in &self.files {
            let size = file.bytes.map_or("not there".into(), |bytes| Size(bytes).to_string());
            write!(f, ", {} {}", OneLine(&file.name), Painted(DIM, format_args!("({size})")))?;
        }
        Ok(())
    }
}

/// So many bytes, for people.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..10_000 => return write!(f, "{} bytes", self.0),
            10_000..10_000_000 => (1_000, "kB"),
            10_000_000..10_000_000_000 => (1_000_000, "MB"),
            _ => (1_000_000_000, "GB"),
        };
        let tenths = self.0 / (unit / 10);
        write!(f, "{}.{} {name}", tenths / 10, tenths % 10)
    }
}
