//! A session is reproducible bit for bit, on one thread or on several.
//!
//! A session is a list of edits generated from a seed; all results of a scene are hashed after
//! each frame.

use crate::common::RandomValues;
use crate::common::character::{Character, CharacterOptions};
use crate::common::{cube, material};
use pleach::glam::{Mat4, Vec3};
use pleach::{
    Camera, Constraint, Filter, Instances, Level, Light, Lod, Mesh, Node, NodeId, Ray, RenderList,
    Scene, SceneUpdateStats, Visible,
};
use testkit::{Fnv, Rng};

/// The hash of all results of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digest(Fnv);

impl Digest {
    fn number(&mut self, number: u64) {
        self.0.write(&number.to_le_bytes());
    }

    fn floats<const N: usize>(&mut self, floats: [f32; N]) {
        floats.iter().for_each(|float| self.number(u64::from(float.to_bits())));
    }

    fn node(&mut self, node: NodeId) {
        self.number(node.index() as u64);
    }
}

/// The function that updates a scene.
type Update = fn(&mut Scene) -> SceneUpdateStats;

fn serial(scene: &mut Scene) -> SceneUpdateStats {
    scene.update().unwrap()
}

#[cfg(feature = "parallel")]
fn parallel(scene: &mut Scene) -> SceneUpdateStats {
    scene.update_parallel().unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Edit {
    SpawnCube(usize),
    SpawnRow(usize),
    SpawnCharacter,
    SpawnLevels(usize),
    Clone(usize),
    Remove(usize),
    Attach(usize, usize),
    Move(usize),
    Hide(usize, bool),
    Pose(usize),
    Tie(usize, usize),
    Untie(usize),
    Weights(usize),
}

fn edit(random: &mut Rng) -> Edit {
    let (a, b) = (random.below(1000), random.below(1000));
    match random.below(24) {
        0..=2 => Edit::SpawnCube(a),
        3 => Edit::SpawnRow(a),
        4 => Edit::SpawnCharacter,
        5 => Edit::SpawnLevels(a),
        6 => Edit::Clone(a),
        7 => Edit::Remove(a),
        8 => Edit::Attach(a, b),
        9..=15 => Edit::Move(a),
        16 => Edit::Hide(a, random.one_in(2)),
        17..=19 => Edit::Pose(a),
        20..=21 => Edit::Tie(a, b),
        22 => Edit::Untie(a),
        _ => Edit::Weights(a),
    }
}

struct Session {
    scene: Scene,
    random: Rng,
    nodes: Vec<NodeId>,
    characters: Vec<Character>,
    cameras: Vec<NodeId>,
    mesh: Mesh,
    visible: Visible,
    list: RenderList,
    options: CharacterOptions,
}

impl Session {
    fn new(seed: u64, options: CharacterOptions) -> Self {
        let mut scene = Scene::new();
        let mesh = Mesh::new(cube(&scene.assets, 1.0), material(&scene.assets));
        let cameras: Vec<NodeId> = (0..3)
            .map(|number| {
                let transform = Camera::default_transform();
                let camera = Camera::perspective(0.5 + 0.2 * number as f32).with_aspect(1.5);
                scene.spawn(Node::camera(camera).with_transform(transform)).unwrap()
            })
            .collect();
        scene.spawn(Node::light(Light::ambient(Vec3::ONE, 0.1))).unwrap();
        let nodes = vec![scene.root()];
        Self {
            scene,
            random: Rng::new(seed),
            nodes,
            characters: Vec::new(),
            cameras,
            mesh,
            visible: Visible::new(),
            list: RenderList::new(),
            options,
        }
    }

    fn node(&self, number: usize) -> NodeId {
        self.nodes[number % self.nodes.len()]
    }

    fn apply(&mut self, edit: Edit) {
        let random = &mut self.random;
        match edit {
            Edit::SpawnCube(parent) => {
                let node = Node::group().with_mesh(self.mesh.clone());
                let node = node.with_transform(random.transform(4.0));
                let parent = self.nodes[parent % self.nodes.len()];
                self.nodes.push(self.scene.spawn(node.under(parent)).unwrap());
            }
            Edit::SpawnRow(parent) => {
                let instances: Vec<Mat4> = (0..10).map(|_| random.invertible(5.0)).collect();
                let mut mesh = self.mesh.clone();
                let bounds = mesh.parts[0].geometry.get().bounds();
                mesh.instances = Some(Box::new(Instances::new(bounds, instances).unwrap()));
                let parent = self.nodes[parent % self.nodes.len()];
                let node = Node::group().with_mesh(mesh).under(parent);
                self.nodes.push(self.scene.spawn(node).unwrap());
            }
            Edit::SpawnCharacter => {
                let character = Character::spawn(&mut self.scene, random, self.options);
                self.nodes.extend([character.root, character.joints[0]]);
                self.characters.push(character);
            }
            Edit::SpawnLevels(parent) => {
                let parent = self.nodes[parent % self.nodes.len()];
                let group = self.scene.spawn(Node::group().under(parent)).unwrap();
                let level = || Node::group().with_mesh(self.mesh.clone());
                let levels = self.scene.spawn_all(group, [level(), level()]).unwrap();
                let levels = levels.iter().zip([0.1, 0.0]);
                let levels = levels
                    .map(|(&node, min_screen_size)| Level { node, min_screen_size })
                    .collect();
                self.scene.lods.insert(&self.scene.graph, group, Lod { levels }).unwrap();
                self.nodes.push(group);
            }
            Edit::Clone(number) if self.scene.graph.len() < 3000 => {
                let group = self.node(number);
                if group != self.scene.root() {
                    let instances = self.scene.clone_subtree(group, None).unwrap();
                    self.nodes.push(instances.root());
                }
            }
            Edit::Remove(number) => {
                let node = self.node(number);
                if node != self.scene.root() {
                    self.scene.remove(node).unwrap();
                    let graph = &self.scene.graph;
                    self.nodes.retain(|&node| graph.contains(node));
                    self.characters.retain(|character| {
                        graph.contains(character.node)
                            && character.joints.iter().all(|&joint| graph.contains(joint))
                    });
                }
            }
            Edit::Attach(child, parent) => {
                let (child, parent) = (self.node(child), self.node(parent));
                if child != self.scene.root() {
                    _ = self.scene.graph.attach(child, parent);
                }
            }
            Edit::Move(number) => {
                let transform = self.random.transform(4.0);
                let node = self.node(number);
                if node != self.scene.root() {
                    self.scene.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
                }
            }
            Edit::Hide(number, visible) => {
                let node = self.node(number);
                self.scene.graph.node_mut(node).unwrap().set_visible(visible);
            }
            Edit::Pose(number) if !self.characters.is_empty() => {
                let character = &self.characters[number % self.characters.len()];
                character.pose(&mut self.scene, random);
            }
            Edit::Tie(number, target) => {
                let (node, target) = (self.node(number), self.node(target));
                let constraint = match number % 3 {
                    0 => Constraint::LookAt { target, up: Vec3::Z },
                    1 => Constraint::Billboard { camera: self.cameras[0] },
                    _ => Constraint::Upright { camera: target, axis: Vec3::Z },
                };
                if node != self.scene.root() {
                    _ = self.scene.constraints.insert(&self.scene.graph, node, constraint);
                }
            }
            Edit::Untie(number) => _ = self.scene.constraints.remove(self.node(number)),
            Edit::Weights(number) if !self.characters.is_empty() => {
                let character = &self.characters[number % self.characters.len()];
                let weights = (0..character.targets).map(|_| random.between(0.0, 1.0)).collect();
                self.scene.set_weights(character.node, weights).unwrap();
            }
            Edit::Clone(_) | Edit::Pose(_) | Edit::Weights(_) => {}
        }
    }

    /// Hashes all results of a frame.
    fn digest(&mut self, update: SceneUpdateStats) -> Digest {
        let mut digest = Digest(Fnv::new());
        for count in [update.changed, update.skins, update.bounds, update.removed] {
            digest.number(count as u64);
        }
        digest.number(self.scene.skipped_constraints() as u64);
        for node in self.scene.graph.by_depth() {
            digest.node(node);
            let world = self.scene.graph.node(node).unwrap().world();
            digest.floats(world.to_cols_array());
            if let Some(bounds) = self.scene.spatial.world_bounds(node) {
                digest.floats(bounds.min.to_array());
                digest.floats(bounds.max.to_array());
            }
        }
        for matrix in self.scene.joint_matrices().matrices() {
            digest.floats(matrix.to_cols_array());
        }
        for (node, range) in self.scene.joint_matrices().changed() {
            digest.node(node);
            digest.number(range.start as u64);
        }
        for &camera in &self.cameras {
            let view = self.scene.view(camera, 1.5).unwrap();
            digest.floats(view.view_projection.to_cols_array());
            self.scene.cull(&view, &mut self.visible);
            self.list.build(&self.scene, &self.visible, &view);
            for draw in self.list.opaque().iter().chain(self.list.transparent()) {
                digest.node(draw.node);
                digest.number(u64::from(draw.part));
                digest.floats([draw.depth]);
            }
            self.list.instances().iter().for_each(|&copy| digest.number(u64::from(copy)));
            digest.number(self.list.static_version());
        }
        for _ in 0..4 {
            let ray = Ray::between(self.random.vec3(15.0), self.random.vec3(3.0)).unwrap();
            let hit = self.scene.pick(&ray, &Filter::default());
            if let Some(hit) = hit {
                digest.node(hit.node);
                digest.number(u64::from(hit.triangle));
                digest.floats([hit.distance]);
                digest.floats(hit.normal.to_array());
                digest.floats(hit.barycentrics.to_array());
            }
        }
        let ambient = self.scene.ambient();
        digest.floats((ambient.color * ambient.intensity).to_array());
        digest
    }
}

/// Runs a session and returns the digests of all frames.
fn run(seed: u64, frames: usize, options: CharacterOptions, update: Update) -> Vec<Digest> {
    let mut session = Session::new(seed, options);
    let mut edits = Rng::new(!seed);
    (0..frames)
        .map(|_| {
            for _ in 0..edits.below(20) {
                session.apply(edit(&mut edits));
            }
            let done = update(&mut session.scene);
            assert!(session.scene.graph.check().is_empty());
            session.digest(done)
        })
        .collect()
}

fn small() -> CharacterOptions {
    CharacterOptions {
        joints: 6,
        triangles: 8,
        targets: 2,
        parts: 2,
        ..CharacterOptions::default()
    }
}

#[test]
fn session_is_reproducible_bit_for_bit() {
    for seed in 0..6 {
        let first = run(seed, 40, small(), serial);
        assert_eq!(first, run(seed, 40, small(), serial), "seed {seed}");
        assert_ne!(first, run(seed + 100, 40, small(), serial), "another seed, another session");
    }
}

#[test]
fn split_update_yields_the_same_worlds() {
    // An additional update of the graph changes only the counts.
    fn split(scene: &mut Scene) -> SceneUpdateStats {
        scene.graph.update();
        scene.update().unwrap();
        scene.update().unwrap()
    }
    fn twice(scene: &mut Scene) -> SceneUpdateStats {
        scene.update().unwrap();
        scene.update().unwrap()
    }
    for seed in 0..4 {
        assert_eq!(run(seed, 30, small(), split), run(seed, 30, small(), twice), "seed {seed}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn parallel_session_equals_the_serial_session_bit_for_bit() {
    for seed in 0..6 {
        assert_eq!(run(seed, 40, small(), serial), run(seed, 40, small(), parallel), "seed {seed}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn crowd_is_the_same_for_any_number_of_threads() {
    // 60 characters of 64 joints: more matrices than are computed on one thread.
    let crowd = |update: Update| {
        let mut session = Session::new(
            5,
            CharacterOptions {
                joints: 64,
                triangles: 8,
                targets: 1,
                ..CharacterOptions::default()
            },
        );
        for _ in 0..60 {
            session.apply(Edit::SpawnCharacter);
        }
        let mut digests = Vec::new();
        for frame in 0..4 {
            for character in 0..60 {
                if frame % 2 == 0 || character % 3 == 0 {
                    session.apply(Edit::Pose(character));
                }
            }
            let done = update(&mut session.scene);
            digests.push(session.digest(done));
        }
        digests
    };
    let expected = crowd(serial);
    assert_eq!(crowd(parallel), expected);
    for threads in [1, 2, 3, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| crowd(parallel)), expected, "{threads} threads");
    }
}
