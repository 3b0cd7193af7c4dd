//! `TriangleTree` and `TriangleMesh`: compared with testing every triangle; refits, invalid numbers
//! and lazy construction.

use crate::common::RandomShapes;
use crate::common::meshes::{self, Mesh};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Aabb, Error, Ray, TriangleHit, TriangleMesh, TriangleTree};
use testkit::{Rng, sized};

fn build(mesh: &Mesh) -> TriangleTree {
    let tree = TriangleTree::build(&mesh.positions, &mesh.indices).unwrap();
    assert_eq!(tree.check(), []);
    tree
}

/// Returns every triangle that the ray hits, tested one by one: nearest first, then by index.
fn brute_force(mesh: &Mesh, ray: &Ray) -> Vec<(u32, TriangleHit)> {
    let each = mesh.triangles().enumerate();
    let hit =
        |(number, [a, b, c]): (usize, [Vec3; 3])| Some((number as u32, ray.hit_triangle(a, b, c)?));
    let mut hits: Vec<_> = each.filter_map(hit).collect();
    hits.sort_by(|a, b| a.1.distance.partial_cmp(&b.1.distance).expect("no NaN"));
    hits
}

fn all(tree: &TriangleTree, ray: &Ray) -> Vec<(u32, TriangleHit)> {
    let mut hits = vec![];
    tree.raycast_all(ray, &mut hits);
    hits
}

/// Asserts the same hits. The nearest is one of several that may have the same distance in f32.
#[track_caller]
fn compare(mesh: &Mesh, tree: &TriangleTree, ray: &Ray) -> usize {
    let expected = brute_force(mesh, ray);
    assert_eq!(all(tree, ray), expected, "{ray:?}");
    match (tree.raycast(ray), expected.first()) {
        (None, None) => {}
        (Some(nearest), Some((_, first))) => {
            assert!(expected.contains(&nearest), "{nearest:?} of {ray:?}");
            assert_eq!(nearest.1.distance, first.distance, "{ray:?}");
        }
        (nearest, first) => panic!("{nearest:?} is not {first:?} of {ray:?}"),
    }
    expected.len()
}

fn rays(random: &mut Rng, mesh: &Mesh, count: usize) -> Vec<Ray> {
    let corner = |random: &mut Rng| random.pick(&mesh.positions);
    let one = |random: &mut Rng| match random.below(3) {
        0 => random.ray(2.0),
        1 => Ray::between(random.vec3(2.0), corner(random)).unwrap(),
        _ => Ray::between(random.vec3(2.0), (corner(random) + corner(random)) * 0.5).unwrap(),
    };
    (0..count).map(|_| one(random)).collect()
}

/// Returns triangles of all sizes, some coincident, some without area.
fn triangle_soup(random: &mut Rng, count: usize) -> Mesh {
    let mut positions: Vec<Vec3> = (0..count / 2 + 3).map(|_| random.grid_point(1)).collect();
    positions.extend((0..count / 2).map(|_| random.vec3(1.0)));
    let any = |random: &mut Rng| random.below(positions.len()) as u32;
    let indices = (0..3 * count).map(|_| any(random)).collect();
    Mesh { positions, indices }
}

#[test]
fn trees_of_every_size_match_testing_every_triangle() {
    let mut random = Rng::new(1);
    let mut hits = 0;
    for count in [0, 1, 2, 3, 4, 5, 8, 31, 32, 33, 100, 300] {
        let mesh = triangle_soup(&mut random, sized(count, count.min(8)));
        let tree = build(&mesh);
        assert_eq!(
            (tree.len(), tree.is_empty()),
            (mesh.triangles().len(), mesh.indices.is_empty())
        );
        for ray in rays(&mut random, &mesh, sized(120, 5)) {
            hits += compare(&mesh, &tree, &ray);
        }
    }
    assert!(hits > 1000 || cfg!(miri), "{hits} hits");
}

#[test]
fn closed_meshes_match_testing_every_triangle() {
    let mut random = Rng::new(2);
    for mesh in [
        meshes::cube(),
        meshes::sphere(sized(3, 0)),
        meshes::spindle(if cfg!(miri) { 5 } else { 60 }),
    ] {
        let tree = build(&mesh);
        for ray in rays(&mut random, &mesh, sized(150, 5)) {
            compare(&mesh, &tree, &ray);
        }
    }
}

/// An edge belongs to both of its triangles, at the same distance: the first is returned.
#[test]
fn raycast_returns_the_first_of_raycast_all() {
    // Numbers with full precision, so that distances are rounded.
    let mesh = meshes::sphere(sized(3, 1)).map(|at| at * Vec3::new(1.234_567, 0.712_345, 1.1));
    let tree = build(&mesh);
    let mut random = Rng::new(3);
    let mut rays = rays(&mut random, &mesh, sized(1000, 20));
    // Exactly through corners, and nearly through edges.
    for [a, b] in mesh.edges() {
        let (a, b) = (mesh.positions[a as usize], mesh.positions[b as usize]);
        for direction in [Vec3::X, Vec3::NEG_Y, Vec3::NEG_Z] {
            for at in [a, a.midpoint(b)] {
                rays.push(
                    Ray::new(at * (Vec3::ONE - direction.abs()) - 3.0 * direction, direction)
                        .unwrap(),
                );
            }
        }
    }
    for ray in rays {
        assert_eq!(tree.raycast(&ray), all(&tree, &ray).first().copied(), "{ray:?}");
    }
}

/// From a corner, an edge or the centre: at distance 0 (not −0), sorted by index.
#[test]
fn rays_that_start_on_a_triangle_hit_it_at_zero() {
    let mesh = meshes::sphere(sized(2, 1));
    let tree = build(&mesh);
    let mut random = Rng::new(4);
    let mut hit_count = 0;
    for _ in 0..sized(600, 20) {
        let [a, b, c] = mesh.triangles().nth(random.below(mesh.triangles().len())).unwrap();
        let from = random.pick(&[a, 0.5 * (a + b), (a + b + c) / 4.0 + a / 4.0]);
        let direction = if random.one_in(4) { from - b } else { random.direction() };
        let Ok(ray) = Ray::new(from, direction) else { continue };
        let hits = all(&tree, &ray);
        assert_eq!(hits, brute_force(&mesh, &ray), "{ray:?}");
        hit_count += hits.iter().filter(|(_, hit)| hit.distance == 0.0).count();
        for (_, TriangleHit { distance, barycentrics, .. }) in hits {
            assert!(distance.is_sign_positive(), "{distance} along {ray:?}");
            assert!(barycentrics.min_element() >= 0.0, "{barycentrics} along {ray:?}");
        }
    }
    assert!(hit_count > 100 || cfg!(miri), "{hit_count} hits at zero");
}

#[test]
fn coincident_triangles_are_all_hit_and_the_first_is_nearest() {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let indices: Vec<u32> = (0..500).flat_map(|_| [0, 1, 2]).collect();
    let tree = TriangleTree::build(&positions, &indices).unwrap();
    assert_eq!(tree.check(), []);
    let ray = Ray::new(Vec3::new(0.25, 0.25, 3.0), Vec3::NEG_Z).unwrap();
    assert_eq!(tree.raycast(&ray).unwrap().0, 0);
    assert!(all(&tree, &ray).iter().map(|hit| hit.0).eq(0..500));
}

#[test]
fn getters_return_the_input() {
    let mesh = meshes::sphere(2);
    let tree = build(&mesh);
    assert_eq!(tree.len(), 128);
    assert_eq!(tree.bounds(), Aabb::new(Vec3::NEG_ONE, Vec3::ONE));
    assert!(tree.memory() >= 128 * 9 * 4);
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    for (number, &corners) in triangles.iter().enumerate() {
        assert_eq!(tree.triangle(number as u32), Some(corners));
    }
    assert_eq!(tree.triangle(128), None);
    // The same without indices.
    let corners: Vec<Vec3> = mesh.triangles().flatten().collect();
    let unindexed = TriangleTree::build_unindexed(&corners).unwrap();
    let mut random = Rng::new(5);
    for ray in rays(&mut random, &mesh, sized(100, 5)) {
        assert_eq!(all(&unindexed, &ray), all(&tree, &ray));
        assert_eq!(unindexed.raycast(&ray), tree.raycast(&ray));
    }
}

// ---- invalid numbers ---------------------------------------------------------

#[test]
fn a_tree_without_triangles_is_never_hit() {
    let ray = Ray::new(Vec3::ZERO, Vec3::X).unwrap();
    for (positions, indices) in
        [(vec![], vec![]), (vec![Vec3::ONE], vec![]), (vec![Vec3::ONE; 3], vec![0, 1])]
    {
        let mut tree = TriangleTree::build(&positions, &indices).unwrap();
        assert!(tree.is_empty() && tree.check().is_empty());
        assert_eq!((tree.raycast(&ray), all(&tree, &ray)), (None, vec![]));
        assert_eq!(tree.bounds(), Aabb::EMPTY);
        tree.refit(&positions).unwrap();
        let geometry = TriangleMesh::new(positions, indices).unwrap();
        assert_eq!(geometry.tree().raycast(&ray), None);
    }
    assert_eq!(TriangleMesh::new(vec![], vec![]).unwrap().bounds(), Aabb::EMPTY);
    assert!(TriangleTree::build_unindexed(&[Vec3::ONE; 2]).unwrap().is_empty());
    assert_eq!(TriangleTree::default().raycast(&ray), None);
}

#[test]
fn indices_out_of_range_are_an_error_that_names_them() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let error = TriangleTree::build(&positions, &[0, 1, 2, 0, 3, 1]).unwrap_err();
    assert_eq!(error, Error::IndexOutOfRange { at: 4, index: 3, vertices: 3 });
    assert_eq!(error.to_string(), "indices[4] is 3, but there are 3 positions");
    assert_eq!(TriangleMesh::new(positions.clone(), vec![0, 1, 2, 0, 3, 1]).unwrap_err(), error);
    let error = TriangleMesh::new(vec![], vec![u32::MAX, 0, 0]).unwrap_err();
    assert_eq!(error.to_string(), "indices[0] is 4294967295, but there are 0 positions");
    // Incomplete triangles are ignored.
    let tree = TriangleTree::build(&positions, &[0, 1, 2, 9, 9]).unwrap();
    assert_eq!(tree.len(), 1);
}

#[test]
fn triangles_without_area_or_with_invalid_corners_are_never_hit() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let mut positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    for bad in [nan, inf, -inf] {
        positions.push(Vec3::new(bad, 0.0, 0.0));
        positions.push(Vec3::new(0.0, 0.0, bad));
        positions.push(Vec3::splat(bad));
    }
    positions.extend([Vec3::X * 0.5, Vec3::X * 2.0, Vec3::splat(f32::MAX)]);
    let count = positions.len() as u32;
    // Triples of a few corners, valid and invalid; the valid triangle comes last.
    let mut indices = Vec::new();
    for a in 0..count {
        indices.extend([[a, a, a], [0, 1, a], [a, 2, 2], [0, a, 1]].concat());
    }
    indices.extend([0, 1, 2]);
    let mesh = Mesh { positions, indices };
    let tree = build(&mesh);
    let mut random = Rng::new(8);
    let finite = Mesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], indices: vec![0, 1, 2] };
    let mut hits = 0;
    for ray in rays(&mut random, &finite, sized(300, 10)) {
        hits += compare(&mesh, &tree, &ray);
        for (_, hit) in all(&tree, &ray) {
            assert!(hit.distance.is_finite() && hit.barycentrics.is_finite(), "{hit:?}");
        }
    }
    assert!(hits > 0);
    let bounds = tree.bounds();
    assert!(bounds.is_finite() && bounds.contains(&Aabb::new(Vec3::ZERO, Vec3::X)), "{bounds:?}");
    // Only invalid triangles.
    let bad =
        Mesh { positions: vec![Vec3::NAN, Vec3::X, Vec3::Y], indices: vec![0, 1, 2, 1, 1, 2] };
    let tree = build(&bad);
    assert_eq!((tree.len(), tree.bounds()), (2, Aabb::EMPTY));
    assert_eq!(tree.raycast(&Ray::new(Vec3::ONE, Vec3::NEG_ONE).unwrap()), None);
}

#[test]
fn bounds_ignore_positions_that_are_not_finite() {
    let positions = vec![Vec3::NAN, Vec3::X, Vec3::new(0.0, 2.0, f32::INFINITY), Vec3::NEG_Y];
    let geometry = TriangleMesh::new(positions.clone(), vec![0, 1, 2]).unwrap();
    assert_eq!(geometry.bounds(), Aabb::from_points([Vec3::X, Vec3::NEG_Y]));
    assert_eq!(geometry.indices(), [0, 1, 2]);
    assert_eq!(geometry.positions().len(), 4);
    let none = TriangleMesh::new(positions[..1].to_vec(), vec![0, 0, 0]).unwrap();
    assert_eq!(none.bounds(), Aabb::EMPTY);
}

// ---- refits ------------------------------------------------------------------

/// Asserts that a refitted tree gives the results of a tree built from the pose.
#[track_caller]
fn assert_as_built(tree: &TriangleTree, mesh: &Mesh, random: &mut Rng, count: usize) {
    assert_eq!(tree.check(), []);
    let built = build(mesh);
    assert_eq!((tree.len(), tree.bounds()), (built.len(), built.bounds()));
    for ray in rays(random, mesh, count) {
        assert_eq!(tree.raycast(&ray), built.raycast(&ray), "{ray:?}");
        assert_eq!(all(tree, &ray), all(&built, &ray), "{ray:?}");
    }
}

#[test]
fn a_refitted_tree_gives_the_results_of_a_built_tree() {
    let mut random = Rng::new(6);
    let rest_pose = meshes::sphere(sized(3, 1));
    let mut tree = build(&rest_pose);
    for step in 0..sized(12, 2) {
        let pose = match step % 4 {
            // By a little, by a lot, randomly, and back.
            0 => rest_pose.clone().map(|at| at + 0.5 * Vec3::new(at.y, at.z, at.x)),
            1 => rest_pose.clone().map(|at| at * Vec3::new(3.0, 0.1, -1.0) + Vec3::splat(5.0)),
            2 => {
                let mut pose = rest_pose.clone();
                pose.positions.iter_mut().for_each(|at| *at = random.vec3(1.0));
                pose
            }
            _ => rest_pose.clone(),
        };
        tree.refit(&pose.positions).unwrap();
        assert_as_built(&tree, &pose, &mut random, sized(150, 5));
    }
}

#[test]
fn a_refit_with_another_number_of_positions_is_an_error_and_changes_nothing() {
    let mesh = meshes::cube();
    let mut tree = build(&mesh);
    for count in [0, 7, 9] {
        let error = tree.refit(&vec![Vec3::ZERO; count]).unwrap_err();
        assert_eq!(error, Error::VertexCount { given: count, built: 8 });
        assert_eq!(
            error.to_string(),
            format!(
                "there are {count} positions, but the tree was built with 8; \
                 build a new tree for a different geometry",
            ),
        );
    }
    let mut random = Rng::new(7);
    assert_as_built(&tree, &mesh, &mut random, 20);
}

/// Triangles that lose their area are no longer hit, until a refit gives it back.
#[test]
fn triangles_that_lose_their_area_can_regain_it() {
    let mut random = Rng::new(10);
    // Away from the origin, where there are no triangles.
    let rest_pose = meshes::sphere(sized(2, 1)).map(|at| at + Vec3::splat(9.0));
    let mut tree = build(&rest_pose);
    let half = |at: Vec3| if at.z > 9.0 { Vec3::new(9.0, 9.0, 9.5) } else { at };
    let broken = |at: Vec3| if at.x > 9.2 { Vec3::NAN } else { at };
    let nothing = |_: Vec3| Vec3::splat(3.0);
    let unchanged = |at: Vec3| at;
    let poses: [&dyn Fn(Vec3) -> Vec3; 6] =
        [&half, &unchanged, &broken, &half, &nothing, &unchanged];
    for pose in poses {
        let pose = rest_pose.clone().map(pose);
        tree.refit(&pose.positions).unwrap();
        let good =
            Mesh { positions: rest_pose.positions.clone(), indices: rest_pose.indices.clone() };
        assert_eq!(tree.check(), []);
        let built = build(&pose);
        for ray in rays(&mut random, &good, sized(100, 5)) {
            assert_eq!(tree.raycast(&ray), built.raycast(&ray), "{ray:?}");
            assert_eq!(all(&tree, &ray), all(&built, &ray), "{ray:?}");
        }
    }
}

/// Triangles that no ray can hit do not count for the bounds.
#[test]
fn bounds_after_a_refit_enclose_the_triangles_that_can_be_hit() {
    let rest_pose = meshes::sphere(sized(2, 1)).map(|at| at + Vec3::splat(9.0));
    let mut tree = build(&rest_pose);
    let pose = rest_pose.clone().map(|at| if at.z > 9.0 { Vec3::splat(9.0) } else { at });
    tree.refit(&pose.positions).unwrap();
    assert_eq!(tree.bounds(), build(&pose).bounds());
    let nothing = vec![Vec3::splat(9.0); rest_pose.positions.len()];
    tree.refit(&nothing).unwrap();
    assert_eq!(tree.bounds(), Aabb::EMPTY);
}

// ---- lazy construction -------------------------------------------------------

fn geometry() -> TriangleMesh {
    let mesh = meshes::sphere(2);
    TriangleMesh::new(mesh.positions, mesh.indices).unwrap()
}

#[test]
fn the_tree_of_a_mesh_is_built_once_on_first_use() {
    let geometry = geometry();
    assert!(!geometry.has_tree());
    assert_eq!(geometry.bounds(), Aabb::new(Vec3::NEG_ONE, Vec3::ONE));
    assert!(!geometry.has_tree(), "its box needs no tree");
    let first = std::ptr::from_ref(geometry.tree());
    assert!(geometry.has_tree());
    assert!(std::ptr::eq(first, geometry.tree()));
    assert!(geometry.clone().has_tree());
}

#[test]
fn concurrent_first_uses_get_the_same_tree() {
    let geometry = geometry();
    let trees: Vec<usize> = std::thread::scope(|threads| {
        let get_tree = || std::ptr::from_ref(geometry.tree()).addr();
        let all: Vec<_> = (0..4).map(|_| threads.spawn(get_tree)).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(trees.iter().all(|&tree| tree == std::ptr::from_ref(geometry.tree()).addr()));
}

#[test]
fn build_trees_builds_every_missing_tree() {
    let geometries = [(); 3].map(|()| geometry());
    let first = std::ptr::from_ref(geometries[0].tree());
    TriangleMesh::build_trees(&geometries);
    assert!(geometries.iter().all(TriangleMesh::has_tree));
    assert!(std::ptr::eq(first, geometries[0].tree()), "one that was there stays");
    TriangleMesh::build_trees([]);
}

#[cfg(feature = "parallel")]
#[test]
fn build_trees_parallel_gives_the_same_trees() {
    let geometries: Vec<TriangleMesh> = (0..20).map(|_| geometry()).collect();
    // One of them twice.
    let mut list: Vec<&TriangleMesh> = geometries.iter().collect();
    list.push(&geometries[0]);
    TriangleMesh::build_trees_parallel(&list);
    assert!(geometries.iter().all(TriangleMesh::has_tree));
    TriangleMesh::build_trees_parallel(&[]);
    let alone = geometry();
    let mut random = Rng::new(20);
    let mesh = meshes::sphere(2);
    for ray in rays(&mut random, &mesh, 50) {
        for geometry in &geometries {
            assert_eq!(geometry.tree().raycast(&ray), alone.tree().raycast(&ray));
        }
    }
}

#[test]
fn most_packets_of_a_closed_mesh_are_full() {
    let mesh = meshes::bumpy(sized(5, 2));
    let tree = build(&mesh);
    // 12 bytes of indices, a quarter of a packet of 160 bytes with its location, a node for 20.
    let bytes = tree.memory() as f64 / tree.len() as f64;
    assert!(bytes < 80.0, "{bytes} bytes per triangle");
}
