//! Collects problems: the same problem at several locations is reported once.
//!
//! Invariant: all locations are counted, but no more than the requested number is kept per problem.

use std::collections::BTreeMap;

use serde::Serialize;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Error,
    Warning,
    Hint,
}

/// A kind of problem.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: &'static str,
    pub(super) advice: &'static str,
}

/// A problem and its locations.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    pub(super) severity: Severity,
    /// The identifier for scripts.
    pub(super) code: String,
    pub(super) message: String,
    pub(super) advice: String,
    /// The number of locations.
    pub(super) count: usize,
    /// The first locations.
    pub(super) locations: Vec<Location>,
}

/// The location of a problem.
#[derive(Debug, Serialize)]
pub(super) struct Location {
    /// The JSON pointer; empty for the whole file.
    pub(super) pointer: String,
    pub(super) note: Option<String>,
}

/// The problems found.
#[derive(Debug)]
pub(super) struct Findings {
    problems: Vec<Problem>,
    /// The index in `problems` by code and message pattern.
    by_key: BTreeMap<(String, String), usize>,
    /// The maximum number of locations kept per problem.
    max: usize,
}

impl Findings {
    pub(super) fn new(max: usize) -> Self {
        Self { problems: Vec::new(), by_key: BTreeMap::new(), max }
    }

    /// Adds a problem at `pointer`.
    pub(super) fn add(&mut self, rule: &Rule, pointer: impl Into<String>) {
        self.insert(rule, pointer.into(), None);
    }

    /// Adds a problem at `pointer` with a note about the location.
    pub(super) fn add_note(
        &mut self,
        rule: &Rule,
        pointer: impl Into<String>,
        note: impl Into<String>,
    ) {
        self.insert(rule, pointer.into(), Some(note.into()));
    }

    fn insert(&mut self, rule: &Rule, pointer: String, note: Option<String>) {
        let max = self.max;
        let problem = self.problem((rule.code.into(), String::new()), || Problem {
            severity: rule.severity,
            code: rule.code.into(),
            message: rule.message.into(),
            advice: rule.advice.into(),
            count: 0,
            locations: Vec::new(),
        });
        Self::add_location(max, problem, pointer, note);
    }

    /// Adds a message of the loader. Messages that differ only in numbers are the same problem.
    pub(super) fn add_message(
        &mut self,
        severity: Severity,
        code: &str,
        pointer: &str,
        message: &str,
        advice: &str,
    ) {
        let words = message.split(|c: char| c.is_ascii_digit()).filter(|it| !it.is_empty());
        let key = (code.to_string(), words.collect::<Vec<_>>().join("#"));
        let max = self.max;
        let problem = self.problem(key, || Problem {
            severity,
            code: code.into(),
            message: message.into(),
            advice: advice.into(),
            count: 0,
            locations: Vec::new(),
        });
        // A message that differs from the first becomes the note of its location.
        let note = (problem.message != message).then(|| message.to_string());
        Self::add_location(max, problem, pointer.into(), note);
    }

    fn problem(&mut self, key: (String, String), make: impl FnOnce() -> Problem) -> &mut Problem {
        let next = self.problems.len();
        let number = *self.by_key.entry(key).or_insert(next);
        if number == next {
            self.problems.push(make());
        }
        &mut self.problems[number]
    }

    fn add_location(max: usize, problem: &mut Problem, pointer: String, note: Option<String>) {
        problem.count += 1;
        if problem.locations.len() < max {
            problem.locations.push(Location { pointer, note });
        }
    }

    /// Returns the problems sorted by severity, otherwise in the order found.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.severity);
        self.problems
    }
}
