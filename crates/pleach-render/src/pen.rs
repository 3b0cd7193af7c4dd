//! Draws strokes over the picture, where no surface is in front of them.
//!
//! Lines are a little more than a pixel wide and points a few, with soft edges. Rows of the
//! picture are drawn apart from each other, each with all strokes in their order, so that threads do not
//! matter.

use glam::{Vec2, Vec3, Vec4};
use pleach::Mode;
use rayon::prelude::*;

use crate::canvas::{BAND, Canvas};
use crate::sample::Pixel;
use crate::strokes::Stroke;
use crate::trace::colored;

/// Half the width of a line, and half of a point, in pixels.
const LINE: f32 = 0.75;
const POINT: f32 = 2.0;

impl Canvas<'_> {
    /// Draws strokes, each over those before it unless it is behind them.
    pub(crate) fn stroke(&self, strokes: &[Stroke], pixels: &mut [Pixel], colors: &mut [Vec4]) {
        if strokes.is_empty() {
            return;
        }
        let size = self.width * BAND;
        let bands = pixels.par_chunks_mut(size).zip(colors.par_chunks_mut(size)).enumerate();
        bands.for_each(|(band, (pixels, colors))| {
            let top = band * BAND;
            let rows = top..top + pixels.len() / self.width;
            for stroke in strokes {
                let reach = radius(self, stroke) + 0.5;
                let [a, b] = stroke.ends.map(|end| end.pixel);
                let (first, last) = (a.y.min(b.y) - reach, a.y.max(b.y) + reach);
                let from = (first.max(0.0) as usize).max(rows.start);
                let to = ((last.max(0.0) as usize).saturating_add(1)).min(rows.end);
                for y in from..to {
                    let row = (y - top) * self.width;
                    for x in self.columns(stroke, y, reach) {
                        self.dot(stroke, x, y, reach, &mut pixels[row + x], &mut colors[row + x]);
                    }
                }
            }
        });
    }

    /// The pixels of a row that a stroke may touch.
    fn columns(&self, stroke: &Stroke, y: usize, reach: f32) -> std::ops::Range<usize> {
        let [a, b] = stroke.ends.map(|end| end.pixel);
        let (mut left, mut right) = (a.x.min(b.x), a.x.max(b.x));
        let way = b - a;
        if way.y.abs() > 1e-3 {
            // Where the line is within the row and its own width around it.
            let at = |y: f32| a.x + way.x * ((y - a.y) / way.y).clamp(0.0, 1.0);
            let middle = y as f32 + 0.5;
            let (above, below) = (at(middle - reach), at(middle + reach));
            (left, right) = (left.max(above.min(below)), right.min(above.max(below)));
        }
        let from = (left - reach).max(0.0) as usize;
        let to = ((right + reach).max(0.0) as usize).saturating_add(1);
        from..to.min(self.width)
    }

    /// One pixel of a stroke.
    fn dot(
        &self,
        stroke: &Stroke,
        x: usize,
        y: usize,
        reach: f32,
        pixel: &mut Pixel,
        color: &mut Vec4,
    ) {
        let middle = Vec2::new(x as f32, y as f32) + 0.5;
        let [a, b] = stroke.ends;
        let way = b.pixel - a.pixel;
        let length = way.length_squared();
        let part =
            if length > 0.0 { ((middle - a.pixel).dot(way) / length).clamp(0.0, 1.0) } else { 0.0 };
        let aside = (middle - (a.pixel + way * part)).length();
        let covered = (reach - aside).clamp(0.0, 1.0);
        if covered <= 0.0 {
            return;
        }
        // In perspective: what is half way in the picture is not half way in the world.
        let part = part * a.depth / (part * a.depth + (1.0 - part) * b.depth);
        let place = a.place + (b.place - a.place) * part;
        let Some(glance) = self.world.eye.glance(middle) else { return };
        let distance = (place - glance.ray.origin()).dot(glance.ray.direction());
        // Lines often lie on surfaces.
        let slack = self.world.eye.pixel_at(distance) + distance * 1e-4;
        if distance - slack > pixel.solid {
            return;
        }
        let Some(paint) = self.stroke_paint(stroke) else { return };
        let own = a.color + (b.color - a.color) * part;
        let alpha = covered * paint.cover(own.w);
        let mut shown = colored(own.truncate()).min(Vec3::ONE);
        if let Some(fog) = self.world.fog {
            let thick = fog.factor(self.world.eye.distance(&glance.ray, place, distance));
            shown = shown * (1.0 - thick) + colored(fog.color).min(Vec3::ONE) * thick;
        }
        *color = *color * (1.0 - alpha) + (shown * alpha).extend(alpha);
        if alpha >= 0.5 {
            pixel.distance = pixel.distance.min(distance.max(0.0));
            pixel.solid = pixel.solid.min(distance.max(0.0));
            (pixel.node, pixel.part, pixel.instance) =
                (Some(stroke.node), stroke.part, stroke.instance);
        }
    }

    fn stroke_paint(&self, stroke: &Stroke) -> Option<&crate::paint::Paint> {
        let stage = self.world.stage;
        let part = stage.part(stage.actor(stroke.node)?, stroke.part);
        Some(stage.paint(part, 0))
    }
}

fn radius(canvas: &Canvas<'_>, stroke: &Stroke) -> f32 {
    let stage = canvas.world.stage;
    let is_point = stage
        .actor(stroke.node)
        .is_some_and(|actor| stage.part(actor, stroke.part).geometry.mode == Mode::Points);
    if is_point { POINT } else { LINE }
}
