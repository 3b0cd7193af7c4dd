//! Malicious files: loading any file ends soon, in little memory, without a
//! panic; and a loaded document can be used, saved and loaded again.
//!
//! Cases are generated: a model that uses every feature is truncated, modified and enlarged in each
//! of its members. The name of a case describes how to reproduce it. Memory is always asserted
//! because it is the same in every run; times are printed, and the names of cases that take
//! longer than a minute.
//!
//! `PLEACH_EFFORT=full` runs every case; otherwise one of `SHARE` cases is run.
//! `PLEACH_CASE=text` runs only the cases with that text in their names.

mod large_counts;
mod model;
mod mutated_members;
mod names_and_uris;
mod shared_data;
mod tally;
mod text;
mod usage;
