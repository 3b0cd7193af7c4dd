//! The workloads, one file each: they set up the scenes, make sure that the answers are right, and
//! run the rounds.

pub mod animated_characters;
pub mod growth;
pub mod joint_matrices;
pub mod steady_frame;

use super::crowd::{BONES, Crowd, Outfit, PEOPLE};
use super::expected;
use crate::bench::median;

/// Nanoseconds of the middle one of some frames, after one that does not count. Frames are long
/// enough for other work on the machine to fall into one of them; a mean would show it.
fn middle(frames: u32, mut frame: impl FnMut() -> f64) -> f64 {
    frame();
    median((0..frames).map(|_| frame()).collect())
}

/// Complains unless a few frames do all that the crowd's outfit asks for, and do it right.
fn check_crowd(crowd: &mut Crowd, outfit: Outfit) -> Result<(), String> {
    let [skins, meshes] = match outfit {
        Outfit::Bare => [0, 0],
        Outfit::Skinned => [PEOPLE, 0],
        Outfit::Dressed => [PEOPLE, PEOPLE],
    };
    for frame in 0..3 {
        let turned = crowd.animate();
        let updated = crowd.update();
        let found = [turned, updated.changed, updated.skins, updated.bounds];
        let right = [PEOPLE * BONES, PEOPLE * BONES, skins, meshes];
        if found != right {
            return Err(format!(
                "{outfit:?}, frame {frame}: bones turned and moved, palettes and bounds should be \
                 {right:?}, not {found:?}"
            ));
        }
    }
    if skins > 0 {
        expected::check_palettes(crowd)?;
    }
    if meshes > 0 {
        expected::check_bounds(crowd)?;
    }
    Ok(())
}
