//! Renderers: scenes drawn on a canvas by pleach-wgpu, with WebGPU or WebGL2.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use pleach::{Frame, Image};
use pleach_wgpu::{Options, Renderer, Target};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;
use wgpu::CurrentSurfaceTexture as Current;

use super::slab::Slab;
use super::view::view;
use crate::fault::Fault;
use crate::host::{number, status};
use crate::tree::live;
use crate::worlds::edit;

/// A canvas, and what draws into it.
struct CanvasRenderer {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
    frame: Frame,
    is_webgpu: bool,
    /// The world whose changes the renderer follows.
    attached: Option<u32>,
    /// The number of instanced calls of the last picture.
    calls: usize,
    warnings: Vec<String>,
    /// The first error of the device that no call returned. The next picture reports it.
    late_error: LateError,
}

type LateError = Arc<Mutex<Option<String>>>;

thread_local! {
    static RENDERERS: RefCell<Slab<CanvasRenderer>> = const { RefCell::new(Slab::new()) };
}

fn gpu_fault(error: impl std::fmt::Display) -> Fault {
    Fault::new("gpu", error.to_string())
}

/// Creates a renderer for a canvas: with WebGPU where the browser has it, unless `webgl_only`, else with WebGL2.
#[wasm_bindgen]
pub async fn renderer_new(
    canvas: HtmlCanvasElement,
    webgl_only: bool,
    samples: u32,
) -> Result<u32, JsValue> {
    Ok(create(canvas, webgl_only, samples).await?)
}

async fn create(canvas: HtmlCanvasElement, webgl_only: bool, samples: u32) -> Result<u32, Fault> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = if webgl_only {
        wgpu::Backends::GL
    } else {
        wgpu::Backends::BROWSER_WEBGPU | wgpu::Backends::GL
    };
    let (width, height) = (canvas.width(), canvas.height());
    let instance = wgpu::util::new_instance_with_webgpu_detection(descriptor).await;
    let surface =
        instance.create_surface(wgpu::SurfaceTarget::Canvas(canvas)).map_err(gpu_fault)?;
    let request = wgpu::RequestAdapterOptions {
        compatible_surface: Some(&surface),
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&request).await.map_err(gpu_fault)?;
    let is_webgpu = adapter.get_info().backend == wgpu::Backend::BrowserWebGpu;
    let required_limits = if is_webgpu {
        adapter.limits()
    } else {
        wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits())
    };
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = adapter.request_device(&descriptor).await.map_err(gpu_fault)?;
    let late_error = LateError::default();
    let late = Arc::clone(&late_error);
    // Without a handler, such an error is a panic.
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        if let Ok(mut late) = late.lock() {
            late.get_or_insert_with(|| error.to_string());
        }
    }));
    check_size(&device, width, height)?;
    let config = surface
        .get_default_config(&adapter, width.max(1), height.max(1))
        .ok_or_else(|| gpu_fault("the browser cannot draw into this canvas"))?;
    surface.configure(&device, &config);
    let decode = |image: &Image| pleach_gltf::decode(image).map_err(|error| error.to_string());
    let options = Options { samples, ..Options::default() };
    let renderer = Renderer::with_decoder(&device, &queue, options, decode).map_err(gpu_fault)?;
    let frame = Frame::new();
    let canvas = CanvasRenderer {
        surface,
        config,
        device,
        queue,
        renderer,
        frame,
        is_webgpu,
        attached: None,
        calls: 0,
        warnings: Vec::new(),
        late_error,
    };
    Ok(RENDERERS.with_borrow_mut(|renderers| renderers.insert(canvas)))
}

/// Rejects a canvas that the device cannot draw into: configuring the surface with that size is a panic.
fn check_size(device: &wgpu::Device, width: u32, height: u32) -> Result<(), Fault> {
    let most = device.limits().max_texture_dimension_2d;
    if width <= most && height <= most {
        return Ok(());
    }
    Err(gpu_fault(format!(
        "the canvas is {width} × {height} pixels; this device draws at most {most} in each direction",
    )))
}

/// Frees a renderer.
#[wasm_bindgen]
pub fn renderer_free(renderer: u32) {
    RENDERERS.with_borrow_mut(|renderers| renderers.remove(renderer));
}

/// Returns a number of a renderer: 0 is 1 for WebGPU and 0 for WebGL2, 1 the instanced calls of the last picture.
#[wasm_bindgen]
pub fn renderer_number(renderer: u32, which: u32) -> f64 {
    number(RENDERERS.with_borrow(|renderers| {
        let renderer = renderers.get(renderer, "renderer")?;
        Ok(match which {
            0 => f64::from(u8::from(renderer.is_webgpu)),
            _ => renderer.calls as f64,
        })
    }))
}

/// Returns what was drawn with less than was asked for, one reduction per line.
#[wasm_bindgen]
pub fn renderer_warnings(renderer: u32) -> Result<String, JsValue> {
    Ok(RENDERERS.with_borrow(|renderers| {
        Ok::<_, Fault>(renderers.get(renderer, "renderer")?.warnings.join("\n"))
    })?)
}

/// Draws a world as a camera sees it, in a size in pixels: that of the canvas. Nothing is drawn without an area.
#[wasm_bindgen]
pub fn renderer_draw(
    renderer: u32,
    world: u32,
    slot: u32,
    generation: u32,
    width: u32,
    height: u32,
) -> u32 {
    if width == 0 || height == 0 {
        return 0;
    }
    status(RENDERERS.with_borrow_mut(|renderers| {
        let canvas = renderers.get_mut(renderer, "renderer")?;
        canvas.take_late_error()?;
        canvas.resize(width, height)?;
        canvas.draw(world, slot, generation)
    }))
}

impl CanvasRenderer {
    fn take_late_error(&self) -> Result<(), Fault> {
        let message = self.late_error.lock().ok().and_then(|mut late| late.take());
        message.map_or(Ok(()), |message| Err(gpu_fault(message)))
    }

    fn resize(&mut self, width: u32, height: u32) -> Result<(), Fault> {
        check_size(&self.device, width, height)?;
        if (self.config.width, self.config.height) != (width, height) {
            (self.config.width, self.config.height) = (width, height);
            self.surface.configure(&self.device, &self.config);
        }
        Ok(())
    }

    fn draw(&mut self, number: u32, slot: u32, generation: u32) -> Result<(), Fault> {
        let texture = match self.surface.get_current_texture() {
            Current::Success(texture) | Current::Suboptimal(texture) => texture,
            Current::Timeout | Current::Occluded => return Ok(()),
            // Outdated or lost: configured again, and drawn by the next call.
            _ => {
                self.surface.configure(&self.device, &self.config);
                return Ok(());
            }
        };
        let size = [self.config.width, self.config.height];
        let texture_view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &texture_view, format: self.config.format, size };
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        edit(number, |world| {
            let camera = live(slot, generation)?;
            if self.attached != Some(number) {
                self.renderer.attach(&mut world.scene);
                self.attached = Some(number);
            }
            world.scene.frame(camera, (size[0], size[1]), 0.0, &mut self.frame)?;
            let view = view(world, camera, size[0] as f32, size[1] as f32)?;
            let stats = self
                .renderer
                .draw(&mut encoder, &world.scene, &self.frame.list, &view, &target)
                .map_err(gpu_fault)?;
            self.calls = stats.calls;
            self.warnings.clear();
            self.warnings.extend(stats.warnings.iter().map(ToString::to_string));
            Ok(())
        })?;
        self.queue.submit([encoder.finish()]);
        self.queue.present(texture);
        Ok(())
    }
}
