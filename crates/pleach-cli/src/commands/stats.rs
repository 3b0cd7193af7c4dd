//! `pleach stats`: reports the costs of a scene.

mod memory;
mod moves;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach::{AssetId, NodeId, Scene};
use pleach_gltf::Document;
use serde::Serialize;

use self::memory::Memory;
use self::moves::Move;
use crate::input::open::open;
use crate::input::resolve::{SceneArgs, roots_parent, scene, scene_mut};
use crate::report::labels::Indices;
use crate::report::output::{Output, Verdict};

/// Report the costs of a scene: memory, levels, updates
///
/// Memory is that of the whole loaded file by category, followed by data that are created on first
/// use: triangle trees for picking, decoded images. Values marked `about` are estimated from the
/// number of elements and their measured size; the others are exact.
///
/// Levels are the number of nodes by depth. Update costs are measured by moving each root node by a
/// metre and updating: the nodes whose world transforms changed, the bounds that changed, the skins
/// that were posed. The 20 most expensive nodes are shown; --json lists all.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach stats town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    #[command(flatten)]
    scene: SceneArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    let memory = Memory::of(&document);
    let indices = Indices::of(&document, number);
    let top = roots_parent(&document, number, scene(&document, number)?);
    let moves = moves::moves(scene_mut(&mut document, number)?, top, &indices)?;
    let scene = scene(&document, number)?;
    let stats = Stats {
        file: args.file.display().to_string(),
        scene: number,
        name: Some(scene.name.clone()).filter(|name| !name.is_empty()),
        memory,
        levels: Levels::of(scene, top),
        moves,
        materials: materials(&document, scene),
    };
    output.answer(&stats, |output| text::print(&stats, output))?;
    Ok(Verdict::Pass)
}

/// The costs of a scene.
#[derive(Debug, Serialize)]
struct Stats {
    file: String,
    scene: usize,
    name: Option<String>,
    memory: Memory,
    levels: Levels,
    /// Sorted by index.
    moves: Vec<Move>,
    /// Sorted by index; the default material last.
    materials: Vec<MaterialUse>,
}

/// The number of nodes by depth.
#[derive(Debug, Serialize)]
struct Levels {
    total: usize,
    /// By level, from the root nodes.
    nodes: Vec<usize>,
    /// The level with the most nodes, starting at 1; 0 if there are none.
    widest: usize,
}

impl Levels {
    fn of(scene: &Scene, top: NodeId) -> Self {
        let mut nodes = Vec::new();
        if let Some(top) = scene.graph.get(top) {
            for node in top.descendants().skip(1).filter_map(|node| scene.graph.get(node)) {
                let level = node.depth() - top.depth() - 1;
                if nodes.len() <= level {
                    nodes.resize(level + 1, 0);
                }
                nodes[level] += 1;
            }
        }
        let max = nodes.iter().copied().max().unwrap_or(0);
        let widest = nodes.iter().position(|&it| it == max).map_or(0, |level| level + 1);
        Self { total: nodes.iter().sum(), nodes, widest }
    }
}

/// The use of a material.
#[derive(Debug, Serialize)]
struct MaterialUse {
    /// The file's index; null for the default material.
    index: Option<usize>,
    name: Option<String>,
    /// The number of mesh parts, counted for each node.
    parts: usize,
    /// The triangles of these parts, times their instances.
    triangles: usize,
}

/// Returns the materials that the scene uses.
fn materials(document: &Document, scene: &Scene) -> Vec<MaterialUse> {
    let known: BTreeMap<AssetId, usize> =
        document.materials().iter().enumerate().map(|(index, it)| (it.id(), index)).collect();
    // The default material, which has no index, is last.
    let mut uses: BTreeMap<usize, MaterialUse> = BTreeMap::new();
    for (_, mesh) in scene.meshes.iter(&scene.graph) {
        let instances = mesh.instances.as_ref().map_or(1, |it| it.len());
        for part in &mesh.parts {
            let index = known.get(&part.material.id()).copied();
            let name = part.material.get().name.clone();
            let entry = uses.entry(index.unwrap_or(usize::MAX));
            let entry = entry.or_insert(MaterialUse { index, name, parts: 0, triangles: 0 });
            entry.parts += 1;
            let triangles = part.geometry.get().triangle_count().saturating_mul(instances);
            entry.triangles = entry.triangles.saturating_add(triangles);
        }
    }
    uses.into_values().collect()
}
