//! `Resources`: what recorded calls refer to, by reference, while they are encoded.

use pleach::AssetId;
use wgpu::util::RenderEncoder;

use crate::draw::material_groups::MaterialGroups;
use crate::draw::run::Call;
use crate::pipeline::cache::{PipelineId, Pipelines};
use crate::pipeline::vertex::{VERTEX_ATTRIBUTES, influence_sets};
use crate::upload::{Uploads, VertexStream};

/// The pipelines, buffers and bind groups of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources<'a> {
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) uploads: &'a Uploads,
    pub(crate) materials: &'a MaterialGroups,
    /// The group of the frame, with the dynamic offset of a shadow view.
    pub(crate) frame: (&'a wgpu::BindGroup, Option<u32>),
    pub(crate) data: &'a wgpu::BindGroup,
    /// The picture behind transmissive surfaces.
    pub(crate) screen: Option<&'a wgpu::BindGroup>,
}

impl<'a> Resources<'a> {
    /// Binds what is the same for all calls.
    pub(crate) fn bind(&self, pass: &mut impl RenderEncoder<'a>) {
        pass.set_bind_group(0, Some(self.frame.0), self.frame.1.as_slice());
        pass.set_bind_group(1, Some(self.data), &[]);
        if let Some(screen) = self.screen {
            pass.set_bind_group(3, Some(screen), &[]);
        }
    }

    /// Binds the vertex and index buffers that a pipeline reads of a geometry.
    pub(crate) fn bind_geometry(
        &self,
        pass: &mut impl RenderEncoder<'a>,
        pipeline: PipelineId,
        call: &Call,
    ) {
        let Some(geometry) = self.uploads.geometry(call.geometry) else { return };
        let attributes = self.pipelines.shader(pipeline).attributes;
        let present = VERTEX_ATTRIBUTES.into_iter().filter(|it| attributes.has(it.0));
        let skin = (influence_sets(attributes) > 0).then_some(VertexStream::Influences);
        let streams =
            [VertexStream::Positions].into_iter().chain(present.map(|it| it.1)).chain(skin);
        for (slot, stream) in (1..).zip(streams) {
            if let Some((buffer, offset)) = self.uploads.vertex_stream(geometry, stream) {
                pass.set_vertex_buffer(slot, Some(buffer.slice(offset..)));
            }
        }
        let indices = match call.group {
            Some(_) => self.uploads.group_indices(geometry),
            None => self.uploads.indices(geometry),
        };
        if let Some((buffer, offset)) = indices {
            pass.set_index_buffer(buffer.slice(offset..), wgpu::IndexFormat::Uint32);
        }
    }

    /// Binds a material, with the textures that a pipeline reads.
    pub(crate) fn bind_material(
        &self,
        pass: &mut impl RenderEncoder<'a>,
        pipeline: PipelineId,
        material: AssetId,
    ) {
        let textures = self.pipelines.shader(pipeline).textures;
        pass.set_bind_group(2, self.materials.get(material, textures), &[]);
    }

    /// Draws the records of a call.
    pub(crate) fn draw(&self, pass: &mut impl RenderEncoder<'a>, call: &Call) {
        let Some(geometry) = self.uploads.geometry(call.geometry) else { return };
        let all = 0..geometry.index_count();
        match &call.group {
            // Recorded for triangles that select other materials since the geometry was edited.
            Some(range) if range.end > geometry.group_index_count() => {}
            Some(range) => pass.draw_indexed(range.clone(), 0, call.records.clone()),
            None if self.uploads.indices(geometry).is_some() => {
                pass.draw_indexed(all, 0, call.records.clone());
            }
            None => pass.draw(all, call.records.clone()),
        }
    }
}
