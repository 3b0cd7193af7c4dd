//! Checks cameras and lights for unusual projections and units.

use pleach::{Camera, Light, LightKind, Projection};

use super::context::{Context, FileNode};
use super::finding::{Findings, Rule, Severity::*};
use crate::input::raw_json::LIGHTS;
use crate::report::units::number;

const FIELD_OF_VIEW: Rule = Rule {
    severity: Hint,
    code: "field-of-view",
    message: "the vertical field of view of a camera is less than 5° or more than 120°",
    advice: "yfov is the vertical field of view in radians.",
};
const DEPTH_RANGE: Rule = Rule {
    severity: Hint,
    code: "depth-range",
    message: "the far plane of a camera is more than a million times as far away as its near plane",
    advice: "Increase the near plane distance: depth buffers lack the precision for this range.",
};
const ASPECT: Rule = Rule {
    severity: Hint,
    code: "aspect",
    message: "the aspect ratio of a camera is greater than 10 or less than 0.1",
    advice: "aspectRatio is width divided by height.",
};
const UNUSABLE: Rule = Rule {
    severity: Warning,
    code: "unusable-camera",
    message: "a camera is unusable: the world transform of its node is singular",
    advice: "Give its node and its ancestors a non-zero scale.",
};
const DARK: Rule = Rule {
    severity: Hint,
    code: "dark-light",
    message: "a light has no effect: its intensity or colour is zero",
    advice: "Give it an intensity and a colour, or remove it.",
};
const NEGATIVE: Rule = Rule {
    severity: Warning,
    code: "negative-light",
    message: "a light has a negative intensity or colour",
    advice: "Use values of 0 or more.",
};
const BRIGHT_COLOR: Rule = Rule {
    severity: Hint,
    code: "light-color",
    message: "a component of a light's colour is greater than 1",
    advice: "Increase the intensity instead: other programs may clamp the colour.",
};
const BRIGHT: Rule = Rule {
    severity: Hint,
    code: "bright-light",
    message: "a light is brighter than 150,000 lx (direct sunlight) or 1,000,000 cd",
    advice: "Intensities are in lux for directional lights and candela for others; perhaps it is in watts \
             or lumens.",
};

pub(super) fn check(context: &Context<'_>, findings: &mut Findings) {
    for (index, camera) in context.document.cameras().iter().enumerate() {
        check_camera(camera, &format!("/cameras/{index}"), findings);
    }
    for (index, light) in context.document.lights().iter().enumerate() {
        check_light(light, &format!("{LIGHTS}/{index}"), findings);
    }
    for node in &context.nodes {
        check_camera_node(node, findings);
    }
}

fn check_camera(camera: &Camera, pointer: &str, findings: &mut Findings) {
    if let Projection::Perspective { fov_y, near, far } = camera.projection {
        if !(5.0f32.to_radians()..=120.0f32.to_radians()).contains(&fov_y) && fov_y > 0.0 {
            let note = format!("{}°", number(fov_y.to_degrees()));
            findings.add_note(&FIELD_OF_VIEW, format!("{pointer}/perspective/yfov"), note);
        }
        if near > 0.0 && far.is_finite() && far / near > 1e6 {
            let note = format!("from {} to {} m", number(near), number(far));
            findings.add_note(&DEPTH_RANGE, format!("{pointer}/perspective"), note);
        }
    }
    if let Some(aspect) = camera.aspect.filter(|it| !(0.1..=10.0).contains(it)) {
        findings.add_note(&ASPECT, pointer, number(aspect));
    }
}

fn check_light(light: &Light, pointer: &str, findings: &mut Findings) {
    let Light { intensity, color, .. } = *light;
    let unit = if matches!(light.kind, LightKind::Directional { .. }) { "lx" } else { "cd" };
    let note = || format!("{} {unit}", number(intensity));
    if intensity < 0.0 || color.min_element() < 0.0 {
        findings.add_note(&NEGATIVE, pointer, note());
    } else if intensity == 0.0 || color.max_element() == 0.0 {
        findings.add(&DARK, pointer);
    }
    if color.max_element() > 1.0 {
        findings.add_note(&BRIGHT_COLOR, format!("{pointer}/color"), number(color.max_element()));
    }
    let max = if unit == "lx" { 150_000.0 } else { 1e6 };
    if intensity > max {
        findings.add_note(&BRIGHT, format!("{pointer}/intensity"), note());
    }
}

/// Reports a camera with a valid projection on a node with a singular transform.
fn check_camera_node(node: &FileNode<'_>, findings: &mut Findings) {
    let Some(camera) = node.scene.camera(node.id) else { return };
    let is_usable =
        camera.projection.matrix(camera.aspect.unwrap_or(1.0), camera.clip_space).is_ok();
    if is_usable && node.scene.view(node.id, 1.0).is_err() {
        findings.add(&UNUSABLE, node.pointer());
    }
}
