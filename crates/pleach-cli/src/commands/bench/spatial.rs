//! The spatial workloads, culling and picking: pleach's index against loops over all boxes and all
//! triangles.
//!
//! Every node has the same small cube.

use std::hint::black_box;

use anyhow::ensure;
use pleach::glam::camera::rh::proj::directx::perspective;
use pleach::glam::camera::rh::view::look_to_mat4;
use pleach::glam::{Mat4, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{ClipSpace, Filter, Frustum, Ray, SpatialIndex, Visible};
use pleach_spatial::{Shape, TriangleMesh};

use super::naive_tree::NaiveTree;
use super::pleach_tree::PleachTree;
use super::timing::{Times, compare, timed};
use super::tree_spec::{BenchTree, Random, TreeSpec};
use super::verify;

/// The size of a cube in metres; nodes are some tenths of a metre apart.
const CUBE_SIZE: f32 = 0.1;

/// The maximum number of rays, and of pairs of ray and node: the naive loop tests all nodes for
/// each ray.
const MAX_RAYS: usize = 64;
const MAX_RAY_NODE_TESTS: usize = 6_400_000;

/// The nearest hit of a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct RayHit {
    pub(super) distance: f32,
    /// The index in the `TreeSpec`.
    pub(super) node: u32,
}

/// The benchmark tree with a cube on each node, for both sides.
pub(super) struct SpatialBench {
    ours: PleachTree,
    index: SpatialIndex,
    cube: TriangleMesh,
    /// Indices in the `TreeSpec` by slot of the graph.
    spec_indices: Vec<u32>,
    naive: NaiveIndex,
}

/// The data of the naive loops.
struct NaiveIndex {
    boxes: Vec<[Vec4; 2]>,
    /// The inverse world matrix of each node.
    inverses: Vec<Mat4>,
    triangles: Vec<[Vec3; 3]>,
}

impl SpatialBench {
    pub(super) fn new(spec: &TreeSpec) -> anyhow::Result<Self> {
        let mut ours = PleachTree::build(spec);
        let mut index = SpatialIndex::new(&mut ours.graph);
        let shape = Cuboid::new(Vec3::splat(CUBE_SIZE)).build()?;
        let corners: Vec<u32> = shape.triangles().flatten().collect();
        let cube = TriangleMesh::new(shape.positions.to_vec(), corners)?;
        index.reserve(ours.nodes.len());
        let mut spec_indices = vec![0; ours.graph.world_matrices().len()];
        for (number, &node) in ours.nodes.iter().enumerate() {
            index.set_bounds(&ours.graph, node, cube.bounds())?;
            spec_indices[node.index()] = number as u32;
        }
        index.sync(&ours.graph)?;
        let at = |corner: u32| shape.positions[corner as usize];
        let triangles = shape.triangles().map(|corners| corners.map(at)).collect();
        let naive = NaiveIndex::new(&NaiveTree::build(spec).worlds(), triangles);
        Ok(Self { ours, index, cube, spec_indices, naive })
    }

    /// Measures culling with about 10 % of the nodes in view.
    pub(super) fn cull(&self, seconds: f64) -> anyhow::Result<Times> {
        let matrix = self.tenth_in_view();
        let frustum = Frustum::from_view_projection(&matrix, ClipSpace::ZeroToOne)?;
        let planes = planes(&matrix);
        let (mut visible, mut found) = (Visible::new(), Vec::new());
        self.index.cull(&frustum, &Filter::default(), &mut visible);
        self.naive.cull(&planes, &mut found);
        let mut ours: Vec<u32> =
            visible.nodes().iter().map(|node| self.spec_indices[node.index()]).collect();
        ours.sort_unstable();
        let margin = |node: u32| {
            let [low, high] = self.naive.boxes[node as usize];
            verify::margin(&planes, low, high)
        };
        verify::in_view(&ours, &found, margin)?;

        let mut ours = || {
            self.index.cull(black_box(&frustum), &Filter::default(), &mut visible);
            black_box(visible.nodes());
        };
        let mut naive = || {
            self.naive.cull(black_box(&planes), &mut found);
            black_box(&found);
        };
        Ok(compare(seconds, |times| timed(times, &mut ours), |times| timed(times, &mut naive)))
    }

    /// Measures picking the nearest triangle on a ray.
    pub(super) fn pick(&self, seconds: f64) -> anyhow::Result<Times> {
        let rays = self.rays()?;
        let mut hit_count = 0;
        for (number, ray) in rays.iter().enumerate() {
            let (ours, naive) = (self.pick_nearest(ray), self.naive.pick_nearest(ray));
            verify::hits(number, ours, naive)?;
            hit_count += usize::from(naive.is_some());
        }
        ensure!(hit_count * 2 > rays.len(), "only {hit_count} of {} rays hit anything", rays.len());
        let (mut our_rays, mut naive_rays) = (rays.iter().cycle(), rays.iter().cycle());
        let mut ours = || {
            black_box(our_rays.next().and_then(|ray| self.pick_nearest(ray)));
        };
        let mut naive = || {
            black_box(naive_rays.next().and_then(|ray| self.naive.pick_nearest(ray)));
        };
        Ok(compare(seconds, |times| timed(times, &mut ours), |times| timed(times, &mut naive)))
    }

    fn pick_nearest(&self, ray: &Ray) -> Option<RayHit> {
        let shape = |_| Some(Shape::new(self.cube.tree()));
        let hit = self.index.pick(&self.ours.graph, ray, &Filter::default(), shape)?;
        Some(RayHit { distance: hit.distance, node: self.spec_indices[hit.node.index()] })
    }

    /// Returns the centre and the radius of the bounds of all nodes.
    fn center_and_radius(&self) -> (Vec3, f32) {
        let bounds = self.index.bounds();
        (bounds.center(), bounds.half_extents().length())
    }

    /// Returns a view from outside with the field of view that contains 10 % of the nodes.
    fn tenth_in_view(&self) -> Mat4 {
        let (center, radius) = self.center_and_radius();
        let eye = center - Vec3::Y * radius * 1.5;
        let look = look_to_mat4(eye, Vec3::Y, Vec3::Z);
        let view = |angle: f32| perspective(angle, 1.5, radius * 0.01, radius * 4.0) * look;
        let (mut low, mut high) = (1e-3, 2.0);
        let mut found = Vec::new();
        for _ in 0..16 {
            let angle = f32::midpoint(low, high);
            self.naive.cull(&planes(&view(angle)), &mut found);
            let too_few = found.len() * 10 < self.naive.boxes.len();
            (low, high) = if too_few { (angle, high) } else { (low, angle) };
        }
        view(high)
    }

    /// Returns rays from all directions, each towards a node.
    fn rays(&self) -> anyhow::Result<Vec<Ray>> {
        let (center, radius) = self.center_and_radius();
        let mut random = Random(7);
        let worlds = self.ours.graph.world_matrices();
        let mut rays = Vec::new();
        for _ in 0..(MAX_RAY_NODE_TESTS / worlds.len()).clamp(4, MAX_RAYS) {
            let from = random.vector(1.0).normalize_or(Vec3::X) * (radius * 2.0);
            let to = worlds[random.below(worlds.len())].w_axis.truncate();
            rays.push(Ray::new(center + from, to - center - from)?);
        }
        Ok(rays)
    }
}

impl NaiveIndex {
    fn new(worlds: &[Mat4], triangles: Vec<[Vec3; 3]>) -> Self {
        let corners: Vec<Vec3> = triangles.iter().flatten().copied().collect();
        let bounds = |world: &Mat4| {
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for &corner in &corners {
                let corner = world.transform_point3(corner);
                (low, high) = (low.min(corner), high.max(corner));
            }
            [low.extend(1.0), high.extend(1.0)]
        };
        Self {
            boxes: worlds.iter().map(bounds).collect(),
            inverses: worlds.iter().map(Mat4::inverse).collect(),
            triangles,
        }
    }

    /// Collects the boxes that are not entirely behind a plane.
    fn cull(&self, planes: &[Vec4; 6], found: &mut Vec<u32>) {
        found.clear();
        for (number, [low, high]) in self.boxes.iter().enumerate() {
            let is_behind = |plane: &Vec4| {
                let farthest = Vec4::select(plane.cmpgt(Vec4::ZERO), *high, *low);
                plane.truncate().dot(farthest.truncate()) + plane.w < 0.0
            };
            if !planes.iter().any(is_behind) {
                found.push(number as u32);
            }
        }
    }

    /// Returns the nearest hit among all triangles of all nodes.
    fn pick_nearest(&self, ray: &Ray) -> Option<RayHit> {
        let mut nearest: Option<RayHit> = None;
        for (node, inverse) in self.inverses.iter().enumerate() {
            let origin = inverse.transform_point3(ray.origin());
            // Not normalized, so that distances are in world space.
            let direction = inverse.transform_vector3(ray.direction());
            for triangle in &self.triangles {
                let Some(distance) = intersect(origin, direction, triangle) else { continue };
                if nearest.is_none_or(|nearest| distance < nearest.distance) {
                    nearest = Some(RayHit { distance, node: node as u32 });
                }
            }
        }
        nearest
    }
}

/// Returns the frustum planes of a view-projection matrix, positive inside.
fn planes(matrix: &Mat4) -> [Vec4; 6] {
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row));
    [w + x, w - x, w + y, w - y, z, w - z]
}

/// Returns the distance to a triangle by the Möller–Trumbore algorithm.
fn intersect(origin: Vec3, direction: Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f32> {
    let (to_b, to_c) = (b - a, c - a);
    let across = direction.cross(to_c);
    let volume = to_b.dot(across);
    if volume == 0.0 {
        return None;
    }
    let from_a = origin - a;
    let u = from_a.dot(across) / volume;
    let upward = from_a.cross(to_b);
    let v = direction.dot(upward) / volume;
    let distance = to_c.dot(upward) / volume;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some(distance)
}
