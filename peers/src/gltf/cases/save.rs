//! Saves of what was loaded: as it was, and with nodes moved.

use std::cell::RefCell;
use std::path::Path;

use glam::Vec3;
use pleach_gltf::{Document, Format, load_bytes};

use crate::gltf::Sample;
use crate::gltf::gltf_crate::Peer;
use crate::rounds::{Effort, Lane, Table, Who, once, race};

pub const LOAD: &str = "load, slice";
pub const UNEDITED: &str = "save, nothing moved";
pub const ONE: &str = "save, one node moved";
pub const SOME: &str = "save, 1 % of the nodes moved";

pub fn run(sample: &Sample, program: &Path, effort: Effort) -> Result<Table, String> {
    let Sample { plan, bytes, path } = sample;
    let read = || load_bytes(bytes).map_err(|error| error.to_string());
    let (unedited, mut one, mut some) = (read()?, read()?, read()?);
    if save(&unedited) != *bytes {
        return Err("what was not edited is not saved as it was".into());
    }
    // One in the middle; then spread over the file.
    let [middle, spread] = [vec![plan.nodes / 2], (0..plan.nodes).step_by(100).collect::<Vec<_>>()];
    check(&mut one, &middle)?;
    check(&mut some, &spread)?;
    let peer = RefCell::new(Peer::start(program, path)?);
    let (mut first, mut second) = (0, 0);
    let lanes = vec![
        Lane::new(Who::Pleach, LOAD, || once(|| load_bytes(bytes).expect("it was right before"))),
        Lane::new(Who::Pleach, UNEDITED, || once(|| save(&unedited))),
        Lane::new(Who::Pleach, ONE, || {
            first += 1;
            shift(&mut one, &middle, first);
            once(|| save(&one))
        }),
        Lane::new(Who::Pleach, SOME, || {
            second += 1;
            shift(&mut some, &spread, second);
            once(|| save(&some))
        }),
        Lane::new(Who::Gltf, "JSON alone", || peer.borrow_mut().time("write JSON")),
    ];
    Ok(Table {
        title: format!("Save, {}", plan.name()),
        note: "To a `.glb` in memory, by `save_bytes`; what moves the nodes, and the update after \
               it, are not timed. What was not moved is written as it was, byte for byte. The gltf \
               crate writes its structures as JSON, without the bytes."
            .into(),
        unit: ("ms", 1e6),
        by: Some(LOAD),
        rows: race(lanes, effort.rounds),
    })
}

fn save(document: &Document) -> Vec<u8> {
    document.save_bytes(Format::Glb).expect("it fits in a .glb").bytes
}

/// Moves some of the file's nodes to somewhere new.
fn shift(document: &mut Document, nodes: &[usize], step: usize) {
    for &index in nodes {
        let node = document.node(0, index).expect("nobody dies");
        let graph = &mut document.scenes_mut()[0].graph;
        let place = Vec3::new(step as f32, index as f32 * 0.25, 0.125);
        graph.node_mut(node).expect("nobody dies").set_translation(place).expect("it is finite");
    }
    document.scenes_mut()[0].update().expect("nothing else changed");
}

/// What was moved is saved so, and nothing else is: it loads with the same locals again.
fn check(document: &mut Document, moved: &[usize]) -> Result<(), String> {
    shift(document, moved, 0);
    let saved = save(document);
    let again = load_bytes(&saved).map_err(|error| error.to_string())?;
    let local = |document: &Document, index| {
        let node = document.node(0, index)?;
        Some(document.scenes()[0].graph.get(node)?.transform())
    };
    let count = document.scenes()[0].graph.len();
    let differs = (0..count).find(|&index| local(document, index) != local(&again, index));
    match differs {
        Some(index) => Err(format!("node {index} is another one after a save")),
        None => Ok(()),
    }
}
