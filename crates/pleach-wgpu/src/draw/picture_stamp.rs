//! `PictureStamp`: what the light of a picture depends on, to keep it while nothing of that changes.
//!
//! Invariant: if the stamps of two draws are the same, so are the calls, what they are drawn with, and the
//! contents of all buffers and textures.

use pleach::NodeId;

use crate::draw::run::Stamp;

/// The dependencies of a picture, as numbers that change whenever they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PictureStamp {
    pub(crate) camera: Option<NodeId>,
    /// The list, the locations of uploaded resources, and the state of the pass.
    pub(crate) draws: Stamp,
    /// The contents of what is uploaded for scenes.
    pub(crate) uploads: u64,
    /// The contents of what is written for frames: uniforms, lights, shadow views, records of draws.
    pub(crate) frames: u64,
}
