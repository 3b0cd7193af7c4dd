//! A software ray tracer for [`pleach`] scenes: it renders pictures on any number of cores, without a
//! driver or a GPU.
//!
//! ```
//! use pleach::glam::{Vec3, Vec4};
//! use pleach::{Material, Node, Scene, View, shapes::Torus};
//! use pleach_render::{Renderer, framing, visible_bounds};
//!
//! let mut scene = Scene::new();
//! let ring = scene.assets.add(Torus::new(1.0, 0.3).build()?);
//! let gold = Material { roughness: 0.3, base_color: Vec4::new(1.0, 0.8, 0.3, 1.0), ..Material::default() };
//! let gold = scene.assets.add(gold);
//! let ring = scene.spawn(Node::mesh(&ring, &gold))?;
//! scene.update()?;
//!
//! // A camera that frames the scene from the right, front and above.
//! let (camera, transform) = framing(&visible_bounds(&scene), Vec3::new(1.0, -2.0, 1.5), 4.0 / 3.0);
//! let view = View::new(&camera, transform, (80, 60))?;
//! let picture = Renderer::new().render(&scene, &view)?;
//! assert_eq!(picture.bytes().len(), 80 * 60 * 4);           // as image encoders expect it
//! assert!(picture.nodes.contains(&Some(ring)));             // the node of each pixel
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it draws
//!
//! - Triangles, lines and points of all visible meshes, with skins, morph targets and instances, at
//!   the level of detail that a [`RenderList`](pleach::RenderList) would select, on the camera's
//!   layers, between its near and far planes.
//! - glTF's metallic-roughness materials: textures with all wrap modes, filters and transforms,
//!   normal maps, occlusion, emission, vertex colours, alpha masks and blending, single- and
//!   double-sided surfaces; of the extensions: unlit, emissive strength, ior, specular, clearcoat,
//!   and transmission and volume as a tint. Sheen, iridescence, anisotropy and dispersion are
//!   ignored.
//! - Directional, point and spot lights as in KHR_lights_punctual, all with hard shadows
//!   ([`Settings::shadows`]), ambient light, fog and a background.
//!
//! # Light
//!
//! - A white rough surface that faces a directional light of intensity 1 is white: there is no
//!   factor 1/π between light and colour. Point and spot lights have that brightness at a distance
//!   of 1 metre.
//! - [`Exposure::Auto`] changes the exposure only if the picture would be black or white, so files
//!   in physical units are well exposed too. Tone mapping compresses values above 0.8; values below,
//!   and unlit colours, are exact.
//! - A scene without lights is lit by default lights; see [`Studio`].
//! - Punctual lights cast shadows: masked surfaces block light where they are opaque, blended ones
//!   in proportion to their alpha. A single-sided surface is invisible from behind, both to the
//!   camera and to light. Ambient light casts no shadows.
//!
//! # Design
//!
//! - **Deterministic to the bit.** A picture depends on scene, view and settings only, neither on
//!   the number of threads nor on the machine. Pictures can be compared byte by byte.
//! - **One index.** Rays traverse the scene's own spatial index and the triangle trees of its
//!   geometries, which also serve picking. A pixel shows what a pick would hit, if that is opaque
//!   and not seen from behind.
//! - **No input causes a panic, a hang or unbounded memory use.** Numbers that are not finite,
//!   missing vertex attributes and broken images have defined results.
//!
//! # Cost
//!
//! A picture of 1280 × 720 pixels with a model of 100 000 triangles, two lights and shadows takes
//! about a second on two cores. Each pixel gets one ray, and pixels at edges get four more (or
//! 16 or none; see [`Settings::samples`]). Triangle trees are built when a geometry is first
//! drawn, and stored with it; decoded textures are stored in the [`Renderer`]. Skinned and morphed
//! meshes are posed for each picture.
//!
//! # Limitations
//!
//! No reflections of other objects, no soft shadows, no indirect light. Images are not decoded:
//! provide a [decoder](Renderer::with_decoder).
//!
//! # Features
//!
//! - `parallel`: pictures, overlays and bounds on rayon's threads. No call uses more than the calling
//!   thread unless it is asked to, by [`Settings::threads`] or [`with_threads`].

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod framing;
mod light;
mod lines;
mod output;
mod overlay;
mod prepare;
mod settings;
mod threads;
mod trace;
mod visible_bounds;

pub use error::Error;
pub use framing::{Framing, framing};
pub use output::picture::Picture;
pub use output::renderer::Renderer;
pub use overlay::*;
pub use settings::{Exposure, Settings, Studio};
pub use threads::with_threads;
pub use visible_bounds::visible_bounds;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
