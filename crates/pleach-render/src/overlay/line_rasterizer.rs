//! `LineRasterizer`: draws lines and dots into a coverage mask, on all cores, and composites it
//! onto the picture.
//!
//! Lines are clipped and drawn in batches, in their order, until the work budget is used up; each
//! costs its number of pixels. So which lines are omitted does not depend on threads.
//!
//! Invariant: the coverage mask is empty after compositing.

use glam::DVec3;

use super::coverage_mask::{Color, CoverageMask};
use crate::lines::clipped_line::{ClippedLine, Line};
use crate::lines::depth_buffer::DepthBuffer;
use crate::lines::projector::Projector;
use crate::lines::rasterize;
use crate::threads;

/// The drawing mode of lines behind surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OccludedLines {
    /// Not drawn.
    Hidden,
    /// Drawn faintly.
    Faint,
    /// Drawn as if nothing occluded them.
    Visible,
}

/// The number of lines drawn at once: enough to be worth the threads.
const BATCH_SIZE: usize = 1 << 14;

/// The number of pixels that the lines of an overlay may cover: about a second of work.
const WORK_BUDGET: u64 = 1 << 27;

/// The opacity of a faint line.
const FAINT_ALPHA: f64 = 0.3;

/// Draws lines on a picture.
#[derive(Debug)]
pub(super) struct LineRasterizer<'a> {
    pub(super) projector: &'a Projector,
    pub(super) pixels: &'a mut [[u8; 4]],
    depth_buffer: DepthBuffer<'a>,
    mask: CoverageMask,
    occluded: OccludedLines,
    /// Lines with their widths in pixels.
    pending: Vec<(Line, f64)>,
    budget: u64,
}

impl<'a> LineRasterizer<'a> {
    /// Creates a rasterizer. `pixels` and `distances` must have the size of the projector.
    pub(super) fn new(
        projector: &'a Projector,
        pixels: &'a mut [[u8; 4]],
        distances: &'a [f32],
    ) -> Self {
        Self {
            depth_buffer: DepthBuffer::new(projector.size().x as usize, distances),
            projector,
            mask: CoverageMask::new(pixels.len()),
            pixels,
            occluded: OccludedLines::Visible,
            pending: Vec::new(),
            budget: WORK_BUDGET,
        }
    }

    /// Returns the width of lines in pixels: one, or more in large pictures.
    pub(super) fn line_width(&self) -> f64 {
        (self.projector.size().y / 1440.0).ceil().max(1.0)
    }

    /// Begins an overlay with a full budget.
    pub(super) fn begin(&mut self, occluded: OccludedLines) {
        (self.occluded, self.budget) = (occluded, WORK_BUDGET);
    }

    /// Charges work other than lines. Returns `true` if any budget is left.
    pub(super) fn charge(&mut self, work: usize) -> bool {
        self.budget = self.budget.saturating_sub(work as u64);
        self.budget > 0
    }

    /// Draws a line in view space.
    pub(super) fn draw_line(&mut self, line: Line) {
        self.add(line, self.line_width());
    }

    /// Draws a dot with a radius in pixels, at a point in view space.
    pub(super) fn draw_dot(&mut self, point: DVec3, radius: f64) {
        self.add([point; 2], 2.0 * radius);
    }

    fn add(&mut self, line: Line, width: f64) {
        self.pending.push((line, width));
        if self.pending.len() >= BATCH_SIZE {
            self.flush();
        }
    }

    /// Draws a line in view space for each item. Returns `true` if any budget is left.
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
            self.pending.extend(threads::map(batch, |item| (line(item), width)));
            self.flush();
        }
        self.budget > 0
    }

    /// Composites the lines drawn since the last call onto the picture, and clears the mask.
    pub(super) fn composite(&mut self, color: Color) {
        self.flush();
        self.mask.blend(self.pixels, |_| color);
    }

    /// Composites with a contrasting colour: `dark` where the picture is light, and `light` where
    /// it is dark.
    pub(super) fn composite_contrasting(&mut self, dark: Color, light: Color) {
        self.flush();
        self.mask.blend(self.pixels, |[red, green, blue, alpha]| {
            let is_bright = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue) > 10 * 72;
            if is_bright || alpha < 128 { dark } else { light }
        });
    }

    /// Draws the pending lines, if any budget is left.
    fn flush(&mut self) {
        let Self { projector, depth_buffer, occluded, ref mut mask, ref mut pending, .. } = *self;
        let work = pending.len();
        let clip = |&(line, width): &_| Some((ClippedLine::new(projector, line, width)?, ()));
        let lines = threads::map(pending, clip);
        let lines: Vec<(ClippedLine, ())> = lines.into_iter().flatten().collect();
        pending.clear();
        if self.budget == 0 {
            return;
        }
        let width = projector.size().x as usize;
        rasterize::draw(&lines, width, &mut mask.0, |(line, ()), fragment, coverage| {
            if *coverage >= to_byte(fragment.coverage) {
                return;
            }
            let is_occluded = || {
                let point = line.point_at(line.perspective_correct(fragment.t));
                let distance = projector.ray_distance(point, fragment.center());
                depth_buffer.occludes(fragment.x, fragment.y, distance, line.radius)
            };
            let alpha = match occluded {
                OccludedLines::Visible => 1.0,
                OccludedLines::Hidden => f64::from(!is_occluded()),
                OccludedLines::Faint if is_occluded() => FAINT_ALPHA,
                OccludedLines::Faint => 1.0,
            };
            *coverage = (*coverage).max(to_byte(fragment.coverage * alpha));
        });
        let costs = lines.iter().map(|(line, ())| line.pixel_cost());
        self.charge(work + costs.sum::<u64>() as usize);
    }
}

/// Converts a value from 0 to 1 to a byte.
fn to_byte(value: f64) -> u8 {
    (value * 255.0 + 0.5) as u8
}
