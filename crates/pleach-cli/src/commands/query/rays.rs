//! Casts grids of rays into a scene, on several threads: the same answers however many there are.
//!
//! A ray meets triangles where they are drawn, of hidden nodes too. Those of posed meshes are worked
//! out when a ray first comes near. A matrix that is flat has no inverse that would take a ray to the
//! geometry: there the geometry is taken to the world.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, ensure};
use glam::{DMat4, Mat4};
use pleach::{Filter, Geometry, Mesh, NodeId, NodeMap, Ray, Scene};
use pleach_spatial::{Shape, TriangleTree};

use super::answers::Hit;
use super::model::Model;
use super::questions::Grid;

/// The most triangles that are worked out for a pose.
const MAX_TRIANGLES: usize = 1 << 24;
/// So many rays are worth a thread.
const RAYS_PER_THREAD: usize = 2048;

/// What rays can meet of a tree of the model, as it is posed.
pub(crate) struct Targets<'a> {
    model: &'a Model,
    tree: usize,
    scene: &'a Scene,
    /// Of nodes that do not show their geometry just as it is.
    derived: NodeMap<Derived>,
    /// Triangles that were worked out, and parts that may be.
    built: AtomicUsize,
}

/// Triangles of one node that are worked out when they are first asked for.
#[derive(Debug, Default)]
struct Derived {
    /// By part, in its pose; none if each is as its geometry is.
    posed: Vec<OnceLock<TriangleTree>>,
    /// The copies that have a flat matrix; `None` is the node itself.
    singular: Vec<Option<u32>>,
    /// By flat copy and part: in the world.
    collapsed: Vec<OnceLock<TriangleTree>>,
}

impl<'a> Targets<'a> {
    pub(crate) fn new(model: &'a Model, tree: usize) -> Result<Self> {
        let scene = model.scene(tree)?;
        let (mut derived, mut built) = (NodeMap::new(), 0_usize);
        for (node, mesh) in scene.meshes.iter(&scene.graph) {
            let (parts, singular) = (mesh.parts.len(), singular_instances(scene, node, mesh));
            let posed = if is_posed(scene, node) { parts } else { 0 };
            let collapsed = parts.saturating_mul(singular.len());
            built = built.saturating_add(posed).saturating_add(collapsed);
            ensure!(
                built <= MAX_TRIANGLES,
                "more than {MAX_TRIANGLES} parts of meshes are posed or flat"
            );
            if posed + collapsed > 0 {
                let posed = (0..posed).map(|_| OnceLock::new()).collect();
                let collapsed = (0..collapsed).map(|_| OnceLock::new()).collect();
                derived.insert(&scene.graph, node, Derived { posed, singular, collapsed })?;
            }
        }
        Ok(Self { model, tree, scene, derived, built: AtomicUsize::new(built) })
    }

    /// What the rays of a grid meet, by the number of the ray.
    pub(crate) fn cast(&self, grid: &Grid) -> Result<Vec<Hit>> {
        let rays = grid.n * grid.n;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(rays / RAYS_PER_THREAD).max(1);
        if threads == 1 {
            return self.check_budget(self.cast_range(grid, 0..rays));
        }
        let chunk = rays.div_ceil(threads);
        let ranges = (0..threads).map(|it| (it * chunk).min(rays)..((it + 1) * chunk).min(rays));
        let hits: Vec<Vec<Hit>> = thread::scope(|scope| {
            let start = |range: Range<usize>| {
                let own = range.clone();
                let thread = thread::Builder::new();
                (range, thread.spawn_scoped(scope, move || self.cast_range(grid, own)).ok())
            };
            let started: Vec<_> = ranges.map(start).collect();
            // If there is no thread to be had, this one does it.
            let end = |(range, thread): (Range<usize>, Option<thread::ScopedJoinHandle<'_, _>>)| {
                let hits = thread.and_then(|thread| thread.join().ok());
                hits.unwrap_or_else(|| self.cast_range(grid, range))
            };
            started.into_iter().map(end).collect()
        });
        self.check_budget(hits.into_iter().flatten().collect())
    }

    /// Hits, unless more was to be worked out for them than there is room for.
    fn check_budget(&self, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let built = self.built.load(Ordering::Relaxed);
        ensure!(
            built <= MAX_TRIANGLES,
            "rays come near more than {MAX_TRIANGLES} triangles that are posed; ask for fewer rays at once"
        );
        Ok(hits)
    }

    fn cast_range(&self, grid: &Grid, range: Range<usize>) -> Vec<Hit> {
        range.filter_map(|k| self.cast_one(grid, k)).collect()
    }

    fn cast_one(&self, grid: &Grid, k: usize) -> Option<Hit> {
        let Scene { graph, spatial, .. } = self.scene;
        // The questions were checked: it has a direction and a start.
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

    /// Does a copy's own matrix turn the triangles round? The rule is about the node's alone, but
    /// what is met is told for both.
    fn is_mirrored(&self, mesh: &Mesh, instance: Option<u32>) -> bool {
        let instances = mesh.instances.as_ref().zip(instance);
        let matrix = instances.and_then(|(it, number)| it.matrices().get(number as usize));
        matrix.is_some_and(|matrix| matrix.as_dmat4().determinant() < 0.0)
    }

    /// What a part of a node looks like to a ray; after the parts come those of its flat copies.
    fn shape(&self, node: NodeId, part: u32) -> Option<Shape<'_>> {
        let mesh = self.scene.mesh(node)?;
        let derived = self.derived.get(&self.scene.graph, node);
        let (parts, part) = (mesh.parts.len(), part as usize);
        if part >= parts {
            let derived = derived?;
            let tree = derived.collapsed.get(part - parts)?;
            let instance = *derived.singular.get((part - parts) / parts)?;
            let placement = placement(self.scene, node, mesh, instance);
            let geometry = &mesh.parts[part % parts].geometry;
            let tree = tree.get_or_init(|| self.derive_tree(node, geometry, Some(&placement)));
            return Some(Shape::world_space(tree));
        }
        let geometry = &mesh.parts[part].geometry;
        let tree = match derived.and_then(|derived| derived.posed.get(part)) {
            Some(tree) => tree.get_or_init(|| self.derive_tree(node, geometry, None)),
            None => geometry.tree(),
        };
        Some(match &mesh.instances {
            _ if self.scene.skin(node).is_some() => Shape::world_space(tree),
            Some(instances) => Shape::instanced(tree, instances),
            None => Shape::new(tree),
        })
    }

    /// The triangles of a geometry as a node poses it, taken to `placement` if that is given.
    fn derive_tree(
        &self,
        node: NodeId,
        geometry: &Geometry,
        placement: Option<&DMat4>,
    ) -> TriangleTree {
        let count = geometry.triangle_count();
        if self.built.fetch_add(count, Ordering::Relaxed).saturating_add(count) > MAX_TRIANGLES {
            // An error follows: see `check_budget`.
            return TriangleTree::default();
        }
        let Scene { graph, weights, .. } = self.scene;
        let weights = weights.get(graph, node).map_or(&[][..], Vec::as_slice);
        let joint_matrices = self.scene.joint_matrices().get(node).unwrap_or_default();
        let mut positions = Vec::new();
        geometry.posed_positions(joint_matrices, weights, &mut positions);
        if let Some(placement) = placement {
            for position in &mut positions {
                *position = placement.transform_point3(position.as_dvec3()).as_vec3();
            }
        }
        let indices: Vec<u32> = geometry.triangles().flatten().collect();
        // Indices beyond the positions: nothing to meet.
        TriangleTree::build(&positions, &indices).unwrap_or_default()
    }
}

/// Do joints or morph targets move a node's vertices?
fn is_posed(scene: &Scene, node: NodeId) -> bool {
    scene.skin(node).is_some() || scene.weights.get(&scene.graph, node).is_some()
}

/// The copies of a node's mesh that have a flat matrix. Where joints move it, the node's matrix
/// does not count.
fn singular_instances(scene: &Scene, node: NodeId, mesh: &Mesh) -> Vec<Option<u32>> {
    if scene.skin(node).is_some() {
        return Vec::new();
    }
    let instances = match &mesh.instances {
        Some(instances) => (0..instances.len() as u32).map(Some).collect(),
        None => vec![None],
    };
    // The same question as the index asks.
    let is_singular =
        |instance: &Option<u32>| !placement(scene, node, mesh, *instance).inverse().is_finite();
    instances.into_iter().filter(is_singular).collect()
}

/// Where a node shows a copy of its mesh, or the mesh itself.
fn placement(scene: &Scene, node: NodeId, mesh: &Mesh, instance: Option<u32>) -> DMat4 {
    let world = scene.graph.get(node).map_or(Mat4::IDENTITY, |node| node.world()).as_dmat4();
    let instances = mesh.instances.as_ref().zip(instance);
    let matrix = instances.and_then(|(it, number)| it.matrices().get(number as usize));
    matrix.map_or(world, |matrix| world * matrix.as_dmat4())
}
