//! The targets of the game frame.

use super::cases::Outcome;
use super::edits::Motion;
use super::participants::SCENE;
use crate::number_format::size;
use crate::rounds::Implementation;
use crate::target::{Kind, Limit, Target, ratio};

pub fn targets(outcomes: &[Outcome]) -> Vec<Target> {
    use Kind::{Goal, Required};
    let mut targets = Vec::new();
    let mut target = |outcome: &Outcome, measured, other, limit, kind| {
        let table = &outcome.table;
        let scene = table.time_of(Implementation::Pleach, SCENE);
        targets.push(Target {
            workload: format!("{} frame, {}", outcome.motion.name(), size(outcome.nodes)),
            measured,
            limit: Limit::AtMost(limit),
            value: ratio(scene, table.time(other)),
            kind,
        });
    };
    for outcome in outcomes.iter().filter(|outcome| outcome.motion == Motion::Game) {
        target(outcome, "Scene / naive", Implementation::Naive, 0.6, Required);
        target(outcome, "Scene / naive", Implementation::Naive, 0.25, Goal);
        target(outcome, "Scene / Bevy's best mode", Implementation::Bevy, 0.4, Required);
        target(outcome, "Scene / Bevy's best mode", Implementation::Bevy, 0.15, Goal);
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.motion == Motion::Calm) {
        if outcome.nodes == 100_000 {
            target(outcome, "Scene / naive", Implementation::Naive, 0.15, Required);
        }
    }
    targets
}
