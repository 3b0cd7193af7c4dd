//! `RenderList`: the draws for one view, flat and sorted.
//!
//! Opaque draws are sorted by material, then geometry, then front to back; transparent ones back to
//! front. Draws that can be batched are adjacent. A list belongs to its caller and to one view;
//! rebuilding it does not allocate once it has had that length.
//!
//! A part whose triangles select from several materials is one draw for each of them.
//!
//! A build first collects the draws in a compact form (`collect_draws.rs`), then sorts their keys (`draw_order.rs`), and writes each `Draw` once.
//!
//! If nothing that a list depends on changed since its last build (`list_inputs.rs`), it is not built.
//!
//! Invariants: each part of each visible mesh is in one of the two lists, once for each of its
//! materials (each visible instance is in `instances`, once); equal scenes and views give equal
//! lists; the matrices, if they are wanted, are in the order of the draws.

use core::ops::Range;

use glam::{Mat3, Mat4};
use pleach_graph::NodeId;
use pleach_spatial::Visible;

use super::batch_ranks::BatchRanks;
use super::collect_draws::{Collected, Collector, Pending};
use super::draw_order::{DrawOrder, sortable};
use super::draw_records::DrawRecords;
use super::list_inputs::ListInputs;
use super::static_draws::StaticDraws;
use crate::stamp::next_stamp;
use crate::{AssetId, Scene, View};

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
        Collector::new(scene, view, records, instances, collected, statics).add_all(visible);
        let Collected { opaque, transparent, details, .. } = &*collected;
        let draw =
            |source: &[Pending], index: u32| source[index as usize].to_draw(records, details);
        ranks.update(opaque, records);
        // Twice as many buckets only if there are draws of both windings.
        let windings = 1 + u32::from(opaque.iter().any(|draw| draw.flipped));
        let by_batch = opaque.iter().map(|draw| {
            let bucket = windings * ranks.rank(draw.batch) + u32::from(draw.flipped);
            (bucket, sortable(draw.depth))
        });
        let sorted = order.sort(windings as usize * ranks.len(), by_batch);
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

#[cfg(test)]
mod tests {
    use glam::Vec3;

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
            assert_eq!(list.ranks.len(), ranked);
            assert!(list.opaque().is_sorted_by_key(|draw| draw.material));
        }
    }
}
