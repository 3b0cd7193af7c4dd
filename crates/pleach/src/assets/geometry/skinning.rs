//! Skinning: the positions of vertices after morphing and skinning.
//!
//! Weights are normalized: a vertex whose weights do not sum to one is posed as if they did,
//! and a vertex without weights follows its first joint.

use glam::{Mat4, Vec3};

use super::Geometry;

impl Geometry {
    /// Returns the joints that move a vertex, of the first `joints` of a skin, with weights that
    /// sum to one. Other weights are scaled; without any, the vertex follows its first joint.
    ///
    /// ```
    /// use pleach::{Geometry, glam::Vec3};
    ///
    /// let sleeve = Geometry::from_positions(vec![Vec3::X])
    ///     .with_influences(vec![[3, 1, 0, 9]], vec![[1.0, 3.0, 0.0, 2.0]]);
    /// assert_eq!(sleeve.normalized_joint_weights(0, 5).collect::<Vec<_>>(), [(3, 0.25), (1, 0.75)]);
    /// ```
    pub fn normalized_joint_weights(
        &self,
        vertex: usize,
        joints: usize,
    ) -> impl Iterator<Item = (usize, f32)> + '_ {
        let influences = move || {
            let sets = self.influences.iter().filter_map(move |set| {
                Some(set.joints.get(vertex)?.iter().zip(set.weights.get(vertex)?))
            });
            let pairs = sets.flatten().map(|(&joint, &weight)| (joint as usize, weight));
            pairs.filter(move |&(joint, weight)| {
                weight > 0.0 && weight.is_finite() && joint < joints
            })
        };
        // In f64 the sum of large weights stays finite.
        let sum: f64 = influences().map(|(_, weight)| f64::from(weight)).sum();
        let first = self.influences.first().and_then(|set| set.joints.get(vertex));
        let first = first.map_or(0, |joints| joints[0] as usize);
        let fallback = (sum <= 0.0 && first < joints).then_some((first, 1.0));
        influences()
            .map(move |(joint, weight)| (joint, (f64::from(weight) / sum) as f32))
            .chain(fallback)
    }

    /// Replaces the contents of `out` with the positions after morphing and skinning, in f32: in
    /// world space, if `joint_matrices` are those of a skin
    /// ([`JointMatrices::get`](crate::JointMatrices::get)). Without joint matrices this is
    /// [`morphed_positions`](Self::morphed_positions).
    ///
    /// A vertex whose weights do not sum to one is posed as if they did; one without weights
    /// follows its first joint; one without a joint in `joint_matrices` is not skinned.
    ///
    /// ```
    /// use pleach::Geometry;
    /// use pleach::glam::{Mat4, Vec3};
    ///
    /// let sleeve = Geometry::from_positions(vec![Vec3::X; 2])
    ///     .with_influences(vec![[0; 4], [0, 1, 0, 0]], vec![[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]);
    /// let joint_matrices = [Mat4::IDENTITY, Mat4::from_translation(Vec3::new(0.0, 0.0, 4.0))];
    /// let mut positions = Vec::new();
    /// sleeve.posed_positions(&joint_matrices, &[], &mut positions);
    /// assert_eq!(positions, [Vec3::X, Vec3::new(1.0, 0.0, 2.0)]);
    /// ```
    pub fn posed_positions(&self, joint_matrices: &[Mat4], weights: &[f32], out: &mut Vec<Vec3>) {
        self.morphed_positions(weights, out);
        for (vertex, position) in out.iter_mut().enumerate() {
            let unposed = *position;
            let mut posed = Vec3::ZERO;
            let mut any = false;
            for (joint, weight) in self.normalized_joint_weights(vertex, joint_matrices.len()) {
                posed += joint_matrices[joint].transform_point3(unposed) * weight;
                any = true;
            }
            if any {
                *position = posed;
            }
        }
    }
}
