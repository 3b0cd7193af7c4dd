//! Compares answers with expected values, in f64.

use std::fmt::{Debug, Display};

use serde_json::Value;

use super::axes::{Up, indices, list, number, numbers};

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| number.abs().max(largest))
}

/// The answers and expected values of one model in one orientation.
pub(crate) struct Case<'a> {
    name: &'a str,
    expected: &'a Value,
    answers: &'a Value,
    up: Up,
    tolerance: f64,
    pub(crate) comparisons: usize,
    pub(crate) failures: Vec<String>,
}

/// Only the distance is compared: another triangle is at the same distance.
const TIE: u64 = 1;
/// Any answer is accepted: the ray passes an edge.
const EDGE: u64 = 2;

impl<'a> Case<'a> {
    pub(crate) fn new(name: &'a str, expected: &'a Value, answers: &'a Value, up: Up) -> Self {
        let tolerance = number(&expected["tolerance"]);
        Self { name, expected, answers, up, tolerance, comparisons: 0, failures: Vec::new() }
    }

    pub(crate) fn compare(&mut self) {
        let fields = [
            "nodes",
            "mesh_nodes",
            "scenes",
            "skins",
            "animations",
            "cameras",
            "lights",
            "poses",
            "culls",
            "rays",
        ];
        let got: Vec<&str> = self.answers.as_object().unwrap().keys().map(String::as_str).collect();
        // Compared as sets; the goldens check the order.
        let (mut got, mut fields) = (got, fields);
        got.sort_unstable();
        fields.sort_unstable();
        self.equal("fields", &got[..], &fields[..]);
        self.nodes();
        self.boxes();
        self.skins();
        self.animations();
        self.cameras();
        self.lights();
        self.poses();
        self.culls();
        self.rays();
    }

    // ---- comparing ----

    fn check(&mut self, right: bool, what: impl Display, got: impl Debug, expected: impl Debug) {
        self.comparisons += 1;
        if !right {
            let (name, up) = (self.name, self.up.word());
            self.failures
                .push(format!("{name} ({up} up): {what}: got {got:?}, expected {expected:?}"));
        }
    }

    fn equal<T: PartialEq + Debug>(&mut self, what: impl Display, got: T, expected: T) {
        self.check(got == expected, what, &got, &expected);
    }

    /// Compares numbers with the tolerance of matrices.
    fn near(&mut self, what: impl Display, got: &Value, expected: &[f64]) {
        let allowed = self.tolerance * largest(expected).max(1.0);
        let numbers = numbers(got);
        let same = numbers.len() == expected.len();
        let mut pairs = numbers.iter().zip(expected);
        // NaN is never within the tolerance.
        let is_near = same && pairs.all(|(got, expected)| (got - expected).abs() <= allowed);
        self.check(is_near, what, got, expected);
    }

    /// Checks the number of entries and returns pairs of actual and expected entries.
    fn pairs(&mut self, what: &str, got: &'a Value, expected: &'a Value) -> Pairs<'a> {
        let (got, expected) = (list(got), list(expected));
        self.equal(format_args!("{what}, count"), got.len(), expected.len());
        got.iter().zip(expected).enumerate()
    }

    // ---- the model ----

    fn nodes(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        for (node, (got, expected)) in self.pairs("nodes", &answers["nodes"], &expected["nodes"]) {
            let what = format!("node {node}");
            for key in ["name", "parent", "children", "mesh", "skin", "camera", "light"] {
                self.equal(format_args!("{what} {key}"), &got[key], &expected[key]);
            }
            let visible = expected["visible"] != false;
            self.equal(format_args!("{what} visible"), got["visible"].as_bool(), Some(visible));
            for key in ["t", "r", "s", "m"] {
                let has = (got.get(key).is_some(), expected.get(key).is_some());
                self.equal(format_args!("{what} has {key}"), has.0, has.1);
                self.near(format_args!("{what} {key}"), &got[key], &numbers(&expected[key]));
            }
            let world = self.up.matrix(&expected["world"]);
            self.near(format_args!("{what} world"), &got["world"], &world);
        }
    }

    fn boxes(&mut self) {
        let (answers, expected, up) = (self.answers, self.expected, self.up);
        let pairs = self.pairs("mesh nodes", &answers["mesh_nodes"], &expected["mesh_nodes"]);
        for (_, (got, expected)) in pairs {
            let node = &expected["node"];
            self.equal("mesh node", &got["node"], node);
            for key in ["loose", "posed"] {
                self.near(format_args!("node {node} {key}"), &got[key], &up.bounds(&expected[key]));
            }
        }
        let pairs = self.pairs("scenes", &answers["scenes"], &expected["scenes"]);
        for (scene, (got, expected)) in pairs {
            for key in ["name", "roots", "nodes"] {
                self.equal(format_args!("scene {scene} {key}"), &got[key], &expected[key]);
            }
            let (got, expected) = (&got["aabb"], &expected["aabb"]);
            self.equal(format_args!("scene {scene} empty"), got.is_null(), expected.is_null());
            for key in ["loose", "posed"].into_iter().filter(|_| !expected.is_null()) {
                let bounds = up.bounds(&expected[key]);
                self.near(format_args!("scene {scene} {key}"), &got[key], &bounds);
            }
        }
    }

    fn skins(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        for (skin, (got, expected)) in self.pairs("skins", &answers["skins"], &expected["skins"]) {
            self.equal(format_args!("skin {skin} joints"), &got["joints"], &expected["joints"]);
            let what = format!("skin {skin}");
            self.joint_matrices(&what, &got["joint_matrices"], &expected["joint_matrices"]);
        }
    }

    /// Compares the matrices of one skin; expected values may be absent.
    fn joint_matrices(&mut self, what: &str, got: &'a Value, expected: &'a Value) {
        if list(expected).is_empty() {
            return;
        }
        for (joint, (got, expected)) in self.pairs(what, got, expected) {
            let matrix = self.up.matrix(expected);
            self.near(format_args!("{what} joint {joint}"), got, &matrix);
        }
    }

    fn animations(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        let pairs = self.pairs("animations", &answers["animations"], &expected["animations"]);
        for (animation, (got, expected)) in pairs {
            self.equal(format_args!("animation {animation}"), &got["name"], &expected["name"]);
            // The expected values leave out animated visibility.
            let is_partial = expected["ignored_channels"] != 0;
            let (got, expected) = (number(&got["duration"]), number(&expected["duration"]));
            let allowed = self.tolerance * expected.max(1.0);
            let is_near = (got - expected).abs() <= allowed || is_partial && got > expected;
            self.check(is_near, format_args!("animation {animation} duration"), got, expected);
        }
    }

    fn cameras(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        let pairs = self.pairs("cameras", &answers["cameras"], &expected["cameras"]);
        for (camera, (got, expected)) in pairs {
            let projection = numbers(&expected["projection"]);
            self.near(format_args!("camera {camera}"), &got["projection"], &projection);
            self.equal(format_args!("camera {camera} nodes"), &got["nodes"], &expected["nodes"]);
        }
    }

    fn lights(&mut self) {
        let (answers, expected, up) = (self.answers, self.expected, self.up);
        let pairs = self.pairs("lights", &answers["lights"], &expected["lights"]);
        for (light, (got, expected)) in pairs {
            let what = format!("light {light}");
            self.equal(format_args!("{what} type"), &got["type"], &expected["type"]);
            self.near(format_args!("{what} color"), &got["color"], &numbers(&expected["color"]));
            for key in ["intensity", "range", "inner", "outer"] {
                let (got, expected) = (got[key].as_f64(), expected[key].as_f64());
                let is_near = match (got, expected) {
                    (Some(a), Some(e)) => (a - e).abs() <= self.tolerance * e.abs().max(1.0),
                    (a, e) => a == e,
                };
                self.check(is_near, format_args!("{what} {key}"), got, expected);
            }
            let is_point = expected["type"] == "point";
            for (_, (got, expected)) in self.pairs(&what, &got["at"], &expected["at"]) {
                self.equal(format_args!("{what} node"), &got["node"], &expected["node"]);
                let position = up.vector(&expected["position"]);
                self.near(format_args!("{what} position"), &got["position"], &position);
                if !is_point {
                    let direction = up.vector(&expected["direction"]);
                    self.near(format_args!("{what} direction"), &got["direction"], &direction);
                }
            }
        }
    }

    // ---- the questions ----

    fn poses(&mut self) {
        let (answers, expected, up) = (self.answers, self.expected, self.up);
        let mut poses = list(&answers["poses"]).iter();
        let is_moving = |animation: &Value| !list(&animation["moving"]).is_empty();
        let animations = list(&expected["animations"]);
        let first_moving = animations.iter().position(is_moving);
        for (number, animation) in animations.iter().enumerate() {
            let moving = indices(&animation["moving"]);
            for (index, sample) in list(&animation["samples"]).iter().enumerate() {
                let what = format!("animation {number} sample {index}");
                let Some(pose) = poses.next() else {
                    self.check(false, what, "nothing", "an answer");
                    continue;
                };
                let pairs = self.pairs(&what, &pose["world"], &expected["nodes"]);
                for (node, (got, rest)) in pairs {
                    let moved = moving.iter().position(|&it| it == node as u64);
                    let world = moved.map_or(&rest["world"], |it| &sample["world"][it]);
                    self.near(format_args!("{what} node {node}"), got, &up.matrix(world));
                }
                self.weights(&what, &pose["weights"], &sample["weights"]);
                // Expected only halfway through the first animation that moves anything.
                let is_half = (Some(number), index) == (first_moving, 2);
                let pairs = self.pairs(&what, &pose["joint_matrices"], &expected["skins"]);
                for (skin, (got, expected)) in pairs.filter(|_| is_half) {
                    let what = format!("{what} skin {skin}");
                    self.joint_matrices(&what, got, &expected["joint_matrices_half"]);
                }
            }
        }
        self.equal("surplus poses", poses.count(), 0);
    }

    fn weights(&mut self, what: &str, got: &Value, expected: &Value) {
        let keys = |value: &Value| -> Vec<String> {
            let mut keys: Vec<_> = value.as_object().into_iter().flat_map(|it| it.keys()).collect();
            keys.sort();
            keys.into_iter().cloned().collect()
        };
        self.equal(format_args!("{what} weights"), keys(got), keys(expected));
        for node in keys(expected) {
            let weights = numbers(&expected[&node]);
            self.near(format_args!("{what} node {node} weights"), &got[&node], &weights);
        }
    }

    fn culls(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        let mut culls = list(&answers["culls"]).iter();
        for (number, scene) in list(&expected["scenes"]).iter().enumerate() {
            let nodes = indices(&scene["nodes"]);
            let mesh_nodes = list(&expected["mesh_nodes"]).iter();
            let mesh_nodes: Vec<u64> = mesh_nodes
                .filter_map(|it| it["node"].as_u64())
                .filter(|it| nodes.contains(it))
                .collect();
            for view in list(&scene["cull"]) {
                let what = format!("scene {number} seen {}", view["what"]);
                let Some(got) = culls.next() else {
                    self.check(false, what, "nothing", "an answer");
                    continue;
                };
                let got = indices(&got["inside"]);
                let (inside, unsure) = (indices(&view["inside"]), indices(&view["unsure"]));
                for node in mesh_nodes.iter().filter(|node| !unsure.contains(node)) {
                    let (got, expected) = (got.contains(node), inside.contains(node));
                    self.equal(format_args!("{what}: node {node}"), got, expected);
                }
                let is_sorted = got.windows(2).all(|pair| pair[0] < pair[1]);
                self.equal(format_args!("{what} is in order"), is_sorted, true);
                let strange: Vec<_> =
                    got.iter().filter(|node| !mesh_nodes.contains(node)).collect();
                self.equal(format_args!("{what}: nodes without meshes"), strange, Vec::new());
            }
        }
        self.equal("surplus culls", culls.count(), 0);
    }

    fn rays(&mut self) {
        let (answers, expected) = (self.answers, self.expected);
        let mut answers = list(&answers["rays"]).iter();
        for (scene_number, scene) in list(&expected["scenes"]).iter().enumerate() {
            let whole = numbers(&scene["aabb"]["posed"]);
            let diagonal = match &whole[..] {
                [a, b, c, d, e, f] => ((d - a).powi(2) + (e - b).powi(2) + (f - c).powi(2)).sqrt(),
                _ => 0.0,
            };
            for (index, grid) in list(&scene["rays"]).iter().enumerate() {
                let what = format!("scene {scene_number} grid {index}");
                match answers.next() {
                    Some(got) => self.grid(&what, &got["hits"], grid, diagonal),
                    None => self.check(false, what, "nothing", "an answer"),
                }
            }
        }
        self.equal("surplus grids", answers.count(), 0);
    }

    fn grid(&mut self, what: &str, got: &Value, expected: &Value, diagonal: f64) {
        let mut got = list(got).iter().peekable();
        let mut hits = list(&expected["hits"]).iter().peekable();
        let n = expected["n"].as_u64().unwrap();
        for k in 0..n * n {
            let is_k = |hit: &&Value| hit[0].as_u64() == Some(k);
            let got = got.next_if(is_k);
            let what = format!("{what} ray {k}");
            let Some(hit) = hits.next_if(is_k) else {
                self.check(got.is_none(), what, got, "a miss");
                continue;
            };
            if hit[7].as_u64().unwrap() & EDGE == 0 {
                let is_right = got.is_some_and(|got| self.is_hit(got, hit, diagonal));
                self.check(is_right, what, got, hit);
            }
        }
        // Sorted and unique, so none remains.
        self.equal(format_args!("{what} surplus hits"), got.count(), 0);
        self.equal(format_args!("{what} hits not compared"), hits.count(), 0);
    }

    /// Returns `true` for the expected hit: `[k, distance, node, primitive, face, instance, front,
    /// flags]`.
    fn is_hit(&self, got: &Value, expected: &Value, diagonal: f64) -> bool {
        let distance = number(&expected[1]);
        let allowed = self.tolerance.max(1e-4) * distance.max(1.0).max(diagonal);
        let is_near = (number(&got[1]) - distance).abs() <= allowed;
        let is_same = list(got).len() == 7 && (2..7).all(|index| got[index] == expected[index]);
        is_near && (is_same || expected[7].as_u64().unwrap() & TIE != 0)
    }
}

type Pairs<'a> =
    std::iter::Enumerate<std::iter::Zip<std::slice::Iter<'a, Value>, std::slice::Iter<'a, Value>>>;
