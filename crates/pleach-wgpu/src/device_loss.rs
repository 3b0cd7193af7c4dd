//! Detects a lost device without its callback, of which a device has one and which is the caller's.
//!
//! wgpu accepts all commands of a lost device and ignores them, with one exception: it panics if a render
//! bundle is finished. So the device is asked before. What it creates is not usable once it is lost, which
//! shows in memory that should be mapped.

use crate::Error;

/// Returns `true` if the device was lost. Creates a buffer of a few bytes.
pub(crate) fn is_lost(device: &wgpu::Device) -> bool {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("is the device lost?"),
        size: 16,
        usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: true,
    });
    buffer.slice(..).get_mapped_range_mut().is_err()
}

/// Returns the error for a device that was lost.
pub(crate) fn error() -> Error {
    Error::Device("the device was lost".into())
}
