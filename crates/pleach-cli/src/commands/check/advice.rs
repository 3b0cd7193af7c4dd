//! What to do about what the loader warns of: by the place, and by what it says.

/// What to do about something that everybody loads.
pub(super) fn advice_on(pointer: &str, message: &str) -> &'static str {
    let is_meant = |&&(place, word, _): &&Line| pointer.contains(place) && message.contains(word);
    ADVICE.iter().find(is_meant).map_or(OTHERWISE, |it| it.2)
}

/// A part of the pointer, a part of the message, and what to do.
type Line = (&'static str, &'static str, &'static str);

const OTHERWISE: &str = "Export it again, or mend it there: stricter readers refuse it.";

/// The first that fits is told.
const ADVICE: &[Line] = &[
    // Anywhere.
    ("", "byteStride", "Strides are for vertices; leave them out elsewhere."),
    ("byteStride", "", "Give it a multiple of 4, from 4 to 252."),
    ("", "surrogate", "Cut names between characters, or write U+FFFD there."),
    ("", "byte order mark", "Save it as UTF-8 without a byte order mark."),
    ("", "GLB", "Export it again: other readers may refuse the container."),
    ("/count", "no elements", "Take it out, or give it elements."),
    ("/byteOffset", "", "Let it begin at a multiple of its component's size."),
    ("/sparse/", "out of order", "Sort the indices, and name each element once."),
    // Meshes.
    ("WEIGHTS_", "", "Normalise the weights when exporting: those of a vertex must sum to 1."),
    ("JOINTS_", "weight of 0", "Write joint 0 where the weight is 0."),
    ("", "later sets", "Number the sets from 0 on, and leave none out."),
    ("/attributes/", "are read", "Leave out sets that nothing uses."),
    ("/attributes", "POSITION", "Give it positions, or take the primitive out."),
    ("/primitives", "morph targets", "Give all primitives of a mesh the same morph targets."),
    ("/primitives", "shows nothing", "Give the mesh a primitive, or take it out."),
    ("/weights", "morph targets", "Give as many weights as the mesh has morph targets."),
    // Nodes and skins.
    ("/rotation", "", "Write a quaternion of length 1."),
    ("/matrix", "", "Keep the matrix, or translation, rotation and scale; not both."),
    ("/skin", "names joint", "Number the joints of vertices as the skin lists them, from 0 on."),
    ("/skin", "without a mesh", "Give the node a mesh to pose, or take its skin out."),
    ("/skin", "not in a scene", "Put the joints in the scene of the node."),
    ("/skins/", "without joints", "List the nodes that are its joints, or take the skin out."),
    ("/skins/", "twice", "List each joint once."),
    ("/skins/", "common root", "Put all joints below one node, in the same scene."),
    // Images and materials.
    ("/images/", "trusted", "Put the image below the model's directory, or read it with --trust."),
    ("/images/", "", "Put the image where its URI says, or into the file."),
    ("/samplers/", "is not known; the default", "Use one of the numbers that glTF has for it."),
    ("/alphaMode", "", "Use OPAQUE, MASK or BLEND."),
    ("/texCoord", "", "Use the number of a TEXCOORD that the mesh has."),
    ("/attenuationDistance", "", "Give it a distance above 0, or leave it out."),
    ("/materials/", "", "Keep factors within the ranges that the specification gives."),
    // Animations.
    ("/path", "", "Use translation, rotation, scale or weights."),
    ("/interpolation", "not known", "Use LINEAR, STEP or CUBICSPLINE."),
    ("/interpolation", "single key", "Give it a second key, or make it STEP."),
    ("/animations/", "moves the same", "Keep one channel for each property of a node."),
    (
        "/animations/",
        "morph targets",
        "Give each key as many weights as the mesh has morph targets.",
    ),
    ("/animations/", "quaternion", "Write 0 0 0 1 for no rotation."),
    ("/animations/", "values for", "Give each key one value."),
    ("/input", "", "Let the times of keys rise from 0."),
    // Cameras and lights.
    ("/cameras/", "fov_y", "Give it a yfov above 0 and below π, in radians."),
    ("/cameras/", "far is", "Put the far plane beyond the near plane, or leave it out."),
    ("/cameras/", "near is", "Put the near plane in front of the camera; 0.1 will often do."),
    (
        "/cameras/",
        "",
        "Give it a field of view or size above 0, and a near plane before its far plane.",
    ),
    ("KHR_lights_punctual", "cone", "Let the inner cone be within the outer, and that within π/2."),
    ("KHR_lights_punctual", "range", "Give it a range above 0, or leave it out."),
];
