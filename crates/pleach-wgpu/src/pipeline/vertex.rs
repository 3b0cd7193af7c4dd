//! `VertexLayouts`: the vertex buffers of a pipeline.
//!
//! Buffer 0 holds the draw records, one per instance; buffer 1 the positions; then one buffer for each
//! attribute that the shader reads, in the order of [`VERTEX_ATTRIBUTES`]. Attributes are not
//! interleaved, as in a geometry: meshes that share one share its bytes. The joint influences of a vertex
//! are one record, so that no pipeline has more than eight buffers.

use crate::draw::record::DrawRecord;
use crate::pipeline::key::Attributes;
use crate::upload::{INFLUENCE_SET, VertexStream};

/// The location and format of the positions.
pub(crate) const POSITION: (u32, wgpu::VertexFormat) = (2, wgpu::VertexFormat::Float32x3);

/// The other attributes, with their streams, locations and formats.
pub(crate) const VERTEX_ATTRIBUTES: [(Attributes, VertexStream, u32, wgpu::VertexFormat); 5] = [
    (Attributes::NORMALS, VertexStream::Normals, 3, wgpu::VertexFormat::Float32x3),
    (Attributes::TANGENTS, VertexStream::Tangents, 4, wgpu::VertexFormat::Float32x4),
    (Attributes::UV0, VertexStream::Uv0, 5, wgpu::VertexFormat::Float32x2),
    (Attributes::UV1, VertexStream::Uv1, 6, wgpu::VertexFormat::Float32x2),
    (Attributes::COLORS, VertexStream::Colors, 7, wgpu::VertexFormat::Float32x4),
];

const RECORDS: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Uint32x4, 1 => Uint32x4];

/// The vertex buffers of a pipeline that reads some attributes.
#[derive(Debug)]
pub(crate) struct VertexLayouts {
    /// The attributes of each buffer, and the bytes of a vertex.
    buffers: Vec<(Vec<wgpu::VertexAttribute>, u64)>,
}

impl VertexLayouts {
    pub(crate) fn new(attributes: Attributes) -> Self {
        let attribute = |(shader_location, format, offset)| wgpu::VertexAttribute {
            format,
            offset,
            shader_location,
        };
        let present = VERTEX_ATTRIBUTES.into_iter().filter(|it| attributes.has(it.0));
        let plain = [POSITION].into_iter().chain(present.map(|it| (it.2, it.3)));
        let mut buffers: Vec<_> =
            plain.map(|(at, format)| (vec![attribute((at, format, 0))], format.size())).collect();
        let sets = influence_sets(attributes);
        if sets > 0 {
            let influences = (0..sets).flat_map(|set| {
                let (location, offset) = (8 + 2 * set, u64::from(set) * INFLUENCE_SET);
                [
                    attribute((location, wgpu::VertexFormat::Uint16x4, offset)),
                    attribute((location + 1, wgpu::VertexFormat::Float32x4, offset + 8)),
                ]
            });
            buffers.push((influences.collect(), u64::from(sets) * INFLUENCE_SET));
        }
        Self { buffers }
    }

    pub(crate) fn layouts(&self) -> Vec<Option<wgpu::VertexBufferLayout<'_>>> {
        let records = wgpu::VertexBufferLayout {
            array_stride: size_of::<DrawRecord>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &RECORDS,
        };
        let attributes = self.buffers.iter().map(|(attributes, bytes)| wgpu::VertexBufferLayout {
            array_stride: *bytes,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes,
        });
        [records].into_iter().chain(attributes).map(Some).collect()
    }
}

/// Returns the number of sets of joint influences.
pub(crate) fn influence_sets(attributes: Attributes) -> u32 {
    let sets = [Attributes::SKIN, Attributes::SKIN2];
    sets.into_iter().filter(|&set| attributes.has(set)).count() as u32
}
