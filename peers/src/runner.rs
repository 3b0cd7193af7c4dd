//! `Runner`: runs and times a contender, in this process or in another.

use std::rc::Rc;
use std::time::Instant;

use crate::contender::Contender;
use crate::edit_lists::EditLists;
use crate::scene::{Case, Scene};
use crate::workload::Workload;

/// A scene with its edit lists, shared by all contenders.
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

/// Returns the number of untimed frames before the timed ones, since in a program a frame follows
/// its own previous frame and not another contender's: once through all edit lists, or fewer where
/// there are none or where that would take too long. Even, because reparenting frames come in
/// pairs.
fn warm_up(workload: Workload, nodes: usize) -> u32 {
    if workload.is_sparse() && nodes < 500_000 { 8 } else { 2 }
}

/// Runs a contender.
pub trait Runner {
    fn supports(&self, workload: Workload) -> bool;

    /// Returns `true` if the workload is also timed.
    fn is_timed(&self, workload: Workload) -> bool {
        self.supports(workload)
    }

    /// Opens a scenario and builds its scene, untimed.
    fn open(&mut self, scenario: &Rc<Scenario>);

    /// Frees the memory of the scenario.
    fn close(&mut self);

    /// Runs the next frames of a workload and returns nanoseconds per frame. [`Workload::Nothing`]
    /// is repeated until it can be measured, and [`Workload::Build`] runs once.
    fn time(&mut self, workload: Workload, frames: u32) -> f64;

    fn worlds(&mut self) -> Vec<[f32; 16]>;
}

/// A runner in this process.
pub struct LocalRunner {
    contender: Box<dyn Contender>,
    scenario: Option<Rc<Scenario>>,
    /// The number of frames of each workload since the scene was built.
    steps: [u32; Workload::ALL.len()],
}

impl LocalRunner {
    pub fn new(contender: impl Contender + 'static) -> Self {
        Self { contender: Box::new(contender), scenario: None, steps: Default::default() }
    }

    fn scenario(&self) -> Rc<Scenario> {
        Rc::clone(self.scenario.as_ref().expect("a scenario is open"))
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

    fn is_timed(&self, workload: Workload) -> bool {
        self.contender.is_timed(workload)
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

/// Doubles the number of calls until their total time is measurable.
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
