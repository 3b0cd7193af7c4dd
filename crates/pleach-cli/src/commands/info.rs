//! `pleach info`: summarises the content of a file.

mod text;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use pleach::{Aabb, Camera, ImageData, Light, Projection, Scene};
use pleach_gltf::{Animation, Document, image_size, sniff_mime_type};
use serde::Serialize;

use crate::input::open::open;
use crate::input::raw_json::{self, Named, buffer_bytes};
use crate::input::resolve::roots_parent;
use crate::report::bounds::{Bounds, scene_bounds};
use crate::report::labels::light_kind;
use crate::report::output::{Output, Verdict};

/// Summarise the content of a file
///
/// Prints the format, version, generator, size and extensions; the number of nodes, meshes,
/// triangles, …; the first scenes with their sizes, images, animations, cameras and lights; and the
/// number of warnings, which `pleach check` lists.
///
/// Units are metres, +Z up. Triangles and vertices are counted once per primitive, and for scenes
/// once per node and instance.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach info town.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let document = open(&args.file)?;
    let info = Info::of(args, &document);
    output.answer(&info, |output| text::print(&info, output))?;
    Ok(Verdict::Pass)
}

/// The content of a file.
#[derive(Debug, Serialize)]
struct Info {
    file: String,
    /// `gltf` or `glb`.
    format: &'static str,
    version: String,
    generator: Option<String>,
    copyright: Option<String>,
    /// The size of the file itself.
    bytes: u64,
    /// The size of its buffers, embedded or external.
    buffer_bytes: u64,
    extensions_used: Vec<String>,
    extensions_required: Vec<String>,
    counts: Counts,
    /// The number of nodes that are not in any scene.
    unreferenced: usize,
    scenes: Vec<SceneInfo>,
    images: Vec<ImageInfo>,
    animations: Vec<AnimationInfo>,
    cameras: Vec<CameraInfo>,
    lights: Vec<LightInfo>,
    /// The names of the material variants.
    variants: Vec<String>,
    /// The bounds of the default scene, +Z up; null if it has no meshes.
    bounds: Option<Bounds>,
    /// The number of warnings of the loader.
    warnings: usize,
}

#[derive(Debug, Serialize)]
struct Counts {
    scenes: usize,
    nodes: usize,
    meshes: usize,
    primitives: usize,
    triangles: usize,
    vertices: usize,
    materials: usize,
    textures: usize,
    images: usize,
    skins: usize,
    /// The number of distinct joints of all skins.
    joints: usize,
    animations: usize,
    cameras: usize,
    lights: usize,
}

#[derive(Debug, Serialize)]
struct SceneInfo {
    index: usize,
    name: Option<String>,
    /// `true` for the default scene.
    default: bool,
    nodes: usize,
    /// The number of levels of the hierarchy.
    levels: usize,
    /// The triangles of all its meshes, times their instances.
    triangles: usize,
    bounds: Option<Bounds>,
}

#[derive(Debug, Serialize)]
struct ImageInfo {
    index: usize,
    name: Option<String>,
    /// The type by its header, or else as stated in the file.
    mime: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    bytes: usize,
    /// The URI of an image that could not be read.
    missing: Option<String>,
}

#[derive(Debug, Serialize)]
struct AnimationInfo {
    index: usize,
    name: Option<String>,
    seconds: f32,
    channels: usize,
    /// The number of target nodes.
    nodes: usize,
}

#[derive(Debug, Serialize)]
struct CameraInfo {
    index: usize,
    name: Option<String>,
    /// `perspective`, `orthographic` or `custom`.
    kind: &'static str,
}

#[derive(Debug, Serialize)]
struct LightInfo {
    index: usize,
    name: Option<String>,
    /// `directional`, `point`, `spot` or `ambient`.
    kind: &'static str,
    /// In lux for directional lights, in candela for others.
    intensity: f32,
}

impl Info {
    fn of(args: &Args, document: &Document) -> Self {
        let asset: raw_json::Asset = raw_json::read(document, "/asset").unwrap_or_default();
        let shown = document.default_scene().unwrap_or(0);
        let scenes = document.scenes().iter().enumerate();
        let scenes: Vec<SceneInfo> =
            scenes.map(|(index, it)| SceneInfo::of(document, it, index, index == shown)).collect();
        let unreferenced = document
            .unreferenced_nodes()
            .map(|it| SceneInfo::of(document, it, scenes.len(), false));
        let bounds = document.scene().map_or(Aabb::EMPTY, scene_bounds);
        let report = document.report();
        Self {
            file: args.file.display().to_string(),
            format: if is_glb(args) { "glb" } else { "gltf" },
            version: asset.version,
            generator: asset.generator,
            copyright: asset.copyright,
            // The file was just read.
            bytes: fs::metadata(&args.file).map_or(0, |it| it.len()),
            buffer_bytes: buffer_bytes(document),
            extensions_used: raw_json::array(document, "/extensionsUsed"),
            extensions_required: raw_json::array(document, "/extensionsRequired"),
            counts: Counts::of(document),
            unreferenced: unreferenced.map_or(0, |it| it.nodes),
            scenes,
            images: images(document),
            animations: document.animations().iter().enumerate().map(animation).collect(),
            cameras: cameras(document),
            lights: lights(document),
            variants: document.variants().to_vec(),
            bounds: Bounds::of(&bounds),
            warnings: report.warnings().len() + report.omitted(),
        }
    }
}

/// Returns `true` if the file begins with the magic of a .glb, whatever its name.
fn is_glb(args: &Args) -> bool {
    use std::io::Read;
    let mut magic = [0; 4];
    let read = fs::File::open(&args.file).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"glTF"
}

impl Counts {
    fn of(document: &Document) -> Self {
        let joints: BTreeSet<u32> =
            document.skins().flat_map(|(joints, _)| joints.iter().copied()).collect();
        let primitives = || document.meshes().iter().flatten();
        Self {
            scenes: document.scenes().len(),
            nodes: raw_json::array_len(document, "/nodes"),
            meshes: document.meshes().len(),
            primitives: primitives().count(),
            triangles: primitives().map(|it| it.geometry.get().triangle_count()).sum(),
            vertices: primitives().map(|it| it.geometry.get().positions.len()).sum(),
            materials: document.materials().len(),
            textures: raw_json::array_len(document, "/textures"),
            images: document.images().len(),
            skins: document.skins().len(),
            joints: joints.len(),
            animations: document.animations().len(),
            cameras: document.cameras().len(),
            lights: document.lights().len(),
        }
    }
}

impl SceneInfo {
    fn of(document: &Document, scene: &Scene, index: usize, default: bool) -> Self {
        let parent = scene.graph.get(roots_parent(document, index, scene));
        let above = parent.map_or(0, |parent| parent.depth());
        let below = parent.into_iter().flat_map(|parent| parent.descendants()).skip(1);
        let depths = below.filter_map(|node| Some(scene.graph.get(node)?.depth() - above));
        let (nodes, levels) = depths.fold((0, 0), |(nodes, max), at| (nodes + 1, max.max(at)));
        let triangles = scene.meshes.iter(&scene.graph).map(|(_, mesh)| {
            let instances = mesh.instances.as_ref().map_or(1, |it| it.len());
            let each: usize = mesh.parts.iter().map(|it| it.geometry.get().triangle_count()).sum();
            each.saturating_mul(instances)
        });
        Self {
            index,
            name: Some(scene.name.clone()).filter(|name| !name.is_empty()),
            default,
            nodes,
            levels,
            triangles: triangles.fold(0, usize::saturating_add),
            bounds: Bounds::of(&scene_bounds(scene)),
        }
    }
}

fn images(document: &Document) -> Vec<ImageInfo> {
    let image = |(index, image): (usize, &pleach::Handle<pleach::Image>)| {
        let mut info = ImageInfo {
            index,
            name: image.get().name.clone(),
            mime: None,
            width: None,
            height: None,
            bytes: 0,
            missing: None,
        };
        match &image.get().data {
            ImageData::Encoded { mime, bytes } => {
                info.mime = Some(sniff_mime_type(bytes).map_or(mime.clone(), Into::into));
                (info.width, info.height) = image_size(bytes).unzip();
                info.bytes = bytes.len();
            }
            ImageData::Rgba8 { width, height, pixels } => {
                (info.width, info.height) = (Some(*width), Some(*height));
                info.bytes = pixels.len();
            }
            ImageData::RgbF32 { width, height, pixels } => {
                (info.width, info.height) = (Some(*width), Some(*height));
                info.bytes = size_of_val(&**pixels);
            }
            ImageData::External { uri } => info.missing = Some(uri.clone()),
            _ => {}
        }
        info
    };
    document.images().iter().enumerate().map(image).collect()
}

fn animation((index, animation): (usize, &Animation)) -> AnimationInfo {
    let clip = animation.clip();
    AnimationInfo {
        index,
        name: Some(clip.name().into()).filter(|name: &String| !name.is_empty()),
        seconds: clip.duration(),
        channels: clip.channels().len()
            + animation.visibility_target_count()
            + animation.property_target_count(),
        nodes: clip.targets().len() + animation.visibility_target_count(),
    }
}

fn cameras(document: &Document) -> Vec<CameraInfo> {
    let names: Vec<Named> = raw_json::array(document, "/cameras");
    let camera = |(index, camera): (usize, &Camera)| CameraInfo {
        index,
        name: raw_json::name_at(&names, index),
        kind: match camera.projection {
            Projection::Perspective { .. } => "perspective",
            Projection::Orthographic { .. } => "orthographic",
            Projection::Custom(_) => "custom",
        },
    };
    document.cameras().iter().enumerate().map(camera).collect()
}

fn lights(document: &Document) -> Vec<LightInfo> {
    let names: Vec<Named> = raw_json::array(document, raw_json::LIGHTS);
    let light = |(index, light): (usize, &Light)| LightInfo {
        index,
        name: raw_json::name_at(&names, index),
        kind: light_kind(light),
        intensity: light.intensity,
    };
    document.lights().iter().enumerate().map(light).collect()
}
