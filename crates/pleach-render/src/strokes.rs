//! Points and lines of geometries, as strokes: placed, cut to what is in view, and in pixels.
//!
//! They have no surface, so no light falls on them: their colour is the base colour times that
//! of the vertices. `pen.rs` draws them.
//!
//! Invariant: strokes come in the order of actors, parts, copies and vertices, whatever thread
//! found them; both ends of each are in view.

use std::ops::Range;

use glam::{DMat4, DVec3, Vec2, Vec3, Vec4};
use pleach::{Mode, NodeId};
use pleach_spatial::Frustum;
use rayon::prelude::*;

use crate::eye::Eye;
use crate::paint::Paint;
use crate::stage::{Actor, Part, Stage};

/// More strokes than this are not drawn.
pub(crate) const MOST: usize = 1 << 21;
/// How many are placed in one go.
const BATCH: usize = 4096;

/// A point, or a line, in view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) node: NodeId,
    pub(crate) part: u32,
    pub(crate) instance: u32,
    /// A point's two ends are the same.
    pub(crate) is_point: bool,
    pub(crate) ends: [End; 2],
}

/// One end of a stroke.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) place: Vec3,
    pub(crate) pixel: Vec2,
    /// What places along the line are divided by to be in perspective.
    pub(crate) depth: f32,
    /// In alpha: how much it covers.
    pub(crate) color: Vec4,
}

/// All strokes in view; and whether there were too many.
pub(crate) fn strokes(stage: &Stage<'_>, eye: &Eye<'_>) -> (Vec<Stroke>, bool) {
    let mut strokes = Vec::new();
    for actor in stage.actors.iter().filter(|it| it.layers & eye.view.layers != 0) {
        for number in 0..actor.part_count() {
            let part = stage.part(actor, number);
            let count = stroke_count(part);
            if count == 0 {
                continue;
            }
            for instance in 0..actor.copies() {
                let copy = Placed::new(stage, eye, actor, number, instance);
                let batches: Vec<Vec<Stroke>> = (0..count.div_ceil(BATCH))
                    .into_par_iter()
                    .map(|batch| copy.strokes(batch * BATCH..count.min((batch + 1) * BATCH)))
                    .collect();
                strokes.extend(batches.into_iter().flatten());
                if strokes.len() > MOST {
                    strokes.truncate(MOST);
                    return (strokes, true);
                }
            }
        }
    }
    (strokes, false)
}

/// How many vertices a geometry names.
fn corner_count(part: &Part<'_>) -> usize {
    part.geometry.indices.as_ref().map_or(part.positions().len(), Vec::len)
}

fn stroke_count(part: &Part<'_>) -> usize {
    let corners = corner_count(part);
    match part.geometry.mode {
        Mode::Points => corners,
        Mode::Lines => corners / 2,
        Mode::LineStrip => corners.saturating_sub(1),
        Mode::LineLoop if corners > 1 => corners,
        _ => 0,
    }
}

/// One copy of a part, to find its strokes.
struct Placed<'a> {
    eye: &'a Eye<'a>,
    part: &'a Part<'a>,
    matrix: DMat4,
    paint: &'a Paint,
    mode: Mode,
    corners: usize,
    of: (NodeId, u32, u32),
}

impl<'a> Placed<'a> {
    fn new(
        stage: &'a Stage<'_>,
        eye: &'a Eye<'_>,
        actor: &Actor<'_>,
        number: u32,
        instance: u32,
    ) -> Self {
        let part = stage.part(actor, number);
        Self {
            eye,
            part,
            matrix: actor.matrix(actor.has_copies().then_some(instance)),
            paint: stage.paint(part, 0),
            mode: part.geometry.mode,
            corners: corner_count(part),
            of: (actor.node, number, instance),
        }
    }

    fn strokes(&self, numbers: Range<usize>) -> Vec<Stroke> {
        numbers.filter_map(|number| self.stroke(number)).collect()
    }

    fn stroke(&self, number: usize) -> Option<Stroke> {
        let corners = match self.mode {
            Mode::Points => [number, number],
            Mode::Lines => [2 * number, 2 * number + 1],
            _ => [number, (number + 1) % self.corners],
        };
        let [a, b] = corners.map(|corner| self.vertex(corner));
        let (a, b) = (a?, b?);
        let [from, to] = cut(&self.eye.view.frustum, a.0, b.0)?;
        let end = |part: f64| {
            let place = (a.0 + (b.0 - a.0) * part).as_vec3();
            let color = a.1 + (b.1 - a.1) * part as f32;
            let depth = if self.eye.is_parallel { 1.0 } else { self.eye.view.depth(place) };
            let pixel = self.eye.view.project_to_pixel(place)?;
            Some(End { place, pixel, depth, color })
        };
        let (node, part, instance) = self.of;
        let is_point = self.mode == Mode::Points;
        Some(Stroke { node, part, instance, is_point, ends: [end(from)?, end(to)?] })
    }

    /// Where a corner is in the world, and its colour.
    fn vertex(&self, corner: usize) -> Option<(DVec3, Vec4)> {
        let vertex = match &self.part.geometry.indices {
            Some(indices) => *indices.get(corner)? as usize,
            None => corner,
        };
        let place = self.matrix.transform_point3(self.part.positions().get(vertex)?.as_dvec3());
        let color = self.part.geometry.colors.first().and_then(|colors| colors.get(vertex));
        let color = color.filter(|color| color.is_finite()).copied().unwrap_or(Vec4::ONE);
        let color = self.paint.base_color * color;
        let color = color.truncate().extend(self.paint.cover(color.w));
        place.is_finite().then_some((place, color))
    }
}

/// From where to where a line is in view, as parts of its length.
fn cut(frustum: &Frustum, a: DVec3, b: DVec3) -> Option<[f64; 2]> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for plane in frustum.planes() {
        let normal = plane.normal.as_dvec3();
        let [at_a, at_b] = [a, b].map(|end| normal.dot(end) + f64::from(plane.d));
        if at_a < 0.0 && at_b < 0.0 {
            return None;
        }
        let crossing = at_a / (at_a - at_b);
        if at_a < 0.0 {
            from = from.max(crossing);
        } else if at_b < 0.0 {
            to = to.min(crossing);
        }
    }
    (from <= to).then_some([from, to])
}
