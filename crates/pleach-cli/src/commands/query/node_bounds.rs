//! World bounds of nodes with meshes in the rest pose, in two variants.
//!
//! `loose` is the box of each geometry's positions with all eight corners transformed by the node's
//! matrix (and those of its instances). `posed` is the tight box of all vertices as drawn: morphed,
//! then transformed by joints or else by the node. Computed in f64 and rounded once.

use glam::{DMat4, DVec3, Mat4, Vec3};
use pleach::{Aabb, Geometry, Handle, Mesh, NodeId, Scene};

use super::answers::Box6;
use super::model::rounded;

/// A box in f64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds64 {
    min: DVec3,
    max: DVec3,
}

impl Bounds64 {
    pub(crate) const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Extends the box by a point, unless it is NaN.
    fn with(self, point: DVec3) -> Self {
        if point.is_nan() {
            return self;
        }
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// Extends the box by the transformed corners of another box.
    fn with_corners(self, aabb: &Aabb, matrix: &DMat4) -> Self {
        if aabb.is_empty() {
            return self;
        }
        let corners = aabb.corners().into_iter();
        corners.fold(self, |all, corner| all.with(matrix.transform_point3(corner.as_dvec3())))
    }

    /// Returns six numbers, or `None` if the box is empty.
    pub(crate) fn numbers(self) -> Option<Box6> {
        let Self { min, max } = self;
        let numbers = [min.x, min.y, min.z, max.x, max.y, max.z].map(rounded);
        min.cmple(max).all().then_some(numbers)
    }

    /// Returns an `Aabb`, or `None` if the box is empty.
    pub(crate) fn aabb(self) -> Option<Aabb> {
        let [a, b, c, d, e, f] = self.numbers()?;
        Some(Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)))
    }
}

/// Computes bounds: tight ones within a budget of vertices, then conservative ones.
#[derive(Debug)]
pub(crate) struct BoundsBuilder {
    /// The remaining number of vertices and corners.
    budget: usize,
    positions: Vec<Vec3>,
}

/// The budget, which takes one or two seconds.
const MAX_VERTICES: usize = 1 << 29;

/// Returns the cached box of all positions, used by the geometry or not.
fn bounds_of(geometry: &Handle<Geometry>) -> Aabb {
    match geometry.get().positions.shared_id() {
        Some(_) => geometry.get().positions.bounds(),
        None => geometry.get().bounds(),
    }
}

impl BoundsBuilder {
    pub(crate) fn new() -> Self {
        Self { budget: MAX_VERTICES, positions: Vec::new() }
    }

    /// Takes `each` × `placements` from the budget, and returns `true` if it was sufficient.
    fn take_budget(&mut self, each: usize, placements: usize) -> bool {
        let count = each.saturating_mul(placements);
        let fits = count <= self.budget;
        if fits {
            self.budget -= count;
        }
        fits
    }

    /// Returns the loose box of a node with a mesh.
    pub(crate) fn loose(&mut self, scene: &Scene, node: NodeId, mesh: &Mesh) -> Bounds64 {
        let placements = Placements::of(scene, node, mesh);
        let parts = mesh.parts.iter().map(|part| bounds_of(&part.geometry));
        if !self.take_budget(mesh.parts.len(), placements.len()) {
            return placements.bounds(&[parts.fold(Aabb::EMPTY, |all, part| all.union(&part))]);
        }
        placements.bounds(&parts.collect::<Vec<_>>())
    }

    /// Returns the box of a node with a mesh as drawn.
    pub(crate) fn posed(&mut self, scene: &Scene, node: NodeId, mesh: &Mesh) -> Bounds64 {
        let weights =
            scene.weights.get(&scene.graph, node).map_or(&[][..], pleach::MorphWeights::as_slice);
        let joint_matrices = scene.joint_matrices().get(node);
        let vertices = mesh.parts.iter().map(|part| part.geometry.get().positions.len()).sum();
        let placements = match joint_matrices {
            // The joints replace the node's matrix.
            Some(_) => Placements { world: DMat4::IDENTITY, instances: None },
            None => Placements::of(scene, node, mesh),
        };
        if !self.take_budget(vertices, placements.len()) {
            if joint_matrices.is_some() {
                let bounds = scene.spatial.world_bounds(node).unwrap_or(Aabb::EMPTY);
                return placements.bounds(&[bounds]);
            }
            let parts = mesh.parts.iter().map(|part| match weights {
                [] => bounds_of(&part.geometry),
                weights => part.geometry.get().morphed_bounds(weights),
            });
            return placements.bounds(&parts.collect::<Vec<_>>());
        }
        let mut all = Bounds64::EMPTY;
        for part in &mesh.parts {
            let is_posed = joint_matrices.is_some() || !weights.is_empty();
            let positions = if is_posed {
                let joint_matrices = joint_matrices.unwrap_or_default();
                part.geometry.get().posed_positions(joint_matrices, weights, &mut self.positions);
                &self.positions
            } else {
                &part.geometry.get().positions
            };
            for matrix in placements.iter() {
                let points =
                    positions.iter().map(|point| matrix.transform_point3(point.as_dvec3()));
                all = points.fold(all, Bounds64::with);
            }
        }
        all
    }
}

/// The world matrices of a mesh: one, or one per instance.
struct Placements<'a> {
    world: DMat4,
    instances: Option<&'a [Mat4]>,
}

impl<'a> Placements<'a> {
    fn of(scene: &Scene, node: NodeId, mesh: &'a Mesh) -> Self {
        let world = scene.graph.get(node).map_or(Mat4::IDENTITY, |node| node.world());
        let instances = mesh.instances.as_ref().map(|instances| instances.matrices());
        Self { world: world.as_dmat4(), instances }
    }

    fn len(&self) -> usize {
        self.instances.map_or(1, <[Mat4]>::len)
    }

    fn iter(&self) -> impl Iterator<Item = DMat4> {
        let single = self.instances.is_none().then_some(self.world);
        let instances = self.instances.unwrap_or_default().iter();
        single.into_iter().chain(instances.map(|instance| self.world * instance.as_dmat4()))
    }

    /// Returns the bounds of boxes under all placements.
    fn bounds(&self, boxes: &[Aabb]) -> Bounds64 {
        let mut all = Bounds64::EMPTY;
        for matrix in self.iter() {
            all = boxes.iter().fold(all, |all, aabb| all.with_corners(aabb, &matrix));
        }
        all
    }
}
