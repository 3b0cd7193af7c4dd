//! Helpers of all tests: temporary directories, sample models, buffers and containers.

#![cfg_attr(not(feature = "images"), allow(dead_code, reason = "some subjects need features"))]

pub(crate) mod accessors;
pub(crate) mod container;
pub(crate) mod pointer;
pub(crate) mod samples;
pub(crate) mod temp_dir;

use std::any::Any;

use pleach_gltf::Bytes;

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?").into()
}

/// Returns `true` if saved files have the same names and bytes in the same order.
pub(crate) fn is_same_files(these: &[(String, Bytes)], those: &[(String, Bytes)]) -> bool {
    these.len() == those.len()
        && these.iter().zip(those).all(|(this, that)| this.0 == that.0 && *this.1 == *that.1)
}
