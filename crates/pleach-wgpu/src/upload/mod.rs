//! Uploads: what a renderer needs on the GPU, and only what changed since the last time.
//!
//! Reads a scene after its [update](pleach::Scene::update), and the render lists to be drawn; writes
//! buffers and textures by commands in the caller's encoder.
//!
//! Guarantees: after [`Uploads::sync`], and once the commands are submitted, everything that the lists
//! need is on the GPU with the bits that it has in the scene. Nothing is uploaded twice: if nothing
//! changed, no bytes are.

mod data_store;
mod matrix_rows;
mod row_set;
mod scatter;
mod staging;
mod stats;
mod worlds;

pub use data_store::{DataStore, LINE, MAX_TEXELS};
pub use matrix_rows::{MatrixRows, matrix_rows};
pub use stats::UploadStats;

use pleach::{RenderList, Scene};

use crate::{Error, Gpu};
use staging::{Recorder, Staging};
use worlds::Worlds;

/// What was uploaded of a scene and its assets.
#[derive(Debug)]
pub struct Uploads {
    worlds: Worlds,
    staging: Staging,
}

impl Uploads {
    /// Creates buffers with room for a few nodes.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { worlds: Worlds::new(gpu), staging: Staging::default() }
    }

    /// Reads the changes of this scene by change readers from now on, so that a
    /// [`sync`](Self::sync) takes O(changed). Without, or with another scene (a clone is another
    /// scene), the scene is compared with a copy in O(nodes); the same bytes are uploaded.
    ///
    /// The next sync uploads the whole scene.
    pub fn attach(&mut self, scene: &mut Scene) {
        self.worlds.attach(scene);
    }

    /// Records the upload of what changed, and of what `lists` need for the first time.
    ///
    /// The encoder must be submitted: what it uploads is not uploaded again.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not allow buffers of the size that is needed.
    pub fn sync(
        &mut self,
        gpu: &Gpu,
        scene: &Scene,
        _lists: &[&RenderList],
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<UploadStats, Error> {
        let mut recorder = Recorder { gpu, encoder, staging: &mut self.staging };
        let mut stats = UploadStats::default();
        stats.worlds = self.worlds.sync(&mut recorder, &scene.graph)?;
        recorder.flush();
        Ok(stats)
    }

    /// Returns the world matrices: three texels (rows) per slot.
    #[must_use]
    pub fn worlds(&self) -> &DataStore {
        self.worlds.store()
    }
}
