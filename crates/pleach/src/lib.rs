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
//!   [`Table`]s of meshes and lights have a row for it. A type of your own becomes a component by
//!   implementing [`Component`], and is dropped, cloned and listed as changed like these. A joint is any node that a skin lists, so a
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
//! # Conventions
//!
//! Right-handed, Z up, metres, radians, seconds. Matrices are column-major and multiply column
//! vectors, so `a * b` applies `b` first. Quaternions are x, y, z, w. A camera or light looks along
//! the −Z of its node, with +Y up; a model faces −Y. Triangles are counterclockwise seen from the
//! front, colours are linear, and the origin of texture coordinates is the upper left corner.
//!
//! ```
//! use pleach::glam::{Mat4, Vec3};
//! use pleach::{Camera, Transform, axes, rotation};
//!
//! assert_eq!((axes::RIGHT, axes::FORWARD, axes::UP), (Vec3::X, Vec3::Y, Vec3::Z));
//! assert_eq!(axes::RIGHT.cross(axes::FORWARD), axes::UP);              // right-handed
//! let quarter = rotation::from_rotation_z(std::f32::consts::FRAC_PI_2); // radians, counterclockwise
//! assert!((quarter * Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
//! assert_eq!(quarter.to_array()[3], quarter.w);
//!
//! let (moved, turned) = (Mat4::from_translation(Vec3::X), Mat4::from_quat(quarter));
//! let point = (moved * turned).transform_point3(Vec3::X);              // turned first, then moved
//! assert!(point.abs_diff_eq(Vec3::new(1.0, 1.0, 0.0), 1e-6));
//! assert_eq!(moved.to_cols_array()[12], 1.0);                          // column-major
//!
//! let camera = Transform::IDENTITY.looking_at(Vec3::X * 5.0, axes::UP);
//! assert!((camera.rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6));
//! assert_eq!(Camera::perspective(60f32.to_radians()), Camera::default());
//! ```
//!
//! # Modules
//!
//! What every program uses is here; the rest is by topic: [`asset`], [`geometry`], [`material`],
//! [`component`], [`camera`], [`light`], [`animation`], [`shapes`], [`render_list`], [`report`], and
//! the two crates below, [`graph`] and [`spatial`], complete.
//!
//! # Out of scope
//!
//! It does not draw (see `pleach-render`) or read files (see `pleach-gltf`), and has no physics,
//! sound or scripts.
//!
//! # Features
//!
//! - `parallel`: `Scene::update_parallel`, on rayon.
//! - `serde`: `Serialize` and `Deserialize` for [`NodeId`] and [`Transform`].
//! - `bytemuck`: `bytemuck::Pod` for world matrices.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use glam;
pub use pleach_graph as graph;
pub use pleach_spatial as spatial;

pub mod animation;
pub mod shapes;

mod assets;
mod changes;
mod check;
mod clone;
mod components;
mod content;
mod error;
mod frame;
mod history;
mod restore;
mod scene;
mod scenes;
mod spawn_many;
mod stamp;
mod up_axis;
mod view;

pub use assets::{Geometry, Handle, Material};
pub use components::{Camera, Light, Mesh, Node};
pub use error::Error;
pub use frame::RenderList;
pub use history::History;
pub use pleach_graph::{Graph, NodeId, NodeMap, NodeMut, NodeRef, Transform, Walk, axes, rotation};
pub use pleach_spatial::{Aabb, Filter, Hit, Ray, SpatialIndex, Visible};
pub use scene::Scene;
pub use scenes::Scenes;
pub use view::View;

/// Assets: their registry, handles, ids, versions and changes.
pub mod asset {
    pub use crate::assets::{
        Asset, AssetChangeReader, AssetChanges, AssetEdit, AssetEditError, AssetId, AssetKind,
        AssetRef, AssetVersion, Assets, Handle, UnusedAsset,
    };
}

/// Geometries: vertex data, triangles, morph targets and instances.
pub mod geometry {
    pub use crate::assets::{
        Attribute, Geometry, GeometryDerived, GeometryError, Influences, MaterialGroup,
        MaterialGroups, MorphTarget, Topology, TreeRef, Triangles, VertexData,
    };
    pub use pleach_spatial::{Instances, TriangleTree};
}

/// Materials, their extensions, textures and images.
pub mod material {
    pub use crate::assets::{
        AlphaMode, Anisotropy, Clearcoat, DiffuseTransmission, Image, ImageData, ImageError,
        Iridescence, MagFilter, Material, MinFilter, Sampler, Sheen, Specular, TextureRef,
        TextureTransform, Transmission, Volume, Wrap,
    };
}

/// Components of nodes, built-in and your own, and their tables.
pub mod component {
    pub use crate::components::{
        BindMode, Bounds, Component, Constraint, ConstraintError, Level, Lod, MapNode, Mesh,
        MorphWeights, Node, NodeKind, Part, RowChangeReader, RowChanges, RowEdit, RowError,
        RowMisfit, Skin, SkinError, Table, UnmappedNode,
    };
    pub use crate::content::Content;
    pub use crate::error::ExternalReferenceError;
}

/// Cameras, projections and views.
pub mod camera {
    pub use crate::components::Camera;
    pub use crate::up_axis::UpAxis;
    pub use crate::view::{
        Lens, Projection, ProjectionError, ProjectionParameter, View, ViewError, Viewport,
    };
    pub use pleach_spatial::{ClipSpace, Frustum};
}

/// Lights, shadows and the environment: ambient light, environment map, background and fog.
pub mod light {
    pub use crate::components::{
        Ambient, Background, Environment, EnvironmentError, EnvironmentMap, EnvironmentSource, Fog,
        Light, LightError, LightKind,
    };
    pub use crate::view::{Shadow, ShadowError, ShadowView};
}

/// The frame: render lists, lists of nodes, joint matrices, and the statistics of an update.
pub mod render_list {
    pub use crate::frame::{
        Draw, Frame, FrameStage, JointMatrices, NodeLists, RenderList, SceneUpdateStats,
    };
}

/// Undo and redo: transactions, their patches, and a history of them.
pub mod undo {
    pub use crate::assets::RecordedAsset;
    pub use crate::components::{RowEdit, RowError, RowMisfit};
    pub use crate::history::{History, Mark, ScenePatch};
    pub use pleach_graph::{Edit, Patch, PatchEdits, PatchError};
}

/// Changes, problems and errors of scenes.
pub mod report {
    pub use crate::changes::SceneChanges;
    pub use crate::check::{SceneProblem, SceneProblemKind};
    pub use crate::error::ScenesError;
    pub use crate::scenes::NameTaken;
}

// The items of the modules, by their short paths.
#[doc(hidden)]
pub use {
    asset::*, camera::*, component::*, geometry::*, light::*, material::*, render_list::*,
    report::*, undo::*,
};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    struct Examples;
}
