//! `Rule`: the kinds of problems that validation finds beyond those of the loader.

use super::Severity;

macro_rules! rules {
    ($($rule:ident = $code:literal, $severity:ident, $violation:literal, $message:literal, $advice:literal;)+) => {
        /// A rule that a file breaks, or an advice that it does not follow.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!("`", $code, "`: ", $message, ".")] $rule,)+
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// Returns the code as text in kebab case, which does not change between versions.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $code,)+
                }
            }

            /// Returns the severity, unless validation is strict.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$rule => Severity::$severity,)+
                }
            }

            /// Returns `true` if the specification forbids it, so that it is an error if validation
            /// is strict.
            #[must_use]
            pub const fn is_violation(self) -> bool {
                match self {
                    $(Self::$rule => $violation,)+
                }
            }

            /// Returns the description.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$rule => $message,)+
                }
            }

            /// Returns the remedy.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$rule => $advice,)+
                }
            }
        }
    };
}

rules! {
    // ---- extensions ----
    ExtensionUndeclared = "extension-undeclared", Warning, true,
        "an extension is used but not listed in extensionsUsed",
        "Add its name to extensionsUsed: other loaders may check only there.";
    ExtensionRequiredOnly = "extension-required-only", Warning, true,
        "an extension is listed in extensionsRequired but not in extensionsUsed",
        "Add its name to extensionsUsed, or remove it if it is not required.";
    ExtensionUnused = "extension-unused", Hint, false,
        "an extension is listed in extensionsUsed but not used",
        "Remove its name from extensionsUsed.";
    ExtensionUnknown = "extension-unknown", Hint, false,
        "an extension is not supported: it is preserved but has no effect",
        "No action is needed.";
    MisplacedExtension = "misplaced-extension", Warning, true,
        "an extension is in an object that does not have it",
        "Move it to the object that the extension is for.";
    ExtensionNotRequired = "extension-not-required", Warning, true,
        "an extension is used that must also be listed in extensionsRequired",
        "Add its name to extensionsRequired: loaders without it cannot show the file.";

    // ---- members ----
    MisspeltMember = "misspelt-member", Warning, false,
        "a member is not part of glTF but similar to one that is: it has no effect",
        "Correct its name, or move it into extras.";
    UnknownMember = "unknown-member", Hint, false,
        "a member is not part of glTF: it is preserved but has no effect",
        "Move it into extras.";
    MissingMember = "missing-member", Warning, true,
        "a required member is missing",
        "Add it, or export the file again.";
    InvalidMember = "invalid-member", Warning, true,
        "a member has a value that glTF does not allow",
        "Use a value that the specification allows.";
    DanglingReference = "dangling-reference", Warning, true,
        "a reference to an entry that does not exist",
        "Use an index that exists, or remove the reference.";

    // ---- nodes ----
    SkinTransform = "skin-transform", Warning, false,
        "the transform of the node of a skinned mesh is ignored: its joints determine its position",
        "Remove the transform of the node, or move the root joint of the skeleton instead.";
    SkinParent = "skin-parent", Hint, false,
        "a skinned mesh has an ancestor whose transform is ignored",
        "Make it a root of the scene: programs that do not ignore the transform show it elsewhere.";
    MirroredJoint = "mirrored-joint", Hint, false,
        "a joint or animated node has a negative scale",
        "Mirror the vertices instead: blending and skinning in other programs may turn it inside out.";
    NonUniformJoint = "non-uniform-joint", Hint, false,
        "a joint or animated node with children has a non-uniform scale",
        "Scale the vertices instead: rotations below a non-uniform scale cause shear.";
    ZeroScale = "zero-scale", Hint, false,
        "a scale of zero makes the node and its descendants flat",
        "Use KHR_node_visibility to hide nodes.";
    ExtremeScale = "extreme-scale", Hint, false,
        "the scale of a node is very large or very small",
        "Export in metres, with the scale applied to the vertices.";
    FarFromOrigin = "far-from-origin", Warning, false,
        "a mesh is so far from the origin that positions are imprecise for its size",
        "Move the scene to the origin: 32-bit floats have about seven digits, so vertices are displaced.";
    EmptyNode = "empty-node", Hint, false,
        "a node has neither content nor children",
        "Remove it, unless something is attached to it by name.";
    SceneSize = "scene-size", Hint, false,
        "the scene is very large or very small",
        "glTF uses metres; perhaps it was made in other units.";
    UnreferencedNode = "unreferenced-node", Hint, false,
        "no scene references this node or an ancestor of it",
        "Add it to a scene, or remove it.";
    MatrixNotDecomposable = "matrix-not-decomposable", Warning, true,
        "the matrix of a node cannot be written as translation, rotation and scale",
        "Remove shear and perspective from the matrix.";
    SkinWithoutInfluences = "skin-without-influences", Warning, true,
        "a node has a skin, but its mesh has no joints",
        "Give the mesh joints and weights, or remove the skin.";
    SkeletonRoot = "skeleton-root", Warning, true,
        "the skeleton of a skin is not a common root of its joints",
        "Use a node above all joints, or omit the skeleton.";
    InverseBindMatrix = "inverse-bind-matrix", Warning, true,
        "the last row of an inverse bind matrix is not (0, 0, 0, 1)",
        "Export the skin again.";
    InconsistentScene = "inconsistent-scene", Warning, false,
        "the scene is inconsistent",
        "Export it again; what is inconsistent is ignored.";
    DuplicateName = "duplicate-name", Hint, false,
        "another node of the scene has the same name",
        "Use unique names if nodes are looked up by name.";

    // ---- accessors ----
    NoMinMax = "no-min-max", Warning, true,
        "an accessor of positions or key times has no min or max",
        "Write the minimum and maximum of each component: other programs use them for framing, culling and playback.";
    WrongMinMax = "wrong-min-max", Warning, true,
        "min or max of an accessor does not match its data",
        "Write the actual values, or export the file again: other programs use them for framing, culling and playback.";
    RoundedMinMax = "rounded-min-max", Hint, true,
        "min or max of an accessor differs from its data in the last digits",
        "Write all digits (nine are enough): strict validators compare exactly.";
    AccessorLayout = "accessor-layout", Warning, true,
        "the elements of an accessor are not laid out as glTF requires",
        "Align offsets and strides as the specification requires, or export the file again.";
    AccessorUse = "accessor-use", Warning, true,
        "an accessor or buffer view is used for different purposes",
        "Use a separate accessor and buffer view for each purpose.";
    ByteStride = "byte-stride", Warning, true,
        "a buffer view has a byteStride that it must not have",
        "Use byteStride only for vertex data, and not beyond the length of the view.";
    InvalidFloat = "invalid-float", Warning, true,
        "numbers are infinite or not a number",
        "Export the data again.";

    // ---- primitives ----
    ModeCount = "mode-count", Warning, false,
        "the number of indices or vertices does not match the primitive mode",
        "Remove the surplus ones, or correct the mode: a triangle has three, a line has two.";
    ViewTarget = "view-target", Warning, true,
        "the target of a buffer view is for indices but it contains vertices, or vice versa",
        "Correct its target (34962 vertices, 34963 indices) or omit it; keep vertices and indices in separate buffer views.";
    AttributeType = "attribute-type", Warning, true,
        "an attribute has a component type that glTF does not allow",
        "Export it as floats or, for quantized data, add KHR_mesh_quantization to extensionsUsed and extensionsRequired.";
    IndexType = "index-type", Warning, true,
        "the indices of a primitive are normalized, which is for colours, weights and the like",
        "Remove normalized from the accessor.";
    AttributeName = "attribute-name", Warning, true,
        "an attribute has a name that glTF does not define",
        "Correct it; the name of a custom attribute must begin with an underscore.";
    AttributeSets = "attribute-sets", Warning, true,
        "the attribute sets of a primitive are incomplete",
        "Number the sets consecutively from 0, with as many joints as weights.";
    MorphWithoutBase = "morph-without-base", Warning, true,
        "a morph target has an attribute that its primitive does not have",
        "Add the attribute to the primitive, or remove it from the target.";
    PrimitiveRestart = "primitive-restart", Warning, true,
        "indices contain the value for primitive restart",
        "Use a wider component type for the indices.";
    VariantTwice = "variant-twice", Warning, true,
        "a variant is mapped more than once for a primitive",
        "Map each variant to one material.";

    // ---- geometry ----
    NoNormals = "no-normals", Hint, false,
        "lit triangles have no normals and are flat-shaded",
        "Export normals, unless flat shading is intended.";
    NoTangents = "no-tangents", Hint, false,
        "there is a normal texture but no tangents: each program computes its own",
        "Export tangents for the same result in all programs.";
    NoUvs = "no-uvs", Warning, true,
        "a texture is used but its texture coordinates are missing",
        "Export texture coordinates, or remove the texture from the material.";
    NoArea = "no-area", Warning, false,
        "all triangles have zero area: nothing is visible",
        "Remove the primitive, or check how its vertices were exported.";
    ZeroArea = "zero-area", Hint, false,
        "some triangles have zero area",
        "Merge by distance or clean up the mesh before exporting.";
    NormalsNotUnit = "normals-not-unit", Warning, true,
        "normals do not have length 1",
        "Normalize them when exporting: otherwise lighting is wrong.";
    TangentsNotUnit = "tangents-not-unit", Warning, true,
        "tangents do not have length 1, or their w is neither 1 nor -1",
        "Normalize them when exporting.";
    ColorRange = "color-range", Warning, true,
        "vertex colours are outside of the range from 0 to 1",
        "Clamp them when exporting.";
    InvalidWeights = "invalid-weights", Warning, true,
        "joint weights are negative, or a vertex has the same joint twice",
        "Combine the weights of a joint when exporting.";
    NoTangentSpace = "no-tangent-space", Warning, true,
        "a material needs tangents, but there are neither tangents nor a normal texture",
        "Export tangents.";
    Denormal = "denormal", Hint, false,
        "numbers are denormal",
        "Round them to 0; some processors are slow with them.";
    UnusedVertices = "unused-vertices", Hint, false,
        "vertices are not used by any triangle, line or point",
        "Remove them: they use memory and enlarge the bounds.";
    UnusedWeights = "unused-weights", Hint, false,
        "vertices have joints and weights but no node uses the mesh with a skin",
        "Remove joints and weights, or give the node its skin.";

    // ---- images ----
    BrokenImage = "broken-image", Error, true,
        "an image cannot be decoded",
        "Save it again as PNG or JPEG.";
    ImageMimeType = "image-mime-type", Warning, true,
        "the mimeType of an image does not match its content",
        "Correct its mimeType: stricter loaders rely on it.";
    LargeImage = "large-image", Hint, false,
        "an image is larger than 4096 pixels",
        "Older GPUs do not support it and it uses much memory; reduce its size.";
    HugeImage = "huge-image", Warning, false,
        "an image is larger than 8192 pixels",
        "Many GPUs do not support it; reduce its size.";
    ImageSize = "image-size", Hint, false,
        "the width or height of an image is not a power of two",
        "Some engines resize such textures when they load them.";
    ImageSource = "image-source", Warning, true,
        "an image has both a uri and a bufferView: programs differ in which they use",
        "Remove one of them; the uri is used here.";
    ImageNotDecoded = "image-not-decoded", Hint, false,
        "an image was not decoded: the total size of the images exceeds the limit",
        "Reduce the size or number of the images.";
    TextureImageType = "texture-image-type", Warning, true,
        "the image of a texture has a type that needs an extension",
        "Use PNG or JPEG, or refer to the image through EXT_texture_webp or KHR_texture_basisu.";
    BufferType = "buffer-type", Warning, true,
        "the data URI of a buffer has an unsuitable media type",
        "Use application/octet-stream or application/gltf-buffer.";

    // ---- cameras and lights ----
    FieldOfView = "field-of-view", Hint, false,
        "the vertical field of view of a camera is less than 5° or more than 120°",
        "yfov is the vertical field of view in radians.";
    DepthRange = "depth-range", Hint, false,
        "the far plane of a camera is more than a million times as far away as its near plane",
        "Increase the near plane distance: depth buffers lack the precision for this range.";
    Aspect = "aspect", Hint, false,
        "the aspect ratio of a camera is greater than 10 or less than 0.1",
        "aspectRatio is width divided by height.";
    UnusableCamera = "unusable-camera", Warning, false,
        "a camera is unusable: the world transform of its node is singular",
        "Give its node and its ancestors a non-zero scale.";
    DarkLight = "dark-light", Hint, false,
        "a light has no effect: its intensity or colour is zero",
        "Give it an intensity and a colour, or remove it.";
    NegativeLight = "negative-light", Warning, true,
        "a light has a negative intensity or colour",
        "Use values of 0 or more.";
    LightColor = "light-color", Hint, false,
        "a component of a light's colour is greater than 1",
        "Increase the intensity instead: other programs may clamp the colour.";
    BrightLight = "bright-light", Hint, false,
        "a light is brighter than 150,000 lx (direct sunlight) or 1,000,000 cd",
        "Intensities are in lux for directional lights and candela for others; perhaps it is in watts or lumens.";
    CameraMagnification = "camera-magnification", Warning, true,
        "xmag or ymag of an orthographic camera is zero",
        "Use half the width and height of the view.";

    // ---- animations ----
    EmptyAnimation = "empty-animation", Warning, false,
        "an animation has no playable channel",
        "Remove it, or check the targets of its channels.";
    AnimationWithoutEffect = "animation-without-effect", Hint, false,
        "an animation does not change the rest pose",
        "Remove it.";
    ConstantChannels = "constant-channels", Hint, false,
        "channels of an animation are constant",
        "Omit them when exporting, unless other animations move the same nodes.";
    AnimationWithoutTime = "animation-without-time", Hint, false,
        "an animation has a duration of 0: it is a pose",
        "Give it keys at several times if it should move.";
    AnimationOutsideScene = "animation-outside-scene", Hint, false,
        "an animation moves only nodes that are not in any scene",
        "Add the nodes to a scene, or remove the animation.";
    KeyFormat = "key-format", Warning, true,
        "the keys of an animation have a type that glTF does not allow for them",
        "Use floats for key times; for key values the type of the animated property.";
    RotationKeyLength = "rotation-key-length", Warning, true,
        "rotation keys do not have length 1",
        "Normalize the quaternions when exporting.";
    WeightsWithoutTargets = "weights-without-targets", Warning, true,
        "an animation targets the weights of a node whose mesh has no morph targets",
        "Remove the channel.";
    PointerTarget = "pointer-target", Warning, true,
        "a channel with KHR_animation_pointer has a node, or a path other than pointer",
        "Use the path pointer, and no node.";

    // ---- the file as a whole ----
    Unused = "unused", Hint, false,
        "an object is not referenced",
        "Remove it: it makes the file larger and has no effect.";
    MinVersion = "min-version", Warning, true,
        "minVersion is greater than version",
        "Use a minVersion up to the version.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_names_in_kebab_case() {
        for rule in Rule::ALL {
            let mut kebab = String::new();
            for letter in format!("{rule:?}").chars() {
                if letter.is_uppercase() && !kebab.is_empty() {
                    kebab.push('-');
                }
                kebab.extend(letter.to_lowercase());
            }
            assert_eq!(rule.as_str(), kebab);
        }
    }
}
