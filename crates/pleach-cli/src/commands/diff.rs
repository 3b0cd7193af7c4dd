//! `pleach diff`: compares two files node by node: added, removed, moved, renamed, changed.
//!
//! Scenes are compared by index. The order of nodes in a file and objects that no scene uses are
//! not compared.

mod animation_changes;
mod asset_names;
mod change;
mod change_kind;
mod compare;
mod content_ids;
mod flat_tree;
mod transform_delta;
mod vertex_data;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::bail;
use pleach::Scene;
use pleach_gltf::patch::{FilePatch, TreeMatching};
use pleach_gltf::{Document, Options};
use serde::Serialize;

use self::change::{Action, Change, ChangeLine, Detail};
use self::change_kind::ChangeKind;
use self::compare::Compare;
use self::content_ids::ContentIds;
use self::flat_tree::{FlatTree, NONE};
use crate::input::open;
use crate::report::new_file;
use crate::report::output::{BOLD, DIM, OneLine, Output, Styled, Verdict};
use crate::report::units;

/// Compare two files, node by node
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach diff town.glb town-new.glb\n\n\
    Nodes are matched by name below the same parent, else by position; then by content if\n\
    they were renamed, and by name if they were re-parented. Geometries, materials, cameras\n\
    and lights are compared by content and name, not by index. The order and unused objects\n\
    do not matter. Not compared: extras; unknown extensions, material variants and XMP data;\n\
    attributes of vertices and instances that begin with _; animations of anything but nodes;\n\
    visibility animations, except for the number of their nodes; names of textures, samplers,\n\
    accessors and buffers; how numbers are stored; the `asset` object.\n\
    --patch writes what turns A into B, with everything that is not compared: `pleach apply`
    applies it, `pleach log` shows it. A difference of that kind alone counts as one.
    Exit code 0 if the files are the same, 1 if they differ.")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    a: PathBuf,

    /// The file to compare it with
    b: PathBuf,

    /// The maximum difference of each number of a local transform [default: 0]
    #[arg(long, value_name = "NUMBER", value_parser = tolerance, default_value = "0",
        hide_default_value = true)]
    tolerance: f32,

    /// Write a patch that turns A into B to this file
    #[arg(long, value_name = "OUT")]
    patch: Option<PathBuf>,
}

fn tolerance(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|it: &f32| it.is_finite() && *it >= 0.0);
    number.ok_or_else(|| "expected a non-negative number, such as 0.001".into())
}

/// The answer.
#[derive(Debug, Serialize)]
struct Difference {
    same: bool,
    changes: Vec<Change>,
    /// The number of objects in the first and the second file.
    counts: BTreeMap<&'static str, [usize; 2]>,
    /// The patch, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<WrittenPatch>,
}

/// The patch that was written.
#[derive(Debug, Serialize)]
struct WrittenPatch {
    file: String,
    bytes: usize,
    /// The number of edits.
    edits: usize,
    /// The content hashes of both files.
    base: String,
    result: String,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let a = open(&args.a, output)?;
    let b = open(&args.b, output)?;
    let mut ids = ContentIds::default();
    let mut changes = Vec::new();
    let mut nodes: HashMap<u32, u32> = HashMap::new();
    // Unreferenced nodes are compared after the scenes, whatever their index in either file.
    let scene_count = a.scenes().len().max(b.scenes().len());
    for scene in 0..=scene_count {
        let is_unreferenced = scene == scene_count;
        let sides = (
            tree(&a, scene, is_unreferenced, &mut ids),
            tree(&b, scene, is_unreferenced, &mut ids),
        );
        let [removed, added] = match is_unreferenced {
            true => [ChangeKind::UnreferencedRemoved, ChangeKind::UnreferencedAdded],
            false => [ChangeKind::SceneRemoved, ChangeKind::SceneAdded],
        };
        match sides {
            (Some(one), Some(other)) => {
                scenes(scene, &one, &other, args.tolerance, &mut ids, &mut changes, &mut nodes);
            }
            (Some(one), None) => changes.push(whole_scene(removed, scene, &one)),
            (None, Some(other)) => changes.push(whole_scene(added, scene, &other)),
            (None, None) => {}
        }
    }
    changes.extend(default_scene_change(&a, &b));
    asset_names::changes(&a, &b, &nodes, &mut changes);
    animation_changes::changes(&a, &b, &nodes, &mut changes);
    let patch = args.patch.as_deref().map(|out| write_patch(args, out, &a, &b)).transpose()?;
    let same = changes.is_empty() && patch.as_ref().is_none_or(|it| it.edits == 0);
    let answer = Difference { same, changes, counts: counts(&a, &b), patch };
    output.answer(&answer, |output| {
        output.text(text(&answer, count(&a).max(count(&b)) > 1).as_bytes())
    })?;
    Ok(if answer.same { Verdict::Pass } else { Verdict::Fail })
}

/// Writes the patch that turns one file into the other.
fn write_patch(
    args: &Args,
    out: &Path,
    a: &Document,
    b: &Document,
) -> anyhow::Result<WrittenPatch> {
    for input in [&args.a, &args.b] {
        let is_same =
            out.canonicalize().is_ok_and(|out| input.canonicalize().is_ok_and(|it| it == out));
        if is_same {
            bail!("{} would be overwritten by the patch; choose another name", input.display());
        }
    }
    let patch = FilePatch::between(a, b)?;
    let bytes = patch.to_bytes();
    new_file::write(out, &bytes)?;
    Ok(WrittenPatch {
        file: out.display().to_string(),
        bytes: bytes.len(),
        edits: patch.len(),
        base: patch.base().to_string(),
        result: patch.result().to_string(),
    })
}

/// Loads a file with +Y up, so that transforms are the file's own.
fn open(path: &Path, output: &mut Output) -> anyhow::Result<Document> {
    let document = open::open_with(path, Options::new().with_threads(0).keep_y_up())?;
    for warning in document.report().warnings() {
        output.note(format_args!("{}: {warning}", path.display()));
    }
    Ok(document)
}

/// Returns the number of scenes; unreferenced nodes count as one more.
fn count(document: &Document) -> usize {
    document.scenes().len() + usize::from(document.unreferenced_nodes().is_some())
}

fn tree<'a>(
    document: &'a Document,
    scene: usize,
    is_unreferenced: bool,
    ids: &mut ContentIds,
) -> Option<FlatTree<'a>> {
    let (number, scene): (usize, &Scene) = match is_unreferenced {
        true => (document.scenes().len(), document.unreferenced_nodes()?),
        false => (scene, document.scenes().get(scene)?),
    };
    Some(FlatTree::of(document, number, scene, ids))
}

fn scenes(
    scene: usize,
    a: &FlatTree<'_>,
    b: &FlatTree<'_>,
    tolerance: f32,
    ids: &mut ContentIds,
    changes: &mut Vec<Change>,
    nodes: &mut HashMap<u32, u32>,
) {
    let [from, to] = [a, b].map(|tree| &tree.scene.name);
    if from != to {
        let name = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        let detail = Detail::Names { from: name(from), to: name(to) };
        let number = Some(scene as u32);
        let path = from.clone();
        changes.push(Change {
            change: ChangeKind::SceneRenamed,
            scene: Some(scene),
            path,
            a: number,
            b: number,
            detail,
        });
    }
    let matching = TreeMatching::of(&a.match_tree, &b.match_tree);
    Compare { scene, a, b, matching: &matching, tolerance }.changes(ids, changes);
    for (item, &partner) in a.items.iter().zip(&matching.of_a).filter(|it| *it.1 != NONE) {
        if let (Some(one), Some(other)) = (item.file_index, b.items[partner as usize].file_index) {
            nodes.insert(one, other);
        }
    }
}

/// Returns a change of the default scene; without one it is the first. Files without scenes are
/// reported with the scenes.
fn default_scene_change(a: &Document, b: &Document) -> Option<Change> {
    let first = |document: &Document| {
        let number = document.default_scene().unwrap_or(0);
        let scene = document.scenes().get(number)?;
        Some((number as u32, Some(scene.name.clone()).filter(|name| !name.is_empty())))
    };
    let ((one, from), (other, to)) = (first(a)?, first(b)?);
    let path = from.clone().unwrap_or_default();
    let detail = Detail::DefaultScene { from, to };
    let (one, other) = (Some(one), Some(other));
    let change = ChangeKind::DefaultScene;
    let change = Change { change, scene: None, path, a: one, b: other, detail };
    (one != other).then_some(change)
}

/// Returns the change for a scene that only one file has.
fn whole_scene(change: ChangeKind, scene: usize, tree: &FlatTree<'_>) -> Change {
    let (path, number) = match change {
        ChangeKind::UnreferencedAdded | ChangeKind::UnreferencedRemoved => {
            ("unreferenced nodes".into(), None)
        }
        _ => (tree.scene.name.clone(), Some(scene as u32)),
    };
    let is_added = matches!(change.action(), Action::Added);
    let [a, b] = if is_added { [None, number] } else { [number, None] };
    let descendants = tree.items.len() - 1;
    Change { change, scene: Some(scene), path, a, b, detail: Detail::Subtree { descendants } }
}

fn counts(a: &Document, b: &Document) -> BTreeMap<&'static str, [usize; 2]> {
    let [of_a, of_b] = [a, b].map(|document| {
        [
            ("animations", document.animations().len()),
            ("cameras", document.cameras().len()),
            ("images", document.images().len()),
            ("lights", document.lights().len()),
            ("materials", document.materials().len()),
            ("meshes", document.meshes().len()),
            ("nodes", nodes(document)),
            ("scenes", document.scenes().len()),
        ]
    });
    of_a.into_iter().zip(of_b).map(|((name, one), (_, other))| (name, [one, other])).collect()
}

/// Returns the number of nodes of all scenes.
fn nodes(document: &Document) -> usize {
    let below = |scene: &Scene| {
        let root = scene.graph.get(scene.root());
        root.map_or(0, |root| root.descendants().count() - 1)
    };
    document.scenes().iter().chain(document.unreferenced_nodes()).map(below).sum()
}

fn text(answer: &Difference, with_scenes: bool) -> String {
    let mut text = String::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for change in &answer.changes {
        text.push_str(&format!("{}\n", ChangeLine { change, with_scenes }));
        *kinds.entry(change.change.as_str()).or_default() += 1;
    }
    for (name, [a, b]) in answer.counts.iter().filter(|(_, [a, b])| a != b) {
        let line = format_args!("  {name}: {a} → {b}");
        text.push_str(&format!("{}\n", Styled(DIM, line)));
    }
    let [nodes, _] = answer.counts.get("nodes").copied().unwrap_or_default();
    let summary = if answer.changes.is_empty() {
        format!("no difference in {}", units::count(nodes, "node"))
    } else {
        let kinds: Vec<String> =
            kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let differences = units::count(answer.changes.len(), "difference");
        format!("{differences}: {}", kinds.join(", "))
    };
    text.push_str(&format!("{}\n", Styled(BOLD, OneLine(&summary))));
    if let Some(patch) = &answer.patch {
        let size =
            format!("({}, {})", units::bytes(patch.bytes), units::count(patch.edits, "edit"));
        let name = Styled(BOLD, OneLine(&patch.file));
        text.push_str(&format!("written  {name} {}\n", Styled(DIM, size)));
    }
    text
}
