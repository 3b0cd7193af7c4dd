//! The memory use of a loaded file by category.
//!
//! Exact where the libraries report it; elsewhere estimated as the number of elements times their
//! size as measured by the tests of the libraries.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach::animation::{Clip, Track};
use pleach::{
    AssetId, AssetVersion, Geometry, Handle, ImageData, Mesh, NodeId, Part as MeshPart, Scene,
};
use pleach_gltf::Document;
use serde::Serialize;

use crate::input::raw_json::{array_len, buffer_bytes};

/// Bytes per node of a graph.
const NODE: usize = 170;
/// Bytes per name, in addition to its characters.
const NAME: usize = 16;
/// Bytes per node with bounds in a spatial index.
const BOUNDS: usize = 280;
/// Bytes per instance: matrix, box, and its share of the tree.
const INSTANCE: usize = 64 + 24 + 40;
/// Bytes per joint of a skin: its handle and its joint matrix.
const JOINT: usize = 8 + 64 + 4;
/// Bytes per inverse bind matrix, which skins share.
const BIND: usize = 64;

/// The memory use of a loaded file.
#[derive(Debug, Serialize)]
pub(super) struct Memory {
    /// After loading.
    pub(super) loaded: Vec<Part>,
    pub(super) loaded_bytes: usize,
    /// Created on first use.
    pub(super) on_demand: Vec<Part>,
}

/// The memory use of one category.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    pub(super) category: &'static str,
    pub(super) bytes: usize,
    /// `true` if `bytes` is estimated rather than exact.
    pub(super) estimated: bool,
    /// The number of elements.
    pub(super) count: usize,
    pub(super) unit: &'static str,
}

impl Memory {
    pub(super) fn of(document: &Document) -> Self {
        let scenes: Vec<&Scene> =
            document.scenes().iter().chain(document.unreferenced_nodes()).collect();
        let mut loaded = Vec::new();
        loaded.extend(graph_memory(&scenes));
        loaded.extend(component_memory(&scenes));
        let geometries = geometries(document);
        let bytes = Geometry::memory_of(geometries.iter().map(|it| it.value()));
        loaded.push(counted("geometries", bytes, geometries.len(), "geometry"));
        loaded.push(materials(document));
        let images = document.images();
        let bytes = images.iter().map(|it| it.get().memory()).sum();
        loaded.push(counted("images", bytes, images.len(), "image"));
        loaded.push(animations(document));
        loaded.push(counted("json", document.json().len(), 1, "file"));
        loaded.push(buffers(document));
        let loaded_bytes = loaded.iter().fold(0, |sum: usize, it| sum.saturating_add(it.bytes));
        let on_demand = vec![triangle_trees(&geometries), decoded(document)];
        Self { loaded, loaded_bytes, on_demand }
    }
}

fn counted(category: &'static str, bytes: usize, count: usize, unit: &'static str) -> Part {
    Part { category, bytes, estimated: false, count, unit }
}

fn estimated(category: &'static str, bytes: usize, count: usize, unit: &'static str) -> Part {
    Part { category, bytes, estimated: true, count, unit }
}

fn graph_memory(scenes: &[&Scene]) -> [Part; 3] {
    let nodes = scenes.iter().map(|scene| scene.graph.len()).sum();
    let slots: usize = scenes.iter().map(|scene| scene.graph.parents().len()).sum();
    let boxes = scenes.iter().map(|scene| scene.spatial.len()).sum();
    let names = scenes.iter().flat_map(|scene| {
        let name = |node: NodeId| scene.graph.get(node).and_then(|node| node.name());
        scene.graph.depth_first().filter_map(name)
    });
    let (count, letters) = names.fold((0, 0), |(count, all), it| (count + 1, all + it.len()));
    [
        estimated("graph", nodes * NODE, nodes, "node"),
        estimated("names", count * NAME + letters, count, "name"),
        estimated("spatial index", boxes * BOUNDS + slots * 4, boxes, "box"),
    ]
}

fn component_memory(scenes: &[&Scene]) -> [Part; 3] {
    let mut meshes = (0, 0);
    let mut instances = 0;
    let mut joints = 0;
    let mut binds = BTreeSet::new();
    for scene in scenes {
        for (_, mesh) in scene.meshes.iter(&scene.graph) {
            let bytes = size_of::<Mesh>() + mesh.parts.len() * size_of::<MeshPart>();
            meshes = (meshes.0 + 1, meshes.1 + bytes);
            instances += mesh.instances.as_ref().map_or(0, |it| it.len());
        }
        for (_, skin) in scene.skins.iter(&scene.graph) {
            joints += skin.joints.len();
            binds.insert((
                Arc::as_ptr(&skin.inverse_bind_matrices).addr(),
                skin.inverse_bind_matrices.len(),
            ));
        }
    }
    let binds: usize = binds.iter().map(|&(_, matrices)| matrices * BIND).sum();
    [
        estimated("meshes", meshes.1, meshes.0, "mesh"),
        estimated("instances", instances * INSTANCE, instances, "instance"),
        estimated("skins", joints * JOINT + binds, joints, "joint"),
    ]
}

/// Returns the distinct geometries of the file's meshes.
fn geometries(document: &Document) -> Vec<Arc<AssetVersion<Geometry>>> {
    let mut seen: BTreeSet<AssetId> = BTreeSet::new();
    let all = document.meshes().iter().flatten().map(|part| &part.geometry);
    all.filter(|geometry| seen.insert(geometry.id())).map(Handle::snapshot).collect()
}

fn materials(document: &Document) -> Part {
    let count = document.materials().len();
    estimated("materials", count * size_of::<pleach::Material>(), count, "material")
}

fn animations(document: &Document) -> Part {
    let clips = document.animations().iter().map(|it| clip_bytes(it.clip()));
    counted("animations", clips.sum(), document.animations().len(), "animation")
}

/// Returns the size of the keys; times that channels share are counted once.
fn clip_bytes(clip: &Clip) -> usize {
    let mut time_arrays = BTreeSet::new();
    let values = clip.channels().iter().map(|channel| {
        let times = channel.track().times();
        time_arrays.insert((Arc::as_ptr(times).addr(), size_of_val(&**times)));
        match channel.track() {
            Track::Translation(curve) | Track::Scale(curve) => size_of_val(curve.values()),
            Track::Rotation(curve) => size_of_val(curve.values()),
            Track::Weights(curve) => size_of_val(curve.values()),
        }
    });
    let values: usize = values.sum();
    values + time_arrays.iter().map(|&(_, bytes)| bytes).sum::<usize>()
}

/// The buffers, kept so that the file can be saved unchanged.
fn buffers(document: &Document) -> Part {
    let bytes = usize::try_from(buffer_bytes(document)).unwrap_or(usize::MAX);
    estimated("buffers", bytes, array_len(document, "/buffers"), "buffer")
}

/// The triangle trees, built here to measure them.
fn triangle_trees(geometries: &[Arc<AssetVersion<Geometry>>]) -> Part {
    let bytes = geometries.iter().map(|it| it.tree().memory()).sum();
    let triangles = geometries.iter().map(|it| it.triangle_count()).sum();
    counted("triangle trees", bytes, triangles, "triangle")
}

/// The decoded images, at four bytes per pixel.
fn decoded(document: &Document) -> Part {
    let pixels = |image: &pleach::Image| match &image.data {
        ImageData::Encoded { bytes, .. } => {
            let (width, height) = pleach_gltf::image_size(bytes)?;
            Some(u64::from(width) * u64::from(height))
        }
        ImageData::Rgba8 { width, height, .. } => Some(u64::from(*width) * u64::from(*height)),
        _ => None,
    };
    let pixels = document.images().iter().filter_map(|image| pixels(&image.get()));
    let pixels = pixels.fold(0, u64::saturating_add);
    let pixels = usize::try_from(pixels).unwrap_or(usize::MAX);
    estimated("decoded images", pixels.saturating_mul(4), pixels, "pixel")
}
