//! `GltfArray`: the arrays of a file whose entries are referenced by index.

use std::fmt;
use std::ops::{Index, IndexMut};

/// An array of a glTF file whose entries are referenced by index, such as `meshes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum GltfArray {
    /// Scenes. They are never dropped.
    Scenes,
    /// Nodes.
    Nodes,
    /// Meshes.
    Meshes,
    /// Skins.
    Skins,
    /// Cameras.
    Cameras,
    /// The lights of KHR_lights_punctual.
    Lights,
    /// Animations.
    Animations,
    /// The channels of animations.
    AnimationChannels,
    /// The samplers of animations.
    AnimationSamplers,
    /// Materials.
    Materials,
    /// Textures.
    Textures,
    /// Images.
    Images,
    /// The samplers of textures.
    Samplers,
    /// Accessors.
    Accessors,
    /// Buffer views.
    BufferViews,
    /// Buffers.
    Buffers,
}

impl GltfArray {
    /// All arrays.
    pub const ALL: [Self; 16] = [
        Self::Scenes,
        Self::Nodes,
        Self::Meshes,
        Self::Skins,
        Self::Cameras,
        Self::Lights,
        Self::Animations,
        Self::AnimationChannels,
        Self::AnimationSamplers,
        Self::Materials,
        Self::Textures,
        Self::Images,
        Self::Samplers,
        Self::Accessors,
        Self::BufferViews,
        Self::Buffers,
    ];

    /// Returns the key of the member that holds it. `animationChannels` and `animationSamplers` are
    /// the arrays inside of animations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scenes => "scenes",
            Self::Nodes => "nodes",
            Self::Meshes => "meshes",
            Self::Skins => "skins",
            Self::Cameras => "cameras",
            Self::Lights => "lights",
            Self::Animations => "animations",
            Self::AnimationChannels => "animationChannels",
            Self::AnimationSamplers => "animationSamplers",
            Self::Materials => "materials",
            Self::Textures => "textures",
            Self::Images => "images",
            Self::Samplers => "samplers",
            Self::Accessors => "accessors",
            Self::BufferViews => "bufferViews",
            Self::Buffers => "buffers",
        }
    }

    /// Returns the array with the key `key` in the root.
    pub(super) fn of_root(key: &str) -> Option<Self> {
        let is_nested = |array: &Self| {
            matches!(array, Self::Lights | Self::AnimationChannels | Self::AnimationSamplers)
        };
        Self::ALL.into_iter().find(|array| array.name() == key && !is_nested(array))
    }
}

impl fmt::Display for GltfArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value for each array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PerArray<T>([T; GltfArray::ALL.len()]);

impl<T> Index<GltfArray> for PerArray<T> {
    type Output = T;

    fn index(&self, array: GltfArray) -> &T {
        &self.0[array as usize]
    }
}

impl<T> IndexMut<GltfArray> for PerArray<T> {
    fn index_mut(&mut self, array: GltfArray) -> &mut T {
        &mut self.0[array as usize]
    }
}
