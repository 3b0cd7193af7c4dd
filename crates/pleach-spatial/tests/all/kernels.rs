//! All kernels that this CPU supports give the same results, bit for bit.

use std::io::Write;

use crate::common::RandomShapes;
use crate::common::meshes;
use crate::common::naive_index::NaiveIndex;
use crate::common::queries::Queries;
use pleach_graph::{Graph, NodeId};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{
    Aabb, CullMethod, Filter, Frustum, Hit, Plane, QueryKernel, Ray, Shape, SpatialIndex,
    TriangleMesh, Visible,
};
use testkit::{Rng, sized};

/// Returns the supported kernels; prints a warning for the others.
fn kernels() -> Vec<QueryKernel> {
    let (available, unavailable): (Vec<_>, Vec<_>) =
        QueryKernel::ALL.into_iter().partition(|kernel| kernel.is_available());
    if !unavailable.is_empty() && !cfg!(miri) {
        // Not `eprintln`, whose output the test harness captures.
        let text = format!(
            "\n\n!!! KERNELS NOT TESTED: THIS CPU DOES NOT SUPPORT THEM: {unavailable:?}\n\n"
        );
        _ = std::io::stderr().write_all(text.as_bytes());
    }
    assert_eq!(available[0], QueryKernel::Scalar);
    available
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    naive: NaiveIndex,
}

impl Scene {
    fn new() -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        Self { graph, index, naive: NaiveIndex::default() }
    }

    fn add(&mut self, random: &mut Rng, local: Aabb) -> NodeId {
        let node = self.graph.add_root(random.transform(10.0)).unwrap();
        self.index.set_bounds(&self.graph, node, local).unwrap();
        self.naive.set_bounds(node, local);
        node
    }

    fn frame(&mut self) {
        self.graph.update();
        self.naive.sync_with(&self.graph, &mut self.index);
    }

    /// Returns the results of a kernel as text, in which floats are exact, including the signs of
    /// zeros.
    fn results(&mut self, kernel: QueryKernel, queries: &Queries) -> String {
        assert!(self.index.set_kernel(kernel));
        let mut text = String::new();
        for method in [CullMethod::Scan, CullMethod::Tree] {
            self.index.set_cull_method(method);
            text += &format!("{:?}\n", queries.run(&self.index));
            let mut visible = Visible::new();
            for (frustum, _) in &queries.views {
                self.index.cull(frustum, &Filter::default(), &mut visible);
                text += &format!("{} {:?}\n", visible.boxes_tested(), visible.bits());
            }
        }
        for (ray, _) in &queries.rays {
            text += &format!("{:?}\n", self.index.raycast_aabb(ray, &Filter::default()));
        }
        let mut near = Vec::new();
        for &(point, count, _) in &queries.points {
            self.index.nearest(point, count, &Filter::default(), &mut near);
            text += &format!("{near:?}\n");
        }
        text
    }

    #[track_caller]
    fn assert_all_agree(&mut self, queries: &Queries) {
        queries.compare(&mut self.index, &self.naive);
        let scalar = self.results(QueryKernel::Scalar, queries);
        for kernel in kernels() {
            let results = self.results(kernel, queries);
            for (line, expected) in results.lines().zip(scalar.lines()) {
                assert_eq!(line, expected, "{kernel:?}");
            }
            assert_eq!(results.len(), scalar.len());
        }
    }
}

#[test]
fn every_kernel_gives_the_same_results_for_random_scenes() {
    for seed in 0..sized(12, 1) as u64 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let count = [3, 8, 17, 64, 100, 129, 500][seed as usize % 7];
        for _ in 0..sized(count, 10) {
            let local = random.aabb();
            scene.add(&mut random, local);
        }
        scene.frame();
        let queries = Queries::random(&mut random, sized(40, 4), 12.0, &scene.naive);
        scene.assert_all_agree(&queries);
    }
}

/// Returns frusta with degenerate planes: at infinity, parallel to axes, through the origin, with a
/// normal so small on an axis that products underflow.
fn degenerate_frusta() -> Vec<Frustum> {
    let tiny = f32::MIN_POSITIVE / 8.0;
    let normals = [
        Vec3::X,
        Vec3::new(-0.0, 1.0, -0.0),
        Vec3::new(1.0, tiny, -tiny),
        Vec3::new(-0.6, 0.8, 0.0),
        Vec3::new(-1.0, -1.0, 1e-20),
    ];
    let mut frusta = vec![Frustum::from_planes([Plane::AT_INFINITY; 6]).unwrap()];
    for normal in normals {
        for d in [0.0, -0.0, 1.0, -1.0, 1e30, -1e38, tiny] {
            let mut planes = [Plane::AT_INFINITY; 6];
            planes[3] = Plane::new(normal, d);
            frusta.push(Frustum::from_planes(planes).unwrap());
            planes[0] = Plane::new(-normal, 0.5);
            frusta.push(Frustum::from_planes(planes).unwrap());
        }
    }
    frusta
}

/// Returns degenerate rays: along axes with zeros of either sign, nearly along axes, from faces,
/// from far away.
fn degenerate_rays() -> Vec<Ray> {
    let tiny = f32::MIN_POSITIVE / 8.0;
    let directions = [
        Vec3::X,
        Vec3::new(-0.0, 1.0, -0.0),
        Vec3::new(1.0, -0.0, 1.0),
        Vec3::new(1.0, tiny, -tiny),
        Vec3::new(-1.0, 1e-30, 1.0),
        Vec3::NEG_ONE,
    ];
    let origins = [
        Vec3::ZERO,
        Vec3::splat(-0.0),
        Vec3::ONE,
        Vec3::new(-1.0, 0.0, 1.0),
        Vec3::splat(1e20),
        Vec3::new(-3e38, 0.0, 0.0),
        Vec3::splat(tiny),
    ];
    let pairs = origins.iter().flat_map(|&origin| directions.map(|direction| (origin, direction)));
    let rays = pairs.map(|(origin, direction)| Ray::new(origin, direction).unwrap());
    rays.flat_map(|ray| [ray, ray.with_max_distance(0.0), ray.with_max_distance(1.0)]).collect()
}

#[test]
fn every_kernel_gives_the_same_results_for_degenerate_scenes() {
    let tiny = f32::from_bits(1);
    let at = |x: f32| Aabb::new(Vec3::splat(x), Vec3::splat(x));
    let unit = Aabb::new(Vec3::NEG_ONE, Vec3::ONE);
    let half = Aabb::new(Vec3::new(-0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 1.0));
    let scenes = [
        vec![],
        vec![unit],
        vec![unit; 100],
        vec![at(0.0); 65],
        vec![at(-0.0), at(0.0), at(tiny), at(-tiny), half],
        vec![Aabb::new(Vec3::splat(-1e30), Vec3::splat(1e30)); 20],
        vec![Aabb::new(Vec3::splat(-5e36), Vec3::splat(6e36)), unit, half],
        (0..70).map(|step| at(step as f32)).collect(),
        (0..130).map(|step| Aabb::new(Vec3::ZERO, Vec3::new(step as f32, 0.0, 1.0))).collect(),
    ];
    for boxes in scenes.iter().skip(sized(0, 4)) {
        let mut scene = Scene::new();
        for &local in boxes.iter().take(sized(1000, 9)) {
            let node = scene.graph.add_root(Default::default()).unwrap();
            scene.index.set_bounds(&scene.graph, node, local).unwrap();
            scene.naive.set_bounds(node, local);
        }
        scene.frame();
        let mut random = Rng::new(boxes.len() as u64);
        let mut queries = Queries::random(&mut random, sized(12, 2), 3.0, &scene.naive);
        let step = sized(1, 30);
        queries.views.extend(
            degenerate_frusta()
                .into_iter()
                .step_by(step)
                .map(|frustum| (frustum, Default::default())),
        );
        queries.rays.extend(
            degenerate_rays().into_iter().step_by(step).map(|ray| (ray, Default::default())),
        );
        scene.assert_all_agree(&queries);
    }
}

#[test]
fn every_kernel_gives_the_same_picks() {
    let mesh = meshes::bumpy(sized(3, 1));
    let geometry = TriangleMesh::new(mesh.positions.clone(), mesh.indices.clone()).unwrap();
    let mut random = Rng::new(33);
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> =
        (0..sized(60, 5)).map(|_| scene.add(&mut random, geometry.bounds())).collect();
    scene.frame();
    let shape = |_: NodeId| Some(Shape::new(geometry.tree()));
    let mut rays: Vec<Ray> = degenerate_rays().into_iter().step_by(sized(1, 30)).collect();
    for _ in 0..sized(600, 10) {
        // Towards a corner, and in any direction.
        let node = random.pick(&nodes);
        let corner = random.pick(&mesh.positions);
        let to = scene.graph.node(node).unwrap().world().transform_point3(corner);
        rays.extend(Ray::between(random.vec3(15.0), to));
        rays.push(random.ray(15.0));
    }
    let mut results: Vec<Vec<(Option<Hit>, Vec<Hit>)>> = Vec::new();
    for kernel in kernels() {
        assert!(scene.index.set_kernel(kernel));
        let pick = |ray: &Ray| {
            let mut all = Vec::new();
            let filter = Filter::default();
            scene.index.pick_all(&scene.graph, ray, &filter, shape, &mut all);
            (scene.index.pick(&scene.graph, ray, &filter, shape), all)
        };
        results.push(rays.iter().map(pick).collect());
    }
    let hits = results[0].iter().filter(|(nearest, _)| nearest.is_some()).count();
    assert!(hits > rays.len() / 4, "{hits} of {} rays hit", rays.len());
    for (number, ray) in rays.iter().enumerate() {
        for other in &results[1..] {
            let [expected, result] = [&results[0], other].map(|all| format!("{:?}", all[number]));
            assert_eq!(result, expected, "{ray:?}");
        }
    }
}
