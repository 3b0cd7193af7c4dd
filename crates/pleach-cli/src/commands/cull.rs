//! `pleach cull`: lists the nodes in view, and why the others are culled.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach::{Filter, Frustum, Mesh, NodeId, Scene, View, Visible};
use pleach_spatial::{CullMethod, CullReason};
use serde::Serialize;

use crate::input::open::open;
use crate::input::resolve::{PoseArgs, SceneArgs, scene};
use crate::picture::view::ViewArgs;
use crate::report::hidden_by::HiddenBy;
use crate::report::labels::{Indices, Label, Quoted};
use crate::report::output::{BOLD, DIM, GOOD, OneLine, Output, Styled, Verdict, WARN};
use crate::report::units::{count, thousands};

/// List the nodes in view, and why the others are culled
///
/// Tests the world bounds of nodes with meshes, as in every frame: a box near a corner of the view
/// may count as in view. An instanced mesh is in view if the box of an instance is. With --why each
/// culled node is listed with the reason: the side of the view it is outside of, none of its
/// instances in view, the node that hides it, its layers, or no vertices. Also prints the
/// number of boxes tested, and whether by a linear scan or with the tree.
///
/// Occluded nodes count as in view.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach cull town.glb --camera Main --why")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// Also list the culled nodes and the reasons
    #[arg(long)]
    why: bool,
}

/// The number of boxes from which the command culls by the tree, to report the boxes it tests.
const MIN_TREE_BOXES: usize = 8_000;

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    args.pose.apply(&mut document, number)?;
    if let Some(scene) = document.scenes_mut().get_mut(number) {
        scene.spatial.set_cull_method(CullMethod::TreeFrom(MIN_TREE_BOXES));
    }
    let view = args.view.view(&document, number)?;
    let (scene, indices) = (scene(&document, number)?, Indices::of(&document, number));
    let answer = Answer::of(args, number, scene, &indices, &view)?;
    output.answer(&answer, |output| print(&answer, args, output))?;
    Ok(Verdict::Pass)
}

/// The nodes in view and the culled nodes.
#[derive(Debug, Serialize)]
struct Answer {
    file: String,
    scene: usize,
    name: Option<String>,
    /// The node of the camera; null for a view of the whole scene.
    camera: Option<NodeName>,
    /// The width and height of the picture.
    size: [u32; 2],
    /// The number of nodes with meshes.
    meshes: usize,
    /// Sorted by index.
    in_view: Vec<VisibleNode>,
    /// Sorted by index.
    culled: Vec<CulledNode>,
    boxes_tested: usize,
    /// `scan` or `tree`.
    method: &'static str,
}

/// The index and name of a node.
#[derive(Debug, Serialize)]
struct NodeName {
    node: Option<usize>,
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct VisibleNode {
    #[serde(flatten)]
    node: NodeName,
    /// The number of instances in view and in total; null if it has none or is skinned.
    instances: Option<[usize; 2]>,
}

#[derive(Debug, Serialize)]
struct CulledNode {
    #[serde(flatten)]
    node: NodeName,
    reason: Reason,
}

/// The reason why a node is culled.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Reason {
    /// Outside a side of the view.
    Outside { side: String },
    /// The box of all instances intersects the view, but that of no instance does.
    NoInstance { instances: usize },
    /// Hidden by itself or by the topmost invisible ancestor.
    Hidden { by: NodeName },
    /// Not on the layers of the camera.
    Layers { node: u32, camera: u32 },
    /// Not below the root of the scene.
    Detached,
    /// No vertices.
    NoBounds,
}

impl NodeName {
    fn of(scene: &Scene, indices: &Indices, node: NodeId) -> Self {
        let Label { index, name } = indices.label(scene, node);
        Self { node: index, name: name.map(Into::into) }
    }

    fn label(&self) -> Label<'_> {
        Label { index: self.node, name: self.name.as_deref() }
    }
}

impl Answer {
    fn of(
        args: &Args,
        number: usize,
        scene: &Scene,
        indices: &Indices,
        view: &View,
    ) -> anyhow::Result<Self> {
        let mut visible = Visible::new();
        scene.cull(view, &mut visible);
        let mut meshes: Vec<(NodeId, &Mesh)> = scene.meshes.iter(&scene.graph).collect();
        meshes.sort_by_key(|&(node, _)| (indices.get(node), node.index()));
        let hidden = HiddenBy::new(&scene.graph);
        let (mut in_view, mut culled) = (Vec::new(), Vec::new());
        for &(node, mesh) in &meshes {
            let named = NodeName::of(scene, indices, node);
            let reason = if visible.contains(node) {
                match instances(scene, view, node, mesh) {
                    Some([0, instances]) => Reason::NoInstance { instances },
                    instances => {
                        in_view.push(VisibleNode { node: named, instances });
                        continue;
                    }
                }
            } else {
                match hidden.get(node) {
                    Some(by) if scene.spatial.contains(node) => {
                        Reason::Hidden { by: NodeName::of(scene, indices, by) }
                    }
                    _ => cull_reason(scene, view, node)?,
                }
            };
            culled.push(CulledNode { node: named, reason });
        }
        let camera = view.camera.map(|camera| NodeName::of(scene, indices, camera));
        Ok(Self {
            file: args.file.display().to_string(),
            scene: number,
            name: Some(scene.name.clone()).filter(|name| !name.is_empty()),
            camera,
            size: [args.view.viewpoint.size.width, args.view.viewpoint.size.height],
            meshes: meshes.len(),
            in_view,
            culled,
            boxes_tested: visible.boxes_tested(),
            method: if visible.used_tree() { "tree" } else { "scan" },
        })
    }
}

/// Returns the reason why a visible node is culled.
fn cull_reason(scene: &Scene, view: &View, node: NodeId) -> anyhow::Result<Reason> {
    let filter = Filter::default().with_layers(view.layers);
    Ok(match scene.spatial.cull_reason(&scene.graph, node, &view.frustum, &filter)? {
        CullReason::Outside(side) => Reason::Outside { side: side.to_string() },
        CullReason::Detached => Reason::Detached,
        CullReason::Layers { node, filter } => Reason::Layers { node, camera: filter },
        // The node is not in view, and the filter has no predicate.
        _ => Reason::NoBounds,
    })
}

/// Returns the number of instances in view and in total. A skinned mesh has no instances.
fn instances(scene: &Scene, view: &View, node: NodeId, mesh: &Mesh) -> Option<[usize; 2]> {
    let instances = mesh.instances.as_ref().filter(|_| scene.skin(node).is_none())?;
    let world = scene.graph.get(node)?.world().as_dmat4();
    let to_clip = (view.view_projection.as_dmat4() * world).as_mat4();
    let mut seen = Vec::new();
    match Frustum::from_view_projection(&to_clip, view.clip_space) {
        Ok(frustum) => instances.cull(&frustum, &mut seen),
        // A singular matrix has no frustum: all instances count as in view.
        Err(_) => return Some([instances.len(); 2]),
    }
    Some([seen.len(), instances.len()])
}

fn print(answer: &Answer, args: &Args, output: &mut Output) -> anyhow::Result<()> {
    let [width, height] = answer.size;
    let scene = answer.name.as_ref().map(|name| format!(" {}", Quoted(name))).unwrap_or_default();
    let through = match &answer.camera {
        Some(camera) => format!("through {}", camera.label()),
        None => "view of the whole scene".into(),
    };
    output.line(format_args!(
        "{}, scene {}{scene}, {through}, {width} × {height} pixels",
        Styled(BOLD, OneLine(&answer.file)),
        answer.scene,
    ))?;
    output.line(format_args!(
        "{}: {} in view, {} culled; {} tested by {}",
        count(answer.meshes, "mesh node"),
        thousands(answer.in_view.len()),
        thousands(answer.culled.len()),
        count(answer.boxes_tested, "box"),
        if answer.method == "scan" { "scan" } else { "tree" },
    ))?;
    for seen in &answer.in_view {
        let instances = seen
            .instances
            .map(|[seen, all]| format!("  {} of {}", thousands(seen), count(all, "instance")));
        let mark = Styled(GOOD, "+");
        let (label, instances) = (seen.node.label(), instances.unwrap_or_default());
        output.line(format_args!("{mark} {label}{instances}"))?;
    }
    if !args.why {
        return summary(answer, output);
    }
    for culled in &answer.culled {
        let (mark, label) = (Styled(WARN, "-"), culled.node.label());
        output.line(format_args!("{mark} {label}  {}", Styled(DIM, culled.text())))?;
    }
    Ok(())
}

impl CulledNode {
    fn text(&self) -> String {
        match &self.reason {
            Reason::Outside { side } => format!("outside the {side} side"),
            Reason::NoInstance { instances: 1 } => "its only instance is not in view".into(),
            Reason::NoInstance { instances } => {
                format!("none of its {} is in view", count(*instances, "instance"))
            }
            Reason::Hidden { by } if by.node == self.node.node => "hidden".into(),
            Reason::Hidden { by } => {
                let label = by.label().to_string();
                format!("hidden by {}", anstream::adapter::strip_str(&label))
            }
            Reason::Layers { node, camera } => {
                format!("on layers {node:#x}; the camera has {camera:#x}")
            }
            Reason::Detached => "not below the root of the scene".into(),
            Reason::NoBounds => "no vertices".into(),
        }
    }
}

/// Prints the number of culled nodes by reason.
fn summary(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for culled in &answer.culled {
        let reason = match &culled.reason {
            Reason::NoInstance { .. } => "no instance in view".into(),
            Reason::Hidden { .. } => "hidden".into(),
            Reason::Layers { .. } => "on other layers".into(),
            _ => culled.text(),
        };
        *reasons.entry(reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        let mark = Styled(WARN, "-");
        output.line(format_args!("{mark} {} {}", thousands(count), Styled(DIM, reason)))?;
    }
    Ok(())
}
