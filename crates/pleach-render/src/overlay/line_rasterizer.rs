//! `Pen`: draws lines and dots into a layer, on all cores, and colours the picture with it.
//!
//! Lines are gathered, cut, and drawn as long as there is ink: each takes as much as it has
//! pixels. In the order in which they came, so that what is left out does not depend on threads.
//!
//! Invariant: a pen leaves no pixel covered when it is painted with.

use glam::DVec3;
use rayon::prelude::*;

use super::coverage_mask::{Color, Layer};
use crate::lines::clipped_line::{Line, Stroke};
use crate::lines::depth_buffer::Distances;
use crate::lines::rasterize as bands;
use crate::lines::screen_projection::Lens;

/// What becomes of lines behind things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// They are not there.
    Hidden,
    /// They are faint.
    Faint,
    /// They are in front.
    Shown,
}

/// Lines drawn at once: enough to be worth the threads.
const BATCH: usize = 1 << 14;

/// Pixels that lines may cover: a second's work, about.
const INK: u64 = 1 << 27;

/// How much of a faint line is seen.
const FAINT: f64 = 0.3;

/// Draws on a picture.
#[derive(Debug)]
pub(super) struct Pen<'a> {
    pub(super) lens: &'a Lens,
    pub(super) pixels: &'a mut [[u8; 4]],
    distances: Distances<'a>,
    layer: Layer,
    behind: Behind,
    /// Each with its width, in pixels.
    waiting: Vec<(Line, f64)>,
    ink: u64,
}

impl<'a> Pen<'a> {
    /// There must be a distance for each pixel, and as many as the lens has.
    pub(super) fn new(lens: &'a Lens, pixels: &'a mut [[u8; 4]], distances: &'a [f32]) -> Self {
        Self {
            distances: Distances::new(lens.size().x as usize, distances),
            lens,
            layer: Layer::new(pixels.len()),
            pixels,
            behind: Behind::Shown,
            waiting: Vec::new(),
            ink: INK,
        }
    }

    /// How thick lines are, in pixels: one, but more in large pictures.
    pub(super) fn width(&self) -> f64 {
        (self.lens.size().y / 1440.0).ceil().max(1.0)
    }

    /// Begins another overlay, with all its ink.
    pub(super) fn begin(&mut self, behind: Behind) {
        (self.behind, self.ink) = (behind, INK);
    }

    /// Takes ink for work that is no line. Is there any left?
    pub(super) fn spend(&mut self, work: usize) -> bool {
        self.ink = self.ink.saturating_sub(work as u64);
        self.ink > 0
    }

    /// Draws a line of view space.
    pub(super) fn line(&mut self, line: Line) {
        self.add(line, self.width());
    }

    /// Draws a dot of this radius in pixels, at a point of view space.
    pub(super) fn dot(&mut self, point: DVec3, radius: f64) {
        self.add([point; 2], 2.0 * radius);
    }

    fn add(&mut self, line: Line, width: f64) {
        self.waiting.push((line, width));
        if self.waiting.len() >= BATCH {
            self.flush();
        }
    }

    /// Draws a line of view space for each item. Is there ink left?
    pub(super) fn lines<T: Sync>(&mut self, of: &[T], line: impl Fn(&T) -> Line + Sync) -> bool {
        let width = self.width();
        for batch in of.chunks(BATCH) {
            if self.ink == 0 {
                return false;
            }
            self.waiting.par_extend(batch.par_iter().map(|item| (line(item), width)));
            self.flush();
        }
        self.ink > 0
    }

    /// Colours the picture with what was drawn since the last time.
    pub(super) fn paint(&mut self, color: Color) {
        self.flush();
        self.layer.paint(self.pixels, |_| color);
    }

    /// The same in two colours: `dark` where the picture is light, and the other way round.
    pub(super) fn paint_against(&mut self, dark: Color, light: Color) {
        self.flush();
        self.layer.paint(self.pixels, |[red, green, blue, alpha]| {
            let bright = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue) > 10 * 72;
            if bright || alpha < 128 { dark } else { light }
        });
    }

    /// Draws what is waiting, if there is ink.
    fn flush(&mut self) {
        let Self { lens, distances, behind, ref mut layer, ref mut waiting, .. } = *self;
        let work = waiting.len();
        let lines = waiting.par_drain(..);
        let cut = |(line, width)| Some((Stroke::new(lens, line, width)?, ()));
        let strokes: Vec<(Stroke, ())> = lines.filter_map(cut).collect();
        if self.ink == 0 {
            return;
        }
        bands::draw(&strokes, lens.size().x as usize, &mut layer.0, |(stroke, ()), dot, cover| {
            if *cover >= to_byte(dot.cover) {
                return;
            }
            let is_behind = || {
                let point = stroke.at(stroke.in_space(dot.part));
                let distance = lens.distance(point, dot.middle());
                distances.hide(dot.x, dot.y, distance, stroke.reach)
            };
            let seen = match behind {
                Behind::Shown => 1.0,
                Behind::Hidden => f64::from(!is_behind()),
                Behind::Faint if is_behind() => FAINT,
                Behind::Faint => 1.0,
            };
            *cover = (*cover).max(to_byte(dot.cover * seen));
        });
        let costs = strokes.iter().map(|(stroke, ())| stroke.cost());
        self.spend(work + costs.sum::<u64>() as usize);
    }
}

/// From 0 to 1, as 0 to 255.
fn to_byte(part: f64) -> u8 {
    (part * 255.0 + 0.5) as u8
}
