//! Reading data back from the GPU.

use pleach_wgpu::Gpu;
use pleach_wgpu::upload::{DataStore, LINE};

/// Returns the first `texels` texels of a store.
pub(crate) fn texels(gpu: &Gpu, store: &DataStore, texels: u32) -> Vec<[f32; 4]> {
    if texels == 0 {
        return Vec::new();
    }
    let size = 16 * u64::from(texels.next_multiple_of(LINE));
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    store.copy_to(&mut encoder, texels, &buffer);
    gpu.queue.submit([encoder.finish()]);
    let mut texels_read: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&bytes(gpu, &buffer));
    texels_read.truncate(texels as usize);
    texels_read
}

/// Returns a range of a buffer that can be copied from.
pub(crate) fn range(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64, size: u64) -> Vec<u8> {
    let copy = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, offset, &copy, 0, size);
    gpu.queue.submit([encoder.finish()]);
    bytes(gpu, &copy)
}

/// Returns the contents of a buffer that can be mapped for reading.
pub(crate) fn bytes(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u8> {
    buffer.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("it can be mapped"));
    gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
    let bytes = buffer.slice(..).get_mapped_range().expect("it is mapped").to_vec();
    buffer.unmap();
    bytes
}
