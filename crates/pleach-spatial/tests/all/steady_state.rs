//! After the first frames, a frame allocates nothing.
//!
//! Allocations are counted per thread, so that the tests can run concurrently. Only the calls of
//! the index are counted; the graph has its own tests.

use crate::common::RandomShapes;
use crate::common::meshes;
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::{Mat4, Vec3};
use pleach_spatial::{
    Aabb, ClipSpace, CullMethod, CullView, Filter, Frustum, Instances, Plane, Ray, Shape,
    SpatialIndex, Sphere, TriangleMesh, TriangleTree, Visible,
};
use testkit::allocations;
use testkit::{Rng, sized};

/// Runs `f` twice and asserts that the second run allocates nothing.
#[track_caller]
fn assert_steady(what: &str, mut f: impl FnMut()) {
    f();
    let (count, ()) = allocations::count(f);
    assert_eq!(count, 0, "{what} allocates");
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    nodes: Vec<NodeId>,
    centers: Vec<Vec3>,
}

const COUNT: usize = if cfg!(miri) { 40 } else { 2000 };

impl Scene {
    /// Creates nodes distributed in a cube of 100 metres.
    fn new(local: Aabb) -> Self {
        let mut random = Rng::new(1);
        let mut graph = Graph::new();
        let mut index = SpatialIndex::new(&mut graph);
        let (mut nodes, mut centers) = (Vec::new(), Vec::new());
        for _ in 0..COUNT {
            let at = random.vec3(50.0);
            let node = graph.add_root(Transform::from_translation(at)).unwrap();
            index.set_bounds(&graph, node, local).unwrap();
            nodes.push(node);
            centers.push(at);
        }
        graph.update();
        index.sync(&graph).unwrap();
        Self { graph, index, nodes, centers }
    }

    fn cube() -> Self {
        Self::new(Aabb::new(Vec3::NEG_ONE, Vec3::ONE))
    }

    /// Moves one in `every` nodes around a circle, in 20 frames.
    fn move_in_circles(&mut self, frame: usize, every: usize, radius: f32) {
        for number in (0..self.nodes.len()).step_by(every) {
            let angle = (frame + number) as f32 / 20.0 * std::f32::consts::TAU;
            let by = Vec3::new(angle.cos(), angle.sin(), 0.0) * radius;
            let mut node = self.graph.node_mut(self.nodes[number]).unwrap();
            node.set_translation(self.centers[number] + by).unwrap();
        }
        self.graph.update();
    }
}

fn frusta() -> Vec<Frustum> {
    let mut random = Rng::new(2);
    let frustum = |_| {
        let camera = random.camera(50.0);
        Frustum::from_view_projection(&camera, ClipSpace::ZeroToOne).unwrap()
    };
    (0..5).map(frustum).collect()
}

fn rays() -> Vec<Ray> {
    let mut random = Rng::new(3);
    (0..50).map(|_| Ray::between(random.vec3(60.0), random.vec3(30.0)).unwrap()).collect()
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn culling_into_reused_buffers_allocates_nothing() {
    let mut scene = Scene::cube();
    let frusta = frusta();
    let mut visible = Visible::new();
    let mut each = Vec::new();
    let views: Vec<CullView<'_>> =
        frusta.iter().map(|&frustum| CullView { frustum, filter: Filter::default() }).collect();
    let odd = |node: NodeId| node.index() % 2 == 1;
    let mut cull = |scene: &mut Scene, what: &str| {
        for method in [CullMethod::Scan, CullMethod::Tree] {
            scene.index.set_cull_method(method);
            assert_steady(&format!("culling {what} by {method:?}"), || {
                for frustum in &frusta {
                    scene.index.cull(frustum, &Filter::default(), &mut visible);
                    scene.index.cull(
                        frustum,
                        &Filter::default().with_layers(1).with_predicate(&odd),
                        &mut visible,
                    );
                }
                scene.index.cull_each(&views, &mut each);
            });
        }
    };
    cull(&mut scene, "in order");
    // Rows not sorted by slot, some hidden, some exempt from culling.
    for number in (0..COUNT).step_by(10) {
        scene.index.remove(scene.nodes[number]);
    }
    for number in (1..COUNT).step_by(10) {
        scene.index.set_frustum_culled(scene.nodes[number], false).unwrap();
        scene.graph.node_mut(scene.nodes[number + 1]).unwrap().set_visible(false);
    }
    scene.index.sync(&scene.graph).unwrap();
    cull(&mut scene, "out of order");
}

/// Moves one in `every` nodes each frame, and updates the tree. Returns the number of allocations,
/// except in frames that rebuilt the tree, and the number of rebuilds.
fn allocations_of_syncs(every: usize, radius: f32) -> (usize, usize) {
    let mut scene = Scene::cube();
    let (mut count, mut rebuilt) = (0, 0);
    for frame in 0..sized(240, 40) {
        scene.move_in_circles(frame, every, radius);
        let rebuilds = scene.index.tree_stats().rebuilds;
        let (calls, stats) = allocations::count(|| {
            let stats = scene.index.sync(&scene.graph).unwrap();
            scene.index.update_tree();
            stats
        });
        assert_eq!(stats.computed, COUNT.div_ceil(every));
        let rebuilds = scene.index.tree_stats().rebuilds - rebuilds;
        // The first rounds are for warming up.
        if frame >= 120 {
            rebuilt += rebuilds;
            count += if rebuilds > 0 { 0 } else { calls };
        }
    }
    assert_eq!(scene.index.check(), []);
    (count, rebuilt)
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn syncs_of_moving_nodes_allocate_nothing() {
    // A few by a little and by far, and all of them.
    for (every, radius) in [(50, 0.1), (20, 2.0), (10, 20.0), (1, 0.5)] {
        let (count, rebuilt) = allocations_of_syncs(every, radius);
        assert_eq!(count, 0, "one in {every} moves by {radius}");
        assert!(rebuilt <= 12, "one in {every} moves by {radius}: {rebuilt} rebuilds");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn setting_bounds_each_frame_allocates_nothing() {
    let mut scene = Scene::cube();
    let frame = |scene: &mut Scene, frame: usize| {
        for number in (0..COUNT).step_by(20) {
            let half = Vec3::splat(1.0 + 0.1 * (frame % 5) as f32);
            let local = Aabb::from_center_half(Vec3::ZERO, half);
            scene.index.set_bounds(&scene.graph, scene.nodes[number], local).unwrap();
        }
        scene.index.sync(&scene.graph).unwrap();
        scene.index.update_tree();
        scene.index.tree_stats().rebuilds
    };
    let mut rebuilds = 0;
    for number in 0..40 {
        rebuilds = frame(&mut scene, number);
    }
    for number in 40..60 {
        let (count, now) = allocations::count(|| frame(&mut scene, number));
        assert!(now > rebuilds || count == 0, "{count} allocations in frame {number}");
        rebuilds = now;
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn queries_into_reused_buffers_allocate_nothing() {
    let mut scene = Scene::cube();
    let rays = rays();
    let filter = Filter::default();
    assert_steady("raycast_aabb", || {
        for ray in &rays {
            _ = scene.index.raycast_aabb(ray, &filter);
        }
    });
    let mut hits = Vec::new();
    assert_steady("raycast_aabb_all", || {
        rays.iter().for_each(|ray| scene.index.raycast_aabb_all(ray, &filter, &mut hits));
    });
    let mut nodes = Vec::new();
    assert_steady("query_sphere and query_aabb", || {
        for ray in &rays {
            scene.index.query_sphere(&Sphere::new(ray.origin(), 20.0), &filter, &mut nodes);
            let aabb = Aabb::from_center_half(ray.origin(), Vec3::splat(9.0));
            scene.index.query_aabb(&aabb, &filter, &mut nodes);
        }
    });
    let frustum = frusta()[0];
    assert_steady("cull_reason", || {
        for &node in &scene.nodes {
            scene.index.cull_reason(&scene.graph, node, &frustum, &filter).unwrap();
        }
    });
    // Subtree bounds, with a few changes in between.
    let nodes = scene.nodes.clone();
    for &node in &nodes[1..] {
        scene.graph.attach_in_place(node, nodes[0]).unwrap();
    }
    for frame in 0..10 {
        scene.move_in_circles(frame, 50, 0.5);
        scene.index.sync(&scene.graph).unwrap();
        let (count, _) = allocations::count(|| scene.index.subtree_bounds(&scene.graph, nodes[0]));
        assert!(frame < 3 || count == 0, "subtree_bounds allocates in frame {frame}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn picking_allocates_nothing() {
    let mesh = meshes::bumpy(3);
    let geometry = TriangleMesh::new(mesh.positions, mesh.indices).unwrap();
    let scene = Scene::new(geometry.bounds());
    let rays = rays();
    let mut hits = 0;
    assert_steady("pick", || {
        for ray in &rays {
            let shape = |_: NodeId| Some(Shape::new(geometry.tree()));
            let hit = scene.index.pick(&scene.graph, ray, &Filter::default(), shape);
            hits += usize::from(hit.is_some());
        }
    });
    assert!(hits > 0);
    // With instances.
    let mut random = Rng::new(5);
    let matrices = (0..50).map(|_| random.invertible(1.0)).collect();
    let mut instances = Instances::new(geometry.bounds(), matrices).unwrap();
    let scene = Scene::new(instances.bounds());
    assert_steady("picking instances", || {
        for ray in &rays {
            let shape = |_: NodeId| Some(Shape::instanced(geometry.tree(), &instances));
            scene.index.pick(&scene.graph, ray, &Filter::default(), shape);
        }
    });
    let mut visible = Vec::new();
    let everywhere = Frustum::from_planes([Plane::AT_INFINITY; 6]).unwrap();
    assert_steady("culling instances", || instances.cull(&everywhere, &mut visible));
    assert_eq!(visible.len(), 50);
    for round in 0..10 {
        let (count, ()) = allocations::count(|| {
            for instance in 0..50 {
                let by = Vec3::new(instance as f32 * 0.1, (round % 2) as f32, 0.0);
                instances.set(instance, Mat4::from_translation(by)).unwrap();
            }
        });
        assert!(round < 5 || count == 0, "setting instances allocates in round {round}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the allocator, so nothing can be counted")]
fn refits_allocate_nothing() {
    let mesh = meshes::sphere(3);
    let mut tree = TriangleTree::build(&mesh.positions, &mesh.indices).unwrap();
    let pose: Vec<Vec3> = mesh.positions.iter().map(|at| *at * 1.5).collect();
    let ray = Ray::new(Vec3::ZERO, Vec3::ONE).unwrap();
    let mut hits = Vec::new();
    assert_steady("refit, raycast and raycast_all", || {
        tree.refit(&pose).unwrap();
        assert!(tree.raycast(&ray).is_some());
        tree.raycast_all(&ray, &mut hits);
    });
}
