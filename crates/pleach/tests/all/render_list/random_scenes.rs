//! Random scenes with all kinds of nodes: lists and shadow casters equal a brute-force traversal,
//! and do not depend on earlier lists.

use crate::common::RandomValues;
use pleach::glam::Vec3;
use pleach::{
    Aabb, AlphaMode, Camera, ClipSpace, Geometry, Handle, Instances, Level, Light, Lod, Material,
    Mesh, Node, NodeId, Part, RenderList, Scene, Shadow, Transform, Visible, shapes,
};
use pleach_spatial::CullMethod;
use testkit::Rng;

use super::reference::{assert_list, is_visible_in_scene, level_of, world_aabb};
use super::setup::{build_list, draws};
use crate::common::character::{Character, CharacterOptions};

struct World {
    scene: Scene,
    nodes: Vec<NodeId>,
    characters: Vec<Character>,
    cameras: Vec<NodeId>,
}

fn materials(scene: &Scene) -> Vec<Handle<Material>> {
    let modes =
        [AlphaMode::Opaque, AlphaMode::Blend, AlphaMode::Opaque, AlphaMode::Mask { cutoff: 0.5 }];
    let each = |alpha_mode| scene.assets.add(Material { alpha_mode, ..Material::default() });
    modes.into_iter().map(each).collect()
}

fn geometries(scene: &Scene) -> Vec<Handle<Geometry>> {
    let cube = |size| shapes::Cuboid::new(Vec3::splat(size)).build().unwrap();
    [cube(1.0), cube(0.3), shapes::Sphere::new(0.7).build().unwrap()]
        .map(|geometry| scene.assets.add(geometry))
        .to_vec()
}

impl World {
    fn new(random: &mut Rng) -> Self {
        let mut scene = Scene::new();
        let (materials, geometries) = (materials(&scene), geometries(&scene));
        let mut nodes = vec![scene.root()];
        for _ in 0..120 {
            let parts = (0..1 + random.below(3) / 2).map(|_| Part {
                geometry: geometries[random.below(geometries.len())].clone(),
                material: materials[random.below(materials.len())].clone(),
            });
            let mut mesh = Mesh::from_parts(parts.collect());
            mesh.is_static = random.one_in(3);
            mesh.receive_shadow = random.one_in(2);
            mesh.cast_shadow = random.one_in(2);
            mesh.transparent = random.pick(&[None, None, Some(false), Some(true)]);
            mesh.layers = random.pick(&[1, 1, 1, 2, 3, 0]);
            mesh.frustum_culled = !random.one_in(15);
            if random.one_in(6) {
                let bounds = mesh.parts.iter().map(|part| part.geometry.get().bounds());
                let bounds = bounds.fold(Aabb::EMPTY, |all, one| all.union(&one));
                let instances = (0..random.below(30)).map(|_| random.invertible(8.0)).collect();
                mesh.instances = Some(Box::new(Instances::new(bounds, instances).unwrap()));
            }
            let mut node = Node::group().under(random.pick(&nodes)).with_transform(Transform {
                translation: random.vec3(8.0),
                rotation: random.rotation(),
                scale: if random.one_in(3) { random.scale() } else { Vec3::ONE },
            });
            if !random.one_in(6) {
                node = node.with_mesh(mesh);
            }
            if random.one_in(25) {
                node = node.hidden();
            }
            nodes.push(scene.spawn(node).unwrap());
        }
        let characters =
            (0..4).map(|_| Character::spawn(&mut scene, random, CharacterOptions::default()));
        let characters: Vec<Character> = characters.collect();
        for _ in 0..6 {
            Self::add_lod(&mut scene, random, &geometries, &materials, &nodes);
        }
        let cameras = (0..6).map(|number| {
            let camera = match number % 3 {
                0 => Camera::default(),
                1 => Camera::orthographic(12.0).with_clip_space(ClipSpace::NegOneToOne),
                _ => Camera::perspective(0.7)
                    .with_aspect(1.5)
                    .with_near(0.1)
                    .with_far(f32::INFINITY)
                    .with_clip_space(ClipSpace::ZeroToOneReversed),
            };
            let camera = camera.with_layers(random.pick(&[u32::MAX, 1, 2]));
            scene.spawn(Node::camera(camera)).unwrap()
        });
        let cameras = cameras.collect();
        Self { scene, nodes, characters, cameras }
    }

    fn add_lod(
        scene: &mut Scene,
        random: &mut Rng,
        geometries: &[Handle<Geometry>],
        materials: &[Handle<Material>],
        parents: &[NodeId],
    ) {
        let group = Node::group().under(random.pick(parents)).at(random.vec3(10.0));
        let group = scene.spawn(group).unwrap();
        let mut levels = Vec::new();
        for number in 0..3 {
            let node = Node::mesh(&geometries[number], &materials[0]).under(group);
            let node = scene.spawn(node).unwrap();
            levels.push(Level { node, min_screen_size: [0.3, 0.1, 0.02][number] });
        }
        scene.lods.insert(&scene.graph, group, Lod { levels }).unwrap();
    }

    /// Detaches some nodes from the scene and attaches others anywhere.
    fn rearrange(&mut self, random: &mut Rng) {
        let graph = &mut self.scene.graph;
        for _ in 0..6 {
            let (node, other) = (random.pick(&self.nodes[1..]), random.pick(&self.nodes));
            if random.one_in(3) {
                graph.detach(node).unwrap();
            } else {
                // Rejected if it would be its own ancestor.
                _ = graph.attach(node, other);
            }
        }
        // Nodes that change while they are detached stay outside of the scene.
        for _ in 0..4 {
            let node = random.pick(&self.nodes);
            if let Some(mesh) = self.scene.mesh_mut(node) {
                mesh.layers = random.pick(&[1, 2, 3]);
            }
        }
        // Some are removed, and others reuse their slots.
        if random.one_in(2) {
            let number = 1 + random.below(self.nodes.len() - 1);
            let node = self.nodes[number];
            if self.scene.graph.node(node).unwrap().children().len() == 0 {
                let mesh = self.scene.mesh(node).cloned();
                self.scene.remove(node).unwrap();
                let mut replacement = Node::group().under(self.nodes[0]).at(random.vec3(8.0));
                if let Some(mesh) = mesh {
                    replacement = replacement.with_mesh(mesh);
                }
                self.nodes[number] = self.scene.spawn(replacement).unwrap();
            }
        }
    }

    fn randomize(&mut self, random: &mut Rng) {
        for _ in 0..15 {
            let node = random.pick(&self.nodes[1..]);
            let Ok(mut node) = self.scene.graph.node_mut(node) else { continue };
            node.set_transform(random.transform(8.0)).unwrap();
            let hidden = random.one_in(20);
            node.set_visible(!hidden);
        }
        self.rearrange(random);
        for character in &self.characters {
            if random.one_in(2) {
                character.pose(&mut self.scene, random);
                let at = random.vec3(8.0);
                self.scene.graph.node_mut(character.root).unwrap().set_translation(at).unwrap();
            }
        }
        for &camera in &self.cameras {
            let at = random.vec3(20.0);
            let transform = Transform::from_translation(at).looking_at(random.vec3(6.0), Vec3::Z);
            self.scene.graph.node_mut(camera).unwrap().set_transform(transform).unwrap();
        }
    }
}

#[test]
fn list_equals_a_brute_force_traversal() {
    let mut listed = 0;
    for seed in 0..10 {
        let mut random = Rng::new(seed);
        let mut world = World::new(&mut random);
        let mut lists: Vec<RenderList> = world.cameras.iter().map(|_| RenderList::new()).collect();
        for round in 0..6 {
            let method = if round % 2 == 0 { CullMethod::Scan } else { CullMethod::Tree };
            world.scene.spatial.set_cull_method(method);
            world.randomize(&mut random);
            for (camera, into) in world.cameras.clone().into_iter().zip(&mut lists) {
                let view = build_list(&mut world.scene, camera, into);
                assert_list(&world.scene, &view, into);
                listed += draws(into).count();
            }
        }
    }
    assert!(listed > 2000, "views see a part of the scene: {listed}");
}

#[test]
fn shadow_casters_equal_a_brute_force_traversal() {
    let mut found = 0;
    for seed in 0..10 {
        let mut random = Rng::new(seed);
        let mut world = World::new(&mut random);
        let shadow = Shadow { bounds: 6.0, far: 15.0, ..Shadow::default() };
        let lights = [
            Light::directional(Vec3::ONE, 1.0).with_shadow(shadow),
            Light::spot(Vec3::ONE, 1.0, 0.2, 0.5).with_shadow(shadow),
        ];
        let mut visible = Visible::new();
        for _ in 0..6 {
            world.randomize(&mut random);
            world.scene.update().unwrap();
            for light in &lights {
                let transform = Transform::from_translation(random.vec3(10.0));
                let transform = transform.looking_at(random.vec3(5.0), Vec3::Z).to_matrix();
                let view = light.shadow_view(&transform, ClipSpace::ZeroToOne).unwrap().unwrap();
                world.scene.shadow_casters(&view, &mut visible);
                let casts = |(node, mesh): (NodeId, &Mesh)| {
                    let scene = &world.scene;
                    let casts = mesh.cast_shadow
                        && !world_aabb(scene, node).is_empty()
                        && level_of(scene, node).is_none_or(|(_, number)| number == 0)
                        && mesh.layers != 0
                        && is_visible_in_scene(scene, node)
                        && (!mesh.frustum_culled
                            || view.frustum.intersects(&world_aabb(scene, node)));
                    casts.then_some(node)
                };
                let meshes = world.scene.meshes.iter(&world.scene.graph);
                let mut expected: Vec<NodeId> = meshes.filter_map(casts).collect();
                expected.sort_by_key(|node| node.index());
                assert_eq!(visible.nodes(), expected);
                found += expected.len();
            }
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn equal_scenes_and_views_yield_equal_lists() {
    let mut random = Rng::new(77);
    let mut world = World::new(&mut random);
    world.randomize(&mut random);
    let mut first = RenderList::new();
    build_list(&mut world.scene, world.cameras[0], &mut first);
    let mut second = RenderList::new();
    for &camera in &world.cameras {
        build_list(&mut world.scene, camera, &mut second);
    }
    build_list(&mut world.scene, world.cameras[0], &mut second);
    assert_eq!(first.opaque(), second.opaque());
    assert_eq!(first.transparent(), second.transparent());
    assert_eq!(first.instances(), second.instances());
}
