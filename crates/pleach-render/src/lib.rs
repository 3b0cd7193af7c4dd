//! A picture of a [`pleach`] scene on any machine: rays through its index, on all cores, without
//! any driver or GPU.
//!
//! ```
//! use pleach::glam::{Vec3, Vec4};
//! use pleach::{Material, Node, Scene, shapes::Torus};
//! use pleach_render::{Renderer, framing, visible_bounds};
//!
//! let mut scene = Scene::new();
//! let ring = scene.assets.add(Torus::new(1.0, 0.3).build()?);
//! let gold = Material { roughness: 0.3, base_color: Vec4::new(1.0, 0.8, 0.3, 1.0), ..Material::default() };
//! let gold = scene.assets.add(gold);
//! let ring = scene.spawn(Node::mesh(&ring, &gold))?;
//! scene.update()?;
//!
//! // A camera that sees all of it, from the right, front and above.
//! let (camera, place) = framing(&visible_bounds(&scene), Vec3::new(1.0, -2.0, 1.5), 4.0 / 3.0);
//! let camera = scene.spawn(Node::camera(camera).with_transform(place))?;
//! scene.update()?;
//!
//! let picture = Renderer::new().render(&scene, &scene.view(camera, (80, 60))?)?;
//! assert_eq!(picture.bytes().len(), 80 * 60 * 4);           // what an encoder takes
//! assert!(picture.nodes.contains(&Some(ring)));             // and what is where
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it draws
//!
//! - Triangles, lines and points of all meshes that are shown: posed by skins and morph targets, with
//!   all their copies, at the level of detail that a [`RenderList`](pleach::RenderList) would
//!   choose, on the camera's layers, between its near and far planes.
//! - glTF's metallic-roughness materials: textures with all wraps, filters and transforms, normal
//!   maps, occlusion, emission, vertex colours, masks and blends, single and double sides; and of
//!   the extensions unlit, emissive strength, ior, specular, clearcoat, and transmission and
//!   volume as a tint. Sheen, iridescence, anisotropy and dispersion are not drawn.
//! - Directional, point and spot lights as in KHR_lights_punctual, all with hard shadows
//!   ([`Settings::shadows`]), ambient light, fog and background.
//!
//! # Light
//!
//! - A white rough surface that faces a directional light of intensity 1 is white: there is no
//!   1/π between light and colour. Point and spot lights are that bright at 1 metre.
//! - [`Exposure::Auto`] leaves a picture alone unless it would be black or white, so
//!   files with physical units come out, too. Above 0.8 a curve keeps shades in what is too bright; plain
//!   colours below it are exact, and so are unlit ones.
//! - A scene without light gets a [`Studio`].
//! - Light from a lamp is shaded by what stands in its way: by masks where they are, by blends as much
//!   as they cover. A single-sided surface is not there from behind, neither for the eye nor
//!   for light. Light from all around is not shaded.
//!
//! # Why it is this way
//!
//! - **The same bits everywhere.** A picture depends on scene, view and settings, and on
//!   nothing else: not on the number of threads, nor on the machine. Pictures can be compared.
//! - **One index.** The rays go through the scene's own tree and its geometries' trees, which
//!   are there for picking anyway. What a pixel shows is what a pick would meet.
//! - **Nothing a file brings panics, hangs or takes memory without end.** Numbers that are not finite,
//!   columns that are missing and images that are broken have an answer.
//!
//! # What it costs
//!
//! A picture of 1280 × 720 with a model of 100 000 triangles, two lights and their shadows takes
//! about a second on two cores. One ray goes through each pixel, and four (or
//! [16](Settings::samples)) more where something changes. Trees are built when a geometry is first
//! drawn, and kept with it; textures are kept by the [`Renderer`]. A posed mesh is posed for each picture.
//!
//! # What it does not do
//!
//! No reflections of other things, no soft shadows, no light that is scattered from surface to
//! surface. It does not decode images: give it a [decoder](Renderer::with_decoder).

#![forbid(unsafe_code)]

mod error;
mod framing;
mod light;
mod lines;
mod output;
mod overlay;
mod prepare;
mod settings;
mod trace;
mod visible_bounds;

pub use error::Error;
pub use framing::{Framing, framing};
pub use output::picture::Picture;
pub use output::renderer::Renderer;
pub use overlay::*;
pub use settings::{Exposure, Settings, Studio};
pub use visible_bounds::visible_bounds;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
