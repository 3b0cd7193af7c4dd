//! Picking: two levels of trees against every triangle of every node, one by one in
//! the world and in f64; and all that a hit tells.

mod common;

use common::meshes::{self, Mesh};
use common::plain_ray::{Crossing, MARGIN};
use common::{Random, sized};
use pleach_graph::{Graph, NodeId, Transform};
use pleach_spatial::glam::{DVec3, Mat4, Quat, Vec3};
use pleach_spatial::{Filter, Geometry, Hit, Ray, Shape, SpatialIndex};

/// A triangle of a node, and what a ray does with its plane in the world.
struct Found {
    node: NodeId,
    triangle: u32,
    front: bool,
    crossing: Crossing,
}

struct Scene {
    graph: Graph,
    index: SpatialIndex,
    /// By slot: which geometry.
    geometry_of: Vec<Option<usize>>,
    geometries: Vec<Geometry>,
    meshes: Vec<Mesh>,
}

impl Scene {
    fn new(meshes: Vec<Mesh>) -> Self {
        let mut graph = Graph::new();
        let index = SpatialIndex::new(&mut graph);
        let new =
            |mesh: &Mesh| Geometry::new(mesh.positions.clone(), mesh.indices.clone()).unwrap();
        let geometries = meshes.iter().map(new).collect();
        Self { graph, index, geometry_of: Vec::new(), geometries, meshes }
    }

    fn add(&mut self, parent: Option<NodeId>, geometry: Option<usize>) -> NodeId {
        let node = match parent {
            Some(parent) => self.graph.add_child(parent, Transform::IDENTITY).unwrap(),
            None => self.graph.add_root(Transform::IDENTITY).unwrap(),
        };
        self.geometry_of.resize(node.index() + 1, None);
        self.geometry_of[node.index()] = geometry;
        if let Some(geometry) = geometry {
            let bounds = self.geometries[geometry].bounds();
            self.index.set_bounds(&self.graph, node, bounds).unwrap();
        }
        node
    }

    /// A root with the first geometry.
    fn add_at(&mut self, transform: Transform) -> NodeId {
        let node = self.add(None, Some(0));
        self.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
        node
    }

    fn frame(&mut self) {
        self.graph.update();
        self.index.sync(&self.graph).unwrap();
        assert_eq!(self.index.check(), Vec::<String>::new());
    }

    fn shape(&self, node: NodeId) -> Option<Shape<'_>> {
        let geometry = self.geometry_of[node.index()]?;
        Some(Shape::new(self.geometries[geometry].tree()))
    }

    fn pick(&self, ray: &Ray) -> Option<Hit> {
        self.index.pick(&self.graph, ray, &Filter::default(), |node| self.shape(node))
    }

    fn pick_all(&self, ray: &Ray) -> Vec<Hit> {
        let mut hits = Vec::new();
        let filter = Filter::default();
        self.index.pick_all(&self.graph, ray, &filter, |node| self.shape(node), &mut hits);
        hits
    }

    /// Every triangle of every node.
    fn crossings(&self, ray: &Ray) -> Vec<Found> {
        let mut found = Vec::new();
        for id in self.graph.depth_first() {
            let Some(geometry) = self.geometry_of[id.index()] else { continue };
            let node = self.graph.node(id).unwrap();
            let (world, mirrored) = (node.world().as_dmat4(), node.winding_flipped());
            for (number, corners) in self.meshes[geometry].triangles().enumerate() {
                let corners = corners.map(|corner| world.transform_point3(corner.as_dvec3()));
                found.extend(Crossing::new(ray, corners).map(|crossing| Found {
                    node: id,
                    triangle: number as u32,
                    // A mirrored node turns triangles around; by glTF's rule their sides
                    // stay what they are.
                    front: crossing.counter_clockwise != mirrored,
                    crossing,
                }));
            }
        }
        found
    }

    /// What is picked is what every triangle, asked by itself, says. How many were hit.
    #[track_caller]
    fn compare(&self, ray: &Ray) -> usize {
        let crossings = self.crossings(ray);
        let all = self.pick_all(ray);
        for hit in &all {
            let found = crossings
                .iter()
                .find(|found| (found.node, found.triangle) == (hit.node, hit.triangle))
                .expect("a hit of a triangle that is met");
            let weights = found.crossing.weights;
            assert!(found.crossing.is_hit(ray, MARGIN), "{hit:?} of {ray:?} at {weights}");
            assert_right(ray, hit, found);
        }
        let must = |found: &&Found| found.crossing.clear && found.crossing.is_hit(ray, 0.0);
        for found in crossings.iter().filter(must) {
            let is_it = |hit: &&Hit| (hit.node, hit.triangle) == (found.node, found.triangle);
            assert_eq!(
                all.iter().filter(is_it).count(),
                1,
                "triangle {} of {} by {ray:?}: {:?}",
                found.triangle,
                found.node,
                found.crossing,
            );
        }
        assert!(all.is_sorted_by(|a, b| a.distance <= b.distance), "nearest first");
        assert_eq!(self.pick(ray), all.first().copied(), "the nearest of all of {ray:?}");
        all.len()
    }

    /// A random point on a random triangle of a random node with one.
    fn point_on(&self, random: &mut Random) -> Vec3 {
        let nodes: Vec<NodeId> = self.graph.depth_first().collect();
        loop {
            let node = random.pick(&nodes);
            let Some(geometry) = self.geometry_of[node.index()] else { continue };
            let mesh = &self.meshes[geometry];
            let [a, b, c] = mesh.triangles().nth(random.below(mesh.triangles().len())).unwrap();
            let (s, t) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
            let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let at = a + (b - a) * s + (c - a) * t;
            return self.graph.node(node).unwrap().world().transform_point3(at);
        }
    }
}

/// Every field of a hit, against the triangle in the world.
#[track_caller]
fn assert_right(ray: &Ray, hit: &Hit, Found { front, crossing, .. }: &Found) {
    let [a, b, c] = crossing.corners;
    // f32 has 24 bits; points and distances are rounded to it once.
    let size =
        [a, b, c, ray.origin().as_dvec3()].map(DVec3::length).into_iter().fold(0.0, f64::max);
    let near = |a: DVec3, b: DVec3| (a - b).length() <= 1e-6 * size;
    assert!((f64::from(hit.distance) - crossing.t).abs() <= 1e-6 * size, "distance of {hit:?}");
    let point = hit.point.as_dvec3();
    let along = ray.origin().as_dvec3() + ray.direction().as_dvec3() * crossing.t;
    assert!(near(point, along), "{hit:?} is not on {ray:?}");
    let weights = hit.barycentrics.as_dvec3();
    assert!(weights.min_element() >= 0.0 && weights.max_element() <= 1.0, "{hit:?}");
    assert!((weights.element_sum() - 1.0).abs() < 1e-6, "{hit:?}");
    let on_triangle = a * weights.x + b * weights.y + c * weights.z;
    assert!(near(point, on_triangle), "{hit:?}: {on_triangle} is not its point");
    assert!((weights - crossing.weights).abs().max_element() < 1e-4, "{hit:?}");
    let normal = hit.normal.as_dvec3();
    assert!((normal.length() - 1.0).abs() < 1e-6, "{hit:?}");
    for edge in [b - a, c - b, a - c] {
        assert!(normal.dot(edge).abs() <= 1e-5 * edge.length(), "{hit:?}: {edge} is askew");
    }
    assert_eq!(hit.front, *front, "{hit:?}");
    assert_eq!(hit.front, normal.dot(ray.direction().as_dvec3()) < 0.0, "{hit:?}");
    assert_eq!(hit.instance, None);
}

/// A heap of triangles, of all sizes and shapes.
fn soup(random: &mut Random, count: usize) -> Mesh {
    let mut positions = Vec::new();
    for _ in 0..count {
        let (at, size) = (random.vec3(1.0), random.between(0.05, 1.0));
        positions.extend([(); 3].map(|()| at + random.vec3(size)));
    }
    let indices = (0..positions.len() as u32).collect();
    Mesh { positions, indices }
}

/// Nodes with all kinds of transforms, some below others, sharing three geometries.
fn random_scene(random: &mut Random, count: usize) -> Scene {
    let meshes = vec![meshes::cube(), meshes::sphere(1), soup(random, 40)];
    let mut scene = Scene::new(meshes);
    let mut nodes = Vec::new();
    for _ in 0..count {
        let parent = (!nodes.is_empty() && random.one_in(3)).then(|| random.pick(&nodes));
        let geometry = (!random.one_in(6)).then(|| random.below(3));
        let node = scene.add(parent, geometry);
        let mut at = scene.graph.node_mut(node).unwrap();
        let transform = random.transform(8.0);
        match random.below(8) {
            0 => _ = at.set_local_matrix(random.matrix(8.0)).unwrap(),
            1 => {
                let scale = Vec3::new(0.02, 3.0, random.between(-2.0, -0.5));
                _ = at.set_transform(transform.with_scale(scale)).unwrap();
            }
            2 => {
                let scale = transform.scale * random.pick(&[1e-3, 1e-2, 30.0]);
                _ = at.set_transform(transform.with_scale(scale)).unwrap();
            }
            3 => _ = at.set_transform(transform.with_scale(Vec3::new(-1.0, 1.0, 1.0))).unwrap(),
            _ => _ = at.set_transform(transform).unwrap(),
        }
        nodes.push(node);
    }
    scene.frame();
    scene
}

#[test]
fn random_rays_pick_what_every_triangle_by_itself_says() {
    let mut hits = 0;
    for seed in 0..sized(10, 1) as u64 {
        let mut random = Random::new(seed);
        let scene = random_scene(&mut random, sized(25, 5));
        for number in 0..sized(60, 5) {
            let to = scene.point_on(&mut random);
            let ray = match number % 4 {
                0 => random.ray(12.0),
                // As far as the point, or nearly.
                1 => Ray::between(random.vec3(12.0), to).unwrap(),
                2 => {
                    let ray = Ray::between(random.vec3(12.0), to).unwrap();
                    ray.with_reach(ray.reach() * 0.9)
                }
                _ => {
                    let past = to + random.vec3(0.1);
                    Ray::between(random.vec3(12.0), past).unwrap().with_reach(1e6)
                }
            };
            hits += scene.compare(&ray);
        }
    }
    assert!(hits > 500 || cfg!(miri), "{hits} hits");
}

#[test]
fn picking_follows_moves_and_hiding() {
    let mut random = Random::new(77);
    let mut scene = random_scene(&mut random, sized(15, 4));
    let nodes: Vec<NodeId> = scene.graph.depth_first().collect();
    for _ in 0..sized(10, 2) {
        for &node in nodes.iter().step_by(3) {
            scene.graph.node_mut(node).unwrap().set_transform(random.transform(8.0)).unwrap();
        }
        scene.frame();
        for _ in 0..10 {
            let to = scene.point_on(&mut random);
            scene.compare(&Ray::new(to + random.vec3(9.0), random.vec3(1.0)).unwrap());
            scene.compare(&Ray::between(random.vec3(9.0), to).unwrap());
        }
    }
    // Hidden ones, and those on other layers, are not in the way.
    let ray = loop {
        let ray = Ray::between(random.vec3(9.0), scene.point_on(&mut random)).unwrap();
        if scene.pick(&ray).is_some() {
            break ray;
        }
    };
    let first = scene.pick(&ray).unwrap().node;
    let all = scene.pick_all(&ray);
    let others: Vec<Hit> = all.iter().filter(|hit| hit.node != first).copied().collect();
    let pick = |scene: &Scene, filter: Filter<'_>| {
        scene.index.pick(&scene.graph, &ray, &filter, |node| scene.shape(node))
    };
    let not_first = |node: NodeId| node != first;
    assert_eq!(pick(&scene, Filter::default().only(&not_first)), others.first().copied());
    scene.index.set_layers(first, 2).unwrap();
    assert_eq!(pick(&scene, Filter::default().layers(1)), others.first().copied());
    scene.graph.node_mut(first).unwrap().set_visible(false);
    scene.frame();
    assert_eq!(pick(&scene, Filter::default().with_hidden()), all.first().copied());
    assert!(pick(&scene, Filter::default()).is_none_or(|hit| hit.node != first));
}

/// A thousandth and a millionth of a metre, and a thousand kilometres.
#[test]
fn tiny_and_huge_nodes_are_hit_as_every_triangle_says() {
    let mut random = Random::new(5);
    for scale in [1e-6, 1e-3, 1e3, 1e6] {
        let mut scene = Scene::new(vec![meshes::bumpy(1)]);
        for _ in 0..sized(6, 2) {
            let turn = random.rotation();
            let uneven = random.scale();
            scene.add_at(Transform {
                translation: random.vec3(2.0 * scale),
                rotation: turn,
                scale: uneven * scale,
            });
        }
        scene.frame();
        let mut hits = 0;
        for _ in 0..sized(60, 4) {
            let to = scene.point_on(&mut random);
            hits += scene.compare(&Ray::between(random.vec3(6.0 * scale), to).unwrap());
            hits += scene.compare(&Ray::new(random.vec3(3.0 * scale), random.direction()).unwrap());
        }
        assert!(hits > 60 || cfg!(miri), "{hits} hits at {scale}");
    }
}

/// 100 kilometres from the origin the world box of a node is off by up to 4 millimetres.
/// That must not hide what is in it.
#[test]
fn nodes_far_from_the_origin_are_hit_as_every_triangle_says() {
    let mut random = Random::new(100);
    let middle = Vec3::new(1e5, -1e5, 1e5);
    let mut scene = Scene::new(vec![meshes::cube(), meshes::sphere(1)]);
    for number in 0..sized(12, 3) {
        let node = scene.add(None, Some(number % 2));
        let transform = Transform {
            translation: middle + random.vec3(5.0),
            rotation: if number % 3 == 0 { Quat::IDENTITY } else { random.rotation() },
            scale: random.scale() * 0.7,
        };
        scene.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
    }
    scene.frame();
    for _ in 0..sized(1500, 5) {
        let to = scene.point_on(&mut random);
        scene.compare(&Ray::between(middle + random.vec3(15.0), to).unwrap().with_reach(1e9));
    }
}

/// The same in its smallest form: a tile whose edge f32 rounds away from it.
#[test]
fn the_last_millimetres_of_a_tile_far_from_the_origin_are_hit() {
    let tile = Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y],
        indices: vec![0, 1, 2, 0, 2, 3],
    };
    let mut scene = Scene::new(vec![tile]);
    // 100 000.7 is between 100 000.695… and 100 000.703…; its box ends at the nearer one.
    for (width, at) in [(0.6982_f32, 0.6975_f64), (0.7020, 0.7015), (0.6999, 0.6995)] {
        let node = scene.add_at(Transform {
            translation: Vec3::new(1e5, 0.0, 0.0),
            scale: Vec3::new(width, 1.0, 1.0),
            ..Transform::IDENTITY
        });
        scene.frame();
        // Obliquely from aside, so that the ray passes between two numbers of f32.
        let origin = DVec3::new(1e5 - 8.0, 0.4, 4.0);
        let to = DVec3::new(1e5 + at, 0.4, 0.0);
        let ray = Ray::new(origin.as_vec3(), (to - origin).as_vec3()).unwrap();
        let met = ray.origin().as_dvec3()
            + ray.direction().as_dvec3() * 4.0 / -f64::from(ray.direction().z);
        assert!(met.x > 1e5 && met.x < 1e5 + f64::from(width) - 1e-4, "{met} is on the tile");
        assert_eq!(scene.pick(&ray).map(|hit| hit.node), Some(node), "{met}, tile of {width}");
        scene.graph.remove(node).unwrap();
    }
}

/// Both tiles' boxes are at one place in f32, behind where the tiles are.
#[test]
fn of_two_tiles_a_millimetre_apart_far_from_the_origin_the_nearer_is_hit() {
    for heights in [[0.0038, 0.0025], [0.0025, 0.0038]] {
        let mut scene = Scene::new(vec![square().map(|at| at + Vec3::Z)]);
        for height in heights {
            let scale = Vec3::new(1.0, 1.0, height);
            scene.add_at(Transform::from_xyz(0.0, 0.0, 1e5).with_scale(scale));
        }
        scene.frame();
        let ray = Ray::new(Vec3::new(0.75, 0.25, 1e5 + 5.0), Vec3::NEG_Z).unwrap();
        let nearer = usize::from(heights[1] > heights[0]);
        assert_eq!(scene.pick_all(&ray)[0].node.index(), nearer);
        assert_eq!(scene.pick(&ray).unwrap().node.index(), nearer);
    }
}

// ---- one hit ----------------------------------------------------------------

/// A square in x and y from 0 to 1, that is seen from above.
fn square() -> Mesh {
    Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y],
        indices: vec![0, 1, 2, 0, 2, 3],
    }
}

fn down(x: f32, y: f32) -> Ray {
    Ray::new(Vec3::new(x, y, 5.0), Vec3::NEG_Z).unwrap()
}

#[test]
fn a_hit_tells_all_of_itself_in_the_world() {
    let mut scene = Scene::new(vec![square()]);
    let parent = scene.add(None, None);
    let node = scene.add(Some(parent), Some(0));
    scene.graph.node_mut(parent).unwrap().set_translation(Vec3::new(10.0, 0.0, 1.0)).unwrap();
    scene.graph.node_mut(node).unwrap().set_scale(Vec3::new(4.0, 4.0, 1.0)).unwrap();
    scene.frame();
    let expected = Hit {
        node,
        instance: None,
        part: 0,
        triangle: 0,
        distance: 4.0,
        point: Vec3::new(13.0, 1.0, 1.0),
        normal: Vec3::Z,
        barycentrics: Vec3::new(0.25, 0.5, 0.25),
        front: true,
    };
    assert_eq!(scene.pick(&down(13.0, 1.0)), Some(expected));
    // From below: the same normal, and the back.
    let up = Ray::new(Vec3::new(13.0, 1.0, -5.0), Vec3::Z).unwrap();
    let expected = Hit { distance: 6.0, front: false, ..expected };
    assert_eq!(scene.pick(&up), Some(expected));
    assert_eq!(scene.pick_all(&up), [expected]);
    // Just as far as it is, and less.
    assert_eq!(scene.pick(&up.with_reach(6.0)), Some(expected));
    assert_eq!(scene.pick(&up.with_reach(5.999)), None);
}

/// glTF: a mirrored node's triangles turn the other way round, and their front stays.
#[test]
fn a_mirrored_node_keeps_its_sides() {
    for scale in [Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, -2.0, 1.0), Vec3::NEG_ONE, Vec3::ONE] {
        let mut scene = Scene::new(vec![meshes::cube(), square()]);
        scene.add_at(Transform::from_scale(scale));
        let tile = scene.add(None, Some(1));
        let transform = Transform::from_xyz(20.0, 0.0, 0.0).with_scale(scale);
        scene.graph.node_mut(tile).unwrap().set_transform(transform).unwrap();
        scene.frame();
        for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let hits = scene.pick_all(&Ray::new(-9.0 * direction, direction).unwrap());
            assert!(hits[0].front && !hits[hits.len() - 1].front, "outside of a cube is front");
            assert_eq!(hits[0].normal, -direction, "and its normal points outwards");
            let inside = scene.pick(&Ray::new(Vec3::ZERO, direction).unwrap()).unwrap();
            assert!(!inside.front && inside.normal == direction);
        }
        // The tile's normal is +Z in its own space.
        let hit = scene.pick(&down(20.0 + 0.5 * scale.x, 0.25 * scale.y)).unwrap();
        assert_eq!((hit.node, hit.normal), (tile, Vec3::Z * scale.z.signum()));
        assert_eq!(hit.front, scale.z > 0.0);
    }
}

/// A plane's normal is no vector: under a scale of 4 it leans the other way.
#[test]
fn normals_go_by_the_inverse_transposed() {
    let ramp = Mesh {
        positions: vec![Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::Y],
        indices: vec![0, 1, 2],
    };
    let mut scene = Scene::new(vec![ramp]);
    scene.add_at(Transform::from_scale(Vec3::new(4.0, 1.0, 1.0)));
    scene.frame();
    let hit = scene.pick(&down(1.0, 0.25)).unwrap();
    let expected = Vec3::new(-1.0, 0.0, 4.0).normalize();
    assert!(hit.normal.abs_diff_eq(expected, 1e-6), "{}", hit.normal);
}

#[test]
fn of_triangles_at_one_distance_the_least_is_hit() {
    // A fan around the middle, in no order: all have the middle, and each edge two.
    let ring = [
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(-1.0, 1.0, 0.0),
        Vec3::new(-1.0, 0.0, 0.0),
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(0.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 0.0),
    ];
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mut order: Vec<u32> = (0..8).collect();
        random.shuffle(&mut order);
        let mut positions = vec![Vec3::ZERO];
        positions.extend(ring);
        let indices = order.iter().flat_map(|&at| [0, at + 1, (at + 1) % 8 + 1]).collect();
        let mut scene = Scene::new(vec![Mesh { positions, indices }]);
        let first = scene.add_at(Transform::IDENTITY);
        let second = scene.add_at(Transform::IDENTITY);
        scene.frame();
        let number = |side: u32| order.iter().position(|&at| at == side % 8).unwrap() as u32;
        // The middle belongs to all.
        let hit = scene.pick(&down(0.0, 0.0)).unwrap();
        assert_eq!((hit.node, hit.triangle), (first, 0));
        let all = scene.pick_all(&down(0.0, 0.0));
        let expected = [first, second].into_iter().flat_map(|node| (0..8).map(move |n| (node, n)));
        assert!(all.iter().map(|hit| (hit.node, hit.triangle)).eq(expected));
        // Edge `side` belongs to triangle `side` and the one before.
        for (side, at) in ring.iter().enumerate() {
            let side = side as u32;
            let [a, b] = [number(side), number(side + 7)];
            let ray = down(0.5 * at.x, 0.5 * at.y);
            assert_eq!(scene.pick(&ray).unwrap().triangle, a.min(b));
            let all = scene.pick_all(&ray);
            assert!(all.iter().map(|hit| hit.triangle).eq([
                a.min(b),
                a.max(b),
                a.min(b),
                a.max(b)
            ]));
        }
    }
}

/// In whichever order the tree has them: bounds that are set anew go to its end.
#[test]
fn of_nodes_at_one_distance_the_least_slot_is_hit() {
    let mut random = Random::new(14);
    let mut scene = Scene::new(vec![square()]);
    let nodes: Vec<NodeId> = (0..12).map(|_| scene.add_at(Transform::IDENTITY)).collect();
    scene.frame();
    for _ in 0..sized(100, 5) {
        let node = random.pick(&nodes);
        scene.index.remove(node);
        scene.index.set_bounds(&scene.graph, node, scene.geometries[0].bounds()).unwrap();
        assert!(!scene.index.sync(&scene.graph).unwrap().rebuilt);
        let hit = scene.pick(&down(0.75, 0.25)).unwrap();
        assert_eq!((hit.node, hit.triangle), (nodes[0], 0));
        let all = scene.pick_all(&down(0.75, 0.25));
        assert!(all.iter().map(|hit| hit.node).eq(nodes.iter().copied()));
    }
}

#[test]
fn flat_nodes_are_never_hit() {
    let mut scene = Scene::new(vec![meshes::cube(), square()]);
    for scale in [Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, Vec3::new(0.0, 1.0, 0.0)] {
        for geometry in 0..2 {
            let node = scene.add(None, Some(geometry));
            scene.graph.node_mut(node).unwrap().set_scale(scale).unwrap();
        }
    }
    // Below a flat parent, and turned.
    let parent = scene.add(None, None);
    scene.graph.node_mut(parent).unwrap().set_scale(Vec3::new(1.0, 1.0, 0.0)).unwrap();
    let child = scene.add(Some(parent), Some(0));
    scene.graph.node_mut(child).unwrap().set_rotation(Quat::from_rotation_x(0.5)).unwrap();
    scene.frame();
    for ray in [down(0.5, 0.25), down(0.0, 0.0), Ray::new(Vec3::ZERO, Vec3::ONE).unwrap()] {
        assert_eq!(scene.pick(&ray), None);
        assert_eq!(scene.pick_all(&ray), []);
    }
    // But their boxes are met.
    assert!(scene.index.nearest_box(&down(0.5, 0.25), &Filter::default()).is_some());
}

#[test]
fn nodes_without_a_shape_are_transparent() {
    let mut scene = Scene::new(vec![square()]);
    let above = scene.add_at(Transform::from_xyz(0.0, 0.0, 1.0));
    let below = scene.add_at(Transform::from_xyz(0.0, 0.0, -1.0));
    scene.frame();
    let ray = down(0.75, 0.25);
    assert_eq!(scene.pick(&ray).unwrap().node, above);
    scene.geometry_of[above.index()] = None;
    assert_eq!(scene.pick(&ray).unwrap().node, below);
    assert_eq!(scene.pick_all(&ray).len(), 1);
    scene.geometry_of[below.index()] = None;
    assert_eq!(scene.pick(&ray), None);
    assert_eq!(scene.pick_all(&ray), []);
}

/// Its bounds are the index's as of the last sync; a node that died since is not there.
#[test]
fn a_node_that_died_since_the_sync_is_not_hit() {
    let mut scene = Scene::new(vec![square()]);
    let above = scene.add_at(Transform::from_xyz(0.0, 0.0, 1.0));
    let below = scene.add_at(Transform::from_xyz(0.0, 0.0, -1.0));
    scene.frame();
    scene.graph.remove(above).unwrap();
    assert_eq!(scene.pick(&down(0.75, 0.25)).unwrap().node, below);
    assert_eq!(scene.pick_all(&down(0.75, 0.25)).len(), 1);
}

#[test]
fn one_geometry_serves_a_thousand_nodes_and_is_built_once() {
    let mut scene = Scene::new(vec![meshes::sphere(1), meshes::cube()]);
    let count = sized(1000, 10);
    for number in 0..count {
        scene.add_at(Transform::from_xyz(4.0 * number as f32, 0.0, 0.0));
    }
    scene.frame();
    assert!(!scene.geometries[0].is_built(), "nobody asked for it");
    // A ray past all boxes builds nothing.
    assert_eq!(scene.pick(&down(0.0, 9.0)), None);
    assert!(!scene.geometries[0].is_built());
    let tree = std::ptr::from_ref(scene.geometries[0].tree());
    for number in 0..count {
        let hit = scene.pick(&down(4.0 * number as f32 + 0.1, 0.05)).unwrap();
        assert_eq!(hit.node.index(), number);
        assert!((hit.point.z - 1.0).abs() < 0.1);
    }
    assert!(scene.geometries[0].is_built() && !scene.geometries[1].is_built());
    assert!(std::ptr::eq(tree, scene.geometries[0].tree()), "built once");
    let through = Ray::new(Vec3::new(-9.0, 0.05, 0.07), Vec3::X).unwrap();
    let all = scene.pick_all(&through);
    assert_eq!(all.len(), 2 * count, "in and out of each");
    let nodes = all.iter().map(|hit| hit.node.index());
    assert!(nodes.eq((0..count).flat_map(|number| [number, number])));
    assert!(all.chunks(2).all(|pair| pair[0].front && !pair[1].front));
}

/// Posed triangles are where they are: the node's transform does not count.
#[test]
fn triangles_in_the_world_are_hit_where_they_are() {
    let mut scene = Scene::new(vec![meshes::sphere(2)]);
    let node =
        scene.add_at(Transform::from_xyz(50.0, 0.0, 0.0).with_scale(Vec3::new(0.0, -1.0, 2.0)));
    let sphere = meshes::sphere(2).map(|at| at + Vec3::new(0.0, 7.0, 0.0));
    let posed = Geometry::new(sphere.positions, sphere.indices).unwrap();
    scene.index.set_world_bounds(&scene.graph, node, posed.bounds()).unwrap();
    scene.frame();
    let shape = |_: NodeId| Some(Shape::in_world(posed.tree()));
    let mut random = Random::new(1);
    let mut hits = 0;
    for _ in 0..sized(100, 5) {
        let to = Vec3::new(0.0, 7.0, 0.0) + random.vec3(1.2);
        let ray = Ray::between(random.vec3(4.0), to).unwrap().with_reach(99.0);
        let hit = scene.index.pick(&scene.graph, &ray, &Filter::default(), shape);
        let expected = posed.tree().nearest(&ray);
        assert_eq!(
            hit.map(|hit| (hit.node, hit.triangle, hit.distance)),
            expected.map(|(triangle, hit)| (node, triangle, hit.distance))
        );
        if let (Some(hit), Some((_, expected))) = (hit, expected) {
            assert_eq!((hit.barycentrics, hit.front), (expected.barycentrics, expected.front));
            assert!((hit.normal.length() - 1.0).abs() < 1e-6);
            hits += 1;
        }
    }
    assert!(hits > 40 || cfg!(miri), "{hits} hits");
}

// ---- far apart --------------------------------------------------------------

/// Nodes nested with uneven scales and turns shear their children.
#[test]
fn sheared_children_are_hit_as_every_triangle_says() {
    let mut random = Random::new(12);
    let mut scene = Scene::new(vec![meshes::sphere(1)]);
    let mut parent = None;
    for _ in 0..4 {
        let node = scene.add(parent, Some(0));
        let transform = Transform {
            translation: random.vec3(2.0),
            rotation: random.rotation(),
            scale: Vec3::new(0.5, 1.7, -1.1),
        };
        scene.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
        parent = Some(node);
    }
    let skew = scene.add(None, Some(0));
    let mut matrix = Mat4::IDENTITY;
    (matrix.y_axis.x, matrix.z_axis.y) = (3.0, -2.0);
    scene.graph.node_mut(skew).unwrap().set_local_matrix(matrix).unwrap();
    scene.frame();
    let mut hits = 0;
    for _ in 0..sized(150, 5) {
        let to = scene.point_on(&mut random);
        hits += scene.compare(&Ray::between(random.vec3(10.0), to).unwrap().with_reach(1e6));
    }
    assert!(hits >= 150 || cfg!(miri), "{hits} hits");
}
