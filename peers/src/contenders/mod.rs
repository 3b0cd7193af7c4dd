//! The contenders, one file each.

pub mod arrays;
pub mod bevy;
pub mod naive;
pub mod plain_loop;
pub mod pleach;
pub mod pleach_bulk;
pub mod simd_loop;
