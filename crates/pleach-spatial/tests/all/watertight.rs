//! Closed surfaces are watertight: from inside every ray hits them, also exactly through edges and
//! corners, and from outside a ray leaves as often as it enters.

use crate::common::meshes::{self, Mesh};
use pleach_spatial::glam::Vec3;
use pleach_spatial::{Ray, TriangleHit, TriangleTree};
use testkit::Rng;

/// A closed surface, and points inside it.
struct Solid {
    name: &'static str,
    mesh: Mesh,
    tree: TriangleTree,
    center: Vec3,
    /// A sphere of this radius around the centre is inside.
    inner: f32,
    /// A sphere of this radius encloses the surface.
    outer: f32,
}

impl Solid {
    fn new(name: &'static str, mesh: Mesh, center: Vec3, inner: f32, outer: f32) -> Self {
        assert!(mesh.is_closed(), "{name}");
        let tree = TriangleTree::build(&mesh.positions, &mesh.indices).unwrap();
        assert_eq!(tree.check(), [], "{name}");
        Self { name, mesh, tree, center, inner, outer }
    }

    fn inside(&self, random: &mut Rng) -> Vec3 {
        self.center + random.direction() * random.between(0.0, self.inner)
    }

    fn outside(&self, random: &mut Rng) -> Vec3 {
        self.center + random.direction() * random.between(1.5, 3.0) * self.outer
    }

    #[track_caller]
    fn assert_hit(&self, ray: &Ray) {
        assert!(self.tree.raycast(ray).is_some(), "{} leaks: {ray:?}", self.name);
    }
}

/// The number of subdivisions of spheres.
const LEVELS: usize = if cfg!(miri) { 1 } else { 4 };

fn solids() -> Vec<Solid> {
    let far = Vec3::new(1e5, -1e5, 1e5);
    let sphere = || meshes::sphere(LEVELS);
    let sides = if cfg!(miri) { 7 } else { 300 };
    vec![
        Solid::new("cube", meshes::cube(), Vec3::ZERO, 0.9, 1.8),
        Solid::new("sphere", sphere(), Vec3::ZERO, 0.7, 1.1),
        Solid::new("bumpy sphere", meshes::bumpy(LEVELS), Vec3::ZERO, 0.6, 1.3),
        Solid::new("spindle", meshes::spindle(sides), Vec3::ZERO, 0.5, 51.0),
        // The resolution of f32 is 8 millimetres there.
        Solid::new("sphere far away", sphere().map(|at| far + 50.0 * at), far, 30.0, 55.0),
        Solid::new("small sphere", sphere().map(|at| 1e-3 * at), Vec3::ZERO, 0.7e-3, 1.1e-3),
        Solid::new(
            "small sphere off the origin",
            sphere().map(|at| Vec3::splat(7.0) + 1e-3 * at),
            Vec3::splat(7.0),
            0.7e-3,
            1.1e-3,
        ),
        Solid::new(
            "flattened sphere",
            sphere().map(|at| at * Vec3::new(100.0, 1.0, 0.01)),
            Vec3::ZERO,
            0.005,
            101.0,
        ),
    ]
}

/// The number of rays of each kind per solid: 1.1 million random rays in total.
const RAYS: usize = if cfg!(miri) { 10 } else { 40_000 };

#[test]
fn random_rays_from_inside_never_leak() {
    let mut random = Rng::new(1);
    for solid in solids() {
        for _ in 0..RAYS {
            let from = solid.inside(&mut random);
            solid.assert_hit(&Ray::new(from, random.direction()).unwrap());
        }
    }
}

#[test]
fn rays_from_inside_towards_corners_never_leak() {
    let mut random = Rng::new(2);
    for solid in solids() {
        for _ in 0..RAYS {
            let from = solid.inside(&mut random);
            let corner = random.pick(&solid.mesh.positions);
            solid.assert_hit(&Ray::new(from, corner - from).unwrap());
        }
    }
}

#[test]
fn rays_from_inside_towards_edges_never_leak() {
    let mut random = Rng::new(3);
    for solid in solids() {
        let edges = solid.mesh.edges();
        for number in 0..RAYS {
            let from = solid.inside(&mut random);
            let [a, b] = random.pick(&edges).map(|index| solid.mesh.positions[index as usize]);
            let fraction = if number % 2 == 0 { 0.5 } else { random.between(0.0, 1.0) };
            solid.assert_hit(&Ray::new(from, a + (b - a) * fraction - from).unwrap());
        }
    }
}

/// Along axes from the central planes, through the coordinates of corners: all edge functions are
/// exactly zero.
#[test]
fn axis_aligned_rays_exactly_through_corners_and_edges_never_leak() {
    let mut exact = 0;
    for solid in solids().into_iter().filter(|solid| solid.name != "spindle") {
        let positions = &solid.mesh.positions;
        let midpoints = solid.mesh.edges().into_iter();
        let midpoints =
            midpoints.map(|edge| edge.map(|it| positions[it as usize])).map(|[a, b]| a.midpoint(b));
        for at in positions.iter().copied().chain(midpoints) {
            for axis in 0..3 {
                let mut from = at;
                from[axis] = solid.center[axis];
                // Within the inner sphere; a few remain for the midpoints of edges.
                if from.distance(solid.center) > solid.inner {
                    continue;
                }
                for sign in [-1.0, 1.0] {
                    let mut direction = Vec3::ZERO;
                    direction[axis] = sign;
                    let ray = Ray::new(from, direction).unwrap();
                    solid.assert_hit(&ray);
                    let (_, hit) = solid.tree.raycast(&ray).unwrap();
                    exact += usize::from(hit.barycentrics.min_element() == 0.0);
                }
            }
        }
    }
    assert!(exact > 3000 || cfg!(miri), "{exact} rays went exactly through a corner or an edge");
}

/// From the centre of a cube towards its corners, and the midpoints of its edges and faces:
/// exact, as all coordinates of a direction are equal or zero.
#[test]
fn rays_through_corners_and_edges_of_a_cube_hit_all_their_triangles() {
    let solid = Solid::new("cube", meshes::cube(), Vec3::ZERO, 0.9, 1.8);
    let mut hits = Vec::new();
    for number in 0..27 {
        let direction =
            Vec3::new((number % 3) as f32, (number / 3 % 3) as f32, (number / 9) as f32);
        let direction = direction - Vec3::ONE;
        let Ok(ray) = Ray::new(Vec3::ZERO, direction) else { continue };
        solid.tree.raycast_all(&ray, &mut hits);
        let expected = solid.mesh.triangles().filter(|&[a, b, c]| {
            // In the plane and between the corners, computed with exact numbers.
            let normal = (b - a).cross(c - a);
            let sides = [(a, b), (b, c), (c, a)];
            normal.dot(direction - a) == 0.0
                && sides.iter().all(|&(p, q)| normal.dot((q - p).cross(direction - p)) >= 0.0)
        });
        assert_eq!(hits.len(), expected.count(), "towards {direction}");
        assert!(hits.iter().all(|(_, hit)| !hit.front), "from inside only back sides are hit");
    }
}

/// Returns the number of entries minus exits; a hit on an edge counts one half for each of its two
/// triangles. Returns `None` for a hit on a corner, or too close to an edge for f32.
fn balance(hits: &[(u32, TriangleHit)], exact: bool) -> Option<f32> {
    let mut sum = 0.0;
    for (_, hit) in hits {
        let weights = hit.barycentrics.to_array();
        let zeros = weights.iter().filter(|&&it| it == 0.0).count();
        let near = weights.iter().any(|&it| it < 1e-6);
        let weight = match zeros {
            0 if exact || !near => 1.0,
            1 if exact => 0.5,
            _ => return None,
        };
        sum += if hit.front { weight } else { -weight };
    }
    Some(sum)
}

#[test]
fn rays_from_outside_leave_as_often_as_they_enter() {
    let mut random = Rng::new(4);
    let mut hits = Vec::new();
    for solid in solids() {
        let (mut hit_count, mut unclear) = (0, 0);
        for number in 0..RAYS / 2 {
            let from = solid.outside(&mut random);
            let to = match number % 2 {
                0 => solid.inside(&mut random),
                _ => solid.center + random.vec3(solid.outer),
            };
            let ray = Ray::new(from, to - from).unwrap();
            solid.tree.raycast_all(&ray, &mut hits);
            let Some(balance) = balance(&hits, false) else {
                unclear += 1;
                continue;
            };
            assert_eq!(balance, 0.0, "{}: {ray:?} hits {hits:?}", solid.name);
            // First an entry, last an exit, unless both have the same distance in f32.
            if let [(_, first), (_, second), ..] = hits[..]
                && first.distance < second.distance
            {
                assert!(first.front, "{}: {ray:?}", solid.name);
            }
            if let [.., (_, second), (_, last)] = hits[..]
                && second.distance < last.distance
            {
                assert!(!last.front, "{}: {ray:?}", solid.name);
                hit_count += 1;
            }
            assert!(number % 2 == 1 || !hits.is_empty(), "{} was missed: {ray:?}", solid.name);
        }
        assert!(
            hit_count > RAYS / 8 && unclear < RAYS / 100 + 1,
            "{}: {hit_count} {unclear}",
            solid.name
        );
    }
}

/// Along axes through the coordinates of corners: exactly through edges, and along silhouettes,
/// where a front and a back side are hit at the same point.
#[test]
fn axis_aligned_rays_from_outside_leave_as_often_as_they_enter() {
    let mut hits = Vec::new();
    let mut through_edges = 0;
    // Coordinates of 12 bits: all products are exact.
    for mesh in [meshes::cube(), meshes::sphere(LEVELS), meshes::bumpy(LEVELS)] {
        let solid = Solid::new("of 12 bits", mesh, Vec3::ZERO, 0.5, 1.3);
        let edges = solid.mesh.edges();
        for &[a, b] in &edges {
            let (a, b) = (solid.mesh.positions[a as usize], solid.mesh.positions[b as usize]);
            for axis in 0..3 {
                for fraction in [0.5, 0.25] {
                    let mut from = a + (b - a) * fraction;
                    from[axis] = 9.0;
                    let mut direction = Vec3::ZERO;
                    direction[axis] = -1.0;
                    let ray = Ray::new(from, direction).unwrap();
                    solid.tree.raycast_all(&ray, &mut hits);
                    assert!(!hits.is_empty() || is_edge_on(&solid.mesh, &ray), "{ray:?}");
                    let Some(balance) = balance(&hits, true) else { continue };
                    assert_eq!(balance, 0.0, "{ray:?} hits {hits:?}");
                    through_edges += 1;
                }
            }
        }
    }
    assert!(through_edges > 2000 || cfg!(miri), "{through_edges} rays");
}

/// Returns `true` if the ray is within the plane of a triangle. Such triangles are documented to be
/// never hit.
fn is_edge_on(mesh: &Mesh, ray: &Ray) -> bool {
    mesh.triangles().any(|[a, b, c]| {
        let normal = (b - a).cross(c - a);
        normal.dot(ray.direction()) == 0.0 && normal.dot(ray.origin() - a) == 0.0
    })
}
