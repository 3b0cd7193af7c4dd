//! `WarningCode`: stable codes of warnings, for programs.

macro_rules! codes {
    (
        loading { $($(#[doc = $doc:literal])+ $code:ident = $text:literal,)+ }
        saving { $($(#[doc = $saved_doc:literal])+ $saved:ident = $saved_text:literal,)+ }
    ) => {
        /// Identifies the kind of a [`Warning`](crate::Warning).
        ///
        /// Messages are for people and may be reworded; codes are stable.
        ///
        /// ```
        /// use pleach_gltf::WarningCode;
        ///
        /// let file = r#"{ "asset": {"version": "2.0"}, "meshes": [{"primitives": []}] }"#;
        /// let document = pleach_gltf::load_bytes(file.as_bytes())?;
        /// let warning = &document.report().warnings()[0];
        /// assert_eq!(warning.code, WarningCode::EmptyMesh);
        /// assert_eq!(warning.code.as_str(), "empty-mesh");
        /// # Ok::<(), pleach_gltf::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum WarningCode {
            $($(#[doc = $doc])+ $code,)+
            $($(#[doc = $saved_doc])+ $saved,)+
        }

        impl WarningCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code,)+ $(Self::$saved,)+];

            /// Returns the code as text in kebab case, which does not change between versions.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)+
                    $(Self::$saved => $saved_text,)+
                }
            }

            /// Returns the description of the fault.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$code => concat!($($doc),+).trim_ascii(),)+
                    $(Self::$saved => concat!($($saved_doc),+).trim_ascii(),)+
                }
            }

            /// Returns `true` if saving reports it, `false` if loading does.
            #[must_use]
            pub const fn is_from_saving(self) -> bool {
                matches!(self, $(Self::$saved)|+)
            }
        }
    };
}

codes! {
    loading {
        // ---- the file as a whole ----
        /// Bytes follow the end of a `.glb`.
        GlbTrailingBytes = "glb-trailing-bytes",
        /// A `.glb` has a second JSON or binary chunk.
        GlbDuplicateChunk = "glb-duplicate-chunk",
        /// The size of a `.glb` chunk is not a multiple of 4.
        GlbUnalignedChunk = "glb-unaligned-chunk",
        /// The JSON begins with a byte order mark.
        ByteOrderMark = "byte-order-mark",
        /// A string contains a lone surrogate.
        LoneSurrogate = "lone-surrogate",

        // ---- buffers and accessors ----
        /// A buffer has no bytes.
        EmptyBuffer = "empty-buffer",
        /// A `byteStride` is not a multiple of 4 from 4 to 252.
        InvalidByteStride = "invalid-byte-stride",
        /// Data other than vertex attributes is in a buffer view with a `byteStride`.
        UnexpectedByteStride = "unexpected-byte-stride",
        /// An accessor has no elements.
        EmptyAccessor = "empty-accessor",
        /// The `byteOffset` of an accessor is not a multiple of its component size.
        UnalignedAccessor = "unaligned-accessor",
        /// The indices of a sparse accessor do not increase.
        SparseIndexOrder = "sparse-index-order",

        // ---- meshes ----
        /// A mesh has no primitives.
        EmptyMesh = "empty-mesh",
        /// A primitive has no positions.
        MissingPositions = "missing-positions",
        /// The primitives of a mesh differ in the number of their morph targets.
        MorphTargetCount = "morph-target-count",
        /// A mesh or node has more or fewer weights than morph targets.
        MorphWeightCount = "morph-weight-count",
        /// An attribute set has a number above the supported ones.
        AttributeSetLimit = "attribute-set-limit",
        /// An attribute set is missing although later ones exist.
        MissingAttributeSet = "missing-attribute-set",
        /// The joint weights of a vertex do not sum to 1.
        WeightSum = "weight-sum",
        /// A vertex refers to a joint that does not exist, with a weight of 0.
        UnusedJointOutOfRange = "unused-joint-out-of-range",
        /// A vertex attribute other than positions has a value that is not finite.
        NotFiniteAttribute = "not-finite-attribute",
        /// An accessor and its Draco stream differ in the number of their elements.
        DracoElementCount = "draco-element-count",

        // ---- nodes and skins ----
        /// A node has a matrix as well as translation, rotation or scale.
        MatrixAndTransform = "matrix-and-transform",
        /// The length of a rotation's quaternion is not 1.
        RotationLength = "rotation-length",
        /// An extension of a node that has no effect has a member of a wrong type.
        InvalidExtension = "invalid-extension",
        /// A vertex refers to a joint that its skin does not have.
        JointOutOfRange = "joint-out-of-range",
        /// A node has a skin, but no mesh.
        SkinWithoutMesh = "skin-without-mesh",
        /// A joint is not in a scene of the node that it poses.
        JointOutsideScene = "joint-outside-scene",
        /// The extension PLEACH_bounds of a node is malformed.
        InvalidBounds = "invalid-bounds",
        /// The extension PLEACH_environment of a scene is malformed.
        InvalidEnvironment = "invalid-environment",
        /// A skin has no joints.
        SkinWithoutJoints = "skin-without-joints",
        /// A skin lists a joint twice.
        DuplicateJoint = "duplicate-joint",
        /// The joints of a skin have no common root.
        NoCommonRoot = "no-common-root",

        // ---- images and materials ----
        /// An image has neither a `uri` nor a `bufferView`.
        ImageWithoutSource = "image-without-source",
        /// An image could not be read.
        ImageUnreadable = "image-unreadable",
        /// An image is outside of the model's directory, and is read only if the file is trusted.
        ImageOutsideDirectory = "image-outside-directory",
        /// An image exceeds the memory limit, and is read only if the file is trusted.
        ImageMemoryLimit = "image-memory-limit",
        /// The only image of a texture has a format that is not decoded.
        UndecodableTexture = "undecodable-texture",
        /// A filter or wrapping mode of a sampler is unknown.
        UnknownSamplerMode = "unknown-sampler-mode",
        /// The alpha mode of a material is unknown.
        UnknownAlphaMode = "unknown-alpha-mode",
        /// The number of a texture coordinate set is too large.
        TexCoordLimit = "tex-coord-limit",
        /// An attenuation distance is not positive.
        AttenuationDistance = "attenuation-distance",
        /// A factor of a material is out of its range.
        FactorOutOfRange = "factor-out-of-range",
        /// The glossiness in a specular-glossiness texture is ignored.
        SpecularGlossinessTexture = "specular-glossiness-texture",

        // ---- animations ----
        /// The target path of a channel is unknown.
        UnknownChannelPath = "unknown-channel-path",
        /// The interpolation of a sampler is unknown.
        UnknownInterpolation = "unknown-interpolation",
        /// A cubic spline has a single key.
        SingleKeySpline = "single-key-spline",
        /// Two channels of an animation have the same target.
        DuplicateChannel = "duplicate-channel",
        /// The keys of a channel have more or fewer weights than the mesh has morph targets.
        KeyWeightCount = "key-weight-count",
        /// A key is the zero quaternion.
        ZeroQuaternionKey = "zero-quaternion-key",
        /// A key has a time or value that is not finite.
        NotFiniteKey = "not-finite-key",
        /// A sampler has more or fewer values than keys.
        KeyValueCount = "key-value-count",
        /// Two keys have the same time.
        DuplicateKeyTime = "duplicate-key-time",
        /// A key has a negative time.
        NegativeKeyTime = "negative-key-time",
        /// An animated node has a matrix.
        AnimatedMatrix = "animated-matrix",

        /// A user's own component in the extras of a node was not read.
        InvalidComponent = "invalid-component",

        // ---- cameras and lights ----
        /// The field of view of a camera is out of its range.
        CameraFieldOfView = "camera-field-of-view",
        /// The near plane of a camera is out of its range.
        CameraNearPlane = "camera-near-plane",
        /// The far plane of a camera is not beyond its near plane, or infinite in an orthographic
        /// camera.
        CameraFarPlane = "camera-far-plane",
        /// The projection matrix of a camera cannot be represented in `f32`.
        CameraExtreme = "camera-extreme",
        /// The projection of a camera is unusable for another reason.
        CameraProjection = "camera-projection",
        /// The cone angles of a spot light are out of their range.
        LightConeAngles = "light-cone-angles",
        /// The range of a light is not positive.
        LightRange = "light-range",
    }
    saving {
        /// Unknown chunks of a `.glb` were not written.
        DroppedChunks = "dropped-chunks",
        /// An image of a type that glTF does not have was written.
        UnsupportedImageType = "unsupported-image-type",
        /// A camera with a custom projection was not written.
        DroppedCustomCamera = "dropped-custom-camera",
        /// An ambient light was not written.
        DroppedAmbientLight = "dropped-ambient-light",
        /// Parts of a scene that glTF cannot express were not written.
        DroppedSceneData = "dropped-scene-data",
        /// A mesh without instances was not written.
        DroppedEmptyInstances = "dropped-empty-instances",
        /// The matrix of an instance was approximated.
        ApproximatedInstance = "approximated-instance",
        /// An attribute of instances was not written.
        DroppedInstanceAttribute = "dropped-instance-attribute",
        /// A value of a material was not written.
        DroppedMaterialValue = "dropped-material-value",
        /// A vertex attribute was not written.
        DroppedVertexAttribute = "dropped-vertex-attribute",
        /// The visibility channels of a duplicated animation were not written.
        DroppedVisibilityChannels = "dropped-visibility-channels",
        /// A channel whose target is not in the file was not written.
        DroppedChannel = "dropped-channel",
        /// Nodes are not below the root of their scene.
        DetachedNodes = "detached-nodes",
        /// The pose of animated nodes differs from that of the loaded file.
        AnimatedPose = "animated-pose",
        /// The matrix of an animated node was written as translation, rotation and scale.
        ApproximatedMatrix = "approximated-matrix",
        /// The matrix of a node is sheared or singular, which other readers may reject.
        ShearedMatrix = "sheared-matrix",
        /// Values of a vertex attribute were converted to what glTF allows.
        ConvertedVertexAttribute = "converted-vertex-attribute",
        /// A material needs a vertex attribute that its geometry does not have.
        MissingVertexAttribute = "missing-vertex-attribute",
        /// The `skeleton` of a skin that is not above all of its joints was not written.
        DroppedSkeleton = "dropped-skeleton",
        /// A skin whose joints were removed, or have no common root any more, was not written.
        DroppedSkin = "dropped-skin",
        /// A user's own component was not written.
        DroppedComponent = "dropped-component",
        /// An unknown extension of a cloned node was not written, because it may refer to entries by
        /// index.
        DroppedExtension = "dropped-extension",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn texts_are_the_names_in_kebab_case() {
        for code in WarningCode::ALL {
            let mut kebab = String::new();
            for letter in format!("{code:?}").chars() {
                if letter.is_uppercase() && !kebab.is_empty() {
                    kebab.push('-');
                }
                kebab.extend(letter.to_lowercase());
            }
            assert_eq!(code.as_str(), kebab);
        }
        let texts: BTreeSet<_> = WarningCode::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(texts.len(), WarningCode::ALL.len());
    }
}
