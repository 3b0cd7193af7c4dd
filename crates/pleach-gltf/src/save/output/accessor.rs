//! Columns of numbers on their way out: bytes, a view of them, and an accessor.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::json_edit::{Patch, numbers, quoted};
use super::output_document::Sheet;

/// What a view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Vertices,
    Indices,
    Other,
}

impl Use {
    fn target(self) -> Option<u32> {
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

impl Sheet<'_> {
    fn column(
        &mut self,
        bytes: &[u8],
        count: usize,
        (component, kind): (u32, &str),
        used: Use,
        bounds: Option<(Vec<f32>, Vec<f32>)>,
    ) -> usize {
        let view = self.view(bytes, None, used.target());
        let mut accessor = Patch::new();
        accessor.put(&["bufferView"], view.to_string());
        accessor.put(&["componentType"], component.to_string());
        accessor.put(&["count"], count.to_string());
        if let Some((least, most)) = bounds {
            accessor.put(&["max"], numbers(&most));
            accessor.put(&["min"], numbers(&least));
        }
        accessor.put(&["type"], quoted(kind));
        self.accessors.add(accessor.object())
    }

    /// Elements of f32s.
    fn floats<const N: usize>(
        &mut self,
        elements: impl ExactSizeIterator<Item = [f32; N]> + Clone,
        kind: &str,
        used: Use,
        bounded: bool,
    ) -> usize {
        let bounds = bounded.then(|| {
            let (mut least, mut most) = (vec![f32::INFINITY; N], vec![f32::NEG_INFINITY; N]);
            for element in elements.clone() {
                for i in 0..N {
                    least[i] = least[i].min(element[i]);
                    most[i] = most[i].max(element[i]);
                }
            }
            (least, most)
        });
        let count = elements.len();
        let mut bytes = Vec::with_capacity(count * N * 4);
        for number in elements.flatten() {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.column(&bytes, count, (F32, kind), used, bounds)
    }

    pub(crate) fn scalars(&mut self, values: &[f32], bounded: bool) -> usize {
        self.floats(values.iter().map(|&value| [value]), "SCALAR", Use::Other, bounded)
    }

    pub(crate) fn vec2s(&mut self, values: &[Vec2], used: Use) -> usize {
        self.floats(values.iter().map(Vec2::to_array), "VEC2", used, false)
    }

    pub(crate) fn vec3s(&mut self, values: &[Vec3], used: Use, bounded: bool) -> usize {
        self.floats(values.iter().map(Vec3::to_array), "VEC3", used, bounded)
    }

    pub(crate) fn vec4s(&mut self, values: &[Vec4], used: Use) -> usize {
        self.floats(values.iter().map(Vec4::to_array), "VEC4", used, false)
    }

    pub(crate) fn quats(&mut self, values: &[Quat]) -> usize {
        self.floats(values.iter().map(|it| it.to_array()), "VEC4", Use::Other, false)
    }

    pub(crate) fn mat4s(&mut self, values: &[Mat4]) -> usize {
        self.floats(values.iter().map(Mat4::to_cols_array), "MAT4", Use::Other, false)
    }

    pub(crate) fn weights(&mut self, values: &[[f32; 4]]) -> usize {
        self.floats(values.iter().copied(), "VEC4", Use::Vertices, false)
    }

    pub(crate) fn joints(&mut self, values: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|it| it.to_le_bytes()).collect();
        self.column(&bytes, values.len(), (U16, "VEC4"), Use::Vertices, None)
    }

    /// Indices of so many vertices, as short as they may be.
    pub(crate) fn indices(&mut self, values: &[u32], vertices: usize) -> usize {
        // 65535 would mean that a strip begins anew.
        if vertices <= 0xffff {
            let bytes: Vec<u8> = values.iter().flat_map(|&it| (it as u16).to_le_bytes()).collect();
            return self.column(&bytes, values.len(), (U16, "SCALAR"), Use::Indices, None);
        }
        let bytes: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.column(&bytes, values.len(), (U32, "SCALAR"), Use::Indices, None)
    }
}
