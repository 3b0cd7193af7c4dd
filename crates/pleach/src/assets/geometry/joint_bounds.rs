//! Bounds of skinned geometry in any pose, without visiting its vertices.
//!
//! For each joint there are bounds of the vertices it moves, in mesh space. A posed vertex is a
//! weighted mean of its images under the joint matrices, each of which is within the image of that
//! joint's bounds; so it is within the union of these images. Morph targets extend a joint's bounds
//! by the bounds of their offsets, times their weights.

use glam::{Mat4, Vec3, Vec4};
use pleach_spatial::Aabb;

use super::Geometry;

/// The bounds of the vertices that each joint moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointBounds {
    bounds: Vec<Aabb>,
    /// By morph target, then joint: the bounds of the offsets.
    offsets: Vec<Vec<Aabb>>,
    /// By joint: whether it moves a vertex, finite or not.
    moves_vertices: Vec<bool>,
}

impl JointBounds {
    /// Computes the bounds of one geometry.
    pub(crate) fn from_geometry(geometry: &Geometry, joints: usize) -> Self {
        let mut all = Self::empty(joints, geometry.morph_targets.len());
        for vertex in 0..geometry.positions.len() {
            for (joint, _) in geometry.normalized_joint_weights(vertex, joints) {
                all.add_vertex(geometry, vertex, joint);
            }
        }
        all
    }

    pub(crate) fn empty(joints: usize, targets: usize) -> Self {
        Self {
            bounds: vec![Aabb::EMPTY; joints],
            offsets: vec![vec![Aabb::EMPTY; joints]; targets],
            moves_vertices: vec![false; joints],
        }
    }

    fn add_vertex(&mut self, geometry: &Geometry, vertex: usize, joint: usize) {
        let position = geometry.positions[vertex];
        if position.is_finite() {
            include_point(&mut self.bounds[joint], position);
        }
        self.moves_vertices[joint] = true;
        for (bounds, target) in self.offsets.iter_mut().zip(&geometry.morph_targets) {
            let offset = target.positions.get(vertex).copied().filter(|it| it.is_finite());
            // A missing offset is zero: the vertex is not moved.
            include_point(&mut bounds[joint], offset.unwrap_or_default());
        }
    }

    /// Extends the bounds by those of another geometry, which has at most as many joints and
    /// targets.
    pub(crate) fn merge(&mut self, other: &Self) {
        for joint in (0..other.moves_vertices.len()).filter(|&joint| other.moves_vertices[joint]) {
            include_aabb(&mut self.bounds[joint], &other.bounds[joint]);
            self.moves_vertices[joint] = true;
            for (index, bounds) in self.offsets.iter_mut().enumerate() {
                match other.offsets.get(index) {
                    Some(offsets) => include_aabb(&mut bounds[joint], &offsets[joint]),
                    // Without that target its vertices are not moved.
                    None => include_point(&mut bounds[joint], Vec3::ZERO),
                }
            }
        }
    }

    /// Returns the bounds of a pose. Weights that are not finite count as zero.
    pub(crate) fn posed(&self, joint_matrices: &[Mat4], weights: &[f32]) -> Aabb {
        let (mut min, mut max) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        // `min` and `max` may ignore NaN; these sums do not.
        let (mut terms, mut sum) = (Vec4::ZERO, Vec4::ZERO);
        for (joint, (aabb, matrix)) in self.bounds.iter().zip(joint_matrices).enumerate() {
            if aabb.min.x > aabb.max.x {
                continue;
            }
            let (aabb, size) = self.morphed(joint, aabb, weights);
            let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
            let (a, to_a) = (x * aabb.min.x, x * aabb.max.x);
            let (b, to_b) = (y * aabb.min.y, y * aabb.max.y);
            let (c, to_c) = (z * aabb.min.z, z * aabb.max.z);
            let low = matrix.w_axis + (a.min(to_a) + (b.min(to_b) + c.min(to_c)));
            let high = matrix.w_axis + (a.max(to_a) + (b.max(to_b) + c.max(to_c)));
            (min, max) = (min.min(low), max.max(high));
            sum += low + high;
            let size = (x * size.x).abs() + (y * size.y).abs() + (z * size.z).abs();
            terms = terms.max(size + matrix.w_axis.abs());
        }
        let finite = sum.truncate().is_finite() && terms.truncate().is_finite();
        let aabb = Aabb { min: min.truncate(), max: max.truncate() };
        if finite { padded(&aabb, terms.truncate()) } else { Aabb::EMPTY }
    }

    /// Returns the morphed bounds of a joint, and the magnitude of the terms they are summed from.
    #[inline(always)]
    fn morphed(&self, joint: usize, aabb: &Aabb, weights: &[f32]) -> (Aabb, Vec3) {
        let Aabb { mut min, mut max } = *aabb;
        let mut size = min.abs().max(max.abs());
        for (offsets, &weight) in self.offsets.iter().zip(weights) {
            if weight.is_finite() {
                let (a, b) = (offsets[joint].min * weight, offsets[joint].max * weight);
                (min, max) = (min + a.min(b), max + a.max(b));
                size += a.abs().max(b.abs());
            }
        }
        (Aabb { min, max }, size)
    }
}

fn include_point(aabb: &mut Aabb, point: Vec3) {
    *aabb = Aabb { min: aabb.min.min(point), max: aabb.max.max(point) };
}

/// In the order of operands as if the points of `other` were included one by one.
fn include_aabb(aabb: &mut Aabb, other: &Aabb) {
    *aabb = Aabb { min: aabb.min.min(other.min), max: aabb.max.max(other.max) };
}

/// Returns one more than the maximum index of a joint that moves a vertex.
pub(crate) fn used_joints(geometry: &Geometry) -> usize {
    let vertices = 0..geometry.positions.len();
    let joints = vertices.flat_map(|vertex| geometry.normalized_joint_weights(vertex, usize::MAX));
    joints.map(|(joint, _)| joint + 1).max().unwrap_or(0)
}

/// Extends bounds by more than the rounding error: a posed vertex is a sum of a few dozen rounded
/// products, each with an error of at most 2^-24 of its terms.
fn padded(aabb: &Aabb, terms: Vec3) -> Aabb {
    const ROUNDING: f32 = 32.0 / (1 << 24) as f32;
    if aabb.is_empty() {
        return Aabb::EMPTY;
    }
    let slack = terms * ROUNDING;
    let limit = Vec3::splat(f32::MAX);
    Aabb {
        min: (aabb.min - slack).clamp(-limit, limit),
        max: (aabb.max + slack).clamp(-limit, limit),
    }
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use std::sync::Arc;

    use super::*;
    use crate::{Assets, Handle, Influences, Material, Mesh, MorphTarget, Part};

    /// Random geometries and numbers.
    trait RandomGeometry {
        /// Mostly small numbers; zeros of both signs, and sometimes infinity or NaN.
        fn number(&mut self) -> f32;

        fn vector(&mut self) -> Vec3;

        /// Joints up to index 11, some with weight zero, some vertices without any.
        fn geometry(&mut self) -> Geometry;
    }

    impl RandomGeometry for Rng {
        fn number(&mut self) -> f32 {
            match self.below(40) {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2..6 => -0.0,
                6..10 => 0.0,
                _ => self.below(1000) as f32 * 0.01 - 5.0,
            }
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.number(), self.number(), self.number())
        }

        fn geometry(&mut self) -> Geometry {
            let vertices = self.below(12);
            let sets = self.below(3);
            let influences = (0..sets).map(|_| Influences {
                joints: (0..vertices).map(|_| [0; 4].map(|_: u16| self.below(12) as u16)).collect(),
                weights: (0..vertices)
                    .map(|_| match self.below(4) {
                        0 => [0.0; 4],
                        _ => [0; 4].map(|_| self.below(3) as f32 * 0.5),
                    })
                    .collect(),
            });
            let influences = influences.collect();
            let targets = self.below(3);
            let morph_targets = (0..targets).map(|_| {
                let given = self.below(vertices + 1);
                let positions = (0..given).map(|_| self.vector()).collect();
                MorphTarget { positions, ..MorphTarget::default() }
            });
            let morph_targets = morph_targets.collect();
            let positions = (0..vertices).map(|_| self.vector()).collect();
            Geometry { positions, influences, morph_targets, ..Geometry::default() }
        }
    }

    /// The bounds vertex by vertex and part by part, without a cache.
    fn naive(mesh: &Mesh, joints: usize) -> (Vec<Aabb>, Vec<Vec<Aabb>>) {
        let targets = mesh.parts.iter().map(|part| part.geometry.get().morph_targets.len()).max();
        let mut bounds = vec![Aabb::EMPTY; joints];
        let mut offsets = vec![vec![Aabb::EMPTY; joints]; targets.unwrap_or(0)];
        for geometry in mesh.parts.iter().map(|part| part.geometry.get()) {
            for (vertex, &position) in geometry.positions.iter().enumerate() {
                for (joint, _) in geometry.normalized_joint_weights(vertex, joints) {
                    if position.is_finite() {
                        include_point(&mut bounds[joint], position);
                    }
                    for (index, offsets) in offsets.iter_mut().enumerate() {
                        let target = geometry.morph_targets.get(index);
                        let offset = target.and_then(|target| target.positions.get(vertex));
                        let offset = offset.copied().filter(|it| it.is_finite());
                        include_point(&mut offsets[joint], offset.unwrap_or_default());
                    }
                }
            }
        }
        (bounds, offsets)
    }

    #[test]
    fn cached_bounds_have_the_bits_of_a_loop_over_all_vertices() {
        let (assets, mut random) = (Assets::new(), Rng::new(1));
        let material = assets.add(Material::default());
        for _ in 0..200 {
            let geometries: Vec<Handle<Geometry>> =
                (0..3).map(|_| assets.add(random.geometry())).collect();
            for _ in 0..10 {
                let parts = (0..random.below(4)).map(|_| Part {
                    geometry: geometries[random.below(3)].clone(),
                    material: material.clone(),
                });
                let mesh = Mesh::from_parts(parts.collect());
                let joints = random.below(15);
                let (found, (mut bounds, mut offsets)) =
                    (mesh.joint_bounds(joints), naive(&mesh, joints));
                // Trailing joints that move no vertex may be missing.
                let kept = found.bounds.len();
                assert!(bounds.split_off(kept).iter().all(Aabb::is_empty));
                for offsets in &mut offsets {
                    assert!(offsets.split_off(kept).iter().all(Aabb::is_empty));
                }
                // As text, which distinguishes the signs of zeros.
                assert_eq!(format!("{:?}", found.bounds), format!("{bounds:?}"));
                assert_eq!(format!("{:?}", found.offsets), format!("{offsets:?}"));
            }
        }
    }

    #[test]
    fn meshes_that_share_a_geometry_share_its_boxes() {
        let assets = Assets::new();
        let two = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X])
            .with_influences(vec![[0; 4], [1, 0, 0, 0]], vec![[1.0, 0.0, 0.0, 0.0]; 2]);
        let (two, material) = (assets.add(two), assets.add(Material::default()));
        let of = |joints| Mesh::new(two.clone(), material.clone()).joint_bounds(joints);
        assert!(Arc::ptr_eq(&of(2), &of(2)) && Arc::ptr_eq(&of(2), &of(64)));
        assert!(!Arc::ptr_eq(&of(1), &of(2)) && Arc::ptr_eq(&of(1), &of(1)));
    }
}
