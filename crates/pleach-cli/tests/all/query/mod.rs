//! `pleach query`: runs the program and parses its answers, as a script does.

mod answers;
mod axes;
mod brute_force;
mod file_builder;
mod golden;
mod invalid_questions;
mod random_scenes;
mod run_query;
mod sample_models;
