//! The render list: what is in it, in what order, compared with a walk over all nodes that
//! judges each by itself.

mod everything;
mod lod;
mod look;
mod order;
mod seen;
mod static_version;
mod walk;
