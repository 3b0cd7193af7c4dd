//! Draws strokes over the picture, where no surface is in front of them.
//!
//! Lines are a little more than a pixel wide and points a few, with soft edges. Bands of rows are
//! drawn apart from each other, each with the strokes that touch it in their order, so that
//! threads do not matter.

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use crate::canvas::{BAND, Canvas};
use crate::sample::Pixel;
use crate::strokes::Stroke;
use crate::trace::colored;

/// Longer lists of what is where are not made.
const MOST: usize = 1 << 26;

/// Half the width of a line, and half of a point, in pixels.
const LINE: f32 = 0.75;
const POINT: f32 = 2.0;

impl Canvas<'_> {
    /// Draws strokes, each over those before it unless it is behind them.
    pub(crate) fn stroke(&self, strokes: &[Stroke], pixels: &mut [Pixel], colors: &mut [Vec4]) {
        if strokes.is_empty() {
            return;
        }
        let bands = Bands::new(strokes, pixels.len().div_ceil(self.width * BAND));
        let size = self.width * BAND;
        let rows = pixels.par_chunks_mut(size).zip(colors.par_chunks_mut(size)).enumerate();
        rows.for_each(|(band, (pixels, colors))| {
            let mut draw = |stroke| self.stroke_band(stroke, band, pixels, colors);
            match &bands {
                Some(bands) => bands.of(band).iter().for_each(|it| draw(&strokes[*it as usize])),
                None => strokes.iter().for_each(draw),
            }
        });
    }

    /// What a stroke draws in a band.
    fn stroke_band(&self, stroke: &Stroke, band: usize, pixels: &mut [Pixel], colors: &mut [Vec4]) {
        let top = band * BAND;
        let [first, last] = reach(stroke);
        let from = (first.max(0.0) as usize).max(top);
        let to = (last.max(0.0) as usize).min(top + pixels.len() / self.width - 1);
        for y in from..=to {
            let row = (y - top) * self.width;
            for x in self.columns(stroke, y) {
                self.dot(stroke, x, y, &mut pixels[row + x], &mut colors[row + x]);
            }
        }
    }

    /// The pixels of a row that a stroke may touch.
    fn columns(&self, stroke: &Stroke, y: usize) -> std::ops::Range<usize> {
        let radius = radius(stroke);
        let [a, b] = stroke.ends.map(|end| end.pixel);
        let (mut left, mut right) = (a.x.min(b.x), a.x.max(b.x));
        let way = b - a;
        if way.y.abs() > 1e-3 {
            // Where the line is within the row and its own width around it.
            let at = |y: f32| a.x + way.x * ((y - a.y) / way.y).clamp(0.0, 1.0);
            let middle = y as f32 + 0.5;
            let (above, below) = (at(middle - radius), at(middle + radius));
            (left, right) = (left.max(above.min(below)), right.min(above.max(below)));
        }
        let from = (left - radius).max(0.0) as usize;
        let to = ((right + radius).max(0.0) as usize).saturating_add(1);
        from..to.min(self.width)
    }

    /// One pixel of a stroke.
    fn dot(&self, stroke: &Stroke, x: usize, y: usize, pixel: &mut Pixel, color: &mut Vec4) {
        let middle = Vec2::new(x as f32, y as f32) + 0.5;
        let [a, b] = stroke.ends;
        let way = b.pixel - a.pixel;
        let part = (middle - a.pixel).dot(way) / way.length_squared();
        // Not so for a point, whose length is zero.
        let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
        let aside = (middle - (a.pixel + way * part)).length();
        let covered = (radius(stroke) - aside).clamp(0.0, 1.0);
        if covered <= 0.0 {
            return;
        }
        // In perspective: what is half way in the picture is not half way in the world.
        let part = part * a.depth / (part * a.depth + (1.0 - part) * b.depth);
        let place = a.place + (b.place - a.place) * part;
        let eye = self.world.eye;
        let distance = eye.distance(place).max(0.0);
        // Lines often lie on surfaces.
        let slack = eye.pixel_at(distance) + distance * 1e-4;
        if distance - slack > pixel.solid {
            return;
        }
        let own = a.color + (b.color - a.color) * part;
        let alpha = covered * own.w;
        let mut shown = colored(own.truncate()).min(Vec3::ONE);
        if let Some(fog) = self.world.fog {
            let thick = fog.factor(eye.seen_from(place, distance));
            shown = shown * (1.0 - thick) + colored(fog.color).min(Vec3::ONE) * thick;
        }
        *color = *color * (1.0 - alpha) + (shown * alpha).extend(alpha);
        if alpha >= 0.5 {
            pixel.distance = pixel.distance.min(distance);
            pixel.solid = pixel.solid.min(distance);
            (pixel.node, pixel.part) = (Some(stroke.node), stroke.part);
            pixel.instance = stroke.instance;
        }
    }
}

/// How far from its middle a stroke reaches, soft edge included.
fn radius(stroke: &Stroke) -> f32 {
    0.5 + if stroke.is_point { POINT } else { LINE }
}

/// The first and last row that a stroke may touch.
fn reach(stroke: &Stroke) -> [f32; 2] {
    let [a, b] = stroke.ends.map(|end| end.pixel.y);
    [a.min(b) - radius(stroke), a.max(b) + radius(stroke)]
}

/// Which strokes touch which band of rows.
struct Bands {
    /// Where a band's strokes begin; one more at the end.
    starts: Vec<usize>,
    strokes: Vec<u32>,
}

impl Bands {
    /// Counts the strokes of each band, then puts them one after the other. `None` if that takes
    /// too much memory.
    fn new(strokes: &[Stroke], count: usize) -> Option<Self> {
        let touched = |stroke: &Stroke| {
            let [first, last] = reach(stroke).map(|row| row.max(0.0) as usize / BAND);
            first..(last + 1).min(count)
        };
        let mut starts = vec![0; count + 1];
        for stroke in strokes {
            touched(stroke).for_each(|band| starts[band + 1] += 1);
        }
        for band in 0..count {
            starts[band + 1] += starts[band];
        }
        if starts[count] > MOST {
            return None;
        }
        let mut next = starts.clone();
        let mut all = vec![0; starts[count]];
        for (number, stroke) in strokes.iter().enumerate() {
            for band in touched(stroke) {
                all[next[band]] = number as u32;
                next[band] += 1;
            }
        }
        Some(Self { starts, strokes: all })
    }

    fn of(&self, band: usize) -> &[u32] {
        &self.strokes[self.starts[band]..self.starts[band + 1]]
    }
}
