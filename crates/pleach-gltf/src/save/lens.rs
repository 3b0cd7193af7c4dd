//! Cameras and lights on their way out.

use std::f32::consts::FRAC_PI_4;

use pleach::{Camera, Light, LightKind, Projection};

use super::Writing;
use super::patch::{Patch, number, numbers, quoted};
use super::sheet::Sheet;
use crate::place::At;

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
    at: &At<'_>,
) -> Option<usize> {
    // What glTF has no word for makes no difference.
    let bare =
        |camera: &Camera| Camera { clip: Camera::default().clip, layers: u32::MAX, ..*camera };
    let row = bare(camera);
    if let Projection::Custom(_) = row.projection {
        sheet
            .report
            .warn(at, "a camera with a matrix of its own cannot be written; it is left out");
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
        Found::New => Some(sheet.cameras.add(camera_patch(None, &row).object())),
    }
}

fn camera_patch(was: Option<Camera>, now: &Camera) -> Patch {
    let mut patch = Patch::new();
    match now.projection {
        Projection::Perspective { fov_y, near, far } => {
            let aspect = now.aspect.map(number);
            if let Some(Camera { projection: Projection::Orthographic { .. }, .. }) = was {
                patch.remove(&["orthographic"]);
            }
            if now.aspect.is_some() || was.is_some_and(|was| was.aspect.is_some()) {
                patch.set(&["perspective", "aspectRatio"], aspect);
            }
            patch.put(&["perspective", "yfov"], number(fov_y));
            if far.is_finite() {
                patch.put(&["perspective", "zfar"], number(far));
            } else if was.is_some() {
                patch.remove(&["perspective", "zfar"]);
            }
            patch.put(&["perspective", "znear"], number(near));
            patch.put(&["type"], quoted("perspective"));
        }
        Projection::Orthographic { height, zoom, near, far } => {
            let ymag = height / zoom * 0.5;
            let xmag = ymag * now.aspect.unwrap_or(1.0);
            if let Some(Camera { projection: Projection::Perspective { .. }, .. }) = was {
                patch.remove(&["perspective"]);
            }
            patch.put(&["orthographic", "xmag"], number(xmag));
            patch.put(&["orthographic", "ymag"], number(ymag));
            patch.put(&["orthographic", "zfar"], number(far));
            patch.put(&["orthographic", "znear"], number(near));
            patch.put(&["type"], quoted("orthographic"));
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
    at: &At<'_>,
) -> Option<usize> {
    let row = bare_light(light);
    if row.kind == LightKind::Ambient {
        sheet.report.warn(at, "glTF has no ambient lights; it is left out");
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
        Found::New => Some(sheet.lights.add(light_patch(None, &row).object())),
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
    if let LightKind::Spot { inner_angle, outer_angle, .. } = now.kind {
        patch.put(&["spot", "innerConeAngle"], number(inner_angle));
        patch.put(&["spot", "outerConeAngle"], number(outer_angle.min(2.0 * FRAC_PI_4)));
    } else if matches!(was, Some(Light { kind: LightKind::Spot { .. }, .. })) {
        patch.remove(&["spot"]);
    }
    patch.put(&["type"], quoted(kind));
    patch
}
