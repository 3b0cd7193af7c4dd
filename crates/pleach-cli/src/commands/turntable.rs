//! `pleach turntable`: a scene from all around.

use std::path::PathBuf;

use glam::{Quat, Vec3};
use pleach::{Aabb, Transform};
use pleach_render::visible_bounds;

use crate::commands::render::{self, Frames};
use crate::input::open::open;
use crate::input::resolve::{PoseChoice, SceneChoice, scene, scene_mut};
use crate::picture::frame_writer::{self, Film};
use crate::picture::render_args::Looks;
use crate::picture::view::Aim;
use crate::report::output::{Output, Verdict};

/// Draw a scene from all around
///
/// The eye goes once around the middle of what is shown, at the height that --from tells,
/// and begins there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:  pleach turntable town.glb -o town.gif --size 480x360")]
pub(crate) struct Args {
    /// A .gltf or .glb file
    file: PathBuf,

    /// Where the frames go: .apng or .gif for one file, .png for numbered ones
    #[arg(short, long, value_name = "FILE", value_parser = frame_writer::path)]
    output: PathBuf,

    #[command(flatten)]
    scene: SceneChoice,

    #[command(flatten)]
    aim: Aim,

    #[command(flatten)]
    pose: PoseChoice,

    /// How many frames go once around
    #[arg(long, value_name = "COUNT", default_value = "36")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,

    /// How many frames are a second
    #[arg(long, value_name = "RATE", default_value = "12", value_parser = render::fps)]
    fps: f32,

    #[command(flatten)]
    looks: Looks,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> anyhow::Result<Verdict> {
    let mut document = open(&args.file)?;
    let number = args.scene.of(&document)?;
    args.pose.apply(&mut document, number)?;
    // A drum around all of it is the same from everywhere, so that it neither shrinks nor grows.
    let bounds = visible_bounds(scene(&document, number)?);
    let bounds =
        if bounds.is_empty() { Aabb::from_center_half(Vec3::ZERO, Vec3::ONE) } else { bounds };
    let (center, half) = (bounds.center(), bounds.half_extents());
    let mut all = args.aim.framing(args.aim.direction());
    for step in 0..64 {
        let side = turned(step as f32 / 64.0) * Vec3::X * half.truncate().length();
        all.add_point(center + side.with_z(half.z));
        all.add_point(center + side.with_z(-half.z));
    }
    let (lens, place) = all.camera();

    let film = Film::new(&args.output, args.aim.size, args.frames, args.fps)?;
    let draw = Frames { frames: args.frames, looks: &args.looks, film };
    let drawn = draw.run(&mut document, number, output, |document, frame| {
        let turn = turned(frame as f32 / args.frames as f32);
        let place = Transform {
            translation: center + turn * (place.translation - center),
            rotation: turn * place.rotation,
            ..place
        };
        args.aim.view(scene_mut(document, number)?, (lens, place))
    })?;
    render::tell(&drawn, output)
}

/// A part of a whole turn around +Z.
fn turned(part: f32) -> Quat {
    let half = part * std::f32::consts::PI;
    // The same bits everywhere, unlike the standard library's.
    let (sin, cos) = libm::sincosf(half);
    Quat::from_xyzw(0.0, 0.0, sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_takes_x_to_y() {
        assert!((turned(0.25) * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
    }
}
