//! `UploadStats`: the bytes of an upload, by kind.

use core::ops::AddAssign;

/// The bytes that an upload copied to the GPU, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadStats {
    /// World matrices.
    pub worlds: u64,
    /// Joint matrices.
    pub joints: u64,
    /// Matrices of instances.
    pub instances: u64,
    /// Offsets of morph targets.
    pub morph_deltas: u64,
    /// Weights of morph targets.
    pub morph_weights: u64,
    /// Vertices and indices.
    pub geometry: u64,
    /// Pixels, including mip levels.
    pub textures: u64,
    /// Parameters of materials.
    pub materials: u64,
}

impl UploadStats {
    /// Returns the sum of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { worlds, joints, instances, morph_deltas, morph_weights, .. } = self;
        let data = worlds + joints + instances + morph_deltas + morph_weights;
        data + self.geometry + self.textures + self.materials
    }
}

impl AddAssign for UploadStats {
    fn add_assign(&mut self, other: Self) {
        self.worlds += other.worlds;
        self.joints += other.joints;
        self.instances += other.instances;
        self.morph_deltas += other.morph_deltas;
        self.morph_weights += other.morph_weights;
        self.geometry += other.geometry;
        self.textures += other.textures;
        self.materials += other.materials;
    }
}

/// The numbers of assets that are on the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadedAssets {
    /// Geometries.
    pub geometries: usize,
    /// Arrays of vertex data; geometries may share them.
    pub streams: usize,
    /// Buffers of vertices and indices.
    pub buffers: usize,
    /// Materials.
    pub materials: usize,
    /// Textures.
    pub textures: usize,
}
