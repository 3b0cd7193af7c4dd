//! Loading of files with many nodes.

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use glam::DMat4;
use pleach::{Camera, Node, NodeId, RenderList, Scene, Visible};
use pleach_gltf::{Document, load, load_bytes};

use super::load_owned;
use crate::gltf::SampleFile;
use crate::gltf::generated_files::Plan;
use crate::gltf::gltf_crate::GltfCrate;
use crate::rounds::{Benchmark, Effort, Implementation, Table, run_rounds, time_once};

pub const SLICE: &str = "slice";
pub const WITH_DROP: &str = "slice, with drop";
const OWNED: &str = "owned bytes";
pub const FILE: &str = "file";
const WITH_RENDER_LIST: &str = "slice, then a render list";

/// The files; the targets apply to the first.
pub const PLANS: [Plan; 3] = [
    Plan { nodes: 100_000, is_full: true, mesh_each: 2, meshes: 100, side: 5 },
    Plan { nodes: 100_000, is_full: false, mesh_each: 0, meshes: 1, side: 5 },
    Plan { nodes: 10_000, is_full: true, mesh_each: 1, meshes: 10_000, side: 5 },
];

pub fn run(sample: &SampleFile, program: &Path, effort: Effort) -> Result<Table, String> {
    let SampleFile { plan, bytes, path } = sample;
    check(&load_bytes(bytes).map_err(|error| error.to_string())?, *plan)?;
    let gltf_crate = RefCell::new(GltfCrate::start(program, path)?);
    let slice = || load_bytes(bytes).expect("the file is valid");
    // One untimed load before, as in the gltf crate's program, so that the memory of both is warm.
    let warm = |work: &dyn Fn() -> f64| {
        work();
        work()
    };
    let in_gltf_crate = |command: &'static str| {
        let gltf_crate = &gltf_crate;
        Benchmark::new(Implementation::Gltf, command, move || gltf_crate.borrow_mut().time(command))
    };
    let benchmarks = vec![
        Benchmark::new(Implementation::Pleach, SLICE, || warm(&|| time_once(slice))),
        Benchmark::new(Implementation::Pleach, WITH_DROP, || {
            warm(&|| {
                let start = Instant::now();
                drop(std::hint::black_box(slice()));
                start.elapsed().as_nanos() as f64
            })
        }),
        Benchmark::new(Implementation::Pleach, OWNED, || {
            warm(&|| {
                let bytes = bytes.clone();
                time_once(|| load_owned(bytes))
            })
        }),
        Benchmark::new(Implementation::Pleach, FILE, || {
            warm(&|| time_once(|| load(path).expect("the file is valid")))
        }),
        Benchmark::new(Implementation::Pleach, WITH_RENDER_LIST, || {
            warm(&|| time_once(|| first_render_list(slice())))
        }),
        in_gltf_crate(SLICE),
        in_gltf_crate(WITH_DROP),
        in_gltf_crate(FILE),
    ];
    let megabytes = bytes.len() as f64 / 1e6;
    Ok(Table {
        title: format!("Load, {}", plan.name()),
        note: format!(
            "{megabytes:.1} MB, of which {:.1} MB JSON. A slice is copied (by both), owned bytes are not; \
             the file is in the page cache.",
            crate::gltf::generated_files::json_len(bytes) as f64 / 1e6,
        ),
        unit: ("ms", 1e6),
        baseline: Some(SLICE),
        rows: run_rounds(benchmarks, effort.rounds),
    })
}

/// Adds a camera and builds the first render list.
fn first_render_list(mut document: Document) -> (Document, RenderList) {
    let scene = document.scene_mut().expect("the file has a scene");
    let camera = scene.spawn(Node::camera(Camera::perspective(1.0)));
    let camera = camera.expect("the root exists");
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let view = scene.visible_meshes(camera, (1920, 1080), &mut visible);
    list.build(scene, &visible, &view.expect("the camera is valid"));
    (document, list)
}

/// Checks that all nodes and meshes are present and their worlds are correct.
fn check(document: &Document, plan: Plan) -> Result<(), String> {
    let scene = document.scene().ok_or("there is no scene")?;
    let mut meshes = 0;
    for index in 0..plan.nodes {
        let id = document.node(0, index).ok_or(format!("node {index} is missing"))?;
        let node = scene.graph.get(id).expect("the node was just found");
        let name = plan.is_full.then(|| format!("node {index}"));
        if node.name() != name.as_deref() {
            return Err(format!("node {index} has the name {:?}", node.name()));
        }
        meshes += usize::from(scene.mesh(id).is_some());
        // Checking all would take longer than the loads.
        if index % 997 == 0 {
            check_world(scene, id)?;
        }
    }
    let expected = if plan.mesh_each == 0 { 0 } else { plan.nodes.div_ceil(plan.mesh_each) };
    if meshes != expected {
        return Err(format!("{meshes} nodes have a mesh, expected {expected}"));
    }
    Ok(())
}

fn check_world(scene: &Scene, id: NodeId) -> Result<(), String> {
    let (mut expected, mut next) = (DMat4::IDENTITY, Some(id));
    while let Some(id) = next {
        let node = scene.graph.get(id).expect("the parent exists");
        expected = node.local_matrix().as_dmat4() * expected;
        next = node.parent();
    }
    let world = scene.graph.get(id).expect("the node exists").world().as_dmat4();
    let largest = expected.to_cols_array().into_iter().fold(0.0, |all: f64, it| all.max(it.abs()));
    if world.abs_diff_eq(expected, 1e-4 * largest) {
        Ok(())
    } else {
        Err(format!("the world of {id:?} is {world}, expected {expected}"))
    }
}
