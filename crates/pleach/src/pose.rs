//! Poses: where the vertices of a skinned or morphed mesh are, and a box of them.
//!
//! The box is made from one box for each joint, of the vertices that the joint moves,
//! in the mesh's space. A posed vertex is a mean of its joints' images of it, each of
//! which is in the image of that joint's box; so it is in the box around these images.
//! Morph targets shift a joint's box by their own boxes of shifts, times their weights.
//!
//! Weights count as shares: a vertex whose weights do not add up to one is posed as if
//! they did, and one without weights follows its first joint.

use glam::{Mat4, Vec3, Vec4};
use pleach_spatial::Aabb;

use crate::{Geometry, Mesh};

/// Boxes of what each joint moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointBoxes {
    boxes: Vec<Aabb>,
    /// By morph target, then joint: boxes of the shifts.
    shifts: Vec<Vec<Aabb>>,
}

impl JointBoxes {
    /// Of all parts of a mesh, which name joints below `joints`; others are left out.
    pub(crate) fn new(mesh: &Mesh, joints: usize) -> Self {
        let targets = mesh.parts.iter().map(|part| part.geometry.morph_targets.len()).max();
        let mut all = Self {
            boxes: vec![Aabb::EMPTY; joints],
            shifts: vec![vec![Aabb::EMPTY; joints]; targets.unwrap_or(0)],
        };
        for part in &mesh.parts {
            let geometry = &*part.geometry;
            for vertex in 0..geometry.positions.len() {
                for (joint, _) in shares(geometry, vertex, joints) {
                    all.add(geometry, vertex, joint);
                }
            }
        }
        all
    }

    fn add(&mut self, geometry: &Geometry, vertex: usize, joint: usize) {
        let place = geometry.positions[vertex];
        if place.is_finite() {
            grow(&mut self.boxes[joint], place);
        }
        for (boxes, number) in self.shifts.iter_mut().zip(0..) {
            let target = geometry.morph_targets.get(number);
            let shift = target.and_then(|target| target.positions.get(vertex));
            // No shift is one of nothing: it keeps the box where it is.
            grow(&mut boxes[joint], shift.copied().filter(|it| it.is_finite()).unwrap_or_default());
        }
    }

    /// The box of the pose. Weights that are not finite count as none.
    pub(crate) fn posed(&self, palette: &[Mat4], weights: &[f32]) -> Aabb {
        let (mut min, mut max) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        // What a number that is not finite would make so, too: comparisons may pass over it.
        let (mut terms, mut sum) = (Vec4::ZERO, Vec4::ZERO);
        for (joint, (aabb, matrix)) in self.boxes.iter().zip(palette).enumerate() {
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
        if finite { grown(&aabb, terms.truncate()) } else { Aabb::EMPTY }
    }

    /// A joint's box, morphed, and how large the terms are that make it up.
    #[inline(always)]
    fn morphed(&self, joint: usize, aabb: &Aabb, weights: &[f32]) -> (Aabb, Vec3) {
        let Aabb { mut min, mut max } = *aabb;
        let mut size = min.abs().max(max.abs());
        for (shifts, &weight) in self.shifts.iter().zip(weights) {
            if weight.is_finite() {
                let (a, b) = (shifts[joint].min * weight, shifts[joint].max * weight);
                (min, max) = (min + a.min(b), max + a.max(b));
                size += a.abs().max(b.abs());
            }
        }
        (Aabb { min, max }, size)
    }
}

fn grow(aabb: &mut Aabb, point: Vec3) {
    *aabb = Aabb { min: aabb.min.min(point), max: aabb.max.max(point) };
}

/// Larger than what rounding may have taken: a posed vertex is a sum of a few dozen rounded
/// products, each of which is off by 2^-24 of its terms.
fn grown(aabb: &Aabb, terms: Vec3) -> Aabb {
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

/// The joints of a vertex and their shares, which add up to one.
fn shares(
    geometry: &Geometry,
    vertex: usize,
    joints: usize,
) -> impl Iterator<Item = (usize, f32)> + '_ {
    let each = move || {
        let sets = geometry.influences.iter().filter_map(move |set| {
            Some(set.joints.get(vertex)?.iter().zip(set.weights.get(vertex)?))
        });
        let pairs = sets.flatten().map(|(&joint, &weight)| (joint as usize, weight));
        pairs.filter(move |&(joint, weight)| weight > 0.0 && weight.is_finite() && joint < joints)
    };
    // In f64: sums of large weights stay finite.
    let sum: f64 = each().map(|(_, weight)| f64::from(weight)).sum();
    let first = geometry.influences.first().and_then(|set| set.joints.get(vertex));
    let first = first.map_or(0, |joints| joints[0] as usize);
    let alone = (sum <= 0.0 && first < joints).then_some((first, 1.0));
    each().map(move |(joint, weight)| (joint, (f64::from(weight) / sum) as f32)).chain(alone)
}

/// The posed positions of a geometry, in the world. Vertices without a joint stay where the
/// mesh has them.
pub(crate) fn posed_positions(
    geometry: &Geometry,
    palette: &[Mat4],
    weights: &[f32],
    positions: &mut Vec<Vec3>,
) {
    geometry.morphed_positions(weights, positions);
    for (vertex, position) in positions.iter_mut().enumerate() {
        let rest = *position;
        let mut posed = Vec3::ZERO;
        let mut any = false;
        for (joint, share) in shares(geometry, vertex, palette.len()) {
            posed += palette[joint].transform_point3(rest) * share;
            any = true;
        }
        if any {
            *position = posed;
        }
    }
}
