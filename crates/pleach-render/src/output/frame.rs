//! `Canvas`: the picture as it is being drawn, pixel by pixel.
//!
//! Bands of rows are the pieces of work that threads take. A pixel is a function of its place
//! alone, so it does not matter which thread draws it.

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use crate::light::background::Backdrop;
use crate::light::tone_mapping as tone;
use crate::trace::sampling::{Pixel, is_edge};
use crate::trace::tracer::{Buffers, Look, World};

/// Rows of the picture that are drawn in one go.
const BAND: usize = 4;

/// The picture as it is being drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Canvas<'a> {
    pub(crate) world: &'a World<'a>,
    backdrop: Backdrop,
    exposure: f32,
    pub(crate) width: usize,
    height: usize,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(
        world: &'a World<'a>,
        backdrop: Backdrop,
        exposure: f32,
        width: u32,
        height: u32,
    ) -> Self {
        Self { world, backdrop, exposure, width: width as usize, height: height as usize }
    }

    /// One ray through the middle of each pixel.
    pub(crate) fn look(&self) -> Vec<Pixel> {
        let mut pixels = vec![Pixel::EMPTY; self.width * self.height];
        let bands = pixels.par_chunks_mut(self.width * BAND).enumerate();
        bands.for_each_init(Buffers::default, |buffers, (band, pixels)| {
            // Along columns of the band, so that rays that follow one another are close.
            let rows = pixels.len() / self.width;
            for i in 0..pixels.len() {
                let (x, row) = (i / rows, i % rows);
                let y = band * BAND + row;
                pixels[row * self.width + x] = self.pixel(x, y, buffers);
            }
        });
        pixels
    }

    fn pixel(&self, x: usize, y: usize, buffers: &mut Buffers) -> Pixel {
        let at = Vec2::new(x as f32, y as f32) + 0.5;
        let Some(look) = self.glance(at, buffers) else {
            return Pixel { color: self.empty(y), ..Pixel::EMPTY };
        };
        let color = self.shown(&look, y);
        match look.first {
            None => Pixel { color, ..Pixel::EMPTY },
            Some(first) => Pixel {
                color,
                distance: first.distance,
                solid: look.solid,
                node: Some(first.node),
                part: first.part,
                instance: first.instance,
                normal: first.normal,
            },
        }
    }

    fn glance(&self, at: Vec2, buffers: &mut Buffers) -> Option<Look> {
        Some(self.world.look(&self.world.eye.glance(at)?, buffers))
    }

    /// Where something changes, the colour is the mean of several rays'.
    pub(crate) fn look_again(&self, pixels: &mut [Pixel], pattern: &[Vec2]) {
        if pattern.is_empty() {
            return;
        }
        let before = &*pixels;
        let bands = (0..self.height.div_ceil(BAND)).into_par_iter();
        let again = bands.map_init(Buffers::default, |buffers, band| {
            let top = band * BAND;
            let rows = BAND.min(self.height - top);
            let places = (0..rows * self.width).map(|i| (i / rows, top + i % rows));
            let edges = places.filter(|&(x, y)| is_edge(before, self.width, x, y));
            let color = |(x, y)| (y * self.width + x, self.mean(x, y, pattern, buffers));
            edges.map(color).collect()
        });
        // Afterwards, as the colours from before tell what changes.
        let again: Vec<Vec<(usize, Vec4)>> = again.collect();
        again.into_iter().flatten().for_each(|(place, color)| pixels[place].color = color);
    }

    fn mean(&self, x: usize, y: usize, pattern: &[Vec2], buffers: &mut Buffers) -> Vec4 {
        let corner = Vec2::new(x as f32, y as f32);
        let mut sum = Vec4::ZERO;
        for &place in pattern {
            let look = self.glance(corner + place, buffers);
            sum += look.map_or_else(|| self.empty(y), |look| self.shown(&look, y));
        }
        sum / pattern.len() as f32
    }

    /// What a ray sees as a colour, times alpha.
    fn shown(&self, look: &Look, y: usize) -> Vec4 {
        let back = self.behind(y);
        let through = (look.through.x + look.through.y + look.through.z) / 3.0;
        let light = tone::toned(look.light * self.exposure);
        let color = light + look.color + look.through * (back.truncate() * back.w);
        let color = color.clamp(Vec3::ZERO, Vec3::ONE);
        color.extend(1.0 - through * (1.0 - back.w))
    }

    fn empty(&self, y: usize) -> Vec4 {
        let back = self.behind(y);
        (back.truncate() * back.w).extend(back.w)
    }

    fn behind(&self, y: usize) -> Vec4 {
        self.backdrop.at((y as f32 + 0.5) / self.height as f32)
    }
}
