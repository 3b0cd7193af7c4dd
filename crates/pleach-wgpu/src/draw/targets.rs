//! `Targets`: the textures that a picture is drawn into before it reaches the caller's target.
//!
//! Light in half floats, with its samples if multisampled, depths, and the picture that transmissive
//! surfaces show. They have the size of the canvas and are created again when that changes.
//!
//! Invariants: all textures have the same size, which the device's limits allow; the light is the picture of
//! `shown`.

use crate::draw::picture_stamp::PictureStamp;
use crate::draw::screen::ScreenPicture;
use crate::pipeline::layouts::Layouts;
use crate::{Error, Readback};

/// The format of light.
pub(crate) const LIGHT_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// The format of depths.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The textures of one size.
#[derive(Debug)]
pub(crate) struct Targets {
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    /// The light that surfaces are drawn into; multisampled if `samples > 1`.
    pub(crate) light_texture: wgpu::Texture,
    pub(crate) light: wgpu::TextureView,
    /// The texture that samples are resolved into, if the tone mapping pass cannot read them.
    pub(crate) resolved: Option<wgpu::TextureView>,
    pub(crate) depth: wgpu::TextureView,
    /// The picture behind transmissive surfaces, once there were any.
    pub(crate) screen: Option<ScreenPicture>,
    /// The picture that was drawn last.
    pub(crate) shown: Option<PictureStamp>,
}

impl Targets {
    /// Creates the textures for pictures of a size, with or without a texture to resolve the
    /// samples into.
    pub(crate) fn new(
        device: &wgpu::Device,
        size: [u32; 2],
        samples: u32,
        resolves: bool,
    ) -> Result<Self, Error> {
        check_size(device, size)?;
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let usage = attachment | wgpu::TextureUsages::TEXTURE_BINDING;
        // Multisampled textures cannot be copied, and some devices cannot read them.
        let light_usage = match (samples, resolves) {
            (1, _) => usage | wgpu::TextureUsages::COPY_SRC,
            (_, true) => attachment,
            (_, false) => usage,
        };
        let light = texture(device, "light", size, LIGHT_FORMAT, samples, light_usage);
        let resolved = (samples > 1 && resolves)
            .then(|| texture(device, "resolved light", size, LIGHT_FORMAT, 1, usage));
        let depth = texture(device, "depth", size, DEPTH_FORMAT, samples, attachment);
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        Ok(Self {
            size,
            samples,
            light: view(&light),
            light_texture: light,
            resolved: resolved.as_ref().map(view),
            depth: view(&depth),
            screen: None,
            shown: None,
        })
    }

    /// Creates the picture behind transmissive surfaces, unless there is one.
    pub(crate) fn add_screen(&mut self, device: &wgpu::Device, layouts: &Layouts) {
        let size = self.size;
        self.screen.get_or_insert_with(|| ScreenPicture::new(device, layouts, size));
    }

    /// Records the copy of the light to memory that the CPU can read. The light has one sample.
    pub(crate) fn read_light(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Readback, Error> {
        Readback::record(device, encoder, &self.light_texture)
    }
}

/// Checks that the device supports textures of a size.
pub(crate) fn check_size(device: &wgpu::Device, [width, height]: [u32; 2]) -> Result<(), Error> {
    let limit = device.limits().max_texture_dimension_2d;
    if width.max(height) > limit {
        return Err(Error::TargetTooLarge { size: [width, height], max: limit });
    }
    Ok(())
}

/// Creates a texture with one level.
pub(crate) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    sample_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Returns a colour attachment that is cleared or kept, and resolved into a view if there is one.
pub(crate) fn color_attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    clear: bool,
) -> wgpu::RenderPassColorAttachment<'a> {
    let load = match clear {
        true => wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
        false => wgpu::LoadOp::Load,
    };
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target, ops }
}

/// Returns a depth attachment that is cleared to a depth, or kept.
pub(crate) fn depth_attachment(
    view: &wgpu::TextureView,
    clear: Option<f32>,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let load = clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    wgpu::RenderPassDepthStencilAttachment { view, depth_ops: Some(ops), stencil_ops: None }
}
