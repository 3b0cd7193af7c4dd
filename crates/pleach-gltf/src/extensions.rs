//! The extensions that this crate knows: whether they are supported, and which objects have them.
//!
//! Invariant: a listed extension refers to no entries other than those in the table of
//! `references/`.

use crate::references::GltfArray;

/// The support for an extension of glTF; see [`supports`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Support {
    /// Loaded into the scenes, and saved from them.
    Loaded,
    /// Kept in the file, without effect on the scenes. Files that require it are loaded.
    Kept,
    /// Kept in the file, but files that require it are rejected.
    Unknown,
}

/// Returns how an extension is supported, by its name.
///
/// ```
/// use pleach_gltf::{Support, supports};
///
/// assert_eq!(supports("KHR_lights_punctual"), Support::Loaded);
/// assert_eq!(supports("KHR_xmp_json_ld"), Support::Kept);
/// assert_eq!(supports("VENDOR_glow"), Support::Unknown);
/// ```
#[must_use]
pub fn supports(extension: &str) -> Support {
    find(extension).map_or(Support::Unknown, |it| it.support)
}

/// Returns the names of the extensions that this crate knows, sorted. Some of them are
/// [`Unknown`](Support::Unknown): the references in them are known, but they are not supported.
///
/// ```
/// assert!(pleach_gltf::known_extensions().any(|name| name == "KHR_lights_punctual"));
/// ```
#[must_use]
pub fn known_extensions() -> impl ExactSizeIterator<Item = &'static str> {
    EXTENSIONS.iter().map(|it| it.name)
}

/// Returns `true` if an extension of an entry of `array` (of the root, if `None`) has no references
/// other than those in the table.
pub(crate) fn is_known_at(array: Option<GltfArray>, name: &str) -> bool {
    // Metadata may be attached to any object.
    name == "KHR_xmp_json_ld" || find(name).is_some_and(|it| it.places.contains(&array))
}

/// Returns `true` if glTF defines no member of this name, so that the extension is used by other
/// means.
pub(crate) fn has_no_members(name: &str) -> bool {
    find(name).is_some_and(|it| it.places.is_empty())
}

struct Extension {
    name: &'static str,
    support: Support,
    /// The arrays whose entries have it, also nested in them; `None` for the root.
    places: &'static [Option<GltfArray>],
}

fn find(name: &str) -> Option<&'static Extension> {
    let index = EXTENSIONS.binary_search_by_key(&name, |it| it.name).ok()?;
    Some(&EXTENSIONS[index])
}

macro_rules! extensions {
    ($($name:ident $support:ident [$($place:ident),*])*) => {
        /// Sorted by name.
        const EXTENSIONS: &[Extension] = &[$(Extension {
            name: stringify!($name),
            support: Support::$support,
            places: &[$(extensions!(@ $place)),*],
        }),*];
    };
    (@ Root) => { None };
    (@ $array:ident) => { Some(GltfArray::$array) };
}

extensions! {
    EXT_lights_image_based Kept [Root, Scenes]
    EXT_mesh_gpu_instancing Loaded [Nodes]
    EXT_meshopt_compression Loaded [Buffers, BufferViews]
    EXT_texture_avif Loaded [Textures]
    EXT_texture_webp Loaded [Textures]
    KHR_animation_pointer Loaded [Animations]
    KHR_draco_mesh_compression Loaded [Meshes]
    KHR_lights_punctual Loaded [Root, Nodes]
    KHR_materials_anisotropy Loaded [Materials]
    KHR_materials_clearcoat Loaded [Materials]
    KHR_materials_diffuse_transmission Loaded [Materials]
    KHR_materials_dispersion Loaded [Materials]
    KHR_materials_emissive_strength Loaded [Materials]
    KHR_materials_ior Loaded [Materials]
    KHR_materials_iridescence Loaded [Materials]
    KHR_materials_pbrSpecularGlossiness Loaded [Materials]
    KHR_materials_sheen Loaded [Materials]
    KHR_materials_specular Loaded [Materials]
    KHR_materials_transmission Loaded [Materials]
    KHR_materials_unlit Loaded [Materials]
    KHR_materials_variants Loaded [Root, Meshes]
    KHR_materials_volume Loaded [Materials]
    KHR_mesh_quantization Loaded []
    KHR_meshopt_compression Loaded [Buffers, BufferViews]
    KHR_node_hoverability Kept [Nodes]
    KHR_node_selectability Kept [Nodes]
    KHR_node_visibility Loaded [Nodes]
    KHR_texture_basisu Loaded [Textures]
    KHR_texture_transform Loaded [Materials]
    KHR_xmp_json_ld Kept [Root]
    MSFT_lod Unknown [Nodes, Materials]
    MSFT_packing_normalRoughnessMetallic Unknown [Materials]
    MSFT_packing_occlusionRoughnessMetallic Unknown [Materials]
    MSFT_texture_dds Unknown [Textures]
    PLEACH_bounds Loaded [Nodes]
    PLEACH_environment Loaded [Scenes]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_sorted() {
        assert!(EXTENSIONS.is_sorted_by_key(|it| it.name));
    }
}
