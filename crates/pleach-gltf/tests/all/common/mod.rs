//! What the tests of all subjects share: places on disk, sample models, bytes of files.

#![cfg_attr(not(feature = "images"), allow(dead_code, reason = "some subjects need features"))]

pub(crate) mod accessors;
pub(crate) mod container;
pub(crate) mod pointer;
pub(crate) mod samples;
pub(crate) mod temp_dir;

use std::any::Any;

use pleach_gltf::Bytes;

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
