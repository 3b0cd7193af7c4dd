//! `pleach copy-node`: a node of one file, with all below it, into another.
//!
//! Both files are read with +Y up, so that what is copied stands as it stood. What the copy would
//! name that is not copied along is left out, with a note.

mod contents;
mod json_entry;
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
use crate::report::output::{NAME, OneLine, Output, Styled, Verdict};
use crate::report::units::count;

/// Copy a node with all below it from one file into another
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach copy-node town.glb Lamp park.glb -o park-lit.glb\n\n\
    Copied are transforms, names, visibility, meshes with materials and images, instances, skins\n\
    whose joints are copied, morph weights, cameras, lights, and what animations do to the copied\n\
    nodes. Extras, extensions and attributes that are not known stay behind, and so do names of\n\
    meshes, textures, skins, cameras and lights; a note tells.\n\
    NODE is looked for in the scene that FROM shows, then in its others; --scene is one of INTO.\n\
    OUT is replaced if it is there. FROM, INTO, what they name, and files beside OUT that are not its\n\
    own are replaced only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file to copy from
    from: PathBuf,

    /// Which node of FROM: its name, or its index as #12
    node: String,

    /// The .gltf or .glb file to copy into
    into: PathBuf,

    /// The file to write; its name ends with .gltf or .glb
    #[arg(short, long, value_name = "OUT", value_parser = parse_model_path)]
    output: PathBuf,

    /// Hang it under this node of INTO, by name or #index [default: the top of the scene]
    #[arg(long, value_name = "NODE")]
    under: Option<String>,

    /// Keep its place in the world, rather than its place below its parent
    #[arg(long)]
    keep_world: bool,

    #[command(flatten)]
    scene: SceneArgs,

    /// Replace FROM, INTO, files they name, and files beside OUT that belong to something else, if
    /// that is what it takes
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Answer {
    /// The index of the copied node in OUT; those below it come after it.
    node: usize,
    /// How many nodes were copied.
    nodes: usize,
    /// The scenes of OUT that have it: several, if they share the node it hangs under.
    scenes: Vec<usize>,
    copied: CopiedContents,
    /// What could not be copied over.
    omitted: Vec<String>,
    out: ModelFiles,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut from = open::open_with(&args.from, Options::new().keep_y_up())?;
    let mut into = open::open_with(&args.into, Options::new().keep_y_up())?;
    let (number, node) =
        find_node(&from, &args.node).with_context(|| args.from.display().to_string())?;
    let targets = targets(&into, args).with_context(|| args.into.display().to_string())?;
    let removed_skins = contents::remove_incomplete_skins(&mut from, number, node)?;
    let entries = GltfEntries::of(&from).with_context(|| args.from.display().to_string())?;
    let nodes = indices(&from, number, node)?;
    let mut omitted = entries.omitted(&nodes);
    omitted.extend(removed_skins);
    let (copied, root) =
        copy(args, (&mut from, number, node), (&mut into, &targets), &entries, &mut omitted)?;
    let saved = into.save_bytes_for(&args.output)?;
    if !args.force {
        guard(&args.output, &saved, &[&ModelFiles::of(&args.from)?, &ModelFiles::of(&args.into)?])?;
    }
    saved.write(&args.output)?;
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
    // It was put into a scene.
    let index = saved.index_of(targets[0].0, root).context("the copy was not written")?;
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

/// The node to copy: of the scene to show, or else of the first other that has it.
fn find_node(document: &Document, wanted: &str) -> anyhow::Result<(usize, NodeId)> {
    let shown = document.default_scene().unwrap_or(0);
    let count = document.scenes().len() + usize::from(document.unreferenced_nodes().is_some());
    let mut first = None;
    for number in std::iter::once(shown).chain(0..count).filter(|&number| number < count) {
        match own_node(document, number, wanted) {
            Ok(node) => return Ok((number, node)),
            Err(error) => {
                // Several nodes of that name: no reason to look elsewhere. `#1` is no name.
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

/// A node of a scene that is not only there because it is a joint of a skin.
fn own_node(document: &Document, number: usize, wanted: &str) -> anyhow::Result<NodeId> {
    let own = |number: usize| {
        resolve::node(document, number, wanted)
            .map(|node| Some(node).filter(|&node| document.index_of(number, node).is_some()))
    };
    let scenes = document.scenes().len();
    match own(number)? {
        Some(node) => Ok(node),
        None => match (0..scenes).find(|&other| matches!(own(other), Ok(Some(_)))) {
            Some(other) => bail!("node {wanted} is not in scene {number}, but in scene {other}"),
            None => bail!("node {wanted} is in no scene"),
        },
    }
}

/// What the file calls a node and all below it, and whether each has a skin that is copied.
fn indices(document: &Document, number: usize, root: NodeId) -> anyhow::Result<Vec<(usize, bool)>> {
    let scene = resolve::scene(document, number)?;
    let file = |node| Some((document.index_of(number, node)?, scene.skin(node).is_some()));
    Ok(scene.node(root)?.descendants().filter_map(file).collect())
}

/// Where the copy goes: which scene, under which of its nodes. In the file that is one node, so
/// other scenes that have it come after.
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

/// Copies the node to all places, and what moves it; what that was, and the first copy.
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
            // At the top it stands where it stood.
            let (clone, root) = (clones.root(), target.root());
            target.graph.attach(clone, root)?;
            target.graph.attach_in_place(clone, under)?;
        }
        first.get_or_insert((scene, clones));
    }
    let (scene, clones) = first.context("there is no place to copy to")?;
    copied.animations =
        contents::animations((from, number), (into, scene), &clones, entries, omitted)?;
    Ok((copied, clones.root()))
}
