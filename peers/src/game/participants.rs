//! The participants of the game frame: the rows of the tables and their runners.

use std::env;

use super::contender::Contender;
use super::contenders::graph::GraphOnly;
use super::contenders::graph_and_index::GraphAndIndex;
use super::contenders::naive::Naive;
use super::contenders::scene::SceneContender;
use super::remote::BevyRunner;
use super::runner::{LocalRunner, Runner};
use super::three_js::ThreeJs;
use crate::named_enum::named_enum;
use crate::participants::{MULTI, SERIAL, SINGLE};
use crate::rounds::Implementation;
use crate::serial_build;

named_enum! {
    /// A contender, which may have several variants.
    pub enum Contestant {
        Scene = "scene",
        SceneBulk = "scene_bulk",
        GraphAndIndex = "graph_index",
        Graph = "graph",
        Naive = "naive",
        Bevy = "bevy",
        ThreeJs = "three",
    }
}

/// The variants of pleach.
pub const SCENE: &str = "Scene";
pub const SCENE_BULK: &str = "Scene, bulk";
pub const INDEX: &str = "graph + index";
pub const GRAPH: &str = "graph, own boxes";

/// The variant of the naive tree that keeps its world boxes.
pub const STORED_BOXES: &str = "stored boxes";

/// A variant of a contender.
pub struct Participant {
    pub implementation: Implementation,
    pub variant: &'static str,
    pub runner: Box<dyn Runner>,
}

impl Participant {
    fn new(
        implementation: Implementation,
        variant: &'static str,
        runner: impl Runner + 'static,
    ) -> Self {
        Self { implementation, variant, runner: Box::new(runner) }
    }

    pub fn name(&self) -> String {
        self.implementation.with_variant(self.variant)
    }
}

pub fn participants(contestants: &[Contestant]) -> Result<Vec<Participant>, String> {
    let mut participants = Vec::new();
    for contestant in contestants {
        match contestant {
            Contestant::Scene => participants.push(pleach(SCENE, SceneContender::default())),
            Contestant::SceneBulk => {
                participants.push(pleach(SCENE_BULK, SceneContender::in_bulk()));
            }
            Contestant::GraphAndIndex => participants.push(pleach(INDEX, GraphAndIndex::default())),
            Contestant::Graph => participants.push(pleach(GRAPH, GraphOnly::default())),
            Contestant::Naive => {
                let runner = LocalRunner::new(Naive::default());
                participants.push(Participant::new(Implementation::Naive, "", runner));
                let runner = LocalRunner::new(Naive::with_stored_boxes());
                participants.push(Participant::new(Implementation::Naive, STORED_BOXES, runner));
            }
            Contestant::Bevy => participants.extend(bevy()?),
            Contestant::ThreeJs => match ThreeJs::start() {
                Ok(runner) => {
                    participants.push(Participant::new(Implementation::ThreeJs, "", runner));
                }
                Err(reason) => eprintln!("SKIPPED: three.js ({reason})"),
            },
        }
    }
    Ok(participants)
}

fn pleach(variant: &'static str, contender: impl Contender + 'static) -> Participant {
    Participant::new(Implementation::Pleach, variant, LocalRunner::new(contender))
}

/// Returns all modes of Bevy, as in the transform benchmark.
fn bevy() -> Result<Vec<Participant>, String> {
    let error = |error| format!("Bevy's worker cannot be started: {error}");
    let mut participants = Vec::new();
    match serial_build::path() {
        Some(program) => {
            let runner = BevyRunner::start(&program, 1, false).map_err(error)?;
            participants.push(Participant::new(Implementation::Bevy, SERIAL, runner));
        }
        None => eprintln!("Bevy's serial mode is skipped; {}", serial_build::REMEDY),
    }
    let program = env::current_exe().map_err(error)?;
    for (threads, static_optimizations, mode) in SINGLE.into_iter().chain(MULTI) {
        let runner = BevyRunner::start(&program, threads, static_optimizations).map_err(error)?;
        participants.push(Participant::new(Implementation::Bevy, mode, runner));
    }
    Ok(participants)
}
