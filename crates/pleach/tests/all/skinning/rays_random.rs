//! Random rays, compared with naive intersection of all posed, morphed and instanced triangles in
//! f64.

use crate::common::RandomValues;
use pleach::glam::Vec3;
use pleach::{Filter, Geometry, Hit, Instances, Mesh, MorphTarget, Node, NodeId, Part, Ray, Scene};
use testkit::Rng;

use crate::common::character::{Character, CharacterOptions};
use crate::common::plain_ray::Crossing;
use crate::common::skinning::{instance_indices, triangles};
use crate::common::{material, spawn_cube};

/// A triangle of the scene whose plane a ray crosses, by naive intersection.
struct Candidate {
    /// Node, instance, part, triangle.
    key: (NodeId, Option<u32>, u32, u32),
    crossing: Crossing,
    /// The node has a scale of zero and is never hit.
    is_flat: bool,
}

fn key(hit: &Hit) -> (NodeId, Option<u32>, u32, u32) {
    (hit.node, hit.instance, hit.part, hit.triangle)
}

fn crossings(scene: &Scene, nodes: &[NodeId], ray: &Ray) -> Vec<Candidate> {
    let mut all = Vec::new();
    for &node in nodes {
        let mesh = scene.mesh(node).unwrap();
        let world = scene.graph.node(node).unwrap().world().as_dmat4();
        let is_flat = scene.skin(node).is_none() && world.determinant().abs() < 1e-5;
        let parts = 0..mesh.parts.len();
        for (part, instance) in
            parts.flat_map(|part| instance_indices(mesh).into_iter().map(move |it| (part, it)))
        {
            for (triangle, corners) in
                triangles(scene, node, part, instance).into_iter().enumerate()
            {
                let key = (node, instance, part as u32, triangle as u32);
                if let Some(crossing) = Crossing::new(ray, corners) {
                    all.push(Candidate { key, crossing, is_flat });
                }
            }
        }
    }
    all
}

/// Returns `true` if the angle of incidence is steep enough for accurate distances in f32.
fn is_steep(ray: &Ray, crossing: &Crossing) -> bool {
    let [a, b, c] = crossing.corners;
    let normal = (b - a).cross(c - a);
    normal.dot(ray.direction().as_dvec3()).abs() > 0.05 * normal.length()
        && normal.length() > 1e-3 * (b - a).length_squared().max((c - a).length_squared())
}

/// Returns `true` if the crossing is well inside of the triangle and of the range of the ray.
fn is_unambiguous(ray: &Ray, candidate: &Candidate) -> bool {
    let Crossing { t, weights, .. } = candidate.crossing;
    is_steep(ray, &candidate.crossing)
        && !candidate.is_flat
        && weights.min_element() > 1e-3
        && t > 1e-3
        && t < f64::from(ray.max_distance()) - 1e-3
}

/// Asserts that a hit equals a candidate.
#[track_caller]
fn assert_expected(ray: &Ray, all: &[Candidate], hit: &Hit) {
    let candidate = all.iter().find(|candidate| candidate.key == key(hit));
    let candidate = candidate.unwrap_or_else(|| panic!("{hit:?} is not a candidate"));
    let crossing = &candidate.crossing;
    if !is_steep(ray, crossing) {
        return;
    }
    assert!(crossing.is_hit(ray, 1e-3), "{hit:?}, but {crossing:?}");
    let distance = f64::from(hit.distance);
    assert!((distance - crossing.t).abs() < 1e-4 * (1.0 + crossing.t), "{hit:?}, {crossing:?}");
    let weights = hit.barycentrics.as_dvec3();
    assert!(weights.abs_diff_eq(crossing.weights, 1e-2), "{hit:?}, {crossing:?}");
    let [a, b, c] = crossing.corners;
    let position = a * weights.x + b * weights.y + c * weights.z;
    assert!(hit.point.as_dvec3().abs_diff_eq(position, 1e-3), "{hit:?}, {crossing:?}");
    let normal = (b - a).cross(c - a).normalize();
    assert!(hit.normal.as_dvec3().dot(normal).abs() > 1.0 - 1e-3, "{hit:?}, {normal}");
    assert_eq!(hit.front, hit.normal.dot(ray.direction()) < 0.0);
}

/// Compares picking with naive intersection of all triangles of `nodes`. Returns `true` if there
/// is an unambiguous hit.
#[track_caller]
fn assert_picks(scene: &mut Scene, nodes: &[NodeId], ray: &Ray) -> bool {
    let all = crossings(scene, nodes, ray);
    let unambiguous = || all.iter().filter(|candidate| is_unambiguous(ray, candidate));
    let nearest = unambiguous().map(|candidate| candidate.crossing.t).min_by(f64::total_cmp);
    let hit = scene.pick(ray, &Filter::default());
    if let Some(hit) = &hit {
        assert_expected(ray, &all, hit);
    }
    if let Some(nearest) = nearest {
        let hit =
            hit.unwrap_or_else(|| panic!("nothing hit, but there is a triangle at {nearest}"));
        assert!(f64::from(hit.distance) < nearest + 1e-4 * (1.0 + nearest), "{hit:?}, {nearest}");
    }
    let mut hits = Vec::new();
    scene.pick_all(ray, &Filter::default(), &mut hits);
    hits.iter().for_each(|hit| assert_expected(ray, &all, hit));
    assert!(hits.is_sorted_by(|a, b| a.distance <= b.distance));
    assert_eq!(hits.first(), hit.as_ref());
    for candidate in unambiguous() {
        let times = hits.iter().filter(|hit| key(hit) == candidate.key).count();
        assert_eq!(times, 1, "{:?}: {:?}", candidate.key, candidate.crossing);
    }
    nearest.is_some()
}

#[test]
fn rays_hit_exactly_the_posed_triangles() {
    let mut hits = 0;
    for seed in 0..8 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let options = |seed: u64| CharacterOptions {
            parts: 1 + seed as usize % 3,
            influence_sets: 1 + seed as usize % 2,
            targets: seed as usize % 4,
            unnormalized_weights: seed.is_multiple_of(2),
            bind_matrix: seed.is_multiple_of(3),
            ..CharacterOptions::default()
        };
        let characters: Vec<Character> = (0..3)
            .map(|more| Character::spawn(&mut scene, &mut random, options(seed + more)))
            .collect();
        let mut nodes: Vec<NodeId> = characters.iter().map(|character| character.node).collect();
        nodes.push(spawn_cube(&mut scene, Vec3::ZERO));
        let sword = spawn_cube(&mut scene, Vec3::ZERO);
        scene.graph.attach(sword, characters[0].joints[5]).unwrap();
        nodes.push(sword);
        for _ in 0..6 {
            for character in &characters {
                let near = random.vec3(3.0);
                scene.graph.node_mut(character.root).unwrap().set_translation(near).unwrap();
                character.pose(&mut scene, &mut random);
            }
            scene.update().unwrap();
            for _ in 0..15 {
                let ray = Ray::between(random.vec3(12.0), random.vec3(3.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                let ray = if random.one_in(3) { ray.with_max_distance(8.0) } else { ray };
                hits += usize::from(assert_picks(&mut scene, &nodes, &ray));
            }
        }
    }
    assert!(hits > 300, "most rays hit something: {hits}");
}

#[test]
fn rays_hit_morphed_triangles() {
    for seed in 0..4 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let positions: Vec<Vec3> = (0..60).map(|_| random.vec3(1.0)).collect();
        let mut geometry = Geometry::from_positions(positions);
        for _ in 0..2 {
            let offsets = (0..60).map(|_| random.vec3(1.0)).collect();
            geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
        }
        let (geometry, material) = (scene.assets.add(geometry), material(&scene.assets));
        let node = Node::mesh(&geometry, &material).with_transform(random.transform(1.0));
        let nodes = [scene.spawn(node.clone()).unwrap(), scene.spawn(node.at(Vec3::Y)).unwrap()];
        for _ in 0..6 {
            let weights = vec![random.between(-1.0, 1.0), random.between(0.0, 1.0)];
            scene.set_weights(nodes[0], weights).unwrap();
            let rotation = random.rotation();
            scene.graph.node_mut(nodes[1]).unwrap().set_rotation(rotation).unwrap();
            scene.update().unwrap();
            for _ in 0..15 {
                let ray = Ray::between(random.vec3(8.0), random.vec3(1.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                assert_picks(&mut scene, &nodes, &ray);
            }
        }
    }
}

#[test]
fn rays_hit_instances_of_morphed_meshes_with_several_parts() {
    for seed in 0..5 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let material = material(&scene.assets);
        let mut part = || {
            let positions: Vec<Vec3> = (0..15).map(|_| random.vec3(0.7)).collect();
            let offsets = (0..15).map(|_| random.vec3(0.7)).collect();
            let geometry = Geometry::from_positions(positions)
                .with_morph_target(MorphTarget::from_positions(offsets));
            Part { geometry: scene.assets.add(geometry), material: material.clone() }
        };
        let mut mesh = Mesh::from_parts(vec![part(), part()]);
        let bounds =
            mesh.parts[0].geometry.get().bounds().union(&mesh.parts[1].geometry.get().bounds());
        let matrices = (0..12).map(|_| random.invertible(2.0)).collect();
        mesh.instances = Some(Box::new(Instances::new(bounds, matrices).unwrap()));
        let node = Node::group().with_mesh(mesh).with_transform(random.transform(1.0));
        let nodes = [scene.spawn(node).unwrap()];
        for frame in 0..6 {
            if frame % 2 == 1 {
                scene.set_weights(nodes[0], vec![random.between(-1.0, 2.0)]).unwrap();
            } else {
                let (instance, matrix) = (random.below(12), random.invertible(2.0));
                let mesh = scene.mesh_mut(nodes[0]).unwrap();
                mesh.instances.as_mut().unwrap().set(instance, matrix).unwrap();
            }
            let pose = random.transform(1.0);
            scene.graph.node_mut(nodes[0]).unwrap().set_transform(pose).unwrap();
            scene.update().unwrap();
            for _ in 0..10 {
                let ray = Ray::between(random.vec3(8.0), random.vec3(2.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                assert_picks(&mut scene, &nodes, &ray);
            }
        }
    }
}
