//! `Materials`: uniform blocks, and the textures of each slot.
//!
//! Blocks are in shared buffers and stay where they are; an edit writes the block again if its bytes
//! differ. Bind groups are made by `draw/`: a material's generation changes when its textures or
//! samplers do.
//!
//! Invariant: an uploaded material has the block of the version that was current when it was uploaded.

use pleach::{AlphaMode, AssetId, AssetVersion, Material, TextureRef, TextureTransform};
use pleach_shading::tangents::tangent_uv_set;

use crate::upload::id_map::IdMap;
use crate::upload::material_block::{MaterialBlock, TextureSlot};
use crate::upload::staging::{Recorder, Target};
use crate::upload::textures::Textures;
use crate::{Gpu, Warning};

/// The distance of blocks in bytes: a multiple of 256, as uniform bindings require.
const STRIDE: u64 = 1024;

/// The number of blocks of a buffer.
const BLOCKS: u32 = 64;

/// A material on the GPU.
#[derive(Clone, Debug)]
pub struct GpuMaterial {
    /// `true` if a newer version of it or of its images may exist.
    is_stale: bool,
    index: u32,
    block: MaterialBlock,
    generation: u64,
    textures: Vec<MaterialTexture>,
    /// The images of all slots, also of those that cannot be used.
    images: Vec<AssetId>,
    features: MaterialFeatures,
    /// The set of texture coordinates of its tangents, if it needs some.
    tangent_uv_set: Option<usize>,
}

/// A texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTexture {
    /// The slot.
    pub slot: TextureSlot,
    /// The image, with all mip levels.
    pub view: wgpu::TextureView,
    /// The filters and wrap modes.
    pub sampler: wgpu::Sampler,
}

/// The parts of a material that the choice of a pipeline depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names of the fields of `Material`")]
pub struct MaterialFeatures {
    pub alpha_mode: AlphaMode,
    pub double_sided: bool,
    pub unlit: bool,
    /// `true` if the factor is not zero; likewise below.
    pub clearcoat: bool,
    pub sheen: bool,
    pub specular: bool,
    pub transmission: bool,
    pub volume: bool,
    pub diffuse_transmission: bool,
    pub iridescence: bool,
    pub anisotropy: bool,
    pub dispersion: bool,
}

impl MaterialFeatures {
    fn new(material: &Material) -> Self {
        let block = MaterialBlock::new(material);
        // Unlit surfaces show their colour, whatever is behind them.
        let transmits = block.transmission > 0.0 && !material.unlit;
        Self {
            alpha_mode: material.alpha_mode,
            double_sided: material.double_sided,
            unlit: material.unlit,
            clearcoat: block.clearcoat > 0.0,
            sheen: block.sheen_color.iter().any(|&it| it > 0.0),
            specular: material.specular.is_some(),
            transmission: transmits,
            volume: material.volume.is_some() && (transmits || block.diffuse_transmission > 0.0),
            diffuse_transmission: block.diffuse_transmission > 0.0,
            iridescence: block.iridescence > 0.0,
            anisotropy: block.anisotropy != 0.0,
            dispersion: block.dispersion > 0.0 && transmits,
        }
    }
}

impl GpuMaterial {
    /// Returns the textures that exist, by slot.
    #[must_use]
    pub fn textures(&self) -> &[MaterialTexture] {
        &self.textures
    }

    /// Returns what the choice of a pipeline depends on.
    #[must_use]
    pub fn features(&self) -> MaterialFeatures {
        self.features
    }

    /// Returns the set of texture coordinates that its tangents follow; `None` if it needs none.
    pub(crate) fn tangent_uv_set(&self) -> Option<usize> {
        self.tangent_uv_set
    }

    /// Returns a number that changes whenever its features, textures or samplers do; no two materials
    /// have the same.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

/// All uploaded materials.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    buffers: Vec<wgpu::Buffer>,
    materials: IdMap<GpuMaterial>,
    free: Vec<u32>,
    next: u32,
    generation: u64,
}

impl Materials {
    /// Returns the number of the last generation of any material.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn get(&self, id: AssetId) -> Option<&GpuMaterial> {
        self.materials.get(&id)
    }

    /// Returns the buffer and offset of the block of a material.
    pub(crate) fn block(&self, material: &GpuMaterial) -> wgpu::BufferBinding<'_> {
        let (buffer, offset) = self.locate(material.index);
        let size = wgpu::BufferSize::new(size_of::<MaterialBlock>() as u64);
        wgpu::BufferBinding { buffer, offset, size }
    }

    fn locate(&self, index: u32) -> (&wgpu::Buffer, u64) {
        (&self.buffers[(index / BLOCKS) as usize], STRIDE * u64::from(index % BLOCKS))
    }

    pub(crate) fn len(&self) -> usize {
        self.materials.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = AssetId> {
        self.materials.keys().copied()
    }

    #[inline]
    pub(crate) fn is_current(&self, id: AssetId) -> bool {
        self.materials.get(&id).is_some_and(|it| !it.is_stale)
    }

    /// Marks a material that may have been edited.
    pub(crate) fn mark_stale(&mut self, id: AssetId) {
        if let Some(material) = self.materials.get_mut(&id) {
            material.is_stale = true;
        }
    }

    /// Marks the materials that use an image. O(materials).
    pub(crate) fn mark_users_stale(&mut self, image: AssetId) {
        for material in self.materials.values_mut() {
            material.is_stale |= material.images.contains(&image);
        }
    }

    /// Drops a material.
    pub(crate) fn remove(&mut self, id: AssetId) {
        if let Some(material) = self.materials.remove(&id) {
            self.free.push(material.index);
            self.generation += 1;
        }
    }

    /// Uploads a version of a material with its images, as far as they differ from what is uploaded.
    pub(crate) fn upload(
        &mut self,
        recorder: &mut Recorder<'_>,
        id: AssetId,
        material: &AssetVersion<Material>,
        textures: &mut Textures,
        warnings: &mut Vec<Warning>,
        [block_bytes, texture_bytes]: [&mut u64; 2],
    ) {
        let gpu = recorder.gpu;
        let mut images = Vec::new();
        let mut used = Vec::new();
        for slot in TextureSlot::ALL {
            let Some(texture) = slot.texture(material) else { continue };
            let (image, is_srgb) = (texture.image.snapshot(), slot.is_srgb());
            let image_id = texture.image.id();
            images.push(image_id);
            let view = textures.view(gpu, image_id, &image, is_srgb, warnings, texture_bytes);
            let Some(view) = view else { continue };
            let sampler = textures.sampler(gpu, texture.sampler);
            used.push(MaterialTexture { slot, view, sampler });
        }
        let (block, features) = (MaterialBlock::new(material), MaterialFeatures::new(material));
        let before = self.materials.remove(&id);
        let index = before.as_ref().map_or_else(|| self.allocate(gpu), |before| before.index);
        if before
            .as_ref()
            .is_none_or(|it| bytemuck::bytes_of(&it.block) != bytemuck::bytes_of(&block))
        {
            let (buffer, offset) = self.locate(index);
            recorder.copy([block], Target::Buffer(buffer.clone(), offset));
            *block_bytes += size_of::<MaterialBlock>() as u64;
        }
        let kept = before.filter(|it| it.textures == used && it.features == features);
        let generation = match kept {
            Some(kept) => kept.generation,
            None => {
                self.generation += 1;
                self.generation
            }
        };
        let uploaded = GpuMaterial {
            is_stale: false,
            index,
            block,
            generation,
            textures: used,
            images,
            features,
            tangent_uv_set: generated_uv_set(material),
        };
        self.materials.insert(id, uploaded);
    }

    fn allocate(&mut self, gpu: &Gpu) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            if self.next == BLOCKS * self.buffers.len() as u32 {
                self.buffers.push(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("pleach materials"),
                    size: STRIDE * u64::from(BLOCKS),
                    usage: wgpu::BufferUsages::UNIFORM
                        | wgpu::BufferUsages::COPY_DST
                        | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                }));
            }
            self.next += 1;
            self.next - 1
        })
    }
}

/// Returns the set of texture coordinates that generated tangents follow. `None` if the material needs
/// none, or if its textures are turned or use several sets: shaders derive the tangents of each texture
/// from its coordinates then.
fn generated_uv_set(material: &Material) -> Option<usize> {
    let uv_set = tangent_uv_set(material)?;
    let slots = [TextureSlot::Normal, TextureSlot::ClearcoatNormal, TextureSlot::Anisotropy];
    let follows = |texture: &TextureRef| {
        let is_turned =
            |it: TextureTransform| it.rotation != 0.0 || it.scale.x <= 0.0 || it.scale.y <= 0.0;
        texture.uv_set as usize == uv_set && !texture.transform.is_some_and(is_turned)
    };
    let mut textures = slots.into_iter().filter_map(|slot| slot.texture(material));
    textures.all(follows).then_some(uv_set)
}
