//! `pleach tree`: the nodes of a scene, as a tree.

mod kinds;
mod node_rows;
mod select;
mod text;

use std::path::PathBuf;

use self::kinds::{Kinds, NodeKind};
use self::node_rows::Rows;
use self::select::Selection;
use crate::input::open::open;
use crate::input::resolve::{SceneArgs, scene};
use crate::report::hidden_by::HiddenBy;
use crate::report::labels::Indices;
use crate::report::output::{Output, Verdict};

/// Print the nodes of a scene as a tree
///
/// A line for each node: the file's index, its name, what it is (mesh, skinned mesh, camera, light,
/// joint, group; a node may be several), of meshes the triangles, vertices, parts, copies and the size of
/// the box around them in the world, and whether it is hidden, by itself or by which node above.
///
/// Metres, Z up; only --local is as in the file, where +Y is up. Joints that a skin takes from
/// outside of the scene come last: they pose, but are not shown. With --json the nodes are a list
/// in the same order, with their parents.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach tree town.glb --depth 3 --kind mesh --filter door")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    #[command(flatten)]
    scene: SceneArgs,

    /// Show so many levels; 1 for the topmost nodes
    #[arg(long, value_name = "LEVELS", value_parser = levels)]
    depth: Option<usize>,

    /// Only nodes with this text in their names, upper and lower case alike, and what is above them
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Only nodes of this kind, and what is above them; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<NodeKind>,

    /// Also tell transforms relative to the parent, as the file has them
    #[arg(long)]
    local: bool,

    /// Also tell transforms in the world: where the node's axes and its origin are
    #[arg(long)]
    world: bool,

    /// Draw with plain letters
    #[arg(long)]
    ascii: bool,
}

fn levels(text: &str) -> Result<usize, String> {
    let levels = text.parse().ok().filter(|&levels| levels > 0);
    levels.ok_or_else(|| "a number of levels from 1 on is expected".into())
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let document = open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    let scene = scene(&document, number)?;
    let kinds = Kinds::of(scene);
    let selection = Selection::of(&document, number, args, &kinds)?;
    let (indices, hidden) = (Indices::of(&document, number), HiddenBy::new(&scene.graph));
    let rows = Rows { args, scene, number, indices, kinds, hidden, selection };
    output.answer(&rows, |output| text::print(&rows, output))?;
    Ok(Verdict::Pass)
}
