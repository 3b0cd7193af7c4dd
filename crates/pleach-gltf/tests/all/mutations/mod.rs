//! Models changed at random, by their structure: whatever loads can be saved, and what was saved
//! is the same scene and, saved again, the same bytes.
//!
//! A round takes a model, changes values, bytes or framing a few times, and loads it. Round `n` of
//! seed `s` is round 0 of seed `s + n`: a failure prints the seed to repeat it alone.
//! `PLEACH_SEED` chooses another seed and `PLEACH_EFFORT` the number of rounds.

mod changes;
mod models;
mod rounds;
