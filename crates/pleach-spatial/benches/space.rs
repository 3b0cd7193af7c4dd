//! Culling, raycasts, proximity queries and syncs, by size. The plain loop is the baseline for the
//! scan: the minimum that a test of every box costs.
//!
//! `cargo bench -p pleach-spatial --bench space`. For comparisons with other libraries see `peers/`.

use divan::{Bencher, black_box};
use pleach_graph::glam::camera::rh::{proj::directx::perspective, view::look_to_mat4};
use pleach_graph::glam::{Vec3, Vec4};
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::{
    Aabb, ClipSpace, CullMethod, Filter, Frustum, Ray, SpatialIndex, TriangleTree, Visible,
};
use testkit::Rng;

fn main() {
    divan::main();
}

/// Returns a point in the unit cube.
fn point(random: &mut Rng) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| random.between(0.0, 1.0)))
}

/// Boxes of a few metres, distributed uniformly in a cube.
struct Yard {
    graph: Graph,
    index: SpatialIndex,
    nodes: Vec<NodeId>,
    side: f32,
    random: Rng,
}

fn yard(n: usize) -> Yard {
    let mut yard = unsynced_yard(n);
    yard.index.sync(&yard.graph).unwrap();
    yard.index.update_tree();
    yard
}

/// Returns a yard before its first sync.
fn unsynced_yard(n: usize) -> Yard {
    let mut random = Rng::new(n as u64);
    let side = 1000.0 * (n as f32 / 100_000.0).cbrt();
    let mut graph = Graph::new();
    let mut index = SpatialIndex::new(&mut graph);
    let nodes = (0..n).map(|_| {
        let translation = (point(&mut random) - 0.5) * side;
        let node = graph.add_root(Transform::from_translation(translation)).unwrap();
        let half = point(&mut random) * 4.0 + 0.5;
        index.set_bounds(&graph, node, Aabb::new(-half, half)).unwrap();
        node
    });
    let nodes = nodes.collect();
    graph.update();
    Yard { graph, index, nodes, side, random }
}

impl Yard {
    /// Returns a frustum that contains about a tenth of the boxes.
    fn frustum(&self) -> Frustum {
        let eye = Vec3::new(-0.2, -0.5, 0.0) * self.side;
        let camera = perspective(0.9, 1.6, 0.1, 0.58 * self.side)
            * look_to_mat4(eye, Vec3::new(0.1, 1.0, 0.05).normalize(), Vec3::Z);
        Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne).unwrap()
    }

    fn rays(&mut self, n: usize) -> Vec<Ray> {
        let mut ray = || {
            let origin = (point(&mut self.random) - 0.5) * self.side;
            Ray::new(origin, point(&mut self.random) - 0.5).unwrap()
        };
        (0..n).map(|_| ray()).collect()
    }
}

const SIZES: [usize; 6] = [500, 2_000, 5_000, 10_000, 100_000, 1_000_000];

fn bench_cull(bencher: Bencher, n: usize, method: CullMethod) {
    let mut yard = yard(n);
    yard.index.set_cull_method(method);
    let (frustum, mut visible) = (yard.frustum(), Visible::new());
    bencher.counter(divan::counter::ItemsCount::new(n)).bench_local(|| {
        yard.index.cull(black_box(&frustum), &Filter::default(), &mut visible);
        visible.len()
    });
}

#[divan::bench(args = SIZES)]
fn cull_a_tenth_by_scan(bencher: Bencher, n: usize) {
    bench_cull(bencher, n, CullMethod::Scan);
}

#[divan::bench(args = SIZES)]
fn cull_a_tenth_by_tree(bencher: Bencher, n: usize) {
    bench_cull(bencher, n, CullMethod::Tree);
}

/// The baseline: tests each box against each plane.
#[divan::bench(args = SIZES)]
fn cull_a_tenth_by_plain_loop(bencher: Bencher, n: usize) {
    let yard = yard(n);
    let planes = yard.frustum().planes().map(|plane| plane.normal.extend(plane.d));
    let boxes = yard.nodes.iter().map(|&node| yard.index.world_bounds(node).unwrap());
    let boxes: Vec<Aabb> = boxes.collect();
    let mut in_view = Vec::new();
    bencher.counter(divan::counter::ItemsCount::new(n)).bench_local(|| {
        in_view.clear();
        for (i, aabb) in boxes.iter().enumerate() {
            let inside = |plane: &Vec4| {
                let corner = Vec3::select(plane.truncate().cmpge(Vec3::ZERO), aabb.max, aabb.min);
                plane.dot(corner.extend(1.0)) >= 0.0
            };
            if planes.iter().all(inside) {
                in_view.push(i as u32);
            }
        }
        in_view.len()
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn raycast_aabb_1000_rays(bencher: Bencher, n: usize) {
    let mut yard = yard(n);
    let rays = yard.rays(1000);
    bencher.counter(divan::counter::ItemsCount::new(rays.len())).bench_local(|| {
        let hit = |ray: &Ray| yard.index.raycast_aabb(ray, &Filter::default());
        rays.iter().filter_map(hit).map(|hit| hit.distance).sum::<f32>()
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn nearest_8_to_1000_points(bencher: Bencher, n: usize) {
    let mut yard = yard(n);
    let points: Vec<Vec3> = yard.rays(1000).iter().map(|ray| ray.origin()).collect();
    let mut hits = Vec::new();
    bencher.counter(divan::counter::ItemsCount::new(points.len())).bench_local(|| {
        for &point in &points {
            yard.index.nearest(point, 8, &Filter::default(), &mut hits);
            black_box(&hits);
        }
    });
}

/// Includes the graph's update, which is part of the frame, and optionally that of the tree.
fn bench_sync(bencher: Bencher, n: usize, one_in: usize, with_tree: bool) {
    let mut yard = yard(n);
    let moved: Vec<NodeId> = yard.nodes.iter().copied().step_by(one_in).collect();
    let mut step = 0.0;
    bencher.counter(divan::counter::ItemsCount::new(moved.len())).bench_local(|| {
        step += 0.1;
        for &node in &moved {
            let translation = yard.graph.node(node).unwrap().translation();
            let offset = Vec3::new(1.0, f32::sin(step), 0.0);
            yard.graph.node_mut(node).unwrap().set_translation(translation + offset).unwrap();
        }
        yard.graph.update();
        yard.index.sync(&yard.graph).unwrap();
        if with_tree {
            yard.index.update_tree();
        }
    });
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn sync_1_percent_moved(bencher: Bencher, n: usize) {
    bench_sync(bencher, n, 100, false);
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn sync_and_update_tree_1_percent_moved(bencher: Bencher, n: usize) {
    bench_sync(bencher, n, 100, true);
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn sync_all_moved(bencher: Bencher, n: usize) {
    bench_sync(bencher, n, 1, false);
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn sync_and_update_tree_all_moved(bencher: Bencher, n: usize) {
    bench_sync(bencher, n, 1, true);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn first_sync_100k(bencher: Bencher) {
    let inputs = bencher.with_inputs(|| unsynced_yard(100_000));
    inputs.bench_local_refs(|yard| yard.index.sync(&yard.graph).unwrap());
}

#[divan::bench(args = [10_000, 100_000, 1_000_000])]
fn rebuild(bencher: Bencher, n: usize) {
    let mut yard = yard(n);
    bencher.bench_local(|| yard.index.rebuild());
}

/// Returns a height field of about `triangles` triangles.
fn hills(triangles: usize) -> (Vec<Vec3>, Vec<u32>) {
    let side = (triangles as f32 / 2.0).sqrt() as u32;
    let height = |x: f32, y: f32| 0.3 * (x * 0.37).sin() * (y * 0.29).cos() + 0.1 * (x * y).sin();
    let point = |i: u32| {
        let (x, y) = ((i % (side + 1)) as f32, (i / (side + 1)) as f32);
        Vec3::new(x, y, height(x, y))
    };
    let positions = (0..(side + 1) * (side + 1)).map(point).collect();
    let corner = |x: u32, y: u32| y * (side + 1) + x;
    let quads = (0..side * side).map(|i| (i % side, i / side));
    let indices = quads.flat_map(|(x, y)| {
        let [a, b] = [corner(x, y), corner(x + 1, y)];
        let [c, d] = [corner(x, y + 1), corner(x + 1, y + 1)];
        [a, b, d, a, d, c]
    });
    (positions, indices.collect())
}

#[divan::bench(args = [1_000, 100_000])]
fn build_triangles(bencher: Bencher, n: usize) {
    let (positions, indices) = hills(n);
    bencher.bench_local(|| TriangleTree::build(&positions, &indices).unwrap());
}

#[divan::bench(args = [1_000, 100_000])]
fn refit_triangles(bencher: Bencher, n: usize) {
    let (positions, indices) = hills(n);
    let mut tree = TriangleTree::build(&positions, &indices).unwrap();
    bencher.bench_local(|| tree.refit(&positions).unwrap());
}

#[divan::bench(args = [1_000, 100_000])]
fn raycast_triangles_1000_rays(bencher: Bencher, n: usize) {
    let (positions, indices) = hills(n);
    let tree = TriangleTree::build(&positions, &indices).unwrap();
    let (mut random, side) = (Rng::new(7), (n as f32 / 2.0).sqrt());
    let rays: Vec<Ray> = (0..1000)
        .map(|_| {
            let from = point(&mut random) * Vec3::new(side, side, 0.0) + Vec3::new(0.0, 0.0, 10.0);
            Ray::between(from, point(&mut random) * Vec3::new(side, side, 0.1)).unwrap()
        })
        .map(|ray| ray.with_max_distance(f32::INFINITY))
        .collect();
    bencher.counter(divan::counter::ItemsCount::new(rays.len())).bench_local(|| {
        rays.iter().filter_map(|ray| tree.raycast(ray)).map(|(_, hit)| hit.distance).sum::<f32>()
    });
}
