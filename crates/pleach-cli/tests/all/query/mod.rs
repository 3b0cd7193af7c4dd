//! `pleach query`, as a script meets it: the program is run, its answers are read.

mod answers;
mod axes;
mod brute_force;
mod file_builder;
mod golden;
mod invalid_questions;
mod random_scenes;
mod run_query;
mod sample_models;
