//! `pleach pick`: casts a ray and reports the hits.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use clap::ArgGroup;
use glam::Vec2;
use pleach::{AssetId, Filter, Hit, Ray, Scene};
use pleach_gltf::Document;
use serde::Serialize;

use crate::args::exit_with_usage_error;
use crate::input::open::open;
use crate::input::resolve::{PoseArgs, SceneArgs, scene, scene_mut};
use crate::input::values;
use crate::picture::view::ViewArgs;
use crate::report::labels::{Indices, Label, Quoted};
use crate::report::output::{BOLD, DIM, OneLine, Output, Styled, Verdict};
use crate::report::units::{count, number, point};

/// Cast a ray, or a ray through a pixel, and report the nearest hit
///
/// Prints the nearest triangle: its node and path, the part of the mesh and the triangle in it, the
/// instance if there are several, the material, the distance, the point, the geometric normal, the
/// barycentric coordinates and the side.
///
/// Units are metres, +Z up. Meshes are tested as posed; hidden meshes only with --hidden. Both
/// sides of triangles and transparent surfaces are hit. As in pictures, the side is that of
/// the mesh, regardless of mirroring by nodes, instances or skeletons; `pleach query` considers
/// only the mirroring of the node. The exit code is 0 even if the ray hits nothing.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("what").required(true).args(["ray", "pixel"])))]
#[command(after_help = "Examples:  pleach pick town.glb --ray 0,0,10:0,0,-1\n           \
    pleach pick town.glb --pixel 640,360 --camera Main")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// The origin and the direction of the ray: x,y,z:x,y,z
    #[arg(long, value_name = "ORIGIN:DIRECTION", value_parser = ray, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["camera", "from", "size"])]
    ray: Option<Ray>,

    /// Cast the ray through the centre of this pixel; 0,0 is the upper left corner
    #[arg(long, value_name = "X,Y", value_parser = pixel)]
    pixel: Option<[u32; 2]>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// Report all hits, nearest first
    #[arg(long)]
    all: bool,

    /// Also test hidden meshes
    #[arg(long)]
    hidden: bool,
}

fn ray(text: &str) -> Result<Ray, String> {
    let error = "expected a point and a direction, such as 0,0,10:0,0,-1";
    let (from, along) = text.split_once(':').ok_or(error)?;
    Ray::new(values::vector(from)?, values::vector(along)?).map_err(|error| error.to_string())
}

fn pixel(text: &str) -> Result<[u32; 2], String> {
    let error = || "expected two integers, such as 640,360".to_string();
    let (x, y) = text.split_once(',').ok_or_else(error)?;
    let integer = |part: &str| part.trim().parse().map_err(|_| error());
    Ok([integer(x)?, integer(y)?])
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    check_pixel(args);
    let mut document = open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    args.pose.apply(&mut document, number)?;
    let ray = match (args.ray, args.pixel) {
        (None, Some([x, y])) => {
            let view = args.view.view(&document, number)?;
            let center = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            view.ray_through_pixel(center).context("cannot compute a ray through this pixel")?
        }
        // The argument parser requires one of them.
        (ray, _) => ray.context("neither --ray nor --pixel is given")?,
    };
    let hits = hits(args, scene_mut(&mut document, number)?, &ray);
    let answer = Answer::of(args, &document, number, &ray, &hits)?;
    output.answer(&answer, |output| print(&answer, args, output))?;
    Ok(Verdict::Pass)
}

/// Exits with a usage error if the pixel is outside the picture.
fn check_pixel(args: &Args) {
    let size = args.view.viewpoint.size;
    if let Some([x, y]) = args.pixel
        && !(x < size.width && y < size.height)
    {
        let message = format!("pixel {x},{y} is outside the picture of {size}");
        exit_with_usage_error("pick", message);
    }
}

fn hits(args: &Args, scene: &mut Scene, ray: &Ray) -> Vec<Hit> {
    let filter = if args.hidden { Filter::default().with_hidden() } else { Filter::default() };
    if !args.all {
        return scene.pick(ray, &filter).into_iter().collect();
    }
    let mut hits = Vec::new();
    scene.pick_all(ray, &filter, &mut hits);
    hits
}

/// The hits of a ray.
#[derive(Debug, Serialize)]
struct Answer {
    file: String,
    scene: usize,
    pixel: Option<[u32; 2]>,
    ray: RayAnswer,
    /// Nearest first; at most one without `--all`.
    hits: Vec<HitAnswer>,
}

#[derive(Debug, Serialize)]
struct RayAnswer {
    origin: [f32; 3],
    /// Normalized.
    direction: [f32; 3],
}

#[derive(Debug, Serialize)]
struct HitAnswer {
    /// The file's index.
    node: Option<usize>,
    name: Option<String>,
    /// The names from the root, separated by `/`.
    path: String,
    /// The index of the primitive of the mesh.
    part: u32,
    triangle: u32,
    instance: Option<u32>,
    distance: f32,
    point: [f32; 3],
    normal: [f32; 3],
    barycentrics: [f32; 3],
    front: bool,
    material: Option<MaterialAnswer>,
}

#[derive(Debug, Serialize)]
struct MaterialAnswer {
    /// The file's index; null for the default material.
    index: Option<usize>,
    name: Option<String>,
}

impl Answer {
    fn of(
        args: &Args,
        document: &Document,
        number: usize,
        ray: &Ray,
        hits: &[Hit],
    ) -> anyhow::Result<Self> {
        let scene = scene(document, number)?;
        let indices = Indices::of(document, number);
        let materials: BTreeMap<AssetId, usize> =
            document.materials().iter().enumerate().map(|(index, it)| (it.id(), index)).collect();
        let hit = |hit: &Hit| {
            let part = scene.mesh(hit.node).and_then(|mesh| mesh.parts.get(hit.part as usize));
            HitAnswer {
                node: indices.get(hit.node),
                name: scene.graph.get(hit.node).and_then(|node| node.name()).map(Into::into),
                path: indices.path(scene, hit.node),
                part: hit.part,
                triangle: hit.triangle,
                instance: hit.instance,
                distance: hit.distance,
                point: hit.point.to_array(),
                normal: hit.normal.to_array(),
                barycentrics: hit.barycentrics.to_array(),
                front: hit.front,
                material: part.map(|part| MaterialAnswer {
                    index: materials.get(&part.material.id()).copied(),
                    name: part.material.get().name.clone(),
                }),
            }
        };
        Ok(Self {
            file: args.file.display().to_string(),
            scene: number,
            pixel: args.pixel,
            ray: RayAnswer {
                origin: ray.origin().to_array(),
                direction: ray.direction().to_array(),
            },
            hits: hits.iter().map(hit).collect(),
        })
    }
}

fn print(answer: &Answer, args: &Args, output: &mut Output) -> anyhow::Result<()> {
    let Some(first) = answer.hits.first() else {
        let hidden = if args.hidden { "" } else { " visible" };
        return output.line(format_args!("the ray hits nothing{hidden}"));
    };
    if args.all {
        for hit in &answer.hits {
            output.line(format_args!("{}", one_line(hit)))?;
        }
        return output.line(count(answer.hits.len(), "triangle"));
    }
    let distance = format!("{} m away", number(first.distance));
    output.line(format_args!("{}, {}", first.label(), Styled(BOLD, distance)))?;
    let mut row = |what: &str, text: String| {
        output.line(format_args!("  {}  {text}", Styled(DIM, format_args!("{what:<11}"))))
    };
    row("path", OneLine(&first.path).to_string())?;
    row("triangle", format!("{} of part {}", first.triangle, first.part))?;
    if let Some(instance) = first.instance {
        row("instance", instance.to_string())?;
    }
    if let Some(material) = &first.material {
        row("material", material.label())?;
    }
    row("point", point(first.point.into()))?;
    row("normal", point(first.normal.into()))?;
    row("barycentric", point(first.barycentrics.into()))?;
    row("side", first.side().into())
}

fn one_line(hit: &HitAnswer) -> String {
    let instance = hit.instance.map(|it| format!(", instance {it}")).unwrap_or_default();
    let material = hit.material.as_ref().map(|it| format!(", material {}", it.label()));
    format!(
        "{}  {}  triangle {} of part {}{instance}, {}{}",
        Styled(BOLD, format_args!("{} m", number(hit.distance))),
        hit.label(),
        hit.triangle,
        hit.part,
        hit.side(),
        material.unwrap_or_default(),
    )
}

impl HitAnswer {
    fn label(&self) -> Label<'_> {
        Label { index: self.node, name: self.name.as_deref() }
    }

    fn side(&self) -> &'static str {
        if self.front { "front" } else { "back" }
    }
}

impl MaterialAnswer {
    fn label(&self) -> String {
        let index = self.index.map_or("default".into(), |index| index.to_string());
        match &self.name {
            Some(name) => format!("{index} {}", Quoted(name)),
            None => index,
        }
    }
}
