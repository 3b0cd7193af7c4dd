//! `pleach tree`: prints the nodes of a scene as a tree.

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
/// Prints a line for each node: the file's index, the name, the kinds (mesh, skinned mesh, camera,
/// light, joint, group), for meshes the number of triangles, vertices, parts and instances and the
/// size of the world bounds, and the node that hides it.
///
/// Units are metres, +Z up, except that --local is as in the file, +Y up. Joints outside the scene
/// that a skin uses come last: they are not rendered. With --json the nodes are an array in the
/// same order, with their parents.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach tree town.glb --depth 3 --kind mesh --filter door")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    #[command(flatten)]
    scene: SceneArgs,

    /// Show at most LEVELS levels; 1 for the root nodes
    #[arg(long, value_name = "LEVELS", value_parser = levels)]
    depth: Option<usize>,

    /// Only nodes whose names contain this text, ignoring case, and their ancestors
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Only nodes of this kind and their ancestors; may be repeated
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<NodeKind>,

    /// Also print local transforms, as in the file
    #[arg(long)]
    local: bool,

    /// Also print world transforms: the axes and the origin
    #[arg(long)]
    world: bool,

    /// Draw the tree with ASCII characters
    #[arg(long)]
    ascii: bool,
}

fn levels(text: &str) -> Result<usize, String> {
    let levels = text.parse().ok().filter(|&levels| levels > 0);
    levels.ok_or_else(|| "expected a positive number of levels".into())
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
