//! Verifies before any timing that all contenders draw the same: exactly the meshes in view, each
//! once, grouped by material.

use std::collections::HashSet;
use std::rc::Rc;

use super::contender::{Drawn, Game};
use super::edits::Motion;
use super::field::{PERIOD, material};
use super::participants::Participant;

/// The numbers of frames between comparisons, for each kind of motion. In large fields, where some
/// contenders need seconds per frame, the last is omitted.
const FRAMES: [u32; 3] = [1, 2, PERIOD];
const MAX_NODES_OF_ALL: usize = 100_000;

/// Opens the game again, and runs and compares some frames.
pub fn same_draws(participants: &mut [Participant], game: &Rc<Game>) -> Result<(), String> {
    let mut step = 0;
    for participant in &mut *participants {
        participant.runner.open(game)?;
    }
    for &motion in Motion::ALL {
        let is_large = game.field.len() > MAX_NODES_OF_ALL;
        for &frames in &FRAMES[..FRAMES.len() - usize::from(is_large)] {
            step += frames;
            let expected = game.edit_lists.expected_visible(&game.field, step - 1);
            for participant in &mut *participants {
                participant.runner.run(motion, frames);
                check(&participant.runner.drawn(), &expected).map_err(|message| {
                    let (name, motion) = (participant.name(), motion.name());
                    format!("{name} is wrong after frame {step} ({motion}): {message}")
                })?;
            }
        }
    }
    Ok(())
}

fn check(drawn: &[Drawn], expected: &[u32]) -> Result<(), String> {
    let mut meshes: Vec<_> = drawn.iter().map(|drawn| drawn.mesh).collect();
    meshes.sort_unstable();
    if meshes != expected {
        let [found, wanted] = [meshes.len(), expected.len()];
        let first = meshes.iter().zip(expected).find(|(found, wanted)| found != wanted);
        return Err(format!(
            "{found} meshes are drawn, {wanted} are in view; the first difference is {first:?}"
        ));
    }
    if let Some(wrong) = drawn.iter().find(|drawn| drawn.material != material(drawn.mesh)) {
        return Err(format!("mesh {} is drawn with material {}", wrong.mesh, wrong.material));
    }
    let groups = drawn.chunk_by(|a, b| a.material == b.material).count();
    let materials: HashSet<_> = drawn.iter().map(|drawn| drawn.material).collect();
    if groups != materials.len() {
        return Err(format!("{} materials are drawn in {groups} groups", materials.len()));
    }
    Ok(())
}
