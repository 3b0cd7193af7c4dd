//! `Stage`: a scene made ready for rays, for one view. Threads share it.
//!
//! One actor for each mesh that is shown at its level of detail, with its parts posed and their
//! trees built. Everything here is read only once it is made.
//!
//! Invariant: `slots` names an actor for each node that has one; parts of an actor lie together.

use std::collections::HashMap;

use glam::{DMat3, DMat4, Mat3, Mat4, Vec3, Vec4};
use pleach::{AssetId, Geometry, Handle, Material, Mesh, NodeId, Scene, View};
use pleach_spatial::{Instances, Shape, TriangleTree};
use rayon::prelude::*;

use crate::prepare::level_of_detail::Detail;
use crate::prepare::posed_vertices::Posed;
use crate::prepare::shading_material::Paint;
use crate::prepare::texture_cache::Gallery;
use crate::visible_bounds::is_shown;

const NONE: u32 = u32::MAX;

/// A scene made ready for rays.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) actors: Vec<Actor<'a>>,
    parts: Vec<Part<'a>>,
    paints: Vec<Paint>,
    /// By slot of a node: its actor.
    slots: Vec<u32>,
}

/// A mesh that is shown.
#[derive(Debug)]
pub(crate) struct Actor<'a> {
    pub(crate) node: NodeId,
    pub(crate) layers: u32,
    pub(crate) casts: bool,
    pub(crate) receives: bool,
    instances: Option<&'a Instances>,
    in_world: bool,
    mirrored: bool,
    world: Mat4,
    /// Of the node itself, without copies.
    placing: Placing,
    first_part: u32,
    parts: u32,
}

/// One geometry of a mesh.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) geometry: &'a Handle<Geometry>,
    posed: Option<Box<Posed>>,
    paint: u32,
    /// The mesh's palette, if its faces choose.
    palette: Vec<u32>,
}

/// From the space of a part's vertices to the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placing {
    pub(crate) linear: Mat3,
    /// For normals, of any length.
    pub(crate) normals: Mat3,
    /// −1 if it mirrors.
    pub(crate) sign: f32,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(scene: &'a Scene, view: &View, gallery: &mut Gallery) -> Self {
        let mut stage = Self {
            scene,
            actors: Vec::new(),
            parts: Vec::new(),
            paints: Vec::new(),
            slots: vec![NONE; scene.graph.parents().len()],
        };
        let meshes = shown(scene, view);
        let mut palette = Palette::default();
        for &(node, mesh) in &meshes {
            stage.add(node, mesh, &mut palette);
        }
        gallery.hang(palette.materials.iter().map(|material| &***material));
        stage.paints = palette.materials.iter().map(|it| Paint::new(it, gallery)).collect();
        stage.pose();
        stage.parts.par_iter().for_each(|part| {
            _ = part.tree();
        });
        stage
    }

    fn add(&mut self, node: NodeId, mesh: &'a Mesh, palette: &mut Palette<'a>) {
        let Some(at) = self.scene.graph.get(node) else { return };
        let in_world = self.scene.skin(node).is_some();
        let mirrored = in_world && self.scene.joint_matrices().mirrors(node);
        let world = at.world();
        let first_part = self.parts.len() as u32;
        for part in &mesh.parts {
            self.parts.push(Part {
                geometry: &part.geometry,
                posed: None,
                paint: palette.number(&part.material),
                palette: mesh.materials.iter().map(|material| palette.number(material)).collect(),
            });
        }
        self.slots[node.index()] = self.actors.len() as u32;
        self.actors.push(Actor {
            node,
            layers: mesh.layers,
            casts: mesh.cast_shadow,
            receives: mesh.receive_shadow,
            instances: mesh.instances.as_deref().filter(|_| !in_world),
            in_world,
            mirrored,
            world,
            placing: Placing::new(&(if in_world { DMat4::IDENTITY } else { world.as_dmat4() })),
            first_part,
            parts: mesh.parts.len() as u32,
        });
    }

    /// Poses what is skinned or morphed, on all threads.
    fn pose(&mut self) {
        let scene = self.scene;
        let mut poses: Vec<(&[Mat4], &[f32])> = Vec::with_capacity(self.parts.len());
        for actor in &self.actors {
            let palette = scene.joint_matrices().get(actor.node).filter(|_| actor.in_world);
            let weights =
                scene.weights.get(&scene.graph, actor.node).map_or(&[][..], Vec::as_slice);
            let pose = (palette.unwrap_or(&[]), weights);
            poses.extend(std::iter::repeat_n(pose, actor.parts as usize));
        }
        self.parts.par_iter_mut().zip(poses).for_each(|(part, (palette, weights))| {
            let is_morphed = !weights.is_empty() && !part.geometry.morph_targets.is_empty();
            if !palette.is_empty() || is_morphed {
                part.posed = Some(Box::new(Posed::new(part.geometry, palette, weights)));
            }
        });
    }

    /// The actor of a node.
    pub(crate) fn actor(&self, node: NodeId) -> Option<&Actor<'a>> {
        let actor = self.slots.get(node.index())?;
        self.actors.get(*actor as usize)
    }

    pub(crate) fn part(&self, actor: &Actor<'_>, number: u32) -> &Part<'a> {
        &self.parts[(actor.first_part + number) as usize]
    }

    /// What a part of a node looks like to a ray.
    pub(crate) fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let actor = self.actor(node)?;
        actor.shape(part, &self.parts)
    }

    /// As `shape`, of what throws shadows.
    pub(crate) fn casting_shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let actor = self.actor(node).filter(|actor| actor.casts)?;
        actor.shape(part, &self.parts)
    }

    /// The paint of a triangle.
    pub(crate) fn paint(&self, part: &Part<'_>, triangle: u32) -> &Paint {
        let chosen = match &part.palette[..] {
            [] => part.paint,
            palette => {
                let number = part.geometry.face_material(triangle as usize) as usize;
                palette.get(number).copied().unwrap_or(part.paint)
            }
        };
        &self.paints[chosen as usize]
    }
}

impl Actor<'_> {
    fn shape<'s>(&'s self, part: u32, parts: &'s [Part<'_>]) -> Option<Shape<'s>> {
        if part >= self.parts {
            return None;
        }
        let tree = parts[(self.first_part + part) as usize].tree();
        let instances = self.instances;
        Some(Shape {
            triangles: tree,
            instances,
            world_space: self.in_world,
            mirrored: self.mirrored,
        })
    }

    /// Where a copy of it is.
    pub(crate) fn matrix(&self, instance: Option<u32>) -> DMat4 {
        if self.in_world {
            return DMat4::IDENTITY;
        }
        let world = self.world.as_dmat4();
        let copy = self
            .instances
            .zip(instance)
            .and_then(|(instances, number)| instances.matrices().get(number as usize));
        copy.map_or(world, |matrix| world * matrix.as_dmat4())
    }

    pub(crate) fn copies(&self) -> u32 {
        self.instances.map_or(1, |instances| instances.len() as u32)
    }

    pub(crate) fn has_copies(&self) -> bool {
        self.instances.is_some()
    }

    pub(crate) fn part_count(&self) -> u32 {
        self.parts
    }

    pub(crate) fn placing(&self, instance: Option<u32>) -> Placing {
        match instance {
            None => self.placing,
            Some(_) => Placing::new(&self.matrix(instance)),
        }
    }
}

impl Placing {
    fn new(matrix: &DMat4) -> Self {
        let linear = DMat3::from_mat4(*matrix);
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = linear;
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        // Their size does not matter, but f32 must hold it.
        let size = cofactors.iter().fold(0.0, |most: f64, it| most.max(it.abs().max_element()));
        let sign = if x.dot(cofactors[0]) < 0.0 { -1.0 } else { 1.0 };
        let scale = if size > 0.0 { sign / size } else { 0.0 };
        let [a, b, c] = cofactors.map(|it| (it * scale).as_vec3());
        Self { linear: linear.as_mat3(), normals: Mat3::from_cols(a, b, c), sign: sign as f32 }
    }
}

impl Part<'_> {
    pub(crate) fn tree(&self) -> &TriangleTree {
        self.posed.as_ref().map_or_else(|| self.geometry.tree(), |posed| &posed.tree)
    }

    pub(crate) fn positions(&self) -> &[Vec3] {
        self.posed.as_ref().map_or(&self.geometry.positions, |posed| &posed.positions)
    }

    pub(crate) fn normals(&self) -> &[Vec3] {
        self.posed.as_ref().map_or(&self.geometry.normals, |posed| &posed.normals)
    }

    pub(crate) fn tangents(&self) -> &[Vec4] {
        self.posed.as_ref().map_or(&self.geometry.tangents, |posed| &posed.tangents)
    }
}

/// The meshes that are shown, by slot, at the level of detail that the view chooses. Those on
/// none of the view's layers are among them: they throw shadows.
fn shown<'a>(scene: &'a Scene, view: &View) -> Vec<(NodeId, &'a Mesh)> {
    let detail = Detail::new(scene, view);
    let meshes = scene.meshes.iter(&scene.graph);
    let is_shown = |node| is_shown(scene, node) && detail.shows(node);
    let mut shown: Vec<_> = meshes.filter(|&(node, _)| is_shown(node)).collect();
    shown.sort_unstable_by_key(|(node, _)| node.index());
    shown
}

/// The materials in use, each once.
#[derive(Default)]
struct Palette<'a> {
    numbers: HashMap<AssetId, u32>,
    materials: Vec<&'a Handle<Material>>,
}

impl<'a> Palette<'a> {
    fn number(&mut self, material: &'a Handle<Material>) -> u32 {
        *self.numbers.entry(material.id()).or_insert_with(|| {
            self.materials.push(material);
            self.materials.len() as u32 - 1
        })
    }
}
