//! `PreparedScene`: a scene prepared for ray tracing from one view. Threads share it.
//!
//! One draw item for each mesh that is visible at its level of detail, with its parts posed and
//! their trees built. Read-only after construction.
//!
//! Invariant: `slots` contains the draw item of each node that has one; the parts of a draw item
//! are contiguous.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DMat3, DMat4, Mat3, Mat4, Vec3, Vec4};
use pleach::{AssetId, AssetVersion, Geometry, Handle, Material, Mesh, NodeId, Scene, View};
use pleach_shading::tangents::tangent_uv_set;
use pleach_spatial::{Instances, Shape, TriangleTree};

use crate::prepare::posed_vertices::PosedVertices;
use crate::prepare::shading_material::ShadingMaterial;
use crate::prepare::tangent_cache::{CornerTangents, TangentCache, TangentKey};
use crate::prepare::texture_cache::TextureCache;
use crate::threads;
use crate::visible_bounds::is_shown;

const NONE: u32 = u32::MAX;

/// A scene prepared for ray tracing.
#[derive(Debug)]
pub(crate) struct PreparedScene<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) items: Vec<DrawItem<'a>>,
    parts: Vec<PreparedPart>,
    materials: Vec<ShadingMaterial>,
    /// The index of a node's draw item, by slot of the node.
    slots: Vec<u32>,
}

/// A visible mesh.
#[derive(Debug)]
pub(crate) struct DrawItem<'a> {
    pub(crate) node: NodeId,
    pub(crate) layers: u32,
    pub(crate) casts_shadow: bool,
    pub(crate) receives_shadow: bool,
    instances: Option<&'a Instances>,
    world_space: bool,
    is_mirrored: bool,
    world: Mat4,
    /// The transform of the node itself, without instances.
    model_to_world: ModelToWorld,
    first_part: u32,
    parts: u32,
}

/// One geometry of a mesh, with its pose and materials.
#[derive(Debug)]
pub(crate) struct PreparedPart {
    pub(crate) geometry: Arc<AssetVersion<Geometry>>,
    posed: Option<Box<PosedVertices>>,
    /// The tangents generated for a geometry without, if the part is not posed.
    generated_tangents: Option<CornerTangents>,
    tangent_key: Option<TangentKey>,
    material: u32,
    /// The materials that faces select from; empty if the part has one material.
    face_materials: Vec<u32>,
}

/// The transform from the space of a part's vertices to world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelToWorld {
    pub(crate) linear: Mat3,
    /// The matrix for normals; it does not preserve their length.
    pub(crate) normals: Mat3,
    /// −1 if the transform mirrors, otherwise 1.
    pub(crate) sign: f32,
    /// The mean scale of the axes.
    pub(crate) scale: f32,
}

impl<'a> PreparedScene<'a> {
    pub(crate) fn new(
        scene: &'a Scene,
        view: &View,
        textures: &mut TextureCache,
        tangents: &mut TangentCache,
    ) -> Self {
        let mut prepared = Self {
            scene,
            items: Vec::new(),
            parts: Vec::new(),
            materials: Vec::new(),
            slots: vec![NONE; scene.graph.parents().len()],
        };
        let meshes = visible_meshes(scene, view);
        let mut table = MaterialTable::default();
        for &(node, mesh) in &meshes {
            prepared.add(node, mesh, &mut table);
        }
        textures.load(table.materials.iter().map(|material| material.value()));
        prepared.materials =
            table.materials.iter().map(|it| ShadingMaterial::new(it, textures)).collect();
        prepared.generate_tangents(tangents);
        prepared.pose();
        threads::map(&prepared.parts, |part| _ = part.tree());
        prepared
    }

    fn add(&mut self, node: NodeId, mesh: &'a Mesh, table: &mut MaterialTable) {
        let Some(at) = self.scene.graph.get(node) else { return };
        let world_space = self.scene.skin(node).is_some();
        let is_mirrored = world_space && self.scene.joint_matrices().mirrors(node);
        let world = at.world();
        let first_part = self.parts.len() as u32;
        for part in &mesh.parts {
            let geometry = part.geometry.snapshot();
            let materials = std::iter::once(&part.material).chain(&mesh.materials);
            let has_tangents = geometry.tangents.len() >= geometry.positions.len();
            let uv_set =
                materials.filter(|_| !has_tangents).find_map(|it| tangent_uv_set(&it.get()));
            self.parts.push(PreparedPart {
                tangent_key: uv_set.map(|it| (part.geometry.id(), geometry.version(), it)),
                geometry,
                posed: None,
                generated_tangents: None,
                material: table.index(&part.material),
                face_materials: mesh.materials.iter().map(|it| table.index(it)).collect(),
            });
        }
        self.slots[node.index()] = self.items.len() as u32;
        self.items.push(DrawItem {
            node,
            layers: mesh.layers,
            casts_shadow: mesh.cast_shadow,
            receives_shadow: mesh.receive_shadow,
            instances: mesh.instances.as_deref().filter(|_| !world_space),
            world_space,
            is_mirrored,
            world,
            model_to_world: ModelToWorld::new(
                &(if world_space { DMat4::IDENTITY } else { world.as_dmat4() }),
            ),
            first_part,
            parts: mesh.parts.len() as u32,
        });
    }

    /// Generates the tangents of geometries that need them and have none.
    fn generate_tangents(&mut self, tangents: &mut TangentCache) {
        let keyed = self.parts.iter().filter_map(|it| Some((it.tangent_key?, &it.geometry)));
        tangents.load(&keyed.map(|(key, geometry)| (key, Arc::clone(geometry))).collect());
        for part in &mut self.parts {
            part.generated_tangents = part.tangent_key.and_then(|key| tangents.get(&key));
        }
    }

    /// Poses skinned and morphed parts, on all threads.
    fn pose(&mut self) {
        let scene = self.scene;
        let mut poses: Vec<(&[Mat4], &[f32])> = Vec::with_capacity(self.parts.len());
        for item in &self.items {
            let joint_matrices = scene.joint_matrices().get(item.node).filter(|_| item.world_space);
            let weights = scene
                .weights
                .get(&scene.graph, item.node)
                .map_or(&[][..], pleach::MorphWeights::as_slice);
            let pose = (joint_matrices.unwrap_or(&[]), weights);
            poses.extend(std::iter::repeat_n(pose, item.parts as usize));
        }
        threads::for_each_chunk(
            &mut self.parts,
            1,
            || (),
            |(), index, parts| {
                let (part, (joint_matrices, weights)) = (&mut parts[0], poses[index]);
                let is_morphed = !weights.is_empty() && !part.geometry.morph_targets.is_empty();
                if !joint_matrices.is_empty() || is_morphed {
                    let generated = part.generated_tangents.as_deref();
                    let posed =
                        PosedVertices::new(&part.geometry, generated, joint_matrices, weights);
                    part.posed = Some(Box::new(posed));
                }
            },
        );
    }

    /// Returns the draw item of a node.
    pub(crate) fn item(&self, node: NodeId) -> Option<&DrawItem<'a>> {
        let item = self.slots.get(node.index())?;
        self.items.get(*item as usize)
    }

    pub(crate) fn part(&self, item: &DrawItem<'_>, index: u32) -> &PreparedPart {
        &self.parts[(item.first_part + index) as usize]
    }

    /// Returns the shape of a part for ray queries.
    pub(crate) fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let item = self.item(node)?;
        item.shape(part, &self.parts)
    }

    /// Returns the shape of a part for ray queries, unless all of it is transmissive.
    pub(crate) fn shape_behind_glass(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let item = self.item(node).filter(|item| part < item.parts)?;
        let prepared = self.part(item, part);
        let is_transmissive = prepared.face_materials.is_empty()
            && self.materials[prepared.material as usize].is_transmissive();
        item.shape(part, &self.parts).filter(|_| !is_transmissive)
    }

    /// Returns `true` if a visible mesh has a transmissive material.
    pub(crate) fn has_transmission(&self) -> bool {
        self.materials.iter().any(ShadingMaterial::is_transmissive)
    }

    /// Returns the shape of a part if its mesh casts shadows.
    pub(crate) fn casting_shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let item = self.item(node).filter(|item| item.casts_shadow)?;
        item.shape(part, &self.parts)
    }

    /// Returns the material of a triangle.
    pub(crate) fn material(&self, part: &PreparedPart, triangle: u32) -> &ShadingMaterial {
        let chosen = match &part.face_materials[..] {
            [] => part.material,
            face_materials => {
                let index = part.geometry.face_material(triangle as usize) as usize;
                face_materials.get(index).copied().unwrap_or(part.material)
            }
        };
        &self.materials[chosen as usize]
    }
}

impl DrawItem<'_> {
    fn shape<'s>(&'s self, part: u32, parts: &'s [PreparedPart]) -> Option<Shape<'s>> {
        if part >= self.parts {
            return None;
        }
        let tree = parts[(self.first_part + part) as usize].tree();
        let instances = self.instances;
        Some(Shape {
            triangles: tree,
            instances,
            world_space: self.world_space,
            mirrored: self.is_mirrored,
        })
    }

    /// Returns the world matrix of an instance.
    pub(crate) fn matrix(&self, instance: Option<u32>) -> DMat4 {
        if self.world_space {
            return DMat4::IDENTITY;
        }
        let world = self.world.as_dmat4();
        let instance_matrix = self
            .instances
            .zip(instance)
            .and_then(|(instances, index)| instances.matrices().get(index as usize));
        instance_matrix.map_or(world, |matrix| world * matrix.as_dmat4())
    }

    pub(crate) fn instance_count(&self) -> u32 {
        self.instances.map_or(1, |instances| instances.len() as u32)
    }

    pub(crate) fn has_instances(&self) -> bool {
        self.instances.is_some()
    }

    pub(crate) fn part_count(&self) -> u32 {
        self.parts
    }

    pub(crate) fn model_to_world(&self, instance: Option<u32>) -> ModelToWorld {
        match instance {
            None => self.model_to_world,
            Some(_) => ModelToWorld::new(&self.matrix(instance)),
        }
    }
}

impl ModelToWorld {
    fn new(matrix: &DMat4) -> Self {
        let linear = DMat3::from_mat4(*matrix);
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = linear;
        let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
        // Their magnitude is irrelevant, but f32 must represent it.
        let size = cofactors.iter().fold(0.0, |max: f64, it| max.max(it.abs().max_element()));
        let sign = if x.dot(cofactors[0]) < 0.0 { -1.0 } else { 1.0 };
        let scale = if size > 0.0 { sign / size } else { 0.0 };
        let [a, b, c] = cofactors.map(|it| (it * scale).as_vec3());
        let mean_scale = (x.length() + y.length() + z.length()) / 3.0;
        Self {
            linear: linear.as_mat3(),
            normals: Mat3::from_cols(a, b, c),
            sign: sign as f32,
            scale: if mean_scale.is_finite() { mean_scale.min(1e15) as f32 } else { 1.0 },
        }
    }
}

impl PreparedPart {
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

    /// Returns the generated tangents at the corners of a triangle.
    pub(crate) fn corner_tangents(&self, triangle: usize) -> Option<[Vec4; 3]> {
        let generated = self.generated_tangents.as_deref();
        let tangents = self.posed.as_ref().map_or(generated, |it| Some(&it.corner_tangents));
        tangents?.get(triangle).copied()
    }
}

/// Returns the visible meshes in the order of slots, at the level of detail that the view selects.
/// Meshes on none of the view's layers are included: they cast shadows.
fn visible_meshes<'a>(scene: &'a Scene, view: &View) -> Vec<(NodeId, &'a Mesh)> {
    let meshes = scene.meshes.iter(&scene.graph);
    let is_shown = |node| is_shown(scene, node) && scene.draws_level(view, node);
    let mut visible_meshes: Vec<_> = meshes.filter(|&(node, _)| is_shown(node)).collect();
    visible_meshes.sort_unstable_by_key(|(node, _)| node.index());
    visible_meshes
}

/// The materials in use, without duplicates.
#[derive(Default)]
struct MaterialTable {
    indices: HashMap<AssetId, u32>,
    materials: Vec<Arc<AssetVersion<Material>>>,
}

impl MaterialTable {
    fn index(&mut self, material: &Handle<Material>) -> u32 {
        *self.indices.entry(material.id()).or_insert_with(|| {
            self.materials.push(material.snapshot());
            self.materials.len() as u32 - 1
        })
    }
}
