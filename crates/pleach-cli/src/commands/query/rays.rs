//! Casts grids of rays into a scene, on rayon's threads; the answers do not depend on their number.
//!
//! Rays hit triangles as drawn, including hidden nodes. The triangles of posed meshes are computed
//! when a ray first comes near. A singular matrix has no inverse to transform a ray to the
//! geometry, so there the geometry is transformed to world space.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use glam::{DMat4, Mat4};
use pleach::{Filter, Geometry, Mesh, NodeId, NodeMap, Ray, Scene, TreeRef};
use pleach_spatial::{Shape, TriangleTree};
use rayon::prelude::*;

use super::answers::Hit;
use super::model::Model;
use super::questions::Grid;

/// The maximum number of triangles computed for a pose.
const MAX_TRIANGLES: usize = 1 << 24;
/// The minimum number of rays per task of a thread.
const RAYS_PER_TASK: usize = 2048;

/// The triangles of a tree of the model in the current pose.
pub(crate) struct Targets<'a> {
    model: &'a Model<'a>,
    tree: usize,
    scene: &'a Scene,
    /// Computed triangles of nodes that do not show their geometry unchanged.
    derived: NodeMap<Derived>,
    /// The number of computed triangles and of parts that may be computed.
    built: AtomicUsize,
}

/// Triangles of one node, computed on first use.
#[derive(Debug, Default)]
struct Derived {
    /// Posed triangles by part; empty if the node is not posed.
    posed: Vec<OnceLock<TriangleTree>>,
    /// The instances with a singular matrix; `None` is the node itself.
    singular: Vec<Option<u32>>,
    /// World-space triangles by singular instance and part.
    collapsed: Vec<OnceLock<TriangleTree>>,
}

impl<'a> Targets<'a> {
    pub(crate) fn new(model: &'a Model<'a>, tree: usize) -> Result<Self> {
        let scene = model.scene(tree)?;
        let (mut derived, mut built) = (NodeMap::new(), 0_usize);
        for (node, mesh) in scene.meshes.iter(&scene.graph) {
            let (parts, singular) = (mesh.parts.len(), singular_instances(scene, node, mesh));
            let posed = if is_posed(scene, node) { parts } else { 0 };
            let collapsed = parts.saturating_mul(singular.len());
            built = built.saturating_add(posed).saturating_add(collapsed);
            ensure!(built <= MAX_TRIANGLES, "more than {MAX_TRIANGLES} posed or singular parts");
            if posed + collapsed > 0 {
                let posed = (0..posed).map(|_| OnceLock::new()).collect();
                let collapsed = (0..collapsed).map(|_| OnceLock::new()).collect();
                derived.insert(&scene.graph, node, Derived { posed, singular, collapsed })?;
            }
        }
        Ok(Self { model, tree, scene, derived, built: AtomicUsize::new(built) })
    }

    /// Returns the hits of the rays of a grid, sorted by ray.
    pub(crate) fn cast(&self, grid: &Grid) -> Result<Vec<Hit>> {
        let rays = 0..grid.n * grid.n;
        let cast = |k| self.cast_one(grid, k);
        let hits = match &self.model.pool {
            Some(pool) => pool.install(|| {
                let rays = rays.into_par_iter().with_min_len(RAYS_PER_TASK);
                rays.filter_map(cast).collect()
            }),
            None => rays.filter_map(cast).collect(),
        };
        self.check_budget(hits)
    }

    /// Returns the hits, or an error if the limit of computed triangles was exceeded.
    fn check_budget(&self, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let built = self.built.load(Ordering::Relaxed);
        ensure!(
            built <= MAX_TRIANGLES,
            "rays come near more than {MAX_TRIANGLES} posed triangles; cast fewer rays per call"
        );
        Ok(hits)
    }

    fn cast_one(&self, grid: &Grid, k: usize) -> Option<Hit> {
        let Scene { graph, spatial, .. } = self.scene;
        // The questions were validated: origin and direction are finite.
        let ray = Ray::new(grid.ray_origin(k), grid.dir).ok()?;
        let filter = Filter::default().with_hidden();
        let hit = spatial.pick_parts(graph, &ray, &filter, |node, part| self.shape(node, part))?;
        let mesh = self.scene.mesh(hit.node)?;
        let (parts, number) = (mesh.parts.len(), hit.part as usize);
        let (instance, front) = if number < parts {
            (hit.instance, hit.front != self.is_mirrored(mesh, hit.instance))
        } else {
            let derived = self.derived.get(graph, hit.node)?;
            let instance = *derived.singular.get((number - parts) / parts)?;
            (instance, hit.front != graph.get(hit.node)?.winding_flipped())
        };
        Some(Hit {
            k: k as u32,
            distance: hit.distance,
            node: self.model.document.index_of(self.tree, hit.node)? as u32,
            primitive: (number % parts) as u32,
            face: hit.triangle,
            instance,
            front,
        })
    }

    /// Returns `true` if the matrix of an instance mirrors. Only the node's matrix determines the
    /// front, but hits consider both.
    fn is_mirrored(&self, mesh: &Mesh, instance: Option<u32>) -> bool {
        let instances = mesh.instances.as_ref().zip(instance);
        let matrix = instances.and_then(|(it, number)| it.matrices().get(number as usize));
        matrix.is_some_and(|matrix| matrix.as_dmat4().determinant() < 0.0)
    }

    /// Returns the shape of a part of a node; the parts of singular instances follow the regular
    /// parts.
    fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_, TreeRef<'_>>> {
        let mesh = self.scene.mesh(node)?;
        let derived = self.derived.get(&self.scene.graph, node);
        let (parts, part) = (mesh.parts.len(), part as usize);
        if part >= parts {
            let derived = derived?;
            let tree = derived.collapsed.get(part - parts)?;
            let instance = *derived.singular.get((part - parts) / parts)?;
            let placement = placement(self.scene, node, mesh, instance);
            let geometry = &mesh.parts[part % parts].geometry;
            let tree = tree.get_or_init(|| self.derive(node, &geometry.get(), Some(&placement)));
            return Some(Shape::world_space(TreeRef::Borrowed(tree)));
        }
        let geometry = &mesh.parts[part].geometry;
        let tree = match derived.and_then(|derived| derived.posed.get(part)) {
            Some(tree) => {
                TreeRef::Borrowed(tree.get_or_init(|| self.derive(node, &geometry.get(), None)))
            }
            None => TreeRef::Asset(geometry.get()),
        };
        Some(match &mesh.instances {
            _ if self.scene.skin(node).is_some() => Shape::world_space(tree),
            Some(instances) => Shape::instanced(tree, instances),
            None => Shape::new(tree),
        })
    }

    /// Builds the triangles of a geometry as posed by a node, transformed by `world` if given.
    fn derive(&self, node: NodeId, geometry: &Geometry, world: Option<&DMat4>) -> TriangleTree {
        let count = geometry.triangle_count();
        if self.built.fetch_add(count, Ordering::Relaxed).saturating_add(count) > MAX_TRIANGLES {
            // `check_budget` reports the error.
            return TriangleTree::default();
        }
        let Scene { graph, weights, .. } = self.scene;
        let weights = weights.get(graph, node).map_or(&[][..], pleach::MorphWeights::as_slice);
        let joint_matrices = self.scene.joint_matrices().get(node).unwrap_or_default();
        let mut positions = Vec::new();
        geometry.posed_positions(joint_matrices, weights, &mut positions);
        if let Some(world) = world {
            for position in &mut positions {
                *position = world.transform_point3(position.as_dvec3()).as_vec3();
            }
        }
        geometry.build_posed_tree(&positions)
    }
}

/// Returns `true` if joints or morph targets deform a node's mesh.
fn is_posed(scene: &Scene, node: NodeId) -> bool {
    scene.skin(node).is_some() || scene.weights.get(&scene.graph, node).is_some()
}

/// Returns the instances of a node's mesh with a singular matrix; none if it is skinned.
fn singular_instances(scene: &Scene, node: NodeId, mesh: &Mesh) -> Vec<Option<u32>> {
    if scene.skin(node).is_some() {
        return Vec::new();
    }
    let instances = match &mesh.instances {
        Some(instances) => (0..instances.len() as u32).map(Some).collect(),
        None => vec![None],
    };
    // The same criterion as that of the spatial index.
    let is_singular = |it: &Option<u32>| !placement(scene, node, mesh, *it).inverse().is_finite();
    instances.into_iter().filter(is_singular).collect()
}

/// Returns the world matrix of an instance, or of the node itself.
fn placement(scene: &Scene, node: NodeId, mesh: &Mesh, instance: Option<u32>) -> DMat4 {
    let world = scene.graph.get(node).map_or(Mat4::IDENTITY, |node| node.world()).as_dmat4();
    let instances = mesh.instances.as_ref().zip(instance);
    let matrix = instances.and_then(|(it, number)| it.matrices().get(number as usize));
    matrix.map_or(world, |matrix| world * matrix.as_dmat4())
}
