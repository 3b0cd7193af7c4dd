//! Joints: a dot at each joint, and a link to its nearest ancestor joint, in front of everything.
//!
//! A link is drawn as an octahedron: wide near the ancestor, pointed at the joint.

use glam::DVec3;
use pleach::graph::unit;
use pleach::{NodeId, Scene};

use super::line::{Color, Line, LineBatch, LineColor, LineStyle, LineWidth, OccludedLines};

const LINK_COLOR: Color = [245, 130, 0];
const JOINT_COLOR: Color = [205, 20, 70];

/// The position and radius of the widest part of a link, relative to its length.
const WIDEST_AT: f64 = 0.12;
const WIDTH_RATIO: f64 = 0.07;

pub(super) fn generate(lines: &mut LineBatch<'_>, scene: &Scene) {
    let joints = joints(scene);
    let at = |node: NodeId| Some(scene.graph.get(node)?.world_translation().as_dvec3());
    lines.begin(LineStyle::thin(LineColor::Fixed(LINK_COLOR), OccludedLines::Visible));
    for &(joint, ancestor) in &joints {
        if let (Some(from), Some(to)) = (ancestor.and_then(at), at(joint)) {
            octahedron(from, to, |line| {
                lines.push(line);
            });
        }
    }
    lines.begin(LineStyle {
        color: LineColor::Fixed(JOINT_COLOR),
        width: LineWidth::Dot,
        occluded: OccludedLines::Visible,
    });
    for (joint, _) in joints {
        if let Some(at) = at(joint) {
            lines.push(Line::dot(at));
        }
    }
    lines.flush();
}

/// Returns the joints of visible skins in the order of slots, each with its nearest ancestor joint.
fn joints(scene: &Scene) -> Vec<(NodeId, Option<NodeId>)> {
    let graph = &scene.graph;
    let mut is_joint = vec![false; graph.parents().len()];
    for (node, skin) in scene.skins.iter(graph) {
        if graph.get(node).is_some_and(|node| node.is_shown()) {
            for joint in skin.joints.iter().filter(|&&joint| graph.contains(joint)) {
                is_joint[joint.index()] = true;
            }
        }
    }
    if !is_joint.contains(&true) {
        return Vec::new();
    }
    // In depth order, so that the ancestor of the parent is known.
    let mut ancestor: Vec<Option<NodeId>> = vec![None; is_joint.len()];
    let mut joints = Vec::new();
    for node in graph.by_depth() {
        let parent = graph.get(node).and_then(|node| node.parent());
        ancestor[node.index()] = parent.and_then(|parent| {
            if is_joint[parent.index()] { Some(parent) } else { ancestor[parent.index()] }
        });
        if is_joint[node.index()] {
            joints.push((node, ancestor[node.index()]));
        }
    }
    joints.sort_unstable();
    joints
}

/// Generates the edges of a link.
fn octahedron(from: DVec3, to: DVec3, mut push: impl FnMut(Line)) {
    let axis = to - from;
    let Some(direction) = unit(axis) else { return };
    let length = axis.length();
    let side = direction.any_orthonormal_vector() * (length * WIDTH_RATIO);
    let other = direction.cross(side);
    let middle = from + axis * WIDEST_AT;
    let ring = [side, other, -side, -other].map(|out| middle + out);
    for (index, &corner) in ring.iter().enumerate() {
        push(Line::new(from, corner));
        push(Line::new(corner, to));
        push(Line::new(corner, ring[(index + 1) % ring.len()]));
    }
}
