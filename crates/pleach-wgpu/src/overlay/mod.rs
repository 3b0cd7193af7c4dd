//! Overlays: the lines and the outline of [`pleach_shading::overlay`] on top of a picture.
//!
//! Reads the scene, the view and its render list, node and depth of each pixel (only if something may
//! be occluded or is selected) and the picture without overlays (only for colours that contrast with
//! it); writes the caller's target. `line_buffer.rs` holds the lines and `selection_texture.rs` the
//! selected slots on the GPU, `passes.rs` the pipelines.
//!
//! Guarantees: the same on both tiers; lines and selection are uploaded only if they changed; at most
//! half a million lines per overlay are drawn, from the nearest mesh on; nothing is submitted.
//!
//! Labels ([`Overlay::Ids`]) are not drawn: text is the caller's, at the positions of
//! [`labels`](pleach_shading::overlay::labels).

mod line_buffer;
mod passes;
mod selection_texture;

pub use pleach_shading::overlay::{Overlay, Overlays};

use pleach::{RenderList, Scene, View};
use pleach_shading::overlay::{OverlayGenerator, Selection};

use crate::draw::targets::color_attachment;
use crate::error_scope::ErrorScopes;
use crate::upload::staging::{Recorder, Staging};
use crate::{Error, Gpu};
use line_buffer::LineBuffer;
use passes::{OverlayPass, OverlayPasses, PictureGroups};
use selection_texture::SelectionTexture;

/// The textures of a picture with overlays. All have its size.
#[derive(Clone, Copy, Debug)]
pub struct OverlayTextures<'a> {
    /// The target, which contains the picture. Colours are blended over it, premultiplied by alpha.
    pub target: &'a wgpu::TextureView,
    /// The format of the target. The hardware encodes and blends linear light if it is an sRGB one.
    pub format: wgpu::TextureFormat,
    /// The width and height in pixels.
    pub size: [u32; 2],
    /// The surface of each pixel. Without it nothing is occluded or outlined.
    pub surfaces: Option<SurfaceTextures<'a>>,
    /// A copy of the picture that the shader can read, with colours in sRGB, not premultiplied by
    /// alpha, in a format like `Rgba8Unorm`. Without it, lines that contrast with the picture are
    /// those for a light picture.
    pub picture: Option<&'a wgpu::TextureView>,
}

/// Node and depth of each pixel.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceTextures<'a> {
    /// In the red channel of a format like `Rgba32Uint` the slot of the node plus 1, or 0 where
    /// nothing is shown.
    pub ids: &'a wgpu::TextureView,
    /// In the format `R32Uint` the bits of the depth along the view direction, as [`View::depth`]
    /// returns it.
    pub depths: &'a wgpu::TextureView,
}

/// The cost of overlays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverlayStats {
    /// The number of lines drawn.
    pub lines: u32,
    /// The bytes of lines and of the selection that were uploaded: 0 if nothing changed.
    pub uploaded_bytes: u64,
}

/// Draws overlays on top of pictures, keeping their lines on the GPU from one picture to the next.
///
/// [`Renderer::draw_overlays`](crate::Renderer::draw_overlays) draws the nodes and depths of pixels as
/// well; this type takes them from the caller's textures.
#[derive(Debug)]
pub struct OverlayRenderer {
    gpu: Gpu,
    staging: Staging,
    generator: OverlayGenerator,
    lines: LineBuffer,
    selection: SelectionTexture,
    /// Created by the first picture with overlays.
    passes: Option<OverlayPasses>,
}

/// The bindings of a picture that has overlays.
struct PreparedPicture {
    groups: PictureGroups,
    is_outlined: bool,
}

impl OverlayRenderer {
    /// Creates a renderer of overlays. The device is not used yet.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            staging: Staging::default(),
            generator: OverlayGenerator::new(),
            lines: LineBuffer::default(),
            selection: SelectionTexture::default(),
            passes: None,
        }
    }

    /// Returns `true` if overlays use [`OverlayTextures::surfaces`].
    #[must_use]
    pub fn needs_surfaces(overlays: &Overlays<'_>) -> bool {
        let occluded =
            [Overlay::Grid, Overlay::Wireframe, Overlay::Normals, Overlay::Boxes, Overlay::Bvh];
        !overlays.selection().is_empty() || occluded.into_iter().any(|it| overlays.contains(it))
    }

    /// Returns `true` if overlays use [`OverlayTextures::picture`].
    #[must_use]
    pub fn needs_picture(overlays: &Overlays<'_>) -> bool {
        overlays.contains(Overlay::Grid) || overlays.contains(Overlay::Wireframe)
    }

    /// Records the commands that draw overlays, as of the scene's last [update](Scene::update), in
    /// the order of [`Overlay::ALL`] and the outline at last. `list` is the render list of the view.
    ///
    /// The lines are generated for each picture, which takes O(vertices + edges) of the meshes in view
    /// for wireframe and normals. The encoder must be submitted, and before commands of later calls.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not support a buffer for all lines, or a texture for
    /// all slots; [`Error::OutOfMemory`] and [`Error::Device`] if the device refuses a resource, such
    /// as after it was lost. Nothing is drawn then.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &Scene,
        list: &RenderList,
        view: &View,
        overlays: Overlays<'_>,
        textures: &OverlayTextures<'_>,
    ) -> Result<OverlayStats, Error> {
        let mut stats = OverlayStats::default();
        if textures.size.contains(&0) {
            return Ok(stats);
        }
        self.lines.begin();
        for overlay in Overlay::ALL.into_iter().filter(|it| overlays.contains(*it)) {
            let sink = &mut self.lines.collector(textures.size[1]);
            self.generator.generate(scene, view, list, overlay, sink);
        }
        let selection = Selection::new(&scene.graph, overlays.selection());
        let scopes = ErrorScopes::push(&self.gpu.device);
        let prepared = self.prepare(encoder, view, selection, textures, &mut stats);
        let prepared = scopes.pop().and(self.staging.check()).and(prepared);
        match prepared {
            Ok(Some(picture)) => self.encode(encoder, textures, &picture),
            Ok(None) => {}
            Err(error) => {
                // Resources that were created before the error may be invalid.
                *self = Self::new(&self.gpu);
                return Err(error);
            }
        }
        Ok(stats)
    }

    /// Uploads what changed and creates what the pass needs. `None` if there is nothing to draw.
    fn prepare(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        view: &View,
        selection: Selection,
        textures: &OverlayTextures<'_>,
        stats: &mut OverlayStats,
    ) -> Result<Option<PreparedPicture>, Error> {
        let Self { gpu, staging, .. } = self;
        let mut recorder = Recorder { gpu, encoder, staging, scatter: None };
        let is_outlined = !selection.is_empty() && textures.surfaces.is_some();
        stats.uploaded_bytes = self.lines.upload(&mut recorder)?;
        if is_outlined {
            stats.uploaded_bytes += self.selection.upload(&mut recorder, selection)?;
        }
        stats.lines = self.lines.len();
        let picture = (stats.lines > 0 || is_outlined).then(|| {
            let passes = self.passes.get_or_insert_with(|| OverlayPasses::new(&gpu.device));
            passes.prepare(&mut recorder, view, textures);
            let groups = passes.bind_groups(&gpu.device, textures, self.selection.view());
            PreparedPicture { groups, is_outlined }
        });
        recorder.flush();
        Ok(picture)
    }

    fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        textures: &OverlayTextures<'_>,
        picture: &PreparedPicture,
    ) {
        let Some(passes) = &self.passes else { return };
        let pipeline = |pass| passes.pipeline(pass, textures.format);
        let PictureGroups { lines, target } = &picture.groups;
        for (buffer, batch) in self.lines.batches() {
            let (Some(layer), Some(draw_lines)) = (passes.layer(), pipeline(OverlayPass::Lines))
            else {
                return;
            };
            let mut pass = begin(encoder, layer, true);
            pass.set_bind_group(0, lines, &[]);
            pass.set_pipeline(draw_lines);
            pass.set_vertex_buffer(0, Some(buffer.slice(..)));
            pass.draw(0..4, batch);
            drop(pass);
            draw_triangle(encoder, textures.target, pipeline(OverlayPass::Layer), target);
        }
        if picture.is_outlined {
            draw_triangle(encoder, textures.target, pipeline(OverlayPass::Outline), target);
        }
    }
}

/// Begins a pass over a view, which is cleared or kept.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &'a wgpu::TextureView,
    clear: bool,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("overlays"),
        color_attachments: &[Some(color_attachment(view, None, clear))],
        ..wgpu::RenderPassDescriptor::default()
    })
}

/// Draws one triangle that covers a target.
fn draw_triangle(
    encoder: &mut wgpu::CommandEncoder,
    target: &wgpu::TextureView,
    pipeline: Option<&wgpu::RenderPipeline>,
    group: &wgpu::BindGroup,
) {
    let Some(pipeline) = pipeline else { return };
    let mut pass = begin(encoder, target, false);
    pass.set_bind_group(0, group, &[]);
    pass.set_pipeline(pipeline);
    pass.draw(0..3, 0..1);
}
