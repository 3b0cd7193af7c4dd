//! A place at the benchmark: where a contender is run and timed, in this process.

use std::rc::Rc;
use std::time::Instant;

use crate::contender::Contender;
use crate::edit_lists::EditLists;
use crate::scene::{Case, Scene};
use crate::workload::Workload;

/// What all contenders are given.
pub struct Scenario {
    pub case: Case,
    pub scene: Scene,
    pub edit_lists: EditLists,
}

impl Scenario {
    pub fn new(case: Case) -> Rc<Self> {
        let scene = Scene::new(&case);
        let edit_lists = EditLists::new(&case, &scene);
        Rc::new(Self { case, scene, edit_lists })
    }
}

/// Frames before the timed ones, since in a program a frame comes after the last frame and not
/// after another contender: once through all edit lists, or less where there are none or where
/// that takes too long. Even, because the frames that change parents come in twos.
fn warm_up(workload: Workload, nodes: usize) -> u32 {
    if workload.is_sparse() && nodes < 500_000 { 8 } else { 2 }
}

/// Runs a contender, here or elsewhere.
pub trait Runner {
    fn supports(&self, workload: Workload) -> bool;

    /// Takes up a setting, whose scene is built without being timed.
    fn open(&mut self, scenario: &Rc<Scenario>);

    /// Frees what the setting took.
    fn close(&mut self);

    /// Runs the workload's next frames one after the other; nanoseconds per frame.
    /// [`Workload::Nothing`] is run as often as it takes to be measured, and
    /// [`Workload::Build`] once.
    fn time(&mut self, workload: Workload, frames: u32) -> f64;

    fn worlds(&mut self) -> Vec<[f32; 16]>;
}

/// A seat in this process.
pub struct LocalRunner {
    contender: Box<dyn Contender>,
    scenario: Option<Rc<Scenario>>,
    /// How many frames of each workload have been run since the scene was built.
    steps: [u32; Workload::ALL.len()],
}

impl LocalRunner {
    pub fn new(contender: impl Contender + 'static) -> Self {
        Self { contender: Box::new(contender), scenario: None, steps: Default::default() }
    }

    fn scenario(&self) -> Rc<Scenario> {
        Rc::clone(self.scenario.as_ref().expect("a setting is open"))
    }

    fn build(&mut self) -> f64 {
        let scenario = self.scenario();
        self.contender.clear();
        self.steps = Default::default();
        let start = Instant::now();
        self.contender.build(&scenario.scene);
        nanoseconds(start)
    }

    fn run(&mut self, workload: Workload, frames: u32) -> f64 {
        let scenario = self.scenario();
        let next = &mut self.steps[workload as usize];
        let steps = *next..*next + frames;
        *next += frames;
        let start = Instant::now();
        for step in steps {
            self.contender.frame(scenario.edit_lists.edits(workload, step));
        }
        nanoseconds(start) / f64::from(frames)
    }
}

impl Runner for LocalRunner {
    fn supports(&self, workload: Workload) -> bool {
        self.contender.supports(workload)
    }

    fn open(&mut self, scenario: &Rc<Scenario>) {
        self.scenario = Some(Rc::clone(scenario));
        self.build();
    }

    fn close(&mut self) {
        self.contender.clear();
        self.scenario = None;
    }

    fn time(&mut self, workload: Workload, frames: u32) -> f64 {
        match workload {
            Workload::Build => self.build(),
            Workload::Nothing => repeat_until_measurable(|calls| self.run(workload, calls)),
            _ => {
                self.run(workload, warm_up(workload, self.scenario().scene.len()));
                self.run(workload, frames)
            }
        }
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.contender.worlds()
    }
}

/// Doubles the number of calls until they take long enough to be measured.
fn repeat_until_measurable(mut time_per_call: impl FnMut(u32) -> f64) -> f64 {
    const MIN_TIME: f64 = 500_000.0;
    let mut calls = 1;
    loop {
        let time_per_frame = time_per_call(calls);
        if time_per_frame * f64::from(calls) >= MIN_TIME {
            return time_per_frame;
        }
        calls *= 2;
    }
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}
