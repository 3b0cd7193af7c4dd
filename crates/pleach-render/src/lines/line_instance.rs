//! The points and lines of geometries: which vertices they join, and as strokes of a picture.
//!
//! They have no surface, so no light falls on them: their colour is the base colour times that
//! of the vertices. `pen.rs` draws them.

use glam::{DMat4, DVec3, Vec4};
use pleach::{Geometry, NodeId, Topology};

use crate::lines::clipped_line::Stroke;
use crate::lines::screen_projection::Lens;
use crate::prepare::prepared_scene::{Actor, Part, Stage};
use crate::prepare::shading_material::Paint;

/// How thick lines and points are, in pixels.
const LINE: f64 = 1.5;
const POINT: f64 = 4.0;

/// How many points or lines a geometry has: 0 if it is of triangles.
pub(crate) fn count(geometry: &Geometry) -> usize {
    let corners = corner_count(geometry);
    match geometry.topology {
        Topology::Points => corners,
        Topology::Lines => corners / 2,
        Topology::LineStrip => corners.saturating_sub(1),
        Topology::LineLoop if corners > 1 => corners,
        _ => 0,
    }
}

/// The vertices at both ends of one of them, the same for a point; there may be no such vertices.
pub(crate) fn ends(geometry: &Geometry, number: usize) -> [usize; 2] {
    let corners = match geometry.topology {
        Topology::Points => [number; 2],
        Topology::Lines => [2 * number, 2 * number + 1],
        _ => [number, (number + 1) % corner_count(geometry)],
    };
    corners.map(|corner| match &geometry.indices {
        Some(indices) => indices[corner] as usize,
        None => corner,
    })
}

/// How many vertices a geometry names.
fn corner_count(geometry: &Geometry) -> usize {
    geometry.indices.as_ref().map_or(geometry.positions.len(), Vec::len)
}

/// One copy of a part of points or lines.
#[derive(Debug)]
pub(crate) struct Linework<'a> {
    part: &'a Part<'a>,
    paint: &'a Paint,
    lens: &'a Lens,
    /// To view space.
    matrix: DMat4,
    of: (NodeId, u32, u32),
}

/// What a stroke is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    /// At both ends of the stroke; in alpha: how much it covers.
    pub(crate) colors: [Vec4; 2],
}

impl<'a> Linework<'a> {
    /// All that is on these layers, in the order of actors, parts and copies.
    pub(crate) fn all(
        stage: &'a Stage<'_>,
        lens: &'a Lens,
        layers: u32,
    ) -> impl Iterator<Item = Self> {
        let actors = stage.actors.iter().filter(move |it| it.layers & layers != 0);
        let parts = actors.flat_map(|actor| (0..actor.part_count()).map(move |it| (actor, it)));
        let parts = parts.filter(|&(actor, it)| count(stage.part(actor, it).geometry) > 0);
        parts.flat_map(move |(actor, part)| {
            (0..actor.copies()).map(move |copy| Self::new(stage, lens, actor, part, copy))
        })
    }

    fn new(
        stage: &'a Stage<'_>,
        lens: &'a Lens,
        actor: &Actor<'_>,
        number: u32,
        copy: u32,
    ) -> Self {
        let part = stage.part(actor, number);
        Self {
            part,
            paint: stage.paint(part, 0),
            lens,
            matrix: lens.model_to_view(actor.matrix(actor.has_copies().then_some(copy))),
            of: (actor.node, number, copy),
        }
    }

    /// How many points or lines there are.
    pub(crate) fn count(&self) -> usize {
        count(self.part.geometry)
    }

    /// What is seen of a point or line.
    pub(crate) fn stroke(&self, number: usize) -> Option<(Stroke, Mark)> {
        let geometry: &Geometry = self.part.geometry;
        let vertices = ends(geometry, number);
        let [a, b] = vertices.map(|vertex| self.place(vertex));
        let width = if geometry.topology == Topology::Points { POINT } else { LINE };
        let stroke = Stroke::new(self.lens, [a?, b?], width)?;
        let [a, b] = vertices.map(|vertex| self.color(vertex));
        let colors = stroke.cut.map(|part| a + (b - a) * part as f32);
        let (node, part, instance) = self.of;
        Some((stroke, Mark { node, part, instance, colors }))
    }

    /// Where a vertex is, in view space.
    fn place(&self, vertex: usize) -> Option<DVec3> {
        Some(self.matrix.transform_point3(self.part.positions().get(vertex)?.as_dvec3()))
    }

    fn color(&self, vertex: usize) -> Vec4 {
        let color = self.part.geometry.colors.first().and_then(|colors| colors.get(vertex));
        let color = color.filter(|color| color.is_finite()).copied().unwrap_or(Vec4::ONE);
        let color = self.paint.base_color * color;
        color.truncate().extend(self.paint.cover(color.w))
    }
}
