//! `LineInstance`: the points and lines of a geometry, clipped to the picture.
//!
//! They have no surface and are unlit: their colour is the base colour times the vertex colour.
//! `draw_lines.rs` draws them.

use glam::{DMat4, DVec3, Vec4};
use pleach::{Geometry, NodeId, Topology};

use crate::lines::clipped_line::ClippedLine;
use crate::lines::projector::Projector;
use crate::prepare::prepared_scene::{DrawItem, PreparedPart, PreparedScene};
use crate::prepare::shading_material::ShadingMaterial;

/// The widths of lines and points in pixels.
const LINE_WIDTH: f64 = 1.5;
const POINT_WIDTH: f64 = 4.0;

/// Returns the number of points or lines of a geometry: 0 if it consists of triangles.
pub(crate) fn primitive_count(geometry: &Geometry) -> usize {
    let corners = vertex_reference_count(geometry);
    match geometry.topology {
        Topology::Points => corners,
        Topology::Lines => corners / 2,
        Topology::LineStrip => corners.saturating_sub(1),
        Topology::LineLoop if corners > 1 => corners,
        _ => 0,
    }
}

/// Returns the vertex indices of both ends, which are equal for a point. They may be out of range.
pub(crate) fn primitive_vertices(geometry: &Geometry, index: usize) -> [usize; 2] {
    let corners = match geometry.topology {
        Topology::Points => [index; 2],
        Topology::Lines => [2 * index, 2 * index + 1],
        _ => [index, (index + 1) % vertex_reference_count(geometry)],
    };
    corners.map(|corner| match &geometry.indices {
        Some(indices) => indices[corner] as usize,
        None => corner,
    })
}

/// Returns the number of vertex references of a geometry.
fn vertex_reference_count(geometry: &Geometry) -> usize {
    geometry.indices.as_ref().map_or(geometry.positions.len(), Vec::len)
}

/// One instance of a part that consists of points or lines.
#[derive(Debug)]
pub(crate) struct LineInstance<'a> {
    part: &'a PreparedPart,
    material: &'a ShadingMaterial,
    projector: &'a Projector,
    /// The transform to view space.
    matrix: DMat4,
    id: (NodeId, u32, u32),
}

/// The source of a clipped line, and its colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSource {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    /// The colours at both ends of the clipped line; alpha is the coverage.
    pub(crate) colors: [Vec4; 2],
}

impl<'a> LineInstance<'a> {
    /// Returns all instances on these layers, in the order of draw items, parts and instances.
    pub(crate) fn visible(
        prepared: &'a PreparedScene<'_>,
        projector: &'a Projector,
        layers: u32,
    ) -> impl Iterator<Item = Self> {
        let items = prepared.items.iter().filter(move |it| it.layers & layers != 0);
        let parts = items.flat_map(|item| (0..item.part_count()).map(move |it| (item, it)));
        let parts =
            parts.filter(|&(item, it)| primitive_count(&prepared.part(item, it).geometry) > 0);
        parts.flat_map(move |(item, part)| {
            (0..item.instance_count())
                .map(move |instance| Self::new(prepared, projector, item, part, instance))
        })
    }

    fn new(
        prepared: &'a PreparedScene<'_>,
        projector: &'a Projector,
        item: &DrawItem<'_>,
        index: u32,
        instance: u32,
    ) -> Self {
        let part = prepared.part(item, index);
        Self {
            part,
            material: prepared.material(part, 0),
            projector,
            matrix: projector.model_to_view(item.matrix(item.has_instances().then_some(instance))),
            id: (item.node, index, instance),
        }
    }

    /// Returns the number of points or lines.
    pub(crate) fn primitive_count(&self) -> usize {
        primitive_count(&self.part.geometry)
    }

    /// Clips a point or line to the picture.
    pub(crate) fn clip(&self, index: usize) -> Option<(ClippedLine, LineSource)> {
        let geometry: &Geometry = &self.part.geometry;
        let vertices = primitive_vertices(geometry, index);
        let [a, b] = vertices.map(|vertex| self.view_position(vertex));
        let width = if geometry.topology == Topology::Points { POINT_WIDTH } else { LINE_WIDTH };
        let clipped = ClippedLine::new(self.projector, [a?, b?], width)?;
        let [a, b] = vertices.map(|vertex| self.color(vertex));
        let colors = clipped.range.map(|t| a + (b - a) * t as f32);
        let (node, part, instance) = self.id;
        Some((clipped, LineSource { node, part, instance, colors }))
    }

    /// Returns the position of a vertex in view space.
    fn view_position(&self, vertex: usize) -> Option<DVec3> {
        Some(self.matrix.transform_point3(self.part.positions().get(vertex)?.as_dvec3()))
    }

    fn color(&self, vertex: usize) -> Vec4 {
        let color = self.part.geometry.colors.first().and_then(|colors| colors.get(vertex));
        let color = color.filter(|color| color.is_finite()).copied().unwrap_or(Vec4::ONE);
        let color = self.material.base_color * color;
        color.truncate().extend(self.material.coverage(color.w))
    }
}
