//! Constraints: nodes that turn with others, in the same update, in whatever order they were
//! tied; and what cannot be tied.

mod cycles;
mod evaluation;
mod same_update;
mod setup;
