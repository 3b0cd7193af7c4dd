//! `Tier`: what a device can do, in two steps.
//!
//! A tier is chosen once, when a renderer is created. Code asks for the tier, never for single features:
//! there are two ways to draw, and each is tested as a whole.

/// The abilities that a renderer relies on.
///
/// ```
/// use pleach_wgpu::Tier;
///
/// assert_eq!(Tier::from_limits(&wgpu::Limits::default()), Tier::Full);
/// assert_eq!(Tier::from_limits(&wgpu::Limits::downlevel_webgl2_defaults()), Tier::Limited);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// WebGL2 and old OpenGL: no storage buffers and no compute shaders. Data of any length is in
    /// float textures.
    Limited,
    /// The minimum of WebGPU: storage buffers and compute shaders.
    Full,
}

impl Tier {
    /// Returns the tier of a device with these limits.
    #[must_use]
    pub fn from_limits(limits: &wgpu::Limits) -> Self {
        let webgpu = wgpu::Limits::default();
        let is_full = limits.max_storage_buffers_per_shader_stage
            >= webgpu.max_storage_buffers_per_shader_stage
            && limits.max_compute_invocations_per_workgroup
                >= webgpu.max_compute_invocations_per_workgroup
            && limits.max_compute_workgroups_per_dimension
                >= webgpu.max_compute_workgroups_per_dimension;
        if is_full { Self::Full } else { Self::Limited }
    }
}
