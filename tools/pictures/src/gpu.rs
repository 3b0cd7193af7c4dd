//! The adapters: each back end in each tier.

use std::cell::RefCell;

use pleach::{Scene, View};
use pleach_wgpu::{Headless, Options, PixelId, Renderer, Shadows, Tier};

use crate::without_alpha;

/// The number of adapters on a machine with both drivers.
pub const ADAPTERS: usize = 4;

/// A picture of the GPU renderer.
pub struct GpuPicture {
    /// Red, green and blue in sRGB, row by row from the top.
    pub rgb: Vec<u8>,
    /// The visible surface of each pixel.
    pub ids: Vec<Option<PixelId>>,
    /// The reductions, with their causes.
    pub warnings: Vec<String>,
}

/// A renderer on one adapter, in one tier.
pub struct Adapter {
    name: String,
    renderer: RefCell<Headless>,
}

/// Returns a renderer for each back end and tier, or for the one of this name.
pub fn adapters(only: Option<&str>) -> Vec<Adapter> {
    let mut adapters = Vec::new();
    for (backend, backends) in [("vulkan", wgpu::Backends::VULKAN), ("gl", wgpu::Backends::GL)] {
        for (tier_name, tier) in [("full", Tier::Full), ("limited", Tier::Limited)] {
            let name = format!("{backend}-{tier_name}");
            if only.is_some_and(|only| only != name) {
                continue;
            }
            match pollster::block_on(renderer(backends, tier)) {
                Ok(renderer) => adapters.push(Adapter { name, renderer: RefCell::new(renderer) }),
                Err(message) => println!("SKIPPED {name}: {message}"),
            }
        }
    }
    adapters
}

async fn renderer(backends: wgpu::Backends, tier: Tier) -> Result<Headless, String> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let adapters = wgpu::Instance::new(descriptor).enumerate_adapters(backends).await;
    let adapter = adapters.into_iter().next().ok_or("no adapter")?;
    // The limits of WebGL2: what they do not allow is an error.
    let webgl2 = wgpu::Limits::downlevel_webgl2_defaults();
    let required_limits = match tier {
        Tier::Limited => webgl2.using_resolution(adapter.limits()),
        _ => adapter.limits(),
    };
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let device = adapter.request_device(&descriptor).await;
    let (device, queue) = device.map_err(|error| error.to_string())?;
    let options = Options {
        straight_alpha: true,
        tier: Some(tier),
        shadows: Shadows::All,
        exposure: pleach_shading::Exposure::Auto,
        ..Options::default()
    };
    let decode = |image: &pleach::Image| pleach_gltf::decode(image).map_err(|it| it.to_string());
    let renderer = Renderer::with_decoder(&device, &queue, options, decode);
    let renderer = renderer.map_err(|error| error.to_string())?;
    Ok(Headless::with_renderer(device, queue, renderer))
}

impl Adapter {
    /// Returns the back end and the tier, such as `vulkan-full`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Draws what a view sees, and reports what was reduced.
    pub fn draw(&self, scene: &Scene, view: &View, size: (u32, u32)) -> Result<GpuPicture, String> {
        let mut renderer = self.renderer.borrow_mut();
        let size = [size.0, size.1];
        let image = renderer.render(scene, view, size).map_err(|error| error.to_string())?;
        let ids = renderer.render_ids(scene, view, size).map_err(|error| error.to_string())?;
        Ok(GpuPicture {
            rgb: without_alpha(image.pixels.as_flattened()),
            ids: ids.ids,
            warnings: image.warnings.iter().map(ToString::to_string).collect(),
        })
    }
}
