//! `Slabs`: buffers that many vertex or index streams share.
//!
//! A stream is a range of one of the buffers and stays where it is until it is freed. A buffer without
//! streams is dropped.
//!
//! Invariant: the ranges of streams do not overlap; each begins at a multiple of [`UNIT`] bytes.

use crate::upload::staging::Recorder;
use crate::upload::suballocator::Suballocator;
use crate::{Error, Gpu};

/// The alignment of streams in bytes.
const UNIT: u64 = 16;

/// The size of a buffer in bytes, unless a stream is larger.
const SLAB: u64 = 8 << 20;

/// Buffers of one usage.
#[derive(Debug)]
pub(crate) struct Slabs {
    what: &'static str,
    usage: wgpu::BufferUsages,
    slabs: Vec<Option<Slab>>,
}

#[derive(Debug)]
struct Slab {
    buffer: wgpu::Buffer,
    units: Suballocator,
}

/// A range of a slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    slab: u32,
    /// In units.
    start: u32,
    len: u32,
}

impl Slabs {
    pub(crate) fn new(what: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { what, usage, slabs: Vec::new() }
    }

    /// Returns the buffer and the offset in bytes of a stream.
    pub(crate) fn locate(&self, allocation: Allocation) -> (&wgpu::Buffer, u64) {
        let slab = self.slabs[allocation.slab as usize].as_ref();
        let slab = slab.expect("a buffer with streams is kept");
        (&slab.buffer, UNIT * u64::from(allocation.start))
    }

    /// Returns the number of buffers.
    pub(crate) fn len(&self) -> usize {
        self.slabs.iter().flatten().count()
    }

    /// Allocates a stream and records the upload of its bytes. There is at least one byte.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] if the device does not allow a buffer of this size.
    pub(crate) fn upload(
        &mut self,
        recorder: &mut Recorder<'_>,
        bytes: &[u8],
    ) -> Result<Allocation, Error> {
        let allocation = self.allocate(recorder.gpu, bytes.len() as u64)?;
        let (buffer, offset) = self.locate(allocation);
        recorder.copy_bytes(bytes, buffer, offset);
        Ok(allocation)
    }

    /// Records the upload of bytes to a stream; returns `false`, and does nothing, if the stream is of
    /// another size.
    pub(crate) fn rewrite(
        &self,
        recorder: &mut Recorder<'_>,
        allocation: Allocation,
        bytes: &[u8],
    ) -> bool {
        let fits = (bytes.len() as u64).div_ceil(UNIT) == u64::from(allocation.len);
        if fits {
            let (buffer, offset) = self.locate(allocation);
            recorder.copy_bytes(bytes, buffer, offset);
        }
        fits
    }

    fn allocate(&mut self, gpu: &Gpu, bytes: u64) -> Result<Allocation, Error> {
        let max = gpu.limits.max_buffer_size / UNIT * UNIT;
        let size = bytes.next_multiple_of(UNIT);
        if size > max || size / UNIT > u64::from(u32::MAX) {
            return Err(Error::TooLarge { what: self.what, bytes, max });
        }
        let len = (size / UNIT) as u32;
        for (index, slab) in (0..).zip(&mut self.slabs) {
            if let Some(start) = slab.as_mut().and_then(|slab| slab.units.allocate(len)) {
                return Ok(Allocation { slab: index, start, len });
            }
        }
        let size = size.max(SLAB.min(max));
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(self.what),
            size,
            usage: self.usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut units = Suballocator::new((size / UNIT) as u32);
        let start = units.allocate(len).expect("the buffer is at least as large");
        let slab = Some(Slab { buffer, units });
        let index = self.slabs.iter().position(Option::is_none).unwrap_or(self.slabs.len());
        match self.slabs.get_mut(index) {
            Some(free) => *free = slab,
            None => self.slabs.push(slab),
        }
        Ok(Allocation { slab: index as u32, start, len })
    }

    /// Frees a stream.
    pub(crate) fn release(&mut self, allocation: Allocation) {
        let entry = &mut self.slabs[allocation.slab as usize];
        if let Some(slab) = entry {
            slab.units.release(allocation.start, allocation.len);
            if slab.units.is_unused() {
                *entry = None;
            }
        }
    }
}
