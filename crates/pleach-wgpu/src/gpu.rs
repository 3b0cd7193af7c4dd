//! `Gpu`: the device and queue of the caller, with what was found out about them.

use crate::Tier;

/// A device with its queue, tier and limits.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
    /// The tier that is used: that of the device, or a lower one.
    pub tier: Tier,
    /// The limits of the device.
    pub limits: wgpu::Limits,
}

impl Gpu {
    /// Uses a device and its queue, which are reference-counted, in the best tier that it supports.
    #[must_use]
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let limits = device.limits();
        let tier = Tier::from_limits(&limits);
        Self { device: device.clone(), queue: queue.clone(), tier, limits }
    }

    /// Uses at most this tier.
    #[must_use]
    pub fn with_max_tier(self, tier: Tier) -> Self {
        Self { tier: self.tier.min(tier), ..self }
    }
}
