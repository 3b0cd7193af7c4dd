//! Cameras and lights.

use pleach::{Camera, Light, LightKind, Projection};

use super::super::output::json_edit::{JsonEdit, number, number_array, quoted};
use crate::diagnostics::Pointer;
use crate::save::SaveContext;
use crate::{Error, ErrorKind, WarningCode};

/// The indices of cameras or of lights, by value.
#[derive(Debug)]
pub(crate) struct ValueTable<T> {
    /// The values of the file, followed by the added ones.
    all: Vec<T>,
    /// The number of values in the file.
    file_count: usize,
    is_used: Vec<bool>,
    is_changed: Vec<bool>,
}

impl<T: Copy + PartialEq> ValueTable<T> {
    /// Creates the table of the file's values. `used` are the values that scenes have now.
    pub(crate) fn new(file: &[T], used: impl Iterator<Item = T>) -> Self {
        let mut values = Self {
            all: file.to_vec(),
            file_count: file.len(),
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

    /// Finds the index of `value`, or the entry of the file that can be changed into it because
    /// nothing else uses it; otherwise appends it.
    fn find(&mut self, value: T, file: Option<usize>) -> Match {
        if let Some(file) = file.filter(|&file| self.all.get(file) == Some(&value)) {
            return Match::Existing(file);
        }
        if let Some(index) = self.all.iter().position(|known| *known == value) {
            return Match::Existing(index);
        }
        match file.filter(|&it| it < self.file_count && !self.is_used[it] && !self.is_changed[it]) {
            Some(file) => {
                self.is_changed[file] = true;
                self.all[file] = value;
                Match::Replace(file)
            }
            None => {
                self.all.push(value);
                Match::New
            }
        }
    }
}

enum Match {
    Existing(usize),
    Replace(usize),
    New,
}

impl SaveContext<'_> {
    /// Returns the index of a camera, or `None` with a warning if glTF cannot represent it.
    pub(crate) fn camera_index(
        &mut self,
        camera: &Camera,
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<Option<usize>, Error> {
        let input = self.input;
        let value = representable_camera(camera);
        if let Projection::Custom(_) = value.projection {
            self.output.report.warn(
                at,
                WarningCode::DroppedCustomCamera,
                "glTF cannot represent a camera with a custom projection; it is left out",
            );
            return Ok(None);
        }
        let was = file.and_then(|file| input.document.cameras.get(file)).copied();
        Ok(Some(match self.cameras.find(value, file) {
            Match::Existing(index) => index,
            Match::Replace(index) => {
                check_camera(&value, at)?;
                let edit = camera_edit(was, &value);
                self.output.cameras.edit(index, edit);
                index
            }
            Match::New => {
                check_camera(&value, at)?;
                let text = file.and_then(|file| input.text_of("cameras", file));
                let was = was.filter(|_| text.is_some());
                self.output.cameras.add(camera_edit(was, &value).apply(text.unwrap_or("{}")))
            }
        }))
    }
}

/// Returns the camera with default values for what glTF cannot represent.
pub(crate) fn representable_camera(camera: &Camera) -> Camera {
    Camera { clip_space: Camera::default().clip_space, layers: u32::MAX, ..*camera }
}

/// Refuses a camera that glTF does not allow.
fn check_camera(camera: &Camera, at: &Pointer<'_>) -> Result<(), Error> {
    let unwritable = |message: String| {
        let message = format!("the camera cannot be written: {message}");
        Err(Error::new(ErrorKind::Unwritable, at, message))
    };
    let aspect = camera.aspect.unwrap_or(1.0);
    if let Err(error) = camera.projection.matrix(aspect, camera.clip_space) {
        return unwritable(error.to_string());
    }
    if let Projection::Orthographic { near, .. } = camera.projection
        && near < 0.0
    {
        return unwritable(format!("near is {near}; glTF requires at least 0"));
    }
    Ok(())
}

/// Returns the edit from `was` to `now`.
fn camera_edit(was: Option<Camera>, now: &Camera) -> JsonEdit {
    let mut edit = JsonEdit::new();
    let mut put = |path: &[&'static str], was: Option<f32>, now: f32| {
        if was.map(f32::to_bits) != Some(now.to_bits()) {
            edit.set(path, number(now));
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
                edit.remove(&["perspective", "zfar"]);
            }
            let aspect = before.and_then(|it| it.3);
            if now.aspect != aspect {
                edit.set_or_remove(&["perspective", "aspectRatio"], now.aspect.map(number));
            }
            if before.is_none() {
                edit.set(&["type"], quoted("perspective"));
                edit.remove(&["orthographic"]);
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
                edit.set(&["type"], quoted("orthographic"));
                edit.remove(&["perspective"]);
            }
        }
        Projection::Custom(_) => {}
    }
    edit
}

impl SaveContext<'_> {
    /// Returns the index of a light, or `None` with a warning if glTF cannot represent it.
    pub(crate) fn light_index(
        &mut self,
        light: &Light,
        file: Option<usize>,
        at: &Pointer<'_>,
    ) -> Result<Option<usize>, Error> {
        let input = self.input;
        let value = representable_light(light);
        if value.kind == LightKind::Ambient {
            self.output.report.warn(
                at,
                WarningCode::DroppedAmbientLight,
                "glTF has no ambient lights; it is left out",
            );
            return Ok(None);
        }
        let was = file.and_then(|file| input.document.lights.get(file)).copied();
        Ok(Some(match self.lights.find(value, file) {
            Match::Existing(index) => index,
            Match::Replace(index) => {
                let edit = light_edit(was, &writable_light(value, at)?);
                self.output.lights.edit(index, edit);
                index
            }
            Match::New => {
                let text = file
                    .and_then(|file| input.text_of("extensions/KHR_lights_punctual/lights", file));
                let was = was.filter(|_| text.is_some());
                let edit = light_edit(was, &writable_light(value, at)?);
                self.output.lights.add(edit.apply(text.unwrap_or("{}")))
            }
        }))
    }
}

/// Returns the light without what glTF cannot represent.
pub(crate) fn representable_light(light: &Light) -> Light {
    let has_range = matches!(light.kind, LightKind::Point | LightKind::Spot { .. });
    Light { range: light.range.filter(|_| has_range), shadow: None, layers: u32::MAX, ..*light }
}

/// Returns a light as glTF allows it: a colour above 1 is divided by its maximum, which multiplies
/// the intensity.
///
/// # Errors
///
/// [`ErrorKind::Unwritable`] for other values that glTF does not allow.
fn writable_light(mut light: Light, at: &Pointer<'_>) -> Result<Light, Error> {
    let max = light.color.max_element();
    if max > 1.0 && max.is_finite() {
        light.color /= max;
        light.intensity *= max;
    }
    let Light { color, intensity, range, .. } = light;
    let fault = if !(color.min_element() >= 0.0 && color.is_finite()) {
        format!("color is {color}; it must be finite and not negative")
    } else if !(intensity >= 0.0 && intensity.is_finite()) {
        format!("intensity is {intensity}; it must be finite and not negative")
    } else if let Some(range) = range.filter(|it| !(*it > 0.0 && it.is_finite())) {
        format!("range is {range}; it must be positive and finite, or `None`")
    } else if let LightKind::Spot { inner_angle: inner, outer_angle: outer } = light.kind
        && !(inner >= 0.0 && inner < outer && outer <= std::f32::consts::FRAC_PI_2)
    {
        format!(
            "inner_angle is {inner} and outer_angle {outer}; glTF requires 0 ≤ inner_angle < \
             outer_angle ≤ π/2"
        )
    } else {
        return Ok(light);
    };
    let message = format!("the light cannot be written: {fault}");
    Err(Error::new(ErrorKind::Unwritable, at, message))
}

fn light_edit(was: Option<Light>, now: &Light) -> JsonEdit {
    let mut edit = JsonEdit::new();
    if was.map(|was| was.color) != Some(now.color) {
        edit.set(&["color"], number_array(&now.color.to_array()));
    }
    if was.map(|was| was.intensity) != Some(now.intensity) {
        edit.set(&["intensity"], number(now.intensity));
    }
    let (range, before) = (now.range, was.and_then(|was| was.range));
    if range != before {
        edit.set_or_remove(&["range"], range.map(number));
    }
    let kind = match now.kind {
        LightKind::Directional => "directional",
        LightKind::Point => "point",
        _ => "spot",
    };
    let cone_of = |kind: LightKind| match kind {
        LightKind::Spot { inner_angle, outer_angle } => Some((inner_angle, outer_angle)),
        _ => None,
    };
    let (cone, before) = (cone_of(now.kind), was.and_then(|was| cone_of(was.kind)));
    match cone {
        Some((inner, outer)) => {
            if before.map(|it| it.0) != Some(inner) {
                edit.set(&["spot", "innerConeAngle"], number(inner));
            }
            if before.map(|it| it.1) != Some(outer) {
                // π/2 rounded to f32 exceeds π/2, which glTF does not allow.
                let half = outer >= std::f32::consts::FRAC_PI_2;
                let angle =
                    if half { std::f64::consts::FRAC_PI_2.to_string() } else { number(outer) };
                edit.set(&["spot", "outerConeAngle"], angle);
            }
        }
        None if before.is_some() => edit.remove(&["spot"]),
        None => {}
    }
    let is_same_kind = was
        .is_some_and(|was| std::mem::discriminant(&was.kind) == std::mem::discriminant(&now.kind));
    if !is_same_kind {
        edit.set(&["type"], quoted(kind));
    }
    edit
}
