//! `RenderList`: the draws for one view, flat and sorted.
//!
//! Opaque draws are sorted by material, then geometry, then front to back; transparent ones back to
//! front. Draws that can be batched are adjacent. A list belongs to its caller and to one view;
//! rebuilding it does not allocate once it has had that length.
//!
//! A part whose triangles select from several materials is one draw for each of them.
//!
//! Invariants: each part of each visible mesh is in one of the two lists, once for each of its
//! materials (each visible instance is in `instances`, once); equal scenes and views give equal
//! lists; the matrices, if they are wanted, are in the order of the draws.

use core::ops::Range;

use glam::{Mat3, Mat4};
use pleach_graph::NodeId;
use pleach_spatial::Visible;

use crate::{AssetId, Frustum, Scene, View};

/// One part of one mesh, to be drawn with one material.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Draw {
    /// The node.
    pub node: NodeId,
    /// The index of the part in its mesh.
    pub part: u32,
    /// The geometry; [`Assets::get`](crate::Assets::get) of the scene's registry returns its handle.
    pub geometry: AssetId,
    /// The material; [`Assets::get`](crate::Assets::get) of the scene's registry returns its handle.
    pub material: AssetId,
    /// The range in [`MaterialGroups::indices`](crate::MaterialGroups::indices) of the geometry, if
    /// its triangles select from several materials; `None` to draw the whole geometry.
    pub group: Option<Range<u32>>,
    /// The index of the world matrix in
    /// [`Graph::world_matrices`](pleach_graph::Graph::world_matrices).
    pub world: u32,
    /// The start of the skin's matrices in
    /// [`JointMatrices::matrices`](crate::JointMatrices::matrices); a skinned draw does not use its
    /// world matrix.
    pub joint_matrices: Option<u32>,
    /// The range of the visible instances in [`RenderList::instances`]; empty if the mesh has no
    /// instances.
    pub instances: Range<u32>,
    /// `true` if the world matrix, or the joint matrices, mirror the mesh: front faces are clockwise
    /// then.
    pub flipped: bool,
    /// `true` if it receives shadows.
    pub receive_shadow: bool,
    /// `true` if the mesh is marked as static.
    pub is_static: bool,
    /// The depth of the centre of its bounds along the view direction.
    pub depth: f32,
}

/// The properties of a static draw that a renderer may have recorded.
#[derive(Clone, Debug, PartialEq)]
struct StaticDraw {
    node: NodeId,
    part: u32,
    geometry: (AssetId, u64),
    material: (AssetId, u64),
    group: Option<Range<u32>>,
    joint_matrices: Option<u32>,
    flipped: bool,
    receive_shadow: bool,
    transparent: bool,
    instances: u32,
}

/// The draws for one view.
///
/// ```
/// use pleach::glam::Vec3;
/// use pleach::{Camera, Material, Node, RenderList, Scene, View, Visible, shapes::Cuboid};
///
/// let mut scene = Scene::new();
/// let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
/// let wood = scene.assets.add(Material::default());
/// let cube = scene.spawn(Node::mesh(&cube, &wood))?;
/// scene.update()?;
///
/// let view = View::new(&Camera::default(), Camera::default_transform(), 1.5)?;
/// let (mut visible, mut list) = (Visible::new(), RenderList::new().with_matrices());
/// scene.cull(&view, &mut visible);
/// list.build(&scene, &visible, &view);
/// assert_eq!((list.opaque()[0].node, list.opaque()[0].material), (cube, wood.id()));
/// assert_eq!(list.world_matrices()[0], scene.node(cube)?.world());
/// # Ok::<(), pleach::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RenderList {
    opaque: Vec<Draw>,
    transparent: Vec<Draw>,
    instances: Vec<u32>,
    statics: Vec<StaticDraw>,
    static_instances: Vec<u32>,
    static_version: u64,
    previous_statics: Vec<StaticDraw>,
    previous_static_instances: Vec<u32>,
    /// The visible instances of one mesh. Kept for its memory.
    visible: Vec<u32>,
    has_matrices: bool,
    world_matrices: Vec<Mat4>,
    normal_matrices: Vec<Mat3>,
}

impl RenderList {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes [`build`](Self::build) copy the matrices of the draws, too.
    ///
    /// See [`RenderList`] for an example.
    #[must_use]
    pub fn with_matrices(self) -> Self {
        Self { has_matrices: true, ..self }
    }

    /// Returns the world matrices of the draws, first of the opaque and then of the transparent
    /// ones, for upload to a GPU; the identity for skinned draws, whose joint matrices transform to
    /// world space. Empty unless [requested](Self::with_matrices).
    #[must_use]
    pub fn world_matrices(&self) -> &[Mat4] {
        &self.world_matrices
    }

    /// Returns the [matrices for normals](pleach_graph::NodeRef::normal_matrix) of the draws, in
    /// the order of [`world_matrices`](Self::world_matrices). They are finite for singular world
    /// matrices, too.
    #[must_use]
    pub fn normal_matrices(&self) -> &[Mat3] {
        &self.normal_matrices
    }

    /// Returns the opaque draws, sorted by material, then geometry, then front to back.
    #[must_use]
    pub fn opaque(&self) -> &[Draw] {
        &self.opaque
    }

    /// Returns the transparent draws, back to front.
    #[must_use]
    pub fn transparent(&self) -> &[Draw] {
        &self.transparent
    }

    /// Returns the indices of the visible instances, draw by draw.
    #[must_use]
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Iterates over runs of opaque draws that can be one instanced call: of the same geometry,
    /// material and winding, neither skinned nor with instances of their own.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Camera, Frame, Material, Node, Scene, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// # let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    /// # let camera = scene.spawn(camera)?;
    /// scene.spawn(Node::mesh(&cube, &wood))?;
    /// scene.spawn(Node::mesh(&cube, &wood).at(Vec3::X))?;
    /// let mut frame = Frame::new();
    /// scene.frame(camera, 1.5, 0.0, &mut frame)?;
    /// assert_eq!(frame.list.batches().map(<[_]>::len).collect::<Vec<_>>(), [2]);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    pub fn batches(&self) -> impl Iterator<Item = &[Draw]> {
        self.opaque.chunk_by(|a, b| {
            let plain = |draw: &Draw| draw.joint_matrices.is_none() && draw.instances.is_empty();
            let key = |draw: &Draw| (draw.material, draw.geometry, draw.flipped);
            plain(a) && plain(b) && key(a) == key(b) && a.group == b.group
        })
    }

    /// Returns a number that changes whenever the draws of static meshes do, except for their
    /// depths: their set, geometry, material, the versions of these, or instances. Until then, what a renderer recorded for
    /// them stays valid.
    #[must_use]
    pub fn static_version(&self) -> u64 {
        self.static_version
    }

    /// Lists the draws of the visible meshes. O(visible), plus sorting.
    ///
    /// See [`RenderList`] for an example.
    pub fn build(&mut self, scene: &Scene, visible: &Visible, view: &View) {
        self.opaque.clear();
        self.transparent.clear();
        self.instances.clear();
        core::mem::swap(&mut self.statics, &mut self.previous_statics);
        core::mem::swap(&mut self.static_instances, &mut self.previous_static_instances);
        self.statics.clear();
        self.static_instances.clear();
        for &node in visible.nodes() {
            self.add(scene, node, view);
        }
        let depth = |draw: &Draw| sortable(draw.depth);
        let group = |draw: &Draw| draw.group.as_ref().map(|group| group.start);
        self.opaque.sort_unstable_by_key(|draw| {
            let Draw { material, geometry, flipped, world, part, .. } = *draw;
            (material, geometry, flipped, depth(draw), world, part, group(draw))
        });
        self.transparent.sort_unstable_by_key(|draw| {
            (core::cmp::Reverse(depth(draw)), draw.world, draw.part, group(draw))
        });
        self.copy_matrices(scene);
        let changed = self.statics != self.previous_statics
            || self.static_instances != self.previous_static_instances;
        self.static_version += u64::from(changed);
    }

    fn copy_matrices(&mut self, scene: &Scene) {
        self.world_matrices.clear();
        self.normal_matrices.clear();
        if !self.has_matrices {
            return;
        }
        for draw in self.opaque.iter().chain(&self.transparent) {
            let node = scene.graph.get(draw.node).filter(|_| draw.joint_matrices.is_none());
            self.world_matrices.push(node.map_or(Mat4::IDENTITY, |node| node.world()));
            self.normal_matrices.push(node.map_or(Mat3::IDENTITY, |node| node.normal_matrix()));
        }
    }

    fn add(&mut self, scene: &Scene, node: NodeId, view: &View) {
        let (Some(mesh), Some(node_ref)) = (scene.mesh(node), scene.graph.get(node)) else {
            return;
        };
        let Some(first) = mesh.parts.first() else { return };
        if !scene.draws_level(view, node) {
            return;
        }
        let bounds = scene.spatial.world_bounds(node);
        let center = bounds.map_or_else(|| node_ref.world_translation(), |bounds| bounds.center());
        let depth = view.depth(center);
        let joint_matrices = scene.skin(node).and_then(|_| scene.joint_matrices().range(node));
        let joint_matrices = joint_matrices.map(|range| range.start as u32);
        let flipped = match joint_matrices {
            Some(_) => scene.joint_matrices().mirrors(node),
            None => node_ref.winding_flipped(),
        };
        let start = self.instances.len() as u32;
        if let Some(instances) = &mesh.instances {
            // In the node's space; with a singular matrix, or if it is not culled, all instances
            // are visible.
            match local_frustum(view, &node_ref.world()) {
                Some(frustum) if mesh.frustum_culled => instances.cull(&frustum, &mut self.visible),
                _ => {
                    self.visible.clear();
                    self.visible.extend(0..instances.len() as u32);
                }
            }
            if self.visible.is_empty() {
                return;
            }
            self.instances.extend_from_slice(&self.visible);
        }
        let instances = start..self.instances.len() as u32;
        let draw = Draw {
            node,
            part: 0,
            geometry: first.geometry.id(),
            material: first.material.id(),
            group: None,
            world: node.index() as u32,
            joint_matrices,
            instances,
            flipped,
            receive_shadow: mesh.receive_shadow,
            is_static: mesh.is_static,
            depth,
        };
        for (index, part) in mesh.parts.iter().enumerate() {
            let mut push = |material_index, group| {
                let Some(material) = mesh.material(index, material_index) else { return };
                let (geometry, draw) = (&part.geometry, draw.clone());
                let draw = Draw {
                    part: index as u32,
                    geometry: geometry.id(),
                    material: material.id(),
                    group,
                    ..draw
                };
                let transparent = mesh.is_transparent(index, material_index);
                if draw.is_static {
                    let versions = [geometry.version(), material.version()];
                    self.push_static(&draw, versions, transparent);
                }
                if transparent {
                    self.transparent.push(draw);
                } else {
                    self.opaque.push(draw);
                }
            };
            if mesh.materials.is_empty() {
                push(0, None);
                continue;
            }
            match part.geometry.get().material_groups() {
                None => push(0, None),
                Some(groups) => groups
                    .groups()
                    .iter()
                    .for_each(|group| push(group.material, Some(group.range.clone()))),
            }
        }
    }

    fn push_static(&mut self, draw: &Draw, versions: [u64; 2], transparent: bool) {
        let instances = draw.instances.start as usize..draw.instances.end as usize;
        self.statics.push(StaticDraw {
            node: draw.node,
            part: draw.part,
            geometry: (draw.geometry, versions[0]),
            material: (draw.material, versions[1]),
            group: draw.group.clone(),
            joint_matrices: draw.joint_matrices,
            flipped: draw.flipped,
            receive_shadow: draw.receive_shadow,
            transparent,
            instances: instances.len() as u32,
        });
        self.static_instances.extend_from_slice(&self.instances[instances]);
    }
}

/// Returns the view frustum in the space that `world` transforms from.
fn local_frustum(view: &View, world: &Mat4) -> Option<Frustum> {
    // In f64: far from the origin the rounding of an f32 product would exceed the slack of the
    // bounds.
    let local = view.view_projection.as_dmat4() * world.as_dmat4();
    Frustum::from_view_projection(&local.as_mat4(), view.clip_space).ok()
}

/// Maps a float to an integer with the same order.
fn sortable(depth: f32) -> i32 {
    let bits = depth.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}
