//! The id pass: node, part, instance and depth of each pixel, read back on demand or by overlays.
//!
//! One sample per pixel, at its centre, as a ray of [`Scene::pick`](pleach::Scene::pick) through the
//! centre would hit it; blended surfaces count where their alpha is not 0.

use bytemuck::{Pod, Zeroable};
use pleach::NodeId;

use crate::draw::targets::{DEPTH_FORMAT, check_size, color_attachment, depth_attachment, texture};
use crate::overlay::SurfaceTextures;
use crate::pipeline::cache::{ID_DEPTH_FORMAT, ID_FORMAT};
use crate::{Error, Readback};

/// The textures of the id pass.
#[derive(Debug)]
pub(crate) struct IdTargets {
    pub(crate) size: [u32; 2],
    ids: wgpu::Texture,
    depths: wgpu::Texture,
    views: [wgpu::TextureView; 3],
}

impl IdTargets {
    pub(crate) fn new(device: &wgpu::Device, size: [u32; 2]) -> Result<Self, Error> {
        check_size(device, size)?;
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let usage =
            attachment | wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::TEXTURE_BINDING;
        let ids = texture(device, "ids", size, ID_FORMAT, 1, usage);
        let depths = texture(device, "depths", size, ID_DEPTH_FORMAT, 1, usage);
        let test = texture(device, "depth test of ids", size, DEPTH_FORMAT, 1, attachment);
        let views = [&ids, &depths, &test].map(|it| it.create_view(&Default::default()));
        Ok(Self { size, ids, depths, views })
    }

    /// Begins the pass; `far` is the depth of the far plane in clip space.
    pub(crate) fn begin<'a>(
        &'a self,
        encoder: &'a mut wgpu::CommandEncoder,
        far: f32,
    ) -> wgpu::RenderPass<'a> {
        let [ids, depths, test] = &self.views;
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("ids"),
            color_attachments: &[
                Some(color_attachment(ids, None, true)),
                Some(color_attachment(depths, None, true)),
            ],
            depth_stencil_attachment: Some(depth_attachment(test, Some(far))),
            ..wgpu::RenderPassDescriptor::default()
        })
    }

    /// Returns the node and the depth of each pixel, for shaders.
    pub(crate) fn surfaces(&self) -> SurfaceTextures<'_> {
        let [ids, depths, _] = &self.views;
        SurfaceTextures { ids, depths }
    }

    /// Records the copies to memory that the CPU can read.
    pub(crate) fn read_back(
        &self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<IdReadback, Error> {
        let ids = Readback::record(device, encoder, &self.ids)?;
        let depths = Readback::record(device, encoder, &self.depths)?;
        Ok(IdReadback { size: self.size, ids, depths })
    }
}

/// The visible surface of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelId {
    /// The node.
    pub node: NodeId,
    /// The index of the part in its mesh.
    pub part: u32,
    /// The index of the instance; 0 for meshes without instances.
    pub instance: u32,
}

/// The node, part and instance of each pixel, and its depth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct IdImage {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// Row by row from the top; `None` where nothing is drawn.
    pub ids: Vec<Option<PixelId>>,
    /// The depths along the view direction, as [`View::depth`](pleach::View::depth) returns them;
    /// infinite where nothing is drawn.
    pub depths: Vec<f32>,
}

/// An [`IdImage`] on its way from the GPU: see [`Readback`].
#[derive(Debug)]
pub struct IdReadback {
    size: [u32; 2],
    ids: Readback,
    depths: Readback,
}

impl IdReadback {
    /// Returns the image once the device was polled after the pass was done.
    ///
    /// # Errors
    ///
    /// [`Error::Readback`] if the memory cannot be mapped, such as after the device was lost.
    pub async fn read(self) -> Result<IdImage, Error> {
        let (ids, depths) = (self.ids.read(), self.depths.read());
        Ok(decode(self.size, &ids.await?, &depths.await?))
    }

    /// Waits for the image, as [`Readback::wait`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Readback`] if the memory cannot be mapped, or not in time.
    pub fn wait(self, device: &wgpu::Device) -> Result<IdImage, Error> {
        let ids = self.ids.wait(device)?;
        Ok(decode(self.size, &ids, &self.depths.wait(device)?))
    }
}

/// A texel of the id target.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct IdTexel {
    /// The slot of the node + 1; 0 where nothing was drawn.
    slot: u32,
    generation: u32,
    part: u32,
    instance: u32,
}

fn decode([width, height]: [u32; 2], ids: &[u8], depths: &[u8]) -> IdImage {
    let pixel_id = |texel: IdTexel| {
        let slot = texel.slot.checked_sub(1)?;
        let node = NodeId::from_bits(u64::from(slot) << 32 | u64::from(texel.generation))?;
        Some(PixelId { node, part: texel.part, instance: texel.instance })
    };
    let ids: Vec<_> =
        bytemuck::pod_collect_to_vec::<u8, IdTexel>(ids).into_iter().map(pixel_id).collect();
    let depths = bytemuck::pod_collect_to_vec::<u8, f32>(depths).into_iter().zip(&ids);
    let depths = depths.map(|(depth, id)| if id.is_some() { depth } else { f32::INFINITY });
    IdImage { width, height, depths: depths.collect(), ids }
}
