//! The implementations that are compared, one file each, and what they have in common.

pub mod bevy;
pub mod naive;
pub mod obvhs;
pub mod obvhs_cull;
pub mod pleach;
pub mod simd_loop;

use super::rays::Ray;
use super::view::View;

/// Finds the boxes in view.
pub trait Cull {
    /// Into a list of its own that it keeps from call to call.
    fn cull(&mut self, view: &View);

    /// The places of what was found, in any order.
    fn found(&self) -> Vec<u32>;
}

/// Finds where rays hit first.
pub trait Trace {
    /// Writes each ray's distance to the first hit, infinite where there is none.
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]);
}
