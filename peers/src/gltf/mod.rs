//! With `--gltf`: loading and saving of files. The time and memory of a load, compared with the
//! gltf crate, three.js and glTF-Transform, and the time of a save, compared with a load.

mod cases;
mod chart;
mod generated_files;
mod gltf_crate;
mod gltf_targets;
mod javascript;

use std::path::PathBuf;
use std::{env, fs};

use cases::memory::Footprint;
use cases::{geometry, load, memory, save};
use generated_files::Plan;
use javascript::Scripts;

use crate::args::Args;
use crate::rounds::{Effort, Table};
use crate::{environment, page};

/// The crates whose versions affect this benchmark. The gltf crate has its own lock file.
const CRATES: [&str; 5] = ["pleach-gltf", "pleach", "pleach-graph", "serde_json", "glam"];

const NOTE: &str = "Times are those of complete loads, up to a scene whose worlds, bounds and \
                    index are up to date; the gltf crate provides JSON and bytes only, without a \
                    scene. The result is dropped after the measurement, unless a row includes the \
                    drop. Copies are counted by the bytes allocated: a load from a file holds the \
                    file in memory once (unless it is memory-mapped), which does not count as a \
                    copy; everything else does.";

/// A file generated for this run, in memory and on disk.
pub struct SampleFile {
    pub plan: Plan,
    pub bytes: Vec<u8>,
    pub path: PathBuf,
}

/// The results of each workload.
struct Results {
    loads: Vec<Table>,
    scripts: Result<Scripts, String>,
    save: Table,
    geometry: Table,
    /// The name of the large file.
    large: String,
    footprints: Vec<Footprint>,
}

pub fn run(args: &Args) -> Result<(), String> {
    let effort = Effort { rounds: if args.quick { 3 } else { 15 }, seed: args.seed };
    let results = measure(effort, args.quick)?;
    let notes = format!(
        "gltf 1.4.1, in a separate process; both on one thread; seed {}, {} rounds{}",
        args.seed,
        effort.rounds,
        if args.quick {
            "; files of a tenth of the size, for which the targets do not apply"
        } else {
            ""
        },
    );
    let head = environment::page_head("glTF", &CRATES, &notes, "--gltf --out docs/benchmarks");
    let mut rest =
        page::page(&gltf_targets::targets(&results), NOTE, &gltf_targets::tables(&results));
    rest += &javascript::section(&results.scripts, &results.loads[0]);
    rest += &memory::section(&results.footprints);
    if let Some(folder) = &args.out {
        rest += &format!("\n![load]({})\n", chart::NAME);
        let svg = chart::svg(&results.loads[0], results.scripts.as_ref().ok());
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join(chart::NAME), svg))
            .map_err(|error| format!("the plot cannot be written: {error}"))?;
    }
    page::publish(&format!("{head}\n{rest}"), "gltf.md", args)
}

fn measure(effort: Effort, quick: bool) -> Result<Results, String> {
    let progress = |what: &str| eprintln!("{what}");
    let program = gltf_crate::build().ok_or("the program for the gltf crate cannot be built")?;
    let folder = env::temp_dir().join(format!("pleach-peers-{}", std::process::id()));
    let _cleaner = Folder::new(folder.clone())?;
    let sample = |plan: Plan| -> Result<SampleFile, String> {
        progress(&format!("file: {}", plan.name()));
        let (bytes, path) =
            (generated_files::glb(plan, effort.seed), folder.join(plan.file_name()));
        fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(SampleFile { plan, bytes, path })
    };
    let samples = load::PLANS.iter().map(|plan| sample(plan.scaled(quick)));
    let samples = samples.collect::<Result<Vec<_>, _>>()?;
    let loads = samples.iter().map(|sample| {
        progress(&format!("load: {}", sample.plan.name()));
        load::run(sample, &program, effort)
    });
    let loads = loads.collect::<Result<Vec<_>, _>>()?;
    progress("three.js and glTF-Transform");
    let scripts = javascript::run(&samples[0], if quick { 1 } else { 5 });
    progress("save");
    let save = save::run(&samples[0], &program, effort)?;
    progress("geometry");
    let large = sample(geometry::PLAN.scaled(quick))?;
    let geometry = geometry::run(&large, &program, effort)?;
    progress("memory");
    let mut footprints = Vec::new();
    for sample in samples.iter().chain([&large]) {
        footprints.extend(memory::run(sample, &program)?);
    }
    Ok(Results { loads, scripts, save, geometry, large: large.plan.name(), footprints })
}

/// A folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(path: PathBuf) -> Result<Self, String> {
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // On failure the files stay in the system's temporary folder.
        _ = fs::remove_dir_all(&self.0);
    }
}
