//! Saving what was built in code: it loads again as it was, here and elsewhere.

mod odd;
mod other_readers;
mod stage;
mod whole;
