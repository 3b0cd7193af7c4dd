//! The dense matrices of a render list, compared with those of the nodes.

use pleach::glam::{DMat3, Mat3, Mat4, Vec3};
use pleach::{Camera, Node, RenderList, Scene, Transform, View, Visible};
use testkit::{Rng, allocations};

use crate::common::character::{Character, CharacterOptions};
use crate::common::{cube, material};

#[test]
fn m13_c8_matrices_of_what_is_drawn_are_dense_and_in_draw_order() {
    let mut random = Rng::from_env(13);
    let seed = random.state();
    let mut scene = Scene::new();
    let (cube, material) = (cube(&scene.assets, 1.0), material(&scene.assets));
    for number in 0..300 {
        let scale = match number % 5 {
            0 => Vec3::new(1.0, 0.0, 2.0),
            1 => Vec3::ZERO,
            _ => random.scale(),
        };
        let transform =
            Transform { translation: random.vec3(8.0), rotation: random.rotation(), scale };
        let node = scene.spawn(Node::mesh(&cube, &material).with_transform(transform)).unwrap();
        scene.mesh_mut(node).unwrap().transparent = Some(number % 3 == 0);
    }
    Character::spawn(&mut scene, &mut random, CharacterOptions::default());
    scene.update().unwrap();
    let view = View::new(&Camera::default(), Camera::default_transform(), 1.5).unwrap();
    let (mut visible, mut list) = (Visible::new(), RenderList::new());
    scene.cull(&view, &mut visible);
    list.build(&scene, &visible, &view);
    assert!(list.world_matrices().is_empty() && list.normal_matrices().is_empty(), "not requested");

    let mut list = list.with_matrices();
    for _ in 0..2 {
        list.build(&scene, &visible, &view);
        let draws: Vec<_> = list.opaque().iter().chain(list.transparent()).collect();
        assert!(draws.len() > 50 && draws.iter().any(|draw| draw.joint_matrices.is_some()));
        assert_eq!(list.world_matrices().len(), draws.len());
        assert_eq!(list.normal_matrices().len(), draws.len());
        for (index, draw) in draws.iter().enumerate() {
            let (world, normal) = (list.world_matrices()[index], list.normal_matrices()[index]);
            assert!(world.is_finite() && normal.is_finite());
            if draw.joint_matrices.is_some() {
                assert_eq!((world, normal), (Mat4::IDENTITY, Mat3::IDENTITY));
                continue;
            }
            let node = scene.node(draw.node).unwrap();
            assert_eq!(world, node.world(), "seed {seed}, draw {index}");
            assert_eq!(normal, node.normal_matrix());
            let linear = DMat3::from_mat4(world.as_dmat4());
            if linear.determinant().abs() > 1e-3 {
                let expected = linear.inverse().transpose();
                let size =
                    expected.to_cols_array().iter().fold(0.0, |max: f64, it| max.max(it.abs()));
                assert!(normal.as_dmat3().abs_diff_eq(expected, 1e-5 * size.max(1.0)), "{normal}");
            }
        }
    }
    let (count, ()) = allocations::count(|| list.build(&scene, &visible, &view));
    assert_eq!(count, 0);
}
