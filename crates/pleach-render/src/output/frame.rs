//! `Frame`: the passes over the pixels of a picture.
//!
//! Threads work on bands of rows. A pixel is a function of its position only, so it does not matter
//! which thread computes it.

use glam::{Vec2, Vec3, Vec4};
use pleach_shading::Backdrop;

use crate::threads;
use crate::trace::sampling::{Pixel, is_edge};
use crate::trace::tracer::{Buffers, RayResult, Tracer};

/// The rows of a band.
const BAND_ROWS: usize = 4;

/// A picture that is being rendered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) tracer: &'a Tracer<'a>,
    pub(crate) backdrop: Backdrop,
    pub(crate) exposure: f32,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Frame<'_> {
    /// Traces one ray through the centre of each pixel.
    pub(crate) fn trace_pixels(&self) -> Vec<Pixel> {
        let mut pixels = vec![Pixel::EMPTY; self.width * self.height];
        let band = self.width * BAND_ROWS;
        threads::for_each_chunk(&mut pixels, band, Buffers::default, |buffers, band, pixels| {
            // Column by column within the band: consecutive rays are close to each other.
            let rows = pixels.len() / self.width;
            for i in 0..pixels.len() {
                let (x, row) = (i / rows, i % rows);
                let y = band * BAND_ROWS + row;
                pixels[row * self.width + x] = self.pixel(x, y, buffers);
            }
        });
        pixels
    }

    fn pixel(&self, x: usize, y: usize, buffers: &mut Buffers) -> Pixel {
        let at = Vec2::new(x as f32, y as f32) + 0.5;
        let Some(result) = self.trace_at(at, buffers) else {
            return Pixel { color: self.background_color(at), ..Pixel::EMPTY };
        };
        let color = self.composite(&result, at);
        match result.first_hit {
            None => Pixel { color, ..Pixel::EMPTY },
            Some(first_hit) => Pixel {
                color,
                distance: first_hit.distance,
                opaque_distance: result.opaque_distance,
                node: Some(first_hit.node),
                part: first_hit.part,
                instance: first_hit.instance,
                normal: first_hit.normal,
            },
        }
    }

    fn trace_at(&self, at: Vec2, buffers: &mut Buffers) -> Option<RayResult> {
        Some(self.tracer.trace(&self.tracer.camera.primary_ray(at)?, buffers))
    }

    /// Replaces the colour of pixels at edges by the mean of several rays.
    pub(crate) fn supersample_edges(&self, pixels: &mut [Pixel], pattern: &[Vec2]) {
        if pattern.is_empty() {
            return;
        }
        let before = &*pixels;
        let bands = self.height.div_ceil(BAND_ROWS);
        let resampled = threads::map_init(bands, Buffers::default, |buffers, band| {
            let top = band * BAND_ROWS;
            let rows = BAND_ROWS.min(self.height - top);
            let positions = (0..rows * self.width).map(|i| (i / rows, top + i % rows));
            let edges = positions.filter(|&(x, y)| is_edge(before, self.width, x, y));
            let color = |(x, y)| (y * self.width + x, self.average_samples(x, y, pattern, buffers));
            edges.map(color).collect::<Vec<(usize, Vec4)>>()
        });
        // Written afterwards: edge detection reads the colours of the first pass.
        resampled.into_iter().flatten().for_each(|(index, color)| pixels[index].color = color);
    }

    fn average_samples(&self, x: usize, y: usize, pattern: &[Vec2], buffers: &mut Buffers) -> Vec4 {
        let corner = Vec2::new(x as f32, y as f32);
        let mut sum = Vec4::ZERO;
        for &position in pattern {
            let at = corner + position;
            let result = self.trace_at(at, buffers);
            sum += result
                .map_or_else(|| self.background_color(at), |result| self.composite(&result, at));
        }
        sum / pattern.len() as f32
    }

    /// Tone-maps the light of a ray and composites it over the background; premultiplied by alpha.
    fn composite(&self, result: &RayResult, at: Vec2) -> Vec4 {
        let background = self.background_color(at);
        if result.first_hit.is_none() {
            return background;
        }
        let transmittance =
            (result.transmittance.x + result.transmittance.y + result.transmittance.z) / 3.0;
        let light = self.tracer.tone_mapping.apply(result.light * self.exposure);
        let color = light + result.color + result.transmittance * background.truncate();
        let alpha = 1.0 - transmittance * (1.0 - background.w) - result.clear;
        color.clamp(Vec3::ZERO, Vec3::ONE).extend(alpha.clamp(0.0, 1.0))
    }

    /// Returns the colour of the background, premultiplied by alpha.
    fn background_color(&self, at: Vec2) -> Vec4 {
        match self.backdrop {
            Backdrop::Gradient(gradient) => {
                // Equal within a row of pixels and their samples.
                let color = gradient.at((at.y.floor() + 0.5) / self.height as f32);
                (color.truncate() * color.w).extend(color.w)
            }
            Backdrop::EnvironmentMap { blur } => {
                let ray = self.tracer.camera.view.ray_through_pixel(at);
                let environment = &self.tracer.lighting.environment;
                let light = ray.map(|ray| environment.background(ray.direction(), blur));
                let light = light.unwrap_or_default() * self.exposure;
                self.tracer.tone_mapping.apply(light).extend(1.0)
            }
        }
    }
}
