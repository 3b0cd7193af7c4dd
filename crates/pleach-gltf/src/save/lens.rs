//! Cameras and lights on their way out.

use pleach::{Camera, Light, LightKind, Projection};

use super::Writing;
use super::patch::{Patch, number, numbers, quoted};
use super::sheet::Sheet;
use crate::WarningCode;
use crate::diagnostics::Pointer;

/// Cameras or lights: which index each value has.
#[derive(Debug)]
pub(crate) struct Values<T> {
    /// Those of the file, then those that were added.
    all: Vec<T>,
    /// How many are the file's.
    have: usize,
    is_used: Vec<bool>,
    is_changed: Vec<bool>,
}

impl<T: Copy + PartialEq> Values<T> {
    /// The file's, and whether they are still used.
    pub(crate) fn new(file: &[T], used: impl Iterator<Item = T>) -> Self {
        let mut values = Self {
            all: file.to_vec(),
            have: file.len(),
            is_used: vec![false; file.len()],
            is_changed: vec![false; file.len()],
        };
        for value in used {
            for (index, known) in file.iter().enumerate() {
                values.is_used[index] |= *known == value;
            }
        }
        values
    }

    /// Where a value is, or belongs: an index that has it, one of the file's that may be
    /// changed into it, or none.
    fn find(&mut self, value: T, file: Option<usize>) -> Found {
        if let Some(file) = file.filter(|&file| self.all.get(file) == Some(&value)) {
            return Found::Here(file);
        }
        if let Some(index) = self.all.iter().position(|known| *known == value) {
            return Found::Here(index);
        }
        match file.filter(|&it| it < self.have && !self.is_used[it] && !self.is_changed[it]) {
            Some(file) => {
                self.is_changed[file] = true;
                self.all[file] = value;
                Found::Change(file)
            }
            None => {
                self.all.push(value);
                Found::New
            }
        }
    }
}

enum Found {
    Here(usize),
    Change(usize),
    New,
}

/// The index of a camera, or why it cannot be written.
pub(crate) fn camera(
    writing: &Writing<'_>,
    sheet: &mut Sheet<'_>,
    known: &mut Values<Camera>,
    camera: &Camera,
    file: Option<usize>,
    at: &Pointer<'_>,
) -> Option<usize> {
    let row = bare_camera(camera);
    if let Projection::Custom(_) = row.projection {
        sheet.report.warn(
            at,
            WarningCode::DroppedCustomCamera,
            "a camera with a matrix of its own cannot be written; it is left out",
        );
        return None;
    }
    let was = file.and_then(|file| writing.document.cameras.get(file)).copied();
    match known.find(row, file) {
        Found::Here(index) => Some(index),
        Found::Change(index) => {
            let patch = camera_patch(was, &row);
            sheet.cameras.patch(index, patch);
            Some(index)
        }
        Found::New => {
            let text = file.and_then(|file| writing.text_of("cameras", file));
            let was = was.filter(|_| text.is_some());
            Some(sheet.cameras.add(camera_patch(was, &row).apply(text.unwrap_or("{}"))))
        }
    }
}

/// A camera without what glTF has no word for.
pub(crate) fn bare_camera(camera: &Camera) -> Camera {
    Camera { clip_space: Camera::default().clip_space, layers: u32::MAX, ..*camera }
}

/// What differs between two cameras.
fn camera_patch(was: Option<Camera>, now: &Camera) -> Patch {
    let mut patch = Patch::new();
    let mut put = |path: &[&'static str], was: Option<f32>, now: f32| {
        if was.map(f32::to_bits) != Some(now.to_bits()) {
            patch.put(path, number(now));
        }
    };
    match now.projection {
        Projection::Perspective { fov_y, near, far } => {
            let before = match was {
                Some(Camera {
                    projection: Projection::Perspective { fov_y, near, far },
                    aspect,
                    ..
                }) => Some((fov_y, near, far, aspect)),
                _ => None,
            };
            put(&["perspective", "yfov"], before.map(|it| it.0), fov_y);
            put(&["perspective", "znear"], before.map(|it| it.1), near);
            if far.is_finite() {
                put(&["perspective", "zfar"], before.map(|it| it.2), far);
            } else if before.is_some_and(|it| it.2.is_finite()) {
                patch.remove(&["perspective", "zfar"]);
            }
            let aspect = before.and_then(|it| it.3);
            if now.aspect != aspect {
                patch.set(&["perspective", "aspectRatio"], now.aspect.map(number));
            }
            if before.is_none() {
                patch.put(&["type"], quoted("perspective"));
                patch.remove(&["orthographic"]);
            }
        }
        Projection::Orthographic { height, zoom, near, far } => {
            let before = match was {
                Some(Camera {
                    projection: Projection::Orthographic { height, zoom, near, far },
                    aspect,
                    ..
                }) => Some((height / zoom, near, far, aspect)),
                _ => None,
            };
            let ymag = height / zoom * 0.5;
            put(&["orthographic", "ymag"], before.map(|it| it.0 * 0.5), ymag);
            let is_same_width =
                before.is_some_and(|it| it.0 == height / zoom && it.3 == now.aspect);
            if !is_same_width {
                put(&["orthographic", "xmag"], None, ymag * now.aspect.unwrap_or(1.0));
            }
            put(&["orthographic", "zfar"], before.map(|it| it.2), far);
            put(&["orthographic", "znear"], before.map(|it| it.1), near);
            if before.is_none() {
                patch.put(&["type"], quoted("orthographic"));
                patch.remove(&["perspective"]);
            }
        }
        Projection::Custom(_) => {}
    }
    patch
}

/// The index of a light, or none if it cannot be written.
pub(crate) fn light(
    writing: &Writing<'_>,
    sheet: &mut Sheet<'_>,
    known: &mut Values<Light>,
    light: &Light,
    file: Option<usize>,
    at: &Pointer<'_>,
) -> Option<usize> {
    let row = bare_light(light);
    if row.kind == LightKind::Ambient {
        sheet.report.warn(
            at,
            WarningCode::DroppedAmbientLight,
            "glTF has no ambient lights; it is left out",
        );
        return None;
    }
    let was = file.and_then(|file| writing.document.lights.get(file)).copied();
    match known.find(row, file) {
        Found::Here(index) => Some(index),
        Found::Change(index) => {
            let patch = light_patch(was, &row);
            sheet.lights.patch(index, patch);
            Some(index)
        }
        Found::New => {
            let text = file
                .and_then(|file| writing.text_of("extensions/KHR_lights_punctual/lights", file));
            let was = was.filter(|_| text.is_some());
            Some(sheet.lights.add(light_patch(was, &row).apply(text.unwrap_or("{}"))))
        }
    }
}

/// A light without what glTF has no word for.
pub(crate) fn bare_light(light: &Light) -> Light {
    let kind = match light.kind {
        LightKind::Directional { .. } => LightKind::Directional { shadow: None },
        LightKind::Point { range, .. } => LightKind::Point { range, shadow: None },
        LightKind::Spot { range, inner_angle, outer_angle, .. } => {
            LightKind::Spot { range, inner_angle, outer_angle, shadow: None }
        }
        LightKind::Ambient => LightKind::Ambient,
    };
    Light { kind, layers: u32::MAX, ..*light }
}

fn light_patch(was: Option<Light>, now: &Light) -> Patch {
    let mut patch = Patch::new();
    if was.map(|was| was.color) != Some(now.color) {
        patch.put(&["color"], numbers(&now.color.to_array()));
    }
    if was.map(|was| was.intensity) != Some(now.intensity) {
        patch.put(&["intensity"], number(now.intensity));
    }
    let range_of = |kind: LightKind| match kind {
        LightKind::Point { range, .. } | LightKind::Spot { range, .. } => range,
        _ => None,
    };
    let (range, before) = (range_of(now.kind), was.and_then(|was| range_of(was.kind)));
    if range != before {
        patch.set(&["range"], range.map(number));
    }
    let kind = match now.kind {
        LightKind::Directional { .. } => "directional",
        LightKind::Point { .. } => "point",
        _ => "spot",
    };
    let cone_of = |kind: LightKind| match kind {
        LightKind::Spot { inner_angle, outer_angle, .. } => Some((inner_angle, outer_angle)),
        _ => None,
    };
    let (cone, before) = (cone_of(now.kind), was.and_then(|was| cone_of(was.kind)));
    match cone {
        Some((inner, outer)) => {
            if before.map(|it| it.0) != Some(inner) {
                patch.put(&["spot", "innerConeAngle"], number(inner));
            }
            if before.map(|it| it.1) != Some(outer) {
                // As an f32 it is more than a half of π, which glTF does not allow.
                let half = outer >= std::f32::consts::FRAC_PI_2;
                let angle =
                    if half { std::f64::consts::FRAC_PI_2.to_string() } else { number(outer) };
                patch.put(&["spot", "outerConeAngle"], angle);
            }
        }
        None if before.is_some() => patch.remove(&["spot"]),
        None => {}
    }
    let is_same_kind = was
        .is_some_and(|was| std::mem::discriminant(&was.kind) == std::mem::discriminant(&now.kind));
    if !is_same_kind {
        patch.put(&["type"], quoted(kind));
    }
    patch
}
