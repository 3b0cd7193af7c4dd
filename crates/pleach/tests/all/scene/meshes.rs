//! Meshes: parts, instances and weights, bounded and picked as of the last update.

use pleach::glam::{Mat4, Vec3};
use pleach::{
    Aabb, Camera, Filter, Geometry, Handle, Instances, Mesh, Node, Part, Ray, RenderList, Scene,
    Visible, shapes,
};
use pleach_spatial::CullReason;

use super::camera::camera;
use crate::common::{cube, material, spawn_cube};

#[test]
fn geometry_and_material_of_a_mesh_can_be_replaced() {
    let mut scene = Scene::new();
    let node = spawn_cube(&mut scene, Vec3::ZERO);
    let mesh = scene.mesh(node).unwrap();
    assert!(mesh.cast_shadow && mesh.receive_shadow && mesh.frustum_culled);
    assert!(!mesh.is_static && mesh.transparent.is_none() && mesh.instances.is_none());
    scene.update().unwrap();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 0.5);

    let large = cube(&scene.assets, 4.0);
    scene.mesh_mut(node).unwrap().parts[0].geometry = large.clone();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 0.5, "as of the last update");
    assert_eq!(scene.update().unwrap().bounds, 1);
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 2.0);
    let down = Ray::new(Vec3::new(1.5, 0.2, 9.0), Vec3::NEG_Z).unwrap();
    assert!(scene.pick(&down, &Filter::default()).is_some());

    // A copy of its own is changed.
    let geometry = &mut scene.mesh_mut(node).unwrap().parts[0].geometry;
    geometry.make_unique().edit(|it| it.positions.iter_mut().for_each(|at| *at *= 0.5));
    scene.update().unwrap();
    assert_eq!(scene.spatial.world_bounds(node).unwrap().max.x, 1.0);
    assert!(scene.pick(&down, &Filter::default()).is_none());
    assert_eq!(large.get().bounds().max.x, 2.0, "other handles keep the old value");
}

#[test]
fn mesh_of_several_parts_is_bounded_and_picked_per_part() {
    let mut scene = Scene::new();
    let material = material(&scene.assets);
    let part = |x: f32| {
        let mut geometry = shapes::Cuboid::new(Vec3::ONE).build().unwrap();
        geometry.positions.iter_mut().for_each(|at| at.x += x);
        Part { geometry: scene.assets.add(geometry), material: material.clone() }
    };
    let mesh = Mesh::from_parts(vec![part(0.0), part(5.0), part(10.0)]);
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert_eq!((bounds.min.x, bounds.max.x), (-0.5, 10.5));
    for (number, x) in [0.1, 5.1, 10.1].into_iter().enumerate() {
        let ray = Ray::new(Vec3::new(x, 0.2, 9.0), Vec3::NEG_Z).unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().part, number as u32);
    }
}

#[test]
fn empty_geometry_has_no_bounds() {
    let mut scene = Scene::new();
    let material = material(&scene.assets);
    let empty = scene.assets.add(Geometry::default());
    let node = scene.spawn(Node::mesh(&empty, &material)).unwrap();
    let camera = camera(&mut scene);
    let mut visible = Visible::new();
    let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(scene.spatial.world_bounds(node), None);
    let mut list = RenderList::new();
    list.build(&scene, &visible, &view);
    assert!(list.opaque().is_empty());
    // Vertices are added later.
    let cube = cube(&scene.assets, 1.0);
    scene.mesh_mut(node).unwrap().parts[0].geometry = cube;
    scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [node]);
}

fn instance_row(cube: &Handle<Geometry>) -> Instances {
    let matrices = (0..10).map(|x| Mat4::from_translation(Vec3::X * (3 * x) as f32));
    Instances::new(cube.get().bounds(), matrices.collect()).unwrap()
}

#[test]
fn instances_are_picked_individually() {
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    let mut mesh = Mesh::new(cube.clone(), material);
    mesh.instances = Some(Box::new(instance_row(&cube)));
    let node = Node::group().with_mesh(mesh).at(Vec3::Y * 2.0).scaled(Vec3::splat(2.0));
    let node = scene.spawn(node).unwrap();
    scene.update().unwrap();
    let bounds = Aabb::new(Vec3::new(-1.0, 1.0, -1.0), Vec3::new(55.0, 3.0, 1.0));
    assert_eq!(scene.spatial.world_bounds(node), Some(bounds));
    for instance in 0..10 {
        let ray = Ray::new(Vec3::new(6.0 * instance as f32 + 0.3, 2.4, 9.0), Vec3::NEG_Z).unwrap();
        let hit = scene.pick(&ray, &Filter::default()).unwrap();
        assert_eq!((hit.node, hit.instance, hit.distance), (node, Some(instance), 8.0));
        let between =
            Ray::new(Vec3::new(6.0 * instance as f32 + 3.0, 2.4, 9.0), Vec3::NEG_Z).unwrap();
        assert!(scene.pick(&between, &Filter::default()).is_none());
    }
}

#[test]
fn weights_can_be_set_before_and_after_the_mesh() {
    let mut scene = Scene::new();
    let node = scene.spawn(Node::group()).unwrap();
    scene.set_weights(node, vec![2.0]).unwrap();
    scene.update().unwrap();
    let quad = Geometry::from_positions(vec![Vec3::ZERO, Vec3::X, Vec3::Y])
        .with_morph_target(pleach::MorphTarget::from_positions(vec![Vec3::Z; 3]));
    let mesh = Mesh::new(scene.assets.add(quad), material(&scene.assets));
    scene.meshes.insert(&scene.graph, node, mesh).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert!((bounds.max.z - 2.0).abs() < 1e-5);
    let down = Ray::new(Vec3::new(0.2, 0.2, 9.0), Vec3::NEG_Z).unwrap();
    assert_eq!(scene.pick(&down, &Filter::default()).unwrap().distance, 7.0);
}

#[test]
fn a9_detached_nodes_are_not_in_the_bounds_and_have_a_reason_of_their_own() {
    let mut scene = Scene::new();
    let camera = scene.spawn(Node::camera(Camera::default())).unwrap();
    let near = spawn_cube(&mut scene, Vec3::ZERO);
    let far = spawn_cube(&mut scene, Vec3::X * 100.0);
    scene.mesh_mut(far).unwrap().layers = 0b11;
    scene.update().unwrap();
    assert!(scene.spatial.bounds().max.x > 100.0);

    scene.graph.detach(far).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.bounds().max.x < 1.0);
    assert_eq!(scene.spatial.layers(far), Some(0b11));
    assert_eq!(scene.spatial.world_bounds(far).unwrap().max.x, 100.5);
    let view = scene.view(camera, (64, 64)).unwrap();
    let reason = |node| {
        scene.spatial.cull_reason(&scene.graph, node, &view.frustum, &Filter::default()).unwrap()
    };
    assert_eq!(reason(far), CullReason::Detached);
    assert_ne!(reason(near), CullReason::Detached);

    // It moves, and its mesh changes, while it is detached.
    scene.mesh_mut(far).unwrap().layers = 0b1;
    scene.graph.node_mut(far).unwrap().set_translation(Vec3::X * 50.0).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.bounds().max.x < 1.0);
    scene.graph.attach(far, scene.root()).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.bounds();
    assert!(bounds.max.x > 50.0 && bounds.max.x < 51.0);
    assert_eq!(scene.check(), []);
}
