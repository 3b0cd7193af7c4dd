//! Bounds of skinned meshes: every vertex is inside in every pose, for any weights, size and position.

use crate::common::RandomValues;
use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Aabb, Camera, Filter, Geometry, MorphTarget, Node, Ray, Scene, Visible};
use testkit::Rng;

use super::reference::assert_posed_inside;
use crate::common::character::{Character, CharacterOptions, arm};
use crate::common::material;
use crate::common::skinning::{posed, scene_joint_matrices, triangles};

fn assert_bounds_in_random_poses(
    cases: impl IntoIterator<Item = (u64, CharacterOptions)>,
    poses: usize,
) {
    for (seed, options) in cases {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let character = Character::spawn(&mut scene, &mut random, options);
        for _ in 0..poses {
            character.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, character.node);
        }
    }
}

#[test]
fn vertices_are_within_the_posed_bounds() {
    let options =
        |seed: u64| CharacterOptions { joints: 1 + seed as usize, ..CharacterOptions::default() };
    assert_bounds_in_random_poses((0..20).map(|seed| (seed, options(seed))), 10);
}

#[test]
fn vertices_with_several_sets_parts_and_morph_targets_are_within_the_posed_bounds() {
    let options = |seed: u64| CharacterOptions {
        influence_sets: 1 + seed as usize % 3,
        parts: 1 + seed as usize % 2,
        targets: seed as usize % 5,
        bind_matrix: seed.is_multiple_of(3),
        ..CharacterOptions::default()
    };
    assert_bounds_in_random_poses((100..120).map(|seed| (seed, options(seed))), 10);
}

#[test]
fn vertices_with_unnormalized_weights_are_within_the_posed_bounds() {
    let options = |seed: u64| CharacterOptions {
        unnormalized_weights: true,
        influence_sets: 1 + seed as usize % 2,
        targets: seed as usize % 3,
        ..CharacterOptions::default()
    };
    assert_bounds_in_random_poses((200..220).map(|seed| (seed, options(seed))), 10);
}

#[test]
fn vertices_are_within_the_bounds_far_from_the_world_origin() {
    for seed in 0..10 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let options = CharacterOptions { targets: 2, ..CharacterOptions::default() };
        let character = Character::spawn(&mut scene, &mut random, options);
        for extent in [1e3, 1e5, 1e7] {
            let far = random.direction() * extent;
            scene.graph.node_mut(character.root).unwrap().set_translation(far).unwrap();
            character.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, character.node);
        }
    }
}

#[test]
fn vertices_are_within_the_bounds_far_from_the_local_origin() {
    // Positions at 1000 m, moved back by the joints: the summands are much larger than the
    // result.
    for seed in 0..20 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let arm = arm(&mut scene, 3);
        let far = random.direction() * 1000.0;
        let part = &mut scene.meshes.get_mut(&scene.graph, arm.node).unwrap().parts[0];
        part.geometry.make_unique().edit(|it| it.positions.iter_mut().for_each(|at| *at += far));
        let skin = scene.skins.get_mut(&scene.graph, arm.node).unwrap();
        let back = Mat4::from_translation(-far);
        skin.inverse_bind_matrices =
            skin.inverse_bind_matrices.iter().map(|bind| *bind * back).collect();
        for _ in 0..5 {
            for &joint in &arm.joints {
                let rotation = random.rotation();
                scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
            }
            scene.update().unwrap();
            assert_posed_inside(&scene, arm.node);
        }
    }
}

#[test]
fn tiny_and_huge_characters_are_within_their_bounds() {
    for scale in [1e-12, 1e-4, 1e4, 1e12] {
        let mut random = Rng::new(7);
        let mut scene = Scene::new();
        let options = CharacterOptions { targets: 2, ..CharacterOptions::default() };
        let character = Character::spawn(&mut scene, &mut random, options);
        scene.graph.node_mut(character.root).unwrap().set_scale(Vec3::splat(scale)).unwrap();
        for _ in 0..5 {
            character.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, character.node);
        }
    }
}

#[test]
fn posed_bounds_of_rigid_parts_are_tight() {
    // Rotations by quarters: the bounds of a joint's rotated box equal those of its vertices.
    let mut random = Rng::new(8);
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 6);
    for _ in 0..20 {
        for &joint in &arm.joints {
            let quarters = random.below(4) as f32 * std::f32::consts::FRAC_PI_2;
            let rotation =
                Quat::from_axis_angle(random.pick(&[Vec3::X, Vec3::Y, Vec3::Z]), quarters);
            scene.graph.node_mut(joint).unwrap().set_rotation(rotation).unwrap();
        }
        scene.update().unwrap();
        assert_posed_inside(&scene, arm.node);
        let geometry = &scene.mesh(arm.node).unwrap().parts[0].geometry;
        let matrices = scene_joint_matrices(&scene, arm.node);
        let all = (0..geometry.get().positions.len())
            .map(|n| posed(&geometry.get(), n, &matrices, &[]).as_vec3());
        let (bounds, expected) =
            (scene.spatial.world_bounds(arm.node).unwrap(), Aabb::from_points(all));
        assert!(bounds.min.abs_diff_eq(expected.min, 1e-3), "{bounds:?} {expected:?}");
        assert!(bounds.max.abs_diff_eq(expected.max, 1e-3), "{bounds:?} {expected:?}");
    }
}

#[test]
fn limb_animated_into_view_is_visible() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 4);
    // The camera sees x > 1.5; the arm is along +Z.
    let camera = Node::camera(Camera::orthographic(2.0)).at(Vec3::new(3.0, 0.0, 20.0));
    let camera = scene.spawn(camera).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [], "not visible in its bind pose");

    let bend = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    scene.graph.node_mut(arm.joints[1]).unwrap().set_rotation(bend).unwrap();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [arm.node], "its end is in view");

    scene.graph.node_mut(arm.joints[1]).unwrap().set_rotation(Quat::IDENTITY).unwrap();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), []);
}

#[test]
fn nan_weight_is_treated_as_zero() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut random = Rng::new(9);
        let mut scene = Scene::new();
        let options = CharacterOptions { targets: 3, ..CharacterOptions::default() };
        let character = Character::spawn(&mut scene, &mut random, options);
        scene.set_weights(character.node, vec![0.5, 0.0, 1.0]).unwrap();
        scene.update().unwrap();
        let expected = scene.spatial.world_bounds(character.node);
        scene.set_weights(character.node, vec![0.5, bad, 1.0]).unwrap();
        scene.update().unwrap();
        assert_eq!(scene.spatial.world_bounds(character.node), expected, "{bad}");
    }
}

#[test]
fn weights_whose_sum_overflows_are_still_normalized() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.graph.node_mut(arm.root).unwrap().set_translation(Vec3::X * 7.0).unwrap();
    let part = &mut scene.meshes.get_mut(&scene.graph, arm.node).unwrap().parts[0];
    part.geometry.edit(|it| it.influences[0].weights.fill([3e38, 3e38, 0.0, 0.0]));
    scene.update().unwrap();
    assert_posed_inside(&scene, arm.node);
    let ray = Ray::new(Vec3::new(7.1, 5.0, 0.5), Vec3::NEG_Y).unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_some());
}

#[test]
fn mesh_keeps_its_layers_after_a_pose_that_was_not_finite() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    let mesh = scene.mesh_mut(arm.node).unwrap();
    (mesh.layers, mesh.frustum_culled) = (0b100, false);
    scene.update().unwrap();
    assert_eq!(scene.spatial.layers(arm.node), Some(0b100));

    // Each matrix is finite, but their product is not.
    let rotation = Mat4::from_rotation_translation(Quat::from_rotation_x(1.0), Vec3::ONE);
    let binds = scene.skin(arm.node).unwrap().inverse_bind_matrices.clone();
    let scaled = binds.iter().map(|bind| *bind * rotation * Mat4::from_scale(Vec3::splat(1e20)));
    scene.skins.get_mut(&scene.graph, arm.node).unwrap().inverse_bind_matrices = scaled.collect();
    for joint in &arm.joints {
        scene.graph.node_mut(*joint).unwrap().set_scale(Vec3::splat(1e30)).unwrap();
    }
    scene.update().unwrap();
    scene.update().unwrap();
    for joint in &arm.joints {
        scene.graph.node_mut(*joint).unwrap().set_scale(Vec3::splat(1e-20)).unwrap();
    }
    scene.update().unwrap();
    assert_eq!(scene.spatial.layers(arm.node), Some(0b100));
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 1000.0)).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [arm.node], "frustum culling is disabled");
}

#[test]
fn vertices_with_invalid_joints_do_not_affect_others() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.graph.node_mut(arm.root).unwrap().set_translation(Vec3::X * 7.0).unwrap();
    // One joint fewer than the geometry refers to.
    let skin = scene.skins.get_mut(&scene.graph, arm.node).unwrap();
    skin.joints.truncate(2);
    skin.inverse_bind_matrices = skin.inverse_bind_matrices[..2].into();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    assert!(bounds.max.abs_diff_eq(Vec3::new(7.25, 0.0, 2.0), 1e-3), "{bounds:?}");
    let ray = Ray::new(Vec3::new(7.0, 5.0, 1.5), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().triangle / 2, 1);
    // The third quad is undefined, but hits on it are within the bounds.
    let mut hits = Vec::new();
    for x in [0.0, 7.0] {
        let ray = Ray::new(Vec3::new(x, 5.0, 2.5), Vec3::NEG_Y).unwrap();
        scene.pick_all(&ray, &Filter::default(), &mut hits);
        assert!(hits.iter().all(|hit| bounds.contains_point(hit.point)), "{hits:?}");
    }
}

#[test]
fn morphed_meshes_without_a_skin_are_within_their_bounds() {
    let mut random = Rng::new(10);
    let mut scene = Scene::new();
    let positions: Vec<Vec3> = (0..30).map(|_| random.vec3(1.0)).collect();
    let mut geometry = Geometry::from_positions(positions);
    for _ in 0..3 {
        let offsets = (0..30).map(|_| random.vec3(1.0)).collect();
        geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
    }
    let (geometry, material) = (scene.assets.add(geometry), material(&scene.assets));
    let node = Node::mesh(&geometry, &material).with_transform(random.transform(5.0));
    let node = scene.spawn(node).unwrap();
    for _ in 0..20 {
        scene.set_weights(node, (0..3).map(|_| random.between(-2.0, 2.0)).collect()).unwrap();
        scene.update().unwrap();
        let bounds = scene.spatial.world_bounds(node).unwrap();
        for corner in triangles(&scene, node, 0, None).into_iter().flatten() {
            assert!(bounds.distance(corner.as_vec3()) < 1e-5, "{corner} {bounds:?}");
        }
    }
    // Weights changed in place are detected as well.
    let far = Vec3::splat(100.0);
    scene.weights.get_mut(&scene.graph, node).unwrap()[0] = 100.0;
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(node).unwrap().size().max_element() > far.x);
}
