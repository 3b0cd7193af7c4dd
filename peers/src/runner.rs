//! A place at the benchmark: where a contender is run and timed, in this process.

use std::rc::Rc;
use std::time::Instant;

use crate::contender::Contender;
use crate::edit_lists::Script;
use crate::scene::{Case, Scene};
use crate::workload::Workload;

/// What all contenders are given.
pub struct Setting {
    pub case: Case,
    pub scene: Scene,
    pub script: Script,
}

impl Setting {
    pub fn new(case: Case) -> Rc<Self> {
        let scene = Scene::new(&case);
        let script = Script::new(&case, &scene);
        Rc::new(Self { case, scene, script })
    }
}

/// Frames before the timed ones, since in a program a frame comes after the last frame and not
/// after another contender: once through all edit lists, or less where there are none or where
/// that takes too long. Even, because the frames that change parents come in twos.
fn lead_in(workload: Workload, nodes: usize) -> u32 {
    if workload.is_sparse() && nodes < 500_000 { 8 } else { 2 }
}

/// Runs a contender, here or elsewhere.
pub trait Seat {
    fn supports(&self, workload: Workload) -> bool;

    /// Takes up a setting, whose scene is built without being timed.
    fn open(&mut self, setting: &Rc<Setting>);

    /// Frees what the setting took.
    fn close(&mut self);

    /// Runs the workload's next frames one after the other; nanoseconds per frame.
    /// [`Workload::Nothing`] is run as often as it takes to be measured, and
    /// [`Workload::Build`] once.
    fn time(&mut self, workload: Workload, frames: u32) -> f64;

    fn worlds(&mut self) -> Vec<[f32; 16]>;
}

/// A seat in this process.
pub struct Local {
    contender: Box<dyn Contender>,
    setting: Option<Rc<Setting>>,
    /// How many frames of each workload have been run since the scene was built.
    steps: [u32; Workload::ALL.len()],
}

impl Local {
    pub fn new(contender: impl Contender + 'static) -> Self {
        Self { contender: Box::new(contender), setting: None, steps: Default::default() }
    }

    fn setting(&self) -> Rc<Setting> {
        Rc::clone(self.setting.as_ref().expect("a setting is open"))
    }

    fn build(&mut self) -> f64 {
        let setting = self.setting();
        self.contender.clear();
        self.steps = Default::default();
        let start = Instant::now();
        self.contender.build(&setting.scene);
        nanoseconds(start)
    }

    fn run(&mut self, workload: Workload, frames: u32) -> f64 {
        let setting = self.setting();
        let next = &mut self.steps[workload as usize];
        let steps = *next..*next + frames;
        *next += frames;
        let start = Instant::now();
        for step in steps {
            self.contender.frame(setting.script.edits(workload, step));
        }
        nanoseconds(start) / f64::from(frames)
    }
}

impl Seat for Local {
    fn supports(&self, workload: Workload) -> bool {
        self.contender.supports(workload)
    }

    fn open(&mut self, setting: &Rc<Setting>) {
        self.setting = Some(Rc::clone(setting));
        self.build();
    }

    fn close(&mut self) {
        self.contender.clear();
        self.setting = None;
    }

    fn time(&mut self, workload: Workload, frames: u32) -> f64 {
        match workload {
            Workload::Build => self.build(),
            Workload::Nothing => measurable(|calls| self.run(workload, calls)),
            _ => {
                self.run(workload, lead_in(workload, self.setting().scene.len()));
                self.run(workload, frames)
            }
        }
    }

    fn worlds(&mut self) -> Vec<[f32; 16]> {
        self.contender.worlds()
    }
}

/// Doubles the number of calls until they take long enough to be measured.
fn measurable(mut time_per_call: impl FnMut(u32) -> f64) -> f64 {
    const LONG_ENOUGH: f64 = 500_000.0;
    let mut calls = 1;
    loop {
        let each = time_per_call(calls);
        if each * f64::from(calls) >= LONG_ENOUGH {
            return each;
        }
        calls *= 2;
    }
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}
