//! Edits of shared assets: bounds, culling, picking and the render list follow, in all scenes.

use pleach::glam::{Vec3, Vec4};
use pleach::{
    AlphaMode, AssetKind, Camera, Filter, Geometry, Handle, Material, MorphTarget, Node, NodeId,
    Ray, RenderList, Scene, Visible, shapes,
};

use crate::common::character::arm;
use crate::common::{cube, material, spawn_cube};

const RED: Vec4 = Vec4::new(1.0, 0.0, 0.0, 1.0);

fn scale(geometry: &Handle<Geometry>, factor: f32) {
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| *at *= factor));
}

fn world_max(scene: &Scene, node: NodeId) -> Vec3 {
    scene.spatial.world_bounds(node).unwrap().max
}

/// Returns what a ray along -Z hits at this x and y.
fn pick(scene: &mut Scene, x: f32, y: f32) -> Option<NodeId> {
    let ray = Ray::new(Vec3::new(x, y, 50.0), Vec3::NEG_Z).unwrap();
    scene.pick(&ray, &Filter::default()).map(|hit| hit.node)
}

/// Returns the draws of a view from above, as (opaque, transparent).
fn draws(scene: &mut Scene, camera: NodeId, list: &mut RenderList) -> (Vec<NodeId>, Vec<NodeId>) {
    scene.update().unwrap();
    let view = scene.view(camera, (640, 480)).unwrap();
    let mut visible = Visible::new();
    scene.cull(&view, &mut visible);
    list.build(scene, &visible, &view);
    let nodes = |draws: &[pleach::Draw]| draws.iter().map(|draw| draw.node).collect();
    (nodes(list.opaque()), nodes(list.transparent()))
}

fn camera_above(scene: &mut Scene) -> NodeId {
    let camera = Node::camera(Camera::orthographic(20.0)).at(Vec3::Z * 20.0);
    scene.spawn(camera).unwrap()
}

#[test]
fn d_shared_geometry_edit_moves_bounds_and_picks_of_all_users_in_all_scenes() {
    let (mut one, mut two) = (Scene::new(), Scene::new());
    let (cube, paint) = (cube(&one.assets, 1.0), material(&one.assets));
    let [a, b] = [0.0, 10.0].map(|x| one.spawn(Node::mesh(&cube, &paint).at(Vec3::X * x)).unwrap());
    let c = two.spawn(Node::mesh(&cube, &paint).at(Vec3::Y * 10.0)).unwrap();
    let other = spawn_cube(&mut two, Vec3::Z * 3.0);
    one.update().unwrap();
    two.update().unwrap();
    assert_eq!((pick(&mut one, 11.5, 0.0), pick(&mut two, 1.5, 10.0)), (None, None));
    let id = cube.id();

    scale(&cube, 4.0);
    assert_eq!(world_max(&one, a), Vec3::splat(0.5), "as of the last update");
    assert_eq!(one.update().unwrap().bounds, 2);
    assert_eq!(world_max(&one, a), Vec3::splat(2.0));
    assert_eq!(world_max(&one, b), Vec3::new(12.0, 2.0, 2.0));
    assert_eq!((pick(&mut one, 11.5, 0.0), pick(&mut one, 1.5, 0.0)), (Some(b), Some(a)));
    assert_eq!(two.update().unwrap().bounds, 1, "only the mesh that uses it");
    assert_eq!(world_max(&two, c), Vec3::new(2.0, 12.0, 2.0));
    assert_eq!(pick(&mut two, 1.5, 10.0), Some(c));
    assert_eq!(world_max(&two, other).z, 3.5);
    assert_eq!((cube.id(), cube.version()), (id, 2));

    // Nothing is computed again without another edit.
    assert_eq!((one.update().unwrap().bounds, two.update().unwrap().bounds), (0, 0));
    scale(&cube, 0.25);
    one.update().unwrap();
    assert_eq!((pick(&mut one, 11.5, 0.0), world_max(&one, a)), (None, Vec3::splat(0.5)));
}

#[test]
fn d_shared_geometry_edit_is_culled_by_its_new_bounds() {
    let mut scene = Scene::new();
    let camera = camera_above(&mut scene);
    let node = spawn_cube(&mut scene, Vec3::X * 100.0);
    let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
    let mut list = RenderList::new();
    assert_eq!(draws(&mut scene, camera, &mut list).0, []);
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| at.x -= 100.0));
    assert_eq!(draws(&mut scene, camera, &mut list).0, [node]);
    // Without vertices there is nothing to draw.
    geometry.set(Geometry::default());
    assert_eq!(draws(&mut scene, camera, &mut list).0, []);
    geometry.set(shapes::Cuboid::new(Vec3::splat(300.0)).build().unwrap());
    assert_eq!(draws(&mut scene, camera, &mut list).0, [node]);
}

#[test]
fn d_shared_geometry_edit_moves_the_bounds_and_posed_triangles_of_skins() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.update().unwrap();
    let geometry = scene.mesh(arm.node).unwrap().parts[0].geometry.clone();
    let before = scene.spatial.world_bounds(arm.node).unwrap();
    let center = before.center();
    let across = |scene: &mut Scene, x: f32| {
        let ray = Ray::new(Vec3::new(x, 500.0, center.z + 0.01), Vec3::NEG_Y).unwrap();
        scene.pick(&ray, &Filter::default()).is_some()
    };
    assert!(across(&mut scene, center.x + 0.01));
    geometry.edit(|it| it.positions.iter_mut().for_each(|at| at.x += 50.0));
    scene.update().unwrap();
    let after = scene.spatial.world_bounds(arm.node).unwrap();
    assert!((after.center().x - center.x - 50.0).abs() < 0.01, "{before:?} {after:?}");
    assert!(!across(&mut scene, center.x + 0.01) && across(&mut scene, center.x + 50.01));
}

#[test]
fn d_shared_geometry_edit_moves_morphed_triangles() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let geometry = scene.mesh(node).unwrap().parts[0].geometry.clone();
    let vertices = geometry.get().positions.len();
    let target = |by: f32| MorphTarget::from_positions(vec![Vec3::X * by; vertices]);
    geometry.edit(|it| it.morph_targets.push(target(10.0)));
    scene.set_weights(node, vec![1.0]).unwrap();
    scene.update().unwrap();
    assert_eq!(
        (pick(&mut scene, 10.1, 0.2), world_max(&scene, node).x.round()),
        (Some(node), 11.0)
    );
    geometry.edit(|it| it.morph_targets[0] = target(20.0));
    scene.update().unwrap();
    assert_eq!((pick(&mut scene, 10.1, 0.2), pick(&mut scene, 20.1, 0.2)), (None, Some(node)));
    assert_eq!(world_max(&scene, node).x.round(), 21.0);
}

#[test]
fn d_shared_material_edit_moves_draws_between_opaque_and_transparent() {
    let mut scene = Scene::new();
    let camera = camera_above(&mut scene);
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let paint = scene.mesh(node).unwrap().parts[0].material.clone();
    scene.mesh_mut(node).unwrap().is_static = true;
    let mut list = RenderList::new();
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![node], vec![]));
    let version = list.static_version();
    paint.edit(|it| it.alpha_mode = AlphaMode::Blend);
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![], vec![node]));
    assert_ne!(list.static_version(), version);
    let draw = list.transparent()[0].clone();
    assert_eq!(scene.assets.get::<Material>(draw.material), Some(paint.clone()));
    assert!(scene.assets.get::<Geometry>(draw.geometry).is_some());
    paint.edit(|it| it.alpha_mode = AlphaMode::Opaque);
    assert_eq!(draws(&mut scene, camera, &mut list), (vec![node], vec![]));
}

#[test]
fn d_shared_material_edit_paints_a_hundred_crates_by_one_call() {
    let mut scene = Scene::new();
    let (cube, wood) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let iron = material(&scene.assets);
    let crates: Vec<NodeId> = (0..100)
        .map(|i| scene.spawn(Node::mesh(&cube, &wood).at(Vec3::X * i as f32)).unwrap())
        .collect();
    let safe = scene.spawn(Node::mesh(&cube, &iron)).unwrap();
    let mut reader = scene.assets.change_reader();
    scene.update().unwrap();

    wood.edit(|it| it.base_color = RED);
    let color = |node| scene.mesh(node).unwrap().parts[0].material.get().base_color;
    assert!(crates.iter().all(|&node| color(node) == RED));
    assert_eq!(color(safe), Vec4::ONE);
    let changes = reader.read();
    let edited: Vec<_> = changes.edited().iter().map(|it| (it.id, it.kind, it.version)).collect();
    assert_eq!(edited, [(wood.id(), AssetKind::Material, 2)]);
    assert!(changes.unused().is_empty());
}
