//! The list as its definition: every draw from the mesh itself, sorted by comparing all properties.

use std::cmp::Reverse;
use std::ops::Range;

use pleach::glam::Mat4;
use pleach::{AssetId, Draw, Frustum, NodeId, Scene, View};

/// A list that was built naively.
#[derive(Default)]
pub(crate) struct NaiveList {
    pub(crate) opaque: Vec<NaiveDraw>,
    pub(crate) transparent: Vec<NaiveDraw>,
    pub(crate) instances: Vec<u32>,
    /// The data that the static version depends on.
    pub(crate) statics: Vec<NaiveStatic>,
}

/// The fields of a [`Draw`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NaiveDraw {
    node: NodeId,
    part: u32,
    geometry: AssetId,
    material: AssetId,
    group: Option<Range<u32>>,
    world: u32,
    joint_matrices: Option<u32>,
    instances: Range<u32>,
    flipped: bool,
    receive_shadow: bool,
    is_static: bool,
    depth: f32,
}

impl From<&Draw> for NaiveDraw {
    fn from(draw: &Draw) -> Self {
        Self {
            node: draw.node,
            part: draw.part,
            geometry: draw.geometry,
            material: draw.material,
            group: draw.group.clone(),
            world: draw.world,
            joint_matrices: draw.joint_matrices,
            instances: draw.instances.clone(),
            flipped: draw.flipped,
            receive_shadow: draw.receive_shadow,
            is_static: draw.is_static,
            depth: draw.depth,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NaiveStatic {
    draw: NaiveDraw,
    transparent: bool,
    versions: [u64; 2],
    instances: Vec<u32>,
}

impl NaiveList {
    pub(crate) fn build(scene: &Scene, nodes: &[NodeId], view: &View) -> Self {
        let mut list = Self::default();
        nodes.iter().for_each(|&node| list.add(scene, node, view));
        let depth = |draw: &NaiveDraw| {
            let bits = draw.depth.to_bits() as i32;
            if bits < 0 { i64::from(i32::MIN) - i64::from(bits) - 1 } else { i64::from(bits) }
        };
        let last = |draw: &NaiveDraw| {
            let group = draw.group.as_ref().map(|group| group.start);
            (draw.world, draw.part, group)
        };
        list.opaque.sort_by_key(|draw| {
            (draw.material, draw.geometry, draw.flipped, depth(draw), last(draw))
        });
        list.transparent.sort_by_key(|draw| (Reverse(depth(draw)), last(draw)));
        list
    }

    fn add(&mut self, scene: &Scene, node: NodeId, view: &View) {
        let Some(mesh) = scene.mesh(node) else { return };
        if mesh.parts.is_empty() || !scene.draws_level(view, node) {
            return;
        }
        let node_ref = scene.graph.node(node).unwrap();
        let bounds = scene.spatial.world_bounds(node);
        let center = bounds.map_or(node_ref.world_translation(), |bounds| bounds.center());
        let matrices = scene.skin(node).and_then(|_| scene.joint_matrices().range(node));
        let start = self.instances.len() as u32;
        let mut instances = 0..0;
        if let Some(all) = &mesh.instances {
            let mut visible = Vec::new();
            match local_frustum(view, &node_ref.world()) {
                Some(frustum) if mesh.frustum_culled => all.cull(&frustum, &mut visible),
                _ => visible.extend(0..all.len() as u32),
            }
            if visible.is_empty() {
                return;
            }
            self.instances.extend(visible);
            instances = start..self.instances.len() as u32;
        }
        for (index, part) in mesh.parts.iter().enumerate() {
            let geometry = part.geometry.get();
            let groups = geometry.material_groups().filter(|_| !mesh.materials.is_empty());
            let groups = groups.map_or(vec![(0, None)], |groups| {
                groups.groups().iter().map(|it| (it.material, Some(it.range.clone()))).collect()
            });
            for (material_index, group) in groups {
                let material = mesh.material(index, material_index).unwrap();
                let draw = NaiveDraw {
                    node,
                    part: index as u32,
                    geometry: part.geometry.id(),
                    material: material.id(),
                    group,
                    world: node.index() as u32,
                    joint_matrices: matrices.as_ref().map(|range| range.start as u32),
                    instances: instances.clone(),
                    flipped: match matrices {
                        Some(_) => scene.joint_matrices().mirrors(node),
                        None => node_ref.winding_flipped(),
                    },
                    receive_shadow: mesh.receive_shadow,
                    is_static: mesh.is_static,
                    depth: view.depth(center),
                };
                let transparent = mesh.is_transparent(index, material_index);
                if draw.is_static {
                    self.statics.push(NaiveStatic {
                        draw: NaiveDraw { depth: 0.0, instances: 0..0, ..draw.clone() },
                        transparent,
                        versions: [part.geometry.version(), material.version()],
                        instances: self.instances[start as usize..].to_vec(),
                    });
                }
                if transparent {
                    self.transparent.push(draw);
                } else {
                    self.opaque.push(draw);
                }
            }
        }
    }

    /// Returns the number of runs of draws with the same material and geometry.
    pub(crate) fn assets(&self) -> Vec<(AssetId, AssetId)> {
        let mut assets: Vec<_> =
            self.opaque.iter().map(|draw| (draw.material, draw.geometry)).collect();
        assets.dedup();
        assets
    }
}

fn local_frustum(view: &View, world: &Mat4) -> Option<Frustum> {
    let local = view.view_projection.as_dmat4() * world.as_dmat4();
    Frustum::from_view_projection(&local.as_mat4(), view.clip_space).ok()
}
