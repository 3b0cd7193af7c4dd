//! `LineRasterizer`: draws the lines of an overlay into a coverage mask, on all cores, and
//! composites it onto the picture.
//!
//! Lines are clipped and drawn in batches, in their order, until the work budget is used up; each
//! costs its number of pixels. So which lines are omitted does not depend on threads.
//!
//! Invariant: the coverage mask is empty after compositing.

use pleach_shading::overlay::{Line, LineColor, LineSink, LineStyle, OccludedLines};

use super::coverage_mask::CoverageMask;
use crate::lines::clipped_line::ClippedLine;
use crate::lines::depth_buffer::DepthBuffer;
use crate::lines::projector::Projector;
use crate::lines::rasterize;
use crate::threads;

/// The number of lines drawn at once: enough to be worth the threads.
const BATCH_SIZE: usize = 1 << 14;

/// The number of pixels that the lines of an overlay may cover: about a second of work.
const WORK_BUDGET: u64 = 1 << 27;

/// Draws the lines of one overlay on a picture. They are on the picture after
/// [`finish`](Self::finish).
#[derive(Debug)]
pub(super) struct LineRasterizer<'a> {
    projector: &'a Projector,
    height: u32,
    pixels: &'a mut [[u8; 4]],
    depth_buffer: DepthBuffer<'a>,
    mask: CoverageMask,
    style: LineStyle,
    budget: u64,
}

impl<'a> LineRasterizer<'a> {
    /// Creates a rasterizer with a full budget. `height`, `pixels` and `distances` must have the
    /// size of the projector.
    pub(super) fn new(
        projector: &'a Projector,
        height: u32,
        pixels: &'a mut [[u8; 4]],
        distances: &'a [f32],
    ) -> Self {
        Self {
            depth_buffer: DepthBuffer::new(projector.size().x as usize, distances),
            projector,
            height,
            mask: CoverageMask::new(pixels.len()),
            pixels,
            style: LineStyle::thin(LineColor::CONTRASTING, OccludedLines::Visible),
            budget: WORK_BUDGET,
        }
    }

    /// Composites the lines since the last style onto the picture.
    pub(super) fn finish(mut self) {
        self.composite();
    }

    fn composite(&mut self) {
        let color = self.style.color;
        self.mask.blend(self.pixels, |pixel| color.on(pixel));
    }

    /// Draws lines, if any budget is left.
    fn draw(&mut self, lines: &[Line]) {
        let Self { projector, depth_buffer, style: LineStyle { width, occluded, .. }, .. } = *self;
        let width = width.pixels(self.height);
        let clip = |line: &Line| {
            let ends = line.ends.map(|end| projector.to_view(end));
            let clipped = ClippedLine::new(projector, ends, width)?;
            let [from, to] = line.alphas.map(f64::from);
            Some((clipped, clipped.range.map(|t| from + (to - from) * t)))
        };
        let work = lines.len();
        let lines: Vec<_> = threads::map(lines, clip).into_iter().flatten().collect();
        let row = projector.size().x as usize;
        rasterize::draw(&lines, row, &mut self.mask.0, |(line, alphas), fragment, coverage| {
            if *coverage >= to_byte(fragment.coverage) {
                return;
            }
            let t = line.perspective_correct(fragment.t);
            let is_occluded = || {
                let distance = projector.ray_distance(line.point_at(t), fragment.center());
                depth_buffer.occludes(fragment.x, fragment.y, distance, line.radius)
            };
            let visible = occluded == OccludedLines::Visible || !is_occluded();
            let depth_alpha = if visible { 1.0 } else { occluded.alpha() };
            let alpha = alphas[0] + (alphas[1] - alphas[0]) * t;
            *coverage = (*coverage).max(to_byte(fragment.coverage * depth_alpha * alpha));
        });
        let costs = lines.iter().map(|(line, _)| line.pixel_cost());
        self.charge(work + costs.sum::<u64>() as usize);
    }
}

impl LineSink for LineRasterizer<'_> {
    fn begin(&mut self, style: LineStyle) {
        self.composite();
        self.style = style;
    }

    fn charge(&mut self, work: usize) -> bool {
        self.budget = self.budget.saturating_sub(work as u64);
        self.budget > 0
    }

    fn add(&mut self, lines: &[Line]) -> bool {
        for batch in lines.chunks(BATCH_SIZE) {
            if self.budget == 0 {
                return false;
            }
            self.draw(batch);
        }
        self.budget > 0
    }
}

/// Converts a value from 0 to 1 to a byte.
fn to_byte(value: f64) -> u8 {
    (value * 255.0 + 0.5) as u8
}
