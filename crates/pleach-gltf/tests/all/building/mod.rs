//! Saving scenes that were built in code: they load again unchanged, here and in other readers.

mod edge_cases;
mod other_readers;
mod round_trips;
mod test_scene;
