//! The sample models and what is expected of them: finding, reading, comparing.
//!
//! What the numbers mean, and how near they must be, is told by the README.md of the models.

#![allow(dead_code)] // each file of tests uses a part of this

use std::env;
use std::fmt::{self, Debug, Write};
use std::fs;
use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3, DVec4, Mat4};
use pleach::{Aabb, Scene};
use pleach_gltf::{Document, Error, ErrorKind, Options};
use serde_json::Value;

// ---- models ----

/// A model, and what a scene graph must make of it.
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

    /// The file to load.
    pub(crate) fn path(&self) -> PathBuf {
        match self.expected["file"].as_str() {
            Some(file) => self.directory.join(file),
            None => self.directory.join(format!("{}.gltf", self.name)),
        }
    }

    /// Must loading it fail?
    pub(crate) fn is_refused(&self) -> bool {
        self.expected["outcome"] == "refuse"
    }

    /// Is it refused for an extension that it requires, and that need not be known?
    fn may_refuse(&self, error: &Error) -> bool {
        let text = error.to_string();
        let mut required = list(&self.expected["required"]).iter().filter_map(Value::as_str);
        error.kind() == ErrorKind::Extension && required.any(|name| text.contains(name))
    }
}

/// Every model, in the order of names. `None`, and a line that says so, if they are not on this
/// machine and no one asked for them.
///
/// They are where `PLEACH_ASSETS` says, or beside the repository.
pub(crate) fn models() -> Option<Vec<Model>> {
    let asked = env::var_os("PLEACH_ASSETS");
    let is_needed = asked.is_some() || env::var_os("CI").is_some();
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets");
    let directory = asked.map_or(beside, PathBuf::from);
    let Ok(entries) = fs::read_dir(&directory) else {
        let message = format!("there are no models at {}", directory.display());
        assert!(!is_needed, "{message}; set PLEACH_ASSETS to where they are");
        eprintln!("SKIPPED: {message}; nothing was compared");
        return None;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    assert!(!paths.is_empty(), "{} has no models", directory.display());
    Some(paths.into_iter().map(Model::read).collect())
}

/// Loads every model that can be loaded, once as usual and once with +Y up, and calls `check`
/// with each. Panics at the end if anything was not as expected.
pub(crate) fn each_model(check: impl Fn(&mut Case<'_>, Document)) {
    let Some(models) = models() else { return };
    let mut failures = Failures::default();
    for model in models.iter().filter(|model| !model.is_refused()) {
        for up in [Up::Z, Up::Y] {
            match up.options().load(model.path()) {
                Ok(document) => check(&mut Case { model, up, failures: &mut failures }, document),
                Err(error) if model.may_refuse(&error) => eprintln!("SKIPPED: {error}"),
                Err(error) => failures.add(format!("{}: {error}", model.name)),
            }
        }
    }
    failures.panic_if_any();
}

/// A tree of a document by its number: its scenes, then what no scene lists.
pub(crate) fn tree(document: &Document, number: usize) -> &Scene {
    document.scenes().get(number).or(document.outside()).unwrap()
}

/// The same, to change.
pub(crate) fn tree_mut(document: &mut Document, number: usize) -> &mut Scene {
    if number < document.scenes().len() {
        return &mut document.scenes_mut()[number];
    }
    document.outside_mut().unwrap()
}

// ---- failures ----

/// What was not as expected, so far.
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
        assert!(self.found.is_empty(), "{} are not as expected:\n{text}", self.found.len());
    }
}

/// One model in one orientation, being compared.
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

    /// The model, loaded once more.
    pub(crate) fn load(&self) -> Document {
        self.up.options().load(self.model.path()).unwrap()
    }

    pub(crate) fn tolerance(&self) -> f64 {
        number(&self.model.expected["tolerance"])
    }

    /// Notes a failure unless `is_right`.
    pub(crate) fn that(
        &mut self,
        is_right: bool,
        what: fmt::Arguments<'_>,
        got: impl Debug,
        expected: impl Debug,
    ) {
        self.failures.checks += 1;
        if !is_right {
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
        self.that(got == expected, what, &got, &expected);
    }

    /// Numbers, as near as those of a matrix must be.
    pub(crate) fn near(&mut self, what: fmt::Arguments<'_>, got: &[f64], expected: &[f64]) {
        let allowed = self.tolerance() * largest(expected).max(1.0);
        let same = got.len() == expected.len();
        let pairs = || got.iter().zip(expected);
        // A NaN is near to nothing.
        let is_near = same && pairs().all(|(got, expected)| (got - expected).abs() <= allowed);
        self.that(is_near, what, got, expected);
    }

    /// A matrix of the scene's and one in the scene's axes.
    pub(crate) fn matrix(&mut self, what: fmt::Arguments<'_>, got: Mat4, expected: DMat4) {
        self.near(what, &got.as_dmat4().to_cols_array(), &expected.to_cols_array());
    }

    pub(crate) fn bounds(&mut self, what: fmt::Arguments<'_>, got: Bounds, expected: Bounds) {
        self.near(what, &got.numbers(), &expected.numbers());
    }

    /// Is one box in another, as far as the tolerance tells?
    pub(crate) fn contains(&mut self, what: fmt::Arguments<'_>, outer: Bounds, inner: Bounds) {
        let slack = DVec3::splat(self.tolerance() * largest(&inner.numbers()).max(1.0));
        let is_in = (outer.min - slack).cmple(inner.min).all()
            && (outer.max + slack).cmpge(inner.max).all();
        self.that(is_in, what, outer, format_args!("a box around {inner:?}"));
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| number.abs().max(largest))
}

// ---- axes ----

/// Which way is up in the scene. In `expected.json` it is always +Y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Up {
    Z,
    Y,
}

impl Up {
    pub(crate) fn options(self) -> Options {
        match self {
            Self::Z => Options::new(),
            Self::Y => Options::new().keep_y_up(),
        }
    }

    /// From the file's axes to the scene's.
    pub(crate) fn turn(self) -> DMat4 {
        match self {
            Self::Z => DMat4::from_cols(DVec4::X, DVec4::Z, DVec4::NEG_Y, DVec4::W),
            Self::Y => DMat4::IDENTITY,
        }
    }

    /// A world matrix, in the scene's axes.
    pub(crate) fn matrix(self, expected: &Value) -> DMat4 {
        self.turn() * matrix(expected)
    }

    /// A point or a direction, in the scene's axes.
    pub(crate) fn vector(self, expected: &Value) -> DVec3 {
        self.turn().transform_vector3(vector(expected))
    }

    /// A world box, in the scene's axes.
    pub(crate) fn bounds(self, expected: &Value) -> Bounds {
        let [a, b, c, d, e, f] = numbers(expected).try_into().unwrap();
        Bounds::of([DVec3::new(a, b, c), DVec3::new(d, e, f)]).after(&self.turn())
    }
}

// ---- boxes ----

/// A box, in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(crate) fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| Self {
            min: all.min.min(point),
            max: all.max.max(point),
        })
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box of the eight corners after a matrix.
    pub(crate) fn after(self, matrix: &DMat4) -> Self {
        let ends = [self.min, self.max];
        let corner = |i: usize| DVec3::new(ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z);
        Self::of((0..8).map(|i| matrix.transform_point3(corner(i))))
    }

    pub(crate) fn numbers(self) -> [f64; 6] {
        let [a, b, c] = self.min.to_array();
        let [d, e, f] = self.max.to_array();
        [a, b, c, d, e, f]
    }

    pub(crate) fn diagonal(self) -> f64 {
        (self.max - self.min).length()
    }

    /// Rounded to what an index takes.
    pub(crate) fn aabb(self) -> Aabb {
        Aabb::new(self.min.as_vec3(), self.max.as_vec3())
    }
}

impl From<Aabb> for Bounds {
    fn from(Aabb { min, max }: Aabb) -> Self {
        Self { min: min.as_dvec3(), max: max.as_dvec3() }
    }
}

// ---- JSON ----

/// The elements of a list; none if it is not there.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

/// An index; `None` if it is not there, or −1.
pub(crate) fn index(value: &Value) -> Option<usize> {
    value.as_u64().map(|index| index as usize)
}

pub(crate) fn indices(value: &Value) -> Vec<usize> {
    list(value).iter().filter_map(index).collect()
}

pub(crate) fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

pub(crate) fn matrix(value: &Value) -> DMat4 {
    DMat4::from_cols_slice(&numbers(value))
}
