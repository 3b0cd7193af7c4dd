//! The render list: what is in it, in what order, compared with a walk over all nodes that
//! judges each by itself.

mod common;

use std::collections::BTreeMap;

use common::figure::{Build, Figure, arm};
use common::{Random, cube, paint, spawn_cube};
use pleach::glam::{DMat4, DVec4, Mat4, Quat, Vec3};
use pleach::{
    Aabb, AlphaMode, Camera, ClipSpace, Draw, Filter, Geometry, Handle, Instances, Level, Light,
    Lod, Material, Mesh, Node, NodeId, Part, Ray, RenderList, Scene, Shadow, Transform, View,
    Visible, shapes,
};
use pleach_spatial::CullBy;

/// Updates, looks and lists.
fn list(scene: &mut Scene, camera: NodeId, list: &mut RenderList) -> View {
    let mut visible = Visible::new();
    let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    list.build(scene, &visible, &view);
    view
}

fn all(list: &RenderList) -> impl Iterator<Item = &Draw> {
    list.opaque().iter().chain(list.transparent())
}

fn nodes(list: &RenderList) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = all(list).map(|draw| draw.node).collect();
    nodes.sort_by_key(|node| node.index());
    nodes.dedup();
    nodes
}

// ---- the list as anybody would make it ----

/// Is it under the root, and nothing above it hidden?
fn is_shown(scene: &Scene, node: NodeId) -> bool {
    let at = scene.graph.node(node).unwrap();
    let above = at.parent().map_or(node == scene.root(), |parent| is_shown(scene, parent));
    above && at.is_visible()
}

/// The box of a mesh in the world.
fn world_box(scene: &Scene, node: NodeId) -> Aabb {
    if scene.skin(node).is_some() {
        return scene.spatial.world_bounds(node).unwrap();
    }
    let mesh = scene.mesh(node).unwrap();
    let boxes = mesh.parts.iter().map(|part| part.geometry.bounds());
    let own = match &mesh.instances {
        Some(instances) => instances.bounds(),
        None => boxes.fold(Aabb::EMPTY, |all, part| all.union(&part)),
    };
    own.transformed(&scene.graph.node(node).unwrap().world())
}

/// Which level of which row a node is, if it is one.
fn level_of(scene: &Scene, node: NodeId) -> Option<(&Lod, usize)> {
    let mut rows = scene.lods.iter(&scene.graph);
    rows.find_map(|(_, lod)| {
        let number = lod.levels.iter().position(|level| level.node == node)?;
        Some((lod, number))
    })
}

/// Is it the level that fits its size in this view?
fn fits(scene: &Scene, view: &View, node: NodeId) -> bool {
    let Some((lod, number)) = level_of(scene, node) else { return true };
    let first = world_box(scene, lod.levels[0].node);
    let size = view.screen_size(first.center(), first.half_extents().length());
    let least = |number: usize| lod.levels[number].down_to;
    size >= least(number) && (0..number).all(|finer| size < least(finer))
}

fn is_in_view(scene: &Scene, view: &View, node: NodeId) -> bool {
    let mesh = scene.mesh(node).unwrap();
    is_shown(scene, node)
        && mesh.layers & view.layers != 0
        && (!mesh.frustum_culled || view.frustum.intersects(&world_box(scene, node)))
        && fits(scene, view, node)
}

/// How far points are beyond the sides of a view, in f64: left, right, below, above, near, far.
fn beyond(view: &View, point: DVec4) -> [f64; 6] {
    let p = view.view_projection.as_dmat4() * point;
    let (near, far) = match view.clip {
        ClipSpace::NegOneToOne => (-p.w - p.z, p.z - p.w),
        ClipSpace::ZeroToOne => (-p.z, p.z - p.w),
        ClipSpace::ZeroToOneReversed => (p.z - p.w, -p.z),
    };
    [-p.w - p.x, p.x - p.w, -p.w - p.y, p.y - p.w, near, far]
}

/// The copies of a mesh that are surely in view, and those that may be.
fn copies_in_view(scene: &Scene, view: &View, node: NodeId) -> (Vec<u32>, Vec<u32>) {
    let mesh = scene.mesh(node).unwrap();
    let instances = mesh.instances.as_ref().unwrap();
    let world = scene.graph.node(node).unwrap().world().as_dmat4();
    let (mut sure, mut possible) = (Vec::new(), Vec::new());
    for (copy, matrix) in instances.matrices().iter().enumerate() {
        let to_world: DMat4 = world * matrix.as_dmat4();
        let points = mesh.parts.iter().flat_map(|part| part.geometry.positions.iter());
        let seen = |point: &Vec3| {
            let sides = beyond(view, to_world * point.as_dvec3().extend(1.0));
            sides.iter().all(|&beyond| beyond < -1e-4)
        };
        if !mesh.frustum_culled || points.into_iter().any(seen) {
            sure.push(copy as u32);
        }
        let corners = instances.bounds_of(copy).unwrap().corners();
        let corners = corners.map(|corner| beyond(view, world * corner.as_dvec3().extend(1.0)));
        let is_out = |side: usize| corners.iter().all(|sides| sides[side] > 1e-3);
        if !mesh.frustum_culled || !(0..6).any(is_out) {
            possible.push(copy as u32);
        }
    }
    (sure, possible)
}

/// Compares a list with what a walk over all nodes finds.
#[track_caller]
fn assert_list(scene: &Scene, view: &View, list: &RenderList) {
    let mut draws: BTreeMap<(usize, u32), &Draw> = BTreeMap::new();
    for draw in all(list) {
        let again = draws.insert((draw.node.index(), draw.part), draw);
        assert!(again.is_none(), "{draw:?} is there twice");
    }
    for (node, mesh) in scene.meshes.iter(&scene.graph) {
        let mut expected = is_in_view(scene, view, node);
        let (mut sure, mut possible) = (Vec::new(), Vec::new());
        if let (true, Some(_)) = (expected, &mesh.instances) {
            (sure, possible) = copies_in_view(scene, view, node);
            let is_listed = draws.contains_key(&(node.index(), 0));
            expected = if possible.is_empty() { false } else { is_listed || !sure.is_empty() };
        }
        for (number, part) in mesh.parts.iter().enumerate() {
            let draw = draws.remove(&(node.index(), number as u32));
            assert_eq!(draw.is_some(), expected, "part {number} of {node}, {mesh:?}");
            let Some(draw) = draw else { continue };
            assert_eq!(draw.node, node);
            assert_eq!(draw.world as usize, node.index());
            assert_eq!((draw.geometry, draw.material), (part.geometry.id(), part.material.id()));
            let palette = scene.palettes().range(node).map(|range| range.start as u32);
            assert_eq!(draw.palette, palette);
            let world = scene.graph.node(node).unwrap().world();
            if scene.skin(node).is_none() {
                assert_eq!(draw.flipped, world.as_dmat4().determinant() < 0.0, "{node}");
            }
            assert_eq!(draw.receive_shadow, mesh.receive_shadow);
            assert_eq!(draw.is_static, mesh.is_static);
            assert_eq!(draw.depth, view.depth(world_box(scene, node).center()));
            let blend = part.material.alpha_mode == AlphaMode::Blend;
            let transparent = mesh.transparent.unwrap_or(blend);
            assert_eq!(list.transparent().contains(draw), transparent, "{draw:?}");
            let copies = &list.copies()[draw.copies.start as usize..draw.copies.end as usize];
            if mesh.instances.is_none() {
                assert!(draw.copies.is_empty());
                continue;
            }
            assert!(copies.is_sorted_by(|a, b| a < b), "each once, in order");
            assert!(sure.iter().all(|copy| copies.contains(copy)), "{copies:?} without {sure:?}");
            assert!(copies.iter().all(|copy| possible.contains(copy)), "{copies:?}, {possible:?}");
        }
    }
    assert!(draws.is_empty(), "{draws:?} should not be there");
    assert_order(list);
}

#[track_caller]
fn assert_order(list: &RenderList) {
    let front_to_back = |a: &Draw, b: &Draw| {
        (a.material, a.geometry, a.flipped) != (b.material, b.geometry, b.flipped)
            || a.depth <= b.depth
    };
    let key = |draw: &Draw| (draw.material, draw.geometry);
    assert!(list.opaque().is_sorted_by(|a, b| key(a) <= key(b) && front_to_back(a, b)));
    assert!(list.transparent().is_sorted_by(|a, b| a.depth >= b.depth));

    let batched: Vec<&Draw> = list.batches().flatten().collect();
    assert!(batched.iter().copied().eq(list.opaque()), "each draw is in one batch, in order");
    let plain = |draw: &Draw| draw.palette.is_none() && draw.copies.is_empty();
    let same = |a: &Draw, b: &Draw| {
        (a.material, a.geometry, a.flipped) == (b.material, b.geometry, b.flipped)
    };
    for batch in list.batches() {
        let first = &batch[0];
        assert!(batch.len() == 1 || batch.iter().all(|it| plain(it) && same(it, first)));
    }
    let batches: Vec<&[Draw]> = list.batches().collect();
    for pair in batches.windows(2) {
        let (a, b) = (pair[0].last().unwrap(), &pair[1][0]);
        assert!(!(plain(a) && plain(b) && same(a, b)), "these could be one batch");
    }
}

// ---- a scene of everything ----

struct World {
    scene: Scene,
    nodes: Vec<NodeId>,
    figures: Vec<Figure>,
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
    fn new(random: &mut Random) -> Self {
        let mut scene = Scene::new();
        let (materials, geometries) = (materials(&scene), geometries(&scene));
        let mut nodes = vec![scene.root()];
        for _ in 0..120 {
            let parts = (0..1 + random.below(3) / 2).map(|_| Part {
                geometry: geometries[random.below(geometries.len())].clone(),
                material: materials[random.below(materials.len())].clone(),
            });
            let mut mesh = Mesh::of_parts(parts.collect());
            mesh.is_static = random.one_in(3);
            mesh.receive_shadow = random.one_in(2);
            mesh.cast_shadow = random.one_in(2);
            mesh.transparent = random.pick(&[None, None, Some(false), Some(true)]);
            mesh.layers = random.pick(&[1, 1, 1, 2, 3, 0]);
            mesh.frustum_culled = !random.one_in(15);
            if random.one_in(6) {
                let bounds = mesh.parts.iter().map(|part| part.geometry.bounds());
                let bounds = bounds.fold(Aabb::EMPTY, |all, one| all.union(&one));
                let copies = (0..random.below(30)).map(|_| random.matrix(8.0)).collect();
                mesh.instances = Some(Box::new(Instances::new(bounds, copies).unwrap()));
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
        let figures = (0..4).map(|_| Figure::spawn(&mut scene, random, Build::default()));
        let figures: Vec<Figure> = figures.collect();
        for _ in 0..6 {
            Self::add_lod(&mut scene, random, &geometries, &materials, &nodes);
        }
        let cameras = (0..6).map(|number| {
            let camera = match number % 3 {
                0 => Camera::default(),
                1 => Camera::orthographic(12.0).with_clip(ClipSpace::NegOneToOne),
                _ => Camera::perspective(0.7, 1.5)
                    .with_depth(0.1, f32::INFINITY)
                    .with_clip(ClipSpace::ZeroToOneReversed),
            };
            let camera = camera.with_layers(random.pick(&[u32::MAX, 1, 2]));
            scene.spawn(Node::camera(camera)).unwrap()
        });
        let cameras = cameras.collect();
        Self { scene, nodes, figures, cameras }
    }

    fn add_lod(
        scene: &mut Scene,
        random: &mut Random,
        geometries: &[Handle<Geometry>],
        materials: &[Handle<Material>],
        under: &[NodeId],
    ) {
        let top = Node::group().under(random.pick(under)).at(random.vec3(10.0));
        let top = scene.spawn(top).unwrap();
        let mut levels = Vec::new();
        for number in 0..3 {
            let node = Node::mesh(&geometries[number], &materials[0]).under(top);
            let node = scene.spawn(node).unwrap();
            levels.push(Level { node, down_to: [0.3, 0.1, 0.02][number] });
        }
        scene.lods.insert(&scene.graph, top, Lod { levels }).unwrap();
    }

    /// Takes some nodes out of the scene and puts others back, anywhere.
    fn rearrange(&mut self, random: &mut Random) {
        let graph = &mut self.scene.graph;
        for _ in 0..6 {
            let (node, other) = (random.pick(&self.nodes[1..]), random.pick(&self.nodes));
            if random.one_in(3) {
                graph.detach(node).unwrap();
            } else {
                // Refused if it would hang on itself.
                _ = graph.attach(node, other);
            }
        }
        // What is touched while it is out of the scene stays out.
        for _ in 0..4 {
            let node = random.pick(&self.nodes);
            if let Some(mesh) = self.scene.mesh_mut(node) {
                mesh.layers = random.pick(&[1, 2, 3]);
            }
        }
        // Some leave for good, and others come, into their slots.
        if random.one_in(2) {
            let number = 1 + random.below(self.nodes.len() - 1);
            let node = self.nodes[number];
            if self.scene.graph.node(node).unwrap().children().len() == 0 {
                let mesh = self.scene.mesh(node).cloned();
                self.scene.remove(node).unwrap();
                let mut again = Node::group().under(self.nodes[0]).at(random.vec3(8.0));
                if let Some(mesh) = mesh {
                    again = again.with_mesh(mesh);
                }
                self.nodes[number] = self.scene.spawn(again).unwrap();
            }
        }
    }

    fn shake(&mut self, random: &mut Random) {
        for _ in 0..15 {
            let node = random.pick(&self.nodes[1..]);
            let Ok(mut node) = self.scene.graph.node_mut(node) else { continue };
            node.set_transform(random.transform(8.0)).unwrap();
            let hidden = random.one_in(20);
            node.set_visible(!hidden);
        }
        self.rearrange(random);
        for figure in &self.figures {
            if random.one_in(2) {
                figure.pose(&mut self.scene, random);
                let at = random.vec3(8.0);
                self.scene.graph.node_mut(figure.top).unwrap().set_translation(at).unwrap();
            }
        }
        for &camera in &self.cameras {
            let at = random.vec3(20.0);
            let place = Transform::from_translation(at).looking_at(random.vec3(6.0), Vec3::Z);
            self.scene.graph.node_mut(camera).unwrap().set_transform(place).unwrap();
        }
    }
}

#[test]
fn the_list_is_what_a_walk_over_all_nodes_finds() {
    let mut listed = 0;
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut world = World::new(&mut random);
        let mut lists: Vec<RenderList> = world.cameras.iter().map(|_| RenderList::new()).collect();
        for round in 0..6 {
            let cull_by = if round % 2 == 0 { CullBy::Scan } else { CullBy::Tree };
            world.scene.spatial.set_cull_by(cull_by);
            world.shake(&mut random);
            for (camera, into) in world.cameras.clone().into_iter().zip(&mut lists) {
                let view = list(&mut world.scene, camera, into);
                assert_list(&world.scene, &view, into);
                listed += all(into).count();
            }
        }
    }
    assert!(listed > 2000, "views see a part of the scene: {listed}");
}

#[test]
fn shadow_casters_are_what_a_walk_over_all_nodes_finds() {
    let mut found = 0;
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut world = World::new(&mut random);
        let shadow = Shadow { bounds: 6.0, far: 15.0, ..Shadow::default() };
        let lights = [
            Light::directional(Vec3::ONE, 1.0).with_shadow(shadow),
            Light::spot(Vec3::ONE, 1.0, 0.2, 0.5).with_shadow(shadow),
        ];
        let mut visible = Visible::new();
        for _ in 0..6 {
            world.shake(&mut random);
            world.scene.update().unwrap();
            for light in &lights {
                let place = Transform::from_translation(random.vec3(10.0));
                let place = place.looking_at(random.vec3(5.0), Vec3::Z).to_matrix();
                let view = light.shadow_view(&place, ClipSpace::ZeroToOne).unwrap().unwrap();
                world.scene.shadow_casters(&view, &mut visible);
                let casts = |(node, mesh): (NodeId, &Mesh)| {
                    let scene = &world.scene;
                    let casts = mesh.cast_shadow
                        && !world_box(scene, node).is_empty()
                        && level_of(scene, node).is_none_or(|(_, number)| number == 0)
                        && mesh.layers != 0
                        && is_shown(scene, node)
                        && (!mesh.frustum_culled
                            || view.frustum.intersects(&world_box(scene, node)));
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

// ---- a camera that looks along -Y from (0, 20, 0) ----

fn camera(scene: &mut Scene) -> NodeId {
    let place = Transform::from_xyz(0.0, 20.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::camera(Camera::default()).with_transform(place)).unwrap()
}

#[test]
fn opaque_draws_go_by_material_then_geometry_then_front_to_back() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let paints = [paint(&scene.assets), paint(&scene.assets)];
    let cubes = [cube(&scene.assets, 1.0), cube(&scene.assets, 2.0)];
    let mut expected = Vec::new();
    for y in [-9.0, 3.0, -3.0, 9.0] {
        for (material, paint) in paints.iter().enumerate() {
            for (geometry, cube) in cubes.iter().enumerate() {
                let node = Node::mesh(cube, paint).at(Vec3::new(0.0, y, 0.0));
                expected.push((material, geometry, 20 - y as i32, scene.spawn(node).unwrap()));
            }
        }
    }
    expected.sort_by_key(|&(material, geometry, depth, _)| (material, geometry, depth));
    let mut into = RenderList::new();
    let view = list(&mut scene, camera, &mut into);
    assert!(into.opaque().iter().map(|draw| draw.node).eq(expected.iter().map(|it| it.3)));
    let depths: Vec<f32> = into.opaque()[..4].iter().map(|draw| draw.depth).collect();
    assert_eq!(depths, [11.0, 17.0, 23.0, 29.0]);
    let batches: Vec<usize> = into.batches().map(<[Draw]>::len).collect();
    assert_eq!(batches, [4; 4]);
    assert_list(&scene, &view, &into);
}

#[test]
fn transparent_draws_go_back_to_front_whatever_their_material() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let glass = Material { alpha_mode: AlphaMode::Blend, ..Material::default() };
    let glasses = [scene.assets.add(glass.clone()), scene.assets.add(glass)];
    let cube = cube(&scene.assets, 1.0);
    let mut nodes = Vec::new();
    for (number, y) in [-9.0, -3.0, 0.0, 3.0, 9.0].into_iter().enumerate() {
        let node = Node::mesh(&cube, &glasses[number % 2]).at(Vec3::Y * y);
        nodes.push(scene.spawn(node).unwrap());
    }
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert!(into.opaque().is_empty());
    assert!(into.transparent().iter().map(|draw| draw.node).eq(nodes.iter().copied()));

    // The mesh has the last word: one of them drawn as if it were opaque.
    scene.mesh_mut(nodes[2]).unwrap().transparent = Some(false);
    list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque()[0].node, nodes[2]);
    assert_eq!(into.transparent().len(), 4);
}

#[test]
fn mirrored_nodes_are_flagged_and_batched_apart() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let mut flags = BTreeMap::new();
    for number in 0..8 {
        let sign = |bit: u32| if number >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let scale = Vec3::new(sign(0), sign(1), sign(2));
        let node = Node::mesh(&cube, &paint).scaled(scale).at(Vec3::X * (number as f32 - 4.0));
        let node = scene.spawn(node).unwrap();
        flags.insert(node.index() as u32, scale.element_product() < 0.0);
    }
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque().len(), 8);
    assert!(into.opaque().iter().all(|draw| draw.flipped == flags[&draw.world]));
    assert_eq!(into.batches().count(), 2);

    // The sign may change at run time, by a parent's scale.
    scene.graph.node_mut(scene.root()).unwrap().set_scale(Vec3::new(1.0, 1.0, -1.0)).unwrap();
    list(&mut scene, camera, &mut into);
    assert!(into.opaque().iter().all(|draw| draw.flipped != flags[&draw.world]));
}

#[test]
fn the_winding_flag_of_a_skinned_mesh_is_that_of_its_posed_triangles() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let arm = arm(&mut scene, 2);
    let mut into = RenderList::new();
    for (top, mesh) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        // The bones hang below `top`; where the mesh's own node stands does not count.
        let mirror = |sign: f32| Vec3::new(sign, 1.0, 1.0);
        scene.graph.node_mut(arm.top).unwrap().set_scale(mirror(top)).unwrap();
        scene.graph.node_mut(arm.node).unwrap().set_scale(mirror(mesh)).unwrap();
        list(&mut scene, camera, &mut into);
        let mirrored = scene.palettes().of(arm.node).unwrap()[0].determinant() < 0.0;
        assert_eq!(mirrored, top < 0.0);
        assert_eq!(into.opaque()[0].flipped, mirrored, "skeleton {top}, node {mesh}");
    }
}

#[test]
fn skinned_draws_name_their_palette_and_go_alone() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let figures = [arm(&mut scene, 3), arm(&mut scene, 2)];
    let shared = scene.mesh(figures[0].node).unwrap().clone();
    *scene.mesh_mut(figures[1].node).unwrap() = shared;
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(into.opaque().len(), 2);
    assert_eq!(into.batches().count(), 2);
    for draw in into.opaque() {
        let range = scene.palettes().range(draw.node).unwrap();
        assert_eq!(draw.palette, Some(range.start as u32));
    }
}

#[test]
fn a_camera_sees_its_layers_only() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let mut cubes = Vec::new();
    for layers in [0b001, 0b010, 0b110, 0] {
        let node = spawn_cube(&mut scene, Vec3::X * cubes.len() as f32);
        scene.mesh_mut(node).unwrap().layers = layers;
        cubes.push(node);
    }
    let mut into = RenderList::new();
    for (layers, expected) in [
        (u32::MAX, vec![cubes[0], cubes[1], cubes[2]]),
        (0b001, vec![cubes[0]]),
        (0b010, vec![cubes[1], cubes[2]]),
        (0b100, vec![cubes[2]]),
        (0, vec![]),
    ] {
        scene.camera_mut(camera).unwrap().layers = layers;
        list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), expected, "{layers:b}");
    }
}

#[test]
fn what_is_hidden_or_detached_or_removed_is_not_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.attach(cube, group).unwrap();
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [cube]);

    // Hidden by an ancestor.
    scene.graph.node_mut(group).unwrap().set_visible(false);
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
    scene.graph.node_mut(group).unwrap().set_visible(true);
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [cube]);

    scene.remove(group).unwrap();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
}

#[test]
fn what_hangs_on_no_root_of_the_scene_is_neither_drawn_nor_met() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.attach(cube, group).unwrap();
    let mut into = RenderList::new();
    let mut visible = Visible::new();
    let ray = Ray::new(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y).unwrap();
    for _ in 0..2 {
        list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [cube]);
        assert!(scene.pick(&ray, &Filter::default()).is_some());

        scene.graph.detach(group).unwrap();
        let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
        assert_eq!(visible.nodes(), [], "out of the scene until attached again");
        into.build(&scene, &visible, &view);
        assert_eq!(nodes(&into), []);
        assert!(scene.pick(&ray, &Filter::default()).is_none());
        scene.graph.attach(group, scene.root()).unwrap();
    }
}

#[test]
fn a_child_that_sticks_out_of_its_parent_is_drawn_though_the_parent_is_not() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let parent = spawn_cube(&mut scene, Vec3::X * 100.0);
    let child = spawn_cube(&mut scene, Vec3::X * -100.0);
    scene.graph.attach(child, parent).unwrap();
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [child]);
}

// ---- copies ----

/// A row of cubes along X, two apart, from −100 to 100.
fn row(scene: &mut Scene) -> NodeId {
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let copies = (-50..=50).map(|x| Mat4::from_translation(Vec3::X * (2 * x) as f32));
    let instances = Instances::new(cube.bounds(), copies.collect()).unwrap();
    let mut mesh = Mesh::new(cube, paint);
    mesh.instances = Some(Box::new(instances));
    scene.spawn(Node::group().with_mesh(mesh)).unwrap()
}

#[test]
fn copies_are_culled_one_by_one() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = row(&mut scene);
    let mut into = RenderList::new();
    let view = list(&mut scene, camera, &mut into);
    assert_list(&scene, &view, &into);
    let copies = into.copies().to_vec();
    assert!((10..40).contains(&copies.len()), "{copies:?}");
    assert!(copies.contains(&50), "the one in the middle");
    assert_eq!(into.opaque()[0].copies, 0..copies.len() as u32);

    // The node moves by ten copies, and so does the list.
    scene.graph.node_mut(row).unwrap().set_translation(Vec3::X * 20.0).unwrap();
    list(&mut scene, camera, &mut into);
    let moved: Vec<u32> = copies.iter().map(|copy| copy - 10).collect();
    assert_eq!(into.copies(), moved);

    // One copy is moved away.
    let mesh = scene.mesh_mut(row).unwrap();
    let instances = mesh.instances.as_mut().unwrap();
    assert!(instances.set(moved[3] as usize, Mat4::from_translation(Vec3::Z * 500.0)).unwrap());
    list(&mut scene, camera, &mut into);
    assert_eq!(into.copies().len(), moved.len() - 1);
    assert!(!into.copies().contains(&moved[3]));
}

#[test]
fn a_mesh_none_of_whose_copies_is_in_view_is_not_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = row(&mut scene);
    // The camera looks between two copies, through a gap in the row's box.
    let mesh = scene.mesh_mut(row).unwrap();
    let copies = [-50.0, 50.0].map(|x| Mat4::from_translation(Vec3::X * x)).to_vec();
    let bounds = mesh.parts[0].geometry.bounds();
    mesh.instances = Some(Box::new(Instances::new(bounds, copies).unwrap()));
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
    assert!(into.copies().is_empty());
}

#[test]
fn copies_that_frusta_may_not_cull_are_all_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = row(&mut scene);
    scene.mesh_mut(row).unwrap().frustum_culled = false;
    scene.graph.node_mut(row).unwrap().set_translation(Vec3::Y * 500.0).unwrap();
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [row]);
    assert!(into.copies().iter().copied().eq(0..101));
}

#[test]
fn copies_far_from_the_origin_are_not_lost() {
    // Copies whose middles are in view at an edge of the picture, all at 100 km.
    for seed in 170..190 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let far = random.direction() * 1e5;
        let cube = cube(&scene.assets, 1.0);
        let copies = (0..200).map(|_| Mat4::from_translation(random.vec3(20.0))).collect();
        let mut mesh = Mesh::new(cube.clone(), paint(&scene.assets));
        mesh.instances = Some(Box::new(Instances::new(cube.bounds(), copies).unwrap()));
        let node = Node::group().with_mesh(mesh).at(far).rotated(random.rotation());
        let node = scene.spawn(node).unwrap();
        let place = Transform::from_translation(far + random.vec3(10.0));
        let place = Transform { rotation: random.rotation(), ..place };
        let eye = scene.spawn(Node::camera(Camera::default()).with_transform(place)).unwrap();
        let mut into = RenderList::new();
        let view = list(&mut scene, eye, &mut into);
        let (sure, _) = copies_in_view(&scene, &view, node);
        let lost: Vec<u32> =
            sure.into_iter().filter(|copy| !into.copies().contains(copy)).collect();
        assert!(lost.is_empty(), "{lost:?} have corners in view");
    }
}

// ---- what does not change ----

#[test]
fn the_static_version_stays_while_static_draws_do() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    scene.mesh_mut(wall).unwrap().is_static = true;
    let car = spawn_cube(&mut scene, Vec3::X * 3.0);
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    let first = into.static_version();
    assert!(all(&into).any(|draw| draw.is_static && draw.node == wall));

    // The rest moves, comes and goes, and the camera sways.
    for step in 0..5 {
        let x = Vec3::X * step as f32;
        scene.graph.node_mut(car).unwrap().set_translation(x).unwrap();
        let sway = Vec3::new(0.01 * step as f32, 20.0, 0.0);
        scene.graph.node_mut(camera).unwrap().set_translation(sway).unwrap();
        let passer = spawn_cube(&mut scene, Vec3::Z);
        list(&mut scene, camera, &mut into);
        assert_eq!(into.static_version(), first, "step {step}");
        scene.remove(passer).unwrap();
        list(&mut scene, camera, &mut into);
        assert_eq!(into.static_version(), first, "step {step}");
    }
}

#[test]
fn the_static_version_changes_with_whatever_changes_static_draws() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    scene.mesh_mut(wall).unwrap().is_static = true;
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    let mut last = into.static_version();
    let mut assert_new = |scene: &mut Scene, what: &str| {
        list(scene, camera, &mut into);
        assert_ne!(into.static_version(), last, "{what}");
        last = into.static_version();
        list(scene, camera, &mut into);
        assert_eq!(into.static_version(), last, "after {what}");
    };

    let second = spawn_cube(&mut scene, Vec3::X * 2.0);
    scene.mesh_mut(second).unwrap().is_static = true;
    assert_new(&mut scene, "one more");
    let paint = paint(&scene.assets);
    scene.mesh_mut(wall).unwrap().parts[0].material = paint;
    assert_new(&mut scene, "another material");
    let sphere = scene.assets.add(shapes::Sphere::new(1.0).build().unwrap());
    scene.mesh_mut(wall).unwrap().parts[0].geometry = sphere;
    assert_new(&mut scene, "another geometry");
    scene.mesh_mut(wall).unwrap().parts[0].material.make_mut().roughness = 0.5;
    assert_new(&mut scene, "a changed material");
    scene.graph.node_mut(wall).unwrap().set_scale(Vec3::new(-1.0, 1.0, 1.0)).unwrap();
    assert_new(&mut scene, "mirrored");
    scene.mesh_mut(wall).unwrap().transparent = Some(true);
    assert_new(&mut scene, "transparent");
    scene.mesh_mut(wall).unwrap().receive_shadow = false;
    assert_new(&mut scene, "no shadows on it");
    scene.graph.node_mut(wall).unwrap().set_visible(false);
    assert_new(&mut scene, "hidden");
    scene.graph.node_mut(wall).unwrap().set_visible(true);
    assert_new(&mut scene, "shown");
    scene.mesh_mut(wall).unwrap().is_static = false;
    assert_new(&mut scene, "not static any more");
    scene.mesh_mut(wall).unwrap().is_static = true;
    assert_new(&mut scene, "static again");
    scene.graph.node_mut(wall).unwrap().set_translation(Vec3::Z * 500.0).unwrap();
    assert_new(&mut scene, "out of view");
    scene.remove(second).unwrap();
    assert_new(&mut scene, "removed");

    let copies = row(&mut scene);
    scene.mesh_mut(copies).unwrap().is_static = true;
    assert_new(&mut scene, "copies");
    scene.graph.node_mut(camera).unwrap().set_translation(Vec3::new(9.0, 20.0, 0.0)).unwrap();
    assert_new(&mut scene, "other copies in view");
}

#[test]
fn a_node_in_the_slot_of_a_removed_one_is_another_static_draw() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let wall = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh_mut(wall).unwrap();
    mesh.is_static = true;
    let mesh = mesh.clone();
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    let before = into.static_version();
    scene.remove(wall).unwrap();
    let again = scene.spawn(Node::group().with_mesh(mesh).at(Vec3::X)).unwrap();
    assert_eq!(again.index(), wall.index());
    list(&mut scene, camera, &mut into);
    assert_ne!(into.static_version(), before);
}

#[test]
fn equal_scenes_and_views_give_equal_lists() {
    let mut random = Random::new(77);
    let mut world = World::new(&mut random);
    world.shake(&mut random);
    let mut first = RenderList::new();
    list(&mut world.scene, world.cameras[0], &mut first);
    let mut second = RenderList::new();
    for &camera in &world.cameras {
        list(&mut world.scene, camera, &mut second);
    }
    list(&mut world.scene, world.cameras[0], &mut second);
    assert_eq!(first.opaque(), second.opaque());
    assert_eq!(first.transparent(), second.transparent());
    assert_eq!(first.copies(), second.copies());
}

// ---- levels of detail ----

/// Levels of one size, fine to coarse, at the origin.
fn levels(scene: &mut Scene) -> (NodeId, Vec<NodeId>) {
    let (cube, paint) = (cube(&scene.assets, 1.0), paint(&scene.assets));
    let top = scene.spawn(Node::group()).unwrap();
    let each = (0..3).map(|_| Node::mesh(&cube, &paint));
    let nodes = scene.spawn_all(top, each).unwrap();
    let down_to = [0.5, 0.1, 0.02];
    let levels = nodes.iter().zip(down_to).map(|(&node, down_to)| Level { node, down_to });
    scene.lods.insert(&scene.graph, top, Lod { levels: levels.collect() }).unwrap();
    (top, nodes)
}

/// A camera at this distance from the origin.
fn eye(scene: &mut Scene, distance: f32) -> NodeId {
    let place = Transform::from_xyz(0.0, distance, 0.0).looking_at(Vec3::ZERO, Vec3::Z);
    let camera = Camera::default().with_depth(0.1, 1000.0);
    scene.spawn(Node::camera(camera).with_transform(place)).unwrap()
}

#[test]
fn each_view_draws_the_level_that_fits_its_size() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let eyes: Vec<NodeId> =
        [2.0, 6.0, 30.0, 300.0].map(|distance| eye(&mut scene, distance)).to_vec();
    let mut into = RenderList::new();
    // Two rounds, so that no view depends on the one before.
    for _ in 0..2 {
        for (number, &camera) in eyes.iter().enumerate() {
            let view = list(&mut scene, camera, &mut into);
            let expected: Vec<NodeId> = levels.get(number).copied().into_iter().collect();
            assert_eq!(nodes(&into), expected, "camera {number}");
            assert_list(&scene, &view, &into);
        }
    }
    // As the object grows, so does the level.
    scene.graph.node_mut(scene.root()).unwrap().set_scale(Vec3::ONE).unwrap();
    for (number, expected) in [(0, 2), (0, 1), (0, 0)] {
        let camera = eyes[number];
        let distance = [2.0, 8.0, 40.0][expected];
        scene.graph.node_mut(camera).unwrap().set_translation(Vec3::Y * distance).unwrap();
        list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [levels[expected]], "at {distance}");
    }
}

#[test]
fn exactly_one_level_is_drawn_at_every_distance_down_to_the_last() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = eye(&mut scene, 1.0);
    let mut into = RenderList::new();
    let mut last = 0;
    for step in 0..200 {
        let distance = 1.1 * 1.03_f32.powi(step);
        scene.graph.node_mut(camera).unwrap().set_translation(Vec3::Y * distance).unwrap();
        let view = list(&mut scene, camera, &mut into);
        let bounds = scene.spatial.world_bounds(levels[0]).unwrap();
        let size = view.screen_size(bounds.center(), bounds.half_extents().length());
        let drawn: Vec<usize> = nodes(&into)
            .iter()
            .map(|node| levels.iter().position(|level| level == node).unwrap())
            .collect();
        match drawn[..] {
            [level] => {
                assert!(level >= last, "coarser and coarser");
                last = level;
            }
            [] => assert!(size < 0.02, "nothing drawn at {distance}, where its size is {size}"),
            _ => panic!("{drawn:?} at {distance}"),
        }
    }
    assert_eq!(last, 2);
}

#[test]
fn levels_may_change_come_and_go() {
    let mut scene = Scene::new();
    let (top, levels) = levels(&mut scene);
    let camera = eye(&mut scene, 6.0);
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]]);

    scene.lods.get_mut(&scene.graph, top).unwrap().levels[0].down_to = 0.05;
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[0]]);

    scene.lods.remove(top);
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), levels, "nodes like any others");
}

#[test]
fn what_is_left_of_the_levels_is_drawn_when_the_finest_is_removed() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = eye(&mut scene, 6.0);
    let mut into = RenderList::new();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]]);
    scene.remove(levels[0]).unwrap();
    list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [levels[1]], "it does not vanish with its finest level");
}

#[test]
fn rays_and_shadows_know_the_finest_level_only() {
    let mut scene = Scene::new();
    let (top, levels) = levels(&mut scene);
    // Coarse levels are often larger than fine ones.
    for (number, &level) in levels.iter().enumerate() {
        let scale = Vec3::splat(1.0 + number as f32);
        scene.graph.node_mut(level).unwrap().set_scale(scale).unwrap();
    }
    scene.update().unwrap();
    let ray = Ray::new(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y).unwrap();
    let light = Light::directional(Vec3::ONE, 1.0).with_shadow(Shadow::default());
    let map = light.shadow_view(&Mat4::IDENTITY, ClipSpace::ZeroToOne).unwrap().unwrap();
    let mut visible = Visible::new();
    for finest in [0, 1] {
        let mut hits = Vec::new();
        scene.pick_all(&ray, &Filter::default(), &mut hits);
        assert!(hits.len() == 2 && hits.iter().all(|hit| hit.node == levels[finest]), "{hits:?}");
        assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().node, levels[finest]);
        scene.shadow_casters(&map, &mut visible);
        assert_eq!(visible.nodes(), [levels[finest]]);
        scene.remove(levels[finest]).unwrap();
        scene.update().unwrap();
    }
    scene.lods.remove(top);
    scene.update().unwrap();
    assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().node, levels[2]);
}

#[test]
fn the_size_to_choose_by_is_told_by_the_view() {
    let lod = Lod {
        levels: [0.5, 0.25, 0.25, 0.0]
            .map(|down_to| Level { node: Scene::new().root(), down_to })
            .to_vec(),
    };
    assert_eq!(lod.choose(f32::INFINITY), Some(0));
    assert_eq!(lod.choose(0.5), Some(0), "down to its size");
    assert_eq!(lod.choose(0.4), Some(1));
    assert_eq!(lod.choose(0.2), Some(3));
    assert_eq!(lod.choose(0.0), Some(3));
    assert_eq!(lod.choose(-1.0), None);
    assert_eq!(Lod::default().choose(1.0), None);
}

#[test]
fn a_turn_of_the_camera_alone_does_not_change_levels() {
    let mut scene = Scene::new();
    let (_, levels) = levels(&mut scene);
    let camera = eye(&mut scene, 6.0);
    let mut into = RenderList::new();
    for degrees in -25..=25 {
        let turn = Quat::from_rotation_z((degrees as f32).to_radians());
        let look = Transform::from_xyz(0.0, 6.0, 0.0).looking_at(Vec3::ZERO, Vec3::Z).rotation;
        scene.graph.node_mut(camera).unwrap().set_rotation(turn * look).unwrap();
        list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [levels[1]], "at {degrees}°");
    }
}
