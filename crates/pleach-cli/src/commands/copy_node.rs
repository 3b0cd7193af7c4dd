//! `pleach copy-node`: a node of one file, with all below it, into another.
//!
//! Both files are read with +Y up, so that what is copied stands as it stood. What the copy would
//! name that is not copied along is left out, with a note.

mod carry;
mod left_out;

use std::path::PathBuf;

use anyhow::Context;
use pleach::NodeId;
use pleach_gltf::{Document, Options};
use serde::Serialize;

use self::carry::Carried;
use self::left_out::Lists;
use super::convert::model::{Model, model_name};
use crate::choose::{self, SceneChoice};
use crate::open;
use crate::output::{NAME, OneLine, Output, Painted, Verdict};
use crate::units::count;

/// Copy a node with all below it from one file into another
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach copy-node town.glb Lamp park.glb -o park-lit.glb\n\n\
    Copied are transforms, names, visibility, meshes with materials and images, instances, skins\n\
    whose joints are copied, morph weights, cameras, lights, and what animations do to the copied\n\
    nodes. Extras and extensions that are not known stay behind; a note tells.\n\
    NODE is looked for in the scene that FROM shows, then in its others; --scene is one of INTO.\n\
    A file that is there already is replaced, but FROM and INTO only with --force.")]
pub(crate) struct Args {
    /// The .gltf or .glb file to copy from
    from: PathBuf,

    /// Which node of FROM: its name, or its index as #12
    node: String,

    /// The .gltf or .glb file to copy into
    into: PathBuf,

    /// The file to write; its name ends with .gltf or .glb
    #[arg(short, long, value_name = "OUT", value_parser = model_name)]
    output: PathBuf,

    /// Hang it under this node of INTO, by name or #index [default: the top of the scene]
    #[arg(long, value_name = "NODE")]
    under: Option<String>,

    /// Keep its place in the world, rather than its place below its parent
    #[arg(long)]
    keep_world: bool,

    #[command(flatten)]
    scene: SceneChoice,

    /// Replace FROM or INTO, if that is what OUT says
    #[arg(long)]
    force: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
struct Copied {
    /// The index of the copied node in OUT; those below it come after it.
    node: usize,
    /// How many nodes were copied.
    nodes: usize,
    carried: Carried,
    /// What could not be carried over.
    left_out: Vec<String>,
    out: Model,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut from = open::open_with(&args.from, Options::new().keep_y_up())?;
    let mut into = open::open_with(&args.into, Options::new().keep_y_up())?;
    let (number, node) =
        find(&from, &args.node).with_context(|| args.from.display().to_string())?;
    let place = place(&into, args).with_context(|| args.into.display().to_string())?;
    if !args.force {
        Model::of(&args.from)?.guard(&args.output, true)?;
        // Its own bytes stay where they are, and grow at most.
        Model::of(&args.into)?.guard(&args.output, false)?;
    }
    let below = choose::scene(&from, number)?.node(node)?.descendants();
    let files: Vec<usize> = below.filter_map(|it| from.index_of(number, it)).collect();
    let mut left_out = Lists::of(&from)?.left_out(&files);
    left_out.extend(carry::cut_skins(&mut from, number, node)?);
    // New nodes come last.
    let first = Lists::of(&into)?.node_count();
    let carried = copy(args, (&mut from, number, node), (&mut into, place), &mut left_out)?;
    let report = into.save(&args.output)?;
    left_out.extend(report.warnings().iter().map(ToString::to_string));
    for what in &left_out {
        output.remark(what);
    }
    let out = Model::of(&args.output)?;
    let answer = Copied { node: first, nodes: files.len(), carried, left_out, out };
    output.answer(&answer, |output| {
        let nodes = count(answer.nodes, "node");
        let name = Painted(NAME, OneLine(&args.node));
        let carried = &answer.carried;
        output.line(format_args!("copied   {name} as #{first}: {nodes}{carried}"))?;
        output.line(format_args!("written  {}", answer.out))
    })?;
    Ok(Verdict::Fine)
}

/// The node to copy: of the scene to show, or else of the first other that has it.
fn find(document: &Document, wanted: &str) -> anyhow::Result<(usize, NodeId)> {
    let shown = document.default_scene().unwrap_or(0);
    let count = document.scenes().len() + usize::from(document.outside().is_some());
    let mut first = None;
    for number in std::iter::once(shown).chain(0..count).filter(|&number| number < count) {
        match choose::node(document, number, wanted) {
            Ok(node) => return Ok((number, node)),
            Err(error) => {
                let scene = choose::scene(document, number)?;
                if scene.graph.find(wanted).is_some() {
                    return Err(error);
                }
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| anyhow::anyhow!("the file has no nodes")))
}

/// Where the copy goes: which scene, under which of its nodes.
fn place(into: &Document, args: &Args) -> anyhow::Result<(usize, NodeId)> {
    let number = args.scene.of(into)?;
    let under = match &args.under {
        Some(wanted) => choose::node(into, number, wanted)?,
        None => choose::scene(into, number)?.root(),
    };
    Ok((number, under))
}

/// Copies the node, and what moves it.
fn copy(
    args: &Args,
    (from, number, node): (&mut Document, usize, NodeId),
    (into, (scene, under)): (&mut Document, (usize, NodeId)),
    left_out: &mut Vec<String>,
) -> anyhow::Result<Carried> {
    if args.keep_world {
        choose::scene_mut(from, number)?.graph.detach_in_place(node)?;
    }
    let copied_from = choose::scene(from, number)?;
    let target = choose::scene_mut(into, scene)?;
    let copies = target.copy_from(copied_from, node, Some(under))?;
    if args.keep_world {
        // At the top it stands where it stood.
        let (top, root) = (copies.top(), target.root());
        target.graph.attach(top, root)?;
        target.graph.attach_in_place(top, under)?;
    }
    let mut carried = Carried::of(copied_from, node);
    carried.animations = carry::animations((from, number), (into, scene), &copies, left_out)?;
    Ok(carried)
}
