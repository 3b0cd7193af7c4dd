//! Compares answers about random scenes with brute force: every triangle in world space, in f64.

use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};
use testkit::Rng;

use super::random_scenes::{Scene, Triangle, bounds};
use super::run_query::query;

/// The result of testing a ray against a triangle.
enum RayTest {
    Miss,
    /// Too close to an edge or too flat to decide.
    Unsure(f64),
    /// The distance, and `true` for the front.
    Hit(f64, Option<bool>),
}

impl Triangle {
    fn test(&self, origin: DVec3, dir: DVec3) -> RayTest {
        const NEAR: f64 = 1e-3;
        let [a, b, c] = self.corners;
        let normal = (b - a).cross(c - a);
        let (area, along) = (normal.length(), normal.dot(dir));
        if area < 1e-6 {
            return RayTest::Miss;
        }
        // A clear miss regardless of rounding.
        let middle = (a + b + c) / 3.0;
        let radius = [a, b, c].map(|it| it.distance(middle)).into_iter().fold(0.0, f64::max);
        let aside = (middle - origin).reject_from(dir).length();
        if along.abs() < NEAR * area {
            let is_beside = aside > radius * (1.0 + NEAR) + NEAR;
            return if is_beside {
                RayTest::Miss
            } else {
                RayTest::Unsure((middle - origin).dot(dir) - radius)
            };
        }
        let t = normal.dot(a - origin) / along;
        let point = origin + dir * t;
        let weights = [(b, c), (c, a), (a, b)]
            .map(|(from, to)| (to - from).cross(point - from).dot(normal) / (area * area));
        let min_weight = weights.into_iter().fold(f64::INFINITY, f64::min);
        match () {
            () if min_weight < -NEAR || t < -NEAR => RayTest::Miss,
            () if min_weight < NEAR || t < NEAR => RayTest::Unsure(t),
            () => RayTest::Hit(t, self.reversed.map(|reversed| (along < 0.0) != reversed)),
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
}

/// Compares a grid of rays and returns the number of compared rays and of hits.
fn compare_grid(scene: &Scene, path: &Path, grid: &Value) -> (usize, usize) {
    let answers = query(path, &json!({"up": "y", "rays": [grid]})).json(0);
    let hits: Vec<Vec<f64>> =
        answers["rays"][0]["hits"].as_array().unwrap().iter().map(numbers).collect();
    let vector = |key: &str| DVec3::from_slice(&numbers(&grid[key]));
    let [origin, du, dv, dir] = ["origin", "du", "dv", "dir"].map(vector);
    let (dir, triangles) = (dir.normalize(), scene.triangles());
    let n = grid["n"].as_u64().unwrap();
    let (mut compared, mut hit_count) = (0, 0);
    for k in 0..n * n {
        let (i, j) = ((k % n) as f64 + 0.37, (k / n) as f64 + 0.61);
        let start = origin + du * i + dv * j;
        let mut nearest: Option<(f64, Option<bool>, [i64; 4])> = None;
        let (mut second, mut unsure) = (f64::INFINITY, f64::INFINITY);
        for triangle in &triangles {
            match triangle.test(start, dir) {
                RayTest::Miss => {}
                RayTest::Unsure(t) => unsure = unsure.min(t),
                RayTest::Hit(t, front) => {
                    let first = nearest.map_or(f64::INFINITY, |it| it.0);
                    second = second.min(t.max(first));
                    if t < first {
                        nearest = Some((t, front, triangle.source));
                    }
                }
            }
        }
        let first = nearest.map_or(f64::INFINITY, |it| it.0);
        if second - first < 1e-3 || unsure < first + 1e-3 {
            continue;
        }
        compared += 1;
        let got = hits.iter().find(|hit| hit[0] == k as f64);
        let Some((t, front, source)) = nearest else {
            assert_eq!(got, None, "ray {k} should miss");
            continue;
        };
        hit_count += 1;
        let got = got.unwrap_or_else(|| panic!("ray {k} should hit {source:?} at {t}"));
        let numbers = source.map(|it| it as f64);
        assert_eq!(got[2..6], numbers, "ray {k} at {t}: {got:?}");
        if let Some(front) = front {
            assert_eq!(got[6] == 1.0, front, "ray {k}: front of {got:?}");
        }
        assert!((got[1] - t).abs() <= 1e-4 * t.max(1.0), "ray {k}: {got:?}, not at {t}");
    }
    (compared, hit_count)
}

fn assert_near(got: &Value, expected: &[f64; 6], what: &str) {
    let got = numbers(got);
    let size = expected.iter().fold(1.0, |size: f64, it| size.max(it.abs()));
    let is_near = got.iter().zip(expected).all(|(a, e)| (a - e).abs() <= 2e-5 * size);
    assert!(is_near && got.len() == 6, "{what}: {got:?}, expected {expected:?}");
}

#[test]
fn boxes_match_all_corners_and_all_vertices() {
    for seed in 0..30 {
        eprintln!("seed {seed}");
        let scene = Scene::random(&mut Rng::new(seed));
        let path = scene.save(&format!("boxes-{seed}"));
        let answers = query(&path, &json!({"up": "y"})).json(0);
        let answered = answers["mesh_nodes"].as_array().unwrap();
        let nodes: Vec<usize> =
            (0..scene.nodes.len()).filter(|&it| scene.nodes[it].mesh.is_some()).collect();
        assert_eq!(answered.len(), nodes.len());
        let mut all = [Vec::new(), Vec::new()];
        for (&index, answered) in nodes.iter().zip(answered) {
            assert_eq!(answered["node"], json!(index));
            let loose = scene.loose_corners(index);
            let posed: Vec<DVec3> =
                scene.triangles_of(index).iter().flat_map(|it| it.corners).collect();
            let what = format!("node {index}");
            assert_near(&answered["loose"], &bounds(loose.iter().copied()), &what);
            assert_near(&answered["posed"], &bounds(posed.iter().copied()), &what);
            all[0].extend(loose);
            all[1].extend(posed);
        }
        for (key, points) in ["loose", "posed"].into_iter().zip(all) {
            let whole = &answers["scenes"][0]["aabb"][key];
            assert_near(whole, &bounds(points.into_iter()), "the scene");
        }
    }
}

#[test]
fn hits_match_brute_force_over_all_triangles() {
    let (mut compared, mut hit_count) = (0, 0);
    for seed in 0..30 {
        eprintln!("seed {seed}");
        let rng = &mut Rng::new(seed);
        let scene = Scene::random(rng);
        let path = scene.save(&format!("random-{seed}"));
        let grids = [
            json!({"origin": [-9, -9, 20], "dir": [0, 0, -1], "du": [0.75, 0, 0],
                "dv": [0, 0.75, 0], "n": 24}),
            json!({"origin": [-15, -9, -9], "dir": [2, 0.25, 0.125], "du": [0, 0.75, 0],
                "dv": [0, 0, 0.75], "n": 24}),
        ];
        for grid in grids {
            let (looked, hit) = compare_grid(&scene, &path, &grid);
            compared += looked;
            hit_count += hit;
        }
    }
    eprintln!("{compared} rays compared, {hit_count} of them hit");
    assert!(hit_count > 2000, "only {hit_count} hits were compared");
}
