//! Shows a glTF file in a window: `cargo run -p pleach-wgpu --example orbit -- MODEL.glb`.
//!
//! Drag to orbit, turn the wheel to approach. A window without pixels is not drawn; a surface that is
//! outdated or lost is configured or created again.

use std::error::Error;
use std::sync::Arc;

use pleach::glam::{Vec2, Vec3};
use pleach::{Camera, Frame, Node, NodeId, Scene, Transform};
use pleach_wgpu::{Options, Renderer, Target};
use wgpu::CurrentSurfaceTexture as Current;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::{Window, WindowId};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: orbit MODEL.glb")?;
    let mut scene = pleach_gltf::load(path)?.into_scene();
    scene.update()?;
    let bounds = scene.spatial.bounds();
    let (center, radius) = match bounds.is_empty() {
        true => (Vec3::ZERO, 1.0),
        false => (bounds.center(), bounds.half_extents().length().max(1e-3)),
    };
    let camera = scene.spawn(Node::camera(Camera::perspective(0.7)))?;
    let orbit = Orbit { center, distance: 2.5 * radius, yaw: 0.5, pitch: 0.4 };
    let mut viewer = Viewer { scene, camera, orbit, frame: Frame::new(), drag: None, output: None };
    Ok(EventLoop::new()?.run_app(&mut viewer)?)
}

/// A camera that looks at a point.
struct Orbit {
    center: Vec3,
    distance: f32,
    /// In radians.
    yaw: f32,
    pitch: f32,
}

impl Orbit {
    fn transform(&self) -> Transform {
        let (yaw, pitch) = (self.yaw, self.pitch.clamp(-1.5, 1.5));
        let level = Vec3::new(yaw.sin(), -yaw.cos(), 0.0) * pitch.cos();
        let eye = self.center + (level + Vec3::Z * pitch.sin()) * self.distance;
        Transform::from_translation(eye).looking_at(self.center, Vec3::Z)
    }
}

struct Viewer {
    scene: Scene,
    camera: NodeId,
    orbit: Orbit,
    frame: Frame,
    /// The position of the mouse while a button is pressed, once it moved.
    drag: Option<Option<Vec2>>,
    output: Option<Output>,
}

/// The window, and what draws into it.
struct Output {
    window: Arc<Window>,
    instance: wgpu::Instance,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
}

impl Output {
    fn new(events: &ActiveEventLoop) -> Result<Self, Box<dyn Error>> {
        let attributes = Window::default_attributes().with_title("orbit");
        let window = Arc::new(events.create_window(attributes)?);
        let display = Box::new(events.owned_display_handle());
        let descriptor = wgpu::InstanceDescriptor::new_with_display_handle_from_env(display);
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(Arc::clone(&window))?;
        let request = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&request))?;
        let required_limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let PhysicalSize { width, height } = window.inner_size();
        let config = surface.get_default_config(&adapter, width.max(1), height.max(1));
        let config = config.ok_or("the adapter cannot draw into this window")?;
        surface.configure(&device, &config);
        let decode = |image: &_| pleach_gltf::decode(image).map_err(|error| error.to_string());
        let renderer = Renderer::with_decoder(&device, &queue, Options::default(), decode)?;
        Ok(Self { window, instance, surface, config, device, queue, renderer })
    }

    /// Follows the size of the window. It may be zero, such as that of a minimized one.
    fn resize(&mut self, size: PhysicalSize<u32>) {
        (self.config.width, self.config.height) = (size.width, size.height);
        if size.width > 0 && size.height > 0 {
            self.surface.configure(&self.device, &self.config);
        }
    }

    fn draw(
        &mut self,
        scene: &mut Scene,
        (camera, orbit): (NodeId, &Orbit),
        frame: &mut Frame,
    ) -> Result<(), Box<dyn Error>> {
        let size = [self.config.width, self.config.height];
        if size.contains(&0) {
            return Ok(());
        }
        let texture = match self.surface.get_current_texture() {
            Current::Success(texture) | Current::Suboptimal(texture) => texture,
            Current::Timeout | Current::Occluded => return Ok(()),
            lost => {
                if matches!(lost, Current::Lost) {
                    self.surface = self.instance.create_surface(Arc::clone(&self.window))?;
                }
                self.surface.configure(&self.device, &self.config);
                self.window.request_redraw();
                return Ok(());
            }
        };
        scene.node_mut(camera)?.set_transform(orbit.transform())?;
        scene.frame(camera, (size[0], size[1]), 0.0, frame)?;
        let view = scene.view(camera, (size[0], size[1]))?;
        let texture_view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let target = Target { view: &texture_view, format: self.config.format, size };
        let mut encoder =
            self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let stats = self.renderer.draw(&mut encoder, scene, &frame.list, &view, &target)?;
        stats.warnings.iter().for_each(|warning| eprintln!("{warning}"));
        self.queue.submit([encoder.finish()]);
        self.queue.present(texture);
        Ok(())
    }
}

impl ApplicationHandler for Viewer {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        match Output::new(events) {
            Ok(mut output) => {
                output.renderer.attach(&mut self.scene);
                output.window.request_redraw();
                self.output = Some(output);
            }
            Err(error) => {
                eprintln!("{error}");
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Self { scene, camera, orbit, frame, drag, output: Some(output) } = self else { return };
        match event {
            WindowEvent::CloseRequested => return events.exit(),
            WindowEvent::Resized(size) => output.resize(size),
            WindowEvent::MouseInput { state, .. } => {
                *drag = (state == ElementState::Pressed).then_some(None);
            }
            WindowEvent::CursorMoved { position, .. } => {
                let (Some(last), at) = (drag, Vec2::new(position.x as f32, position.y as f32))
                else {
                    return;
                };
                let moved = at - last.replace(at).unwrap_or(at);
                orbit.yaw -= 0.01 * moved.x;
                orbit.pitch = (orbit.pitch + 0.01 * moved.y).clamp(-1.5, 1.5);
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let lines = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => lines,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / 50.0,
                };
                orbit.distance *= 0.9_f32.powf(lines.clamp(-10.0, 10.0));
            }
            WindowEvent::RedrawRequested => {
                if let Err(error) = output.draw(scene, (*camera, orbit), frame) {
                    eprintln!("{error}");
                    events.exit();
                }
                return;
            }
            _ => return,
        }
        output.window.request_redraw();
    }
}
