//! The integration tests of pleach-shading, as one binary.

mod common;
mod conservation;
mod furnace;
mod lighting;
mod lobes;
mod prefiltering;
mod split_sum;
mod thin_film;
mod tone_mapping;
