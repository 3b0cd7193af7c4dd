//! `Runner`: runs and times the frames of a contender, in this process or in another.

use std::rc::Rc;
use std::time::Instant;

use super::contender::{Contender, Drawn, Game, StageTimes};
use super::edits::Motion;
use crate::bench::median;

/// Nanoseconds: medians over some frames, since other processes may interrupt any of them.
#[derive(Clone, Copy)]
pub struct FrameTimes {
    /// The whole frame.
    pub total: f64,
    pub stages: StageTimes,
}

impl FrameTimes {
    pub fn medians(frames: &[StageTimes]) -> Self {
        let median_of =
            |time: &dyn Fn(&StageTimes) -> f64| median(frames.iter().map(time).collect());
        Self {
            total: median_of(&|stages| stages.iter().sum()),
            stages: std::array::from_fn(|stage| median_of(&|stages| stages[stage])),
        }
    }
}

/// Runs the frames of a contender.
pub trait Runner {
    /// Builds the field, untimed.
    fn open(&mut self, game: &Rc<Game>) -> Result<(), String>;

    /// Frees the memory of the field.
    fn close(&mut self);

    /// Runs the next frames, at least one, and returns the times of a frame.
    fn run(&mut self, motion: Motion, frames: u32) -> FrameTimes;

    /// Returns the draw list of the last frame.
    fn drawn(&mut self) -> Vec<Drawn>;
}

/// A runner in this process.
pub struct LocalRunner {
    contender: Box<dyn Contender>,
    game: Option<Rc<Game>>,
    /// The number of the next frame.
    step: u32,
}

impl LocalRunner {
    pub fn new(contender: impl Contender + 'static) -> Self {
        Self { contender: Box::new(contender), game: None, step: 0 }
    }
}

impl Runner for LocalRunner {
    fn open(&mut self, game: &Rc<Game>) -> Result<(), String> {
        self.contender.clear();
        self.contender.build(game);
        self.game = Some(Rc::clone(game));
        self.step = 0;
        Ok(())
    }

    fn close(&mut self) {
        self.contender.clear();
        self.game = None;
    }

    fn run(&mut self, motion: Motion, frames: u32) -> FrameTimes {
        let Game { field, edit_lists, .. } = &**self.game.as_ref().expect("a game is open");
        let contender = &mut *self.contender;
        let times = (self.step..self.step + frames).map(|step| {
            let edits = edit_lists.edits(motion, step);
            let camera = field.camera(step);
            let start = Instant::now();
            contender.edit(field, edits, &camera);
            let edited = Instant::now();
            contender.update();
            let updated = Instant::now();
            contender.cull(&camera);
            let culled = Instant::now();
            contender.list();
            let listed = Instant::now();
            let stages = [edited - start, updated - edited, culled - updated, listed - culled];
            stages.map(|stage| stage.as_nanos() as f64)
        });
        let times: Vec<_> = times.collect();
        self.step += frames;
        FrameTimes::medians(&times)
    }

    fn drawn(&mut self) -> Vec<Drawn> {
        self.contender.drawn()
    }
}
