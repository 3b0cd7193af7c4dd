//! Updates: which nodes are dirty, which are computed, and that the results are
//! correct. Work is counted, never timed.

mod changed;
mod dirty;
mod edits;
mod worlds;
