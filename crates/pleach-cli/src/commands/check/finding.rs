//! What was found: the same problem in many places is one problem with many places.
//!
//! Invariant: of each problem no more places are kept than asked for; all are counted.

use std::collections::BTreeMap;

use serde::Serialize;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    Error,
    Warning,
    Hint,
}

/// A kind of problem that is looked for here.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) message: &'static str,
    pub(super) advice: &'static str,
}

/// A problem, and where it is.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    pub(super) severity: Severity,
    /// A word for scripts.
    pub(super) code: String,
    pub(super) message: String,
    pub(super) advice: String,
    /// In how many places.
    pub(super) count: usize,
    /// The first of them.
    pub(super) locations: Vec<Location>,
}

/// Where a problem is.
#[derive(Debug, Serialize)]
pub(super) struct Location {
    /// In the JSON; empty for the file as a whole.
    pub(super) pointer: String,
    pub(super) note: Option<String>,
}

/// All that was found.
#[derive(Debug)]
pub(super) struct Findings {
    problems: Vec<Problem>,
    /// By what makes two findings the same problem: where it is in the list.
    by_key: BTreeMap<(String, String), usize>,
    /// The most places that are kept of a problem.
    max: usize,
}

impl Findings {
    pub(super) fn new(max: usize) -> Self {
        Self { problems: Vec::new(), by_key: BTreeMap::new(), max }
    }

    /// A problem of a known kind, somewhere.
    pub(super) fn add(&mut self, rule: &Rule, pointer: impl Into<String>) {
        self.insert(rule, pointer.into(), None);
    }

    /// The same, with what is special about this place.
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

    /// What the loader said. The same words with other numbers are the same problem.
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
        // What differs from the first is told where it is.
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

    /// Errors first; otherwise as they were found.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.severity);
        self.problems
    }
}
