//! The stages of a frame by size. The baseline of the joint matrices is a plain loop.
//!
//! `cargo bench -p pleach --bench frame`. Comparisons with other libraries: `peers/ --scene`.

use divan::{Bencher, black_box};
use pleach::glam::{Mat4, Quat, Vec3};
use pleach::shapes::Cuboid;
use pleach::{Camera, Geometry, Material, Node, NodeId, RenderList, Scene, Skin, Visible};

fn main() {
    divan::main();
}

/// Creates skeletons of 64 joints in chains of eight, each with a skinned cube.
fn skinned_crowd(skeletons: usize) -> (Scene, Vec<NodeId>) {
    let mut scene = Scene::new();
    let cube = Cuboid::new(Vec3::ONE).build().unwrap();
    let vertices = cube.positions.len();
    let joints = (0..vertices).map(|i| [i as u16, 63, 0, 0]).collect();
    let cube = cube.with_influences(joints, vec![[0.5, 0.5, 0.0, 0.0]; vertices]);
    let (cube, skin) = (scene.assets.add(cube), scene.assets.add(Material::default()));
    let mut all = Vec::new();
    for i in 0..skeletons {
        let at = Vec3::new((i % 32) as f32, (i / 32) as f32, 0.0);
        let root = scene.spawn(Node::group().at(at)).unwrap();
        let mut joint_nodes = Vec::new();
        for joint in 0..64 {
            let parent = if joint % 8 == 0 { root } else { joint_nodes[joint - 1] };
            let node = Node::group().under(parent).at(Vec3::new(0.0, 0.1, 0.1));
            joint_nodes.push(scene.spawn(node).unwrap());
        }
        let bound = Skin::from_current_pose(&scene.graph, joint_nodes.clone()).unwrap();
        scene.spawn(Node::mesh(&cube, &skin).skinned(bound)).unwrap();
        all.extend(joint_nodes);
    }
    scene.update().unwrap();
    (scene, all)
}

/// Rotates every joint: edits, transforms, joint matrices, posed bounds and the index.
#[divan::bench(args = [10, 100, 1_000])]
fn update_skeletons_of_64_all_moving(bencher: Bencher, skeletons: usize) {
    let (mut scene, joints) = skinned_crowd(skeletons);
    let mut step = 0.0;
    bencher.counter(divan::counter::ItemsCount::new(joints.len())).bench_local(|| {
        step += 0.01;
        let rotation = Quat::from_rotation_x(step);
        for &joint in &joints {
            scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
        }
        scene.update().unwrap()
    });
}

/// Rotates the same joints without skins, so without joint matrices and bounds.
#[divan::bench(args = [10, 100, 1_000])]
fn update_the_same_joints_without_skins(bencher: Bencher, skeletons: usize) {
    let (mut scene, joints) = skinned_crowd(skeletons);
    let skinned: Vec<NodeId> = scene.skins.iter(&scene.graph).map(|(node, _)| node).collect();
    for node in skinned {
        scene.skins.remove(node);
        scene.meshes.remove(node);
    }
    scene.update().unwrap();
    let mut step = 0.0;
    bencher.counter(divan::counter::ItemsCount::new(joints.len())).bench_local(|| {
        step += 0.01;
        let rotation = Quat::from_rotation_x(step);
        for &joint in &joints {
            scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
        }
        scene.update().unwrap()
    });
}

/// A scene as a loader leaves it: half the nodes are groups, half meshes with a geometry of their
/// own.
fn loaded_scene(meshes: usize) -> Scene {
    let mut scene = Scene::new();
    let wood = scene.assets.add(Material::default());
    let side = (meshes as f32).cbrt().ceil() as usize;
    for i in 0..meshes {
        let cell = [i % side, i / side % side, i / side / side];
        let position = Vec3::from_array(cell.map(|at| (at as f32 * 2.3 + i as f32).sin() * 500.0));
        let corners = (0..8).map(|corner| {
            let end = |bit: usize| if corner & bit == 0 { -1.0 } else { (i % 7) as f32 };
            Vec3::new(end(1), end(2), end(4))
        });
        let geometry = scene.assets.add(Geometry::from_positions(corners.collect()));
        let group = scene.spawn(Node::group().at(position)).unwrap();
        let rotation = Quat::from_rotation_z(i as f32);
        scene.spawn(Node::mesh(&geometry, &wood).under(group).rotated(rotation)).unwrap();
    }
    scene
}

/// The first update after loading a file.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn first_update_100k_nodes_50k_meshes(bencher: Bencher) {
    bencher.with_inputs(|| loaded_scene(50_000)).bench_local_refs(|scene| scene.update().unwrap());
}

/// A crowd that shares a mesh of ten thousand vertices.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn first_update_of_1000_skinned_that_share_a_mesh(bencher: Bencher) {
    let shared = || {
        let mut scene = Scene::new();
        let point = |i: u32| Vec3::new((i % 100) as f32, (i / 100) as f32, 0.0);
        let sheet = Geometry::from_positions((0..10_000).map(point).collect());
        let joints = (0..10_000_u16).map(|i| [i % 16, i / 7 % 16, 0, 0]).collect();
        let sheet = sheet.with_influences(joints, vec![[0.5, 0.5, 0.0, 0.0]; 10_000]);
        let (sheet, cloth) = (scene.assets.add(sheet), scene.assets.add(Material::default()));
        for _ in 0..1000 {
            let joint = || Node::group();
            let joints = scene.spawn_all(scene.root(), (0..16).map(|_| joint())).unwrap();
            let skin = Skin::from_current_pose(&scene.graph, joints).unwrap();
            scene.spawn(Node::mesh(&sheet, &cloth).skinned(skin)).unwrap();
        }
        scene
    };
    bencher.with_inputs(shared).bench_local_refs(|scene| scene.update().unwrap());
}

/// The baseline for joint matrices: world times inverse bind matrix, in one pass over arrays.
#[divan::bench(args = [10, 100, 1_000])]
fn multiply_joint_matrices_of_64_by_plain_loop(bencher: Bencher, skeletons: usize) {
    let worlds = vec![Mat4::from_translation(Vec3::X); 64 * skeletons];
    let binds = vec![Mat4::from_rotation_x(1.0); 64 * skeletons];
    let mut matrices = vec![Mat4::IDENTITY; 64 * skeletons];
    bencher.counter(divan::counter::ItemsCount::new(matrices.len())).bench_local(|| {
        for ((matrix, world), bind) in matrices.iter_mut().zip(&worlds).zip(&binds) {
            *matrix = *world * *bind;
        }
        black_box(&matrices);
    });
}

/// Crates on a grid, and a camera that sees about two thousand of them.
fn grid_of_crates(crates: usize) -> (Scene, NodeId, Vec<NodeId>) {
    let mut scene = Scene::new();
    let cube = scene.assets.add(Cuboid::new(Vec3::ONE).build().unwrap());
    let woods: Vec<_> = (0..8).map(|_| scene.assets.add(Material::default())).collect();
    let side = (crates as f32).sqrt().ceil() as usize;
    let position = |i: usize| Vec3::new((i % side) as f32 * 2.0, (i / side) as f32 * 2.0, 0.0);
    let nodes = (0..crates).map(|i| Node::mesh(&cube, &woods[i % 8]).at(position(i)));
    let nodes = scene.spawn_all(scene.root(), nodes).unwrap();
    let camera = Camera::perspective(1.0).with_aspect(1.6).with_near(0.1).with_far(130.0);
    let camera = scene.spawn(Node::camera(camera).at(Vec3::new(-5.0, -5.0, 10.0))).unwrap();
    let ahead = Vec3::new(100.0, 100.0, 0.0);
    scene.node_mut(camera).unwrap().look_at(ahead, Vec3::Z).unwrap();
    scene.update().unwrap();
    (scene, camera, nodes)
}

/// Moves a thousand crates; update, view, cull and list.
#[divan::bench(args = [10_000, 100_000])]
fn frame_with_1000_moving_of_crates(bencher: Bencher, crates: usize) {
    let (mut scene, camera, nodes) = grid_of_crates(crates);
    let (mut visible, mut list, mut step) = (Visible::new(), RenderList::new(), 0.0);
    bencher.bench_local(|| {
        step += 0.01;
        for &node in &nodes[..1000] {
            let at = scene.graph.node(node).unwrap().translation();
            let up = Vec3::new(at.x, at.y, f32::sin(step));
            scene.graph.node_mut(node).unwrap().set_translation(up).unwrap();
        }
        let view = scene.visible_meshes(camera, (1600, 1000), &mut visible).unwrap();
        list.build(&scene, &visible, &view);
        list.opaque().len()
    });
}

#[divan::bench(args = [10_000, 100_000])]
fn list_visible_crates(bencher: Bencher, crates: usize) {
    let (mut scene, camera, _) = grid_of_crates(crates);
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    let view = scene.visible_meshes(camera, (1600, 1000), &mut visible).unwrap();
    bencher.counter(divan::counter::ItemsCount::new(visible.len())).bench_local(|| {
        list.build(&scene, &visible, &view);
        list.opaque().len()
    });
}
