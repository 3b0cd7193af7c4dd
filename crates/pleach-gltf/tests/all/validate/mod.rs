//! Validation: what the specification forbids is an error in strict mode; typed problems.

mod base_file;
mod codes;
mod every_code;
mod khronos;
mod problems;
