//! Checks cameras and lights for unusual projections and units.

use pleach::{Camera, Light, LightKind, Projection};

use super::context::{Context, FileNode};
use super::finding::Findings;
use super::note::number;
use super::rule::Rule;

const LIGHTS: &str = "/extensions/KHR_lights_punctual/lights";

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (index, camera) in context.document.cameras().iter().enumerate() {
        check_camera(camera, &format!("/cameras/{index}"), findings);
    }
    for (index, light) in context.document.lights().iter().enumerate() {
        check_light(light, &format!("{LIGHTS}/{index}"), findings);
    }
    for (index, light) in context.root.lights().iter().enumerate() {
        if &*light.kind == "spot" && light.spot.is_none() {
            let note = "a spot light needs \"spot\"";
            findings.add_note(Rule::MissingMember, format!("{LIGHTS}/{index}"), note);
        }
    }
    for (index, camera) in context.root.cameras.iter().enumerate() {
        if camera.orthographic.is_some_and(|it| it.xmag == Some(0.0) || it.ymag == Some(0.0)) {
            let pointer = format!("/cameras/{index}/orthographic");
            findings.add(Rule::CameraMagnification, pointer);
        }
    }
    for node in &context.nodes {
        check_camera_node(node, findings);
    }
}

fn check_camera(camera: &Camera, pointer: &str, findings: &mut Findings) {
    if let Projection::Perspective { fov_y, near, far } = camera.projection {
        if !(5.0f32.to_radians()..=120.0f32.to_radians()).contains(&fov_y) && fov_y > 0.0 {
            let note = format!("{}°", number(fov_y.to_degrees()));
            findings.add_note(Rule::FieldOfView, format!("{pointer}/perspective/yfov"), note);
        }
        if near > 0.0 && far.is_finite() && far / near > 1e6 {
            let note = format!("from {} to {} m", number(near), number(far));
            findings.add_note(Rule::DepthRange, format!("{pointer}/perspective"), note);
        }
    }
    if let Some(aspect) = camera.aspect.filter(|it| !(0.1..=10.0).contains(it)) {
        findings.add_note(Rule::Aspect, pointer, number(aspect));
    }
}

fn check_light(light: &Light, pointer: &str, findings: &mut Findings) {
    let Light { intensity, color, .. } = *light;
    let unit = if matches!(light.kind, LightKind::Directional) { "lx" } else { "cd" };
    let note = || format!("{} {unit}", number(intensity));
    if intensity < 0.0 || color.min_element() < 0.0 {
        findings.add_note(Rule::NegativeLight, pointer, note());
    } else if intensity == 0.0 || color.max_element() == 0.0 {
        findings.add(Rule::DarkLight, pointer);
    }
    if color.max_element() > 1.0 {
        findings.add_note(
            Rule::LightColor,
            format!("{pointer}/color"),
            number(color.max_element()),
        );
    }
    let max = if unit == "lx" { 150_000.0 } else { 1e6 };
    if intensity > max {
        findings.add_note(Rule::BrightLight, format!("{pointer}/intensity"), note());
    }
}

/// Reports a camera with a valid projection on a node with a singular transform.
fn check_camera_node(node: &FileNode<'_>, findings: &mut Findings) {
    let Some(camera) = node.scene.camera(node.id) else { return };
    let is_usable =
        camera.projection.matrix(camera.aspect.unwrap_or(1.0), camera.clip_space).is_ok();
    if is_usable && node.scene.view(node.id, 1.0).is_err() {
        findings.add(Rule::UnusableCamera, node.pointer());
    }
}
