//! How pictures look: what is drawn on top, how fine, how bright.

use std::str::FromStr;

use glam::Vec4;
use pleach::{NodeId, Scene, View};
use pleach_gltf::Document;
use pleach_render::{Exposure, Overlay, Overlays, Picture, Renderer, Settings};

use crate::input::resolve::scene;
use crate::input::values;

/// How a picture looks.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RenderArgs {
    /// Draw on top: wireframe, boxes, bvh, bones, axes, normals, ids
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    overlay: Vec<Overlay>,

    /// Rays for a pixel at an edge: 1, 4 or 16
    #[arg(long, value_name = "COUNT", default_value = "4", value_parser = samples)]
    samples: u32,

    /// The colour behind everything, linear: r,g,b, or `none` for a transparent one
    #[arg(long, value_name = "COLOUR", value_parser = background, allow_hyphen_values = true)]
    background: Option<Vec4>,

    /// What light is multiplied with [default: chosen by what there is]
    #[arg(long, value_name = "FACTOR", value_parser = factor, allow_negative_numbers = true)]
    exposure: Option<f32>,

    /// No shadows
    #[arg(long)]
    no_shadows: bool,

    /// How many threads; the picture is the same [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

fn samples(text: &str) -> Result<u32, String> {
    let count = u32::from_str(text).ok().filter(|count| [1, 4, 16].contains(count));
    count.ok_or_else(|| "1, 4 or 16 is expected".into())
}

fn background(text: &str) -> Result<Vec4, String> {
    if text == "none" {
        return Ok(Vec4::ZERO);
    }
    let color = values::vector(text).ok().filter(|color| color.min_element() >= 0.0);
    let color =
        color.ok_or("none, or three numbers from 0 on are expected, such as 0.1,0.1,0.15")?;
    Ok(color.extend(1.0))
}

fn factor(text: &str) -> Result<f32, String> {
    let factor = f32::from_str(text).ok().filter(|it| it.is_finite() && *it > 0.0);
    factor.ok_or_else(|| "a number above 0 is expected".into())
}

impl RenderArgs {
    pub(crate) fn renderer(&self) -> Renderer {
        let settings = Settings {
            samples: self.samples,
            threads: self.threads.map(|threads| threads as usize),
            shadows: !self.no_shadows,
            exposure: self.exposure.map_or(Exposure::Auto, Exposure::Fixed),
            background: self.background,
            ..Settings::default()
        };
        let decode =
            |image: &pleach::Image| pleach_gltf::decode(image).map_err(|error| error.to_string());
        Renderer::new().with_settings(settings).with_decoder(decode)
    }

    /// A picture of a scene of a file, with what is drawn on top.
    pub(crate) fn draw(
        &self,
        renderer: &mut Renderer,
        document: &Document,
        number: usize,
        view: &View,
    ) -> anyhow::Result<Picture> {
        let scene = scene(document, number)?;
        let label = |node| {
            let index = document.index_of(number, node).map_or("?".into(), |it| it.to_string());
            let name = scene.graph.get(node).and_then(|node| node.name()).unwrap_or_default();
            format!("#{index} {name}")
        };
        self.draw_scene(renderer, scene, view, Some(&label))
    }

    /// A picture of a scene; the labels of nodes are the scene's own, or as told.
    pub(crate) fn draw_scene(
        &self,
        renderer: &mut Renderer,
        scene: &Scene,
        view: &View,
        label: Option<&dyn Fn(NodeId) -> String>,
    ) -> anyhow::Result<Picture> {
        let mut picture = renderer.render(scene, view)?;
        let overlays = Overlays::new(&self.overlay);
        let overlays = label.map_or(overlays, |label| overlays.with_labels(label));
        pleach_render::draw_overlays(&mut picture, scene, view, overlays);
        Ok(picture)
    }
}
