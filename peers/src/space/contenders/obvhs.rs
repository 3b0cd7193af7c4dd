//! `obvhs`: its two kinds of tree, with its own build, update and traversal functions.

use std::time::Duration;

use glam::{Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::{build_bvh2, build_bvh2_from_tris};
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::{build_cwbvh, build_cwbvh_from_tris};
use obvhs::fast_stack;
use obvhs::ray::RayHit;
use obvhs::rt_triangle::RtTriangle;
use obvhs::triangle::Triangle;

use super::Trace;
use crate::space::boxes;
use crate::space::motion::Move;
use crate::space::rays::Ray;

pub type Aabb = obvhs::aabb::Aabb;

/// A build preset and its name in the tables.
pub type Preset = (&'static str, BvhBuildParams);

pub const FASTEST: Preset = ("fastest_build", BvhBuildParams::fastest_build());
pub const FAST: Preset = ("fast_build", BvhBuildParams::fast_build());
pub const MEDIUM: Preset = ("medium_build", BvhBuildParams::medium_build());
pub const SLOW: Preset = ("slow_build", BvhBuildParams::slow_build());

/// Returns parameters with one box per leaf, as required for moving single boxes.
pub const fn one_box_per_leaf(params: BvhBuildParams) -> BvhBuildParams {
    BvhBuildParams { max_prims_per_leaf: 1, ..params }
}

pub fn aabb(one: &boxes::Aabb) -> Aabb {
    Aabb::new(Vec3A::from_array(one.min), Vec3A::from_array(one.max))
}

pub fn aabbs(boxes: &[boxes::Aabb]) -> Vec<Aabb> {
    boxes.iter().map(aabb).collect()
}

pub fn bvh2(aabbs: &[Aabb], params: BvhBuildParams) -> Bvh2 {
    build_bvh2(aabbs, params, &mut Duration::default())
}

pub fn cwbvh(aabbs: &[Aabb], params: BvhBuildParams) -> CwBvh {
    build_cwbvh(aabbs, params, &mut Duration::default())
}

fn ray(ray: &Ray) -> obvhs::ray::Ray {
    obvhs::ray::Ray::new_inf(ray.origin.into(), ray.direction.into())
}

/// Returns the distance at which a ray enters a box: 0 if it starts inside.
#[inline(always)]
fn entry(aabb: &Aabb, ray: &obvhs::ray::Ray) -> f32 {
    aabb.intersect_ray(ray).max(0.0)
}

/// Returns the primitives in the order of a tree's leaves, as its documentation recommends.
fn reorder<T, U>(indices: &[u32], primitives: &[T], to: impl Fn(&T) -> U) -> Vec<U> {
    indices.iter().map(|&index| to(&primitives[index as usize])).collect()
}

/// A `Bvh2` for rays against boxes.
pub struct Bvh2Boxes {
    bvh: Bvh2,
    boxes: Vec<Aabb>,
}

impl Bvh2Boxes {
    pub fn new(boxes: &[boxes::Aabb], params: BvhBuildParams) -> Self {
        let aabbs = aabbs(boxes);
        let bvh = bvh2(&aabbs, params);
        let boxes = reorder(&bvh.primitive_indices, &aabbs, |&aabb| aabb);
        Self { bvh, boxes }
    }
}

impl Trace for Bvh2Boxes {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let Self { bvh, boxes } = self;
        for (one, distance) in rays.iter().zip(distances) {
            let mut hit = RayHit::none();
            bvh.ray_traverse(ray(one), &mut hit, |ray, id| entry(&boxes[id], ray));
            *distance = hit.t;
        }
    }
}

pub struct CwbvhBoxes {
    bvh: CwBvh,
    boxes: Vec<Aabb>,
}

impl CwbvhBoxes {
    pub fn new(boxes: &[boxes::Aabb], params: BvhBuildParams) -> Self {
        let aabbs = aabbs(boxes);
        let bvh = cwbvh(&aabbs, params);
        let boxes = reorder(&bvh.primitive_indices, &aabbs, |&aabb| aabb);
        Self { bvh, boxes }
    }
}

impl Trace for CwbvhBoxes {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let Self { bvh, boxes } = self;
        for (one, distance) in rays.iter().zip(distances) {
            let mut hit = RayHit::none();
            bvh.ray_traverse(ray(one), &mut hit, |ray, id| entry(&boxes[id], ray));
            *distance = hit.t;
        }
    }
}

/// A triangle as stored by obvhs: three corners, or a corner, edges and a precomputed normal.
pub trait Intersect {
    fn of(triangle: &Triangle) -> Self;
    fn distance(&self, ray: &obvhs::ray::Ray) -> f32;
}

impl Intersect for Triangle {
    fn of(triangle: &Triangle) -> Self {
        *triangle
    }

    #[inline(always)]
    fn distance(&self, ray: &obvhs::ray::Ray) -> f32 {
        self.intersect(ray)
    }
}

impl Intersect for RtTriangle {
    fn of(triangle: &Triangle) -> Self {
        triangle.into()
    }

    #[inline(always)]
    fn distance(&self, ray: &obvhs::ray::Ray) -> f32 {
        self.intersect(ray)
    }
}

fn triangles(triangles: &[[Vec3; 3]]) -> Vec<Triangle> {
    let corners = triangles.iter().map(|corners| corners.map(Vec3A::from));
    corners.map(|[v0, v1, v2]| Triangle { v0, v1, v2 }).collect()
}

/// A `Bvh2` for rays against triangles.
pub struct Bvh2Triangles<T> {
    bvh: Bvh2,
    triangles: Vec<T>,
}

impl<T: Intersect> Bvh2Triangles<T> {
    pub fn new(mesh: &[[Vec3; 3]], params: BvhBuildParams) -> Self {
        let mesh = triangles(mesh);
        let bvh = build_bvh2_from_tris(&mesh, params, &mut Duration::default());
        let triangles = reorder(&bvh.primitive_indices, &mesh, T::of);
        Self { bvh, triangles }
    }
}

impl<T: Intersect> Trace for Bvh2Triangles<T> {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let Self { bvh, triangles } = self;
        for (one, distance) in rays.iter().zip(distances) {
            let mut hit = RayHit::none();
            bvh.ray_traverse(ray(one), &mut hit, |ray, id| triangles[id].distance(ray));
            *distance = hit.t;
        }
    }
}

pub struct CwbvhTriangles<T> {
    bvh: CwBvh,
    triangles: Vec<T>,
}

impl<T: Intersect> CwbvhTriangles<T> {
    pub fn new(mesh: &[[Vec3; 3]], params: BvhBuildParams) -> Self {
        let mesh = triangles(mesh);
        let bvh = build_cwbvh_from_tris(&mesh, params, &mut Duration::default());
        let triangles = reorder(&bvh.primitive_indices, &mesh, T::of);
        Self { bvh, triangles }
    }
}

impl<T: Intersect> Trace for CwbvhTriangles<T> {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let Self { bvh, triangles } = self;
        for (one, distance) in rays.iter().zip(distances) {
            let mut hit = RayHit::none();
            bvh.ray_traverse(ray(one), &mut hit, |ray, id| triangles[id].distance(ray));
            *distance = hit.t;
        }
    }
}

/// A tree with one box per leaf that is updated while the boxes move.
pub struct DynamicBvh2 {
    bvh: Bvh2,
}

impl DynamicBvh2 {
    pub fn new(boxes: &[boxes::Aabb], params: BvhBuildParams) -> Self {
        let mut bvh = bvh2(&aabbs(boxes), one_box_per_leaf(params));
        bvh.init_parents_if_uninit();
        bvh.init_primitives_to_nodes_if_uninit();
        Self { bvh }
    }

    /// Reorders nodes parents first, as required by the faster refit.
    pub fn reordered(mut self) -> Self {
        self.bvh.reorder_in_stack_traversal_order();
        self
    }

    pub fn refit(&mut self, boxes: &[boxes::Aabb]) {
        let Bvh2 { nodes, primitives_to_nodes, .. } = &mut self.bvh;
        for (one, &node) in boxes.iter().zip(&*primitives_to_nodes) {
            nodes[node as usize].set_aabb(aabb(one));
        }
        self.bvh.refit_all();
    }

    pub fn apply(&mut self, moves: &[Move]) {
        for (index, to) in moves {
            self.bvh.move_primitive(aabb(to), *index);
        }
    }

    /// Returns the depth of the tree, and the stack size of its traversals.
    pub fn depth_and_stack_size(&self) -> [usize; 2] {
        [self.bvh.depth(0), self.bvh.max_depth]
    }
}

impl Trace for DynamicBvh2 {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let bvh = &self.bvh;
        for (one, distance) in rays.iter().zip(distances) {
            let mut hit = RayHit::none();
            fast_stack!(u32, (96, 192), bvh.max_depth, stack, {
                bvh.ray_traverse_dynamic(&mut stack, ray(one), &mut hit, |leaf, ray, hit| {
                    let t = entry(leaf.aabb(), ray);
                    if t < ray.tmax {
                        hit.primitive_id = leaf.first_index;
                        hit.t = t;
                        ray.tmax = t;
                    }
                    true
                });
            });
            *distance = hit.t;
        }
    }
}
