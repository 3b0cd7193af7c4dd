//! Scenes with every kind of component: update, cull, list, pick.

use glam::{Mat4, Vec3, Vec4};
use pleach::shapes::Cuboid;
use pleach::{
    AlphaMode, Camera, Constraint, Filter, Instances, Level, Light, Lod, Material, Mesh, Node,
    NodeId, Ray, RenderList, Scene, Visible,
};
use testkit::Rng;

use crate::Kernels;
use crate::digest::Digest;
use crate::random::RandomTransform;
use crate::skin::Character;

struct Recording {
    scene: Scene,
    random: Rng,
    nodes: Vec<NodeId>,
    characters: Vec<Character>,
    cameras: Vec<NodeId>,
    meshes: [Mesh; 2],
}

pub(crate) fn record(seed: u64, kernels: Kernels) -> u64 {
    let mut this = Recording::new(seed);
    kernels.set_scene(&mut this.scene);
    let mut digest = Digest::new();
    for frame in 0..8 {
        let edits = if frame == 0 { 40 } else { this.random.below(15) };
        (0..edits).for_each(|_| this.edit());
        kernels.update_scene(&mut this.scene);
        this.hash(&mut digest);
    }
    digest.finish()
}

impl Recording {
    fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
        let glass = Material { alpha_mode: AlphaMode::Blend, ..Material::from_color(Vec4::ONE) };
        let meshes = [Material::default(), glass]
            .map(|material| Mesh::new(cube.clone(), scene.assets.add(material)));
        let cameras = [Camera::default(), Camera::orthographic(12.0)].map(|camera| {
            let camera = Node::camera(camera).with_transform(random.view(12.0));
            scene.spawn(camera).unwrap()
        });
        scene.spawn(Node::light(Light::ambient(Vec3::ONE, 0.1))).unwrap();
        let nodes = vec![scene.root()];
        Self { scene, random, nodes, characters: Vec::new(), cameras: cameras.into(), meshes }
    }

    /// Applies a random edit. Only nodes other than the root are moved or removed.
    fn edit(&mut self) {
        let Self { scene, random, nodes, characters, cameras, meshes } = self;
        let (node, other) = (random.pick(nodes), random.pick(nodes));
        let mesh = meshes[random.below(2)].clone();
        let is_root = node == scene.root();
        match random.below(16) {
            0..=2 => {
                let transform = random.transform(4.0);
                let cube = Node::group().with_mesh(mesh).with_transform(transform).under(node);
                nodes.push(scene.spawn(cube).unwrap());
            }
            3 => {
                let matrices: Vec<Mat4> = (0..10).map(|_| random.invertible(5.0)).collect();
                let bounds = Cuboid::new(Vec3::ONE).build().unwrap().bounds();
                let instances = Instances::new(bounds, matrices).unwrap();
                let mesh = Mesh { instances: Some(Box::new(instances)), ..mesh };
                nodes.push(scene.spawn(Node::group().with_mesh(mesh).under(node)).unwrap());
            }
            4 => {
                let character = Character::spawn(scene, random);
                nodes.extend([character.root, character.joints[0]]);
                characters.push(character);
            }
            5 => {
                let group = scene.spawn(Node::group().under(node)).unwrap();
                let level = || Node::group().with_mesh(mesh.clone());
                let levels = scene.spawn_all(group, [level(), level()]).unwrap();
                let level = |(&node, min_screen_size)| Level { node, min_screen_size };
                let levels = levels.iter().zip([0.1, 0.0]).map(level).collect();
                scene.lods.insert(&scene.graph, group, Lod { levels }).unwrap();
                nodes.push(group);
            }
            6 if !is_root && scene.graph.len() < 600 => {
                nodes.push(scene.clone_subtree(node, None).unwrap().root());
            }
            7 if !is_root => {
                scene.remove(node).unwrap();
                let is_live = |node: &NodeId| scene.graph.contains(*node);
                nodes.retain(is_live);
                characters.retain(|it| is_live(&it.node) && it.joints.iter().all(is_live));
            }
            8 if !is_root => _ = scene.graph.attach(node, other),
            9 | 10 if !is_root => {
                let transform = random.transform(4.0);
                scene.graph.node_mut(node).unwrap().set_transform(transform).unwrap();
            }
            11 => {
                let visible = !random.one_in(3);
                scene.graph.node_mut(node).unwrap().set_visible(visible);
            }
            12 | 13 => {
                if let Some(character) = random.choose(characters) {
                    character.pose(scene, random);
                }
            }
            14 if !is_root => {
                let constraint = match random.below(3) {
                    0 => Constraint::LookAt { target: other, up: Vec3::Z },
                    1 => Constraint::Billboard { camera: cameras[0] },
                    _ => Constraint::Upright { camera: cameras[1], axis: Vec3::Z },
                };
                _ = scene.constraints.insert(&scene.graph, node, constraint);
            }
            _ => {}
        }
    }

    fn hash(&mut self, digest: &mut Digest) {
        let Self { scene, random, cameras, .. } = self;
        for node in scene.graph.by_depth() {
            digest.node(node);
            digest.matrix(&scene.graph.node(node).unwrap().world());
            digest.aabb(scene.spatial.world_bounds(node));
        }
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        for &camera in &*cameras {
            let view = scene.view(camera, (640, 360)).unwrap();
            scene.cull(&view, &mut visible);
            digest.nodes(visible.nodes().iter().copied());
            list.build(scene, &visible, &view);
            for draw in list.opaque().iter().chain(list.transparent()) {
                digest.node(draw.node);
                digest.number(draw.part as usize);
                digest.floats(&[draw.depth]);
            }
            list.instances().iter().for_each(|&instance| digest.number(instance as usize));
        }
        for _ in 0..6 {
            let ray = Ray::between(random.vec3(15.0), random.vec3(3.0)).unwrap();
            digest.hit(scene.pick(&ray, &Filter::default()).as_ref());
        }
        let ambient = scene.ambient();
        digest.vec3(ambient.color * ambient.intensity);
    }
}
