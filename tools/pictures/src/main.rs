//! Draws models with both renderers and compares the pictures.
//!
//! usage: pictures [--out DIR] [--size WIDTHxHEIGHT] [--only BACKEND-TIER] [--without MODEL] MODEL_OR_DIRECTORY…
//!
//! For each model the CPU ray tracer draws the reference; `pleach-wgpu` draws the same view with
//! every adapter (Vulkan, GL) on both tiers. Three things are compared:
//!
//! - the surface of each pixel ([`ids`]): at least 99.5 % of the pixels are equal, and the others are
//!   within a pixel of an edge;
//! - the colours, by the mean of FLIP: at most 0.05, or 0.10 if a material transmits light. Points and
//!   lines are left out: they are one pixel wide on a GPU, and wider and smoothed on the CPU;
//! - that both draw it at all, without an error, and that the GPU renderer reduces nothing.
//!
//! Prints one line per model and adapter, writes `DIR/MODEL-ADAPTER.png` (reference, picture, FLIP
//! map), and exits with 1 if a limit is exceeded, with 2 if no adapter is found, or with `CI` set not all four.

mod gpu;
mod ids;
mod models;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nv_flip::{DEFAULT_PIXELS_PER_DEGREE, FlipImageRgb8, FlipPool};
use pleach::glam::Vec3;
use pleach::{NodeId, Scene, View};
use pleach_render::{Framing, Renderer, Settings};

use gpu::{Adapter, GpuPicture};
use ids::IdAgreement;

/// The limits, in one place.
const MIN_EQUAL_IDS: f64 = 0.995;
const MAX_FLIP: f32 = 0.05;
const MAX_FLIP_TRANSMISSION: f32 = 0.10;

/// A picture of the CPU renderer: sRGB bytes without alpha, and the node of each pixel.
struct Reference {
    /// Row by row from the top.
    rgb: Vec<u8>,
    nodes: Vec<Option<NodeId>>,
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("pictures: {message}");
            return ExitCode::from(2);
        }
    };
    let adapters = gpu::adapters(options.only.as_deref());
    if adapters.is_empty() {
        eprintln!("pictures: no adapter was found; install a Vulkan driver (mesa-vulkan-drivers)");
        return ExitCode::from(2);
    }
    let is_complete = adapters.len() == gpu::ADAPTERS || options.only.is_some();
    if std::env::var_os("CI").is_some() && !is_complete {
        eprintln!("pictures: {} of {} adapters were found", adapters.len(), gpu::ADAPTERS);
        return ExitCode::from(2);
    }
    println!(
        "{:32} {:14} {:>9} {:>7} {:>9} {:>7}",
        "model", "adapter", "equal ids", "inside", "separate", "FLIP"
    );
    let mut failures = 0;
    let mut models = 0;
    for path in &options.models {
        models += 1;
        match compare_model(path, &adapters, &options) {
            Ok(exceeded) => failures += exceeded,
            Err(message) => {
                println!("{:32} {message}", models::name(path));
                failures += 1;
            }
        }
    }
    println!("{models} models on {} adapters: {failures} beyond the limits", adapters.len());
    if failures == 0 && models > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares one model on all adapters; returns the number of lines beyond the limits.
fn compare_model(path: &Path, adapters: &[Adapter], options: &Options) -> Result<usize, String> {
    let document = pleach_gltf::load(path).map_err(|error| error.to_string())?;
    let Some(scene) = document.scenes().first() else { return Ok(0) };
    let (width, height) = options.size;
    let mut framing = Framing::new(Vec3::new(0.5, -1.0, 0.4), width as f32 / height as f32);
    framing.add_scene(scene);
    let (camera, transform) = framing.camera();
    let view = View::new(&camera, transform, (width, height)).map_err(|error| error.to_string())?;
    let reference = draw_reference(scene, &view)?;
    let picked = ids::pick(scene, &view, options.size);
    let separate = ids::points_and_lines(scene);
    let limit = if models::transmits(scene) { MAX_FLIP_TRANSMISSION } else { MAX_FLIP };
    let mut exceeded = 0;
    for (number, adapter) in adapters.iter().enumerate() {
        let mut drawn = adapter.draw(scene, &view, options.size)?;
        let agreement = ids::compare(scene, width as usize, &reference.nodes, &picked, &drawn.ids);
        equalize(&separate, &reference, &mut drawn);
        let (mean, map) = flip(options.size, &reference.rgb, &drawn.rgb);
        let is_bad = agreement.fraction() < MIN_EQUAL_IDS
            || agreement.inside > 0
            || mean > limit
            || !drawn.warnings.is_empty();
        exceeded += usize::from(is_bad);
        print_line(path, adapter, agreement, mean, is_bad);
        drawn.warnings.iter().for_each(|warning| println!("    {warning}"));
        if let Some(directory) = options.out.as_deref().filter(|_| number == 0 || is_bad) {
            let name = format!("{}-{}.png", models::name(path), adapter.name());
            save_triptych(&directory.join(name), options.size, [&reference.rgb, &drawn.rgb, &map])?;
        }
    }
    Ok(exceeded)
}

fn print_line(path: &Path, adapter: &Adapter, ids: IdAgreement, flip: f32, is_bad: bool) {
    let separate = format!("{}/{}", ids.separate_different, ids.separate);
    let mark = if is_bad { "  BEYOND THE LIMITS" } else { "" };
    println!(
        "{:32} {:14} {:8.3}% {:>7} {:>9} {flip:7.4}{mark}",
        models::name(path),
        adapter.name(),
        100.0 * ids.fraction(),
        ids.inside,
        separate,
    );
}

fn draw_reference(scene: &Scene, view: &View) -> Result<Reference, String> {
    let decode =
        |image: &pleach::Image| pleach_gltf::decode(image).map_err(|error| error.to_string());
    let settings = Settings { threads: Some(0), ..Settings::default() };
    let mut renderer = Renderer::new().with_settings(settings).with_decoder(decode);
    let picture = renderer.render(scene, view).map_err(|error| error.to_string())?;
    Ok(Reference { rgb: without_alpha(picture.bytes()), nodes: picture.nodes })
}

/// Drops every fourth byte.
pub fn without_alpha(rgba: &[u8]) -> Vec<u8> {
    rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

/// Makes the pixels that show these nodes in either picture those of the reference.
fn equalize(nodes: &BTreeSet<NodeId>, reference: &Reference, drawn: &mut GpuPicture) {
    let shows = |node: Option<NodeId>| node.is_some_and(|node| nodes.contains(&node));
    let pixels = drawn.rgb.chunks_exact_mut(3).zip(reference.rgb.chunks_exact(3));
    for ((pixel, expected), (node, id)) in pixels.zip(reference.nodes.iter().zip(&drawn.ids)) {
        if shows(*node) || shows(id.map(|it| it.node)) {
            pixel.copy_from_slice(expected);
        }
    }
}

/// Returns the mean of FLIP, and its map in colours.
fn flip((width, height): (u32, u32), expected: &[u8], found: &[u8]) -> (f32, Vec<u8>) {
    let [expected, found] =
        [expected, found].map(|pixels| FlipImageRgb8::with_data(width, height, pixels));
    let map = nv_flip::flip(expected, found, DEFAULT_PIXELS_PER_DEGREE);
    let mean = FlipPool::from_image(&map).mean();
    (mean, map.apply_color_lut(&nv_flip::magma_lut()).to_vec())
}

/// Writes three pictures of the same size side by side.
fn save_triptych(
    path: &Path,
    (width, height): (u32, u32),
    images: [&[u8]; 3],
) -> Result<(), String> {
    let row = 3 * width as usize;
    let rows = (0..height as usize).flat_map(|y| images.map(|it| &it[y * row..(y + 1) * row]));
    let pixels: Vec<u8> = rows.flatten().copied().collect();
    image::save_buffer(path, &pixels, 3 * width, height, image::ExtendedColorType::Rgb8)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The command line.
struct Options {
    models: Vec<PathBuf>,
    out: Option<PathBuf>,
    size: (u32, u32),
    only: Option<String>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { models: Vec::new(), out: None, size: (320, 240), only: None };
        let mut without = Vec::new();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--out" => options.out = Some(value()?.into()),
                "--only" => options.only = Some(value()?),
                "--size" => options.size = parse_size(&value()?)?,
                "--without" => without.push(value()?),
                _ => models::collect(Path::new(&arg), &mut options.models)?,
            }
        }
        options.models.retain(|path| !without.contains(&models::name(path)));
        if options.models.is_empty() {
            return Err("no models: name files or directories of them".into());
        }
        if let Some(out) = &options.out {
            std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        Ok(options)
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let size = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    size.filter(|&(w, h): &(u32, u32)| (1..=4096).contains(&w) && (1..=4096).contains(&h))
        .ok_or_else(|| format!("{text} is not a size; use for example 320x240"))
}
