//! Loading of files with one defect each: tolerated and rejected files, their warnings and errors.
//!
//! `full_file` is a small file with one of everything. Each case edits it once or
//! twice, so that only that edit can be the reason of the outcome.

mod accessor_min_max;
mod containers;
mod content;
mod external_files;
mod file;
mod invalid_data;
mod invalid_scenes;
mod options;
mod rejected;
mod tolerated;
mod usable;
