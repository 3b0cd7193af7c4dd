//! Systems that keep data of their own and are fed by the changes of a scene: after each frame they
//! equal what the scene computes.

use std::collections::{BTreeMap, BTreeSet};

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Aabb, AssetId, Bounds, Camera, Material, Mesh, Node, NodeId, RenderList, Scene, View, Visible,
};
use testkit::{Effort, Rng};

use crate::common::{cube, material};

/// Data that follows a scene.
trait System {
    /// Applies the changes since the last call.
    fn apply(&mut self, scene: &Scene);
}

/// The nodes that can be culled, with their bounds in the world.
#[derive(Default)]
struct CullSet(BTreeMap<NodeId, (Aabb, u32)>);

impl System for CullSet {
    fn apply(&mut self, scene: &Scene) {
        let changes = scene.changes();
        let mut touched: BTreeSet<NodeId> = changes.changed().collect();
        touched.extend(changes.shown_changed());
        touched.extend(changes.removed());
        touched.extend(changes.inserted_rows::<Mesh>().chain(changes.changed_rows::<Mesh>()));
        touched.extend(changes.removed_rows::<Mesh>());
        touched.extend(changes.inserted_rows::<Bounds>().chain(changes.changed_rows::<Bounds>()));
        touched.extend(changes.removed_rows::<Bounds>());
        for node in touched {
            let is_shown = scene.graph.get(node).is_some_and(|node| node.is_shown());
            let layers = scene.mesh(node).map_or(u32::MAX, |mesh| mesh.layers);
            match scene.world_bounds(node).filter(|_| is_shown && scene.is_attached(node)) {
                Some(bounds) => drop(self.0.insert(node, (bounds, layers))),
                None => drop(self.0.remove(&node)),
            }
        }
    }
}

impl CullSet {
    fn visible(&self, view: &View) -> Vec<NodeId> {
        let is_visible = |(bounds, layers): &(Aabb, u32)| {
            layers & view.layers != 0 && view.frustum.intersects(bounds)
        };
        let visible = self.0.iter().filter(|(_, row)| is_visible(row));
        let mut nodes: Vec<NodeId> = visible.map(|(&node, _)| node).collect();
        nodes.sort_unstable_by_key(|node| node.index());
        nodes
    }
}

/// The data to draw a mesh.
#[derive(Clone, Debug, PartialEq)]
struct DrawRow {
    node: NodeId,
    world: Mat4,
    geometry: AssetId,
    material: AssetId,
    receive_shadow: bool,
}

#[derive(Default)]
struct DrawData(BTreeMap<NodeId, DrawRow>);

impl System for DrawData {
    fn apply(&mut self, scene: &Scene) {
        let changes = scene.changes();
        for node in changes.removed().iter().copied().chain(changes.removed_rows::<Mesh>()) {
            self.0.remove(&node);
        }
        for node in changes.inserted_rows::<Mesh>().chain(changes.changed_rows::<Mesh>()) {
            let (world, mesh) = (scene.node(node).unwrap().world(), scene.mesh(node).unwrap());
            let (geometry, material) = (mesh.parts[0].geometry.id(), mesh.parts[0].material.id());
            let receive_shadow = mesh.receive_shadow;
            let row = DrawRow { node, world, geometry, material, receive_shadow };
            self.0.insert(node, row);
        }
        // Matrices alone, like an upload of what moved.
        for node in changes.changed() {
            if let Some(row) = self.0.get_mut(&node) {
                row.world = scene.node(node).unwrap().world();
            }
        }
    }
}

impl DrawData {
    fn draws(&self, visible: &[NodeId]) -> Vec<DrawRow> {
        visible.iter().filter_map(|node| self.0.get(node).cloned()).collect()
    }
}

fn listed(scene: &Scene, list: &RenderList) -> Vec<DrawRow> {
    let draws = list.opaque().iter().chain(list.transparent());
    let mut rows: Vec<DrawRow> = draws
        .map(|draw| DrawRow {
            node: draw.node,
            world: scene.graph.world_matrices()[draw.world as usize],
            geometry: draw.geometry,
            material: draw.material,
            receive_shadow: draw.receive_shadow,
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.node.index());
    rows
}

#[test]
fn m84_systems_fed_by_changes_equal_cull_and_the_render_list_after_each_frame() {
    let mut random = Rng::from_env(84);
    let seed = random.state();
    let mut scene = Scene::new();
    let geometries = [0.5, 1.5].map(|size| cube(&scene.assets, size));
    let materials = [material(&scene.assets), scene.assets.add(Material::default())];
    let camera = Node::camera(Camera::default()).with_transform(Camera::default_transform());
    let camera = scene.spawn(camera.named("camera")).unwrap();
    scene.camera_mut(camera).unwrap().layers = 1;
    let (mut cull_set, mut draw_data) = (CullSet::default(), DrawData::default());
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let (mut nodes, mut drawn) = (vec![scene.root()], 0);
    for frame in 0..Effort::pick(300, 3000) {
        for _ in 0..random.below(8) {
            nodes.retain(|&node| scene.graph.contains(node));
            let (node, parent) = (random.pick(&nodes), random.pick(&nodes));
            let [geometry, material] = [0; 2].map(|_| random.below(2));
            let mesh = Mesh::new(geometries[geometry].clone(), materials[material].clone());
            match random.below(12) {
                0 | 1 => {
                    let spawned = Node::group().under(parent).at(random.vec3(4.0));
                    let spawned = if random.one_in(4) { spawned } else { spawned.with(mesh) };
                    nodes.push(scene.spawn(spawned).unwrap());
                }
                2 if node != scene.root() && nodes.len() > 40 => drop(scene.remove(node)),
                3 | 4 => drop(scene.node_mut(node).unwrap().set_translation(random.vec3(4.0))),
                5 => drop(scene.node_mut(node).unwrap().set_visible(!random.one_in(4))),
                6 if node != scene.root() => drop(scene.attach(node, parent)),
                7 if node != scene.root() && random.one_in(4) => scene.detach(node).unwrap(),
                8 => drop(scene.insert(node, mesh)),
                9 if random.one_in(3) => drop(scene.meshes.remove(node)),
                10 => {
                    if let Some(mesh) = scene.mesh_mut(node) {
                        mesh.layers = random.pick(&[1, 2, 3]);
                        mesh.receive_shadow = random.one_in(2);
                    }
                }
                11 => {
                    let bounds = Aabb::new(Vec3::splat(-1.0), random.vec3(1.0).abs());
                    scene.set_bounds(node, Some(bounds).filter(|_| !random.one_in(3))).unwrap();
                }
                // Changes accumulate over updates.
                _ => drop(scene.update()),
            }
        }
        scene.update().unwrap();
        for system in [&mut cull_set as &mut dyn System, &mut draw_data] {
            system.apply(&scene);
        }
        scene.clear_changes();

        let view = scene.view(camera, 1.5).unwrap();
        scene.cull(&view, &mut visible);
        list.build(&scene, &visible, &view);
        let mirrored = cull_set.visible(&view);
        assert_eq!(mirrored, visible.nodes(), "seed {seed}, frame {frame}");
        let draws = draw_data.draws(&mirrored);
        assert_eq!(draws, listed(&scene, &list), "seed {seed}, frame {frame}");
        drawn += draws.len();
    }
    assert!(drawn > 1000, "{drawn} draws");
}
