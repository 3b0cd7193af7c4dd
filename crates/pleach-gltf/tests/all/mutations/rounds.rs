//! Rounds of changes, and the properties that every loaded document must have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use pleach::Scene;
use pleach_gltf::{Bytes, Document, Format, Options};
use testkit::{Effort, Rng};

use super::changes::{change_bytes, change_framing, change_json};
use super::models::{Model, generated_models, sample_models};
use crate::common::{is_same_files, panic_text};

/// The compared state of a node: its name, the bits of its world matrix, and its inherited
/// visibility.
type NodeState = (Option<String>, [u32; 16], bool);

/// Returns the states of the nodes of a scene in depth-first order.
fn worlds(scene: &Scene) -> Vec<NodeState> {
    let nodes = scene.graph.depth_first().filter_map(|node| scene.graph.get(node));
    nodes
        .map(|node| {
            let world = node.world().to_cols_array().map(f32::to_bits);
            (node.name().map(String::from), world, node.is_shown())
        })
        .collect()
}

fn all_worlds(document: &Document) -> Vec<Vec<NodeState>> {
    document.scenes().iter().chain(document.unreferenced_nodes()).map(worlds).collect()
}

/// Saves a document, loads the result, and compares world matrices, clips, and the bytes of saving
/// it again.
fn round_trip(document: &Document, is_glb: bool) -> Result<(), String> {
    for format in [Format::Glb, Format::Gltf] {
        let saved =
            document.save_bytes(format).map_err(|error| format!("save as {format:?}: {error}"))?;
        let names: BTreeSet<&String> = saved.files.iter().map(|(name, _)| name).collect();
        if names.len() != saved.files.len() {
            return Err(format!("saved as {format:?}, two files have the same name: {names:?}"));
        }
        let files: BTreeMap<String, Bytes> = saved.files.iter().cloned().collect();
        let again = Options::new()
            .load_with(saved.bytes.clone(), &files)
            .map_err(|error| format!("load after saving as {format:?}: {error}"))?;
        if (format == Format::Glb) == is_glb
            && again.json().trim_end() != document.json().trim_end()
        {
            return Err(format!("saved as {format:?}, the text differs"));
        }
        if all_worlds(document) != all_worlds(&again) {
            return Err(format!("saved as {format:?}, the world matrices differ"));
        }
        let clips = |document: &Document| -> Vec<_> {
            document
                .animations()
                .iter()
                .map(|it| (it.clip().clone(), it.node_indices().to_vec()))
                .collect()
        };
        if format!("{:?}", clips(document)) != format!("{:?}", clips(&again)) {
            return Err(format!("saved as {format:?}, the animations differ"));
        }
        let twice = again
            .save_bytes(format)
            .map_err(|error| format!("save as {format:?} again: {error}"))?;
        let is_same = saved.bytes == twice.bytes && is_same_files(&saved.files, &twice.files);
        if !is_same {
            return Err(format!("saving twice as {format:?} gives different bytes"));
        }
    }
    Ok(())
}

/// Runs one round. Returns the failure and the description of the round if it fails.
fn round(seed: u64, models: &[Model], loaded: &mut usize) -> Result<(), (String, String)> {
    let mut rng = Rng::new(seed);
    let mut model = models[rng.below(models.len())].clone();
    let mut description = vec![model.name.clone()];
    let changes = [1, 1, 1, 2, 3, 5][rng.below(6)];
    for _ in 0..changes {
        let change = match rng.below(8) {
            0 => {
                let mut buffers = model.buffers_mut();
                let at = rng.below(buffers.len());
                buffers.get_mut(at).and_then(|buffer| change_bytes(buffer, &mut rng))
            }
            _ => change_json(&mut model.json, &mut rng),
        };
        description.extend(change);
    }
    let mut file = model.bytes();
    if rng.below(12) == 0 {
        description.extend(change_framing(&mut file, &mut rng));
    }
    let files = model.resolver();
    let run = catch_unwind(AssertUnwindSafe(|| {
        let Ok(document) = Options::new().load_with(file.clone(), &files) else { return Ok(false) };
        round_trip(&document, file.starts_with(b"glTF")).map(|()| true)
    }));
    let failure = match run {
        Ok(Ok(is_loaded)) => {
            *loaded += usize::from(is_loaded);
            return Ok(());
        }
        Ok(Err(failure)) => failure,
        Err(panic) => format!("panic: {}", panic_text(&*panic)),
    };
    let failure: String = failure.chars().take(300).collect();
    let path = std::env::temp_dir().join(format!("pleach-mutation-{seed}"));
    _ = fs::write(&path, &file);
    let repeat = format!("PLEACH_SEED={seed}, its first round ({})", path.display());
    Err((failure, format!("{repeat}: {}", description.join("; "))))
}

#[test]
fn unmodified_models_round_trip() {
    for model in generated_models().into_iter().chain(sample_models()) {
        let file = model.bytes();
        if let Ok(document) = Options::new().load_with(file.clone(), &model.resolver()) {
            round_trip(&document, file.starts_with(b"glTF"))
                .unwrap_or_else(|it| panic!("{}: {it}", model.name));
        }
    }
}

#[test]
fn every_file_that_loads_round_trips() {
    let models: Vec<Model> = generated_models().into_iter().chain(sample_models()).collect();
    let seed = Rng::from_env(1).state();
    let rounds = Effort::pick(2000, 10_000);
    let (start, mut loaded) = (Instant::now(), 0);
    // Faults by kind, of which the first are printed.
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for number in 0..rounds {
        if let Err((failure, description)) = round(seed.wrapping_add(number), &models, &mut loaded)
        {
            let kind = failure.split('{').next().unwrap_or_default();
            let kind = kind.chars().filter(|it| !it.is_ascii_digit()).take(80).collect();
            failures.entry(kind).or_default().push(format!("{failure}\n    {description}"));
        }
    }
    println!(
        "seed {seed}: {rounds} rounds of {} models, {loaded} loaded, in {:?}",
        models.len(),
        start.elapsed()
    );
    let mut change = String::new();
    for (kind, failures) in &failures {
        _ = writeln!(change, "{} times {kind}", failures.len());
        for failure in failures.iter().take(3) {
            _ = writeln!(change, "  {failure}");
        }
    }
    assert!(failures.is_empty(), "\n{change}");
}
