//! `Textures`: decoded images with mip levels, and samplers.
//!
//! An image that is used both for colours and for other data has two textures: their mip levels differ,
//! since colours are averaged in linear light.
//!
//! Invariants: a texture exists until its image is unused or edited; an image that cannot be used is
//! remembered, so that it is decoded and reported once per version.

use std::collections::HashMap;
use std::fmt;

use pleach::{AssetId, AssetVersion, Image, ImageData, MagFilter, MinFilter, Sampler, Wrap};

use crate::upload::mipmaps::MipLevel;
use crate::{Gpu, Warning};

/// Decodes an [encoded](ImageData::Encoded) image into [`Rgba8`](ImageData::Rgba8).
pub type Decoder = dyn Fn(&Image) -> Result<Image, String> + Send + Sync;

/// The textures and samplers that materials use.
pub(crate) struct Textures {
    decoder: Option<Box<Decoder>>,
    /// By image, and whether it contains sRGB colours.
    textures: HashMap<(AssetId, bool), Texture>,
    samplers: HashMap<Sampler, wgpu::Sampler>,
}

#[derive(Debug)]
struct Texture {
    version: u64,
    /// `None` if the image cannot be used.
    view: Option<wgpu::TextureView>,
}

impl Textures {
    pub(crate) fn new(decoder: Option<Box<Decoder>>) -> Self {
        Self { decoder, textures: HashMap::new(), samplers: HashMap::new() }
    }

    pub(crate) fn decoder(&self) -> Option<&Decoder> {
        self.decoder.as_deref()
    }

    /// Drops all textures.
    pub(crate) fn clear(&mut self) {
        self.textures.clear();
    }

    /// Returns the number of textures.
    pub(crate) fn len(&self) -> usize {
        self.textures.values().filter(|texture| texture.view.is_some()).count()
    }

    /// Drops the textures of an image.
    pub(crate) fn remove(&mut self, image: AssetId) {
        self.textures.remove(&(image, false));
        self.textures.remove(&(image, true));
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = AssetId> {
        self.textures.keys().map(|&(id, _)| id)
    }

    /// Returns the view of an image, uploaded if it is not yet; `None` if the image cannot be used.
    /// Adds the bytes to `bytes`.
    pub(crate) fn view(
        &mut self,
        gpu: &Gpu,
        id: AssetId,
        image: &AssetVersion<Image>,
        is_srgb: bool,
        warnings: &mut Vec<Warning>,
        bytes: &mut u64,
    ) -> Option<wgpu::TextureView> {
        let version = image.version();
        if let Some(texture) = self.textures.get(&(id, is_srgb))
            && texture.version == version
        {
            return texture.view.clone();
        }
        let other = self.textures.get(&(id, !is_srgb));
        let is_reported = other.is_some_and(|it| it.version == version && it.view.is_none());
        let view = match self.decode(image) {
            Ok(level) => Some(upload(gpu, id, image, level, is_srgb, warnings, bytes)),
            Err(cause) => {
                let name = image.name.clone();
                if !is_reported {
                    warnings.push(Warning::ImageIgnored { image: id, name, cause });
                }
                None
            }
        };
        self.textures.insert((id, is_srgb), Texture { version, view: view.clone() });
        view
    }

    fn decode(&self, image: &Image) -> Result<MipLevel, String> {
        let decoded;
        let data = match (&image.data, &self.decoder) {
            (ImageData::Rgba8 { .. }, _) => &image.data,
            (ImageData::External { uri }, _) => return Err(format!("{uri:?} was not read")),
            (ImageData::Encoded { mime, .. }, None) => {
                return Err(format!("no decoder for {mime}; provide one in the options"));
            }
            (ImageData::Encoded { .. }, Some(decode)) => {
                decoded = decode(image)?;
                &decoded.data
            }
            _ => return Err("this kind of image data is not supported".into()),
        };
        let ImageData::Rgba8 { width, height, pixels } = data else {
            return Err("the decoder returned no pixels".into());
        };
        MipLevel::new(*width, *height, pixels).ok_or_else(|| {
            format!("{} bytes do not match {width} × {height} pixels of four bytes", pixels.len())
        })
    }

    /// Returns a sampler with exactly these modes, created if it is not yet.
    pub(crate) fn sampler(&mut self, gpu: &Gpu, sampler: Sampler) -> wgpu::Sampler {
        let created = self.samplers.entry(sampler);
        created.or_insert_with(|| gpu.device.create_sampler(&descriptor(sampler))).clone()
    }
}

/// Creates a texture of an image and its mip levels. An image beyond the limit of the device begins with
/// a smaller level.
fn upload(
    gpu: &Gpu,
    id: AssetId,
    image: &Image,
    level: MipLevel,
    is_srgb: bool,
    warnings: &mut Vec<Warning>,
    bytes: &mut u64,
) -> wgpu::TextureView {
    let size = [level.width, level.height];
    let max = gpu.limits.max_texture_dimension_2d;
    let mut level = level;
    while level.width.max(level.height) > max
        && let Some(next) = level.next(is_srgb)
    {
        level = next;
    }
    let reduced = [level.width, level.height];
    if reduced != size {
        let name = image.name.clone();
        warnings.push(Warning::ImageReduced { image: id, name, size, reduced });
    }
    let format = match is_srgb {
        true => wgpu::TextureFormat::Rgba8UnormSrgb,
        false => wgpu::TextureFormat::Rgba8Unorm,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("pleach image"),
        size: extent(&level),
        mip_level_count: level.width.max(level.height).ilog2() + 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_DST
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let mut mip_level = 0;
    let mut next = Some(level);
    while let Some(level) = next {
        // The texture is new: nothing that was recorded before uses it.
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo { mip_level, ..texture.as_image_copy() },
            level.pixels.as_flattened(),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * level.width),
                rows_per_image: None,
            },
            extent(&level),
        );
        *bytes += 4 * level.pixels.len() as u64;
        mip_level += 1;
        next = level.next(is_srgb);
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn extent(level: &MipLevel) -> wgpu::Extent3d {
    wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 }
}

/// Returns the descriptor of a sampler. Filters that are left to the renderer are linear, with mip levels.
fn descriptor(sampler: Sampler) -> wgpu::SamplerDescriptor<'static> {
    use MinFilter as Min;
    use wgpu::{FilterMode, MipmapFilterMode as Mipmap};
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => wgpu::AddressMode::Repeat,
        Wrap::MirroredRepeat => wgpu::AddressMode::MirrorRepeat,
        Wrap::ClampToEdge => wgpu::AddressMode::ClampToEdge,
    };
    let (min_filter, mipmap_filter, has_levels) = match sampler.min_filter {
        Some(Min::Nearest) => (FilterMode::Nearest, Mipmap::Nearest, false),
        Some(Min::Linear) => (FilterMode::Linear, Mipmap::Nearest, false),
        Some(Min::NearestMipmapNearest) => (FilterMode::Nearest, Mipmap::Nearest, true),
        Some(Min::LinearMipmapNearest) => (FilterMode::Linear, Mipmap::Nearest, true),
        Some(Min::NearestMipmapLinear) => (FilterMode::Nearest, Mipmap::Linear, true),
        Some(Min::LinearMipmapLinear) | None => (FilterMode::Linear, Mipmap::Linear, true),
    };
    wgpu::SamplerDescriptor {
        label: Some("pleach sampler"),
        address_mode_u: wrap(sampler.wrap_u),
        address_mode_v: wrap(sampler.wrap_v),
        address_mode_w: wgpu::AddressMode::ClampToEdge,
        mag_filter: match sampler.mag_filter {
            Some(MagFilter::Nearest) => FilterMode::Nearest,
            Some(MagFilter::Linear) | None => FilterMode::Linear,
        },
        min_filter,
        mipmap_filter,
        lod_min_clamp: 0.0,
        // Level 0 only. Not 0, which would make every texel a magnified one; Vulkan's specification
        // gives 0.25 for the filters of OpenGL.
        lod_max_clamp: if has_levels { 32.0 } else { 0.25 },
        compare: None,
        anisotropy_clamp: 1,
        border_color: None,
    }
}

impl fmt::Debug for Textures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Textures").field("len", &self.len()).finish_non_exhaustive()
    }
}
