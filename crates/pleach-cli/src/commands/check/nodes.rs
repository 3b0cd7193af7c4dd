//! Nodes: transforms that are ignored, odd or far away; nodes without a purpose; what
//! `Scene::problems` says.

use glam::{Mat4, Vec3, Vec4};
use pleach::{Aabb, Scene};

use super::context::{FileNode, Survey};
use super::finding::{Findings, Rule, Severity::*};
use crate::report::bounds::{Bounds, bounds};
use crate::report::units::{number, point, size};

const SKIN_TRANSFORM: Rule = Rule {
    severity: Warning,
    code: "skin-transform",
    message: "the transform of a skinned mesh's node is ignored: its joints alone say where it is",
    advice: "Leave the node's transform out, or move the skeleton's topmost joint instead.",
};
const SKIN_PARENT: Rule = Rule {
    severity: Hint,
    code: "skin-parent",
    message: "a skinned mesh is below a node that moves it in vain",
    advice: "Put it at the top of the scene: readers that do not ignore the transform show it \
             elsewhere.",
};
const ANIMATED_MATRIX: Rule = Rule {
    severity: Warning,
    code: "animated-matrix",
    message: "an animated node has a matrix",
    advice: "Write its transform as translation, rotation and scale, which animations move.",
};
const MIRRORED: Rule = Rule {
    severity: Hint,
    code: "mirrored-joint",
    message: "a joint or animated node is mirrored by a negative scale",
    advice: "Mirror the vertices instead: blending and other programs' skinning may turn it inside \
             out.",
};
const UNEVEN: Rule = Rule {
    severity: Hint,
    code: "non-uniform-joint",
    message: "a joint or animated node that others hang below is scaled unevenly",
    advice: "Scale the vertices instead: what turns below an uneven scale is sheared.",
};
const FLAT: Rule = Rule {
    severity: Hint,
    code: "zero-scale",
    message: "a scale of zero makes it flat, and all below it",
    advice: "Hide it with KHR_node_visibility, if that is what is meant.",
};
const SCALED: Rule = Rule {
    severity: Hint,
    code: "extreme-scale",
    message: "a scale is far from 1",
    advice: "Export in metres, with the scale applied to the vertices.",
};
const FAR: Rule = Rule {
    severity: Warning,
    code: "far-from-origin",
    message: "it is so far from the origin that positions are coarse for its size",
    advice: "Move the scene to the origin: 32-bit numbers have about seven digits, and vertices \
             jump between them.",
};
const EMPTY: Rule = Rule {
    severity: Hint,
    code: "empty-node",
    message: "a node has nothing on it and nothing below it",
    advice: "Take it out, unless something is attached to it by name.",
};
const SCENE_SIZE: Rule = Rule {
    severity: Hint,
    code: "scene-size",
    message: "the scene is very large or very small",
    advice: "glTF is in metres; perhaps it was made in other units.",
};
const NO_SCENE: Rule = Rule {
    severity: Hint,
    code: "unreferenced-node",
    message: "no scene lists this node, or one above it",
    advice: "List it in a scene to show it, or take it out, as `pleach convert --drop-nodes` does.",
};

pub(super) fn look(survey: &Survey<'_>, findings: &mut Findings) {
    for (number, scene) in survey.scenes() {
        inside(survey, number, scene, findings);
        if number < survey.document.scenes().len() {
            scene_size(number, scene, findings);
        }
    }
    for node in &survey.nodes {
        skinned(survey, node, findings);
        transform(survey, node, findings);
        far(node, findings);
        purpose(survey, node, findings);
    }
}

/// What does not fit together, told by nodes.
fn inside(survey: &Survey<'_>, number: usize, scene: &Scene, findings: &mut Findings) {
    for problem in scene.problems() {
        let index = problem.node.and_then(|node| survey.document.index_of(number, node));
        let pointer = index.map(|index| format!("/nodes/{index}")).unwrap_or_default();
        let advice = "Export it again; until then it is left out of poses, pictures and answers.";
        findings.say(Warning, "scene", &pointer, &problem.message, advice);
    }
}

fn scene_size(number: usize, scene: &Scene, findings: &mut Findings) {
    let aabb = bounds(scene);
    let Some(most) = Bounds::of(&aabb).map(|_| aabb.size().max_element()) else { return };
    if !(0.01..=10_000.0).contains(&most) && most > 0.0 {
        findings.add_note(&SCENE_SIZE, format!("/scenes/{number}"), size(&aabb));
    }
}

fn skinned(survey: &Survey<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if node.scene.skin(node.id).is_none() {
        return;
    }
    if view.local_matrix() != Mat4::IDENTITY {
        findings.add(&SKIN_TRANSFORM, node.pointer());
        return;
    }
    let top = node.scene.graph.get(survey.top(node)).map(|top| top.world());
    if Some(view.world()) != top {
        findings.add(&SKIN_PARENT, node.pointer());
    }
}

fn transform(survey: &Survey<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    let moves = survey.is_animated(node.index) || survey.is_joint(node.index);
    if survey.is_animated(node.index) && view.has_local_matrix() {
        findings.add(&ANIMATED_MATRIX, node.pointer() + "/matrix");
    }
    let axes = view.local_matrix();
    // In f64, where squares neither overflow nor vanish.
    let length = |axis: Vec4| axis.truncate().as_dvec3().length() as f32;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(length);
    let (least, most) =
        (lengths.into_iter().fold(f32::MAX, f32::min), lengths.into_iter().fold(0.0, f32::max));
    let scale = || point(Vec3::from_array(lengths));
    if least == 0.0 {
        findings.add_note(&FLAT, node.pointer(), scale());
        return;
    }
    let is_quantized = survey.is_quantized && node.scene.mesh(node.id).is_some();
    if (most > 1000.5 || least < 0.000_999_5) && !is_quantized {
        findings.add_note(&SCALED, node.pointer(), scale());
    }
    if moves && view.scale().min_element() < 0.0 {
        findings.add_note(&MIRRORED, node.pointer(), point(view.scale()));
    }
    if moves && most > least * 1.001 && view.children().len() > 0 {
        findings.add_note(&UNEVEN, node.pointer(), scale());
    }
}

/// A mesh should be 4096 steps of its farthest coordinate wide.
fn far(node: &FileNode<'_>, findings: &mut Findings) {
    let Some(aabb) = node.scene.spatial.world_bounds(node.id) else { return };
    let farthest = aabb.min.abs().max(aabb.max.abs()).max_element();
    let (wide, step) = (widest(&aabb), step(farthest));
    // So far away, it may have shrunk to a point.
    let own = node.scene.spatial.local_bounds(node.id).map_or(0.0, |own| widest(&own));
    if (wide > 0.0 || own > 0.0) && step * 4096.0 > wide {
        let note = format!(
            "{} m wide, {} m away: steps of {} m",
            number(wide),
            number(farthest),
            number(step),
        );
        findings.add_note(&FAR, node.pointer(), note);
    }
}

fn widest(aabb: &Aabb) -> f32 {
    aabb.size().max_element()
}

/// From a number to the next that f32 has.
fn step(value: f32) -> f32 {
    f32::from_bits(value.to_bits() + 1) - value
}

fn purpose(survey: &Survey<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if !survey.is_in_scene(node) {
        if view.parent() == Some(survey.top(node)) {
            findings.add(&NO_SCENE, node.pointer());
        }
        return;
    }
    let (scene, id) = (node.scene, node.id);
    let shows = scene.mesh(id).is_some() || scene.camera(id).is_some() || scene.light(id).is_some();
    let moves = survey.is_joint(node.index) || survey.is_animated(node.index);
    if !shows && !moves && view.children().len() == 0 {
        findings.add(&EMPTY, node.pointer());
    }
}
