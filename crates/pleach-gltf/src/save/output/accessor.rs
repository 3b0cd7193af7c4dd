//! Accessor writer: appends values to the buffer, with a buffer view and an accessor.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::json_edit::{JsonEdit, number_array, quoted};
use super::output_document::OutputDocument;

/// The GPU buffer that a buffer view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Vertices,
    Indices,
    Other,
}

impl Target {
    fn code(self) -> Option<u32> {
        match self {
            Self::Vertices => Some(34962),
            Self::Indices => Some(34963),
            Self::Other => None,
        }
    }
}

const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

impl OutputDocument<'_> {
    fn accessor(
        &mut self,
        view: usize,
        count: usize,
        (component, kind): (u32, &str),
        min_max: Option<(Vec<f32>, Vec<f32>)>,
    ) -> usize {
        let mut accessor = JsonEdit::new();
        accessor.set(&["bufferView"], view.to_string());
        accessor.set(&["componentType"], component.to_string());
        accessor.set(&["count"], count.to_string());
        if let Some((min, max)) = min_max {
            accessor.set(&["max"], number_array(&max));
            accessor.set(&["min"], number_array(&min));
        }
        accessor.set(&["type"], quoted(kind));
        self.accessors.add(accessor.to_object())
    }

    /// Adds an accessor of f32 elements.
    fn floats<const N: usize>(
        &mut self,
        elements: impl ExactSizeIterator<Item = [f32; N]> + Clone,
        kind: &str,
        target: Target,
        has_min_max: bool,
    ) -> usize {
        let min_max = has_min_max.then(|| {
            let (mut min, mut max) = (vec![f32::INFINITY; N], vec![f32::NEG_INFINITY; N]);
            for element in elements.clone() {
                for i in 0..N {
                    min[i] = min[i].min(element[i]);
                    max[i] = max[i].max(element[i]);
                }
            }
            (min, max)
        });
        let count = elements.len();
        let mut bytes = Vec::with_capacity(count * N * 4);
        for number in elements.flatten() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let view = self.view(&bytes, None, target.code());
        self.accessor(view, count, (F32, kind), min_max)
    }

    pub(crate) fn scalars(&mut self, values: &[f32], has_min_max: bool) -> usize {
        self.floats(values.iter().map(|&value| [value]), "SCALAR", Target::Other, has_min_max)
    }

    pub(crate) fn vec2s(&mut self, values: &[Vec2], target: Target) -> usize {
        self.floats(values.iter().map(Vec2::to_array), "VEC2", target, false)
    }

    pub(crate) fn vec3s(&mut self, values: &[Vec3], target: Target, has_min_max: bool) -> usize {
        self.floats(values.iter().map(Vec3::to_array), "VEC3", target, has_min_max)
    }

    pub(crate) fn vec4s(&mut self, values: &[Vec4], target: Target) -> usize {
        self.floats(values.iter().map(Vec4::to_array), "VEC4", target, false)
    }

    pub(crate) fn quats(&mut self, values: &[Quat]) -> usize {
        self.floats(values.iter().map(|it| it.to_array()), "VEC4", Target::Other, false)
    }

    pub(crate) fn mat4s(&mut self, values: &[Mat4]) -> usize {
        self.floats(values.iter().map(Mat4::to_cols_array), "MAT4", Target::Other, false)
    }

    pub(crate) fn weights(&mut self, values: &[[f32; 4]]) -> usize {
        self.floats(values.iter().copied(), "VEC4", Target::Vertices, false)
    }

    pub(crate) fn joints(&mut self, values: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|it| it.to_le_bytes()).collect();
        let view = self.view(&bytes, None, Target::Vertices.code());
        self.accessor(view, values.len(), (U16, "VEC4"), None)
    }

    /// Adds an accessor of indices below `vertices`, as u16 if they fit.
    pub(crate) fn indices(&mut self, values: &[u32], vertices: usize) -> usize {
        // The index 65535 is reserved for primitive restart.
        if vertices <= 0xffff {
            let bytes: Vec<u8> = values.iter().flat_map(|&it| (it as u16).to_le_bytes()).collect();
            let view = self.view(&bytes, None, Target::Indices.code());
            return self.accessor(view, values.len(), (U16, "SCALAR"), None);
        }
        let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        let view = self.view(&bytes, None, Target::Indices.code());
        self.accessor(view, values.len(), (U32, "SCALAR"), None)
    }
}
