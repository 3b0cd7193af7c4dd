//! `pleach render`: renders a picture or an animation of a scene.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use pleach::{NodeId, View};
use pleach_gltf::Document;
use pleach_render::Picture;
use serde::Serialize;

use crate::input::resolve::{PoseArgs, SceneArgs, VariantArgs, scene};
use crate::picture::frame_writer::{self, FrameWriter, PictureFormat};
use crate::picture::pose::apply_pose;
use crate::picture::render_args::RenderArgs;
use crate::picture::select_args::SelectArgs;
use crate::picture::view::ViewArgs;
use crate::report::output::{GOOD, OneLine, Output, Styled, Verdict};
use crate::report::progress::Progress;

/// Render a scene, on the CPU or with --gpu
///
/// Renders one picture of the pose at --time; with --frames, an animation starting at --time as
/// out-000.png, out-001.png, …; with a file name that ends in .apng or .gif, the whole animation in
/// one file (the first animation by default).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    pleach render town.glb -o town.png --size 1920x1080 --camera Main\n  \
    pleach render fox.glb -o run.gif --animation Run --fps 24 --overlay joints\n\n\
    The output is the same on every machine, except for the measured times and with --gpu.")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// The output file: .png, .apng or .gif
    #[arg(short, long, value_name = "FILE", value_parser = frame_writer::parse_path)]
    output: PathBuf,

    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    pose: PoseArgs,

    #[command(flatten)]
    variant: VariantArgs,

    /// The number of frames [default: 1, or the whole animation for .apng and .gif]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: Option<u32>,

    /// The number of frames per second
    #[arg(long, value_name = "RATE", default_value = "24", value_parser = fps)]
    fps: f32,

    #[command(flatten)]
    select: SelectArgs,

    #[command(flatten)]
    render: RenderArgs,
}

/// Parses a frame rate from 0.1 to 1000.
pub(crate) fn fps(text: &str) -> Result<f32, String> {
    let fps = text.parse().ok().filter(|fps| (0.1..=1000.0).contains(fps));
    fps.ok_or_else(|| "expected a number of frames per second from 0.1 to 1000".into())
}

/// The rendered pictures.
#[derive(Serialize)]
pub(crate) struct Drawn {
    /// The files, in order.
    files: Vec<PathBuf>,
    width: u32,
    height: u32,
    frames: u32,
    /// The fraction of the last frame's pixels that show a node.
    coverage: f64,
    /// The camera position and direction of the first frame.
    eye: [f32; 3],
    direction: [f32; 3],
    /// The time for rendering, without loading and saving.
    seconds: f64,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = args.render.open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    args.variant.apply(&mut document)?;
    let format = frame_writer::picture_format(&args.output);
    let is_animated = matches!(format, Some(PictureFormat::Apng | PictureFormat::Gif));
    let animation = match args.pose.resolve(&document)? {
        None if is_animated && !document.animations().is_empty() => Some((0, 0.0)),
        animation => animation,
    };
    let frames = args.frames.unwrap_or_else(|| match animation {
        Some((animation, from)) if is_animated => {
            let left = document.animations()[animation].clip().duration() - from;
            (left * args.fps).ceil().clamp(1.0, 100_000.0) as u32
        }
        _ => 1,
    });
    let time =
        |frame: u32| animation.map(|(animation, from)| (animation, from + frame as f32 / args.fps));

    // The camera is fixed: it frames the scene in all poses.
    let mut all = args.view.viewpoint.framing(args.view.viewpoint.direction());
    if !args.view.has_camera() {
        for frame in 0..frames {
            apply_pose(&mut document, number, time(frame))?;
            all.add_scene(scene(&document, number)?);
            if animation.is_none() {
                break;
            }
        }
    }
    let selection = args.select.resolve(&document, number)?;
    let writer = FrameWriter::new(&args.output, args.view.viewpoint.size, frames, args.fps)?;
    let draw = FrameLoop { frames, render: &args.render, selection, writer };
    let drawn = draw.run(&mut document, number, output, |document, frame| {
        apply_pose(document, number, time(frame))?;
        args.view.view_of(document, number, all.clone())
    })?;
    report(&drawn, output)
}

/// The frames to render.
pub(crate) struct FrameLoop<'a> {
    pub(crate) frames: u32,
    pub(crate) render: &'a RenderArgs,
    /// The nodes to outline.
    pub(crate) selection: Vec<NodeId>,
    pub(crate) writer: FrameWriter,
}

impl FrameLoop<'_> {
    /// Renders each frame from the view that `view` returns.
    pub(crate) fn run(
        mut self,
        document: &mut Document,
        number: usize,
        output: &mut Output,
        mut view: impl FnMut(&mut Document, u32) -> anyhow::Result<View>,
    ) -> anyhow::Result<Drawn> {
        let bar = Progress::new("rendering", u64::from(self.frames));
        let mut renderer = self.render.renderer()?;
        let mut time = Duration::ZERO;
        let mut first: Option<View> = None;
        let mut coverage = 0.0;
        let mut size = (0, 0);
        for frame in 0..self.frames {
            let view = view(document, frame)?;
            let before = Instant::now();
            let picture =
                self.render.draw(&mut renderer, document, number, &view, &self.selection)?;
            time += before.elapsed();
            self.writer.write_frame(&picture)?;
            bar.set(u64::from(frame) + 1);
            first.get_or_insert(view);
            (coverage, size) = (coverage_of(&picture), (picture.width, picture.height));
        }
        drop(bar);
        for warning in renderer.warnings() {
            output.note(warning);
        }
        if let Some(note) = self.writer.note() {
            output.note(note);
        }
        let files = self.writer.finish()?;
        let (eye, direction) =
            first.map_or_else(Default::default, |view| (view.position, view.direction()));
        Ok(Drawn {
            files,
            width: size.0,
            height: size.1,
            frames: self.frames,
            coverage,
            eye: eye.to_array(),
            direction: direction.to_array(),
            seconds: time.as_secs_f64(),
        })
    }
}

fn coverage_of(picture: &Picture) -> f64 {
    let covered = picture.nodes.iter().filter(|node| node.is_some()).count();
    covered as f64 / picture.nodes.len().max(1) as f64
}

/// Prints the answer.
pub(crate) fn report(drawn: &Drawn, output: &mut Output) -> anyhow::Result<Verdict> {
    output.answer(drawn, |output| {
        let Drawn { files, width, height, frames, coverage, seconds, .. } = drawn;
        let name = match &files[..] {
            [] => String::new(),
            [file] => file.display().to_string(),
            [first, .., last] => format!("{} to {}", first.display(), last.display()),
        };
        let name = OneLine(&name);
        let frames = if *frames == 1 { String::new() } else { format!("{frames} frames of ") };
        let covered = coverage * 100.0;
        output.line(format_args!(
            "{} {name}: {frames}{width} × {height}, {covered:.0} % covered, rendered in {seconds:.2} s",
            Styled(GOOD, "wrote")
        ))?;
        if covered == 0.0 {
            output.note("nothing is in view; `pleach check` and `pleach tree` may show the reason");
        }
        Ok(())
    })?;
    Ok(Verdict::Pass)
}
