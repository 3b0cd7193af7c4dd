//! After a warm-up, frames do not allocate.
//!
//! Allocations are counted per thread, so that the tests can run in parallel.

use std::collections::VecDeque;

use crate::common::character::{Character, CharacterOptions};
use crate::common::{cube, material};
use pleach::glam::{Mat4, Quat, Vec2, Vec3};
use pleach::{
    Camera, ClipSpace, Constraint, Filter, Hit, Instances, Level, Light, Lod, Mesh, Node, NodeId,
    Ray, RenderList, Scene, Shadow, Transform, Visible,
};
use testkit::Rng;
use testkit::allocations::{self, Tally};

/// The number of frames after which all motion repeats.
const ROUND: usize = 24;

/// Runs frames: some rounds to warm up, then two that must not allocate.
///
/// The graph keeps a log of changes with a thousand entries plus several per node; in small
/// scenes it takes many frames to reach its final size.
#[track_caller]
fn assert_steady(warm_up: usize, mut frame: impl FnMut(usize)) {
    for number in 0..warm_up * ROUND {
        frame(number);
    }
    for number in 0..2 * ROUND {
        let (count, ()) = allocations::count(|| frame(number));
        assert_eq!(count, 0, "frame {number} after the warm-up allocates");
    }
}

/// Returns an angle that repeats after a round.
fn angle(frame: usize) -> f32 {
    (frame % ROUND) as f32 / ROUND as f32 * std::f32::consts::TAU
}

/// A scene with all kinds of moving objects, and a camera.
struct Game {
    scene: Scene,
    movers: Vec<(NodeId, Vec3)>,
    characters: Vec<Character>,
    followers: Vec<NodeId>,
    camera: NodeId,
    sun: NodeId,
    forest: NodeId,
}

impl Game {
    fn new() -> Self {
        let mut random = Rng::new(1);
        let mut scene = Scene::new();
        let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
        let mut movers = Vec::new();
        for number in 0..300 {
            let at = random.vec3(20.0);
            let node = scene.spawn(Node::mesh(&cube, &material).at(at)).unwrap();
            if number % 3 == 0 {
                movers.push((node, at));
            }
            let mesh = scene.mesh_mut(node).unwrap();
            mesh.is_static = number % 3 == 1;
            mesh.transparent = Some(number % 5 == 0);
        }
        let options = CharacterOptions { targets: 2, ..CharacterOptions::default() };
        let characters: Vec<Character> =
            (0..5).map(|_| Character::spawn(&mut scene, &mut random, options)).collect();
        for character in &characters {
            let hand = character.joints[3];
            scene.spawn(Node::mesh(&cube, &material).under(hand)).unwrap();
        }
        let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
        let mut followers = Vec::new();
        for (number, &(target, _)) in movers.iter().enumerate().take(20) {
            let node = scene.spawn(Node::mesh(&cube, &material).at(random.vec3(15.0))).unwrap();
            let constraint = match number % 3 {
                0 => Constraint::LookAt { target, up: Vec3::Z },
                1 => Constraint::Billboard { camera },
                _ => Constraint::Upright { camera, axis: Vec3::Z },
            };
            scene.constraints.insert(&scene.graph, node, constraint).unwrap();
            followers.push(node);
        }
        let shadow = Shadow { bounds: 10.0, ..Shadow::default() };
        let sun = Light::directional(Vec3::ONE, 1.0).with_shadow(shadow);
        let sun = scene.spawn(Node::light(sun)).unwrap();
        for number in 0..4 {
            let group = scene.spawn(Node::group().at(random.vec3(20.0))).unwrap();
            let levels =
                scene.spawn_all(group, [(); 3].map(|()| Node::mesh(&cube, &material))).unwrap();
            let levels = levels.iter().zip([0.2, 0.1 + 0.01 * number as f32, 0.0]);
            let levels =
                levels.map(|(&node, min_screen_size)| Level { node, min_screen_size }).collect();
            scene.lods.insert(&scene.graph, group, Lod { levels }).unwrap();
        }
        let mut mesh = Mesh::new(cube.clone(), material);
        let instances = (0..200).map(|_| Mat4::from_translation(random.vec3(20.0))).collect();
        mesh.instances = Some(Box::new(Instances::new(cube.get().bounds(), instances).unwrap()));
        let forest = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
        Self { scene, movers, characters, followers, camera, sun, forest }
    }

    /// Applies the edits of a frame.
    fn play(&mut self, frame: usize) {
        let graph = &mut self.scene.graph;
        for (number, &(node, home)) in self.movers.iter().enumerate() {
            let (sin, cos) = (angle(frame) + number as f32).sin_cos();
            let at = home + Vec3::new(cos, sin, 0.0);
            graph.node_mut(node).unwrap().set_translation(at).unwrap();
        }
        for character in &self.characters {
            for (number, &joint) in character.joints.iter().enumerate() {
                let rotation = Quat::from_rotation_x(angle(frame).sin() * number as f32);
                graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
            }
        }
        let (sin, cos) = angle(frame).sin_cos();
        let transform = Transform::from_xyz(30.0 * cos, 30.0 * sin, 10.0);
        let transform = transform.looking_at(Vec3::ZERO, Vec3::Z);
        graph.node_mut(self.camera).unwrap().set_transform(transform).unwrap();
        graph.node_mut(self.forest).unwrap().set_rotation(Quat::from_rotation_z(sin)).unwrap();
        let hidden = frame.is_multiple_of(2);
        graph.node_mut(self.followers[5]).unwrap().set_visible(!hidden);
        for character in &self.characters {
            let weights = self.scene.weights.get_mut(&self.scene.graph, character.node).unwrap();
            weights[0] = sin;
        }
    }
}

/// The buffers that a renderer reuses between frames.
#[derive(Default)]
struct Buffers {
    visible: Visible,
    casters: Visible,
    list: RenderList,
    hits: Vec<Hit>,
}

fn view_and_pick(game: &mut Game, buffers: &mut Buffers) {
    let scene = &mut game.scene;
    scene.update().unwrap();
    let view = scene.view(game.camera, (1920, 1080)).unwrap();
    scene.cull(&view, &mut buffers.visible);
    buffers.list.build(scene, &buffers.visible, &view);
    assert!(buffers.list.batches().count() > 0 && !buffers.list.transparent().is_empty());
    assert!(scene.joint_matrices().changed().count() > 0);
    let sun = scene.light(game.sun).unwrap();
    let world = scene.graph.node(game.sun).unwrap().world();
    let shadow = sun.shadow_view(&world, ClipSpace::ZeroToOne).unwrap().unwrap();
    scene.shadow_casters(&shadow, &mut buffers.casters);
    for x in 0..10 {
        let pixel = Vec2::new(192.0 * x as f32, 540.0);
        let ray = view.ray_through_pixel(pixel).unwrap();
        _ = scene.pick(&ray, &Filter::default());
        scene.pick_all(&ray, &Filter::default(), &mut buffers.hits);
    }
    // The change lists are cleared by the owner of the graph.
    scene.graph.clear_changes();
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn steady_frame_does_not_allocate() {
    let mut game = Game::new();
    let mut buffers = Buffers::default();
    assert_steady(4, |frame| {
        game.play(frame);
        view_and_pick(&mut game, &mut buffers);
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn static_frame_does_not_allocate() {
    let mut game = Game::new();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    assert_steady(3, |_| {
        game.scene.update().unwrap();
        let view = game.scene.view(game.camera, 1.5).unwrap();
        game.scene.cull(&view, &mut visible);
        list.build(&game.scene, &visible, &view);
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn changing_lights_and_cameras_does_not_allocate() {
    let mut scene = Scene::new();
    let lamps: Vec<NodeId> =
        (0..4).map(|_| scene.spawn(Node::light(Light::point(Vec3::ONE, 1.0))).unwrap()).collect();
    let cameras: Vec<NodeId> =
        (0..3).map(|_| scene.spawn(Node::camera(Camera::default())).unwrap()).collect();
    assert_steady(3, |frame| {
        for &lamp in &lamps {
            scene.light_mut(lamp).unwrap().intensity = angle(frame);
        }
        for &camera in &cameras {
            scene.camera_mut(camera).unwrap().aspect = Some(1.0 + angle(frame));
        }
        scene.update().unwrap();
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn summing_ambient_light_does_not_allocate() {
    let mut scene = Scene::new();
    for _ in 0..5 {
        scene.spawn(Node::light(Light::ambient(Vec3::ONE, 0.1))).unwrap();
    }
    scene.update().unwrap();
    assert_steady(3, |_| _ = scene.ambient());
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn posing_and_picking_a_character_does_not_allocate() {
    let mut random = Rng::new(2);
    let mut scene = Scene::new();
    let options = CharacterOptions { parts: 3, targets: 2, ..CharacterOptions::default() };
    let character = Character::spawn(&mut scene, &mut random, options);
    let ray = Ray::new(Vec3::new(0.1, 20.0, 0.2), Vec3::NEG_Y).unwrap();
    let mut hits = Vec::with_capacity(100);
    assert_steady(40, |frame| {
        for &joint in &character.joints {
            let rotation = Quat::from_rotation_z(angle(frame));
            scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
        }
        scene.update().unwrap();
        _ = scene.pick(&ray, &Filter::default());
        scene.pick_all(&ray, &Filter::default(), &mut hits);
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn moving_instances_one_by_one_does_not_allocate() {
    let mut game = Game::new();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    assert_steady(40, |frame| {
        let (sin, cos) = angle(frame).sin_cos();
        let mesh = game.scene.mesh_mut(game.forest).unwrap();
        let instances = mesh.instances.as_mut().unwrap();
        for instance in 0..10 {
            let at = Vec3::new(sin * instance as f32, cos * instance as f32, 0.0);
            instances.set(instance, Mat4::from_translation(at)).unwrap();
        }
        game.scene.update().unwrap();
        let view = game.scene.view(game.camera, 1.5).unwrap();
        game.scene.cull(&view, &mut visible);
        list.build(&game.scene, &visible, &view);
    });
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn removing_and_spawning_does_not_grow_memory() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let mut random = Rng::new(3);
    let options = CharacterOptions { joints: 3, triangles: 1, ..CharacterOptions::default() };
    let character = Character::spawn(&mut scene, &mut random, options);
    let mut bullets = VecDeque::with_capacity(32);
    let mut round = |scene: &mut Scene| {
        let node = Node::mesh(&cube, &material).at(Vec3::X * 3.0);
        bullets.push_back(scene.spawn(node).unwrap());
        let other = scene.clone_subtree(character.root, None).unwrap().root();
        scene
            .constraints
            .insert(
                &scene.graph,
                other,
                Constraint::LookAt { target: *bullets.front().unwrap(), up: Vec3::Z },
            )
            .unwrap();
        bullets.push_back(other);
        while bullets.len() > 20 {
            let bullet: NodeId = bullets.pop_front().unwrap();
            scene.remove(bullet).unwrap();
        }
        scene.update().unwrap();
        // The list of removed nodes is cleared if it is not read.
        scene.graph.clear_changes();
    };
    for _ in 0..600 {
        round(&mut scene);
    }
    let before = Tally::now().live;
    for _ in 0..1000 {
        round(&mut scene);
    }
    assert_eq!(Tally::now().live, before, "bytes in use");
    assert_eq!((scene.meshes.len(), scene.skins.len()), (21, 11));
}
