//! `StagedBuffer`: a buffer that grows, and is written in the order of the caller's encoder.

use crate::Error;
use crate::upload::staging::Recorder;

/// A buffer, and a copy of what was written last.
#[derive(Debug)]
pub(crate) struct StagedBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    written: Vec<u8>,
    generation: u64,
}

impl StagedBuffer {
    pub(crate) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage, buffer: None, written: Vec::new(), generation: 0 }
    }

    /// Records a write of `bytes`, a multiple of 16, unless the buffer holds them.
    pub(crate) fn write(&mut self, recorder: &mut Recorder<'_>, bytes: &[u8]) -> Result<(), Error> {
        if self.buffer.is_some() && self.written == bytes {
            return Ok(());
        }
        let needed = (bytes.len() as u64).next_multiple_of(16).max(16);
        let is_too_small = self.buffer.as_ref().is_none_or(|buffer| buffer.size() < needed);
        if is_too_small {
            let max = recorder.gpu.limits.max_buffer_size;
            if needed > max {
                return Err(Error::TooLarge { what: self.label, bytes: needed, max });
            }
            self.buffer = Some(recorder.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: needed.next_power_of_two().min(max),
                usage: self.usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
            self.generation += 1;
        }
        if let Some(buffer) = &self.buffer {
            recorder.copy_bytes(bytes, buffer, 0);
        }
        self.written.clear();
        self.written.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the buffer, once it was written.
    pub(crate) fn buffer(&self) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref()
    }

    /// Returns a number that changes whenever the buffer is replaced by a larger one.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}
