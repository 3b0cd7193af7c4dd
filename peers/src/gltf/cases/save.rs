//! Saving of loaded files: unedited, and with nodes moved.

use std::cell::RefCell;
use std::path::Path;

use glam::Vec3;
use pleach_gltf::{Document, Format, load_bytes};

use crate::gltf::SampleFile;
use crate::gltf::gltf_crate::GltfCrate;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_once};

pub const LOAD: &str = "load, slice";
pub const UNEDITED: &str = "save, nothing moved";
pub const ONE_NODE: &str = "save, one node moved";
pub const ONE_PERCENT: &str = "save, 1 % of the nodes moved";

pub fn run(sample: &SampleFile, program: &Path, effort: Effort) -> Result<Table, String> {
    let SampleFile { plan, bytes, path } = sample;
    let read = || load_bytes(bytes).map_err(|error| error.to_string());
    let (unedited, mut one, mut some) = (read()?, read()?, read()?);
    if save(&unedited) != *bytes {
        return Err("the unedited document is not saved byte for byte".into());
    }
    // One in the middle; then one percent, spread over the file.
    let [one_index, every_100th] =
        [vec![plan.nodes / 2], (0..plan.nodes).step_by(100).collect::<Vec<_>>()];
    check(&mut one, &one_index)?;
    check(&mut some, &every_100th)?;
    let gltf_crate = RefCell::new(GltfCrate::start(program, path)?);
    let (mut first, mut second) = (0, 0);
    let benchmarks = vec![
        Benchmark::new(Implementation::Pleach, LOAD, || {
            time_once(|| load_bytes(bytes).expect("the file was loaded before"))
        }),
        Benchmark::new(Implementation::Pleach, UNEDITED, || time_once(|| save(&unedited))),
        Benchmark::new(Implementation::Pleach, ONE_NODE, || {
            first += 1;
            move_nodes(&mut one, &one_index, first);
            time_once(|| save(&one))
        }),
        Benchmark::new(Implementation::Pleach, ONE_PERCENT, || {
            second += 1;
            move_nodes(&mut some, &every_100th, second);
            time_once(|| save(&some))
        }),
        Benchmark::new(Implementation::Gltf, "JSON only", || {
            gltf_crate.borrow_mut().time("write JSON")
        }),
    ];
    Ok(Table {
        title: format!("Save, {}", plan.name()),
        note: "To a `.glb` in memory, by `save_bytes`; moving the nodes, and the update after it, \
               are not timed. Unedited data is written byte for byte. The gltf crate writes its \
               structures as JSON, without the binary data."
            .into(),
        unit: ("ms", 1e6),
        baseline: Some(LOAD),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}

fn save(document: &Document) -> Vec<u8> {
    document.save_bytes(Format::Glb).expect("the document is smaller than 4 GiB").bytes
}

/// Moves some nodes of the file to a new position.
fn move_nodes(document: &mut Document, nodes: &[usize], step: usize) {
    for &index in nodes {
        let node = document.node(0, index).expect("no node is removed");
        let graph = &mut document.scenes_mut()[0].graph;
        let translation = Vec3::new(step as f32, index as f32 * 0.25, 0.125);
        graph
            .node_mut(node)
            .expect("no node is removed")
            .set_translation(translation)
            .expect("the translation is finite");
    }
    document.scenes_mut()[0].update().expect("nothing else changed");
}

/// Checks that moved nodes are saved, and nothing else changes: the saved file loads with the same
/// local transforms.
fn check(document: &mut Document, moved: &[usize]) -> Result<(), String> {
    move_nodes(document, moved, 0);
    let saved = save(document);
    let reloaded = load_bytes(&saved).map_err(|error| error.to_string())?;
    let local = |document: &Document, index| {
        let node = document.node(0, index)?;
        Some(document.scenes()[0].graph.get(node)?.transform())
    };
    let count = document.scenes()[0].graph.len();
    let differs = (0..count).find(|&index| local(document, index) != local(&reloaded, index));
    match differs {
        Some(index) => Err(format!("node {index} differs after a save")),
        None => Ok(()),
    }
}
