//! The contenders, one file each, and their interfaces.

pub mod bevy;
pub mod embree;
pub mod naive;
pub mod obvhs;
pub mod obvhs_cull;
pub mod pleach;
pub mod simd_loop;

use super::rays::Ray;
use super::view::View;

/// A contender that culls boxes.
pub trait Cull {
    /// Collects the visible boxes in a list that is reused between calls.
    fn cull(&mut self, view: &View);

    /// Returns the indices of the visible boxes, in any order.
    fn found(&self) -> Vec<u32>;
}

/// A contender that traces rays.
pub trait Trace {
    /// Writes the distance of each ray to its first hit, infinite for a miss.
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]);
}
