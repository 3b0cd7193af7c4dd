//! Saving what was built in code: it loads again as it was, here and elsewhere.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common_save/mod.rs"]
mod common_save;

mod odd;
mod other_readers;
mod stage;
mod whole;
