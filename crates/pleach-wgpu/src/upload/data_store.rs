//! `DataStore`: an array of texels (four floats) of any length that shaders read by index.
//!
//! On the full tier it is a storage buffer. On the limited tier it is a texture of 32-bit floats with
//! [`LINE`] texels per line: texel `i` is at `(i % LINE, i / LINE)`. `LINE` is a multiple of three, so
//! that a matrix of three rows is never split between two lines.
//!
//! Invariants: a store never shrinks; growing it keeps its contents (copied on the GPU) and increments
//! its generation; texel indices are below 2²⁴, so that a float can store one exactly.

use crate::upload::staging::{Recorder, Target};
use crate::{Error, Gpu, Tier};

/// The number of texels per line of a data texture.
pub const LINE: u32 = 1536;

/// The number of texels of a store, at most.
pub const MAX_TEXELS: u32 = 1 << 24;

/// The size of a texel in bytes.
const TEXEL: u64 = 16;

/// An array of texels that shaders read by index.
#[derive(Debug)]
pub struct DataStore {
    what: &'static str,
    storage: Storage,
    /// In texels.
    capacity: u32,
    generation: u64,
}

#[derive(Debug)]
enum Storage {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture, wgpu::TextureView),
}

impl DataStore {
    /// Creates a store of one line.
    pub(crate) fn new(gpu: &Gpu, what: &'static str) -> Self {
        Self { what, storage: Storage::new(gpu, what, LINE), capacity: LINE, generation: 0 }
    }

    /// Returns the resource that shaders read: a storage buffer, or a texture on the limited tier.
    #[must_use]
    pub fn binding(&self) -> wgpu::BindingResource<'_> {
        match &self.storage {
            Storage::Buffer(buffer) => buffer.as_entire_binding(),
            Storage::Texture(_, view) => wgpu::BindingResource::TextureView(view),
        }
    }

    /// Returns a number that changes whenever [`binding`](Self::binding) is another resource.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of texels that it has room for.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    pub(crate) fn buffer(&self) -> Option<&wgpu::Buffer> {
        match &self.storage {
            Storage::Buffer(buffer) => Some(buffer),
            Storage::Texture(..) => None,
        }
    }

    /// Records a copy of the first `texels` texels to a buffer with [`COPY_DST`], for tests and
    /// tools. On the limited tier whole lines are copied, so the buffer needs room for these.
    ///
    /// [`COPY_DST`]: wgpu::BufferUsages::COPY_DST
    pub fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, texels: u32, buffer: &wgpu::Buffer) {
        match &self.storage {
            Storage::Buffer(store) => {
                encoder.copy_buffer_to_buffer(store, 0, buffer, 0, TEXEL * u64::from(texels));
            }
            Storage::Texture(texture, _) => encoder.copy_texture_to_buffer(
                texture.as_image_copy(),
                wgpu::TexelCopyBufferInfo {
                    buffer,
                    layout: wgpu::TexelCopyBufferLayout {
                        offset: 0,
                        bytes_per_row: Some(LINE * TEXEL as u32),
                        rows_per_image: None,
                    },
                },
                lines(texels),
            ),
        }
    }

    /// Makes room for `texels` texels. Grows by half of its size at least, so that adding n texels
    /// one by one copies O(n).
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not allow as many. Nothing is changed then.
    pub(crate) fn reserve(
        &mut self,
        recorder: &mut Recorder<'_>,
        texels: u64,
    ) -> Result<(), Error> {
        if texels <= u64::from(self.capacity) {
            return Ok(());
        }
        let max = max_texels(recorder.gpu);
        if texels > u64::from(max) {
            let (bytes, max) = (texels.saturating_mul(TEXEL), TEXEL * u64::from(max));
            return Err(Error::TooLarge { what: self.what, bytes, max });
        }
        let grown = texels.max(u64::from(self.capacity) * 3 / 2).next_multiple_of(LINE.into());
        let grown = grown.min(max.into()) as u32;
        let storage = Storage::new(recorder.gpu, self.what, grown);
        // What was staged for the former storage is copied there first.
        recorder.flush();
        match (&self.storage, &storage) {
            (Storage::Buffer(from), Storage::Buffer(to)) => {
                let size = TEXEL * u64::from(self.capacity);
                recorder.encoder.copy_buffer_to_buffer(from, 0, to, 0, size);
            }
            (Storage::Texture(from, _), Storage::Texture(to, _)) => {
                recorder.encoder.copy_texture_to_texture(
                    from.as_image_copy(),
                    to.as_image_copy(),
                    lines(self.capacity),
                );
            }
            _ => unreachable!("a store is of the tier of its device"),
        }
        (self.storage, self.capacity) = (storage, grown);
        self.generation += 1;
        Ok(())
    }

    /// Records the upload of consecutive texels from `first` on, and returns their size in bytes.
    pub(crate) fn write(
        &self,
        recorder: &mut Recorder<'_>,
        first: u32,
        texels: impl ExactSizeIterator<Item = [f32; 4]>,
    ) -> u64 {
        let count = texels.len() as u32;
        assert!(first + count <= self.capacity, "room for the texels was reserved");
        let mut texels = texels;
        let mut at = first;
        while at < first + count {
            let left = first + count - at;
            let (size, target) = match &self.storage {
                Storage::Buffer(buffer) => {
                    let size = left.min(1 << 16);
                    (size, Target::Buffer(buffer.clone(), TEXEL * u64::from(at)))
                }
                Storage::Texture(texture, _) => {
                    let (x, y) = (at % LINE, at / LINE);
                    // Part of a line, or several whole ones.
                    let is_partial = x > 0 || left < LINE;
                    let (width, height) = match is_partial {
                        true => ((LINE - x).min(left), 1),
                        false => (LINE, (left / LINE).min(64)),
                    };
                    let texture = texture.clone();
                    (width * height, Target::Texels { texture, x, y, width, height })
                }
            };
            recorder.copy(texels.by_ref().take(size as usize), target);
            at += size;
        }
        TEXEL * u64::from(count)
    }
}

impl Storage {
    fn new(gpu: &Gpu, label: &'static str, texels: u32) -> Self {
        if gpu.tier == Tier::Full {
            return Self::Buffer(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: TEXEL * u64::from(texels),
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }));
        }
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: lines(texels),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self::Texture(texture, view)
    }
}

/// Returns the lines that contain `texels` texels.
fn lines(texels: u32) -> wgpu::Extent3d {
    wgpu::Extent3d { width: LINE, height: texels.div_ceil(LINE), depth_or_array_layers: 1 }
}

/// Returns the number of texels that the device allows, a multiple of [`LINE`].
fn max_texels(gpu: &Gpu) -> u32 {
    let limits = &gpu.limits;
    let max = match gpu.tier {
        Tier::Full => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) / TEXEL,
        Tier::Limited => u64::from(limits.max_texture_dimension_2d) * u64::from(LINE),
    };
    (max.min(MAX_TEXELS.into()) as u32) / LINE * LINE
}
