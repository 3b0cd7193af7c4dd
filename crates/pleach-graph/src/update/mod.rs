//! Stage 2: `Graph::update`, local → world.
//!
//! Reads the dirty queue, links, levels and local transforms; writes the world
//! matrices and lists every node it wrote in the change log.
//!
//! `dirty` collects edited nodes, `select` lists what is out of date, `propagate`
//! and `parallel` compute that list with a kernel of `kernel/`; `pace` decides between the two.
//!
//! Guarantees: afterwards every world matrix is up to date; each node is computed
//! at most once; the results are the same bits for every kernel and every number
//! of threads.

pub(crate) mod dirty;
pub(crate) mod kernel;
#[cfg(feature = "parallel")]
pub(crate) mod pace;
#[cfg(feature = "parallel")]
mod parallel;
pub(crate) mod propagate;
pub(crate) mod select;
#[cfg(feature = "parallel")]
pub(crate) mod threads;
