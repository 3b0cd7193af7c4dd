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
    /// The lights of EXT_lights_image_based. They are never dropped.
    ImageBasedLights,
    /// The variants of KHR_materials_variants. They are never dropped.
    Variants,
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
    pub const ALL: [Self; 18] = [
        Self::Scenes,
        Self::Nodes,
        Self::Meshes,
        Self::Skins,
        Self::Cameras,
        Self::Lights,
        Self::ImageBasedLights,
        Self::Variants,
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
            Self::ImageBasedLights => "imageBasedLights",
            Self::Variants => "variants",
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

    /// Returns the JSON pointer to the array, such as `/meshes` or
    /// `/extensions/KHR_lights_punctual/lights`; `None` for channels and samplers of animations.
    #[must_use]
    pub const fn pointer(self) -> Option<&'static str> {
        Some(match self {
            Self::Scenes => "/scenes",
            Self::Nodes => "/nodes",
            Self::Meshes => "/meshes",
            Self::Skins => "/skins",
            Self::Cameras => "/cameras",
            Self::Lights => "/extensions/KHR_lights_punctual/lights",
            Self::ImageBasedLights => "/extensions/EXT_lights_image_based/lights",
            Self::Variants => "/extensions/KHR_materials_variants/variants",
            Self::Animations => "/animations",
            Self::AnimationChannels | Self::AnimationSamplers => return None,
            Self::Materials => "/materials",
            Self::Textures => "/textures",
            Self::Images => "/images",
            Self::Samplers => "/samplers",
            Self::Accessors => "/accessors",
            Self::BufferViews => "/bufferViews",
            Self::Buffers => "/buffers",
        })
    }

    /// Returns the array with the key `key` in the root.
    pub(crate) fn of_root(key: &str) -> Option<Self> {
        let is_at = |array: &Self| array.pointer().is_some_and(|it| &it[1..] == key);
        Self::ALL.into_iter().find(is_at)
    }
}

impl fmt::Display for GltfArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value for each array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PerArray<T>([T; GltfArray::ALL.len()]);

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
