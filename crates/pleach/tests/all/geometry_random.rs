//! Random geometry: morphed vertices are within the morphed bounds for any rounding; normals agree
//! with naive ones.

use pleach::glam::{DVec3, Vec3};
use pleach::{Assets, Geometry, MorphTarget, Topology};
use testkit::Rng;

/// Random lists of points.
trait RandomPoints {
    fn points(&mut self, count: usize, extent: f32) -> Vec<Vec3>;
}

impl RandomPoints for Rng {
    fn points(&mut self, count: usize, extent: f32) -> Vec<Vec3> {
        (0..count).map(|_| self.vec3(extent)).collect()
    }
}

/// Extents from subnormal numbers to sums that are just finite.
const EXTENTS: [f32; 7] = [1e-44, 1e-38, 1e-3, 1.0, 1e3, 1e20, 1e34];

#[test]
fn morphed_vertices_are_within_the_bounds_for_any_order_of_summation() {
    for seed in 0..400 {
        let mut random = Rng::new(seed);
        let vertices = 1 + random.below(20);
        let targets = random.below(70);
        let extent = random.pick(&EXTENTS);
        let mut geometry = Geometry::from_positions(random.points(vertices, extent));
        for _ in 0..targets {
            // Much smaller than, as large as, and much larger than the positions.
            let extent = extent * random.pick(&[1e-6, 1.0, 1.0, 100.0]);
            let offsets = random.points(vertices, extent);
            geometry.morph_targets.push(MorphTarget::from_positions(offsets));
        }
        let range = random.pick(&[0.01, 1.0, 3.0]);
        let mut weights: Vec<f32> = (0..targets).map(|_| random.between(-range, range)).collect();
        if random.below(2) == 0 {
            weights.iter_mut().step_by(2).for_each(|weight| *weight = 0.0);
        }
        let bounds = geometry.morphed_bounds(&weights);
        let handle = Assets::new().add(geometry.clone());
        assert_eq!(handle.get().morphed_bounds(&weights), bounds, "seed {seed}");

        let mut positions = Vec::new();
        geometry.morphed_positions(&weights, &mut positions);
        for (vertex, &morphed) in positions.iter().enumerate() {
            let terms: Vec<(Vec3, f32)> = geometry
                .morph_targets
                .iter()
                .zip(&weights)
                .map(|(target, &weight)| (target.positions[vertex], weight))
                .collect();
            let start = geometry.positions[vertex];
            let backwards: Vec3 = terms.iter().rev().map(|&(offset, weight)| offset * weight).sum();
            let fused = terms.iter().fold(start, |sum, &(offset, weight)| {
                Vec3::from_array([0, 1, 2].map(|axis| offset[axis].mul_add(weight, sum[axis])))
            });
            let exact: DVec3 = terms.iter().fold(start.as_dvec3(), |sum, &(offset, weight)| {
                sum + offset.as_dvec3() * f64::from(weight)
            });
            for point in [morphed, backwards + start, fused, exact.as_vec3()] {
                assert!(bounds.contains_point(point), "seed {seed}: {point} not in {bounds:?}");
            }
        }
        // The bounds are not much larger than the sum of all terms.
        let size: f32 =
            geometry.morph_targets.iter().zip(&weights).fold(extent, |size, (target, weight)| {
                let farthest = target.positions.iter().map(|offset| offset.abs().max_element());
                size + weight.abs() * farthest.fold(0.0, f32::max)
            });
        let limit = 1.001 * size + 1e-35;
        assert!(bounds.max.max(-bounds.min).max_element() <= limit, "seed {seed}: {bounds:?}");
    }
}

#[test]
fn morphed_bounds_of_a_single_vertex_are_tight() {
    for seed in 0..1000 {
        let mut random = Rng::new(seed);
        let mut geometry = Geometry::from_positions(random.points(1, 1.0));
        for _ in 0..1 + random.below(8) {
            let offsets = random.points(1, 1.0);
            geometry.morph_targets.push(MorphTarget::from_positions(offsets));
        }
        let weights: Vec<f32> = (0..8).map(|_| random.between(-1.0, 1.0)).collect();
        let size = geometry.morphed_bounds(&weights).size();
        assert!(size.max_element() < 3e-5, "seed {seed}: {size}");
    }
}

#[test]
fn smooth_normals_agree_with_naive_ones() {
    for seed in 0..200 {
        let mut random = Rng::new(seed);
        let vertices = 3 + random.below(12);
        let count = random.below(40);
        let indices: Vec<u32> = (0..count).map(|_| random.below(vertices) as u32).collect();
        let topology =
            random.pick(&[Topology::Triangles, Topology::TriangleStrip, Topology::TriangleFan]);
        let mut geometry = Geometry::from_triangles(random.points(vertices, 10.0), indices)
            .with_topology(topology);
        geometry.compute_normals();
        assert_eq!(geometry.normals.len(), vertices);
        for vertex in 0..vertices as u32 {
            let mut sum = DVec3::ZERO;
            for triangle in geometry.triangles() {
                for rotation in 0..3 {
                    let [a, b, c] = [0, 1, 2].map(|corner| triangle[(corner + rotation) % 3]);
                    if a != vertex || a == b || b == c || c == a {
                        continue;
                    }
                    let [a, b, c] = [a, b, c].map(|it| geometry.positions[it as usize].as_dvec3());
                    sum += (b - a).cross(c - a).normalize() * (b - a).angle_between(c - a);
                }
            }
            let normal = geometry.normals[vertex as usize];
            assert!((normal.length() - 1.0).abs() < 1e-6, "seed {seed}");
            let expected = if sum == DVec3::ZERO { DVec3::Z } else { sum.normalize() };
            let tolerance = 1e-6 + 1e-12 / sum.length().max(1e-12);
            assert!(
                normal.as_dvec3().abs_diff_eq(expected, tolerance),
                "seed {seed}: {normal} {expected}"
            );
        }
    }
}
