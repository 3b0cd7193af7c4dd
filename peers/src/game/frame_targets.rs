//! The targets of the game frame.

use super::cases::Outcome;
use super::edits::Motion;
use super::participants::{SCENE, STORED_BOXES};
use crate::number_format::size;
use crate::rounds::Implementation;
use crate::target::{Kind, Limit, Target, ratio};

pub fn targets(outcomes: &[Outcome]) -> Vec<Target> {
    use Kind::{Goal, Required};
    let mut targets = Vec::new();
    let mut target = |outcome: &Outcome, measured, other, limit, kind| {
        let scene = outcome.table.time_of(Implementation::Pleach, SCENE);
        targets.push(Target {
            workload: format!("{} frame, {}", outcome.motion.name(), size(outcome.nodes)),
            measured,
            limit: Limit::AtMost(limit),
            value: ratio(scene, other),
            kind,
        });
    };
    for outcome in outcomes {
        let naive = outcome.table.time_of(Implementation::Naive, "");
        let stored_boxes = outcome.table.time_of(Implementation::Naive, STORED_BOXES);
        let bevy = outcome.table.time(Implementation::Bevy);
        match (outcome.motion, outcome.nodes) {
            (Motion::Game, _) => {
                target(outcome, "Scene / naive", naive, 0.6, Required);
                target(outcome, "Scene / naive", naive, 0.25, Goal);
                target(outcome, "Scene / naive, stored boxes", stored_boxes, 0.6, Goal);
                target(outcome, "Scene / Bevy's best mode", bevy, 0.4, Required);
                target(outcome, "Scene / Bevy's best mode", bevy, 0.15, Goal);
            }
            (Motion::Calm, 100_000) => target(outcome, "Scene / naive", naive, 0.15, Required),
            (Motion::Calm | Motion::Wild, _) => {}
        }
    }
    targets
}
