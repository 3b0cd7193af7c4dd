//! The frame's questions: what a view sees, who throws shadows, what a ray meets.
//!
//! Reads what `follow.rs` made; writes the caller's buffers, and for picking the posed
//! triangles of what the ray may meet.

use glam::Vec3;
use pleach_graph::NodeId;
use pleach_spatial::{Filter, Hit, Ray, Shape, TriangleTree, Visible};

use crate::{Ambient, Error, Mesh, Scene, ShadowView, View, Viewport};

/// The triangles of a posed mesh, part by part.
#[derive(Debug)]
pub(crate) struct Posed {
    trees: Vec<TriangleTree>,
    pub(crate) stale: bool,
}

impl Scene {
    /// The meshes that a view sees, in the order of their slots; on its camera's layers, and
    /// shown. As of the last [`update`](Self::update).
    pub fn cull(&self, view: &View, visible: &mut Visible) {
        let filter = Filter::default().with_layers(view.layers);
        self.spatial.cull(&view.frustum, &filter, visible);
    }

    /// Update, view and cull in one call: the meshes that a camera sees, skinned ones included.
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update) and [`view`](Self::view).
    pub fn visible_meshes(
        &mut self,
        camera: NodeId,
        viewport: impl Into<Viewport>,
        visible: &mut Visible,
    ) -> Result<View, Error> {
        self.update()?;
        let view = self.view(camera, viewport)?;
        self.cull(&view, visible);
        Ok(view)
    }

    /// The meshes that throw shadows into a light's map, in the order of slots; of levels of
    /// detail the finest.
    pub fn shadow_casters(&self, light: &ShadowView, visible: &mut Visible) {
        let members = &self.followers.members;
        let casts = |node| {
            self.mesh(node).is_some_and(|mesh| mesh.cast_shadow)
                && members.is_finest(&self.graph, &self.lods, node)
        };
        self.spatial.cull(&light.frustum, &Filter::default().with_predicate(&casts), visible);
    }

    /// All ambient light: the environment's, and that of lights of this kind that are shown and,
    /// as of the last [`update`](Self::update), below the root.
    #[must_use]
    pub fn ambient(&self) -> Ambient {
        let shown = |node: NodeId| {
            self.followers.is_attached(node)
                && self.graph.get(node).is_some_and(|node| node.is_shown())
        };
        // By slot, so that the sum has the same bits however the lights came to be; there are few.
        let lights = || {
            let shown = self.lights.iter(&self.graph).filter(|&(node, _)| shown(node));
            shown.filter_map(|(node, light)| Some((node.index(), light.as_ambient()?)))
        };
        let (mut sum, mut from) = (self.environment.ambient, 0);
        while let Some((slot, light)) =
            lights().filter(|&(slot, _)| slot >= from).min_by_key(|&(slot, _)| slot)
        {
            (sum, from) = (sum.plus(light), slot + 1);
        }
        sum
    }

    /// The first triangle that a ray meets, of the meshes that are shown, as they are posed.
    /// As of the last [`update`](Self::update).
    ///
    /// Poses the triangles of skinned and morphed meshes that the ray may meet and that
    /// moved since they were last asked for: O(their vertices). Of levels of detail the finest is
    /// met. A skinned mesh under a mirrored skeleton shows the same sides as under another.
    pub fn pick(&mut self, ray: &Ray, filter: &Filter<'_>) -> Option<Hit> {
        self.pose_along(ray, filter);
        self.spatial.pick_parts(&self.graph, ray, filter, |node, part| self.shape(node, part))
    }

    /// Every triangle that a ray meets, nearest first. Otherwise as [`pick`](Self::pick).
    pub fn pick_all(&mut self, ray: &Ray, filter: &Filter<'_>, hits: &mut Vec<Hit>) {
        self.pose_along(ray, filter);
        let shape = |node, part| self.shape(node, part);
        self.spatial.pick_all_parts(&self.graph, ray, filter, shape, hits);
    }

    /// What a part of a node looks like to a ray.
    fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let mesh = self.mesh(node)?;
        if !self.followers.members.is_finest(&self.graph, &self.lods, node) {
            return None;
        }
        let part = part as usize;
        let is_skinned = self.skin(node).is_some();
        let tree = if is_skinned || self.weights.get(&self.graph, node).is_some() {
            // Posed by `pose_along`; whatever was not is not near the ray.
            let posed = self.followers.posed.get(&self.graph, node).filter(|it| !it.stale)?;
            posed.trees.get(part)?
        } else {
            mesh.parts.get(part)?.geometry.tree()
        };
        Some(match &mesh.instances {
            _ if is_skinned => {
                let mirrored = self.followers.palettes.mirrors(node);
                Shape { mirrored, ..Shape::world_space(tree) }
            }
            Some(instances) => Shape::instanced(tree, instances),
            None => Shape::new(tree),
        })
    }

    /// Poses the meshes that a ray may meet.
    fn pose_along(&mut self, ray: &Ray, filter: &Filter<'_>) {
        if self.skins.is_empty() && self.weights.is_empty() {
            return;
        }
        let mut near = core::mem::take(&mut self.followers.near);
        self.spatial.ray_candidates(ray, filter, &mut near);
        for &node in &near {
            self.pose(node);
        }
        self.followers.near = near;
    }

    /// Brings the posed triangles of a mesh up to date, if it has a pose.
    fn pose(&mut self, node: NodeId) {
        let graph = &self.graph;
        let Some(mesh) = self.meshes.get(graph, node) else { return };
        let weights = self.weights.get(graph, node);
        let palette = self.followers.palettes.get(node);
        if palette.is_none() && weights.is_none() {
            return;
        }
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let posed = match self.followers.posed.get_mut(graph, node) {
            Some(posed) if !posed.stale => return,
            Some(posed) => core::mem::take(&mut posed.trees),
            None => Vec::new(),
        };
        let positions = &mut self.followers.positions;
        let trees = pose_parts(mesh, palette.unwrap_or(&[]), weights, posed, positions);
        // A node that has a mesh is alive.
        _ = self.followers.posed.insert(graph, node, Posed { trees, stale: false });
    }
}

/// The trees of a mesh's parts in a pose: refitted if there are some, else built.
fn pose_parts(
    mesh: &Mesh,
    palette: &[glam::Mat4],
    weights: &[f32],
    mut trees: Vec<TriangleTree>,
    positions: &mut Vec<Vec3>,
) -> Vec<TriangleTree> {
    for (number, part) in mesh.parts.iter().enumerate() {
        part.geometry.posed_positions(palette, weights, positions);
        let fits = trees.get_mut(number).is_some_and(|tree| {
            tree.len() == part.geometry.triangle_count() && tree.refit(positions).is_ok()
        });
        if !fits {
            let indices: Vec<u32> = part.geometry.triangles().flatten().collect();
            trees.truncate(number);
            // Indices beyond the positions: nothing to meet.
            trees.push(TriangleTree::build(positions, &indices).unwrap_or_default());
        }
    }
    trees.truncate(mesh.parts.len());
    trees
}
