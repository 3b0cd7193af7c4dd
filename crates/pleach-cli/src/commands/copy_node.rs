//! `pleach copy-node`: copies a node with its descendants from one file into another.
//!
//! Both files are loaded with +Y up, so that the orientation is preserved. References to objects
//! that are not copied are omitted, with a note.

mod contents;
mod omitted;

use std::path::PathBuf;

use anyhow::{Context, bail};
use pleach::NodeId;
use pleach_gltf::{Document, Options};
use serde::Serialize;

use self::contents::CopiedContents;
use self::omitted::GltfEntries;
use super::convert::model_files::{ModelFiles, parse_model_path};
use super::convert::overwrite::guard;
use crate::input::open;
use crate::input::resolve::{self, SceneArgs, join_truncated};
use crate::report::new_file::write_options;
use crate::report::output::{NAME, OneLine, Output, Styled, Verdict};
use crate::report::units::count;

/// Copy a node with its descendants from one file into another
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach copy-node town.glb Lamp park.glb -o park-lit.glb\n\n\
    Copies transforms, names, visibility, meshes with materials and images, instances, skins\n\
    whose joints are copied, morph weights, cameras, lights, and animation channels of the copied\n\
    nodes, with the extras of nodes. Other extras, unknown extensions that may refer to objects by\n\
    index, unknown attributes, and names of meshes, textures, skins, cameras and lights are not\n\
    copied; notes list them.\n\
    NODE is searched in the default scene of FROM, then in its others; --scene is one of INTO.\n\
    OUT is overwritten if it exists. FROM, INTO, the files they reference and unrelated files next\n\
    to OUT are overwritten only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file to copy from
    from: PathBuf,

    /// The node of FROM, by name or by index as #12
    node: String,

    /// The .gltf or .glb file to copy into
    into: PathBuf,

    /// The output file; its extension, .gltf or .glb, selects the format
    #[arg(short, long, value_name = "OUT", value_parser = parse_model_path)]
    output: PathBuf,

    /// Attach the copy to this node of INTO, by name or #index [default: the root of the scene]
    #[arg(long, value_name = "NODE")]
    under: Option<String>,

    /// Preserve the world transform instead of the local transform
    #[arg(long)]
    keep_world: bool,

    #[command(flatten)]
    scene: SceneArgs,

    /// Overwrite FROM, INTO, files they reference and unrelated files next to OUT if necessary
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The index of the copy in OUT; its descendants follow it.
    node: usize,
    /// The number of copied nodes.
    nodes: usize,
    /// The scenes of OUT that contain it: several if they share its parent.
    scenes: Vec<usize>,
    copied: CopiedContents,
    /// Descriptions of what was not copied.
    omitted: Vec<String>,
    out: ModelFiles,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut from = open::open_with(&args.from, Options::new().with_threads(0).keep_y_up())?;
    let mut into = open::open_with(&args.into, Options::new().with_threads(0).keep_y_up())?;
    let (number, node) =
        find_node(&from, &args.node).with_context(|| args.from.display().to_string())?;
    let targets = targets(&into, args).with_context(|| args.into.display().to_string())?;
    let removed_skins = contents::remove_incomplete_skins(&mut from, number, node)?;
    let entries = GltfEntries::of(&from);
    let nodes = indices(&from, number, node)?;
    let mut omitted = entries.omitted(&nodes);
    omitted.extend(removed_skins);
    let (copied, root) =
        copy(args, (&mut from, number, node), (&mut into, &targets), &entries, &mut omitted)?;
    let saved = into.save_bytes_for(&args.output)?;
    if !args.force {
        guard(&args.output, &saved, &[&ModelFiles::of(&args.from)?, &ModelFiles::of(&args.into)?])?;
    }
    saved.write_with(&args.output, &write_options())?;
    omitted.extend(saved.report.warnings().iter().map(ToString::to_string));
    for what in &omitted {
        output.note(what);
    }
    let mut scenes: Vec<usize> = targets.iter().map(|target| target.0).collect();
    scenes.retain(|&scene| scene < into.scenes().len());
    scenes.sort_unstable();
    if let (Some(under), [_, _, ..]) = (&args.under, &*scenes) {
        let scenes = join_truncated(scenes.iter().map(ToString::to_string));
        output.note(format_args!("scenes {scenes} share node {under}: the copy is in all of them"));
    }
    // The copy was attached to a scene.
    let index = saved.index_of(targets[0].0, root).context("the copy was not saved")?;
    let out = ModelFiles::of(&args.output)?;
    let answer = Answer { node: index, nodes: nodes.len(), scenes, copied, omitted, out };
    output.answer(&answer, |output| {
        let nodes = count(answer.nodes, "node");
        let name = Styled(NAME, OneLine(&args.node));
        let copied = &answer.copied;
        output.line(format_args!("copied   {name} as #{index}: {nodes}{copied}"))?;
        output.line(format_args!("written  {}", answer.out))
    })?;
    Ok(Verdict::Pass)
}

/// Returns the node to copy, from the default scene or else the first other scene that contains it.
fn find_node(document: &Document, wanted: &str) -> anyhow::Result<(usize, NodeId)> {
    let shown = document.default_scene().unwrap_or(0);
    let count = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
    let mut first = None;
    for number in std::iter::once(shown).chain(0..count).filter(|&number| number < count) {
        match own_node(document, number, wanted) {
            Ok(node) => return Ok((number, node)),
            Err(error) => {
                // An ambiguous name is an error of this scene. `#1` is an index, not a name.
                let scene = resolve::scene(document, number)?;
                let mut named = scene.graph.find_all(wanted).filter(|_| !wanted.starts_with('#'));
                if named.any(|node| document.index_of(number, node).is_some()) {
                    return Err(error);
                }
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| anyhow::anyhow!("the file has no nodes")))
}

/// Returns a node of the scene itself, excluding joints outside the scene.
fn own_node(document: &Document, number: usize, wanted: &str) -> anyhow::Result<NodeId> {
    let own = |number: usize| {
        resolve::node(document, number, wanted)
            .map(|node| Some(node).filter(|&node| document.index_of(number, node).is_some()))
    };
    let scenes = document.scenes().len();
    match own(number)? {
        Some(node) => Ok(node),
        None => match (0..scenes).find(|&other| matches!(own(other), Ok(Some(_)))) {
            Some(other) => bail!("node {wanted} is not in scene {number} but in scene {other}"),
            None => bail!("node {wanted} is not in any scene"),
        },
    }
}

/// Returns the file's indices of a node and its descendants, and whether each has a skin that is
/// copied.
fn indices(document: &Document, number: usize, root: NodeId) -> anyhow::Result<Vec<(usize, bool)>> {
    let scene = resolve::scene(document, number)?;
    let file = |node| Some((document.index_of(number, node)?, scene.skin(node).is_some()));
    Ok(scene.node(root)?.descendants().filter_map(file).collect())
}

/// Returns the scene and parent of the copy, followed by the other scenes that contain the same
/// parent.
fn targets(into: &Document, args: &Args) -> anyhow::Result<Vec<(usize, NodeId)>> {
    let number = args.scene.resolve(into)?;
    let Some(wanted) = &args.under else {
        return Ok(vec![(number, resolve::scene(into, number)?.root())]);
    };
    let under = own_node(into, number, wanted)?;
    let index = into.index_of(number, under);
    let others = (0..into.scenes().len()).filter(|&other| other != number);
    let others = others.filter_map(|other| {
        let node = into.node(other, index?)?;
        into.index_of(other, node).map(|_| (other, node))
    });
    Ok(std::iter::once((number, under)).chain(others).collect())
}

/// Copies the node to all targets, then its animations. Returns the copied contents and the first
/// copy.
fn copy(
    args: &Args,
    (from, number, node): (&mut Document, usize, NodeId),
    (into, targets): (&mut Document, &[(usize, NodeId)]),
    entries: &GltfEntries,
    omitted: &mut Vec<String>,
) -> anyhow::Result<(CopiedContents, NodeId)> {
    if args.keep_world {
        resolve::scene_mut(from, number)?.graph.detach_in_place(node)?;
    }
    let copied_from = resolve::scene(from, number)?;
    let mut copied = CopiedContents::of(copied_from, node);
    let mut first = None;
    for &(scene, under) in targets {
        let target = resolve::scene_mut(into, scene)?;
        let clones = target.clone_subtree_from(copied_from, node, Some(under))?;
        if args.keep_world {
            // Below the root its local transform is its world transform.
            let (clone, root) = (clones.root(), target.root());
            target.graph.attach(clone, root)?;
            target.graph.attach_in_place(clone, under)?;
        }
        first.get_or_insert((scene, clones));
    }
    let (scene, clones) = first.context("there is no target to copy to")?;
    copied.animations =
        contents::animations((from, number), (into, scene), &clones, entries, omitted)?;
    Ok((copied, clones.root()))
}
