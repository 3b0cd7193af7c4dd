//! A part of the soak in every run of the tests: together with those of `pleach-graph`
//! (`tests/all/patches/random.rs`), a million steps.

use soak_scene::undo_run::UndoRun;
use testkit::{Effort, Rng};

/// The steps of one scene.
const STEPS: usize = 5_000;

/// Runs scenes with other seeds, and prints the number of steps.
fn undo_and_load(seed: u64) {
    let mut seeds = Rng::from_env(seed);
    let scenes = Effort::pick(20, 400);
    let (mut compared, mut followed, mut rejected) = (0, 0, 0);
    for _ in 0..scenes {
        let seed = seeds.next_u64();
        let mut run = UndoRun::new(seed);
        for _ in 0..STEPS {
            run.step().unwrap_or_else(|what| panic!("UndoRun::new({seed}): {what}"));
        }
        compared += run.compared;
        followed += run.followed;
        rejected += run.rejected;
    }
    assert!(followed > 0 && rejected > 0);
    println!(
        "{} steps, {followed} patches followed and {rejected} rejected, {compared} values compared",
        scenes * STEPS,
    );
}

#[test]
fn any_order_of_undo_redo_and_snapshots_restores_copies_of_the_whole_scene() {
    undo_and_load(1);
}

#[test]
fn any_order_of_undo_redo_and_snapshots_restores_copies_of_the_whole_scene_other_seeds() {
    undo_and_load(2);
}
