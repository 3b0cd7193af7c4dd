//! Strokes into pixels: which ones each covers, and how much.
//!
//! Bands of rows are drawn apart from each other, each with the strokes that touch it in their
//! order: so neither threads nor bands can be told from the picture. A pixel is covered by
//! how far its middle is within half the width of the nearest point of a stroke.

use std::ops::Range;

use glam::DVec2;
use rayon::prelude::*;

use crate::lines::clipped_line::Stroke;

/// Rows that are drawn in one go: a stroke is set up anew for each band that it touches.
const BAND: usize = 16;

/// How many strokes of bands are listed in one go, about.
const MOST: usize = 1 << 20;

/// A pixel that a stroke covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) x: usize,
    pub(crate) y: usize,
    /// How much of it is covered: more than 0, at most 1.
    pub(crate) cover: f64,
    /// Which part of the stroke is nearest, from 0 to 1.
    pub(crate) part: f64,
}

impl Dot {
    /// The middle of the pixel.
    pub(crate) fn middle(&self) -> DVec2 {
        DVec2::new(self.x as f64, self.y as f64) + 0.5
    }
}

/// Calls `draw` with each pixel that strokes cover, for each stroke that covers it, in their order.
/// There are `width` pixels in a row.
pub(crate) fn draw<S: Sync, P: Send>(
    strokes: &[(Stroke, S)],
    width: usize,
    pixels: &mut [P],
    draw: impl Fn(&(Stroke, S), Dot, &mut P) + Sync,
) {
    let mut rest = strokes;
    while !rest.is_empty() {
        let lists = Lists::new(rest, pixels.len().div_ceil(width * BAND));
        let (now, later) = rest.split_at(lists.count);
        let bands = pixels.par_chunks_mut(width * BAND).enumerate();
        bands.for_each(|(band, pixels)| {
            let top = band * BAND;
            let rows = top..top + pixels.len() / width;
            for &number in lists.of(band) {
                let stroke = &now[number as usize];
                each_dot(&stroke.0, rows.clone(), width, |dot| {
                    draw(stroke, dot, &mut pixels[(dot.y - top) * width + dot.x]);
                });
            }
        });
        rest = later;
    }
}

/// Calls `f` with each pixel that a stroke covers in some rows of this width.
fn each_dot(stroke: &Stroke, rows: Range<usize>, width: usize, mut f: impl FnMut(Dot)) {
    let Stroke { from, to, reach, .. } = *stroke;
    let along = to - from;
    let squared = along.length_squared();
    let per_pixel = if squared > 0.0 { along / squared } else { DVec2::ZERO };
    let (least, most) = (from.x.min(to.x) - reach, from.x.max(to.x) + reach);
    // How far the stroke goes aside in a row, and how wide it is there. Neither is finite if
    // it is level; minimum and maximum then leave out what is not a number.
    let lean = along.x / along.y;
    let wide = reach * (1.0 + lean * lean).sqrt();
    let (top, bottom) = (from.y.min(to.y) - reach, from.y.max(to.y) + reach);
    for y in middles(top, bottom, rows) {
        let down = y as f64 + 0.5 - from.y;
        let middle = from.x + lean * down;
        let (left, right) = ((middle - wide).max(least), (middle + wide).min(most));
        for x in middles(left, right, 0..width) {
            let place = DVec2::new(x as f64 + 0.5 - from.x, down);
            let part = place.dot(per_pixel).clamp(0.0, 1.0);
            let cover = reach - (place - along * part).length();
            if cover > 0.0 {
                f(Dot { x, y, cover: cover.min(1.0), part });
            }
        }
    }
}

/// Of some pixels in a line those whose middles are between two places.
fn middles(from: f64, to: f64, of: Range<usize>) -> Range<usize> {
    let (start, end) = (of.start as f64, of.end as f64);
    let first = (from - 0.5).ceil().clamp(start, end);
    let last = (to + 0.5).floor().clamp(start, end);
    first as usize..last as usize
}

/// Which strokes touch which band.
struct Lists {
    /// Of how many strokes, from the first on: one, or as many as fit.
    count: usize,
    /// Where a band's strokes begin; one more at the end.
    starts: Vec<usize>,
    strokes: Vec<u32>,
}

impl Lists {
    /// Counts the strokes of each band, then puts them one after the other.
    fn new<S>(strokes: &[(Stroke, S)], bands: usize) -> Self {
        let touched = |(stroke, _): &(Stroke, S)| {
            let (a, b) = (stroke.from.y, stroke.to.y);
            let [top, bottom] = [a.min(b) - stroke.reach, a.max(b) + stroke.reach];
            let [first, last] = [top, bottom].map(|row| row.max(0.0) as usize / BAND);
            first.min(bands)..(last + 1).min(bands)
        };
        let mut starts = vec![0; bands + 1];
        let (mut count, mut all) = (0, 0);
        while count < strokes.len() && all < MOST {
            let touched = touched(&strokes[count]);
            all += touched.len();
            starts[1..][touched].iter_mut().for_each(|start| *start += 1);
            count += 1;
        }
        for band in 0..bands {
            starts[band + 1] += starts[band];
        }
        let mut next = starts.clone();
        let mut list = vec![0; all];
        for (number, stroke) in strokes[..count].iter().enumerate() {
            for next in &mut next[touched(stroke)] {
                list[*next] = number as u32;
                *next += 1;
            }
        }
        Self { count, starts, strokes: list }
    }

    fn of(&self, band: usize) -> &[u32] {
        &self.strokes[self.starts[band]..self.starts[band + 1]]
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use testkit::Rng;

    use super::*;
    use crate::lines::clipped_line::tests::{distance, lenses, random_point};

    #[test]
    fn pixels_are_covered_by_their_distance_from_the_stroke() {
        let mut rng = Rng::new(11);
        let lens = &lenses(64, 40)[1];
        let mut seen = 0;
        for number in 0..400 {
            let [a, b] =
                [(); 2].map(|()| random_point(&mut rng, 4.0)).map(|it| it - DVec3::Z * 4.0);
            let line = match number % 10 {
                0 => [a; 2],
                1 => [a, DVec3::new(b.x, a.y, b.z)],
                2 => [a, DVec3::new(a.x, b.y, b.z)],
                3 => [a, DVec3::new(b.x, a.y + 1e-12, b.z)],
                _ => [a, b],
            };
            let width = 1.0 + f64::from(number % 3);
            let Some(stroke) = Stroke::new(lens, line, width) else { continue };
            seen += 1;
            let mut covered = vec![0.0; 64 * 40];
            draw(&[(stroke, ())], 64, &mut covered, |_, dot, cover| {
                let along = stroke.to - stroke.from;
                let nearest = stroke.from + along * dot.part;
                let off = nearest.distance(dot.middle()) - distance(&stroke, dot.middle());
                assert!((0.0..=1.0).contains(&dot.part) && off.abs() < 1e-9, "line {number}");
                assert_eq!(*cover, 0.0, "once each");
                *cover = dot.cover;
            });
            for (place, &cover) in covered.iter().enumerate() {
                let pixel = DVec2::new((place % 64) as f64 + 0.5, (place / 64) as f64 + 0.5);
                let expected = width / 2.0 + 0.5 - distance(&stroke, pixel);
                let expected = expected.clamp(0.0, 1.0);
                assert!(
                    (cover - expected).abs() < 1e-6,
                    "line {number}: {pixel} {cover} {expected}"
                );
            }
        }
        assert!(seen > 200, "{seen}");
    }

    #[test]
    fn each_pixel_meets_its_strokes_in_their_order_however_many_lists_they_take() {
        // So many bands that a list of a few strokes is full.
        let height = 1 << 21;
        let lens = &lenses(1, height)[1];
        let line = [DVec3::new(0.0, -3.0, -1.0), DVec3::new(0.0, 3.0, -1.0)];
        let stroke = Stroke::new(lens, line, 1.0).unwrap();
        let strokes: Vec<(Stroke, u32)> = (1..=10).map(|number| (stroke, number)).collect();
        let bands = height as usize / BAND;
        assert!(Lists::new(&strokes, bands).count < strokes.len());
        let mut pixels = vec![0; height as usize];
        draw(&strokes, 1, &mut pixels, |(_, number), _, last| {
            assert_eq!(*last + 1, *number);
            *last = *number;
        });
        assert!(pixels.iter().all(|last| *last == 10));
    }
}
