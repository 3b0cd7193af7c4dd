//! Files that lie: whatever is in a file, loading it ends soon, in little memory, without a
//! panic; and what loads can be used, saved and loaded again.
//!
//! Cases are generated: a model that uses every feature is cut, bent and exaggerated in each
//! of its members. A case has a name, which says how to make it again. Memory is asserted
//! always, as it is the same in every run; time only if `PLEACH_TIMES` is set, in release. A
//! case that hangs ends the whole run, with its name.
//!
//! `PLEACH_ALL=1` runs every case in debug builds, too; without it one of `SHARE` is.
//! `PLEACH_CASE=text` runs only the cases with that text in their names.

#[path = "../common/mod.rs"]
mod common;

mod bent;
mod floods;
mod memory;
mod model;
mod multiplied;
mod names;
mod tally;
mod text;
mod usage;
