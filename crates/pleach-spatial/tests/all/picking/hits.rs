//! The contents of a hit, ties, and nodes that are never hit.

use pleach_graph::{NodeId, Transform};
use pleach_spatial::glam::{Quat, Vec3};
use pleach_spatial::{Filter, Ray, Shape, TriangleMesh};
use testkit::{Rng, sized};

use super::pick_scene::Scene;
use crate::common::meshes::{self, Mesh, down, square};

#[test]
fn a_hit_describes_the_intersection_in_world_space() {
    let mut scene = Scene::new(vec![square()]);
    let parent = scene.add(None, None);
    let node = scene.add(Some(parent), Some(0));
    scene.graph.node_mut(parent).unwrap().set_translation(Vec3::new(10.0, 0.0, 1.0)).unwrap();
    scene.graph.node_mut(node).unwrap().set_scale(Vec3::new(4.0, 4.0, 1.0)).unwrap();
    scene.frame();
    let hit = scene.pick(&down(13.0, 1.0)).unwrap();
    assert_eq!((hit.node, hit.instance, hit.part, hit.triangle), (node, None, 0, 0));
    assert_eq!((hit.distance, hit.point), (4.0, Vec3::new(13.0, 1.0, 1.0)));
    assert_eq!((hit.normal, hit.front), (Vec3::Z, true));
    assert_eq!(hit.barycentrics, Vec3::new(0.25, 0.5, 0.25));
    // From below: the same normal, and the back side.
    let up = Ray::new(Vec3::new(13.0, 1.0, -5.0), Vec3::Z).unwrap();
    let mut expected = hit;
    (expected.distance, expected.front) = (6.0, false);
    assert_eq!(scene.pick(&up), Some(expected));
    assert_eq!(scene.pick_all(&up), [expected]);
    // Exactly at the maximum distance, and beyond it.
    assert_eq!(scene.pick(&up.with_max_distance(6.0)), Some(expected));
    assert_eq!(scene.pick(&up.with_max_distance(5.999)), None);
}

/// glTF: mirroring a node reverses the winding order of its triangles, but not their front side.
#[test]
fn a_mirrored_node_keeps_its_front_side() {
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
        // The tile's normal is +Z in local space.
        let hit = scene.pick(&down(20.0 + 0.5 * scale.x, 0.25 * scale.y)).unwrap();
        assert_eq!((hit.node, hit.normal), (tile, Vec3::Z * scale.z.signum()));
        assert_eq!(hit.front, scale.z > 0.0);
    }
}

/// A normal is not transformed like a vector: a scale of 4 tilts it the other way.
#[test]
fn normals_are_transformed_by_the_inverse_transpose() {
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
fn ties_between_triangles_go_to_the_smallest_index() {
    // A shuffled fan: all triangles share the centre, and each edge belongs to two.
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
    let mut random = Rng::new(9);
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
        // The centre belongs to all.
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

/// In any order of the tree: bounds that are set again go to its end.
#[test]
fn ties_between_nodes_go_to_the_smallest_slot() {
    let mut random = Rng::new(14);
    let mut scene = Scene::new(vec![square()]);
    let nodes: Vec<NodeId> = (0..12).map(|_| scene.add_at(Transform::IDENTITY)).collect();
    scene.frame();
    for _ in 0..sized(100, 5) {
        let node = random.pick(&nodes);
        scene.index.remove(node);
        scene.index.set_bounds(&scene.graph, node, scene.geometries[0].bounds()).unwrap();
        scene.index.sync(&scene.graph).unwrap();
        scene.index.update_tree();
        assert_eq!(scene.index.tree_stats().rebuilds, 1);
        let hit = scene.pick(&down(0.75, 0.25)).unwrap();
        assert_eq!((hit.node, hit.triangle), (nodes[0], 0));
        let all = scene.pick_all(&down(0.75, 0.25));
        assert!(all.iter().map(|hit| hit.node).eq(nodes.iter().copied()));
    }
}

#[test]
fn nodes_with_a_singular_transform_are_never_hit() {
    let mut scene = Scene::new(vec![meshes::cube(), square()]);
    for scale in [Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO, Vec3::new(0.0, 1.0, 0.0)] {
        for geometry in 0..2 {
            let node = scene.add(None, Some(geometry));
            scene.graph.node_mut(node).unwrap().set_scale(scale).unwrap();
        }
    }
    // Below a parent with a singular transform, and rotated.
    let parent = scene.add(None, None);
    scene.graph.node_mut(parent).unwrap().set_scale(Vec3::new(1.0, 1.0, 0.0)).unwrap();
    let child = scene.add(Some(parent), Some(0));
    scene.graph.node_mut(child).unwrap().set_rotation(Quat::from_rotation_x(0.5)).unwrap();
    scene.frame();
    for ray in [down(0.5, 0.25), down(0.0, 0.0), Ray::new(Vec3::ZERO, Vec3::ONE).unwrap()] {
        assert_eq!(scene.pick(&ray), None);
        assert_eq!(scene.pick_all(&ray), []);
    }
    // But their boxes are hit.
    assert!(scene.index.raycast_aabb(&down(0.5, 0.25), &Filter::default()).is_some());
}

#[test]
fn nodes_without_a_shape_are_ignored() {
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

/// Bounds are as of the last sync; a node removed since then is ignored.
#[test]
fn a_node_removed_since_the_sync_is_not_hit() {
    let mut scene = Scene::new(vec![square()]);
    let above = scene.add_at(Transform::from_xyz(0.0, 0.0, 1.0));
    let below = scene.add_at(Transform::from_xyz(0.0, 0.0, -1.0));
    scene.frame();
    scene.graph.remove(above).unwrap();
    assert_eq!(scene.pick(&down(0.75, 0.25)).unwrap().node, below);
    assert_eq!(scene.pick_all(&down(0.75, 0.25)).len(), 1);
}

#[test]
fn a_shared_geometry_builds_its_tree_once() {
    let mut scene = Scene::new(vec![meshes::sphere(1), meshes::cube()]);
    let count = sized(1000, 10);
    for number in 0..count {
        scene.add_at(Transform::from_xyz(4.0 * number as f32, 0.0, 0.0));
    }
    scene.frame();
    assert!(!scene.geometries[0].has_tree(), "built only on first use");
    // A ray that misses all boxes builds no tree.
    assert_eq!(scene.pick(&down(0.0, 9.0)), None);
    assert!(!scene.geometries[0].has_tree());
    let tree = std::ptr::from_ref(scene.geometries[0].tree());
    for number in 0..count {
        let hit = scene.pick(&down(4.0 * number as f32 + 0.1, 0.05)).unwrap();
        assert_eq!(hit.node.index(), number);
        assert!((hit.point.z - 1.0).abs() < 0.1);
    }
    assert!(scene.geometries[0].has_tree() && !scene.geometries[1].has_tree());
    assert!(std::ptr::eq(tree, scene.geometries[0].tree()), "built once");
    let through = Ray::new(Vec3::new(-9.0, 0.05, 0.07), Vec3::X).unwrap();
    let all = scene.pick_all(&through);
    assert_eq!(all.len(), 2 * count, "in and out of each");
    let nodes = all.iter().map(|hit| hit.node.index());
    assert!(nodes.eq((0..count).flat_map(|number| [number, number])));
    assert!(all.chunks(2).all(|pair| pair[0].front && !pair[1].front));
}

/// The node's transform is ignored for posed triangles.
#[test]
fn world_space_triangles_ignore_the_nodes_transform() {
    let mut scene = Scene::new(vec![meshes::sphere(2)]);
    let node =
        scene.add_at(Transform::from_xyz(50.0, 0.0, 0.0).with_scale(Vec3::new(0.0, -1.0, 2.0)));
    let sphere = meshes::sphere(2).map(|at| at + Vec3::new(0.0, 7.0, 0.0));
    let posed = TriangleMesh::new(sphere.positions, sphere.indices).unwrap();
    scene.index.set_world_bounds(&scene.graph, node, posed.bounds()).unwrap();
    scene.frame();
    let shape = |_: NodeId| Some(Shape::world_space(posed.tree()));
    let mut random = Rng::new(1);
    let mut hits = 0;
    for _ in 0..sized(100, 5) {
        let to = Vec3::new(0.0, 7.0, 0.0) + random.vec3(1.2);
        let ray = Ray::between(random.vec3(4.0), to).unwrap().with_max_distance(99.0);
        let hit = scene.index.pick(&scene.graph, &ray, &Filter::default(), shape);
        let expected = posed.tree().raycast(&ray);
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

#[test]
fn d_pick_nodes_lists_each_node_once_with_its_nearest_hit() {
    let mut scene = Scene::new(vec![meshes::cube(), square()]);
    let far = scene.add_at(Transform::from_xyz(0.0, 0.0, -9.0));
    let near = scene.add_at(Transform::IDENTITY);
    scene.frame();
    let ray = down(0.3, 0.2);
    assert_eq!(scene.pick_all(&ray).len(), 4, "both sides of both cubes");
    let mut hits = Vec::new();
    let filter = Filter::default();
    // A cube, and a square in its middle, which comes first in the list of parts.
    let parts = |_, part| match part {
        0 => Some(Shape::new(scene.geometries[1].tree())),
        1 => Some(Shape::new(scene.geometries[0].tree())),
        _ => None,
    };
    scene.index.pick_nodes_parts(&scene.graph, &ray, &filter, parts, &mut hits);
    let found: Vec<_> = hits.iter().map(|hit| (hit.node, hit.part)).collect();
    assert_eq!(found, [(near, 1), (far, 1)]);
    assert_eq!(Some(hits[0]), scene.index.pick_parts(&scene.graph, &ray, &filter, parts));
    // Nodes beyond the maximum distance are not listed.
    let short = ray.with_max_distance(hits[0].distance);
    scene.index.pick_nodes_parts(&scene.graph, &short, &filter, parts, &mut hits);
    assert_eq!(hits.len(), 1);
}
