//! Dirty and update: what is out of date, what an update rewrites, and that it
//! rewrites it right. Work is counted, never timed.

mod changed;
mod dirty;
mod edits;
mod worlds;
