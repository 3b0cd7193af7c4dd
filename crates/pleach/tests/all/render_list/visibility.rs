//! What is drawn and what is not: by layers, by its place in the tree, and copies one by one.

use pleach::glam::{Mat4, Vec3};
use pleach::{Camera, Filter, Instances, Mesh, Node, Ray, RenderList, Scene, Transform, Visible};
use testkit::Rng;

use super::reference::{assert_list, copies_in_view};
use super::setup::{camera, list, nodes, row};
use crate::common::{cube, paint, spawn_cube};

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

#[test]
fn copies_are_culled_one_by_one() {
    let mut scene = Scene::new();
    let camera = camera(&mut scene);
    let row = row(&mut scene);
    let mut into = RenderList::new();
    let view = list(&mut scene, camera, &mut into);
    assert_list(&scene, &view, &into);
    let copies = into.instances().to_vec();
    assert!((10..40).contains(&copies.len()), "{copies:?}");
    assert!(copies.contains(&50), "the one in the middle");
    assert_eq!(into.opaque()[0].instances, 0..copies.len() as u32);

    // The node moves by ten copies, and so does the list.
    scene.graph.node_mut(row).unwrap().set_translation(Vec3::X * 20.0).unwrap();
    list(&mut scene, camera, &mut into);
    let moved: Vec<u32> = copies.iter().map(|copy| copy - 10).collect();
    assert_eq!(into.instances(), moved);

    // One copy is moved away.
    let mesh = scene.mesh_mut(row).unwrap();
    let instances = mesh.instances.as_mut().unwrap();
    assert!(instances.set(moved[3] as usize, Mat4::from_translation(Vec3::Z * 500.0)).unwrap());
    list(&mut scene, camera, &mut into);
    assert_eq!(into.instances().len(), moved.len() - 1);
    assert!(!into.instances().contains(&moved[3]));
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
    assert!(into.instances().is_empty());
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
    assert!(into.instances().iter().copied().eq(0..101));
}

#[test]
fn copies_far_from_the_origin_are_not_lost() {
    // Copies whose middles are in view at an edge of the picture, all at 100 km.
    for seed in 170..190 {
        let mut random = Rng::new(seed);
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
            sure.into_iter().filter(|copy| !into.instances().contains(copy)).collect();
        assert!(lost.is_empty(), "{lost:?} have corners in view");
    }
}
