//! What to do about what the loader warns of: by the code of the warning.

use pleach_gltf::WarningCode;

/// What to do about something that everybody loads.
pub(super) fn advice_on(code: WarningCode, pointer: &str) -> &'static str {
    use WarningCode::*;
    match code {
        // The file as a whole.
        GlbTrailingBytes | GlbDuplicateChunk | GlbUnalignedChunk => {
            "Export it again: other readers may refuse the container."
        }
        ByteOrderMark => "Save it as UTF-8 without a byte order mark.",
        LoneSurrogate => "Cut names between characters, or write U+FFFD there.",
        // Buffers and accessors.
        InvalidByteStride => "Give it a multiple of 4, from 4 to 252.",
        UnexpectedByteStride => "Strides are for vertices; leave them out elsewhere.",
        EmptyAccessor => "Take it out, or give it elements.",
        UnalignedAccessor => "Let it begin at a multiple of its component's size.",
        SparseIndexOrder => "Sort the indices, and name each element once.",
        // Meshes.
        WeightSum => NORMALISE,
        AttributeSetLimit | DracoElementCount if pointer.contains("WEIGHTS_") => NORMALISE,
        UnusedJointOutOfRange => "Write joint 0 where the weight is 0.",
        MissingAttributeSet => "Number the sets from 0 on, and leave none out.",
        AttributeSetLimit => "Leave out sets that nothing uses.",
        MissingPositions => "Give it positions, or take the primitive out.",
        MorphTargetCount => "Give all primitives of a mesh the same morph targets.",
        EmptyMesh => "Give the mesh a primitive, or take it out.",
        MorphWeightCount => "Give as many weights as the mesh has morph targets.",
        // Nodes and skins.
        RotationLength => "Write a quaternion of length 1.",
        MatrixAndTransform => "Keep the matrix, or translation, rotation and scale; not both.",
        JointOutOfRange => "Number the joints of vertices as the skin lists them, from 0 on.",
        SkinWithoutMesh => "Give the node a mesh to pose, or take its skin out.",
        JointOutsideScene => "Put the joints in the scene of the node.",
        SkinWithoutJoints => "List the nodes that are its joints, or take the skin out.",
        DuplicateJoint => "List each joint once.",
        NoCommonRoot => "Put all joints below one node, in the same scene.",
        // Images and materials.
        ImageOutsideDirectory | ImageMemoryLimit => {
            "Put the image below the model's directory, or read it with --trust."
        }
        ImageWithoutSource | ImageUnreadable => {
            "Put the image where its URI says, or into the file."
        }
        UnknownSamplerMode => "Use one of the numbers that glTF has for it.",
        UnknownAlphaMode => "Use OPAQUE, MASK or BLEND.",
        TexCoordLimit => "Use the number of a TEXCOORD that the mesh has.",
        AttenuationDistance => "Give it a distance above 0, or leave it out.",
        FactorOutOfRange => "Keep factors within the ranges that the specification gives.",
        // Animations.
        UnknownChannelPath => "Use translation, rotation, scale or weights.",
        UnknownInterpolation => "Use LINEAR, STEP or CUBICSPLINE.",
        SingleKeySpline => "Give it a second key, or make it STEP.",
        DuplicateChannel => "Keep one channel for each property of a node.",
        KeyWeightCount => "Give each key as many weights as the mesh has morph targets.",
        ZeroQuaternionKey => "Write 0 0 0 1 for no rotation.",
        KeyValueCount => "Give each key one value.",
        DuplicateKeyTime | NegativeKeyTime => "Let the times of keys rise from 0.",
        // Cameras and lights.
        CameraFieldOfView | CameraExtreme => "Give it a yfov above 0 and below π, in radians.",
        CameraFarPlane => "Put the far plane beyond the near plane, or leave it out.",
        CameraNearPlane => "Put the near plane in front of the camera; 0.1 will often do.",
        CameraProjection => {
            "Give it a field of view or size above 0, and a near plane before its far plane."
        }
        LightConeAngles => "Let the inner cone be within the outer, and that within π/2.",
        LightRange => "Give it a range above 0, or leave it out.",
        _ => "Export it again, or mend it there: stricter readers refuse it.",
    }
}

const NORMALISE: &str = "Normalise the weights when exporting: those of a vertex must sum to 1.";
