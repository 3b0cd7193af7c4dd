//! Render options: overlays, samples, environment, background, exposure, shadows, threads, GPU.

use std::path::Path;
use std::str::FromStr;

use glam::Vec4;
use pleach::{NodeId, Scene, View};
use pleach_gltf::{Document, Options};
use pleach_render::{Exposure, Overlay, Overlays, Picture, Settings};

use crate::input::open::open_with;
use crate::input::resolve::scene;
use crate::input::values;
use crate::picture::environment::EnvironmentArg;
use crate::picture::picture_renderer::PictureRenderer;

/// The render options.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RenderArgs {
    /// Draw overlays: grid, wireframe, boxes, bvh, joints, axes, normals, ids
    #[arg(long, value_name = "OVERLAY", value_delimiter = ',')]
    overlay: Vec<Overlay>,

    /// Samples per pixel at edges: 1, 4 or 16
    #[arg(long, value_name = "COUNT", default_value = "4", value_parser = samples)]
    samples: u32,

    /// Light the scene with an equirectangular .hdr file, or with `studio`
    #[arg(long, value_name = "FILE")]
    environment: Option<EnvironmentArg>,

    /// The background colour, linear r,g,b, or `none` for a transparent background
    #[arg(long, value_name = "COLOUR", value_parser = background, allow_hyphen_values = true)]
    background: Option<Vec4>,

    /// The exposure factor [default: from the lights of the scene]
    #[arg(long, value_name = "FACTOR", value_parser = factor, allow_negative_numbers = true)]
    exposure: Option<f32>,

    /// Render without shadows
    #[arg(long)]
    no_shadows: bool,

    /// Render on the GPU, if the program was built with the feature `gpu`
    #[arg(long)]
    gpu: bool,

    /// The number of threads; it does not change the picture [default: all cores]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

fn samples(text: &str) -> Result<u32, String> {
    let count = u32::from_str(text).ok().filter(|count| [1, 4, 16].contains(count));
    count.ok_or_else(|| "expected 1, 4 or 16".into())
}

fn background(text: &str) -> Result<Vec4, String> {
    if text == "none" {
        return Ok(Vec4::ZERO);
    }
    let color = values::vector(text).ok().filter(|color| color.min_element() >= 0.0);
    let color = color.ok_or("expected none or three non-negative numbers, such as 0.1,0.1,0.15")?;
    Ok(color.extend(1.0))
}

fn factor(text: &str) -> Result<f32, String> {
    let factor = f32::from_str(text).ok().filter(|it| it.is_finite() && *it > 0.0);
    factor.ok_or_else(|| "expected a number greater than 0".into())
}

impl RenderArgs {
    /// Loads a model on the requested number of threads, with the requested environment map.
    pub(crate) fn open(&self, path: &Path) -> anyhow::Result<Document> {
        let mut document = open_with(path, Options::new().with_threads(self.threads()))?;
        if let Some(environment) = &self.environment {
            environment.apply(document.scenes_mut())?;
        }
        Ok(document)
    }

    /// Sets the environment map of a scene that was built in code, if one was requested.
    pub(crate) fn set_environment(&self, scene: &mut Scene) -> anyhow::Result<()> {
        self.environment.as_ref().map_or(Ok(()), |environment| environment.apply([scene]))
    }

    /// Returns the number of threads: 0, for one per core, if none was given.
    fn threads(&self) -> usize {
        self.threads.map_or(0, |threads| threads as usize)
    }

    /// Returns `true` if pictures are rendered on the GPU.
    pub(crate) fn uses_gpu(&self) -> bool {
        self.gpu
    }

    pub(crate) fn renderer(&self) -> anyhow::Result<PictureRenderer> {
        let settings = Settings {
            samples: self.samples,
            threads: Some(self.threads()),
            shadows: !self.no_shadows,
            exposure: self.exposure.map_or(Exposure::Auto, Exposure::Fixed),
            background: self.background,
            ..Settings::default()
        };
        match self.gpu {
            true => PictureRenderer::on_gpu(&settings),
            false => Ok(PictureRenderer::on_cpu(settings)),
        }
    }

    /// Renders a scene of a file with overlays and the outline of `selection`, labelling nodes by
    /// the file's indices.
    pub(crate) fn draw(
        &self,
        renderer: &mut PictureRenderer,
        document: &Document,
        number: usize,
        view: &View,
        selection: &[NodeId],
    ) -> anyhow::Result<Picture> {
        let scene = scene(document, number)?;
        let label = |node| {
            let index = document.index_of(number, node).map_or("?".into(), |it| it.to_string());
            let name = scene.graph.get(node).and_then(|node| node.name()).unwrap_or_default();
            format!("#{index} {name}")
        };
        let overlays = Overlays::new(&self.overlay).with_selection(selection).with_labels(&label);
        renderer.render(scene, view, overlays)
    }

    /// Renders a scene with overlays and the scene's own labels of nodes.
    pub(crate) fn draw_scene(
        &self,
        renderer: &mut PictureRenderer,
        scene: &Scene,
        view: &View,
    ) -> anyhow::Result<Picture> {
        renderer.render(scene, view, Overlays::new(&self.overlay))
    }
}
