//! Picking: two levels of trees against every triangle of every node, one by one in
//! the world and in f64; and all that a hit tells.

mod every_triangle;
mod hits;
mod scene;
