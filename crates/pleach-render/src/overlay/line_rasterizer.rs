//! `Pen`: draws lines and dots into a layer, on all cores, and colours the picture with it.
//!
//! Lines are gathered, cut, and drawn as long as there is ink: each takes as much as it has
//! pixels. In the order in which they came, so that what is left out does not depend on threads.
//!
//! Invariant: a pen leaves no pixel covered when it is painted with.

use glam::DVec3;
use rayon::prelude::*;

use super::coverage_mask::{Color, CoverageMask};
use crate::lines::clipped_line::{ClippedLine, Line};
use crate::lines::depth_buffer::DepthBuffer;
use crate::lines::rasterize;
use crate::lines::screen_projection::ScreenProjection;

/// What becomes of lines behind things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OccludedLines {
    /// They are not there.
    Hidden,
    /// They are faint.
    Faint,
    /// They are in front.
    Visible,
}

/// Lines drawn at once: enough to be worth the threads.
const BATCH_SIZE: usize = 1 << 14;

/// Pixels that lines may cover: a second's work, about.
const WORK_BUDGET: u64 = 1 << 27;

/// How much of a faint line is seen.
const FAINT_ALPHA: f64 = 0.3;

/// Draws on a picture.
#[derive(Debug)]
pub(super) struct LineRasterizer<'a> {
    pub(super) projection: &'a ScreenProjection,
    pub(super) pixels: &'a mut [[u8; 4]],
    depth_buffer: DepthBuffer<'a>,
    mask: CoverageMask,
    occluded: OccludedLines,
    /// Each with its width, in pixels.
    pending: Vec<(Line, f64)>,
    budget: u64,
}

impl<'a> LineRasterizer<'a> {
    /// There must be a distance for each pixel, and as many as the lens has.
    pub(super) fn new(
        projection: &'a ScreenProjection,
        pixels: &'a mut [[u8; 4]],
        distances: &'a [f32],
    ) -> Self {
        Self {
            depth_buffer: DepthBuffer::new(projection.size().x as usize, distances),
            projection,
            mask: CoverageMask::new(pixels.len()),
            pixels,
            occluded: OccludedLines::Visible,
            pending: Vec::new(),
            budget: WORK_BUDGET,
        }
    }

    /// How thick lines are, in pixels: one, but more in large pictures.
    pub(super) fn line_width(&self) -> f64 {
        (self.projection.size().y / 1440.0).ceil().max(1.0)
    }

    /// Begins another overlay, with all its ink.
    pub(super) fn begin(&mut self, occluded: OccludedLines) {
        (self.occluded, self.budget) = (occluded, WORK_BUDGET);
    }

    /// Takes ink for work that is no line. Is there any left?
    pub(super) fn charge(&mut self, work: usize) -> bool {
        self.budget = self.budget.saturating_sub(work as u64);
        self.budget > 0
    }

    /// Draws a line of view space.
    pub(super) fn draw_line(&mut self, line: Line) {
        self.add(line, self.line_width());
    }

    /// Draws a dot of this radius in pixels, at a point of view space.
    pub(super) fn draw_dot(&mut self, point: DVec3, radius: f64) {
        self.add([point; 2], 2.0 * radius);
    }

    fn add(&mut self, line: Line, width: f64) {
        self.pending.push((line, width));
        if self.pending.len() >= BATCH_SIZE {
            self.flush();
        }
    }

    /// Draws a line of view space for each item. Is there ink left?
    pub(super) fn draw_lines<T: Sync>(
        &mut self,
        items: &[T],
        line: impl Fn(&T) -> Line + Sync,
    ) -> bool {
        let width = self.line_width();
        for batch in items.chunks(BATCH_SIZE) {
            if self.budget == 0 {
                return false;
            }
            self.pending.par_extend(batch.par_iter().map(|item| (line(item), width)));
            self.flush();
        }
        self.budget > 0
    }

    /// Colours the picture with what was drawn since the last time.
    pub(super) fn composite(&mut self, color: Color) {
        self.flush();
        self.mask.composite(self.pixels, |_| color);
    }

    /// The same in two colours: `dark` where the picture is light, and the other way round.
    pub(super) fn composite_contrasting(&mut self, dark: Color, light: Color) {
        self.flush();
        self.mask.composite(self.pixels, |[red, green, blue, alpha]| {
            let is_bright = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue) > 10 * 72;
            if is_bright || alpha < 128 { dark } else { light }
        });
    }

    /// Draws what is waiting, if there is ink.
    fn flush(&mut self) {
        let Self { projection, depth_buffer, occluded, ref mut mask, ref mut pending, .. } = *self;
        let work = pending.len();
        let lines = pending.par_drain(..);
        let cut = |(line, width)| Some((ClippedLine::new(projection, line, width)?, ()));
        let lines: Vec<(ClippedLine, ())> = lines.filter_map(cut).collect();
        if self.budget == 0 {
            return;
        }
        rasterize::draw(
            &lines,
            projection.size().x as usize,
            &mut mask.0,
            |(line, ()), fragment, coverage| {
                if *coverage >= to_byte(fragment.coverage) {
                    return;
                }
                let is_occluded = || {
                    let point = line.point_at(line.perspective_correct(fragment.t));
                    let distance = projection.ray_distance(point, fragment.center());
                    depth_buffer.occludes(fragment.x, fragment.y, distance, line.radius)
                };
                let alpha = match occluded {
                    OccludedLines::Visible => 1.0,
                    OccludedLines::Hidden => f64::from(!is_occluded()),
                    OccludedLines::Faint if is_occluded() => FAINT_ALPHA,
                    OccludedLines::Faint => 1.0,
                };
                *coverage = (*coverage).max(to_byte(fragment.coverage * alpha));
            },
        );
        let costs = lines.iter().map(|(line, ())| line.pixel_cost());
        self.charge(work + costs.sum::<u64>() as usize);
    }
}

/// From 0 to 1, as 0 to 255.
fn to_byte(value: f64) -> u8 {
    (value * 255.0 + 0.5) as u8
}
