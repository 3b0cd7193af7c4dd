//! `pleach query`: many questions about a model at once, for scripts.
//!
//! Questions are read and checked (`questions.rs`), the model is read in the axes they ask for,
//! what is asked about is answered (`model.rs`, `describe.rs`, `node_bounds.rs`, `evaluate.rs`, `rays.rs`), and
//! the answers are written (`answers.rs`, `line_json.rs`). Nothing is written before all is known.

mod answers;
mod describe;
mod evaluate;
mod field;
mod gltf_json;
mod line_json;
mod model;
mod node_bounds;
mod questions;
mod rays;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pleach_gltf::Options;

use self::model::Model;
use self::questions::{Questions, Up};
use crate::input::open::open_with;
use crate::report::output::{Output, Verdict};

/// Answer a file of questions about a model, in JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    pleach query town.glb questions.json > answers.json\n  \
    echo '{\"up\": \"y\", \"poses\": [{\"animation\": 0, \"t\": 0.5}]}' | pleach query fox.glb -\n\n\
    Questions and answers are told in docs/program.md; {} asks for the model alone.")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// A file of questions, in JSON; - for stdin
    questions: PathBuf,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Verdict> {
    let name = args.questions.display();
    let (questions, unknown) = read(&args.questions)
        .and_then(|text| Questions::parse(&text))
        .with_context(|| format!("{name}"))?;
    let options = match questions.up {
        Up::Y => Options::new().keep_y_up(),
        Up::Z => Options::new(),
    };
    let mut model = Model::new(open_with(&args.file, options.skip_images())?)?;
    questions.check(&model).with_context(|| format!("{name}"))?;
    let answers = evaluate::answers(&mut model, &questions)?;
    for field in unknown {
        output.note(format_args!("{name}: {field} means nothing here, and is ignored"));
    }
    line_json::write(&answers, output)?;
    Ok(Verdict::Pass)
}

/// The most bytes of questions.
const MAX_QUESTION_BYTES: u64 = 64 << 20;

/// The text of a file of questions.
fn read(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_QUESTION_BYTES + 1).read_to_string(&mut text)
    } else {
        File::open(path)
            .and_then(|file| file.take(MAX_QUESTION_BYTES + 1).read_to_string(&mut text))
    };
    read.context("the questions could not be read")?;
    if text.len() as u64 > MAX_QUESTION_BYTES {
        bail!("more than {} MiB of questions; ask in several calls", MAX_QUESTION_BYTES >> 20);
    }
    Ok(text)
}
