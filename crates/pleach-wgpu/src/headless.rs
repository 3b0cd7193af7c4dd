//! `Headless`: renders a scene to an image, without a window.

use pleach::{Image, RenderList, Scene, View, Visible};
use pleach_shading::Exposure;

use crate::draw::targets::{check_size, texture};
use crate::error_scope::ErrorScopes;
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

/// The format of images.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

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
        [width, height]: [u32; 2],
    ) -> Result<RenderedImage, Error> {
        check_size(&self.device, [width, height])?;
        if width == 0 || height == 0 {
            return Ok(RenderedImage { width, height, pixels: Vec::new(), warnings: Vec::new() });
        }
        scene.cull(view, &mut self.visible);
        self.list.build(scene, &self.visible, view);
        let exposure = match self.renderer.options_mut().exposure {
            Exposure::Auto => self.measure_exposure(scene, view, [width, height])?,
            fixed @ Exposure::Fixed(_) => fixed.factor(&mut Vec::new()),
        };
        let scopes = ErrorScopes::push(&self.device);
        let submitted = self.submit(scene, view, [width, height], exposure);
        scopes.pop()?;
        let (readback, warnings) = submitted?;
        let bytes = readback.wait(&self.device)?;
        let pixels = bytes.as_chunks::<4>().0.to_vec();
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

    /// Draws the list and submits the commands.
    fn submit(
        &mut self,
        scene: &Scene,
        view: &View,
        [width, height]: [u32; 2],
        exposure: f32,
    ) -> Result<(Readback, Vec<Warning>), Error> {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let texture = texture(&self.device, "image", [width, height], FORMAT, 1, usage);
        let target = Target {
            view: &texture.create_view(&wgpu::TextureViewDescriptor::default()),
            format: FORMAT,
            size: [width, height],
        };
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let Self { renderer, list, .. } = self;
        let stats = renderer.draw_exposed(&mut encoder, scene, list, view, &target, exposure)?;
        let readback = Readback::record(&self.device, &mut encoder, &texture)?;
        self.queue.submit([encoder.finish()]);
        Ok((readback, stats.warnings))
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
