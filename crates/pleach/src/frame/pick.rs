//! Picking: the triangles that a ray hits, in their current pose.
//!
//! Reads what the last update derived; writes the caller's buffers and the cached triangles of
//! the skinned and morphed meshes near the ray.

use pleach_graph::NodeId;
use pleach_spatial::{Filter, Hit, Ray, Shape};

use crate::{Scene, TreeRef};

impl Scene {
    /// Returns the nearest triangle of a visible mesh, in its current pose, that a ray hits. As of
    /// the last [`update`](Self::update), but with the current triangles of a geometry that was
    /// edited since, as far as they are within its bounds before the edit.
    ///
    /// Poses the triangles of the skinned and morphed meshes near the ray whose pose changed since
    /// they were last picked: O(vertices) each. Of levels of detail the finest is hit. A skinned
    /// mesh has the same front faces whether its skeleton is mirrored or not.
    pub fn pick(&mut self, ray: &Ray, filter: &Filter<'_>) -> Option<Hit> {
        self.pose_candidates(ray, filter);
        self.spatial.pick_parts(&self.graph, ray, filter, |node, part| self.shape(node, part))
    }

    /// Finds every triangle that a ray hits, nearest first. Otherwise like [`pick`](Self::pick).
    pub fn pick_all(&mut self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<Hit>) {
        self.pose_candidates(ray, filter);
        let shape = |node, part| self.shape(node, part);
        self.spatial.pick_all_parts(&self.graph, ray, filter, shape, hits);
    }

    /// Returns the triangles of a mesh part and the space they are in.
    fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_, TreeRef<'_>>> {
        let mesh = self.mesh(node)?;
        if !self.derived.lod_members.is_finest(&self.graph, &self.lods, node) {
            return None;
        }
        let part = part as usize;
        let is_skinned = self.skin(node).is_some();
        let tree = if is_skinned || self.weights.get(&self.graph, node).is_some() {
            // Posed by `pose_candidates`; a mesh that was not is not near the ray.
            TreeRef::Borrowed(self.derived.posed_triangles.tree(&self.graph, node, part)?)
        } else {
            TreeRef::Asset(mesh.parts.get(part)?.geometry.get())
        };
        Some(match &mesh.instances {
            _ if is_skinned => {
                let mirrored = self.derived.joint_matrices.mirrors(node);
                Shape { mirrored, ..Shape::world_space(tree) }
            }
            Some(instances) => Shape::instanced(tree, instances),
            None => Shape::new(tree),
        })
    }

    /// Poses the skinned and morphed meshes whose bounds a ray intersects.
    fn pose_candidates(&mut self, ray: &Ray, filter: &Filter<'_>) {
        let Self { graph, meshes, skins, weights, spatial, derived, .. } = self;
        if skins.is_empty() && weights.is_empty() {
            return;
        }
        let triangles = &mut derived.posed_triangles;
        let mut candidates = core::mem::take(&mut triangles.candidates);
        spatial.ray_candidates(ray, filter, &mut candidates);
        for &node in &candidates {
            triangles.pose(graph, node, meshes, weights, &derived.joint_matrices);
        }
        triangles.candidates = candidates;
    }
}
