//! `LineBuffer`: the lines of the overlays in a vertex buffer, one instance each, and the ranges of lines
//! of one style.
//!
//! Lines are generated for each picture, but uploaded only from the first to the last that differs
//! from the previous picture: nothing, if nothing changed.
//!
//! Invariant: `lines` is what the buffer contains, unless an upload failed.

use std::mem;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use pleach_shading::overlay::{Line, LineColor, LineSink, LineStyle, OccludedLines};

use crate::upload::staging::{Recorder, Target};
use crate::{Error, Gpu};

/// The maximum number of lines of one overlay; the nearest are drawn.
pub(super) const MAX_LINES_PER_OVERLAY: usize = 1 << 19;

/// A line: locations 0 to 2 of `overlay_lines.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LineInstance {
    /// An end in world space, and the opacity there.
    pub(super) from: [f32; 4],
    pub(super) to: [f32; 4],
    /// The colours on light and dark pixels, red in the lowest byte.
    colors: [u32; 2],
    /// The width in pixels.
    width: f32,
    /// The drawing mode behind surfaces.
    occluded: u32,
}

impl LineInstance {
    pub(super) const ATTRIBUTES: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Uint32x4];

    fn new(line: &Line, style: LineStyle, height: u32) -> Self {
        let colors = match style.color {
            LineColor::Fixed(color) => [color; 2],
            LineColor::Contrasting { dark, light } => [dark, light],
        };
        let [from, to] = line.ends.map(|end| end.as_vec3());
        Self {
            from: from.extend(line.alphas[0]).to_array(),
            to: to.extend(line.alphas[1]).to_array(),
            colors: colors.map(|[red, green, blue]| u32::from_le_bytes([red, green, blue, 255])),
            width: style.width.pixels(height) as f32,
            occluded: match style.occluded {
                OccludedLines::Hidden => 0,
                OccludedLines::Faint => 1,
                OccludedLines::Visible => 2,
            },
        }
    }

    fn bits(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}

/// Collects the lines of one picture, up to the limit of each overlay.
#[derive(Debug)]
pub(super) struct LineCollector<'a> {
    lines: &'a mut Vec<LineInstance>,
    batches: &'a mut Vec<Range<u32>>,
    style: LineStyle,
    /// The height of the picture in pixels.
    height: u32,
    /// The number of lines left.
    budget: usize,
}

impl LineSink for LineCollector<'_> {
    fn begin(&mut self, style: LineStyle) {
        self.style = style;
        let end = self.lines.len() as u32;
        self.batches.push(end..end);
    }

    fn charge(&mut self, _: usize) -> bool {
        self.budget > 0
    }

    fn add(&mut self, lines: &[Line]) -> bool {
        let count = lines.len().min(self.budget);
        self.budget -= count;
        let (style, height) = (self.style, self.height);
        let finite = lines[..count].iter().filter(|line| line.ends.iter().all(|it| it.is_finite()));
        self.lines.extend(finite.map(|line| LineInstance::new(line, style, height)));
        if let Some(batch) = self.batches.last_mut() {
            batch.end = self.lines.len() as u32;
        }
        self.budget > 0
    }
}

/// The vertex buffer and a copy of its lines.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    buffer: Option<wgpu::Buffer>,
    lines: Vec<LineInstance>,
    /// The lines of the next picture.
    next: Vec<LineInstance>,
    /// The ranges of lines of one style, in drawing order.
    batches: Vec<Range<u32>>,
}

impl LineBuffer {
    /// Begins the lines of the next picture.
    pub(super) fn begin(&mut self) {
        self.next.clear();
        self.batches.clear();
    }

    /// Returns the sink of an overlay of the next picture, which is `height` pixels high.
    pub(super) fn collector(&mut self, height: u32) -> LineCollector<'_> {
        LineCollector {
            lines: &mut self.next,
            batches: &mut self.batches,
            style: LineStyle::thin(LineColor::CONTRASTING, OccludedLines::Visible),
            height,
            budget: MAX_LINES_PER_OVERLAY,
        }
    }

    /// Records the upload of what differs from the previous picture, and returns the number of
    /// bytes.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not support a buffer for all lines.
    pub(super) fn upload(&mut self, recorder: &mut Recorder<'_>) -> Result<u64, Error> {
        let range = match &self.buffer {
            Some(buffer) if buffer.size() >= byte_count(self.next.len()) => {
                changed_range(&self.lines, &self.next)
            }
            _ if self.next.is_empty() => 0..0,
            _ => {
                self.buffer = Some(create(recorder.gpu, self.next.len())?);
                0..self.next.len()
            }
        };
        mem::swap(&mut self.lines, &mut self.next);
        let changed = &self.lines[range.clone()];
        if let (Some(buffer), false) = (&self.buffer, changed.is_empty()) {
            let target = Target::Buffer(buffer.clone(), byte_count(range.start));
            recorder.copy(changed.iter().copied(), target);
        }
        Ok(byte_count(changed.len()))
    }

    /// Returns the number of lines in the buffer.
    pub(super) fn len(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Returns the buffer and the ranges of lines of one style, in drawing order.
    pub(super) fn batches(&self) -> impl Iterator<Item = (&wgpu::Buffer, Range<u32>)> {
        let batches = self.batches.iter().filter(|batch| !batch.is_empty());
        self.buffer
            .iter()
            .flat_map(move |buffer| batches.clone().map(move |it| (buffer, it.clone())))
    }
}

fn byte_count(lines: usize) -> u64 {
    (lines * size_of::<LineInstance>()) as u64
}

fn create(gpu: &Gpu, lines: usize) -> Result<wgpu::Buffer, Error> {
    let (bytes, max) = (byte_count(lines), gpu.limits.max_buffer_size);
    if bytes > max {
        return Err(Error::TooLarge { what: "lines of overlays", bytes, max });
    }
    Ok(gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("lines of overlays"),
        // Room for some more lines without a new buffer.
        size: byte_count(lines.next_power_of_two()).min(max),
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    }))
}

/// Returns the range of `new` outside of which it is equal to `old`.
fn changed_range(old: &[LineInstance], new: &[LineInstance]) -> Range<usize> {
    let is_equal = |(a, b): &(&LineInstance, &LineInstance)| a.bits() == b.bits();
    let start = old.iter().zip(new).take_while(is_equal).count();
    if start == new.len() {
        return 0..0;
    }
    let end = match old.len() == new.len() {
        true => new.len() - old.iter().rev().zip(new.iter().rev()).take_while(is_equal).count(),
        false => new.len(),
    };
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(x: f32) -> LineInstance {
        LineInstance { from: [x; 4], ..LineInstance::zeroed() }
    }

    #[test]
    fn only_lines_that_differ_are_uploaded() {
        let lines = [1.0, 2.0, 3.0, 4.0].map(line);
        assert_eq!(changed_range(&lines, &lines), 0..0);
        assert_eq!(changed_range(&lines, &lines[..2]), 0..0, "fewer lines");
        assert_eq!(changed_range(&lines[..2], &lines), 2..4, "more lines");
        assert_eq!(changed_range(&lines, &[1.0, 9.0, 8.0, 4.0].map(line)), 1..3);
        assert_eq!(changed_range(&[], &lines), 0..4);
        assert_eq!(changed_range(&lines, &[]), 0..0);
    }

    #[test]
    fn an_overlay_ends_at_its_limit() {
        let mut buffer = LineBuffer::default();
        let mut collector = buffer.collector(64);
        collector.begin(LineStyle::thin(LineColor::CONTRASTING, OccludedLines::Hidden));
        let lines = vec![Line::dot(glam::DVec3::ZERO); MAX_LINES_PER_OVERLAY - 1];
        assert!(collector.add(&lines) && collector.charge(1));
        assert!(!collector.add(&lines[..2]) && !collector.charge(1) && !collector.add(&lines));
        assert_eq!(buffer.next.len(), MAX_LINES_PER_OVERLAY);
        assert_eq!(buffer.batches.first(), Some(&(0..MAX_LINES_PER_OVERLAY as u32)));
        assert!(buffer.collector(64).add(&[Line::dot(glam::DVec3::NAN)]));
        assert_eq!(buffer.next.len(), MAX_LINES_PER_OVERLAY, "not finite");
    }
}
