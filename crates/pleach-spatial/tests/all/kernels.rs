//! Every kernel that this CPU can run gives the same answers, bit for bit.

use std::io::Write;

use crate::common::RandomShapes;
use crate::common::meshes;
use crate::common::naive_index::Model;
use crate::common::queries::Questions;
use pleach_graph::{Graph, NodeId};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{
    Aabb, CullMethod, Filter, Frustum, Hit, Plane, QueryKernel, Ray, Shape, SpatialIndex,
    TriangleMesh, Visible,
};
use testkit::{Rng, sized};

/// Those that can be run; says loudly which cannot.
fn kernels() -> Vec<QueryKernel> {
    let (can, cannot): (Vec<_>, Vec<_>) =
        QueryKernel::ALL.into_iter().partition(|kernel| kernel.is_available());
    if !cannot.is_empty() && !cfg!(miri) {
        // Not `eprintln`, which the test harness keeps to itself.
        let text =
            format!("\n\n!!! KERNELS NOT TESTED, AS THIS CPU CANNOT RUN THEM: {cannot:?}\n\n");
        _ = std::io::stderr().write_all(text.as_bytes());
    }
    assert_eq!(can[0], QueryKernel::Scalar);
    can
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    model: Model,
}

impl Scene {
    fn new() -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        Self { graph, index, model: Model::default() }
    }

    fn add(&mut self, random: &mut Rng, own: Aabb) -> NodeId {
        let node = self.graph.add_root(random.transform(10.0)).unwrap();
        self.index.set_bounds(&self.graph, node, own).unwrap();
        self.model.set_bounds(node, own);
        node
    }

    fn frame(&mut self) {
        self.graph.update();
        self.model.sync_with(&self.graph, &mut self.index);
    }

    /// What is answered by a kernel: as text, in which floats are told in full, with
    /// the signs of zeros.
    fn answers(&mut self, kernel: QueryKernel, questions: &Questions) -> String {
        assert!(self.index.set_kernel(kernel));
        let mut text = String::new();
        for by in [CullMethod::Scan, CullMethod::Tree] {
            self.index.set_cull_method(by);
            text += &format!("{:?}\n", questions.put_to(&self.index));
            let mut visible = Visible::new();
            for (frustum, _) in &questions.views {
                self.index.cull(frustum, &Filter::default(), &mut visible);
                text += &format!("{} {:?}\n", visible.boxes_tested(), visible.bits());
            }
        }
        for (ray, _) in &questions.rays {
            text += &format!("{:?}\n", self.index.raycast_aabb(ray, &Filter::default()));
        }
        let mut near = Vec::new();
        for &(point, count, _) in &questions.points {
            self.index.nearest(point, count, &Filter::default(), &mut near);
            text += &format!("{near:?}\n");
        }
        text
    }

    #[track_caller]
    fn assert_all_agree(&mut self, questions: &Questions) {
        questions.compare(&mut self.index, &self.model);
        let scalar = self.answers(QueryKernel::Scalar, questions);
        for kernel in kernels() {
            let answers = self.answers(kernel, questions);
            for (line, expected) in answers.lines().zip(scalar.lines()) {
                assert_eq!(line, expected, "{kernel:?}");
            }
            assert_eq!(answers.len(), scalar.len());
        }
    }
}

#[test]
fn random_scenes_of_every_size_are_the_same_to_every_kernel() {
    for seed in 0..sized(12, 1) as u64 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let count = [3, 8, 17, 64, 100, 129, 500][seed as usize % 7];
        for _ in 0..sized(count, 10) {
            let own = random.aabb();
            scene.add(&mut random, own);
        }
        scene.frame();
        let questions = Questions::random(&mut random, sized(40, 4), 12.0, &scene.model);
        scene.assert_all_agree(&questions);
    }
}

/// Frusta of planes that are hard: open, parallel to axes, through the origin, with a
/// normal so small on an axis that products vanish.
fn hard_frusta() -> Vec<Frustum> {
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

/// Rays that are hard: along axes with zeros of either sign, nearly so, from faces, from
/// far away.
fn hard_rays() -> Vec<Ray> {
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
    let pairs = origins.iter().flat_map(|&origin| directions.map(|way| (origin, way)));
    let rays = pairs.map(|(origin, way)| Ray::new(origin, way).unwrap());
    rays.flat_map(|ray| [ray, ray.with_max_distance(0.0), ray.with_max_distance(1.0)]).collect()
}

#[test]
fn degenerate_scenes_are_the_same_to_every_kernel() {
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
        for &own in boxes.iter().take(sized(1000, 9)) {
            let node = scene.graph.add_root(Default::default()).unwrap();
            scene.index.set_bounds(&scene.graph, node, own).unwrap();
            scene.model.set_bounds(node, own);
        }
        scene.frame();
        let mut random = Rng::new(boxes.len() as u64);
        let mut questions = Questions::random(&mut random, sized(12, 2), 3.0, &scene.model);
        let step = sized(1, 30);
        questions.views.extend(
            hard_frusta().into_iter().step_by(step).map(|frustum| (frustum, Default::default())),
        );
        questions
            .rays
            .extend(hard_rays().into_iter().step_by(step).map(|ray| (ray, Default::default())));
        scene.assert_all_agree(&questions);
    }
}

#[test]
fn picking_is_the_same_to_every_kernel() {
    let mesh = meshes::bumpy(sized(3, 1));
    let geometry = TriangleMesh::new(mesh.positions.clone(), mesh.indices.clone()).unwrap();
    let mut random = Rng::new(33);
    let mut scene = Scene::new();
    let nodes: Vec<NodeId> =
        (0..sized(60, 5)).map(|_| scene.add(&mut random, geometry.bounds())).collect();
    scene.frame();
    let shape = |_: NodeId| Some(Shape::new(geometry.tree()));
    let mut rays: Vec<Ray> = hard_rays().into_iter().step_by(sized(1, 30)).collect();
    for _ in 0..sized(600, 10) {
        // At a corner, and anywhere.
        let node = random.pick(&nodes);
        let corner = random.pick(&mesh.positions);
        let to = scene.graph.node(node).unwrap().world().transform_point3(corner);
        rays.extend(Ray::between(random.vec3(15.0), to));
        rays.push(random.ray(15.0));
    }
    let mut answers: Vec<Vec<(Option<Hit>, Vec<Hit>)>> = Vec::new();
    for kernel in kernels() {
        assert!(scene.index.set_kernel(kernel));
        let ask = |ray: &Ray| {
            let mut all = Vec::new();
            let filter = Filter::default();
            scene.index.pick_all(&scene.graph, ray, &filter, shape, &mut all);
            (scene.index.pick(&scene.graph, ray, &filter, shape), all)
        };
        answers.push(rays.iter().map(ask).collect());
    }
    let hits = answers[0].iter().filter(|(nearest, _)| nearest.is_some()).count();
    assert!(hits > rays.len() / 4, "{hits} of {} rays hit", rays.len());
    for (number, ray) in rays.iter().enumerate() {
        for other in &answers[1..] {
            let [expected, answer] = [&answers[0], other].map(|of| format!("{:?}", of[number]));
            assert_eq!(answer, expected, "{ray:?}");
        }
    }
}
