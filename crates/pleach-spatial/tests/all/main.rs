//! All tests of pleach-spatial, in one binary.

mod aabb;
mod common;
mod frustum;
mod frustum_exact;
mod index;
mod index_random;
mod instances;
mod invalid_input;
mod kernels;
mod lazy_tree;
mod picking;
mod rays_and_spheres;
mod shapes;
mod sizes;
mod steady_state;
mod subtree_bounds;
mod threads;
mod tree_boxes;
mod triangle_tree;
mod watertight;
mod world_bounds;

/// Counts allocations per thread, so that tests that count can run concurrently.
#[global_allocator]
static ALLOCATOR: testkit::allocations::Counting = testkit::allocations::Counting;
