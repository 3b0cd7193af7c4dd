//! Labels: text on a dark background, entirely inside the picture, without overlaps.
//!
//! A label that would overlap another moves up or down, or is omitted.

use glam::DVec2;
use pleach_shading::overlay::Color;

use super::coverage_mask::blend_over;
use super::font::{self, glyph};

const BACKGROUND: Color = [0, 0, 0];
const BACKGROUND_ALPHA: u8 = 170;

/// The distance between letters, and between letters and the edge, in dots.
const GAP: usize = 1;
const PADDING: usize = 2;

/// The maximum number of letters of a label.
const MAX_LETTERS: usize = 40;

/// The vertical offsets that are tried, in label heights.
const OFFSETS: [isize; 7] = [0, -1, 1, -2, 2, -3, 3];

/// A picture with labels.
#[derive(Debug)]
pub(super) struct Labels<'a> {
    width: usize,
    height: usize,
    pixels: &'a mut [[u8; 4]],
    /// The size of a font dot in pixels.
    dot: usize,
    /// The cells that labels occupy; by row, then column of square cells.
    occupied: Vec<bool>,
}

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug)]
struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl<'a> Labels<'a> {
    pub(super) fn new(size: DVec2, pixels: &'a mut [[u8; 4]]) -> Self {
        let (width, height) = (size.x as usize, size.y as usize);
        let mut labels =
            Self { width, height, pixels, dot: height.div_ceil(900).max(1), occupied: Vec::new() };
        labels.occupied = vec![false; labels.columns() * height.div_ceil(labels.cell())];
        labels
    }

    /// Draws a label centred on a pixel position, if there is room.
    pub(super) fn draw(&mut self, center: DVec2, text: &str, color: Color) {
        let mut letters: Vec<char> = text.chars().take(MAX_LETTERS + 1).collect();
        if letters.len() > MAX_LETTERS {
            letters.truncate(MAX_LETTERS - 2);
            letters.extend(['.', '.']);
        }
        if letters.is_empty() {
            return;
        }
        let width = letters.len() * (font::WIDTH + GAP) - GAP + 2 * PADDING;
        let (width, height) = (width * self.dot, (font::HEIGHT + 2 * PADDING) * self.dot);
        let free_area = OFFSETS.into_iter().find_map(|step| {
            let x = center.x as isize - width as isize / 2;
            let y = center.y as isize - height as isize / 2 + step * height as isize;
            let area = Area {
                x: x.clamp(0, self.width.saturating_sub(width) as isize) as usize,
                y: y.clamp(0, self.height.saturating_sub(height) as isize) as usize,
                width,
                height,
            };
            self.cells(area).all(|cell| !self.occupied[cell]).then_some(area)
        });
        if let Some(area) = free_area {
            let cells: Vec<usize> = self.cells(area).collect();
            cells.into_iter().for_each(|cell| self.occupied[cell] = true);
            self.fill(area, BACKGROUND, BACKGROUND_ALPHA);
            self.letters(area, &letters, color);
        }
    }

    fn letters(&mut self, area: Area, letters: &[char], color: Color) {
        let dot = self.dot;
        for (index, &letter) in letters.iter().enumerate() {
            let left = area.x + (PADDING + index * (font::WIDTH + GAP)) * dot;
            for (row, bits) in glyph(letter).into_iter().enumerate() {
                for column in (0..font::WIDTH).filter(|it| bits >> (font::WIDTH - 1 - it) & 1 == 1)
                {
                    let (x, y) = (left + column * dot, area.y + (PADDING + row) * dot);
                    self.fill(Area { x, y, width: dot, height: dot }, color, 255);
                }
            }
        }
    }

    fn fill(&mut self, area: Area, color: Color, alpha: u8) {
        for y in area.y..(area.y + area.height).min(self.height) {
            for x in area.x..(area.x + area.width).min(self.width) {
                blend_over(&mut self.pixels[y * self.width + x], color, alpha);
            }
        }
    }

    /// Returns the size of a cell in pixels: small compared with a label.
    fn cell(&self) -> usize {
        4 * self.dot
    }

    fn columns(&self) -> usize {
        self.width.div_ceil(self.cell())
    }

    /// Returns the cells of a rectangle, clipped to the picture.
    fn cells(&self, area: Area) -> impl Iterator<Item = usize> + use<> {
        let (cell, columns) = (self.cell(), self.columns());
        let range = |from: usize, length: usize, end: usize| {
            from / cell..(from + length).min(end).div_ceil(cell)
        };
        let across = range(area.x, area.width, self.width);
        let down = range(area.y, area.height, self.height);
        down.flat_map(move |y| across.clone().map(move |x| y * columns + x))
    }
}
