//! Joints: a dot at each joint, and a link to its nearest ancestor joint, in front of everything.
//!
//! A link is drawn as an octahedron: wide near the ancestor, pointed at the joint.

use glam::DVec3;
use pleach::{NodeId, Scene};
use pleach_graph::unit;

use super::coverage_mask::Color;
use super::line_rasterizer::{LineRasterizer, OccludedLines};
use crate::lines::clipped_line::Line;

const LINK_COLOR: Color = [245, 130, 0];
const JOINT_COLOR: Color = [205, 20, 70];

/// The radius of a joint's dot, in line widths.
const DOT_RADIUS: f64 = 2.5;

/// The position and radius of the widest part of a link, relative to its length.
const WIDEST_AT: f64 = 0.12;
const WIDTH_RATIO: f64 = 0.07;

pub(super) fn draw(lines: &mut LineRasterizer<'_>, scene: &Scene) {
    lines.begin(OccludedLines::Visible);
    let joints = joints(scene);
    let at = |node: NodeId| {
        scene.graph.get(node).map(|node| lines.projector.to_view(node.world_translation()))
    };
    let links: Vec<Line> =
        joints.iter().filter_map(|&(joint, ancestor)| Some([at(ancestor?)?, at(joint)?])).collect();
    let dots: Vec<DVec3> = joints.iter().filter_map(|&(joint, _)| at(joint)).collect();
    for [from, to] in links {
        octahedron(from, to, |line| lines.draw_line(line));
    }
    lines.composite(LINK_COLOR);
    for dot in dots {
        lines.draw_dot(dot, DOT_RADIUS * lines.line_width());
    }
    lines.composite(JOINT_COLOR);
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
fn octahedron(from: DVec3, to: DVec3, mut draw_line: impl FnMut(Line)) {
    let axis = to - from;
    let Some(direction) = unit(axis) else { return };
    let length = axis.length();
    let side = direction.any_orthonormal_vector() * (length * WIDTH_RATIO);
    let other = direction.cross(side);
    let middle = from + axis * WIDEST_AT;
    let ring = [side, other, -side, -other].map(|out| middle + out);
    for (index, &corner) in ring.iter().enumerate() {
        draw_line([from, corner]);
        draw_line([corner, to]);
        draw_line([corner, ring[(index + 1) % ring.len()]]);
    }
}
