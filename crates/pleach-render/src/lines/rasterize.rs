//! Line rasterization: the pixels that each line covers, and their coverage.
//!
//! Bands of rows are drawn independently, each with the lines that touch it in their order: so the
//! output depends neither on threads nor on bands. The coverage of a pixel is given by the distance
//! of its centre from the nearest point of the line.

use std::ops::Range;

use glam::DVec2;

use crate::lines::clipped_line::ClippedLine;
use crate::threads;

/// The rows of a band. The setup of a line is repeated for each band that it touches.
const BAND: usize = 16;

/// The approximate number of bin entries per pass.
const MAX_BIN_ENTRIES: usize = 1 << 20;

/// A pixel that a line covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fragment {
    pub(crate) x: usize,
    pub(crate) y: usize,
    /// The coverage: more than 0, at most 1.
    pub(crate) coverage: f64,
    /// The parameter of the nearest point of the line, from 0 to 1.
    pub(crate) t: f64,
}

impl Fragment {
    /// Returns the centre of the pixel.
    pub(crate) fn center(&self) -> DVec2 {
        DVec2::new(self.x as f64, self.y as f64) + 0.5
    }
}

/// Calls `draw` with each fragment of each line; for each pixel in the order of the lines. `width`
/// is the number of pixels per row.
pub(crate) fn draw<S: Sync, P: Send>(
    lines: &[(ClippedLine, S)],
    width: usize,
    pixels: &mut [P],
    draw: impl Fn(&(ClippedLine, S), Fragment, &mut P) + Sync,
) {
    let mut remaining = lines;
    while !remaining.is_empty() {
        let bins = BandBins::new(remaining, pixels.len().div_ceil(width * BAND));
        let (now, later) = remaining.split_at(bins.count);
        threads::for_each_chunk(
            pixels,
            width * BAND,
            || (),
            |(), band, pixels| {
                let top = band * BAND;
                let rows = top..top + pixels.len() / width;
                for &index in bins.lines_of(band) {
                    let line = &now[index as usize];
                    rasterize(&line.0, rows.clone(), width, |fragment| {
                        draw(line, fragment, &mut pixels[(fragment.y - top) * width + fragment.x]);
                    });
                }
            },
        );
        remaining = later;
    }
}

/// Calls `f` with each fragment of a line in `rows`.
fn rasterize(line: &ClippedLine, rows: Range<usize>, width: usize, mut f: impl FnMut(Fragment)) {
    let ClippedLine { from, to, radius, .. } = *line;
    let along = to - from;
    let squared = along.length_squared();
    let per_pixel = if squared > 0.0 { along / squared } else { DVec2::ZERO };
    let (min_x, max_x) = (from.x.min(to.x) - radius, from.x.max(to.x) + radius);
    // The horizontal slope of the line and its half width in a row. Neither is finite for a
    // horizontal line; `min` and `max` then ignore NaN.
    let slope = along.x / along.y;
    let half = radius * (1.0 + slope * slope).sqrt();
    let (top, bottom) = (from.y.min(to.y) - radius, from.y.max(to.y) + radius);
    for y in covered_range(top, bottom, rows) {
        let dy = y as f64 + 0.5 - from.y;
        let center_x = from.x + slope * dy;
        let (left, right) = ((center_x - half).max(min_x), (center_x + half).min(max_x));
        for x in covered_range(left, right, 0..width) {
            let offset = DVec2::new(x as f64 + 0.5 - from.x, dy);
            let t = offset.dot(per_pixel).clamp(0.0, 1.0);
            let coverage = radius - (offset - along * t).length();
            if coverage > 0.0 {
                f(Fragment { x, y, coverage: coverage.min(1.0), t });
            }
        }
    }
}

/// Returns the pixels of a range whose centres lie between two coordinates.
fn covered_range(from: f64, to: f64, of: Range<usize>) -> Range<usize> {
    let (start, end) = (of.start as f64, of.end as f64);
    let first = (from - 0.5).ceil().clamp(start, end);
    let last = (to + 0.5).floor().clamp(start, end);
    first as usize..last as usize
}

/// The lines that touch each band.
struct BandBins {
    /// The number of lines binned, from the first on: at least one.
    count: usize,
    /// The first entry of each band, and the number of entries.
    starts: Vec<usize>,
    lines: Vec<u32>,
}

impl BandBins {
    /// Counts the lines of each band, then fills the bins.
    fn new<S>(lines: &[(ClippedLine, S)], bands: usize) -> Self {
        let touched_bands = |(line, _): &(ClippedLine, S)| {
            let (a, b) = (line.from.y, line.to.y);
            let [top, bottom] = [a.min(b) - line.radius, a.max(b) + line.radius];
            let [first, last] = [top, bottom].map(|row| row.max(0.0) as usize / BAND);
            first.min(bands)..(last + 1).min(bands)
        };
        let mut starts = vec![0; bands + 1];
        let (mut count, mut all) = (0, 0);
        while count < lines.len() && all < MAX_BIN_ENTRIES {
            let touched_bands = touched_bands(&lines[count]);
            all += touched_bands.len();
            starts[1..][touched_bands].iter_mut().for_each(|start| *start += 1);
            count += 1;
        }
        for band in 0..bands {
            starts[band + 1] += starts[band];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; all];
        for (index, line) in lines[..count].iter().enumerate() {
            for next in &mut next[touched_bands(line)] {
                entries[*next] = index as u32;
                *next += 1;
            }
        }
        Self { count, starts, lines: entries }
    }

    fn lines_of(&self, band: usize) -> &[u32] {
        &self.lines[self.starts[band]..self.starts[band + 1]]
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use testkit::Rng;

    use super::*;
    use crate::lines::clipped_line::tests::{distance, projectors, random_point};

    #[test]
    fn coverage_is_given_by_the_distance_from_the_line() {
        let mut rng = Rng::new(11);
        let projector = &projectors(64, 40)[1];
        let mut visible = 0;
        for index in 0..400 {
            let [a, b] =
                [(); 2].map(|()| random_point(&mut rng, 4.0)).map(|it| it - DVec3::Z * 4.0);
            let line = match index % 10 {
                0 => [a; 2],
                1 => [a, DVec3::new(b.x, a.y, b.z)],
                2 => [a, DVec3::new(a.x, b.y, b.z)],
                3 => [a, DVec3::new(b.x, a.y + 1e-12, b.z)],
                _ => [a, b],
            };
            let width = 1.0 + f64::from(index % 3);
            let Some(line) = ClippedLine::new(projector, line, width) else { continue };
            visible += 1;
            let mut covered = vec![0.0; 64 * 40];
            draw(&[(line, ())], 64, &mut covered, |_, fragment, coverage| {
                let along = line.to - line.from;
                let nearest = line.from + along * fragment.t;
                let off = nearest.distance(fragment.center()) - distance(&line, fragment.center());
                assert!((0.0..=1.0).contains(&fragment.t) && off.abs() < 1e-9, "line {index}");
                assert_eq!(*coverage, 0.0, "once each");
                *coverage = fragment.coverage;
            });
            for (number, &coverage) in covered.iter().enumerate() {
                let pixel = DVec2::new((number % 64) as f64, (number / 64) as f64) + 0.5;
                let expected = width / 2.0 + 0.5 - distance(&line, pixel);
                let expected = expected.clamp(0.0, 1.0);
                assert!(
                    (coverage - expected).abs() < 1e-6,
                    "line {index}: {pixel} {coverage} {expected}"
                );
            }
        }
        assert!(visible > 200, "{visible}");
    }

    #[test]
    fn each_pixel_gets_its_lines_in_order_across_several_passes() {
        // With this many bands a few lines fill the bins of a pass.
        let height = 1 << 21;
        let projector = &projectors(1, height)[1];
        let line = [DVec3::new(0.0, -3.0, -1.0), DVec3::new(0.0, 3.0, -1.0)];
        let line = ClippedLine::new(projector, line, 1.0).unwrap();
        let lines: Vec<(ClippedLine, u32)> = (1..=10).map(|index| (line, index)).collect();
        let bands = height as usize / BAND;
        assert!(BandBins::new(&lines, bands).count < lines.len());
        let mut pixels = vec![0; height as usize];
        draw(&lines, 1, &mut pixels, |(_, index), _, last| {
            assert_eq!(*last + 1, *index);
            *last = *index;
        });
        assert!(pixels.iter().all(|last| *last == 10));
    }
}
