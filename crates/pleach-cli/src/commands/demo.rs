//! `pleach demo`: builds a scene in code, runs its frame loop and renders a picture.

mod architecture;
mod character;
mod courtyard;
mod fountain;
mod garden;
mod modeling;
mod palette;
mod patterns;
mod props;
mod sky;

use std::path::PathBuf;
use std::time::Instant;

use pleach::glam::{Quat, Vec3};
use pleach::{Error, NodeId, RenderList, Scene, Visible, rotation};
use serde::Serialize;

use crate::input::values::Size;
use crate::picture::frame_writer::{self, write_png};
use crate::picture::render_args::RenderArgs;
use crate::report::output::{BOLD, DIM, GOOD, OneLine, Output, Styled, Verdict};
use crate::report::table::Table;

use courtyard::Courtyard;

/// Build a scene in code, run its frame loop and render a picture
///
/// A courtyard in the late afternoon: arcades, a fountain with an armillary sphere that turns, a cart
/// that drives in, and a knight with a sword in his hand. Prints for each frame the number of changed
/// nodes, of meshes in view and culled, and of draws, and the cost of each stage.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach demo -o demo.png --frames 120")]
pub(crate) struct Args {
    /// The picture file
    #[arg(short, long, value_name = "FILE", default_value = "demo.png", value_parser = frame_writer::parse_path)]
    output: PathBuf,

    /// The number of frames to run, at 60 frames per second
    #[arg(long, value_name = "COUNT", default_value = "180")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,

    /// The width and height of the picture, in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,

    #[command(flatten)]
    render: RenderArgs,
}

#[derive(Serialize)]
struct Answer {
    nodes: usize,
    meshes: usize,
    lights: usize,
    frames: Vec<Frame>,
    picture: Drawn,
}

/// One frame; times in microseconds.
#[derive(Serialize)]
struct Frame {
    frame: u32,
    changed: usize,
    in_view: usize,
    culled: usize,
    draws: usize,
    batches: usize,
    animate_us: f64,
    update_us: f64,
    cull_us: f64,
    list_us: f64,
}

#[derive(Serialize)]
struct Drawn {
    file: PathBuf,
    width: u32,
    height: u32,
    seconds: f64,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut courtyard = Courtyard::build().map_err(anyhow::Error::from_boxed)?;
    args.render.set_environment(&mut courtyard.scene)?;
    let mut frames = Vec::new();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    for frame in 0..args.frames {
        frames.push(step(&mut courtyard, args.size, frame, &mut visible, &mut list)?);
    }

    let Courtyard { scene, camera, .. } = &courtyard;
    let view = scene.view(*camera, (args.size.width, args.size.height))?;
    let mut renderer = args.render.renderer()?;
    let before = Instant::now();
    let picture = args.render.draw_scene(&mut renderer, scene, &view)?;
    let seconds = before.elapsed().as_secs_f64();
    for warning in renderer.warnings() {
        output.note(warning);
    }
    write_png(&args.output, &picture)?;

    let Size { width, height } = args.size;
    let answer = Answer {
        nodes: scene.graph.len(),
        meshes: scene.meshes.len(),
        lights: scene.lights.len(),
        frames,
        picture: Drawn { file: args.output.clone(), width, height, seconds },
    };
    output.answer(&answer, |output| {
        let tip = scene.node(courtyard.sword)?.world().transform_point3(Vec3::Z * 1.1);
        let sword =
            format!("The sword is attached to a joint of the skin; its tip is now at {tip:.2}.");
        print(&answer, &sword, args.render.uses_gpu(), output)
    })?;
    Ok(Verdict::Pass)
}

/// Runs one frame: animate, edit, update, cull, build the render list.
fn step(
    courtyard: &mut Courtyard,
    size: Size,
    frame: u32,
    visible: &mut Visible,
    list: &mut RenderList,
) -> anyhow::Result<Frame> {
    const SECONDS: f32 = 1.0 / 60.0;
    let Courtyard { scene, camera, cart, axle, rings, mixer, .. } = courtyard;
    let start = Instant::now();
    scene.animate(mixer, SECONDS);
    // The cart drives into view; then the rings of the armillary sphere turn in every third frame.
    let position = scene.node(*cart)?.transform().translation;
    if position.y < 1.4 {
        let way = 8.0 * SECONDS;
        scene.node_mut(*cart)?.set_translation(position + Vec3::Y * way)?;
        turn(scene, *axle, rotation::from_rotation_x(-way / props::WHEEL))?;
    } else if frame.is_multiple_of(3) {
        turn(scene, *rings, rotation::from_rotation_z(0.04))?;
    }
    let animated = Instant::now();
    let changed = scene.update()?.changed;
    let updated = Instant::now();
    let view = scene.view(*camera, (size.width, size.height))?;
    scene.cull(&view, visible);
    let culled = Instant::now();
    list.build(scene, visible, &view);
    let listed = Instant::now();

    let micros = |from: Instant, to: Instant| (to - from).as_secs_f64() * 1e6;
    Ok(Frame {
        frame,
        changed,
        in_view: visible.len(),
        culled: scene.meshes.len() - visible.len(),
        draws: list.opaque().len() + list.transparent().len(),
        batches: list.batches().count(),
        animate_us: micros(start, animated),
        update_us: micros(animated, updated),
        cull_us: micros(updated, culled),
        list_us: micros(culled, listed),
    })
}

/// Rotates a node about an axis of its own.
fn turn(scene: &mut Scene, node: NodeId, by: Quat) -> Result<(), Error> {
    let rotation = rotation::mul(scene.node(node)?.transform().rotation, by);
    let rotation = rotation::normalize(rotation).unwrap_or(by);
    scene.node_mut(node)?.set_rotation(rotation)?;
    Ok(())
}

fn print(answer: &Answer, sword: &str, uses_gpu: bool, output: &mut Output) -> anyhow::Result<()> {
    const MAX_ROWS: usize = 13;
    let Answer { nodes, meshes, lights, frames, picture } = answer;
    output.line(format_args!(
        "{}: {nodes} nodes, {meshes} meshes, {lights} lights, built in code.\n",
        Styled(BOLD, "A courtyard")
    ))?;
    let mut table = Table::new(&[
        "frame", "changed", "in view", "culled", "draws", "batches", "animate", "update", "cull",
        "list",
    ]);
    let step_size = frames.len().div_ceil(MAX_ROWS);
    for frame in frames.iter().step_by(step_size) {
        let counts = [frame.changed, frame.in_view, frame.culled, frame.draws, frame.batches];
        let costs = [frame.animate_us, frame.update_us, frame.cull_us, frame.list_us];
        let cells = std::iter::once(frame.frame.to_string())
            .chain(counts.map(|count| count.to_string()))
            .chain(costs.map(|cost| format!("{cost:.1} µs")));
        table.add_row(cells);
    }
    output.line(table)?;
    let mut frame_costs: Vec<f64> =
        frames.iter().map(|it| it.animate_us + it.update_us + it.cull_us + it.list_us).collect();
    frame_costs.sort_by(f64::total_cmp);
    let median = frame_costs[frame_costs.len() / 2];
    output.line(format_args!("\nMedian cost of a frame, all stages together: {median:.1} µs."))?;
    output.line(sword)?;
    let Drawn { file, width, height, seconds } = picture;
    let file = file.display().to_string();
    let file = OneLine(&file);
    let place = if uses_gpu { "on the GPU" } else { "without a GPU" };
    output.line(format_args!(
        "{} {file}: {width} × {height}, rendered in {seconds:.2} s, {place}",
        Styled(GOOD, "wrote")
    ))?;
    output.line(Styled(DIM, "Next: pleach render MODEL.glb -o model.png"))
}
