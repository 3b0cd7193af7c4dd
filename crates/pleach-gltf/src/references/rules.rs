//! The table of all references in glTF and in the known extensions, one list per array.
//!
//! Invariant: a path is listed if and only if its value is the index of an entry (or a JSON pointer
//! to one). The extensions themselves are listed in `extensions.rs`.

use super::gltf_array::GltfArray;

/// A member that refers to an entry of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferenceRule {
    /// The steps from the entry to the member. `*` stands for any index or key.
    pub path: &'static [&'static str],
    /// The kind of the reference.
    pub to: ReferenceTarget,
}

/// The meaning of the value of a [`ReferenceRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReferenceTarget {
    /// An index into an array. An index into [`GltfArray::AnimationSamplers`] counts the samplers
    /// of the same animation.
    Index(GltfArray),
    /// A JSON pointer (KHR_animation_pointer).
    Pointer,
}

macro_rules! rules {
    ($($array:ident = [$([$($step:literal),+] => $to:ident,)*];)*) => {
        $(const $array: &[ReferenceRule] = &[$(
            ReferenceRule { path: &[$($step),+], to: rules!(@ $to) },
        )*];)*
    };
    (@ Pointer) => { ReferenceTarget::Pointer };
    (@ $to:ident) => { ReferenceTarget::Index(GltfArray::$to) };
}

rules! {
    ROOT = [
        ["scene"] => Scenes,
    ];
    SCENES = [
        ["nodes", "*"] => Nodes,
        ["extensions", "EXT_lights_image_based", "light"] => ImageBasedLights,
        ["extensions", "PLEACH_environment", "map", "image"] => Images,
    ];
    NODES = [
        ["children", "*"] => Nodes,
        ["mesh"] => Meshes,
        ["skin"] => Skins,
        ["camera"] => Cameras,
        ["extensions", "KHR_lights_punctual", "light"] => Lights,
        ["extensions", "EXT_mesh_gpu_instancing", "attributes", "*"] => Accessors,
        ["extensions", "MSFT_lod", "ids", "*"] => Nodes,
    ];
    IMAGE_BASED_LIGHTS = [
        ["specularImages", "*", "*"] => Images,
    ];
    MESHES = [
        ["primitives", "*", "attributes", "*"] => Accessors,
        ["primitives", "*", "targets", "*", "*"] => Accessors,
        ["primitives", "*", "indices"] => Accessors,
        ["primitives", "*", "material"] => Materials,
        ["primitives", "*", "extensions", "KHR_materials_variants", "mappings", "*", "material"] => Materials,
        ["primitives", "*", "extensions", "KHR_materials_variants", "mappings", "*", "variants", "*"] => Variants,
        ["primitives", "*", "extensions", "KHR_draco_mesh_compression", "bufferView"] => BufferViews,
    ];
    SKINS = [
        ["inverseBindMatrices"] => Accessors,
        ["skeleton"] => Nodes,
        ["joints", "*"] => Nodes,
    ];
    ANIMATIONS = [
        ["channels", "*", "sampler"] => AnimationSamplers,
        ["channels", "*", "target", "node"] => Nodes,
        ["channels", "*", "target", "extensions", "KHR_animation_pointer", "pointer"] => Pointer,
        ["samplers", "*", "input"] => Accessors,
        ["samplers", "*", "output"] => Accessors,
    ];
    MATERIALS = [
        ["normalTexture", "index"] => Textures,
        ["occlusionTexture", "index"] => Textures,
        ["emissiveTexture", "index"] => Textures,
        ["pbrMetallicRoughness", "baseColorTexture", "index"] => Textures,
        ["pbrMetallicRoughness", "metallicRoughnessTexture", "index"] => Textures,
        ["extensions", "KHR_materials_anisotropy", "anisotropyTexture", "index"] => Textures,
        ["extensions", "KHR_materials_clearcoat", "clearcoatTexture", "index"] => Textures,
        ["extensions", "KHR_materials_clearcoat", "clearcoatRoughnessTexture", "index"] => Textures,
        ["extensions", "KHR_materials_clearcoat", "clearcoatNormalTexture", "index"] => Textures,
        ["extensions", "KHR_materials_diffuse_transmission", "diffuseTransmissionTexture", "index"] => Textures,
        ["extensions", "KHR_materials_diffuse_transmission", "diffuseTransmissionColorTexture", "index"] => Textures,
        ["extensions", "KHR_materials_iridescence", "iridescenceTexture", "index"] => Textures,
        ["extensions", "KHR_materials_iridescence", "iridescenceThicknessTexture", "index"] => Textures,
        ["extensions", "KHR_materials_pbrSpecularGlossiness", "diffuseTexture", "index"] => Textures,
        ["extensions", "KHR_materials_pbrSpecularGlossiness", "specularGlossinessTexture", "index"] => Textures,
        ["extensions", "KHR_materials_sheen", "sheenColorTexture", "index"] => Textures,
        ["extensions", "KHR_materials_sheen", "sheenRoughnessTexture", "index"] => Textures,
        ["extensions", "KHR_materials_specular", "specularTexture", "index"] => Textures,
        ["extensions", "KHR_materials_specular", "specularColorTexture", "index"] => Textures,
        ["extensions", "KHR_materials_transmission", "transmissionTexture", "index"] => Textures,
        ["extensions", "KHR_materials_volume", "thicknessTexture", "index"] => Textures,
        ["extensions", "MSFT_lod", "ids", "*"] => Materials,
        ["extensions", "MSFT_packing_normalRoughnessMetallic", "normalRoughnessMetallicTexture", "index"] => Textures,
        ["extensions", "MSFT_packing_occlusionRoughnessMetallic", "occlusionRoughnessMetallicTexture", "index"] => Textures,
        ["extensions", "MSFT_packing_occlusionRoughnessMetallic", "roughnessMetallicOcclusionTexture", "index"] => Textures,
        ["extensions", "MSFT_packing_occlusionRoughnessMetallic", "normalTexture", "index"] => Textures,
    ];
    TEXTURES = [
        ["sampler"] => Samplers,
        ["source"] => Images,
        ["extensions", "EXT_texture_avif", "source"] => Images,
        ["extensions", "EXT_texture_webp", "source"] => Images,
        ["extensions", "KHR_texture_basisu", "source"] => Images,
        ["extensions", "MSFT_texture_dds", "source"] => Images,
    ];
    IMAGES = [
        ["bufferView"] => BufferViews,
    ];
    ACCESSORS = [
        ["bufferView"] => BufferViews,
        ["sparse", "indices", "bufferView"] => BufferViews,
        ["sparse", "values", "bufferView"] => BufferViews,
    ];
    BUFFER_VIEWS = [
        ["buffer"] => Buffers,
        ["extensions", "EXT_meshopt_compression", "buffer"] => Buffers,
        ["extensions", "KHR_meshopt_compression", "buffer"] => Buffers,
    ];
}

/// Returns the references that an entry of `array` may have; for `None` those of the root object.
///
/// References of the channels and samplers of an animation are listed for
/// [`GltfArray::Animations`].
#[must_use]
pub const fn rules(array: Option<GltfArray>) -> &'static [ReferenceRule] {
    match array {
        None => ROOT,
        Some(GltfArray::Scenes) => SCENES,
        Some(GltfArray::Nodes) => NODES,
        Some(GltfArray::ImageBasedLights) => IMAGE_BASED_LIGHTS,
        Some(GltfArray::Meshes) => MESHES,
        Some(GltfArray::Skins) => SKINS,
        Some(GltfArray::Animations) => ANIMATIONS,
        Some(GltfArray::Materials) => MATERIALS,
        Some(GltfArray::Textures) => TEXTURES,
        Some(GltfArray::Images) => IMAGES,
        Some(GltfArray::Accessors) => ACCESSORS,
        Some(GltfArray::BufferViews) => BUFFER_VIEWS,
        Some(_) => &[],
    }
}

impl ReferenceRule {
    /// Returns `true` if the member at `path` is a reference. Elements of arrays have the step `*`.
    fn matches(&self, path: &[&str]) -> bool {
        self.path.len() == path.len()
            && self.path.iter().zip(path).all(|(step, key)| *step == "*" || step == key)
    }
}

/// Returns the kind of reference at `path` in an entry of `array`, if any. `*` stands for an index
/// in an array.
pub(crate) fn reference_at(array: Option<GltfArray>, path: &[&str]) -> Option<ReferenceTarget> {
    Some(rules(array).iter().find(|rule| rule.matches(path))?.to)
}

/// Returns the entry of an animation pointer, and the range of its index in the pointer. Returns
/// `None` for other pointers.
pub(crate) fn parse_pointer(pointer: &str) -> Option<(GltfArray, usize, std::ops::Range<usize>)> {
    let head = |array: GltfArray| {
        let head = array.pointer()?;
        let rest = pointer.strip_prefix(head)?.strip_prefix('/')?;
        Some((array, head.len() + 1, rest))
    };
    let (array, start, rest) = GltfArray::ALL.into_iter().find_map(head)?;
    let digits = rest.split('/').next().unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    Some((array, number, start..start + digits.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_by_their_path() {
        let mesh = ["primitives", "*", "attributes", "_ANY"];
        let to = |array, path: &[&str]| reference_at(Some(array), path);
        assert_eq!(
            to(GltfArray::Meshes, &mesh),
            Some(ReferenceTarget::Index(GltfArray::Accessors))
        );
        let texture = ["extensions", "KHR_materials_clearcoat", "clearcoatNormalTexture", "index"];
        assert_eq!(
            to(GltfArray::Materials, &texture),
            Some(ReferenceTarget::Index(GltfArray::Textures))
        );
        assert_eq!(to(GltfArray::Materials, &["normalTexture", "texCoord"]), None);
        let draco =
            ["primitives", "*", "extensions", "KHR_draco_mesh_compression", "attributes", "NORMAL"];
        assert_eq!(to(GltfArray::Meshes, &draco), None, "attribute ids in the stream");
    }

    #[test]
    fn pointers_are_parsed() {
        assert_eq!(parse_pointer("/nodes/12/scale"), Some((GltfArray::Nodes, 12, 7..9)));
        let light = "/extensions/KHR_lights_punctual/lights/0/color";
        assert_eq!(parse_pointer(light), Some((GltfArray::Lights, 0, 39..40)));
        for other in ["/nodes/x/scale", "/asset/1", "/nodes//a", "nodes/1", "/nodes/+1/a"] {
            assert_eq!(parse_pointer(other), None, "{other}");
        }
    }

    /// An extension with a rule is listed at the same array in `extensions.rs`.
    #[test]
    fn extensions_with_references_are_known() {
        for array in GltfArray::ALL {
            for rule in rules(Some(array)) {
                let names = rule.path.windows(2).filter(|it| it[0] == "extensions");
                for name in names.map(|it| it[1]) {
                    assert!(crate::extensions::is_known_at(Some(array), name), "{array}: {name}");
                }
            }
        }
    }
}
