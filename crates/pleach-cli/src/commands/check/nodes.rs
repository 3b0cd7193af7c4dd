//! Checks nodes: ignored, unusual or distant transforms, nodes without content, and
//! `Scene::problems`.

use glam::{Mat4, Vec3, Vec4};
use pleach::{Aabb, Scene};

use super::context::{Context, FileNode};
use super::finding::{Findings, Rule, Severity::*};
use crate::report::bounds::{Bounds, scene_bounds};
use crate::report::units::{number, point, size};

const SKIN_TRANSFORM: Rule = Rule {
    severity: Warning,
    code: "skin-transform",
    message: "the transform of the node of a skinned mesh is ignored: its joints determine its position",
    advice: "Remove the transform of the node, or move the root joint of the skeleton instead.",
};
const SKIN_PARENT: Rule = Rule {
    severity: Hint,
    code: "skin-parent",
    message: "a skinned mesh has an ancestor whose transform is ignored",
    advice: "Make it a root of the scene: programs that do not ignore the transform show it \
             elsewhere.",
};
const ANIMATED_MATRIX: Rule = Rule {
    severity: Warning,
    code: "animated-matrix",
    message: "an animated node has a matrix",
    advice: "Use translation, rotation and scale, which animations target.",
};
const MIRRORED: Rule = Rule {
    severity: Hint,
    code: "mirrored-joint",
    message: "a joint or animated node has a negative scale",
    advice: "Mirror the vertices instead: blending and skinning in other programs may turn it inside \
             out.",
};
const NON_UNIFORM: Rule = Rule {
    severity: Hint,
    code: "non-uniform-joint",
    message: "a joint or animated node with children has a non-uniform scale",
    advice: "Scale the vertices instead: rotations below a non-uniform scale cause shear.",
};
const ZERO_SCALE: Rule = Rule {
    severity: Hint,
    code: "zero-scale",
    message: "a scale of zero makes the node and its descendants flat",
    advice: "Use KHR_node_visibility to hide nodes.",
};
const EXTREME_SCALE: Rule = Rule {
    severity: Hint,
    code: "extreme-scale",
    message: "the scale of a node is very large or very small",
    advice: "Export in metres, with the scale applied to the vertices.",
};
const FAR_FROM_ORIGIN: Rule = Rule {
    severity: Warning,
    code: "far-from-origin",
    message: "a mesh is so far from the origin that positions are imprecise for its size",
    advice: "Move the scene to the origin: 32-bit floats have about seven digits, so vertices \
             are displaced.",
};
const EMPTY: Rule = Rule {
    severity: Hint,
    code: "empty-node",
    message: "a node has neither content nor children",
    advice: "Remove it, unless something is attached to it by name.",
};
const SCENE_SIZE: Rule = Rule {
    severity: Hint,
    code: "scene-size",
    message: "the scene is very large or very small",
    advice: "glTF uses metres; perhaps it was made in other units.",
};
const UNREFERENCED: Rule = Rule {
    severity: Hint,
    code: "unreferenced-node",
    message: "no scene references this node or an ancestor of it",
    advice: "Add it to a scene, or remove it with `pleach convert --drop-nodes`.",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, scene) in context.scenes() {
        problems(context, number, scene, findings);
        if number < context.document.scenes().len() {
            scene_size(number, scene, findings);
        }
    }
    for node in &context.nodes {
        check_skinned(context, node, findings);
        check_transform(context, node, findings);
        check_precision(node, findings);
        check_purpose(context, node, findings);
    }
}

/// Adds the problems that the scene itself reports.
fn problems(context: &Context<'_>, number: usize, scene: &Scene, findings: &mut Findings) {
    for problem in scene.check() {
        let index = problem.node.and_then(|it| context.document.index_of(number, it.node));
        let pointer = index.map(|index| format!("/nodes/{index}")).unwrap_or_default();
        let advice = "Export it again; pleach ignores it in poses, pictures and answers.";
        findings.add_message(Warning, "scene", &pointer, &problem.kind.to_string(), advice);
    }
}

fn scene_size(number: usize, scene: &Scene, findings: &mut Findings) {
    let aabb = scene_bounds(scene);
    let Some(max) = Bounds::of(&aabb).map(|_| aabb.size().max_element()) else { return };
    if !(0.01..=10_000.0).contains(&max) && max > 0.0 {
        findings.add_note(&SCENE_SIZE, format!("/scenes/{number}"), size(&aabb));
    }
}

fn check_skinned(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if node.scene.skin(node.id).is_none() {
        return;
    }
    if view.local_matrix() != Mat4::IDENTITY {
        findings.add(&SKIN_TRANSFORM, node.pointer());
        return;
    }
    let parent = node.scene.graph.get(context.roots_parent(node)).map(|it| it.world());
    if Some(view.world()) != parent {
        findings.add(&SKIN_PARENT, node.pointer());
    }
}

fn check_transform(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    let is_moved = context.is_animated(node.index) || context.is_joint(node.index);
    if context.is_animated(node.index) && view.has_local_matrix() {
        findings.add(&ANIMATED_MATRIX, node.pointer() + "/matrix");
    }
    let axes = view.local_matrix();
    // In f64, where squares neither overflow nor underflow.
    let length = |axis: Vec4| axis.truncate().as_dvec3().length() as f32;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(length);
    let (min, max) =
        (lengths.into_iter().fold(f32::MAX, f32::min), lengths.into_iter().fold(0.0, f32::max));
    let scale = || point(Vec3::from_array(lengths));
    if min == 0.0 {
        findings.add_note(&ZERO_SCALE, node.pointer(), scale());
        return;
    }
    let is_quantized = context.is_quantized && node.scene.mesh(node.id).is_some();
    if (max > 1000.5 || min < 0.000_999_5) && !is_quantized {
        findings.add_note(&EXTREME_SCALE, node.pointer(), scale());
    }
    if is_moved && view.scale().min_element() < 0.0 {
        findings.add_note(&MIRRORED, node.pointer(), point(view.scale()));
    }
    if is_moved && max > min * 1.001 && view.children().len() > 0 {
        findings.add_note(&NON_UNIFORM, node.pointer(), scale());
    }
}

/// Reports meshes smaller than 4096 units in the last place of their largest coordinate.
fn check_precision(node: &FileNode<'_>, findings: &mut Findings) {
    let Some(aabb) = node.scene.spatial.world_bounds(node.id) else { return };
    let farthest = aabb.min.abs().max(aabb.max.abs()).max_element();
    let (extent, ulp) = (max_extent(&aabb), ulp(farthest));
    // Far away the world bounds may have collapsed to a point.
    let own = node.scene.spatial.local_bounds(node.id).map_or(0.0, |it| max_extent(&it));
    if (extent > 0.0 || own > 0.0) && ulp * 4096.0 > extent {
        let note = format!(
            "{} m wide, {} m from the origin: precision {} m",
            number(extent),
            number(farthest),
            number(ulp),
        );
        findings.add_note(&FAR_FROM_ORIGIN, node.pointer(), note);
    }
}

fn max_extent(aabb: &Aabb) -> f32 {
    aabb.size().max_element()
}

/// Returns the distance to the next larger f32.
fn ulp(value: f32) -> f32 {
    f32::from_bits(value.to_bits() + 1) - value
}

fn check_purpose(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if !context.is_in_scene(node) {
        if view.parent() == Some(context.roots_parent(node)) {
            findings.add(&UNREFERENCED, node.pointer());
        }
        return;
    }
    let (scene, id) = (node.scene, node.id);
    let shows = scene.mesh(id).is_some() || scene.camera(id).is_some() || scene.light(id).is_some();
    let is_moved = context.is_joint(node.index) || context.is_animated(node.index);
    if !shows && !is_moved && view.children().len() == 0 {
        findings.add(&EMPTY, node.pointer());
    }
}
