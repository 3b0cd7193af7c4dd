//! Random structural changes of models: every file that loads can be saved, and the saved file
//! contains the same scenes and, saved again, the same bytes.
//!
//! A round changes values, bytes or the container of a model a few times, and loads it. Round `n`
//! of seed `s` is round 0 of seed `s + n`: a failure prints the seed that reproduces it.
//! `PLEACH_SEED` chooses another seed and `PLEACH_EFFORT` the number of rounds.

mod changes;
mod models;
mod rounds;
