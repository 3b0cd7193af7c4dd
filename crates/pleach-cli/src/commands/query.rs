//! `pleach query`: answers many questions about a model at once, for scripts.
//!
//! Questions are parsed and validated (`questions.rs`), the model is loaded in the requested axes,
//! the answers are computed (`model.rs`, `describe.rs`, `node_bounds.rs`, `evaluate.rs`, `rays.rs`)
//! and written (`answers.rs`, `line_json.rs`). Nothing is written before all answers are known.

mod answers;
mod describe;
mod evaluate;
mod field;
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
use pleach_gltf::raw::Root;
use rayon::ThreadPoolBuilder;

use self::model::Model;
use self::questions::{Questions, Up};
use crate::input::open::open_with;
use crate::report::output::{Output, Verdict};

/// Answer a file of questions about a model as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    pleach query town.glb questions.json > answers.json\n  \
    echo '{\"up\": \"y\", \"poses\": [{\"animation\": 0, \"t\": 0.5}]}' | pleach query fox.glb -\n\n\
    docs/program.md describes questions and answers; {} queries only the model itself.")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// The JSON file with the questions; - for stdin
    questions: PathBuf,

    /// The number of threads; it does not change the answers [default: all cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
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
    let threads = args.threads.map_or(0, |threads| threads as usize);
    let document = open_with(&args.file, options.skip_images().with_threads(threads))?;
    // A copy: the document is posed.
    let json = document.json().to_string();
    let root = pleach_gltf::with_threads(Some(threads), || Root::from_json(&json))?;
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().ok();
    let mut model = Model::new(document, root, pool)?;
    questions.check(&model).with_context(|| format!("{name}"))?;
    let answers = evaluate::answers(&mut model, &questions)?;
    for field in unknown {
        output.note(format_args!("{name}: {field} is not a known member and is ignored"));
    }
    line_json::write(&answers, output)?;
    Ok(Verdict::Pass)
}

/// The maximum size of the questions.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the questions from a file or stdin.
fn read(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text))
    };
    read.context("cannot read the questions")?;
    if text.len() as u64 > MAX_BYTES {
        bail!("more than {} MiB of questions; split them into several calls", MAX_BYTES >> 20);
    }
    Ok(text)
}
