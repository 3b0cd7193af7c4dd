//! `Headless`: renders a scene to an image, without a window.

use pleach::{Image, RenderList, Scene, View, Visible};
use pleach_shading::Exposure;

use crate::draw::targets::{check_size, texture};
use crate::error_scope::ErrorScopes;
use crate::overlay::{OverlayTextures, Overlays};
use crate::readback::row_sizes;
use crate::{Error, IdImage, Options, Readback, Renderer, Target, Warning};

/// A device, and a renderer for images.
#[derive(Debug)]
pub struct Headless {
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
    visible: Visible,
    list: RenderList,
}

/// A rendered image.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RenderedImage {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Red, green and blue in sRGB, and alpha, not premultiplied; row by row from the top.
    pub pixels: Vec<[u8; 4]>,
    /// The reductions that former images did not have, with their causes.
    pub warnings: Vec<Warning>,
}

/// The format of images: not an sRGB one, so that overlays are blended as on the CPU.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The images of one picture on their way from the GPU.
struct Submitted {
    picture: Readback,
    /// Premultiplied by alpha.
    overlays: Option<Readback>,
    warnings: Vec<Warning>,
}

impl Headless {
    /// Requests an adapter and a device, a real GPU before a software driver.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if there is none; those of [`Renderer::new`].
    pub async fn new(options: Options) -> Result<Self, Error> {
        let (device, queue) = request_device().await?;
        Self::with_device(device, queue, options)
    }

    /// Requests a device like [`new`](Self::new), and uses a function that decodes images (PNG, JPEG)
    /// into [`Rgba8`](pleach::ImageData::Rgba8), and images of environment maps (Radiance) into
    /// [`RgbF32`](pleach::ImageData::RgbF32). Without it, encoded images are ignored with a warning.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub async fn with_decoder(
        options: Options,
        decode: impl Fn(&Image) -> Result<Image, String> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let (device, queue) = request_device().await?;
        let options = Options { straight_alpha: true, ..options };
        let renderer = Renderer::with_decoder(&device, &queue, options, decode)?;
        Ok(Self::with_renderer(device, queue, renderer))
    }

    /// Uses a device and its queue.
    ///
    /// # Errors
    ///
    /// Those of [`Renderer::new`].
    pub fn with_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: Options,
    ) -> Result<Self, Error> {
        let options = Options { straight_alpha: true, ..options };
        let renderer = Renderer::new(&device, &queue, options)?;
        Ok(Self::with_renderer(device, queue, renderer))
    }

    /// Uses a renderer, and the device and queue that it was created with. Its
    /// [`straight_alpha`](Options::straight_alpha) decides about the alpha of images.
    #[must_use]
    pub fn with_renderer(device: wgpu::Device, queue: wgpu::Queue, renderer: Renderer) -> Self {
        Self { device, queue, renderer, visible: Visible::new(), list: RenderList::new() }
    }

    /// Returns the renderer.
    pub fn renderer_mut(&mut self) -> &mut Renderer {
        &mut self.renderer
    }

    /// Renders what a view sees, as of the scene's last [update](Scene::update), and waits for it.
    /// [`Exposure::Auto`] is measured first, in a small picture.
    ///
    /// # Errors
    ///
    /// Those of [`Renderer::draw`] and [`Readback::wait`].
    pub fn render(
        &mut self,
        scene: &Scene,
        view: &View,
        size: [u32; 2],
    ) -> Result<RenderedImage, Error> {
        self.render_with_overlays(scene, view, size, Overlays::new(&[]))
    }

    /// Renders like [`render`](Self::render), with overlays on top. Labels are not drawn: see
    /// [`overlay`](crate::overlay).
    ///
    /// # Errors
    ///
    /// Those of [`render`](Self::render) and [`Renderer::draw_overlays`].
    pub fn render_with_overlays<'a>(
        &mut self,
        scene: &Scene,
        view: &View,
        [width, height]: [u32; 2],
        overlays: impl Into<Overlays<'a>>,
    ) -> Result<RenderedImage, Error> {
        check_size(&self.device, [width, height])?;
        row_sizes(&self.device, FORMAT, [width, height])?;
        if width == 0 || height == 0 {
            return Ok(RenderedImage { width, height, pixels: Vec::new(), warnings: Vec::new() });
        }
        scene.cull(view, &mut self.visible);
        self.list.build(scene, &self.visible, view);
        let image = self.draw_list(scene, view, [width, height], overlays.into());
        if image.is_err() {
            // Commands that were recorded may not have been executed.
            self.renderer.forget();
        }
        image
    }

    /// Draws the list and waits for the image.
    fn draw_list(
        &mut self,
        scene: &Scene,
        view: &View,
        [width, height]: [u32; 2],
        overlays: Overlays<'_>,
    ) -> Result<RenderedImage, Error> {
        let exposure = match self.renderer.options_mut().exposure {
            Exposure::Auto => self.measure_exposure(scene, view, [width, height])?,
            fixed @ Exposure::Fixed(_) => fixed.factor(&mut Vec::new()),
        };
        let scopes = ErrorScopes::push(&self.device);
        let submitted = self.submit(scene, view, [width, height], exposure, overlays);
        scopes.pop()?;
        let Submitted { picture, overlays, warnings } = submitted?;
        let mut pixels = picture.wait(&self.device)?.as_chunks::<4>().0.to_vec();
        if let Some(overlays) = overlays {
            let overlays = overlays.wait(&self.device)?;
            for (pixel, overlay) in pixels.iter_mut().zip(overlays.as_chunks::<4>().0) {
                blend_over(pixel, *overlay);
            }
        }
        Ok(RenderedImage { width, height, pixels, warnings })
    }

    /// Returns the exposure of the list, measured in a small picture.
    fn measure_exposure(
        &mut self,
        scene: &Scene,
        view: &View,
        size: [u32; 2],
    ) -> Result<f32, Error> {
        let Self { device, queue, renderer, list, .. } = self;
        let scopes = ErrorScopes::push(device);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let readback = renderer.measure_light(&mut encoder, scene, list, view, size);
        if readback.is_ok() {
            queue.submit([encoder.finish()]);
        }
        scopes.pop()?;
        readback?.wait(device)
    }

    /// Draws the list and the overlays, and submits the commands.
    fn submit(
        &mut self,
        scene: &Scene,
        view: &View,
        size: [u32; 2],
        exposure: f32,
        overlays: Overlays<'_>,
    ) -> Result<Submitted, Error> {
        let Self { device, queue, renderer, list, .. } = self;
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let usage = attachment | wgpu::TextureUsages::TEXTURE_BINDING;
        let picture = texture(device, "image", size, FORMAT, 1, usage);
        let picture_view = picture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &picture_view, format: FORMAT, size };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let stats = renderer.draw_exposed(&mut encoder, scene, list, view, &target, exposure)?;
        let picture = Readback::record(device, &mut encoder, &picture)?;
        let overlays = match overlays.is_empty() {
            true => None,
            // A layer of their own: the picture is not premultiplied by alpha. It is empty at first.
            false => {
                let layer = texture(device, "overlays", size, FORMAT, 1, attachment);
                let textures = OverlayTextures {
                    target: &layer.create_view(&wgpu::TextureViewDescriptor::default()),
                    format: FORMAT,
                    size,
                    surfaces: None,
                    picture: Some(&picture_view),
                };
                renderer.draw_overlays(&mut encoder, scene, list, view, overlays, &textures)?;
                Some(Readback::record(device, &mut encoder, &layer)?)
            }
        };
        queue.submit([encoder.finish()]);
        Ok(Submitted { picture, overlays, warnings: stats.warnings })
    }

    /// Renders node, part, instance and depth of each pixel, and waits for them.
    ///
    /// # Errors
    ///
    /// Those of [`Renderer::draw_ids`] and [`Readback::wait`].
    pub fn render_ids(
        &mut self,
        scene: &Scene,
        view: &View,
        size: [u32; 2],
    ) -> Result<IdImage, Error> {
        scene.cull(view, &mut self.visible);
        self.list.build(scene, &self.visible, view);
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let readback = self.renderer.draw_ids(&mut encoder, scene, &self.list, view, size)?;
        self.queue.submit([encoder.finish()]);
        readback.wait(&self.device)
    }
}

/// Blends a colour that is premultiplied by alpha over a pixel that is not.
fn blend_over(pixel: &mut [u8; 4], [red, green, blue, alpha]: [u8; 4]) {
    if alpha == 0 {
        return;
    }
    // Alphas in units of 1 / 255².
    let below = u32::from(pixel[3]) * (255 - u32::from(alpha));
    let sum = u32::from(alpha) * 255 + below;
    for (channel, top) in pixel.iter_mut().zip([red, green, blue]) {
        let color = u32::from(top) * 255 * 255 + u32::from(*channel) * below;
        *channel = ((color + sum / 2) / sum).min(255) as u8;
    }
    pixel[3] = ((sum + 127) / 255) as u8;
}

/// Requests a device with all limits of its adapter, a real GPU before a software driver.
async fn request_device() -> Result<(wgpu::Device, wgpu::Queue), Error> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let instance = wgpu::Instance::new(descriptor);
    let request = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&request).await;
    let adapter = adapter.map_err(|error| Error::NoDevice(error.to_string()))?;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("pleach"),
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let device = adapter.request_device(&descriptor).await;
    device.map_err(|error| Error::NoDevice(error.to_string()))
}

/// Renders one image on the best adapter there is, and waits for it. A program that renders several
/// uses [`Headless`], which keeps device, pipelines and uploads.
///
/// # Errors
///
/// Those of [`Headless::new`] and [`Headless::render`].
pub async fn render_image(
    scene: &Scene,
    view: &View,
    size: [u32; 2],
    options: Options,
) -> Result<RenderedImage, Error> {
    Headless::new(options).await?.render(scene, view, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_over_a_pixel_is_the_mean_weighted_by_alpha() {
        let over = |mut pixel, overlay| {
            blend_over(&mut pixel, overlay);
            pixel
        };
        assert_eq!(over([9, 9, 9, 255], [0; 4]), [9, 9, 9, 255]);
        assert_eq!(over([9, 9, 9, 255], [200, 100, 0, 255]), [200, 100, 0, 255]);
        assert_eq!(over([0, 0, 100, 255], [40, 20, 0, 51]), [40, 20, 80, 255]);
        assert_eq!(over([9, 9, 9, 0], [40, 20, 0, 51]), [200, 100, 0, 51], "on nothing");
        assert_eq!(over([255, 255, 255, 255], [255, 255, 255, 77]), [255; 4]);
    }
}
