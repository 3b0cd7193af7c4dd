//! The shaders of reflectance, environment, lights and tone mapping, compared with pleach-shading.

mod agreement;
mod functions;
mod harness;
mod inputs;
mod validation;

/// The files that the tests include, in an order in which each follows what it uses.
pub(crate) const BRDF: [&str; 11] = [
    include_str!("../../../src/shaders/brdf_surface.wgsl"),
    include_str!("../../../src/shaders/brdf_fresnel.wgsl"),
    include_str!("../../../src/shaders/brdf_ggx.wgsl"),
    include_str!("../../../src/shaders/brdf_anisotropy.wgsl"),
    include_str!("../../../src/shaders/brdf_clearcoat.wgsl"),
    include_str!("../../../src/shaders/brdf_diffuse.wgsl"),
    include_str!("../../../src/shaders/brdf_sheen.wgsl"),
    include_str!("../../../src/shaders/brdf_iridescence.wgsl"),
    include_str!("../../../src/shaders/brdf_transmission.wgsl"),
    include_str!("../../../src/shaders/environment.wgsl"),
    include_str!("../../../src/shaders/brdf_shading.wgsl"),
];
pub(crate) const PUNCTUAL: &str = include_str!("../../../src/shaders/punctual.wgsl");
pub(crate) const TONE_MAPPING: &str = include_str!("../../../src/shaders/tone_mapping.wgsl");
pub(crate) const STORABLE_LIGHT: &str = include_str!("../../../src/shaders/storable_light.wgsl");
