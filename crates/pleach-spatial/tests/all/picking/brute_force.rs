//! Picks compared with testing every triangle: random, tiny, huge, sheared and distant nodes.

use crate::common::RandomShapes;
use pleach_graph::{NodeId, Transform};
use pleach_spatial::glam::{DVec3, Mat4, Quat, Vec3};
use pleach_spatial::{Filter, Hit, Ray};
use testkit::{Rng, sized};

use super::pick_scene::Scene;
use crate::common::meshes::{self, Mesh, square};

/// Returns triangles of all sizes and shapes.
fn triangle_soup(random: &mut Rng, count: usize) -> Mesh {
    let mut positions = Vec::new();
    for _ in 0..count {
        let (at, size) = (random.vec3(1.0), random.between(0.05, 1.0));
        positions.extend([(); 3].map(|()| at + random.vec3(size)));
    }
    let indices = (0..positions.len() as u32).collect();
    Mesh { positions, indices }
}

/// Creates nodes with various transforms, some below others, sharing three geometries.
fn random_scene(random: &mut Rng, count: usize) -> Scene {
    let meshes = vec![meshes::cube(), meshes::sphere(1), triangle_soup(random, 40)];
    let mut scene = Scene::new(meshes);
    let mut nodes = Vec::new();
    for _ in 0..count {
        let parent = (!nodes.is_empty() && random.one_in(3)).then(|| random.pick(&nodes));
        let geometry = (!random.one_in(6)).then(|| random.below(3));
        let node = scene.add(parent, geometry);
        let mut node_mut = scene.graph.node_mut(node).unwrap();
        let transform = random.transform(8.0);
        match random.below(8) {
            0 => _ = node_mut.set_local_matrix(random.invertible(8.0)).unwrap(),
            1 => {
                let scale = Vec3::new(0.02, 3.0, random.between(-2.0, -0.5));
                _ = node_mut.set_transform(transform.with_scale(scale)).unwrap();
            }
            2 => {
                let scale = transform.scale * random.pick(&[1e-3, 1e-2, 30.0]);
                _ = node_mut.set_transform(transform.with_scale(scale)).unwrap();
            }
            3 => {
                _ = node_mut
                    .set_transform(transform.with_scale(Vec3::new(-1.0, 1.0, 1.0)))
                    .unwrap();
            }
            _ => _ = node_mut.set_transform(transform).unwrap(),
        }
        nodes.push(node);
    }
    scene.frame();
    scene
}

#[test]
fn random_picks_match_testing_every_triangle() {
    let mut hits = 0;
    for seed in 0..sized(10, 1) as u64 {
        let mut random = Rng::new(seed);
        let scene = random_scene(&mut random, sized(25, 5));
        for number in 0..sized(60, 5) {
            let to = scene.point_on(&mut random);
            let ray = match number % 4 {
                0 => random.ray(12.0),
                // Up to the point, or nearly.
                1 => Ray::between(random.vec3(12.0), to).unwrap(),
                2 => {
                    let ray = Ray::between(random.vec3(12.0), to).unwrap();
                    ray.with_max_distance(ray.max_distance() * 0.9)
                }
                _ => {
                    let past = to + random.vec3(0.1);
                    Ray::between(random.vec3(12.0), past).unwrap().with_max_distance(1e6)
                }
            };
            hits += scene.compare(&ray);
        }
    }
    assert!(hits > 500 || cfg!(miri), "{hits} hits");
}

#[test]
fn picking_respects_moves_visibility_and_filters() {
    let mut random = Rng::new(77);
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
    // Hidden nodes, and those on other layers, are ignored.
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
    assert_eq!(pick(&scene, Filter::default().with_predicate(&not_first)), others.first().copied());
    scene.index.set_layers(first, 2).unwrap();
    assert_eq!(pick(&scene, Filter::default().with_layers(1)), others.first().copied());
    scene.graph.node_mut(first).unwrap().set_visible(false);
    scene.frame();
    assert_eq!(pick(&scene, Filter::default().with_hidden()), all.first().copied());
    assert!(pick(&scene, Filter::default()).is_none_or(|hit| hit.node != first));
}

/// A thousandth and a millionth of a metre, and a thousand kilometres.
#[test]
fn picks_of_tiny_and_huge_nodes_match_testing_every_triangle() {
    let mut random = Rng::new(5);
    for scale in [1e-6, 1e-3, 1e3, 1e6] {
        let mut scene = Scene::new(vec![meshes::bumpy(1)]);
        for _ in 0..sized(6, 2) {
            let rotation = random.rotation();
            let nonuniform = random.scale();
            scene.add_at(Transform {
                translation: random.vec3(2.0 * scale),
                rotation,
                scale: nonuniform * scale,
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

/// Nested nodes with non-uniform scales and rotations shear their children.
#[test]
fn picks_of_sheared_nodes_match_testing_every_triangle() {
    let mut random = Rng::new(12);
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
        hits += scene.compare(&Ray::between(random.vec3(10.0), to).unwrap().with_max_distance(1e6));
    }
    assert!(hits >= 150 || cfg!(miri), "{hits} hits");
}

// ---- far from the origin ----

/// 100 kilometres from the origin the world box of a node has an error of up to 4 millimetres. Its
/// triangles must be hit nevertheless.
#[test]
fn picks_far_from_the_origin_match_testing_every_triangle() {
    let mut random = Rng::new(100);
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
        scene
            .compare(&Ray::between(middle + random.vec3(15.0), to).unwrap().with_max_distance(1e9));
    }
}

/// A minimal case: a tile whose edge f32 rounds away from it.
#[test]
fn the_edge_of_a_tile_far_from_the_origin_is_hit() {
    let mut scene = Scene::new(vec![square()]);
    // 100 000.7 is between 100 000.695… and 100 000.703…; its box ends at the nearer one.
    for (width, at) in [(0.6982_f32, 0.6975_f64), (0.7020, 0.7015), (0.6999, 0.6995)] {
        let node = scene.add_at(Transform {
            translation: Vec3::new(1e5, 0.0, 0.0),
            scale: Vec3::new(width, 1.0, 1.0),
            ..Transform::IDENTITY
        });
        scene.frame();
        // Obliquely from the side, so that the ray passes between two numbers of f32.
        let origin = DVec3::new(1e5 - 8.0, 0.4, 4.0);
        let to = DVec3::new(1e5 + at, 0.4, 0.0);
        let ray = Ray::new(origin.as_vec3(), (to - origin).as_vec3()).unwrap();
        let point = ray.origin().as_dvec3()
            + ray.direction().as_dvec3() * 4.0 / -f64::from(ray.direction().z);
        assert!(point.x > 1e5 && point.x < 1e5 + f64::from(width) - 1e-4, "{point} is on the tile");
        assert_eq!(scene.pick(&ray).map(|hit| hit.node), Some(node), "{point}, tile of {width}");
        scene.graph.remove(node).unwrap();
    }
}

/// The boxes of both tiles coincide in f32, behind the tiles themselves.
#[test]
fn the_nearer_of_two_tiles_far_from_the_origin_is_hit() {
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
