//! Constraints: evaluation within one update in any order of insertion, and rejected cycles.

mod cycles;
mod evaluation;
mod same_update;
mod setup;
