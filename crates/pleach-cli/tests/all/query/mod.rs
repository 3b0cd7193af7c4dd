//! `pleach query`, as a script meets it: the program is run, its answers are read.

mod answers;
mod assets;
mod axes;
mod bad;
mod golden;
mod naive;
mod program;
mod random;
mod small;
