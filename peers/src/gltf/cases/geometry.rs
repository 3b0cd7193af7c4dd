//! A load of a file that is nearly all vertices.

use std::cell::RefCell;
use std::path::Path;

use pleach_gltf::{load, load_bytes};

use super::given;
use crate::gltf::Sample;
use crate::gltf::generated_files::Plan;
use crate::gltf::gltf_crate::Peer;
use crate::rounds::{Effort, Lane, Table, Who, once, race};

/// 195 MB.
pub const PLAN: Plan = Plan { nodes: 9, is_full: true, mesh_each: 1, meshes: 8, side: 660 };

pub fn run(sample: &Sample, program: &Path, effort: Effort) -> Result<Table, String> {
    let Sample { plan, bytes, path } = sample;
    let document = load_bytes(bytes).map_err(|error| error.to_string())?;
    let scene = document.scene().ok_or("there is no scene")?;
    let node = document.node(0, 0).ok_or("node 0 is missing")?;
    let mesh = scene.mesh(node).ok_or("node 0 has no mesh")?;
    let vertices = mesh.parts[0].geometry.positions.len();
    if vertices != plan.side * plan.side {
        return Err(format!("a mesh has {vertices} vertices"));
    }
    drop(document);
    let peer = RefCell::new(Peer::start(program, path)?);
    let ask = |word: &'static str| {
        let peer = &peer;
        Lane::new(Who::Gltf, word, move || peer.borrow_mut().time(word))
    };
    // Once before, as the gltf crate's program does.
    let warm = |work: &dyn Fn() -> f64| {
        work();
        work()
    };
    let lanes = vec![
        Lane::new(Who::Memcpy, "", || warm(&|| once(|| bytes.to_vec()))),
        Lane::new(Who::Pleach, "slice", || {
            warm(&|| once(|| load_bytes(bytes).expect("it was right before")))
        }),
        Lane::new(Who::Pleach, "bytes given away", || {
            warm(&|| {
                let bytes = bytes.clone();
                once(|| given(bytes))
            })
        }),
        Lane::new(Who::Pleach, "file", || {
            warm(&|| once(|| load(path).expect("it was right before")))
        }),
        ask("slice"),
        ask("file"),
    ];
    // Each of them is long.
    let rounds = effort.rounds.min(7);
    Ok(Table {
        title: format!("Load, {}", plan.name()),
        note: format!(
            "{:.0} MB: positions, normals, uvs and 32-bit indices. \
             `memcpy` copies the file's bytes once, into memory that is new, as it is for all. pleach \
             has columns of vectors then, checked and with bounds; the gltf crate has the bytes.",
            bytes.len() as f64 / 1e6,
        ),
        unit: ("ms", 1e6),
        by: Some("bytes given away"),
        rows: race(lanes, rounds),
    })
}
