//! `GpuRenderer`: pictures by pleach-wgpu, with the options of the CPU renderer.
//!
//! Its twin without the feature `gpu` is `without_gpu.rs`.

use anyhow::bail;
use glam::Vec2;
use pleach::{Scene, View, Viewport};
use pleach_render::{Picture, Settings};
use pleach_wgpu::{Headless, IdImage, Options, Shadows};

/// A device, and what was uploaded to it.
pub(crate) struct GpuRenderer {
    headless: Headless,
    warnings: Vec<String>,
}

impl GpuRenderer {
    /// Requests a device: a real GPU before a software driver.
    pub(crate) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let options = Options {
            samples: settings.samples,
            shadows: if settings.shadows { Shadows::All } else { Shadows::Off },
            exposure: settings.exposure,
            tone_mapping: settings.tone_mapping,
            studio: settings.studio,
            background: settings.background,
            ..Options::default()
        };
        let headless = Headless::with_decoder(options, |image| {
            pleach_gltf::decode(image).map_err(|error| error.to_string())
        });
        let mut warnings = Vec::new();
        if settings.samples > 4 {
            warnings.push("a GPU has 4 samples per pixel at most; 4 are used".into());
        }
        Ok(Self { headless: pollster::block_on(headless)?, warnings })
    }

    /// Renders what a view sees. The distances of pixels are computed if requested.
    pub(crate) fn render(
        &mut self,
        scene: &Scene,
        view: &View,
        needs_distances: bool,
    ) -> anyhow::Result<Picture> {
        let Viewport::Pixels(width, height) = view.viewport else {
            bail!("the view has an aspect ratio but no size in pixels");
        };
        let image = self.headless.render(scene, view, [width, height])?;
        self.warnings.extend(image.warnings.iter().map(ToString::to_string));
        let ids = self.headless.render_ids(scene, view, [width, height])?;
        let mut picture = Picture::new(width, height, [0; 4]);
        picture.pixels = image.pixels;
        picture.nodes = ids.ids.iter().map(|id| id.map(|it| it.node)).collect();
        if needs_distances {
            picture.distances = distances(&ids, view);
        }
        Ok(picture)
    }

    /// Returns warnings about what is drawn with less than was asked for.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// Returns the distances along the rays through the centres of pixels, from depths along the view
/// direction.
fn distances(ids: &IdImage, view: &View) -> Vec<f32> {
    let pixels = (0..ids.height).flat_map(|y| (0..ids.width).map(move |x| (x, y)));
    let distance = |((x, y), &depth): ((u32, u32), &f32)| {
        if depth == f32::INFINITY {
            return depth;
        }
        let ray = view.ray_through_pixel(Vec2::new(x as f32, y as f32) + 0.5);
        ray.map_or(f32::INFINITY, |ray| {
            (depth - view.depth(ray.origin())) / ray.direction().dot(view.direction())
        })
    };
    pixels.zip(&ids.depths).map(distance).collect()
}
