//! Loading of a file that consists mostly of vertices.

use std::cell::RefCell;
use std::path::Path;

use pleach_gltf::{load, load_bytes};

use super::load_owned;
use crate::gltf::SampleFile;
use crate::gltf::generated_files::Plan;
use crate::gltf::gltf_crate::GltfCrate;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_once};

/// A file of 195 MB.
pub const PLAN: Plan = Plan { nodes: 9, is_full: true, mesh_each: 1, meshes: 8, side: 660 };

pub fn run(sample: &SampleFile, program: &Path, effort: Effort) -> Result<Table, String> {
    let SampleFile { plan, bytes, path } = sample;
    let document = load_bytes(bytes).map_err(|error| error.to_string())?;
    let scene = document.scene().ok_or("there is no scene")?;
    let node = document.node(0, 0).ok_or("node 0 is missing")?;
    let mesh = scene.mesh(node).ok_or("node 0 has no mesh")?;
    let vertices = mesh.parts[0].geometry.get().positions.len();
    if vertices != plan.side * plan.side {
        return Err(format!("a mesh has {vertices} vertices"));
    }
    drop(document);
    let gltf_crate = RefCell::new(GltfCrate::start(program, path)?);
    let in_gltf_crate = |command: &'static str| {
        let gltf_crate = &gltf_crate;
        Benchmark::new(Implementation::Gltf, command, move || gltf_crate.borrow_mut().time(command))
    };
    // One untimed load before, as in the gltf crate's program.
    let warm = |work: &dyn Fn() -> f64| {
        work();
        work()
    };
    let benchmarks = vec![
        Benchmark::new(Implementation::Memcpy, "", || warm(&|| time_once(|| bytes.to_vec()))),
        Benchmark::new(Implementation::Pleach, "slice", || {
            warm(&|| time_once(|| load_bytes(bytes).expect("the file was loaded before")))
        }),
        Benchmark::new(Implementation::Pleach, "owned bytes", || {
            warm(&|| {
                let bytes = bytes.clone();
                time_once(|| load_owned(bytes))
            })
        }),
        Benchmark::new(Implementation::Pleach, "file", || {
            warm(&|| time_once(|| load(path).expect("the file was loaded before")))
        }),
        in_gltf_crate("slice"),
        in_gltf_crate("file"),
    ];
    // Each round is long.
    let rounds = effort.rounds.min(7);
    Ok(Table {
        title: format!("Load, {}", plan.name()),
        note: format!(
            "{:.0} MB: positions, normals, uvs and 32-bit indices. \
             `memcpy` copies the bytes of the file once, into newly allocated memory, as all \
             contenders do. pleach provides validated vertex arrays with bounds; the gltf crate \
             provides the bytes.",
            bytes.len() as f64 / 1e6,
        ),
        unit: ("ms", 1e6),
        baseline: Some("owned bytes"),
        rows: run_rounds(benchmarks, rounds),
    })
}
