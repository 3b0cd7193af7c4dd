//! `Readback`: bytes on their way from the GPU.
//!
//! A copy is recorded into the caller's encoder; after the caller submitted it, `read` requests the
//! bytes and returns a future. Nothing blocks: the future is ready when the device was polled after the
//! copy was done, which a window's event loop does anyway and [`wait`](Readback::wait) does for
//! programs without one.
//!
//! Invariant: rows of the copy are padded to 256 bytes, rows of the result are not.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::Error;
use crate::error_scope::ErrorScopes;

/// The texels of a texture, copied to memory that the CPU can read.
///
/// Submit the encoder that the copy was recorded into, then call [`read`](Self::read) or
/// [`wait`](Self::wait).
#[derive(Debug)]
pub struct Readback {
    device: wgpu::Device,
    buffer: wgpu::Buffer,
    rows: u32,
    bytes_per_row: u32,
    padded_bytes_per_row: u32,
}

/// The result of a mapping, for its future.
#[derive(Debug, Default)]
struct Mapped {
    result: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

/// Returns the bytes of a row, without and with padding; an error if the device does not allow a buffer
/// for all rows.
pub(crate) fn row_sizes(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    [width, height]: [u32; 2],
) -> Result<[u32; 2], Error> {
    let bytes_per_row = width * format.block_copy_size(None).unwrap_or(4);
    let padded_bytes_per_row = bytes_per_row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let bytes = u64::from(padded_bytes_per_row) * u64::from(height);
    let max = device.limits().max_buffer_size;
    if bytes > max {
        return Err(Error::TooLarge { what: "pixels to read back", bytes, max });
    }
    Ok([bytes_per_row, padded_bytes_per_row])
}

impl Readback {
    /// Records the copy of level 0 of a texture with uncompressed texels.
    pub(crate) fn record(
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        texture: &wgpu::Texture,
    ) -> Result<Self, Error> {
        let size = [texture.width(), texture.height()];
        let [bytes_per_row, padded_bytes_per_row] = row_sizes(device, texture.format(), size)?;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(padded_bytes_per_row) * u64::from(texture.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded_bytes_per_row),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        let (device, rows) = (device.clone(), texture.height());
        Ok(Self { device, buffer, rows, bytes_per_row, padded_bytes_per_row })
    }

    /// Returns the texels, row by row from the top without padding, once the device was polled after
    /// the copy was done.
    ///
    /// # Errors
    ///
    /// [`Error::Readback`] if the memory cannot be mapped, such as after the device was lost.
    pub fn read(self) -> impl Future<Output = Result<Vec<u8>, Error>> + Send {
        let state = Arc::new(Mutex::new(Mapped::default()));
        let shared = Arc::clone(&state);
        // The request itself is refused if the device was lost.
        let scopes = ErrorScopes::push(&self.device);
        self.buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            let mut mapped = shared.lock().unwrap_or_else(PoisonError::into_inner);
            mapped.result = Some(result);
            if let Some(waker) = mapped.waker.take() {
                waker.wake();
            }
        });
        let refused = scopes.pop().err().map(|error| Error::Readback(error.to_string()));
        Mapping { readback: self, state, refused }
    }

    /// Waits for the texels: polls the device until they are there, or for ten minutes at most. For
    /// programs without an event loop; not in a browser, where nothing may block.
    ///
    /// # Errors
    ///
    /// [`Error::Readback`] if the memory cannot be mapped, or not in time.
    pub fn wait(self, device: &wgpu::Device) -> Result<Vec<u8>, Error> {
        let mut reading = Box::pin(self.read());
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) };
        device.poll(wait).map_err(|error| Error::Readback(error.to_string()))?;
        match reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(Error::Readback("the device did not finish in time".into())),
        }
    }

    fn copy_rows(&self) -> Result<Vec<u8>, Error> {
        let range = self.buffer.slice(..).get_mapped_range();
        let range = range.map_err(|error| Error::Readback(error.to_string()))?;
        let mut bytes = Vec::with_capacity(self.bytes_per_row as usize * self.rows as usize);
        for row in range.chunks_exact(self.padded_bytes_per_row as usize) {
            bytes.extend_from_slice(&row[..self.bytes_per_row as usize]);
        }
        Ok(bytes)
    }
}

/// The longest time that [`Readback::wait`] blocks: a software driver may need minutes.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The future of a mapped buffer.
struct Mapping {
    readback: Readback,
    state: Arc<Mutex<Mapped>>,
    refused: Option<Error>,
}

impl Future for Mapping {
    type Output = Result<Vec<u8>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(error) = self.refused.take() {
            return Poll::Ready(Err(error));
        }
        let mut mapped = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match mapped.result.take() {
            None => {
                mapped.waker = Some(context.waker().clone());
                Poll::Pending
            }
            Some(Err(error)) => Poll::Ready(Err(Error::Readback(error.to_string()))),
            Some(Ok(())) => Poll::Ready(self.readback.copy_rows()),
        }
    }
}
