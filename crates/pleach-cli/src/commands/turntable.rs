//! `pleach turntable`: renders a scene from all around.

use std::path::PathBuf;

use glam::{Quat, Vec3};
use pleach::{Aabb, Transform};
use pleach_render::visible_bounds;

use crate::commands::render::{self, FrameLoop};
use crate::input::resolve::{PoseArgs, SceneArgs, VariantArgs, scene};
use crate::picture::frame_writer::{self, FrameWriter};
use crate::picture::render_args::RenderArgs;
use crate::picture::select_args::SelectArgs;
use crate::picture::view::ViewpointArgs;
use crate::report::output::{Output, Verdict};

/// Render a scene from all around
///
/// The camera moves once around the centre of the visible bounds, at the elevation of --from, where
/// it starts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach turntable town.glb -o town.gif --size 480x360")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// The output file: .apng or .gif, or .png for numbered files
    #[arg(short, long, value_name = "FILE", value_parser = frame_writer::parse_path)]
    output: PathBuf,

    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    viewpoint: ViewpointArgs,

    #[command(flatten)]
    pose: PoseArgs,

    #[command(flatten)]
    variant: VariantArgs,

    /// The number of frames for one rotation
    #[arg(long, value_name = "COUNT", default_value = "36")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,

    /// The number of frames per second
    #[arg(long, value_name = "RATE", default_value = "12", value_parser = render::fps)]
    fps: f32,

    #[command(flatten)]
    select: SelectArgs,

    #[command(flatten)]
    render: RenderArgs,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = args.render.open(&args.file)?;
    let number = args.scene.resolve(&document)?;
    args.variant.apply(&mut document)?;
    args.pose.apply(&mut document, number)?;
    // A cylinder around the bounds looks the same from all sides, so the framing is constant.
    let bounds = visible_bounds(scene(&document, number)?);
    let bounds =
        if bounds.is_empty() { Aabb::from_center_half(Vec3::ZERO, Vec3::ONE) } else { bounds };
    let (center, half) = (bounds.center(), bounds.half_extents());
    let mut all = args.viewpoint.framing(args.viewpoint.direction());
    for step in 0..64 {
        let side = rotation_about_z(step as f32 / 64.0) * Vec3::X * half.truncate().length();
        all.add_point(center + side.with_z(half.z));
        all.add_point(center + side.with_z(-half.z));
    }
    let (camera, transform) = all.camera();

    let selection = args.select.resolve(&document, number)?;
    let writer = FrameWriter::new(&args.output, args.viewpoint.size, args.frames, args.fps)?;
    let draw = FrameLoop { frames: args.frames, render: &args.render, selection, writer };
    let drawn = draw.run(&mut document, number, output, |_, frame| {
        let rotation = rotation_about_z(frame as f32 / args.frames as f32);
        let transform = Transform {
            translation: center + rotation * (transform.translation - center),
            rotation: rotation * transform.rotation,
            ..transform
        };
        args.viewpoint.view((camera, transform))
    })?;
    render::report(&drawn, output)
}

/// Returns the rotation by a fraction of a full turn about +Z.
fn rotation_about_z(fraction: f32) -> Quat {
    let half = fraction * std::f32::consts::PI;
    // libm has identical bits on every machine, unlike the standard library.
    let (sin, cos) = libm::sincosf(half);
    Quat::from_xyzw(0.0, 0.0, sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_maps_x_to_y() {
        assert!((rotation_about_z(0.25) * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
    }
}
