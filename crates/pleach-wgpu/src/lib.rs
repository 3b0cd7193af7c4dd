//! Draws [`pleach`] scenes in real time with wgpu.
//!
//! [`Renderer`] draws the render list of a view into the caller's target, in every frame; see there for
//! an example. [`Headless`] renders images without a window:
//!
//! ```
//! use pleach::glam::{Vec3, Vec4};
//! use pleach::{Camera, Material, Node, Scene, View, shapes::Cuboid};
//! use pleach_wgpu::{Headless, Options};
//!
//! let mut scene = Scene::new();
//! let cube = scene.assets.add(Cuboid::new(Vec3::splat(4.0)).build()?);
//! let red = scene.assets.add(Material::from_color(Vec4::new(0.8, 0.05, 0.05, 1.0)));
//! scene.spawn(Node::mesh(&cube, &red))?;
//! scene.update()?;
//! let view = View::new(&Camera::default(), Camera::default_transform(), (64, 48))?;
//!
//! // Needs an adapter; a software driver such as lavapipe is enough.
//! let Ok(mut headless) = pollster::block_on(Headless::new(Options::default())) else { return Ok(()) };
//! let image = headless.render(&scene, &view, [64, 48])?;
//! let [r, g, ..] = image.pixels[24 * 64 + 32];
//! assert!(r > 100 && r > g);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! - **Nothing is submitted, nothing blocks.** Uploads and draws are commands in the caller's encoder, in their
//!   order: several views can be drawn before one submission.
//! - **Only what changed is uploaded** ([`upload`]): matrices by changed rows, geometry once per vertex
//!   buffer, materials and textures when they are edited.
//! - **Two tiers** ([`Tier`]), chosen once; both draw every model.
//! - **Same picture as the CPU.** The equations are those of `pleach-shading`, which `pleach-render`
//!   evaluates for each ray.
//! - **Overlays** ([`overlay`]): the debug overlays of `pleach-render`, except for labels.
//! - **Errors instead of panics** because of a scene, a target or what the device refuses: see [`Error`]
//!   and [`Warning`].
//!
//! # Limitations
//!
//! Shadows of blended surfaces are dithered. A transmissive surface does not show other transmissive
//! ones. Transparent draws are sorted by the centres of their bounds; triangles within a draw are not, nor are
//! the instances of a mesh: they are blended in the order of its matrices.
//!
//! Geometries without tangents get those of MikkTSpace if a material needs them, along the coordinates of
//! the first such material; if its textures are turned or use several sets of coordinates, shaders derive
//! tangents from the coordinates instead.
//!
//! A draw on a device that was lost draws nothing. It is an error if bundles are recorded; the device's
//! callback ([`wgpu::Device::set_device_lost_callback`]) reports the loss in any case. Create another device
//! and another renderer then.
//!
//! The example `orbit` shows a file in a window and handles surfaces that are lost:
//! `cargo run -p pleach-wgpu --example orbit -- MODEL.glb`.

#![forbid(unsafe_code)]

mod device_loss;
mod draw;
mod error;
mod error_scope;
mod gpu;
mod headless;
mod light;
mod options;
pub mod overlay;
mod pipeline;
mod readback;
mod renderer;
mod shaders;
mod tier;
pub mod upload;

pub use draw::ids::{IdImage, IdReadback, PixelId};
pub use error::{Error, Warning};
pub use gpu::Gpu;
pub use headless::{Headless, RenderedImage, render_image};
pub use options::{Options, Shadows};
pub use pleach_shading::{Exposure, Studio, ToneMapping};
pub use readback::Readback;
pub use renderer::{DrawStats, Renderer, Target};
#[doc(hidden)]
pub use shaders::shader_variants;
pub use tier::Tier;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
