//! Closed surfaces.
