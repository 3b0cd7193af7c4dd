//! The workloads, one file each: they create the scenes, verify the results, and run the rounds.

pub mod animated_characters;
pub mod animation;
pub mod growth;
pub mod joint_matrices;
pub mod steady_frame;

use super::crowd::{CHARACTERS, Crowd, CrowdKind, JOINTS};
use super::expected;
use crate::bench::median;

/// Returns the median time of some frames in nanoseconds, after one untimed frame. A mean would
/// include disturbances by other processes, which single frames are long enough to contain.
fn median_frame(frames: u32, mut frame: impl FnMut() -> f64) -> f64 {
    frame();
    median((0..frames).map(|_| frame()).collect())
}

/// Checks that a few frames update everything that the kind of crowd requires, correctly.
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
                "{kind:?}, frame {frame}: expected {expected:?} joints rotated and moved, joint \
                 matrices and bounds, found {found:?}"
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
