//! `RenderList`: what to draw, flat and in order.
//!
//! Opaque draws by material, then geometry, then front to back; transparent ones back to
//! front. Draws that may go out as one call lie side by side. A list belongs to its caller
//! and to one view; built again, it allocates nothing once it has been as long before.
//!
//! Invariants: each part of each visible mesh is in one of the two lists, once (each visible
//! copy is in `instances`, once); equal scenes and views give equal lists.

use core::ops::Range;

use pleach_graph::NodeId;
use pleach_spatial::Visible;

use crate::{AssetId, Frustum, Scene, View};

/// One part of one mesh, to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// The node.
    pub node: NodeId,
    /// Which part of its mesh.
    pub part: u32,
    /// The part's geometry.
    pub geometry: AssetId,
    /// Its material.
    pub material: AssetId,
    /// The row of its matrix in [`Graph::world_matrices`](pleach_graph::Graph::world_matrices).
    pub world: u32,
    /// Where its joints' matrices begin in [`JointMatrices::matrices`](crate::JointMatrices::matrices); its
    /// own world matrix does not count then.
    pub joint_matrices: Option<u32>,
    /// The instances in view, in [`RenderList::instances`]; empty if it has no instances.
    pub instances: Range<u32>,
    /// Its world matrix mirrors, or its joints do: the front is where corners go clockwise.
    pub flipped: bool,
    /// Do shadows fall on it?
    pub receive_shadow: bool,
    /// The mesh says that it never moves.
    pub is_static: bool,
    /// How far the center of its bounds is along the view.
    pub depth: f32,
}

/// What a renderer may have recorded of a static draw.
#[derive(Clone, Debug, PartialEq)]
struct StaticDraw {
    node: NodeId,
    part: u32,
    geometry: AssetId,
    material: AssetId,
    joint_matrices: Option<u32>,
    flipped: bool,
    receive_shadow: bool,
    transparent: bool,
    instances: u32,
}

/// What to draw for one view.
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
    /// Kept for its memory.
    visible_instances: Vec<u32>,
}

impl RenderList {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opaque draws: by material, then geometry, then front to back.
    #[must_use]
    pub fn opaque(&self) -> &[Draw] {
        &self.opaque
    }

    /// Transparent draws: back to front.
    #[must_use]
    pub fn transparent(&self) -> &[Draw] {
        &self.transparent
    }

    /// The numbers of the instances in view, draw after draw.
    #[must_use]
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Runs of opaque draws that may go out as one instanced call: the same geometry, material
    /// and side, neither skinned nor with instances of their own.
    pub fn batches(&self) -> impl Iterator<Item = &[Draw]> {
        self.opaque.chunk_by(|a, b| {
            let plain = |draw: &Draw| draw.joint_matrices.is_none() && draw.instances.is_empty();
            let key = |draw: &Draw| (draw.material, draw.geometry, draw.flipped);
            plain(a) && plain(b) && key(a) == key(b)
        })
    }

    /// Changes whenever the draws of static meshes do, but for their depths: which there are, of
    /// what, in what, which instances. As long as it stays, what a renderer recorded for them holds.
    #[must_use]
    pub fn static_version(&self) -> u64 {
        self.static_version
    }

    /// Lists what is visible. O(visible), and the sorting.
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
        self.opaque.sort_unstable_by_key(|draw| {
            (draw.material, draw.geometry, draw.flipped, depth(draw), draw.world, draw.part)
        });
        self.transparent
            .sort_unstable_by_key(|draw| (core::cmp::Reverse(depth(draw)), draw.world, draw.part));
        let changed = self.statics != self.previous_statics
            || self.static_instances != self.previous_static_instances;
        self.static_version += u64::from(changed);
    }

    fn add(&mut self, scene: &Scene, node: NodeId, view: &View) {
        let (Some(mesh), Some(at)) = (scene.mesh(node), scene.graph.get(node)) else { return };
        let members = &scene.derived.lod_members;
        if !members.is_selected(&scene.graph, &scene.lods, &scene.spatial, view, node) {
            return;
        }
        let bounds = scene.spatial.world_bounds(node);
        let center = bounds.map_or_else(|| at.world_translation(), |bounds| bounds.center());
        let depth = view.depth(center);
        let joint_matrices = scene.skin(node).and_then(|_| scene.joint_matrices().range(node));
        let joint_matrices = joint_matrices.map(|range| range.start as u32);
        let flipped = match joint_matrices {
            Some(_) => scene.joint_matrices().mirrors(node),
            None => at.winding_flipped(),
        };
        let instances = self.instances.len() as u32;
        if let Some(instances) = &mesh.instances {
            // In the node's space; what is flat there, or not to be culled, shows all its instances.
            match local_frustum(view, &at.world()) {
                Some(frustum) if mesh.frustum_culled => {
                    instances.cull(&frustum, &mut self.visible_instances)
                }
                _ => {
                    self.visible_instances.clear();
                    self.visible_instances.extend(0..instances.len() as u32);
                }
            }
            if self.visible_instances.is_empty() {
                return;
            }
            self.instances.extend_from_slice(&self.visible_instances);
        }
        let instances = instances..self.instances.len() as u32;
        for (number, part) in mesh.parts.iter().enumerate() {
            let (geometry, material) = (part.geometry.id(), part.material.id());
            let draw = Draw {
                node,
                part: number as u32,
                geometry,
                material,
                world: node.index() as u32,
                joint_matrices,
                instances: instances.clone(),
                flipped,
                receive_shadow: mesh.receive_shadow,
                is_static: mesh.is_static,
                depth,
            };
            let transparent = mesh.is_transparent(number);
            if mesh.is_static {
                self.statics.push(StaticDraw {
                    node,
                    part: number as u32,
                    geometry,
                    material,
                    joint_matrices,
                    flipped,
                    receive_shadow: mesh.receive_shadow,
                    transparent,
                    instances: instances.end - instances.start,
                });
                let instances = instances.start as usize..instances.end as usize;
                self.static_instances.extend_from_slice(&self.instances[instances]);
            }
            if transparent {
                self.transparent.push(draw);
            } else {
                self.opaque.push(draw);
            }
        }
    }
}

/// A view's frustum in the space that `world` leads out of.
fn local_frustum(view: &View, world: &glam::Mat4) -> Option<Frustum> {
    // In f64: far from the origin the f32 product would lose more than the slack of the boxes.
    let local = view.view_projection.as_dmat4() * world.as_dmat4();
    Frustum::from_view_projection(&local.as_mat4(), view.clip_space).ok()
}

/// Floats as integers of the same order.
fn sortable(depth: f32) -> i32 {
    let bits = depth.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}
