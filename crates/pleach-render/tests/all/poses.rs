//! Skinned, morphed and instanced meshes look like the same triangles baked into world space.

use crate::common::{exact_settings, render};
use pleach::glam::{Mat3, Mat4, Quat, Vec3, Vec4};
use pleach::shapes::{Cylinder, Sphere};
use pleach::{
    Camera, Geometry, Instances, Light, Material, Mesh, MorphTarget, Node, NodeId, Scene, Skin,
    Transform,
};
use pleach_render::Picture;

/// A perspective camera and a directional light.
fn scene_with_camera() -> (Scene, NodeId) {
    let mut scene = Scene::new();
    let transform = Transform::from_xyz(3.0, -6.0, 3.0).looking_at(Vec3::Z, Vec3::Z);
    let camera = scene
        .spawn(
            Node::camera(Camera::perspective(0.5).with_aspect(4.0 / 3.0)).with_transform(transform),
        )
        .unwrap();
    let transform = Transform::from_xyz(-2.0, -3.0, 4.0).looking_at(Vec3::ZERO, Vec3::Z);
    scene.spawn(Node::light(Light::directional(Vec3::ONE, 1.0)).with_transform(transform)).unwrap();
    (scene, camera)
}

fn material() -> Material {
    Material { roughness: 0.4, ..Material::from_color(Vec4::new(0.7, 0.4, 0.2, 1.0)) }
}

/// Renders geometries without transforms.
fn baked(geometries: Vec<Geometry>) -> Picture {
    let (mut scene, camera) = scene_with_camera();
    let material = scene.assets.add(material());
    for geometry in geometries {
        let geometry = scene.assets.add(geometry);
        scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    }
    render(&mut scene, camera, exact_settings())
}

/// Asserts equal colours up to rounding: small differences everywhere, larger ones at a few edge
/// pixels.
fn assert_same(found: &Picture, expected: &Picture, what: &str) {
    let seen = expected.nodes.iter().flatten().count();
    assert!(seen > 300, "{what}: only {seen} pixels show a surface");
    let far = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).any(|i| a[i].abs_diff(b[i]) > 2);
    let other = found.pixels.iter().zip(&expected.pixels).filter(far).count();
    assert!(other <= 3, "{what}: {other} pixels differ");
}

fn transformed(geometry: &Geometry, matrix: &Mat4) -> Geometry {
    let normals = Mat3::from_mat4(*matrix).inverse().transpose();
    let mut out = geometry.clone();
    out.positions.iter_mut().for_each(|it| *it = matrix.transform_point3(*it));
    out.normals.iter_mut().for_each(|it| *it = (normals * *it).normalize());
    if matrix.determinant() < 0.0 {
        out.indices.as_mut().unwrap().chunks_mut(3).for_each(|corners| corners.swap(1, 2));
    }
    out
}

#[test]
fn a_transformed_mesh_looks_like_its_triangles_in_world_space() {
    let ball = Sphere::new(1.0).build().unwrap();
    for scale in [Vec3::ONE, Vec3::new(2.0, 0.5, 1.0), Vec3::new(-1.0, 1.5, 1.0)] {
        let transform = Transform::from_xyz(0.5, 0.0, 1.0)
            .with_rotation(Quat::from_rotation_x(0.7))
            .with_scale(scale);
        let (mut scene, camera) = scene_with_camera();
        let material = scene.assets.add(material());
        let geometry = scene.assets.add(ball.clone());
        scene.spawn(Node::mesh(&geometry, &material).with_transform(transform)).unwrap();
        let found = render(&mut scene, camera, exact_settings());
        let expected = baked(vec![transformed(&ball, &transform.to_matrix())]);
        assert_same(&found, &expected, &format!("scaled by {scale}"));
    }
}

#[test]
fn a_skinned_mesh_looks_like_its_vertices_transformed_one_by_one() {
    // A cylinder that bends in the middle, and is wider at its upper end.
    let pole = Cylinder::new(0.4, 3.0).build().unwrap();
    let weight = |at: &Vec3| ((at.z + 1.5) / 3.0).clamp(0.0, 1.0);
    let weights: Vec<[f32; 4]> =
        pole.positions.iter().map(|at| [1.0 - weight(at), weight(at), 0.0, 0.0]).collect();
    let joints = vec![[0, 1, 0, 0]; pole.positions.len()];

    let (mut scene, camera) = scene_with_camera();
    let lower = scene.spawn(Node::group()).unwrap();
    let upper = scene.spawn(Node::group().under(lower)).unwrap();
    scene.update().unwrap();
    let skin = Skin::from_current_pose(&scene.graph, vec![lower, upper]).unwrap();
    let geometry = scene.assets.add(pole.clone().with_influences(joints, weights));
    let material = scene.assets.add(material());
    let node = Node::mesh(&geometry, &material).skinned(skin).at(Vec3::new(50.0, 0.0, 0.0));
    scene.spawn(node).unwrap();
    scene.node_mut(lower).unwrap().set_translation(Vec3::Z).unwrap();
    let bent = Transform::from_xyz(0.0, 0.2, 0.1)
        .with_rotation(Quat::from_rotation_y(0.8))
        .with_scale(Vec3::new(1.5, 1.0, 1.0));
    scene.node_mut(upper).unwrap().set_transform(bent).unwrap();
    let found = render(&mut scene, camera, exact_settings());

    let [lower, upper] = [lower, upper].map(|it| scene.node(it).unwrap().world());
    let mut moved = pole.clone();
    for (vertex, at) in pole.positions.iter().enumerate() {
        let blend = lower * (1.0 - weight(at)) + upper * weight(at);
        moved.positions[vertex] = blend.transform_point3(*at);
        let normals = Mat3::from_mat4(blend).inverse().transpose();
        moved.normals[vertex] = (normals * pole.normals[vertex]).normalize();
    }
    assert_same(&found, &baked(vec![moved]), "skinned");
}

#[test]
fn a_morphed_mesh_looks_like_the_sum_of_its_targets() {
    let ball = Sphere::new(1.0).build().unwrap();
    let stretch: Vec<Vec3> = ball.positions.iter().map(|at| Vec3::Z * at.z).collect();
    let tilt: Vec<Vec3> = ball.normals.iter().map(|it| Vec3::X * it.z * 0.5).collect();
    let target = MorphTarget {
        positions: stretch.clone().into(),
        normals: tilt.clone().into(),
        ..MorphTarget::default()
    };
    let unused = MorphTarget::from_positions(vec![Vec3::X * 9.0; ball.positions.len()]);
    let geometry = ball.clone().with_morph_target(unused).with_morph_target(target);

    let (mut scene, camera) = scene_with_camera();
    let (geometry, material) = (scene.assets.add(geometry), scene.assets.add(material()));
    let node = scene.spawn(Node::mesh(&geometry, &material)).unwrap();
    scene.set_weights(node, vec![0.0, 0.6]).unwrap();
    let found = render(&mut scene, camera, exact_settings());

    let mut moved = ball;
    for (vertex, (stretch, tilt)) in stretch.iter().zip(tilt).enumerate() {
        moved.positions[vertex] += *stretch * 0.6;
        moved.normals[vertex] = (moved.normals[vertex] + tilt * 0.6).normalize();
    }
    assert_same(&found, &baked(vec![moved]), "morphed");
}

#[test]
fn instances_look_like_separate_meshes() {
    let ball = Sphere::new(0.5).build().unwrap();
    let matrices: Vec<Mat4> = (0..5)
        .map(|i| {
            let i = i as f32;
            Transform::from_xyz(i - 2.0, i * 0.5, 1.0 + 0.2 * i)
                .with_scale(Vec3::new(1.0, 1.0 - 0.1 * i, 1.0 + 0.3 * i))
                .to_matrix()
        })
        .collect();
    let (mut scene, camera) = scene_with_camera();
    let (geometry, material) = (scene.assets.add(ball.clone()), scene.assets.add(material()));
    let mut mesh = Mesh::new(geometry.clone(), material);
    mesh.instances =
        Some(Box::new(Instances::new(geometry.get().bounds(), matrices.clone()).unwrap()));
    let transform = Transform::from_xyz(0.0, 0.0, 0.3).with_rotation(Quat::from_rotation_z(0.2));
    scene.spawn(Node::group().with_mesh(mesh).with_transform(transform)).unwrap();
    let found = render(&mut scene, camera, exact_settings());
    let transform = transform.to_matrix();
    let expected =
        baked(matrices.iter().map(|it| transformed(&ball, &(transform * *it))).collect());
    assert_same(&found, &expected, "instances");
}
