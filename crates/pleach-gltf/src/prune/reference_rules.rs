//! The table of all references in glTF and in the known extensions.
//!
//! An extension that is not listed here may contain unknown references; a file with such an
//! extension is not changed.

use super::gltf_array::GltfArray;

/// The kind of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceKind {
    /// The index of an entry.
    Index(GltfArray),
    /// The index of a sampler in the same animation.
    AnimationSampler,
    /// A JSON pointer of KHR_animation_pointer.
    Pointer,
}

/// Returns the kind of reference at `path` in an entry of `array`, if any. `*` stands for an index
/// in an array.
pub(super) fn reference_at(array: GltfArray, path: &[&str]) -> Option<ReferenceKind> {
    use GltfArray::{
        Accessors, Animations, BufferViews, Buffers, Cameras, Images, Lights, Materials, Meshes,
        Nodes, Samplers, Scenes, Skins, Textures,
    };
    let to = match (array, path) {
        (Scenes, ["nodes", "*"]) => Nodes,
        (Nodes, ["children", "*"] | ["extensions", "MSFT_lod", "ids", "*"]) => Nodes,
        (Nodes, ["mesh"]) => Meshes,
        (Nodes, ["skin"]) => Skins,
        (Nodes, ["camera"]) => Cameras,
        (Nodes, ["extensions", "KHR_lights_punctual", "light"]) => Lights,
        (Nodes, ["extensions", "EXT_mesh_gpu_instancing", "attributes", _]) => Accessors,
        (Meshes, ["primitives", "*", "attributes", _]) => Accessors,
        (Meshes, ["primitives", "*", "targets", "*", _]) => Accessors,
        (Meshes, ["primitives", "*", "indices"]) => Accessors,
        (Meshes, ["primitives", "*", "material"]) => Materials,
        (
            Meshes,
            [
                "primitives",
                "*",
                "extensions",
                "KHR_materials_variants",
                "mappings",
                "*",
                "material",
            ],
        ) => Materials,
        (Meshes, ["primitives", "*", "extensions", "KHR_draco_mesh_compression", "bufferView"]) => {
            BufferViews
        }
        (Skins, ["inverseBindMatrices"]) => Accessors,
        (Skins, ["skeleton"] | ["joints", "*"]) => Nodes,
        (Animations, ["channels", "*", "sampler"]) => return Some(ReferenceKind::AnimationSampler),
        (Animations, ["channels", "*", "target", "node"]) => Nodes,
        (
            Animations,
            ["channels", "*", "target", "extensions", "KHR_animation_pointer", "pointer"],
        ) => return Some(ReferenceKind::Pointer),
        (Animations, ["samplers", "*", "input" | "output"]) => Accessors,
        (Materials, ["extensions", "MSFT_lod", "ids", "*"]) => Materials,
        (Materials, [.., info, "index"]) if info.ends_with("Texture") => Textures,
        (Textures, ["sampler"]) => Samplers,
        (Textures, ["source"] | ["extensions", _, "source"]) => Images,
        (Images, ["bufferView"]) => BufferViews,
        (Accessors, ["bufferView"]) => BufferViews,
        (Accessors, ["sparse", "indices" | "values", "bufferView"]) => BufferViews,
        (BufferViews, ["buffer"] | ["extensions", _, "buffer"]) => Buffers,
        _ => return None,
    };
    Some(ReferenceKind::Index(to))
}

/// Returns `true` if an extension of an entry of `array` (of the root, if `None`) has no references
/// other than those in the table above.
pub(super) fn is_known(array: Option<GltfArray>, extension: &str) -> bool {
    match extension {
        "KHR_xmp_json_ld" => true,
        "KHR_lights_punctual" => matches!(array, None | Some(GltfArray::Nodes)),
        "KHR_materials_variants" => matches!(array, None | Some(GltfArray::Meshes)),
        "EXT_mesh_gpu_instancing"
        | "KHR_node_hoverability"
        | "KHR_node_selectability"
        | "KHR_node_visibility" => array == Some(GltfArray::Nodes),
        "KHR_draco_mesh_compression" => array == Some(GltfArray::Meshes),
        "KHR_animation_pointer" => array == Some(GltfArray::Animations),
        "MSFT_lod" => matches!(array, Some(GltfArray::Nodes | GltfArray::Materials)),
        "EXT_texture_avif" | "EXT_texture_webp" | "KHR_texture_basisu" | "MSFT_texture_dds" => {
            array == Some(GltfArray::Textures)
        }
        "EXT_meshopt_compression" | "KHR_meshopt_compression" => {
            matches!(array, Some(GltfArray::BufferViews | GltfArray::Buffers))
        }
        "KHR_materials_anisotropy"
        | "KHR_materials_clearcoat"
        | "KHR_materials_diffuse_transmission"
        | "KHR_materials_dispersion"
        | "KHR_materials_emissive_strength"
        | "KHR_materials_ior"
        | "KHR_materials_iridescence"
        | "KHR_materials_pbrSpecularGlossiness"
        | "KHR_materials_sheen"
        | "KHR_materials_specular"
        | "KHR_materials_transmission"
        | "KHR_materials_unlit"
        | "KHR_materials_volume"
        | "KHR_texture_transform"
        | "MSFT_packing_normalRoughnessMetallic"
        | "MSFT_packing_occlusionRoughnessMetallic" => array == Some(GltfArray::Materials),
        _ => false,
    }
}

/// Returns the entry of an animation pointer, and the range of its index in the pointer. Returns
/// `None` for other pointers.
pub(super) fn parse_pointer(pointer: &str) -> Option<(GltfArray, usize, std::ops::Range<usize>)> {
    const HEADS: [(&str, GltfArray); 6] = [
        ("/nodes/", GltfArray::Nodes),
        ("/meshes/", GltfArray::Meshes),
        ("/skins/", GltfArray::Skins),
        ("/cameras/", GltfArray::Cameras),
        ("/materials/", GltfArray::Materials),
        ("/extensions/KHR_lights_punctual/lights/", GltfArray::Lights),
    ];
    let (head, array) = HEADS.into_iter().find(|(head, _)| pointer.starts_with(head))?;
    let rest = &pointer[head.len()..];
    let digits = rest.split('/').next().unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    Some((array, number, head.len()..head.len() + digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_by_their_path() {
        let mesh = ["primitives", "*", "attributes", "_ANY"];
        assert_eq!(
            reference_at(GltfArray::Meshes, &mesh),
            Some(ReferenceKind::Index(GltfArray::Accessors))
        );
        let texture = ["extensions", "KHR_materials_clearcoat", "clearcoatNormalTexture", "index"];
        assert_eq!(
            reference_at(GltfArray::Materials, &texture),
            Some(ReferenceKind::Index(GltfArray::Textures))
        );
        assert_eq!(reference_at(GltfArray::Materials, &["normalTexture", "texCoord"]), None);
        let draco =
            ["primitives", "*", "extensions", "KHR_draco_mesh_compression", "attributes", "NORMAL"];
        assert_eq!(reference_at(GltfArray::Meshes, &draco), None, "attribute ids in the stream");
    }

    #[test]
    fn pointers_are_parsed() {
        assert_eq!(parse_pointer("/nodes/12/scale"), Some((GltfArray::Nodes, 12, 7..9)));
        let light = "/extensions/KHR_lights_punctual/lights/0/color";
        assert_eq!(parse_pointer(light), Some((GltfArray::Lights, 0, 39..40)));
        for other in ["/nodes/x/scale", "/textures/1", "/nodes//a", "nodes/1", "/nodes/+1/a"] {
            assert_eq!(parse_pointer(other), None, "{other}");
        }
    }
}
