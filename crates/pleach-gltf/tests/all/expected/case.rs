//! The sample models and their expected results: reading, loading, comparing.
//!
//! Numbers may differ by the model's `tolerance`, relative to the largest expected number and at
//! least 1.

use std::fmt::{self, Debug, Write};
use std::fs;
use std::path::PathBuf;

use glam::{DMat4, DVec3, Mat4};
use pleach::Scene;
use pleach_gltf::{Document, Error, ErrorKind};
use serde_json::Value;

use super::values::{Bounds, Up, list, number};
use crate::common::samples;

/// A model and its expected results.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) name: String,
    directory: PathBuf,
    pub(crate) expected: Value,
}

impl Model {
    fn read(directory: PathBuf) -> Self {
        let text = fs::read_to_string(directory.join("expected.json"));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, directory, expected: serde_json::from_str(&text).unwrap() }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> PathBuf {
        match self.expected["file"].as_str() {
            Some(file) => self.directory.join(file),
            None => self.directory.join(format!("{}.gltf", self.name)),
        }
    }

    /// Returns `true` if loading must fail.
    pub(crate) fn is_rejected(&self) -> bool {
        self.expected["outcome"] == "refuse"
    }

    /// Returns `true` if the error is about a required extension that need not be supported.
    fn may_reject(&self, error: &Error) -> bool {
        let text = error.to_string();
        let mut required = list(&self.expected["required"]).iter().filter_map(Value::as_str);
        error.kind() == ErrorKind::Extension && required.any(|name| text.contains(name))
    }
}

/// Returns all models sorted by name, or `None` if they are not on this machine.
pub(crate) fn models() -> Option<Vec<Model>> {
    Some(samples::directories()?.into_iter().map(Model::read).collect())
}

/// Loads every valid model, once Z-up and once Y-up, and calls `check`
/// with each. Panics at the end if there were failures.
pub(crate) fn each_model(check: impl Fn(&mut Case<'_>, Document)) {
    let Some(models) = models() else { return };
    let mut failures = Failures::default();
    for model in models.iter().filter(|model| !model.is_rejected()) {
        for up in [Up::Z, Up::Y] {
            match up.options().load(model.path()) {
                Ok(document) => check(&mut Case { model, up, failures: &mut failures }, document),
                Err(error) if model.may_reject(&error) => eprintln!("SKIPPED: {error}"),
                Err(error) => failures.add(format!("{}: {error}", model.name)),
            }
        }
    }
    failures.panic_if_any();
}

/// Returns a tree of a document by number: its scenes, then the unreferenced nodes.
pub(crate) fn tree(document: &Document, number: usize) -> &Scene {
    document.scenes().get(number).or(document.unreferenced_nodes()).unwrap()
}

/// Returns a tree of a document for editing.
pub(crate) fn tree_mut(document: &mut Document, number: usize) -> &mut Scene {
    if number < document.scenes().len() {
        return &mut document.scenes_mut()[number];
    }
    document.unreferenced_nodes_mut().unwrap()
}

/// The failures so far.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    found: Vec<String>,
    checks: usize,
}

impl Failures {
    pub(crate) fn add(&mut self, failure: String) {
        self.found.push(failure);
    }

    pub(crate) fn panic_if_any(self) {
        const SHOWN: usize = 40;
        eprintln!("{} comparisons, {} failures", self.checks, self.found.len());
        let mut text = String::new();
        for failure in self.found.iter().take(SHOWN) {
            writeln!(text, "  {failure}").unwrap();
        }
        if self.found.len() > SHOWN {
            writeln!(text, "  and {} more", self.found.len() - SHOWN).unwrap();
        }
        assert!(self.found.is_empty(), "{} failures:\n{text}", self.found.len());
    }
}

/// A comparison of one model with one up axis.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) model: &'a Model,
    pub(crate) up: Up,
    failures: &'a mut Failures,
}

impl<'a> Case<'a> {
    pub(crate) fn expected(&self) -> &'a Value {
        &self.model.expected
    }

    /// Loads the model again.
    pub(crate) fn load(&self) -> Document {
        self.up.options().load(self.model.path()).unwrap()
    }

    pub(crate) fn tolerance(&self) -> f64 {
        number(&self.model.expected["tolerance"])
    }

    /// Records a failure unless `is_correct`.
    pub(crate) fn check(
        &mut self,
        is_correct: bool,
        what: fmt::Arguments<'_>,
        got: impl Debug,
        expected: impl Debug,
    ) {
        self.failures.checks += 1;
        if !is_correct {
            let (model, up) = (&self.model.name, self.up);
            self.failures
                .add(format!("{model} ({up:?} up): {what}: got {got:?}, expected {expected:?}"));
        }
    }

    pub(crate) fn equal<T: PartialEq + Debug>(
        &mut self,
        what: fmt::Arguments<'_>,
        got: T,
        expected: T,
    ) {
        self.check(got == expected, what, &got, &expected);
    }

    /// Compares numbers with the tolerance of matrices.
    pub(crate) fn near(&mut self, what: fmt::Arguments<'_>, got: &[f64], expected: &[f64]) {
        let allowed = self.tolerance() * largest(expected).max(1.0);
        let same = got.len() == expected.len();
        let pairs = || got.iter().zip(expected);
        // A NaN fails the comparison.
        let is_near = same && pairs().all(|(got, expected)| (got - expected).abs() <= allowed);
        self.check(is_near, what, got, expected);
    }

    /// Compares a matrix with the expected one in the scene's axes.
    pub(crate) fn matrix(&mut self, what: fmt::Arguments<'_>, got: Mat4, expected: DMat4) {
        self.near(what, &got.as_dmat4().to_cols_array(), &expected.to_cols_array());
    }

    pub(crate) fn bounds(&mut self, what: fmt::Arguments<'_>, got: Bounds, expected: Bounds) {
        self.near(what, &got.numbers(), &expected.numbers());
    }

    /// Checks that one box contains another, with the tolerance.
    pub(crate) fn contains(&mut self, what: fmt::Arguments<'_>, outer: Bounds, inner: Bounds) {
        let slack = DVec3::splat(self.tolerance() * largest(&inner.numbers()).max(1.0));
        let is_in = (outer.min - slack).cmple(inner.min).all()
            && (outer.max + slack).cmpge(inner.max).all();
        self.check(is_in, what, outer, format_args!("a box around {inner:?}"));
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| number.abs().max(largest))
}
