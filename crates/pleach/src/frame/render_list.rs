//! `RenderList`: the draws for one view, flat and sorted.
//!
//! Opaque draws are sorted by material, then geometry, then front to back; transparent ones back to
//! front. Draws that can be batched are adjacent. A list belongs to its caller and to one view;
//! rebuilding it does not allocate once it has had that length.
//!
//! A part whose triangles select from several materials is one draw for each of them.
//!
//! A build first collects the draws in a compact form, from the records of the meshes
//! (`draw_records.rs`), then sorts their keys (`draw_order.rs`), and writes each `Draw` once.
//!
//! If nothing that a list depends on changed since its last build (`list_inputs.rs`), it is not built.
//!
//! Invariants: each part of each visible mesh is in one of the two lists, once for each of its
//! materials (each visible instance is in `instances`, once); equal scenes and views give equal
//! lists; the matrices, if they are wanted, are in the order of the draws.

use core::ops::Range;

use glam::{DVec4, Mat3, Mat4, Vec3};
use pleach_graph::{NodeId, NodeRef};
use pleach_spatial::Visible;

use super::draw_order::{DrawOrder, sortable};
use super::draw_records::{
    DrawRecord, DrawRecords, INSTANCED, PartRecord, PartRecords, RECEIVE_SHADOW, STATIC,
    TRANSPARENT,
};
use super::list_inputs::ListInputs;
use super::static_draws::{StaticDraw, StaticDraws};
use crate::stamp::next_stamp;
use crate::view::depth_along;
use crate::{AssetId, Frustum, Mesh, Scene, View};

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
    has_matrices: bool,
    world_matrices: Vec<Mat4>,
    normal_matrices: Vec<Mat3>,
    statics: StaticDraws,
    collected: Collected,
    ranks: BatchRanks,
    order: DrawOrder,
    /// The records of the visible meshes, if those of the scene are out of date.
    records: DrawRecords,
    version: u64,
    /// The inputs of the last build, unless it has to be built again in any case.
    inputs: Option<ListInputs>,
    /// The visible nodes of the last build.
    nodes: Vec<NodeId>,
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
        Self { has_matrices: true, inputs: None, ..self }
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
    /// depths: their set, geometry, material, the versions of these, or instances. Until then, what a
    /// renderer recorded for them stays valid.
    #[must_use]
    pub fn static_version(&self) -> u64 {
        self.statics.version()
    }

    /// Returns a number that changes whenever the draws do: their set, order, depths or instances, or
    /// what they refer to, such as world and joint matrices. While it stays the same, whatever was
    /// made of the list is up to date. 0 before the first build; no two lists with different draws
    /// have the same.
    ///
    /// ```
    /// # use pleach::glam::Vec3;
    /// # use pleach::{Camera, Frame, Material, Node, Scene, shapes::Cuboid};
    /// # let mut scene = Scene::new();
    /// # let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build()?);
    /// # let wood = scene.assets.add(Material::default());
    /// # let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    /// # let camera = scene.spawn(camera)?;
    /// let cube = scene.spawn(Node::mesh(&cube, &wood))?;
    /// let mut frame = Frame::new();
    /// scene.frame(camera, 1.5, 0.0, &mut frame)?;
    /// let version = frame.list.version();
    /// scene.frame(camera, 1.5, 0.0, &mut frame)?;
    /// assert_eq!(frame.list.version(), version);            // nothing to draw anew
    /// scene.node_mut(cube)?.set_translation(Vec3::X)?;
    /// scene.frame(camera, 1.5, 0.0, &mut frame)?;
    /// assert_ne!(frame.list.version(), version);
    /// # Ok::<(), pleach::Error>(())
    /// ```
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Lists the draws of the visible meshes. O(visible), and only compares these if neither scene
    /// nor view changed since the last build.
    ///
    /// Meshes that were edited since the last [`update`](Scene::update) are drawn as they are now;
    /// the list is built more slowly then.
    ///
    /// See [`RenderList`] for an example.
    pub fn build(&mut self, scene: &Scene, visible: &Visible, view: &View) {
        let inputs = ListInputs::new(scene, view);
        if self.has_inputs(inputs.as_ref()) && self.nodes == visible.nodes() {
            return;
        }
        self.inputs = inputs;
        self.nodes.clear();
        self.nodes.extend_from_slice(visible.nodes());
        self.version = next_stamp();
        let Self { statics, collected, ranks, order, instances, .. } = self;
        let records = match &scene.derived.draw_records {
            records if records.are_up_to_date(scene, visible.nodes()) => records,
            _ => {
                self.records.replace(scene, visible.nodes());
                &self.records
            }
        };
        statics.begin();
        collected.clear();
        instances.clear();
        let mut collector = Collector {
            scene,
            view,
            records,
            has_skins: !scene.skins.is_empty(),
            has_levels: scene.derived.lod_members.has_levels(),
            instances,
            collected,
            statics,
        };
        visible.nodes().iter().for_each(|&node| collector.add(node));
        collected.measure(scene, view.depth_axis());
        let Collected { opaque, transparent, details, .. } = &*collected;
        let draw =
            |source: &[Pending], index: u32| source[index as usize].to_draw(records, details);
        ranks.update(opaque, records);
        let by_batch = opaque.iter().map(|draw| {
            let bucket = 2 * ranks.ranks[draw.batch as usize] + u32::from(draw.flipped);
            (bucket, sortable(draw.depth))
        });
        let sorted = order.sort(2 * ranks.sorted.len(), by_batch);
        self.opaque.clear();
        self.opaque.extend(sorted.map(|index| draw(opaque, index)));
        let back_to_front = transparent.iter().map(|draw| (0, !sortable(draw.depth)));
        let sorted = order.sort(1, back_to_front);
        self.transparent.clear();
        self.transparent.extend(sorted.map(|index| draw(transparent, index)));
        statics.finish(scene);
        self.copy_matrices(scene);
    }

    /// Returns `true` if the list was last built from this scene and view, as they are now.
    pub(super) fn is_of(&self, scene: &Scene, view: &View) -> bool {
        self.has_inputs(ListInputs::new(scene, view).as_ref())
    }

    fn has_inputs(&self, inputs: Option<&ListInputs>) -> bool {
        self.inputs.as_ref().zip(inputs).is_some_and(|(last, new)| last.are_those_of(new))
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
}

/// The draws of a list, in the order of the visible nodes, their parts and their groups.
#[derive(Clone, Debug, Default)]
struct Collected {
    opaque: Vec<Pending>,
    transparent: Vec<Pending>,
    details: Vec<Details>,
    /// The visible instances of one mesh.
    visible_instances: Vec<u32>,
}

/// A draw that is not in order yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    node: NodeId,
    batch: u32,
    /// The index of its details, or `PLAIN`.
    details: u32,
    depth: f32,
    flipped: bool,
    /// The flags of the record of its mesh.
    flags: u8,
}

/// The properties that most draws do not have.
#[derive(Clone, Debug, Default)]
struct Details {
    part: u32,
    group: Option<Range<u32>>,
    joint_matrices: Option<u32>,
    instances: Range<u32>,
}

/// A draw without details.
const PLAIN: u32 = u32::MAX;

impl Collected {
    fn clear(&mut self) {
        self.opaque.clear();
        self.transparent.clear();
        self.details.clear();
    }

    fn push(&mut self, pending: Pending, transparent: bool) {
        if transparent {
            self.transparent.push(pending);
        } else {
            self.opaque.push(pending);
        }
    }

    /// Computes what is read from far apart in memory: the depths, and the windings that are not
    /// known yet. In short loops, so that a processor waits for several reads at a time.
    fn measure(&mut self, scene: &Scene, depth_axis: DVec4) {
        for draws in [&mut self.opaque, &mut self.transparent] {
            for draw in draws.iter_mut() {
                let center = match scene.spatial.world_center(draw.node) {
                    Some(center) => center,
                    None => {
                        scene.graph.get(draw.node).map_or(Vec3::ZERO, |it| it.world_translation())
                    }
                };
                draw.depth = depth_along(depth_axis, center);
            }
            for draw in draws.iter_mut().filter(|draw| draw.details == PLAIN) {
                draw.flipped = scene.graph.get(draw.node).is_some_and(|it| it.winding_flipped());
            }
        }
    }
}

impl Pending {
    /// Creates a draw whose depth and winding are computed later.
    #[inline]
    fn new(node: NodeId, batch: u32, flags: u8) -> Self {
        Self { node, batch, details: PLAIN, depth: 0.0, flipped: false, flags }
    }

    #[inline]
    fn to_draw(self, records: &DrawRecords, details: &[Details]) -> Draw {
        let batch = records.batch(self.batch);
        let Details { part, group, joint_matrices, instances } = match self.details {
            PLAIN => Details::default(),
            index => details[index as usize].clone(),
        };
        Draw {
            node: self.node,
            part,
            geometry: batch.geometry,
            material: batch.material,
            group,
            world: self.node.index() as u32,
            joint_matrices,
            instances,
            flipped: self.flipped,
            receive_shadow: self.flags & RECEIVE_SHADOW != 0,
            is_static: self.flags & STATIC != 0,
            depth: self.depth,
        }
    }
}

/// Collects the draws of visible nodes.
struct Collector<'a> {
    scene: &'a Scene,
    view: &'a View,
    records: &'a DrawRecords,
    has_skins: bool,
    has_levels: bool,
    instances: &'a mut Vec<u32>,
    collected: &'a mut Collected,
    statics: &'a mut StaticDraws,
}

impl Collector<'_> {
    #[inline]
    fn add(&mut self, node: NodeId) {
        let (scene, records) = (self.scene, self.records);
        let Some(record) = records.get(node) else { return };
        let Some(node_ref) = scene.graph.get(node) else { return };
        if self.has_levels && !scene.draws_level(self.view, node) {
            return;
        }
        let parts = records.parts(record);
        if let PartRecords::One(batch) = parts
            && !record.has(STATIC | INSTANCED)
            && !self.has_skins
        {
            let pending = Pending::new(node, batch, record.flags);
            return self.collected.push(pending, record.has(TRANSPARENT));
        }
        self.add_detailed(node, node_ref, record, parts);
    }

    /// Adds a mesh that may have a skin, instances, several draws, or be static.
    fn add_detailed(
        &mut self,
        id: NodeId,
        node: NodeRef<'_>,
        record: DrawRecord,
        parts: PartRecords<'_>,
    ) {
        if matches!(parts, PartRecords::Several([])) {
            return;
        }
        let scene = self.scene;
        let joint_matrices = match self.has_skins {
            true => scene.skin(id).and_then(|_| scene.joint_matrices().range(id)),
            false => None,
        };
        let joint_matrices = joint_matrices.map(|range| range.start as u32);
        let flipped = match joint_matrices {
            Some(_) => scene.joint_matrices().mirrors(id),
            None => node.winding_flipped(),
        };
        let mut instances = 0..0;
        if record.has(INSTANCED)
            && let Some(mesh) = scene.mesh(id)
        {
            let start = self.instances.len();
            self.cull_instances(node, mesh);
            instances = start as u32..self.instances.len() as u32;
            if instances.is_empty() {
                return;
            }
        }
        let pending = Pending { flipped, ..Pending::new(id, 0, record.flags) };
        let mut details = Details { part: 0, group: None, joint_matrices, instances };
        match parts {
            PartRecords::One(batch) => {
                self.push(Pending { batch, ..pending }, &details, record.has(TRANSPARENT));
            }
            PartRecords::Several(parts) => {
                for &PartRecord { batch, part, ref group, transparent } in parts {
                    details.part = part;
                    details.group.clone_from(group);
                    self.push(Pending { batch, ..pending }, &details, transparent);
                }
            }
        }
    }

    fn push(&mut self, pending: Pending, details: &Details, transparent: bool) {
        if pending.flags & STATIC != 0 {
            self.push_static(&pending, details, transparent);
        }
        let Details { part, group, joint_matrices, instances } = details;
        let is_plain =
            *part == 0 && group.is_none() && joint_matrices.is_none() && instances.is_empty();
        let index = if is_plain { PLAIN } else { self.collected.details.len() as u32 };
        if !is_plain {
            self.collected.details.push(details.clone());
        }
        self.collected.push(Pending { details: index, ..pending }, transparent);
    }

    fn push_static(&mut self, pending: &Pending, details: &Details, transparent: bool) {
        let instances = details.instances.start as usize..details.instances.end as usize;
        let batch = self.records.batch(pending.batch);
        let draw = StaticDraw {
            node: pending.node,
            geometry: batch.geometry,
            material: batch.material,
            part: details.part,
            group: details.group.clone(),
            joint_matrices: details.joint_matrices,
            flipped: pending.flipped,
            receive_shadow: pending.flags & RECEIVE_SHADOW != 0,
            transparent,
            instances: instances.len() as u32,
        };
        self.statics.push(draw, &self.instances[instances]);
    }

    /// Appends the visible instances of a mesh to those of the list.
    fn cull_instances(&mut self, node: NodeRef<'_>, mesh: &Mesh) {
        let Some(instances) = &mesh.instances else { return };
        // In the node's space; with a singular matrix, or if it is not culled, all instances are
        // visible.
        match local_frustum(self.view, &node.world()) {
            Some(frustum) if mesh.frustum_culled => {
                instances.cull(&frustum, &mut self.collected.visible_instances);
                self.instances.extend_from_slice(&self.collected.visible_instances);
            }
            _ => self.instances.extend(0..instances.len() as u32),
        }
    }
}

/// The ranks of batches: their positions in the order by material and geometry.
#[derive(Clone, Debug, Default)]
struct BatchRanks {
    /// By batch; any number for batches that have no rank.
    ranks: Vec<u32>,
    /// The batches with a rank, in order.
    sorted: Vec<(AssetId, AssetId, u32)>,
    /// The stamp of the set of batches, if all of them have ranks.
    stamp: Option<u64>,
}

/// The rank of a batch that has none yet.
const UNUSED: u32 = u32::MAX;

impl BatchRanks {
    /// Ranks at least the batches of `draws`.
    fn update(&mut self, draws: &[Pending], records: &DrawRecords) {
        // All of them, so that they keep their ranks, unless most are not in view: a list costs what
        // is visible.
        let all = records.batch_count() <= 2 * draws.len();
        let stamp = all.then(|| records.batches_stamp());
        if all && self.stamp == stamp {
            return;
        }
        self.stamp = stamp;
        let Self { ranks, sorted, .. } = self;
        for &(_, _, batch) in &*sorted {
            ranks[batch as usize] = UNUSED;
        }
        ranks.resize(ranks.len().max(records.batch_count()), UNUSED);
        sorted.clear();
        if all {
            sorted.extend(records.batches().map(|(number, it)| (it.material, it.geometry, number)));
        } else {
            for draw in draws {
                if core::mem::replace(&mut ranks[draw.batch as usize], 0) == UNUSED {
                    let batch = records.batch(draw.batch);
                    sorted.push((batch.material, batch.geometry, draw.batch));
                }
            }
        }
        sorted.sort_unstable();
        for (rank, &(_, _, batch)) in (0..).zip(&*sorted) {
            ranks[batch as usize] = rank;
        }
    }
}

/// Returns the view frustum in the space that `world` transforms from.
fn local_frustum(view: &View, world: &Mat4) -> Option<Frustum> {
    // In f64: far from the origin the rounding of an f32 product would exceed the slack of the
    // bounds.
    let local = view.view_projection.as_dmat4() * world.as_dmat4();
    Frustum::from_view_projection(&local.as_mat4(), view.clip_space).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Cuboid;
    use crate::{Camera, Material, Node};

    #[test]
    fn few_visible_meshes_are_sorted_without_the_batches_of_all_others() {
        let mut scene = Scene::new();
        let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
        for _ in 0..50 {
            let material = scene.assets.add(Material::default());
            scene.spawn(Node::mesh(&cube, &material)).unwrap();
        }
        scene.update().unwrap();
        let view = View::new(&Camera::default(), Camera::default_transform(), 1.0).unwrap();
        let (mut all, mut one) = (Visible::new(), Visible::new());
        scene.cull(&view, &mut all);
        let last = all.nodes().last().copied();
        let is_last = |node| Some(node) == last;
        let filter = pleach_spatial::Filter::default().with_predicate(&is_last);
        scene.spatial.cull(&view.frustum, &filter, &mut one);
        let mut list = RenderList::new();
        for (visible, ranked) in [(&all, 50), (&one, 1), (&all, 50), (&all, 50), (&one, 1)] {
            list.build(&scene, visible, &view);
            assert_eq!(list.opaque().len(), visible.nodes().len());
            assert_eq!(list.ranks.sorted.len(), ranked);
            assert!(list.opaque().is_sorted_by_key(|draw| draw.material));
        }
    }
}
