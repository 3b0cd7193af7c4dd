//! World boxes of nodes with meshes, at rest: the two that the assets' README defines.
//!
//! `loose` is the box of each geometry's positions, all eight corners through the node's matrix
//! (and those of its copies). `posed` is the least box of every vertex where it is drawn: morphed,
//! then moved by joints, or else by the node. In f64, rounded once.

use glam::{DMat4, DVec3, Mat4, Vec3};
use pleach::{Aabb, Geometry, Handle, Mesh, NodeId, Scene};

use super::answers::Box6;
use super::model::rounded;

/// A box in f64; empty at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    min: DVec3,
    max: DVec3,
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// With a point, unless that is none.
    fn with(self, point: DVec3) -> Self {
        if point.is_nan() {
            return self;
        }
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// With the corners of a box after a matrix.
    fn with_corners(self, aabb: &Aabb, matrix: &DMat4) -> Self {
        if aabb.is_empty() {
            return self;
        }
        let corners = aabb.corners().into_iter();
        corners.fold(self, |all, corner| all.with(matrix.transform_point3(corner.as_dvec3())))
    }

    /// As six numbers; none if it is empty.
    pub(crate) fn numbers(self) -> Option<Box6> {
        let Self { min, max } = self;
        let numbers = [min.x, min.y, min.z, max.x, max.y, max.z].map(rounded);
        min.cmple(max).all().then_some(numbers)
    }

    /// As a box; none if it is empty.
    pub(crate) fn aabb(self) -> Option<Aabb> {
        let [a, b, c, d, e, f] = self.numbers()?;
        Some(Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)))
    }
}

/// Makes boxes; tight ones until it has looked at so many vertices that one could wait for it, and
/// then ones around them.
#[derive(Debug)]
pub(crate) struct Boxes {
    /// Vertices and corners that may still be looked at.
    left: usize,
    positions: Vec<Vec3>,
}

/// What takes a second or two.
const MOST: usize = 1 << 29;

/// The box of all positions, whether the geometry uses them or not, remembered.
fn bounds_of(geometry: &Handle<Geometry>) -> Aabb {
    match geometry.positions.shared_id() {
        Some(_) => geometry.positions.bounds(),
        None => geometry.bounds(),
    }
}

impl Boxes {
    pub(crate) fn new() -> Self {
        Self { left: MOST, positions: Vec::new() }
    }

    /// Says whether so many may be looked at, and counts them.
    fn may_look_at(&mut self, each: usize, places: usize) -> bool {
        let count = each.saturating_mul(places);
        let may = count <= self.left;
        if may {
            self.left -= count;
        }
        may
    }

    /// The loose box of a node with a mesh.
    pub(crate) fn loose(&mut self, scene: &Scene, node: NodeId, mesh: &Mesh) -> Bounds {
        let places = Places::of(scene, node, mesh);
        let parts = mesh.parts.iter().map(|part| bounds_of(&part.geometry));
        if !self.may_look_at(mesh.parts.len(), places.len()) {
            return places.bounds(&[parts.fold(Aabb::EMPTY, |all, part| all.union(&part))]);
        }
        places.bounds(&parts.collect::<Vec<_>>())
    }

    /// The box of a node with a mesh where it is drawn.
    pub(crate) fn posed(&mut self, scene: &Scene, node: NodeId, mesh: &Mesh) -> Bounds {
        let weights = scene.weights.get(&scene.graph, node).map_or(&[][..], Vec::as_slice);
        let palette = scene.joint_matrices().get(node);
        let vertices = mesh.parts.iter().map(|part| part.geometry.positions.len()).sum();
        let places = match palette {
            // Joints move it instead of the node.
            Some(_) => Places { world: DMat4::IDENTITY, copies: None },
            None => Places::of(scene, node, mesh),
        };
        if !self.may_look_at(vertices, places.len()) {
            if palette.is_some() {
                let around = scene.spatial.world_bounds(node).unwrap_or(Aabb::EMPTY);
                return places.bounds(&[around]);
            }
            let parts = mesh.parts.iter().map(|part| match weights {
                [] => bounds_of(&part.geometry),
                weights => part.geometry.morphed_bounds(weights),
            });
            return places.bounds(&parts.collect::<Vec<_>>());
        }
        let mut all = Bounds::EMPTY;
        for part in &mesh.parts {
            let is_posed = palette.is_some() || !weights.is_empty();
            let positions = if is_posed {
                let palette = palette.unwrap_or_default();
                part.geometry.posed_positions(palette, weights, &mut self.positions);
                &self.positions
            } else {
                &part.geometry.positions
            };
            for place in places.iter() {
                let points = positions.iter().map(|point| place.transform_point3(point.as_dvec3()));
                all = points.fold(all, Bounds::with);
            }
        }
        all
    }
}

/// Where a mesh is shown: once, or as often as it has copies.
struct Places<'a> {
    world: DMat4,
    copies: Option<&'a [Mat4]>,
}

impl<'a> Places<'a> {
    fn of(scene: &Scene, node: NodeId, mesh: &'a Mesh) -> Self {
        let world = scene.graph.get(node).map_or(Mat4::IDENTITY, |node| node.world());
        let copies = mesh.instances.as_ref().map(|copies| copies.matrices());
        Self { world: world.as_dmat4(), copies }
    }

    fn len(&self) -> usize {
        self.copies.map_or(1, <[Mat4]>::len)
    }

    fn iter(&self) -> impl Iterator<Item = DMat4> {
        let alone = self.copies.is_none().then_some(self.world);
        let copies = self.copies.unwrap_or_default().iter();
        alone.into_iter().chain(copies.map(|copy| self.world * copy.as_dmat4()))
    }

    /// The box of some boxes at all places.
    fn bounds(&self, boxes: &[Aabb]) -> Bounds {
        let mut all = Bounds::EMPTY;
        for place in self.iter() {
            all = boxes.iter().fold(all, |all, aabb| all.with_corners(aabb, &place));
        }
        all
    }
}
