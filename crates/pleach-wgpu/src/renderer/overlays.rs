//! Overlays on top of a picture: the id pass, if something may be occluded or is selected, then the lines
//! and the outline.

use pleach::{RenderList, Scene, View};

use super::Renderer;
use crate::Error;
use crate::draw::targets::check_size;
use crate::overlay::{OverlayRenderer, OverlayStats, OverlayTextures, Overlays};

impl Renderer {
    /// Records the commands that draw overlays on top of a picture, as of the scene's last
    /// [update](Scene::update). `list` is the render list of the view.
    ///
    /// Surfaces that the caller does not provide are drawn first, with one sample per pixel, if
    /// [`OverlayRenderer::needs_surfaces`]; otherwise as [`OverlayRenderer::draw`]. Labels are not drawn:
    /// see [`overlay`](crate::overlay).
    ///
    /// # Errors
    ///
    /// Those of [`draw`](Self::draw). The target is not changed then.
    pub fn draw_overlays(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        overlays: Overlays<'_>,
        textures: &OverlayTextures<'_>,
    ) -> Result<OverlayStats, Error> {
        let size = textures.size;
        if size.contains(&0) {
            return Ok(OverlayStats::default());
        }
        check_size(&self.gpu.device, size)?;
        let draws_surfaces =
            textures.surfaces.is_none() && OverlayRenderer::needs_surfaces(&overlays);
        self.checked(|it| {
            if draws_surfaces {
                it.scoped(|it| it.prepare_ids(encoder, scene, list, view, size))?;
                it.staging.check()?;
                it.scoped(|it| it.encode_ids(encoder, view).map(|_| ()))?;
            }
            let drawn = it.id_targets.as_ref().filter(|_| draws_surfaces);
            let surfaces = textures.surfaces.or(drawn.map(|targets| targets.surfaces()));
            let textures = OverlayTextures { surfaces, ..*textures };
            it.overlays.draw(encoder, scene, list, view, overlays, &textures)
        })
    }
}
