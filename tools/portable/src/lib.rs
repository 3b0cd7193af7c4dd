//! Recordings of the results that pleach promises to be the same, bit for bit, on every machine.
//!
//! Each [`Area`] runs random edits of fixed seeds and hashes what it computes. The hashes are
//! committed in `hashes.txt`; `tests/same_bits.rs` compares them, with each SIMD kernel that the CPU
//! supports, and `tools/portable/check` runs it on x86-64, aarch64 and wasm32.
//!
//! The recordings need neither files nor threads. Their input uses no trigonometry and no SIMD types
//! of glam where an operation is rounded differently on other processors.
//!
//! After an intended change of a result, look at which areas differ and record them again:
//!
//! ```text
//! cargo run -p portable > tools/portable/hashes.txt
//! ```

mod animation;
mod browser;
mod digest;
mod graph;
mod kernels;
mod picture;
mod random;
mod rotations;
mod scene;
mod shapes;
mod skin;
mod spatial;
mod views;

pub use kernels::Kernels;

/// A group of results that has one hash per seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// World matrices after edits that the npm package repeats in JavaScript.
    Browser,
    /// Local and world transforms, inverses, lists of changes; seeds differ in their mix of edits.
    Graph,
    /// Edits of nodes in world space, of any axes, and relative ones.
    WorldSpace,
    /// Constructors and interpolation of rotations.
    Rotations,
    /// World bounds, culling, picking and proximity.
    Spatial,
    /// Bounds, cull results, hits and render lists of scenes with every kind of component.
    Scene,
    /// Joint matrices and posed bounds of skins bound in the current pose.
    Skin,
    /// Poses of blended animation layers.
    Animation,
    /// Views, projections, rays and shadow views.
    Views,
    /// Generated geometries, normals and tangents.
    Shapes,
    /// The pixels of a small picture.
    Picture,
}

impl Area {
    /// All areas.
    pub const ALL: [Self; 11] = [
        Self::Browser,
        Self::Graph,
        Self::WorldSpace,
        Self::Rotations,
        Self::Spatial,
        Self::Scene,
        Self::Skin,
        Self::Animation,
        Self::Views,
        Self::Shapes,
        Self::Picture,
    ];

    /// Returns the number of seeds that are recorded.
    #[must_use]
    pub fn seeds(self) -> u64 {
        match self {
            Self::Graph => 6,
            Self::Spatial | Self::Scene | Self::Skin | Self::Animation => 4,
            Self::Browser | Self::WorldSpace | Self::Rotations | Self::Views => 2,
            Self::Shapes | Self::Picture => 1,
        }
    }

    /// Returns the hash of the recording.
    #[must_use]
    pub fn record(self, seed: u64, kernels: Kernels) -> u64 {
        match self {
            Self::Browser => browser::record(seed, kernels),
            Self::Graph => graph::record(seed, kernels),
            Self::WorldSpace => graph::record_world_space(seed, kernels),
            Self::Rotations => rotations::record(seed),
            Self::Spatial => spatial::record(seed, kernels),
            Self::Scene => scene::record(seed, kernels),
            Self::Skin => skin::record(seed, kernels),
            Self::Animation => animation::record(seed, kernels),
            Self::Views => views::record(seed),
            Self::Shapes => shapes::record(),
            Self::Picture => picture::record(kernels),
        }
    }

    /// Returns the line of `hashes.txt`.
    #[must_use]
    pub fn line(self, seed: u64, kernels: Kernels) -> String {
        format!("{self:?} {seed} {:016x}", self.record(seed, kernels))
    }
}
