//! Loading, fault by fault: what is tolerated, what is refused, and how both are told.
//!
//! One small file has everything that a file can have (`whole`). Each case is an edit or two of
//! it, so that nothing but the fault can be the reason.

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
