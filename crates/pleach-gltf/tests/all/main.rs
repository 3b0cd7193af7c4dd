//! Integration tests of this crate, by subject.
//!
//! `PLEACH_EFFORT=full` tries every case and many seeds, best in release. `PLEACH_ASSETS` names the
//! directory of the sample models; tests that need them print `SKIPPED` where they are missing.
//! The files of `tests/corpus` are part of the repository.

mod animation_pointers;
#[cfg(feature = "images")]
mod building;
#[cfg(feature = "images")]
mod cloning;
mod common;
#[cfg(feature = "images")]
mod common_save;
mod corpus;
mod expected;
mod extension_table;
mod hostile;
mod large;
mod loading;
mod mutations;
mod out_of_memory;
#[cfg(feature = "images")]
mod patching;
#[cfg(feature = "images")]
mod pruning;
#[cfg(feature = "images")]
mod references;
mod registries;
#[cfg(feature = "images")]
mod saving;
mod sharing;
mod specular_glossiness;
#[cfg(target_os = "linux")]
mod threads;
mod trust;
#[cfg(feature = "images")]
mod undecoded_images;
#[cfg(feature = "images")]
mod validate;
mod variants;

#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
