//! What the tests of all subjects share: chance, places on disk, sample models, bytes of files.

#![allow(dead_code, reason = "each subject uses its part of this")]

pub(crate) mod columns;
pub(crate) mod container;
pub(crate) mod counting;
pub(crate) mod dice;
pub(crate) mod place;
pub(crate) mod pointer;
pub(crate) mod samples;

use std::any::Any;
use std::env;

use pleach_gltf::Bytes;

/// A number that a variable of the environment may change.
pub(crate) fn setting(name: &str, usual: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?").into()
}

/// Files that were saved: the same names, bytes and order?
pub(crate) fn is_same_files(these: &[(String, Bytes)], those: &[(String, Bytes)]) -> bool {
    these.len() == those.len()
        && these.iter().zip(those).all(|(this, that)| this.0 == that.0 && *this.1 == *that.1)
}
