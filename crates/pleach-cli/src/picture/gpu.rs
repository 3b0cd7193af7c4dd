//! `GpuRenderer`: pictures by pleach-wgpu, with the options of the CPU renderer.
//!
//! Its twin without the feature `gpu` is `without_gpu.rs`.

use anyhow::bail;
use pleach::{Scene, View, Viewport};
use pleach_render::{Overlay, Overlays, Picture, Settings};
use pleach_wgpu::{Headless, Options, Shadows};

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

    /// Renders what a view sees, with overlays on top: lines and outlines on the GPU, and labels,
    /// which it does not draw, on the CPU.
    pub(crate) fn render(
        &mut self,
        scene: &Scene,
        view: &View,
        overlays: Overlays<'_>,
    ) -> anyhow::Result<Picture> {
        let Viewport::Pixels(width, height) = view.viewport else {
            bail!("the view has an aspect ratio but no size in pixels");
        };
        let size = [width, height];
        let image = self.headless.render_with_overlays(scene, view, size, overlays)?;
        self.warnings.extend(image.warnings.iter().map(ToString::to_string));
        let ids = self.headless.render_ids(scene, view, size)?;
        let mut picture = Picture::new(width, height, [0; 4]);
        picture.pixels = image.pixels;
        picture.nodes = ids.ids.iter().map(|id| id.map(|it| it.node)).collect();
        if overlays.contains(Overlay::Ids) {
            let labels = Overlays::new(&[Overlay::Ids]);
            let labels = overlays.label().map_or(labels, |label| labels.with_labels(label));
            pleach_render::draw_overlays(&mut picture, scene, view, labels);
        }
        Ok(picture)
    }

    /// Returns warnings about what is drawn with less than was asked for.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
