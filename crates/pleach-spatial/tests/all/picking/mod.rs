//! Picking: compared with testing every triangle of every node in world space and in f64; and the
//! contents of a hit.

mod brute_force;
mod hits;
mod pick_scene;
