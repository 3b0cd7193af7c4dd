//! Stage 2: camera rays through the prepared scene.
//!
//! Reads the prepared scene, the view and the lights; returns for each ray the light that it
//! carries, the transmittance to the background, and the first surface hit.
//!
//! The equations of light are those of `pleach-shading`, which `pleach-wgpu` shares.
//!
//! Guarantees: all results are finite and not negative. A result depends on scene, view and settings only. Surfaces are composited front to
//! back in the order of distance, so the output does not depend on the number of threads.

pub(crate) mod camera_rays;
pub(crate) mod corners;
pub(crate) mod outgoing_light;
pub(crate) mod sampling;
pub(crate) mod surface;
pub(crate) mod tangent_frame;
pub(crate) mod tracer;
pub(crate) mod transmission_buffer;
