//! The devices that tests run on: each back end of this machine, in each tier.

use pleach_wgpu::{Gpu, Tier};

/// A device in one tier.
pub(crate) struct TestGpu {
    /// The back end and the tier, for messages.
    pub(crate) name: String,
    pub(crate) gpu: Gpu,
}

/// Returns a device for each back end (Vulkan, OpenGL) and tier. The devices of the limited tier have
/// the limits of WebGL2, so that what these do not allow is an error.
///
/// Prints `SKIPPED` for each that is missing, and fails in CI.
pub(crate) fn gpus() -> Vec<TestGpu> {
    let backends = [(wgpu::Backends::VULKAN, "Vulkan"), (wgpu::Backends::GL, "OpenGL")];
    let tiers = [Tier::Full, Tier::Limited];
    let mut gpus = Vec::new();
    for (backends, backend) in backends {
        for tier in tiers {
            let name = format!("{backend}, {tier:?}");
            match gpu(backends, tier) {
                Some(gpu) => gpus.push(TestGpu { name, gpu }),
                None => {
                    let is_ci = std::env::var_os("CI").is_some();
                    assert!(!is_ci, "no adapter for {name}; install lavapipe and llvmpipe");
                    testkit::skip(&format!("no adapter for {name}"));
                }
            }
        }
    }
    gpus
}

fn gpu(backends: wgpu::Backends, tier: Tier) -> Option<Gpu> {
    let gpu = device(backends, |limits| {
        if tier == Tier::Limited {
            let adapter = limits.clone();
            *limits = wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter);
        }
    })?;
    (gpu.tier == tier).then_some(gpu)
}

/// Returns a device with the limits of its adapter, as `change` changes them. Without an adapter it prints
/// `SKIPPED`, and fails in CI.
pub(crate) fn gpu_with_limits(change: impl FnOnce(&mut wgpu::Limits)) -> Option<Gpu> {
    let gpu = device(wgpu::Backends::VULKAN, change);
    if gpu.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no adapter for Vulkan; install lavapipe");
        testkit::skip("no adapter for Vulkan");
    }
    gpu
}

fn device(backends: wgpu::Backends, change: impl FnOnce(&mut wgpu::Limits)) -> Option<Gpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.enumerate_adapters(backends)).into_iter().next()?;
    let mut required_limits = adapter.limits();
    change(&mut required_limits);
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).ok()?;
    Some(Gpu::new(&device, &queue))
}
