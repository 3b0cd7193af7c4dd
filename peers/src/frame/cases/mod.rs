//! The workloads, one file each: they set up the scenes, make sure that the answers are right, and
//! run the rounds.

pub mod animated_characters;
pub mod growth;
pub mod joint_matrices;
pub mod steady_frame;

use super::crowd::{CHARACTERS, Crowd, CrowdKind, JOINTS};
use super::expected;
use crate::bench::median;

/// Nanoseconds of the middle one of some frames, after one that does not count. Frames are long
/// enough for other work on the machine to fall into one of them; a mean would show it.
fn median_frame(frames: u32, mut frame: impl FnMut() -> f64) -> f64 {
    frame();
    median((0..frames).map(|_| frame()).collect())
}

/// Complains unless a few frames do all that the crowd's outfit asks for, and do it right.
fn check_crowd(crowd: &mut Crowd, kind: CrowdKind) -> Result<(), String> {
    let [skins, meshes] = match kind {
        CrowdKind::NoSkins => [0, 0],
        CrowdKind::Skins => [CHARACTERS, 0],
        CrowdKind::SkinnedMeshes => [CHARACTERS, CHARACTERS],
    };
    for frame in 0..3 {
        let rotated = crowd.animate();
        let updated = crowd.update();
        let found = [rotated, updated.changed, updated.skins, updated.bounds];
        let expected = [CHARACTERS * JOINTS, CHARACTERS * JOINTS, skins, meshes];
        if found != expected {
            return Err(format!(
                "{kind:?}, frame {frame}: bones turned and moved, palettes and bounds should be \
                 {expected:?}, not {found:?}"
            ));
        }
    }
    if skins > 0 {
        expected::check_joint_matrices(crowd)?;
    }
    if meshes > 0 {
        expected::check_bounds(crowd)?;
    }
    Ok(())
}
