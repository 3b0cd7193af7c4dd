//! The tests of the pleach program, as one program.

mod bench;
mod check;
mod command_line;
mod common;
mod convert;
mod copy_node;
mod cull;
mod demo;
mod diff;
mod git;
mod gpu;
mod info;
mod patches;
mod pick;
mod pictures;
mod query;
mod render;
mod stats;
#[cfg(target_os = "linux")]
mod threads;
mod tree;
mod trusted_files;
