//! Files that lie: whatever is in a file, loading it ends soon, in little memory, without a
//! panic; and what loads can be used, saved and loaded again.
//!
//! Cases are generated: a model that uses every feature is cut, bent and exaggerated in each
//! of its members. A case has a name, which says how to make it again. Memory is asserted
//! always, as it is the same in every run; times are printed, and the names of cases that take
//! longer than a minute.
//!
//! `PLEACH_EFFORT=full` runs every case; without it one of `SHARE` is.
//! `PLEACH_CASE=text` runs only the cases with that text in their names.

mod large_counts;
mod model;
mod mutated_members;
mod names_and_uris;
mod shared_data;
mod tally;
mod text;
mod usage;
