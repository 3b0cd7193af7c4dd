//! `pleach cull`: what a camera sees, and why not the rest.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach::{Filter, Frustum, Mesh, NodeId, Scene, View, Visible};
use pleach_spatial::CullReason;
use serde::Serialize;

use crate::input::open::open;
use crate::input::resolve::{PoseArgs, SceneArgs, scene};
use crate::picture::view::ViewArgs;
use crate::report::hidden_by::HiddenBy;
use crate::report::labels::{Indices, Label, Quoted};
use crate::report::output::{BOLD, DIM, GOOD, OneLine, Output, Styled, Verdict, WARN};
use crate::report::units::{count, thousands};

/// Tell what a camera sees, and why it does not see the rest
///
/// Prints which nodes with meshes are in view, judged by the boxes around them in the world as pleach
/// judges them in every frame: a box near a corner of the view may count as seen. A mesh in copies is in
/// view if the box of one of them is. With --why also each node that is not, and the reason: outside of
/// which side of the view, none of its copies in view, hidden by which node, on other layers, or
/// without vertices. Also how many nodes' boxes were looked at, and whether by a scan of all or by the tree.
///
/// What is behind something else still counts as in view.
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

    /// Also list what is not in view, and the reasons
    #[arg(long)]
    why: bool,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    args.pose.apply(&mut document, number)?;
    let view = args.view.view(&mut document, number)?;
    let (scene, indices) = (scene(&document, number)?, Indices::of(&document, number));
    let answer = Answer::of(args, number, scene, &indices, &view)?;
    output.answer(&answer, |output| print(&answer, args, output))?;
    Ok(Verdict::Pass)
}

/// What a view sees.
#[derive(Debug, Serialize)]
struct Answer {
    file: String,
    scene: usize,
    name: Option<String>,
    /// The node whose camera is looked through; null for a view of everything.
    camera: Option<NodeName>,
    /// Width and height of the picture.
    size: [u32; 2],
    /// Nodes with meshes.
    meshes: usize,
    /// By index.
    in_view: Vec<VisibleNode>,
    /// By index.
    culled: Vec<CulledNode>,
    boxes_tested: usize,
    /// `scan` or `tree`.
    method: &'static str,
}

/// A node, as the file calls it.
#[derive(Debug, Serialize)]
struct NodeName {
    node: Option<usize>,
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct VisibleNode {
    #[serde(flatten)]
    node: NodeName,
    /// How many of its copies are in view, of how many; null if it has none, or a skin poses it.
    instances: Option<[usize; 2]>,
}

#[derive(Debug, Serialize)]
struct CulledNode {
    #[serde(flatten)]
    node: NodeName,
    reason: Reason,
}

/// Why a node is not in view.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Reason {
    /// Beyond a side of the view.
    Outside { side: String },
    /// The box around all copies reaches into the view, and that of none does.
    NoInstance { instances: usize },
    /// Itself, or by the topmost node above it that is not visible.
    Hidden { by: NodeName },
    /// On none of the layers that the camera sees.
    Layers { node: u32, camera: u32 },
    /// Without vertices.
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
        let camera = args.view.has_camera().then(|| NodeName::of(scene, indices, view.camera));
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

/// Why a node that is shown is not in view.
fn cull_reason(scene: &Scene, view: &View, node: NodeId) -> anyhow::Result<Reason> {
    let filter = Filter::default().with_layers(view.layers);
    Ok(match scene.spatial.cull_reason(&scene.graph, node, &view.frustum, &filter)? {
        CullReason::Outside(side) => Reason::Outside { side: side.to_string() },
        CullReason::Layers { node, asked } => Reason::Layers { node, camera: asked },
        // Those in view were not asked for, and there is no predicate.
        _ => Reason::NoBounds,
    })
}

/// How many copies of a mesh are in view, of how many. A skin poses one for all of them.
fn instances(scene: &Scene, view: &View, node: NodeId, mesh: &Mesh) -> Option<[usize; 2]> {
    let instances = mesh.instances.as_ref().filter(|_| scene.skin(node).is_none())?;
    let world = scene.graph.get(node)?.world().as_dmat4();
    let to_clip = (view.view_projection.as_dmat4() * world).as_mat4();
    let mut seen = Vec::new();
    match Frustum::from_view_projection(&to_clip, view.clip_space) {
        Ok(frustum) => instances.cull(&frustum, &mut seen),
        // Of a node that is flat all or none are in view.
        Err(_) => return Some([instances.len(); 2]),
    }
    Some([seen.len(), instances.len()])
}

fn print(answer: &Answer, args: &Args, output: &mut Output) -> anyhow::Result<()> {
    let [width, height] = answer.size;
    let scene = answer.name.as_ref().map(|name| format!(" {}", Quoted(name))).unwrap_or_default();
    let through = match &answer.camera {
        Some(camera) => format!("through {}", camera.label()),
        None => "a view of everything".into(),
    };
    output.line(format_args!(
        "{}, scene {}{scene}, {through}, {width} × {height} pixels",
        Styled(BOLD, OneLine(&answer.file)),
        answer.scene,
    ))?;
    output.line(format_args!(
        "{}: {} in view, {} not; {} tested by {}",
        count(answer.meshes, "mesh node"),
        thousands(answer.in_view.len()),
        thousands(answer.culled.len()),
        count(answer.boxes_tested, "box"),
        if answer.method == "scan" { "a scan of all" } else { "the tree" },
    ))?;
    for seen in &answer.in_view {
        let instances = seen
            .instances
            .map(|[seen, all]| format!("  {} of {}", thousands(seen), count(all, "instance")));
        let mark = Styled(GOOD, "+");
        output.line(format_args!(
            "{mark} {}{}",
            seen.node.label(),
            instances.unwrap_or_default()
        ))?;
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
            Reason::Outside { side } => format!("outside of the {side} side"),
            Reason::NoInstance { instances: 1 } => "its only copy is not in view".into(),
            Reason::NoInstance { instances } => {
                format!("none of its {} is in view", count(*instances, "instance"))
            }
            Reason::Hidden { by } if by.node == self.node.node => "hidden".into(),
            Reason::Hidden { by } => {
                let label = by.label().to_string();
                format!("hidden by {}", anstream::adapter::strip_str(&label))
            }
            Reason::Layers { node, camera } => {
                format!("on layers {node:#x}, and the camera sees {camera:#x}")
            }
            Reason::NoBounds => "without vertices".into(),
        }
    }
}

/// How many are not in view for which reason.
fn summary(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for culled in &answer.culled {
        let reason = match &culled.reason {
            Reason::NoInstance { .. } => "with no copy in view".into(),
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
