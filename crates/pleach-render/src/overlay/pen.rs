//! `Pen`: draws lines and dots into a layer, on all cores, and colours the picture with it.
//!
//! Lines are gathered, cut, and drawn as long as there is ink: each takes as much as it has
//! pixels. In the order in which they came, so that what is left out does not depend on threads.
//!
//! Invariant: a pen leaves no pixel covered when it is painted with.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::eye::Eye;
use super::hidden::Distances;
use super::layer::{Color, Layer};
use super::stroke::{Line, Stroke};

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
const BATCH: usize = 1 << 16;

/// Columns and rows of pixels that lines may go through: a second's work, about.
const INK: u64 = 1 << 26;

/// How much of a faint line is seen.
const FAINT: f64 = 0.3;

/// Draws on a picture.
#[derive(Debug)]
pub(super) struct Pen<'a> {
    pub(super) eye: Eye,
    pub(super) pixels: &'a mut [[u8; 4]],
    distances: Distances<'a>,
    layer: Layer,
    behind: Behind,
    waiting: Vec<Line>,
    ink: u64,
}

impl<'a> Pen<'a> {
    /// There must be a distance for each pixel, and as many as the eye has.
    pub(super) fn new(eye: Eye, pixels: &'a mut [[u8; 4]], distances: &'a [f32]) -> Self {
        Self {
            distances: Distances::new(eye.size(), distances),
            eye,
            layer: Layer::new(pixels.len()),
            pixels,
            behind: Behind::Shown,
            waiting: Vec::new(),
            ink: INK,
        }
    }

    /// How thick lines are, in pixels: one, but more in large pictures.
    pub(super) fn width(&self) -> f64 {
        (self.eye.size().y / 1440.0).ceil().max(1.0)
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
        self.waiting.push(line);
        if self.waiting.len() >= BATCH {
            self.flush();
        }
    }

    /// Draws a line of view space for each item. Is there ink left?
    pub(super) fn lines<T: Sync>(&mut self, of: &[T], line: impl Fn(&T) -> Line + Sync) -> bool {
        for batch in of.chunks(BATCH) {
            if self.ink == 0 {
                return false;
            }
            self.waiting.par_extend(batch.par_iter().map(&line));
            self.flush();
        }
        self.ink > 0
    }

    /// Draws a dot of this radius in pixels, at a point of view space.
    pub(super) fn dot(&mut self, point: DVec3, radius: f64) {
        let stroke = Stroke::new(&self.eye, [point; 2], radius + 1.0);
        if let Some(stroke) = stroke
            && self.spend((4.0 * radius * radius) as usize + 3)
        {
            self.stroke(&stroke, 2.0 * radius);
        }
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

    fn flush(&mut self) {
        let width = self.width();
        let (eye, lines) = (&self.eye, &self.waiting);
        let strokes: Vec<Option<Stroke>> =
            lines.par_iter().map(|&line| Stroke::new(eye, line, width / 2.0 + 1.0)).collect();
        let mut count = 0;
        for stroke in &strokes {
            if self.ink == 0 {
                break;
            }
            self.ink = self.ink.saturating_sub(stroke.as_ref().map_or(1, Stroke::cost));
            count += 1;
        }
        let pen = &*self;
        strokes[..count]
            .par_iter()
            .filter_map(Option::as_ref)
            .for_each(|stroke| pen.stroke(stroke, width));
        self.waiting.clear();
    }

    fn stroke(&self, stroke: &Stroke, width: f64) {
        let size = self.eye.size();
        stroke.each_pixel(size, width, |x, y, covered, part| {
            let pixel = y * size.x as usize + x;
            if !self.layer.is_below(pixel, to_byte(covered)) {
                return;
            }
            let is_behind = || {
                let at = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
                self.distances.hide(x, y, self.eye.distance(stroke.at(part), at))
            };
            let seen = match self.behind {
                Behind::Shown => 1.0,
                Behind::Hidden => f64::from(!is_behind()),
                Behind::Faint if is_behind() => FAINT,
                Behind::Faint => 1.0,
            };
            self.layer.cover(pixel, to_byte(covered * seen));
        });
    }
}

/// From 0 to 1, as 0 to 255.
fn to_byte(part: f64) -> u8 {
    (part * 255.0 + 0.5) as u8
}
