//! Lists follow every kind of edit, of meshes, assets and nodes, with an update in between or
//! without: they equal naive ones, draw by draw, and so do the static versions.

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Aabb, AlphaMode, Camera, Draw, Geometry, Handle, Instances, Material, Mesh, Node, NodeId, Part,
    RenderList, Scene, SceneProblemKind, Skin, Table, Transform, Visible, shapes,
};
use testkit::allocations;
use testkit::{Effort, Rng};

use super::naive::{NaiveDraw, NaiveList};

/// The edits of the random test, all of a mesh, an asset or a node.
pub(super) const EDITS: usize = 22;

pub(super) struct World {
    pub(super) scene: Scene,
    pub(super) nodes: Vec<NodeId>,
    pub(super) geometries: Vec<Handle<Geometry>>,
    pub(super) materials: Vec<Handle<Material>>,
    pub(super) camera: NodeId,
    joint: NodeId,
}

impl World {
    pub(super) fn new(random: &mut Rng, meshes: usize) -> Self {
        let mut scene = Scene::new();
        let cube = |size| shapes::Cuboid::new(Vec3::splat(size)).build().unwrap();
        let mut geometries: Vec<_> = [0.5, 1.0].map(|size| scene.assets.add(cube(size))).to_vec();
        let faces = (0..12).map(|face| face / 5).collect();
        geometries.push(scene.assets.add(cube(0.8).with_face_materials(faces)));
        let materials = (0..5).map(|_| scene.assets.add(Material::default())).collect();
        let camera = Camera::orthographic(14.0);
        let above = Transform::from_xyz(0.0, 0.0, 30.0);
        let camera = scene.spawn(Node::camera(camera).with_transform(above)).unwrap();
        let joint = scene.spawn(Node::group()).unwrap();
        let mut world = Self { scene, nodes: Vec::new(), geometries, materials, camera, joint };
        (0..meshes).for_each(|_| world.spawn(random));
        world
    }

    fn part(&self, random: &mut Rng) -> Part {
        Part {
            geometry: self.geometries[random.below(self.geometries.len())].clone(),
            material: self.materials[random.below(self.materials.len())].clone(),
        }
    }

    fn mesh(&self, random: &mut Rng) -> Mesh {
        let count = random.pick(&[1, 1, 1, 1, 2, 3, 0]);
        let mut mesh = Mesh::from_parts((0..count).map(|_| self.part(random)).collect());
        mesh.is_static = random.one_in(4);
        mesh
    }

    fn spawn(&mut self, random: &mut Rng) {
        // Few distinct depths, so that the other keys decide.
        let at = random.vec3(10.0).with_z(random.below(3) as f32);
        let node = Node::group().with_mesh(self.mesh(random)).at(at);
        self.nodes.push(self.scene.spawn(node).unwrap());
    }

    /// Applies an edit of a kind; some kinds need a node with a mesh and do nothing without.
    pub(super) fn edit(&mut self, random: &mut Rng, kind: usize) {
        let node = random.pick(&self.nodes);
        let (part, replacement) = (self.part(random), self.mesh(random));
        let geometry = self.geometries[random.below(self.geometries.len())].clone();
        let material = self.materials[random.below(self.materials.len())].clone();
        let (materials, joint) = (self.materials.clone(), self.joint);
        let scene = &mut self.scene;
        match kind {
            0 => _ = scene.insert(node, replacement).unwrap(),
            1 => _ = scene.remove_component::<Mesh>(node),
            2 => material
                .edit(|it| it.alpha_mode = random.pick(&[AlphaMode::Opaque, AlphaMode::Blend])),
            3 => material.edit(|it| it.roughness = 0.5),
            4 => geometry.edit(|it| it.positions.iter_mut().for_each(|it| *it *= 1.01)),
            5 => geometry.edit(|it| {
                let faces = it.triangle_count();
                it.face_materials.clear();
                if random.one_in(2) {
                    it.face_materials.extend((0..faces).map(|_| random.below(4) as u32));
                }
            }),
            6 => {
                let slots = [node.index()];
                scene.remove(node).unwrap();
                self.nodes.retain(|&it| it != node);
                self.spawn(random);
                assert!(slots.contains(&self.nodes.last().unwrap().index()), "a reused slot");
            }
            7 => _ = scene.remove_component::<Skin>(node),
            8 => {
                let skin = Skin::new(vec![joint], vec![random.pick(&MATRICES)]).unwrap();
                _ = scene.insert(node, skin).unwrap();
            }
            9 => _ = scene.node_mut(joint).unwrap().set_translation(random.vec3(2.0)).unwrap(),
            10 => {
                let scale = Vec3::new(random.pick(&[-1.0, 1.0]), 1.0, 1.0);
                _ = scene.node_mut(node).unwrap().set_scale(scale).unwrap();
            }
            11 => _ = scene.node_mut(node).unwrap().set_translation(random.vec3(10.0)).unwrap(),
            12 => _ = scene.node_mut(node).unwrap().set_visible(random.one_in(2)),
            13 => {
                let bounds = Aabb::new(Vec3::ZERO, Vec3::splat(2.0));
                let bounds = random.pick(&[None, Some(bounds)]);
                scene.set_bounds(node, bounds).unwrap();
            }
            14 => scene.meshes = replaced(scene, random),
            _ => {
                let Some(mesh) = scene.mesh_mut(node) else { return };
                match kind {
                    15 => mesh.parts.push(part),
                    16 => _ = mesh.parts.pop(),
                    17 => mesh.transparent = random.pick(&[None, Some(true), Some(false)]),
                    18 => mesh.is_static ^= true,
                    19 => mesh.receive_shadow ^= true,
                    20 => {
                        let len = random.below(4);
                        mesh.materials =
                            (0..len).map(|_| materials[random.below(5)].clone()).collect();
                    }
                    _ => {
                        let cube = Aabb::new(Vec3::splat(-0.5), Vec3::splat(0.5));
                        let matrices = (0..4).map(|_| random.invertible(8.0)).collect();
                        let instances = Box::new(Instances::new(cube, matrices).unwrap());
                        mesh.instances = Some(instances).filter(|_| random.one_in(2));
                    }
                }
            }
        }
    }
}

const MATRICES: [Mat4; 2] = [
    Mat4::IDENTITY,
    Mat4::from_cols_array(&[
        -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ]),
];

/// Returns another table, without some of the meshes and with the edits of none.
fn replaced(scene: &Scene, random: &mut Rng) -> Table<Mesh> {
    let mut table = Table::new();
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        if !random.one_in(10) {
            table.insert(&scene.graph, node, mesh.clone()).unwrap();
        }
    }
    table
}

#[track_caller]
fn assert_no_internal_problems(scene: &Scene) {
    let is_internal = |kind: &SceneProblemKind| {
        matches!(kind, SceneProblemKind::Attachment | SceneProblemKind::Draws)
    };
    let problems = scene.check();
    assert!(!problems.iter().any(|problem| is_internal(&problem.kind)), "{problems:?}");
}

#[test]
fn lists_follow_every_kind_of_edit() {
    let mut random = Rng::from_env(41);
    println!("seed {}", random.state());
    for _ in 0..Effort::pick(3, 60) {
        let meshes = random.pick(&[10, 60]);
        let mut world = World::new(&mut random, meshes);
        let mut list = RenderList::new();
        let (mut visible, mut statics, mut version) = (Visible::new(), Vec::new(), 0);
        world.scene.update().unwrap();
        for step in 0..300 {
            let kind = random.below(EDITS);
            world.edit(&mut random, kind);
            let scene = &mut world.scene;
            if !random.one_in(3) {
                scene.update().unwrap();
            }
            let view = scene.view(world.camera, 1.0).unwrap();
            scene.cull(&view, &mut visible);
            list.build(scene, &visible, &view);

            let naive = NaiveList::build(scene, visible.nodes(), &view);
            assert_eq!(draws(list.opaque()), naive.opaque, "step {step}, edit {kind}");
            assert_eq!(draws(list.transparent()), naive.transparent, "step {step}, edit {kind}");
            assert_eq!(list.instances(), naive.instances, "step {step}, edit {kind}");
            let changed = statics != naive.statics;
            assert_eq!(list.static_version() != version, changed, "step {step}, edit {kind}");
            (statics, version) = (naive.statics, list.static_version());
            assert_no_internal_problems(scene);
        }
    }
}

fn draws(draws: &[Draw]) -> Vec<NaiveDraw> {
    draws.iter().map(NaiveDraw::from).collect()
}

#[test]
fn long_lists_equal_naively_sorted_ones() {
    let mut random = Rng::from_env(42);
    println!("seed {}", random.state());
    for meshes in [300, 1500] {
        let mut world = World::new(&mut random, meshes);
        for _ in 0..meshes / 4 {
            let kind = random.pick(&[8, 10, 15, 17, 20, 21]);
            world.edit(&mut random, kind);
        }
        let scene = &mut world.scene;
        scene.update().unwrap();
        let view = scene.view(world.camera, 1.0).unwrap();
        let (mut visible, mut list) = (Visible::new(), RenderList::new());
        scene.cull(&view, &mut visible);
        list.build(scene, &visible, &view);
        let naive = NaiveList::build(scene, visible.nodes(), &view);
        let (assets, count) = (naive.assets().len(), naive.opaque.len());
        assert!(assets > 10 && count > meshes / 8, "{assets} batches, {count} draws");
        assert_eq!(draws(list.opaque()), naive.opaque);
        assert_eq!(draws(list.transparent()), naive.transparent);
    }
}

#[test]
fn removed_nodes_of_an_old_cull_are_not_listed() {
    let mut random = Rng::new(43);
    let mut world = World::new(&mut random, 20);
    let scene = &mut world.scene;
    scene.update().unwrap();
    let view = scene.view(world.camera, 1.0).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    let mut list = RenderList::new();
    for update in [false, true] {
        let removed = visible.nodes()[usize::from(update)];
        scene.remove(removed).unwrap();
        if update {
            scene.update().unwrap();
        }
        list.build(scene, &visible, &view);
        let is_listed = |draws: &[Draw]| draws.iter().any(|draw| draw.node == removed);
        assert!(!is_listed(list.opaque()) && !is_listed(list.transparent()), "update: {update}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri replaces the counting allocator")]
fn lists_of_edited_meshes_do_not_allocate() {
    let mut random = Rng::new(44);
    let mut world = World::new(&mut random, 600);
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let nodes = world.nodes.clone();
    let mut frame = |number: usize| {
        // Some meshes change before the update, and in some frames one after it.
        let scene = &mut world.scene;
        for &node in &nodes[..20] {
            scene.mesh_mut(node).unwrap().receive_shadow ^= true;
        }
        scene.update().unwrap();
        if number.is_multiple_of(2) {
            scene.mesh_mut(nodes[30]).unwrap().is_static ^= true;
        }
        let view = scene.view(world.camera, 1.0).unwrap();
        scene.cull(&view, &mut visible);
        list.build(scene, &visible, &view);
        scene.clear_changes();
    };
    (0..40).for_each(&mut frame);
    for number in 0..8 {
        let (count, ()) = allocations::count(|| frame(number));
        assert_eq!(count, 0, "frame {number}");
    }
}
