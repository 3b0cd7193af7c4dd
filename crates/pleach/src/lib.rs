//! A scene that a renderer can consume: meshes, skins, cameras, lights, animation, culling, picking
//! and a render list, built on `pleach-graph` and `pleach-spatial`.
//!
//! ```
//! use pleach::glam::{Vec3, Vec4};
//! use pleach::shapes::Cuboid;
//! use pleach::{Camera, Filter, Light, Material, Node, RenderList, Scene, Visible};
//!
//! // Build: describe nodes and spawn them.
//! let mut scene = Scene::new();
//! let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
//! let wood = scene.assets.add(Material::from_color(Vec4::new(0.6, 0.4, 0.2, 1.0)));
//! let stack = scene.spawn(Node::group().named("crates"))?;
//! let cube = scene.spawn(Node::mesh(&cube, &wood).under(stack).at(Vec3::Z))?;
//! let camera = scene.spawn(Node::camera(Camera::default()).with_transform(Camera::default_transform()))?;
//! scene.spawn(Node::light(Light::directional(Vec3::ONE, 1.0)))?;
//!
//! // The frame: edit, update, view, cull, list.
//! let (mut visible, mut list) = (Visible::new(), RenderList::new());
//! scene.graph.node_mut(stack)?.set_translation(Vec3::X)?;
//! scene.update()?;
//! let view = scene.view(camera, (1280, 720))?;
//! scene.cull(&view, &mut visible);
//! list.build(&scene, &visible, &view);
//! assert_eq!(list.opaque()[0].node, cube);
//!
//! // Pick at the centre of the image.
//! let ray = view.ray_through_pixel(pleach::glam::Vec2::new(640.0, 360.0)).unwrap();
//! let _hit = scene.pick(&ray, &Filter::default());
//! # Ok::<(), pleach::Error>(())
//! ```
//!
//! # Design
//!
//! - **Components are rows in tables.** A node is a mesh, a light or both if the scene's
//!   [`Table`]s of meshes and lights have a row for it. A joint is any node that a skin lists, so a
//!   sword is attached to a hand as to any other node, and follows it in the same frame.
//! - **Data flows one way through the frame**: animate → edit → update → view → cull → list. Each
//!   stage can be called on its own, reads the results of the stages before it, and writes to
//!   buffers that its caller keeps. The cost of an update is proportional to the nodes and
//!   components that changed, that of a list to the visible nodes. No stage allocates in the steady
//!   state.
//! - **Bounds follow the pose.** A skinned or morphed mesh is culled and picked in its current
//!   pose, not in its bind pose, in every frame and without an extra call.
//! - **Assets are held by reference-counted handles**, shared by scenes and clones;
//!   [`Assets::drain_unused`] lists the assets that a renderer can free.
//! - **Bit-for-bit reproducible**, on every machine and with any number of threads: see
//!   `pleach-graph`.
//!
//! # Out of scope
//!
//! It does not draw (see `pleach-render`) or read files (see `pleach-gltf`), and has no physics,
//! sound or scripts.
//!
//! # Features
//!
//! - `parallel`: `Scene::update_parallel`, on rayon.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;

pub mod animation;
pub mod shapes;

mod assets;
mod check;
mod clone;
mod components;
mod error;
mod frame;
mod scene;
mod scenes;
mod up_axis;
mod view;

pub use assets::{
    AlphaMode, Anisotropy, Asset, AssetChangeReader, AssetChanges, AssetEdit, AssetId, AssetKind,
    AssetRef, AssetVersion, Assets, Attribute, Clearcoat, Geometry, GeometryDerived, GeometryError,
    Handle, Image, ImageData, ImageError, Influences, Iridescence, MagFilter, Material, MinFilter,
    MorphTarget, Sampler, Sheen, Specular, TextureRef, TextureTransform, Topology, Transmission,
    TreeRef, Triangles, UnusedAsset, VertexData, Volume, Wrap,
};
pub use check::SceneProblem;
pub use components::{
    Ambient, Background, Camera, Constraint, ConstraintError, Constraints, Environment, Fog, Level,
    Light, LightKind, Lod, Mesh, Node, NodeKind, Part, Skin, SkinError, Table,
};
pub use error::{Error, ExternalReferenceError, ScenesError};
pub use frame::{Draw, JointMatrices, RenderList, SceneUpdateStats};
pub use pleach_graph::{Graph, NodeId, NodeMap, Transform};
pub use pleach_graph::{axes, rotation};
pub use pleach_spatial::ClipSpace;
pub use pleach_spatial::{Aabb, Filter, Frustum, Hit, Instances, Ray, SpatialIndex, Visible};
pub use scene::Scene;
pub use scenes::Scenes;
pub use up_axis::UpAxis;
pub use view::{
    Lens, Projection, ProjectionError, ProjectionParameter, Shadow, ShadowError, ShadowView, View,
    ViewError, Viewport,
};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Examples;
}
