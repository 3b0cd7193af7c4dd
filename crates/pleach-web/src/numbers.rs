//! A few numbers at a fixed address, for arguments and results that are not a single number.
//!
//! JavaScript keeps one view of them: they never move, so the view is renewed only when memory grew.

use std::cell::RefCell;

use glam::{Mat4, Quat, Vec3};
use wasm_bindgen::prelude::*;

/// The number of floats.
const COUNT: usize = 64;

thread_local! {
    static NUMBERS: RefCell<[f32; COUNT]> = const { RefCell::new([0.0; COUNT]) };
}

/// Returns the address of the numbers: 64 floats.
#[wasm_bindgen]
pub fn numbers_address() -> u32 {
    NUMBERS.with_borrow(|numbers| numbers.as_ptr() as usize as u32)
}

/// Writes the first numbers.
pub(crate) fn put(values: &[f32]) {
    NUMBERS.with_borrow_mut(|numbers| numbers[..values.len()].copy_from_slice(values));
}

/// Reads `N` numbers from `first` on.
pub(crate) fn take<const N: usize>(first: usize) -> [f32; N] {
    NUMBERS.with_borrow(|numbers| {
        numbers[first..first + N].try_into().expect("the slice has N elements")
    })
}

pub(crate) fn take_matrix() -> Mat4 {
    Mat4::from_cols_array(&take(0))
}

pub(crate) fn take_quat(first: usize) -> Quat {
    Quat::from_array(take(first))
}

pub(crate) fn take_vec3(first: usize) -> Vec3 {
    Vec3::from_array(take(first))
}
