//! Checks nodes: ignored, unusual or distant transforms, nodes without content, and
//! `Scene::problems`.

use glam::{DVec3, Mat3, Mat4, Vec3, Vec4};
use pleach::{Aabb, Scene};

use super::context::{Context, FileNode};
use super::finding::Findings;
use super::note::{number, point};
use super::rule::Rule;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (number, scene) in context.scenes() {
        problems(context, number, scene, findings);
        if number < context.document.scenes().len() {
            scene_size(number, scene, findings);
        }
    }
    for (index, node) in context.root.nodes.iter().enumerate() {
        if node.matrix.as_ref().is_some_and(|matrix| !is_decomposable(matrix)) {
            findings.add(Rule::MatrixNotDecomposable, format!("/nodes/{index}/matrix"));
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
        findings.add_note(Rule::InconsistentScene, pointer, problem.kind.to_string());
    }
}

fn scene_size(index: usize, scene: &Scene, findings: &mut Findings) {
    let boxes = scene.spatial.nodes().filter_map(|node| scene.spatial.world_bounds(node));
    let size = boxes.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb)).size();
    let max = size.max_element();
    if !(0.01..=10_000.0).contains(&max) && max > 0.0 {
        let note = format!("{} × {} × {} m", number(size.x), number(size.y), number(size.z));
        findings.add_note(Rule::SceneSize, format!("/scenes/{index}"), note);
    }
}

fn check_skinned(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if node.scene.skin(node.id).is_none() {
        return;
    }
    if view.local_matrix() != Mat4::IDENTITY {
        findings.add(Rule::SkinTransform, node.pointer());
        return;
    }
    let parent = node.scene.graph.get(context.roots_parent(node)).map(|it| it.world());
    if Some(view.world()) != parent {
        findings.add(Rule::SkinParent, node.pointer());
    }
}

fn check_transform(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    let is_moved = context.is_animated(node.index) || context.is_joint(node.index);
    let axes = view.local_matrix();
    // In f64, where squares neither overflow nor underflow.
    let length = |axis: Vec4| axis.truncate().as_dvec3().length() as f32;
    let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(length);
    let (min, max) =
        (lengths.into_iter().fold(f32::MAX, f32::min), lengths.into_iter().fold(0.0, f32::max));
    let scale = || point(Vec3::from_array(lengths));
    if min == 0.0 {
        findings.add_note(Rule::ZeroScale, node.pointer(), scale());
        return;
    }
    let is_quantized = context.is_quantized && node.scene.mesh(node.id).is_some();
    if (max > 1000.5 || min < 0.000_999_5) && !is_quantized {
        findings.add_note(Rule::ExtremeScale, node.pointer(), scale());
    }
    if is_moved && view.scale().min_element() < 0.0 {
        findings.add_note(Rule::MirroredJoint, node.pointer(), point(view.scale()));
    }
    if is_moved && max > min * 1.001 && view.children().len() > 0 {
        findings.add_note(Rule::NonUniformJoint, node.pointer(), scale());
    }
}

/// Reports meshes smaller than 4096 units in the last place of their largest coordinate.
fn check_precision(node: &FileNode<'_>, findings: &mut Findings) {
    let Some(aabb) = node.scene.spatial.world_bounds(node.id) else { return };
    let Some(view) = node.scene.graph.get(node.id) else { return };
    let farthest = aabb.min.abs().max(aabb.max.abs()).max_element();
    let ulp = ulp(farthest);
    // Far away the world bounds may have collapsed to a point, so the size is that of the scaled
    // local bounds, if it is larger. A scale of zero is another problem.
    let own = node.scene.spatial.local_bounds(node.id).map_or(Vec3::ZERO, |it| it.size());
    let axes = Mat3::from_mat4(view.world());
    let scaled = axes.x_axis.abs() * own.x + axes.y_axis.abs() * own.y + axes.z_axis.abs() * own.z;
    let scaled = scaled.max_element();
    let extent = aabb.size().max_element().max(scaled);
    let is_flat = own.max_element() > 0.0 && scaled == 0.0;
    if extent > 0.0 && !is_flat && ulp * 4096.0 > extent {
        let note = format!(
            "{} m wide, {} m from the origin: precision {} m",
            number(extent),
            number(farthest),
            number(ulp),
        );
        findings.add_note(Rule::FarFromOrigin, node.pointer(), note);
    }
}

/// Returns the distance to the next larger f32.
fn ulp(value: f32) -> f32 {
    f32::from_bits(value.to_bits() + 1) - value
}

fn check_purpose(context: &Context<'_>, node: &FileNode<'_>, findings: &mut Findings) {
    let Some(view) = node.scene.graph.get(node.id) else { return };
    if !context.is_in_scene(node) {
        if view.parent() == Some(context.roots_parent(node)) {
            findings.add(Rule::UnreferencedNode, node.pointer());
        }
        return;
    }
    let (scene, id) = (node.scene, node.id);
    let shows = scene.mesh(id).is_some() || scene.camera(id).is_some() || scene.light(id).is_some();
    let shows = shows || scene.user_bounds(id).is_some();
    let is_moved = context.is_joint(node.index) || context.is_animated(node.index);
    if !shows && !is_moved && view.children().len() == 0 {
        findings.add(Rule::EmptyNode, node.pointer());
    }
}

/// Returns `true` if a matrix is the product of a translation, a rotation and a scale.
pub(crate) fn is_decomposable(matrix: &[f32; 16]) -> bool {
    let axis = |at: usize| Vec3::new(matrix[at], matrix[at + 1], matrix[at + 2]).as_dvec3();
    let [x, y, z] = [axis(0), axis(4), axis(8)];
    // The error of the recomposed matrix.
    let is_skewed = |a: DVec3, b: DVec3| a.dot(b).abs() > 1e-4 * a.length().max(b.length());
    let is_affine = [matrix[3], matrix[7], matrix[11], matrix[15] - 1.0] == [0.0; 4];
    is_affine
        && x.cross(y).dot(z) != 0.0
        && ![(x, y), (y, z), (z, x)].into_iter().any(|(a, b)| is_skewed(a, b))
}
