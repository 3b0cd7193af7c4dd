//! `PictureRenderer`: renders on the CPU, or on a GPU.

use pleach::{Image, Scene, View};
use pleach_render::{Overlays, Picture, Renderer, Settings};

use crate::picture::gpu::GpuRenderer;

/// One of the two renderers.
pub(crate) enum PictureRenderer {
    Cpu(Box<Renderer>),
    Gpu(Box<GpuRenderer>),
}

impl PictureRenderer {
    /// Creates the renderer of the CPU.
    pub(crate) fn on_cpu(settings: Settings) -> Self {
        let decode = |image: &Image| pleach_gltf::decode(image).map_err(|error| error.to_string());
        Self::Cpu(Box::new(Renderer::new().with_settings(settings).with_decoder(decode)))
    }

    /// Creates the renderer of the best GPU there is.
    pub(crate) fn on_gpu(settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self::Gpu(Box::new(GpuRenderer::new(settings)?)))
    }

    /// Renders what a view sees, with overlays on top.
    pub(crate) fn render(
        &mut self,
        scene: &Scene,
        view: &View,
        overlays: Overlays<'_>,
    ) -> anyhow::Result<Picture> {
        match self {
            Self::Cpu(renderer) => {
                let mut picture = renderer.render(scene, view)?;
                pleach_render::with_threads(renderer.settings_mut().threads, || {
                    pleach_render::draw_overlays(&mut picture, scene, view, overlays);
                });
                Ok(picture)
            }
            Self::Gpu(renderer) => renderer.render(scene, view, overlays),
        }
    }

    /// Returns warnings about what could not be drawn.
    pub(crate) fn warnings(&self) -> &[String] {
        match self {
            Self::Cpu(renderer) => renderer.warnings(),
            Self::Gpu(renderer) => renderer.warnings(),
        }
    }
}
