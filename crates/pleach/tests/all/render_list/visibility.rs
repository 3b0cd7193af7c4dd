//! Visibility: by layers, by position in the hierarchy, and per instance.

use pleach::glam::{Mat4, Vec3};
use pleach::{Camera, Filter, Instances, Mesh, Node, Ray, RenderList, Scene, Transform, Visible};
use testkit::Rng;

use super::reference::{assert_list, instances_in_view};
use super::setup::{build_list, camera, nodes, spawn_instance_row};
use crate::common::{cube, material, spawn_cube};

#[test]
fn camera_sees_only_its_layers() {
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
        build_list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), expected, "{layers:b}");
    }
}

#[test]
fn hidden_detached_and_removed_nodes_are_not_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.attach(cube, group).unwrap();
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [cube]);

    // Hidden by an ancestor.
    scene.graph.node_mut(group).unwrap().set_visible(false);
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
    scene.graph.node_mut(group).unwrap().set_visible(true);
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [cube]);

    scene.remove(group).unwrap();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
}

#[test]
fn nodes_outside_of_the_scene_root_are_neither_drawn_nor_picked() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let group = scene.spawn(Node::group()).unwrap();
    let cube = spawn_cube(&mut scene, Vec3::ZERO);
    scene.graph.attach(cube, group).unwrap();
    let mut into = RenderList::new();
    let mut visible = Visible::new();
    let ray = Ray::new(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y).unwrap();
    for _ in 0..2 {
        build_list(&mut scene, camera, &mut into);
        assert_eq!(nodes(&into), [cube]);
        assert!(scene.pick(&ray, &Filter::default()).is_some());

        scene.graph.detach(group).unwrap();
        let view = scene.visible_meshes(camera, 1.5, &mut visible).unwrap();
        assert_eq!(visible.nodes(), [], "outside of the scene until attached again");
        into.build(&scene, &visible, &view);
        assert_eq!(nodes(&into), []);
        assert!(scene.pick(&ray, &Filter::default()).is_none());
        scene.graph.attach(group, scene.root()).unwrap();
    }
}

#[test]
fn visible_child_of_a_culled_parent_is_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let parent = spawn_cube(&mut scene, Vec3::X * 100.0);
    let child = spawn_cube(&mut scene, Vec3::X * -100.0);
    scene.graph.attach(child, parent).unwrap();
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [child]);
}

// ---- instances ----

#[test]
fn instances_are_culled_individually() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = spawn_instance_row(&mut scene);
    let mut into = RenderList::new();
    let view = build_list(&mut scene, camera, &mut into);
    assert_list(&scene, &view, &into);
    let instances = into.instances().to_vec();
    assert!((10..40).contains(&instances.len()), "{instances:?}");
    assert!(instances.contains(&50), "the instance at the origin");
    assert_eq!(into.opaque()[0].instances, 0..instances.len() as u32);

    // Moving the node by ten instances shifts the list by ten.
    scene.graph.node_mut(row).unwrap().set_translation(Vec3::X * 20.0).unwrap();
    build_list(&mut scene, camera, &mut into);
    let moved: Vec<u32> = instances.iter().map(|instance| instance - 10).collect();
    assert_eq!(into.instances(), moved);

    // One instance is moved out of view.
    let mesh = scene.mesh_mut(row).unwrap();
    let instances = mesh.instances.as_mut().unwrap();
    assert!(instances.set(moved[3] as usize, Mat4::from_translation(Vec3::Z * 500.0)).unwrap());
    build_list(&mut scene, camera, &mut into);
    assert_eq!(into.instances().len(), moved.len() - 1);
    assert!(!into.instances().contains(&moved[3]));
}

#[test]
fn mesh_without_visible_instances_is_not_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = spawn_instance_row(&mut scene);
    // The camera looks between two instances, within the bounds of the mesh.
    let mesh = scene.mesh_mut(row).unwrap();
    let instances = [-50.0, 50.0].map(|x| Mat4::from_translation(Vec3::X * x)).to_vec();
    let bounds = mesh.parts[0].geometry.get().bounds();
    mesh.instances = Some(Box::new(Instances::new(bounds, instances).unwrap()));
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), []);
    assert!(into.instances().is_empty());
}

#[test]
fn instances_exempt_from_culling_are_all_drawn() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = spawn_instance_row(&mut scene);
    scene.mesh_mut(row).unwrap().frustum_culled = false;
    scene.graph.node_mut(row).unwrap().set_translation(Vec3::Y * 500.0).unwrap();
    let mut into = RenderList::new();
    build_list(&mut scene, camera, &mut into);
    assert_eq!(nodes(&into), [row]);
    assert!(into.instances().iter().copied().eq(0..101));
}

#[test]
fn instances_far_from_the_origin_are_not_culled_wrongly() {
    // Instances at the edge of the view, 100 km from the origin.
    for seed in 170..190 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let far = random.direction() * 1e5;
        let cube = cube(&scene.assets, 1.0);
        let instances = (0..200).map(|_| Mat4::from_translation(random.vec3(20.0))).collect();
        let mut mesh = Mesh::new(cube.clone(), material(&scene.assets));
        mesh.instances = Some(Box::new(Instances::new(cube.get().bounds(), instances).unwrap()));
        let node = Node::group().with_mesh(mesh).at(far).rotated(random.rotation());
        let node = scene.spawn(node).unwrap();
        let transform = Transform::from_translation(far + random.vec3(10.0));
        let transform = Transform { rotation: random.rotation(), ..transform };
        let eye = scene.spawn(Node::camera(Camera::default()).with_transform(transform)).unwrap();
        let mut into = RenderList::new();
        let view = build_list(&mut scene, eye, &mut into);
        let (certain, _) = instances_in_view(&scene, &view, node);
        let lost: Vec<u32> =
            certain.into_iter().filter(|instance| !into.instances().contains(instance)).collect();
        assert!(lost.is_empty(), "{lost:?} have corners in view");
    }
}
