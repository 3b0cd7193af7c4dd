//! `Recorder` and `Staging`: bytes on their way to the GPU, copied by commands of the caller's encoder.
//!
//! Everything is copied in the order of the encoder and not by `Queue::write_buffer`, whose writes
//! precede all commands of a submission: two frames that are recorded before one is submitted each see
//! their own data, and data that is written after a buffer has grown is not overwritten by the copy of
//! its former contents.
//!
//! Invariant: bytes are in `bytes` until `flush` creates one buffer of them and records their copies.

use crate::upload::scatter::Scatter;
use crate::{Error, Gpu, device_loss};

/// The number of bytes after which a staging buffer is created, so that a large scene does not need a
/// buffer of its size.
const FLUSH_AT: usize = 16 << 20;

/// Bytes that are not in a staging buffer yet, and where they are to be copied.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    bytes: Vec<u8>,
    copies: Vec<Copy>,
    /// `true` if a buffer could not be filled, so that something is missing on the GPU.
    has_failed: bool,
    /// The number of copies since the staging was created.
    copied: u64,
}

impl Staging {
    /// Returns an error if something could not be uploaded since the staging was created.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.has_failed { Err(device_loss::error()) } else { Ok(()) }
    }

    /// Returns a number that changes whenever something is copied.
    pub(crate) fn version(&self) -> u64 {
        self.copied
    }
}

#[derive(Debug)]
struct Copy {
    /// The range in the staging buffer.
    offset: u64,
    size: u64,
    to: Target,
}

impl Copy {
    fn is_of_indices(&self) -> bool {
        matches!(&self.to, Target::Buffer(buffer, _) if buffer.usage().contains(wgpu::BufferUsages::INDEX))
    }
}

/// The destination of a copy.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A buffer, from this offset on.
    Buffer(wgpu::Buffer, u64),
    /// A rectangle of a texture with 16 bytes per texel.
    Texels { texture: wgpu::Texture, x: u32, y: u32, width: u32, height: u32 },
}

/// The device, the encoder and the staged bytes of an upload.
#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) encoder: &'a mut wgpu::CommandEncoder,
    pub(crate) staging: &'a mut Staging,
    /// On the full tier only.
    pub(crate) scatter: Option<&'a mut Scatter>,
}

impl Recorder<'_> {
    /// Records a copy of the values to `target`. Their size is a multiple of four bytes.
    pub(crate) fn copy<T: bytemuck::NoUninit>(
        &mut self,
        values: impl IntoIterator<Item = T>,
        target: Target,
    ) {
        if self.staging.bytes.len() >= FLUSH_AT {
            self.flush();
        }
        let Staging { bytes, copies, .. } = &mut *self.staging;
        let offset = bytes.len() as u64;
        for value in values {
            bytes.extend_from_slice(bytemuck::bytes_of(&value));
        }
        let size = bytes.len() as u64 - offset;
        copies.push(Copy { offset, size, to: target });
        // Texels are copied from multiples of their size.
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        self.staging.copied += 1;
    }

    /// Records a copy of the bytes to a buffer, in pieces.
    pub(crate) fn copy_bytes(&mut self, bytes: &[u8], buffer: &wgpu::Buffer, offset: u64) {
        for (index, piece) in bytes.chunks(FLUSH_AT).enumerate() {
            let offset = offset + (index * FLUSH_AT) as u64;
            if self.staging.bytes.len() + piece.len() > FLUSH_AT {
                self.flush();
            }
            let Staging { bytes: staged, copies, .. } = &mut *self.staging;
            let to = Target::Buffer(buffer.clone(), offset);
            copies.push(Copy { offset: staged.len() as u64, size: piece.len() as u64, to });
            staged.extend_from_slice(piece);
            staged.resize(staged.len().next_multiple_of(16), 0);
            self.staging.copied += 1;
        }
    }

    /// Creates a buffer with contents, a multiple of four bytes. `None` if the device was lost or has no
    /// memory left, which [`Staging::check`] reports.
    pub(crate) fn filled_buffer(
        &mut self,
        label: &str,
        contents: &[u8],
        usage: wgpu::BufferUsages,
    ) -> Option<wgpu::Buffer> {
        let buffer = filled_buffer(self.gpu, label, contents, usage);
        self.staging.has_failed |= buffer.is_none();
        buffer
    }

    /// Creates the staging buffers and records the copies.
    pub(crate) fn flush(&mut self) {
        let Staging { bytes, copies, has_failed, .. } = &mut *self.staging;
        if bytes.is_empty() {
            copies.clear();
            return;
        }
        let indices = take_indices(bytes, copies);
        let usage = wgpu::BufferUsages::COPY_SRC;
        let source = filled_buffer(self.gpu, "pleach staging", bytes, usage);
        let index_source = if indices.is_empty() {
            source.clone()
        } else {
            let usage = usage | wgpu::BufferUsages::INDEX;
            filled_buffer(self.gpu, "pleach staging of indices", &indices, usage)
        };
        let (Some(source), Some(index_source)) = (source, index_source) else {
            *has_failed = true;
            bytes.clear();
            copies.clear();
            return;
        };
        for copy in copies.drain(..) {
            let source = if copy.is_of_indices() { &index_source } else { &source };
            let Copy { offset, size, to } = copy;
            match to {
                Target::Buffer(buffer, to) => {
                    // Copies are of multiples of four bytes; what is stored is padded to 16.
                    let size = size.next_multiple_of(4);
                    self.encoder.copy_buffer_to_buffer(source, offset, &buffer, to, size);
                }
                Target::Texels { texture, x, y, width, height } => {
                    self.encoder.copy_buffer_to_texture(
                        wgpu::TexelCopyBufferInfo {
                            buffer: source,
                            layout: wgpu::TexelCopyBufferLayout {
                                offset,
                                // Only full lines are copied as several.
                                bytes_per_row: (height > 1).then_some(16 * width),
                                rows_per_image: None,
                            },
                        },
                        wgpu::TexelCopyTextureInfo {
                            texture: &texture,
                            mip_level: 0,
                            origin: wgpu::Origin3d { x, y, z: 0 },
                            aspect: wgpu::TextureAspect::All,
                        },
                        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                    );
                }
            }
        }
        bytes.clear();
        // A first upload may be large.
        bytes.shrink_to(FLUSH_AT / 4);
    }
}

/// Returns the bytes that are copied to index buffers, one after the other, with the offsets of their copies changed
/// accordingly: WebGL copies to index buffers from index buffers only.
fn take_indices(bytes: &[u8], copies: &mut [Copy]) -> Vec<u8> {
    let mut indices = Vec::new();
    for copy in copies.iter_mut().filter(|copy| copy.is_of_indices()) {
        let from = copy.offset as usize;
        let size = (copy.size as usize).next_multiple_of(4);
        copy.offset = indices.len() as u64;
        indices.extend_from_slice(&bytes[from..from + size]);
    }
    indices
}

/// Creates a buffer with contents; unlike wgpu's function, it does not panic if the device was lost.
fn filled_buffer(
    gpu: &Gpu,
    label: &str,
    contents: &[u8],
    usage: wgpu::BufferUsages,
) -> Option<wgpu::Buffer> {
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: contents.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..).ok()?.slice(..).copy_from_slice(contents);
    buffer.unmap();
    Some(buffer)
}
