//! Loads of files with many nodes.

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use glam::DMat4;
use pleach::{Camera, Node, NodeId, RenderList, Scene, Visible};
use pleach_gltf::{Document, load, load_bytes};

use super::given;
use crate::gltf::Sample;
use crate::gltf::generated_files::Plan;
use crate::gltf::gltf_crate::Peer;
use crate::rounds::{Effort, Lane, Table, Who, once, race};

pub const SLICE: &str = "slice";
pub const DROPPED: &str = "slice, with drop";
const GIVEN: &str = "bytes given away";
pub const FILE: &str = "file";
const DRAWN: &str = "slice, then a list of draws";

/// The first is the one that the bars are about.
pub const PLANS: [Plan; 3] = [
    Plan { nodes: 100_000, is_full: true, mesh_each: 2, meshes: 100, side: 5 },
    Plan { nodes: 100_000, is_full: false, mesh_each: 0, meshes: 1, side: 5 },
    Plan { nodes: 10_000, is_full: true, mesh_each: 1, meshes: 10_000, side: 5 },
];

pub fn run(sample: &Sample, program: &Path, effort: Effort) -> Result<Table, String> {
    let Sample { plan, bytes, path } = sample;
    check(&load_bytes(bytes).map_err(|error| error.to_string())?, *plan)?;
    let peer = RefCell::new(Peer::start(program, path)?);
    let slice = || load_bytes(bytes).expect("the file is right");
    // Once before, as the gltf crate's program does: each has its own memory warm then.
    let warm = |work: &dyn Fn() -> f64| {
        work();
        work()
    };
    let ask = |word: &'static str| {
        let peer = &peer;
        Lane::new(Who::Gltf, word, move || peer.borrow_mut().time(word))
    };
    let lanes = vec![
        Lane::new(Who::Pleach, SLICE, || warm(&|| once(slice))),
        Lane::new(Who::Pleach, DROPPED, || {
            warm(&|| {
                let start = Instant::now();
                drop(std::hint::black_box(slice()));
                start.elapsed().as_nanos() as f64
            })
        }),
        Lane::new(Who::Pleach, GIVEN, || {
            warm(&|| {
                let bytes = bytes.clone();
                once(|| given(bytes))
            })
        }),
        Lane::new(Who::Pleach, FILE, || warm(&|| once(|| load(path).expect("the file is right")))),
        Lane::new(Who::Pleach, DRAWN, || warm(&|| once(|| drawn(slice())))),
        ask(SLICE),
        ask(DROPPED),
        ask(FILE),
    ];
    let megabytes = bytes.len() as f64 / 1e6;
    Ok(Table {
        title: format!("Load, {}", plan.name()),
        note: format!(
            "{megabytes:.1} MB, of which {:.1} MB JSON. A slice is copied (by both), given bytes are \
             not; the file is on disk and in the system's cache.",
            crate::gltf::generated_files::json_len(bytes) as f64 / 1e6,
        ),
        unit: ("ms", 1e6),
        by: Some(SLICE),
        rows: race(lanes, effort.rounds),
    })
}

/// The first frame: a camera that sees some of it, and what to draw.
fn drawn(mut document: Document) -> (Document, RenderList) {
    let scene = document.scene_mut().expect("the file has a scene");
    let camera = scene.spawn(Node::camera(Camera::perspective(1.0, 1.0)));
    let camera = camera.expect("the root is there");
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let view = scene.visible_meshes(camera, (1920, 1080), &mut visible);
    list.build(scene, &visible, &view.expect("the camera is well"));
    (document, list)
}

/// All nodes and meshes are there, and their worlds are right.
fn check(document: &Document, plan: Plan) -> Result<(), String> {
    let scene = document.scene().ok_or("there is no scene")?;
    let mut meshes = 0;
    for index in 0..plan.nodes {
        let id = document.node(0, index).ok_or(format!("node {index} is missing"))?;
        let node = scene.graph.get(id).expect("it was just found");
        let name = plan.is_full.then(|| format!("node {index}"));
        if node.name() != name.as_deref() {
            return Err(format!("node {index} is called {:?}", node.name()));
        }
        meshes += usize::from(scene.mesh(id).is_some());
        // All of them would take longer than the loads.
        if index % 997 == 0 {
            check_world(scene, id)?;
        }
    }
    let wanted = if plan.mesh_each == 0 { 0 } else { plan.nodes.div_ceil(plan.mesh_each) };
    if meshes != wanted {
        return Err(format!("{meshes} nodes have a mesh, not {wanted}"));
    }
    Ok(())
}

fn check_world(scene: &Scene, id: NodeId) -> Result<(), String> {
    let (mut right, mut next) = (DMat4::IDENTITY, Some(id));
    while let Some(id) = next {
        let node = scene.graph.get(id).expect("a parent is there");
        right = node.local_matrix().as_dmat4() * right;
        next = node.parent();
    }
    let world = scene.graph.get(id).expect("it is there").world().as_dmat4();
    let largest = right.to_cols_array().into_iter().fold(0.0, |all: f64, it| all.max(it.abs()));
    if world.abs_diff_eq(right, 1e-4 * largest) {
        Ok(())
    } else {
        Err(format!("the world of {id:?} is {world}, not {right}"))
    }
}
