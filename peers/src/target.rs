//! Performance targets, and whether a run meets them.

use crate::number_format::figure;

/// A measured value with an upper or lower limit.
pub struct Target {
    pub workload: String,
    pub measured: &'static str,
    pub limit: Limit,
    /// `None` if a contender is missing.
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
            Kind::Goal => "goal ",
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

/// Returns a ratio, or `None` if either value is missing.
pub fn ratio(numerator: Option<f64>, denominator: Option<f64>) -> Option<f64> {
    Some(numerator? / denominator?)
}
