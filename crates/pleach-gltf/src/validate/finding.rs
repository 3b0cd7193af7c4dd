//! Collects problems: the same problem at several locations is reported once.
//!
//! Invariant: all locations are counted, but no more than the requested number is kept per problem.

use std::collections::BTreeMap;

use super::rule::Rule;
use super::{Location, Problem, ProblemCode, Severity};

/// The problems found.
#[derive(Debug)]
pub(super) struct Findings {
    problems: Vec<Problem>,
    /// The index in `problems` by code.
    by_code: BTreeMap<&'static str, usize>,
    /// The maximum number of locations kept per problem.
    max: usize,
    is_strict: bool,
}

impl Findings {
    pub(super) fn new(max: usize, is_strict: bool) -> Self {
        Self { problems: Vec::new(), by_code: BTreeMap::new(), max, is_strict }
    }

    /// Returns `true` if violations are errors.
    pub(super) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Adds a problem at `pointer`.
    pub(super) fn add(&mut self, rule: Rule, pointer: impl Into<String>) {
        self.insert(rule, pointer.into(), None);
    }

    /// Adds a problem at `pointer` with a note about the location.
    pub(super) fn add_note(
        &mut self,
        rule: Rule,
        pointer: impl Into<String>,
        note: impl Into<String>,
    ) {
        self.insert(rule, pointer.into(), Some(note.into()));
    }

    fn insert(&mut self, rule: Rule, pointer: String, note: Option<String>) {
        let severity = match rule.is_violation() && self.is_strict {
            true => Severity::Error,
            false => rule.severity(),
        };
        let code = ProblemCode::Rule(rule);
        self.push(code, severity, rule.message(), rule.advice(), Location { pointer, note });
    }

    /// Adds a message of the loader. If it differs from the first message with this code, it becomes
    /// the note of its location.
    pub(super) fn add_message(
        &mut self,
        code: ProblemCode,
        severity: Severity,
        (pointer, message): (&str, &str),
        advice: &'static str,
    ) {
        let first = self.by_code.get(code.as_str()).map(|&index| &*self.problems[index].message);
        let note = first.filter(|it| *it != message).map(|_| message.to_string());
        self.push(code, severity, message, advice, Location { pointer: pointer.into(), note });
    }

    fn push(
        &mut self,
        code: ProblemCode,
        severity: Severity,
        message: &str,
        advice: &'static str,
        location: Location,
    ) {
        let next = self.problems.len();
        let index = *self.by_code.entry(code.as_str()).or_insert(next);
        if index == next {
            let (message, locations) = (message.into(), Vec::new());
            self.problems.push(Problem { code, severity, message, advice, count: 0, locations });
        }
        let problem = &mut self.problems[index];
        problem.count += 1;
        if problem.locations.len() < self.max {
            problem.locations.push(location);
        }
    }

    /// Returns the problems sorted by severity, otherwise in the order found.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.severity);
        self.problems
    }
}
