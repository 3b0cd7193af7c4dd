//! A builder for the buffer, buffer views and accessors of a glTF file.

use serde_json::{Value, json};

/// A buffer with its buffer views and accessors.
#[derive(Debug, Default)]
pub(crate) struct GltfBuilder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
}

impl GltfBuilder {
    /// Adds a buffer view and returns its index.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let (offset, length) = (self.bytes.len(), bytes.len());
        self.bytes.extend_from_slice(bytes);
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length}));
        self.views.len() - 1
    }

    /// Adds an accessor of vectors and returns its index.
    pub(crate) fn vectors<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let kind = match N {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|it| it.to_le_bytes()).collect();
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let of = |axis| rows.iter().map(|row| row[axis]).reduce(pick).unwrap_or(0.0);
            (0..N).map(of).collect()
        };
        let (min, max) = (fold(f32::min), fold(f32::max));
        self.accessor(&bytes, 5126, kind, rows.len(), Some((min, max)))
    }

    /// Adds an accessor of indices and returns its index.
    pub(crate) fn indices(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.accessor(&bytes, 5123, "SCALAR", indices.len(), None)
    }

    /// Adds an accessor of joints and returns its index.
    pub(crate) fn joints(&mut self, joints: &[[u8; 4]]) -> usize {
        self.accessor(joints.as_flattened(), 5121, "VEC4", joints.len(), None)
    }

    fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        range: Option<(Vec<f32>, Vec<f32>)>,
    ) -> usize {
        let view = self.view(bytes);
        let mut accessor = json!({
            "bufferView": view, "componentType": component, "type": kind, "count": count,
        });
        if let Some((min, max)) = range {
            accessor["min"] = json!(min);
            accessor["max"] = json!(max);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds a cuboid around the origin and returns its attributes (position, normal, texture
    /// coordinates; 24 vertices, four per side) and the accessor of its 36 indices.
    pub(crate) fn cuboid(&mut self, half: [f32; 3]) -> (Value, usize) {
        let (mut positions, mut normals, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
        let mut indices = Vec::new();
        for side in 0..6u16 {
            let (axis, sign) = (usize::from(side / 2), if side % 2 == 0 { 1.0 } else { -1.0 });
            for (u, v) in [(0.0f32, 0.0f32), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                let mut corner = [0.0; 3];
                corner[axis] = sign * half[axis];
                corner[(axis + 1) % 3] = (2.0 * u - 1.0) * half[(axis + 1) % 3] * sign;
                corner[(axis + 2) % 3] = (2.0 * v - 1.0) * half[(axis + 2) % 3];
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                positions.push(corner);
                normals.push(normal);
                uvs.push([u, v]);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| 4 * side + corner));
        }
        let attributes = json!({
            "POSITION": self.vectors(&positions),
            "NORMAL": self.vectors(&normals),
            "TEXCOORD_0": self.vectors(&uvs),
        });
        (attributes, self.indices(&indices))
    }
}
