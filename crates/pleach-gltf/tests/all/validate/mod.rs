//! Validation: what the specification forbids is an error in strict mode; typed problems.

mod base_file;
mod codes;
mod khronos;
mod problems;
