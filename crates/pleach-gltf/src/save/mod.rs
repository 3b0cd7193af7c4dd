//! Saving.

mod array;
mod patch;
mod sheet;
