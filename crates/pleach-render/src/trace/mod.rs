//! Stage 2: camera rays through the prepared scene.
//!
//! Reads the prepared scene, the view and the lights; returns for each ray the light that it
//! carries, the transmittance to the background, and the first surface hit.
//!
//! Guarantees: a result depends on scene, view and settings only. Surfaces are composited front to
//! back in the order of distance, so the output does not depend on the number of threads.

pub(crate) mod camera_rays;
pub(crate) mod sampling;
pub(crate) mod surface;
pub(crate) mod tracer;
