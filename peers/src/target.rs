//! The bars: numbers that the plan holds pleach to, and whether a run clears them.

use crate::number_format::figure;

/// One number that must not be too large or too small.
pub struct Target {
    pub workload: String,
    pub measured: &'static str,
    pub limit: Limit,
    /// Nothing if a contender is missing.
    pub value: Option<f64>,
    pub kind: Kind,
}

#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Required,
    Goal,
}

impl Target {
    pub fn limit(&self) -> String {
        match self.limit {
            Limit::AtMost(limit) => format!("≤ {limit}"),
            Limit::AtLeast(limit) => format!("≥ {limit}"),
        }
    }

    pub fn prefix(&self) -> &'static str {
        match self.kind {
            Kind::Required => "",
            Kind::Goal => "aim ",
        }
    }

    pub fn value(&self) -> String {
        self.value.map_or("-".into(), figure)
    }

    pub fn verdict(&self) -> &'static str {
        let is_met = self.value.map(|value| match self.limit {
            Limit::AtMost(limit) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
        });
        match (is_met, self.kind) {
            (None, _) => "not measured",
            (Some(true), Kind::Required) => "met",
            (Some(false), Kind::Required) => "**missed**",
            (Some(true), Kind::Goal) => "reached",
            (Some(false), Kind::Goal) => "not reached",
        }
    }
}

/// A ratio, unless one of the two is missing.
pub fn ratio(numerator: Option<f64>, denominator: Option<f64>) -> Option<f64> {
    Some(numerator? / denominator?)
}
