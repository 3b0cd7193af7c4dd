//! The bars: numbers that the plan holds pleach to, and whether a run clears them.

use crate::number_format::figure;

/// One number that must not be too large or too small.
pub struct Bar {
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
    Must,
    Aim,
}

impl Bar {
    pub fn limit(&self) -> String {
        match self.limit {
            Limit::AtMost(limit) => format!("≤ {limit}"),
            Limit::AtLeast(limit) => format!("≥ {limit}"),
        }
    }

    pub fn prefix(&self) -> &'static str {
        match self.kind {
            Kind::Must => "",
            Kind::Aim => "aim ",
        }
    }

    pub fn value(&self) -> String {
        self.value.map_or("-".into(), figure)
    }

    pub fn verdict(&self) -> &'static str {
        let met = self.value.map(|value| match self.limit {
            Limit::AtMost(limit) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
        });
        match (met, self.kind) {
            (None, _) => "not measured",
            (Some(true), Kind::Must) => "met",
            (Some(false), Kind::Must) => "**missed**",
            (Some(true), Kind::Aim) => "reached",
            (Some(false), Kind::Aim) => "not reached",
        }
    }
}

/// A ratio, unless one of the two is missing.
pub fn over(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? / other?)
}
