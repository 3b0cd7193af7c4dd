//! Advice for the errors and warnings of the loader.

use crate::{Error, ErrorKind, WarningCode};

/// Returns the advice for a file that cannot be loaded.
pub(super) fn on_error(error: &Error) -> &'static str {
    error.advice().unwrap_or_else(|| on_error_kind(error.kind()))
}

fn on_error_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "Make the file readable.",
        ErrorKind::UnknownFormat => "Only .gltf and .glb are supported; convert it first.",
        ErrorKind::Container => "The .glb is truncated or damaged; download or export it again.",
        ErrorKind::Json => "Correct the JSON, or export it again.",
        ErrorKind::Reference => "Use an index that exists, or remove the reference.",
        ErrorKind::Value => "Use a value that glTF allows.",
        ErrorKind::Data => "The data do not match their description; export it again.",
        ErrorKind::Structure => "Give each node at most one parent, without cycles.",
        ErrorKind::Extension => {
            "Export it without this extension, or remove it from extensionsRequired if the file \
             can be displayed without it."
        }
        ErrorKind::Uri => {
            "Put the file at its URI, in the directory of the model or below it; other files are \
             not read unless the model is trusted."
        }
        ErrorKind::Limit => "It requires far more memory than its size suggests.",
        _ => "Export it again.",
    }
}

/// Returns the advice for a tolerated fault.
pub(super) fn on_warning(code: WarningCode) -> &'static str {
    use WarningCode::*;
    match code {
        // The file as a whole.
        GlbTrailingBytes | GlbDuplicateChunk | GlbUnalignedChunk => {
            "Export it again: other loaders may reject the container."
        }
        ByteOrderMark => "Save it as UTF-8 without a byte order mark.",
        LoneSurrogate => "Do not split surrogate pairs, or write U+FFFD instead.",
        // Buffers and accessors.
        InvalidByteStride => "Use a multiple of 4 from 4 to 252.",
        UnexpectedByteStride => "Use byteStride only for vertex data.",
        EmptyAccessor => "Remove it, or give it elements.",
        UnalignedAccessor => "Align its offset to the size of its component type.",
        SparseIndexOrder => "Sort the indices and list each element once.",
        // Meshes.
        WeightSum => "Normalize the weights when exporting: those of each vertex must sum to 1.",
        DracoElementCount => "Write the counts of the compressed stream into the accessors.",
        UnusedJointOutOfRange => "Use joint 0 where the weight is 0.",
        MissingAttributeSet => "Number the attribute sets consecutively from 0.",
        AttributeSetLimit => "Remove attribute sets that are not used.",
        MissingPositions => "Give the primitive positions, or remove it.",
        MorphTargetCount => "Give all primitives of a mesh the same morph targets.",
        EmptyMesh => "Give the mesh a primitive, or remove it.",
        MorphWeightCount => "Give as many weights as the mesh has morph targets.",
        // Nodes and skins.
        RotationLength => "Write a quaternion of length 1.",
        InvalidExtension => "Give the members of the extension the types of its schema.",
        MatrixAndTransform => "Keep either the matrix or translation, rotation and scale.",
        JointOutOfRange => "Use joint indices less than the number of joints of the skin.",
        SkinWithoutMesh => "Give the node a mesh, or remove its skin.",
        JointOutsideScene => "Put the joints into the same scene as the node.",
        InvalidBounds => "Write finite numbers for both min and max, or remove the extension.",
        InvalidEnvironment => {
            "Write finite numbers, and near and far of fog, or remove the member."
        }
        SkinWithoutJoints => "List the joints of the skin, or remove it.",
        DuplicateJoint => "List each joint once.",
        NoCommonRoot => "Put all joints below a common root in the same scene.",
        // Images and materials.
        ImageOutsideDirectory | ImageMemoryLimit => {
            "Put the image into the directory of the model, or trust the file."
        }
        ImageWithoutSource | ImageUnreadable => "Put the image at its URI, or embed it.",
        UnknownSamplerMode => "Use one of the values that glTF defines.",
        UnknownAlphaMode => "Use OPAQUE, MASK or BLEND.",
        TexCoordLimit => "Use a TEXCOORD set that the mesh has.",
        AttenuationDistance => "Use a distance greater than 0, or omit it.",
        FactorOutOfRange => "Keep factors within the range in the specification.",
        // Animations.
        UnknownChannelPath => "Use translation, rotation, scale or weights.",
        UnknownInterpolation => "Use LINEAR, STEP or CUBICSPLINE.",
        SingleKeySpline => "Give it a second key, or make it STEP.",
        DuplicateChannel => "Keep one channel per node and property.",
        KeyWeightCount => "Give each key as many weights as the mesh has morph targets.",
        ZeroQuaternionKey => "Use (0, 0, 0, 1) for the identity.",
        KeyValueCount => "Give each key one value.",
        DuplicateKeyTime | NegativeKeyTime => "Use strictly increasing key times from 0.",
        // Cameras and lights.
        CameraFieldOfView | CameraExtreme => {
            "Use a yfov in radians greater than 0 and less than π."
        }
        CameraFarPlane => "Put the far plane beyond the near plane, or omit it.",
        CameraNearPlane => "Use a near plane greater than 0, such as 0.1.",
        CameraProjection => {
            "Use a field of view or size greater than 0 and a near plane before the far plane."
        }
        LightConeAngles => "Use an inner cone angle less than the outer one, which is at most π/2.",
        LightRange => "Use a range greater than 0, or omit it.",
        _ => "Export it again, or correct it: stricter loaders reject it.",
    }
}
