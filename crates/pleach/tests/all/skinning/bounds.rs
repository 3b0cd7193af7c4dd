//! Bounds: every vertex is inside in every pose, whatever its weights, size and place.

use crate::common::RandomValues;
use pleach::glam::{Mat4, Quat, Vec3};
use pleach::{Aabb, Camera, Filter, Geometry, MorphTarget, Node, Ray, Scene, Visible};
use testkit::Rng;

use super::reference::assert_posed_inside;
use crate::common::character::{Build, Figure, arm};
use crate::common::paint;
use crate::common::skinning::{own_palette, posed, triangles};

fn pose_often(builds: impl IntoIterator<Item = (u64, Build)>, poses: usize) {
    for (seed, build) in builds {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let figure = Figure::spawn(&mut scene, &mut random, build);
        for _ in 0..poses {
            figure.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, figure.node);
        }
    }
}

#[test]
fn every_vertex_is_inside_the_posed_bounds() {
    let build = |seed: u64| Build { bones: 1 + seed as usize, ..Build::default() };
    pose_often((0..20).map(|seed| (seed, build(seed))), 10);
}

#[test]
fn every_vertex_of_several_sets_parts_and_morph_targets_is_inside_the_posed_bounds() {
    let build = |seed: u64| Build {
        sets: 1 + seed as usize % 3,
        parts: 1 + seed as usize % 2,
        targets: seed as usize % 5,
        bind_matrix: seed.is_multiple_of(3),
        ..Build::default()
    };
    pose_often((100..120).map(|seed| (seed, build(seed))), 10);
}

#[test]
fn every_vertex_with_weights_that_do_not_add_up_is_inside_the_posed_bounds() {
    let build = |seed: u64| Build {
        odd_weights: true,
        sets: 1 + seed as usize % 2,
        targets: seed as usize % 3,
        ..Build::default()
    };
    pose_often((200..220).map(|seed| (seed, build(seed))), 10);
}

#[test]
fn every_vertex_is_inside_far_from_the_origin_of_the_world() {
    for seed in 0..10 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let build = Build { targets: 2, ..Build::default() };
        let figure = Figure::spawn(&mut scene, &mut random, build);
        for reach in [1e3, 1e5, 1e7] {
            let far = random.direction() * reach;
            scene.graph.node_mut(figure.top).unwrap().set_translation(far).unwrap();
            figure.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, figure.node);
        }
    }
}

#[test]
fn every_vertex_is_inside_though_modelled_far_from_its_own_origin() {
    // Positions of a thousand metres and bones that bring them back: what is added up is much
    // larger than what comes out.
    for seed in 0..20 {
        let mut random = Rng::new(seed);
        let mut scene = Scene::new();
        let arm = arm(&mut scene, 3);
        let far = random.direction() * 1000.0;
        let part = &mut scene.meshes.get_mut(&scene.graph, arm.node).unwrap().parts[0];
        part.geometry.make_mut().positions.iter_mut().for_each(|at| *at += far);
        let skin = scene.skins.get_mut(&scene.graph, arm.node).unwrap();
        let back = Mat4::from_translation(-far);
        skin.inverse_bind_matrices =
            skin.inverse_bind_matrices.iter().map(|bind| *bind * back).collect();
        for _ in 0..5 {
            for &bone in &arm.bones {
                let turn = random.rotation();
                scene.graph.node_mut(bone).unwrap().set_rotation(turn).unwrap();
            }
            scene.update().unwrap();
            assert_posed_inside(&scene, arm.node);
        }
    }
}

#[test]
fn tiny_and_huge_figures_are_inside_their_bounds() {
    for scale in [1e-12, 1e-4, 1e4, 1e12] {
        let mut random = Rng::new(7);
        let mut scene = Scene::new();
        let build = Build { targets: 2, ..Build::default() };
        let figure = Figure::spawn(&mut scene, &mut random, build);
        scene.graph.node_mut(figure.top).unwrap().set_scale(Vec3::splat(scale)).unwrap();
        for _ in 0..5 {
            figure.pose(&mut scene, &mut random);
            scene.update().unwrap();
            assert_posed_inside(&scene, figure.node);
        }
    }
}

#[test]
fn the_posed_bounds_of_rigid_parts_are_tight() {
    // Quarter turns: the box of each joint's box is that of its vertices.
    let mut random = Rng::new(8);
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 6);
    for _ in 0..20 {
        for &bone in &arm.bones {
            let quarters = random.below(4) as f32 * std::f32::consts::FRAC_PI_2;
            let turn = Quat::from_axis_angle(random.pick(&[Vec3::X, Vec3::Y, Vec3::Z]), quarters);
            scene.graph.node_mut(bone).unwrap().set_rotation(turn).unwrap();
        }
        scene.update().unwrap();
        assert_posed_inside(&scene, arm.node);
        let geometry = &scene.mesh(arm.node).unwrap().parts[0].geometry;
        let palette = own_palette(&scene, arm.node);
        let all =
            (0..geometry.positions.len()).map(|n| posed(geometry, n, &palette, &[]).as_vec3());
        let (bounds, least) =
            (scene.spatial.world_bounds(arm.node).unwrap(), Aabb::from_points(all));
        assert!(bounds.min.abs_diff_eq(least.min, 1e-3), "{bounds:?} {least:?}");
        assert!(bounds.max.abs_diff_eq(least.max, 1e-3), "{bounds:?} {least:?}");
    }
}

#[test]
fn a_limb_that_is_animated_into_view_is_listed() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 4);
    // Sees x from 1.5 on; the arm stands along +Z.
    let camera = Node::camera(Camera::orthographic(2.0)).at(Vec3::new(3.0, 0.0, 20.0));
    let camera = scene.spawn(camera).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [], "not in its bind pose");

    let bend = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    scene.graph.node_mut(arm.bones[1]).unwrap().set_rotation(bend).unwrap();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [arm.node], "its fingers are in view");

    scene.graph.node_mut(arm.bones[1]).unwrap().set_rotation(Quat::IDENTITY).unwrap();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), []);
}

#[test]
fn a_weight_that_is_not_a_number_counts_as_none() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut random = Rng::new(9);
        let mut scene = Scene::new();
        let build = Build { targets: 3, ..Build::default() };
        let figure = Figure::spawn(&mut scene, &mut random, build);
        scene.set_weights(figure.node, vec![0.5, 0.0, 1.0]).unwrap();
        scene.update().unwrap();
        let expected = scene.spatial.world_bounds(figure.node);
        scene.set_weights(figure.node, vec![0.5, bad, 1.0]).unwrap();
        scene.update().unwrap();
        assert_eq!(scene.spatial.world_bounds(figure.node), expected, "{bad}");
    }
}

#[test]
fn weights_whose_sum_is_beyond_all_floats_still_count_as_shares() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.graph.node_mut(arm.top).unwrap().set_translation(Vec3::X * 7.0).unwrap();
    let part = &mut scene.meshes.get_mut(&scene.graph, arm.node).unwrap().parts[0];
    let influences = &mut part.geometry.make_mut().influences[0];
    influences.weights.fill([3e38, 3e38, 0.0, 0.0]);
    scene.update().unwrap();
    assert_posed_inside(&scene, arm.node);
    let ray = Ray::new(Vec3::new(7.1, 5.0, 0.5), Vec3::NEG_Y).unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_some());
}

#[test]
fn a_mesh_has_its_layers_again_after_a_pose_that_was_not_finite() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    let mesh = scene.mesh_mut(arm.node).unwrap();
    (mesh.layers, mesh.frustum_culled) = (0b100, false);
    scene.update().unwrap();
    assert_eq!(scene.spatial.layers(arm.node), Some(0b100));

    // Each is finite, their product is not.
    let turn = Mat4::from_rotation_translation(Quat::from_rotation_x(1.0), Vec3::ONE);
    let binds = scene.skin(arm.node).unwrap().inverse_bind_matrices.clone();
    let wild = binds.iter().map(|bind| *bind * turn * Mat4::from_scale(Vec3::splat(1e20)));
    scene.skins.get_mut(&scene.graph, arm.node).unwrap().inverse_bind_matrices = wild.collect();
    for bone in &arm.bones {
        scene.graph.node_mut(*bone).unwrap().set_scale(Vec3::splat(1e30)).unwrap();
    }
    scene.update().unwrap();
    scene.update().unwrap();
    for bone in &arm.bones {
        scene.graph.node_mut(*bone).unwrap().set_scale(Vec3::splat(1e-20)).unwrap();
    }
    scene.update().unwrap();
    assert_eq!(scene.spatial.layers(arm.node), Some(0b100));
    let camera = scene.spawn(Node::camera(Camera::default()).at(Vec3::Z * 1000.0)).unwrap();
    let mut visible = Visible::new();
    scene.visible_meshes(camera, 1.0, &mut visible).unwrap();
    assert_eq!(visible.nodes(), [arm.node], "no frustum culls it");
}

#[test]
fn vertices_without_a_joint_of_their_skin_do_not_spoil_the_others() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.graph.node_mut(arm.top).unwrap().set_translation(Vec3::X * 7.0).unwrap();
    // One joint less than the geometry names.
    let skin = scene.skins.get_mut(&scene.graph, arm.node).unwrap();
    skin.joints.truncate(2);
    skin.inverse_bind_matrices = skin.inverse_bind_matrices[..2].into();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    assert!(bounds.max.abs_diff_eq(Vec3::new(7.25, 0.0, 2.0), 1e-3), "{bounds:?}");
    let ray = Ray::new(Vec3::new(7.0, 5.0, 1.5), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&ray, &Filter::default()).unwrap().triangle / 2, 1);
    // Whatever becomes of the third quad, a hit on it is inside the bounds it was found by.
    let mut hits = Vec::new();
    for x in [0.0, 7.0] {
        let ray = Ray::new(Vec3::new(x, 5.0, 2.5), Vec3::NEG_Y).unwrap();
        scene.pick_all(&ray, &Filter::default(), &mut hits);
        assert!(hits.iter().all(|hit| bounds.contains_point(hit.point)), "{hits:?}");
    }
}

#[test]
fn morphs_without_a_skin_are_inside_their_bounds() {
    let mut random = Rng::new(10);
    let mut scene = Scene::new();
    let positions: Vec<Vec3> = (0..30).map(|_| random.vec3(1.0)).collect();
    let mut geometry = Geometry::from_positions(positions);
    for _ in 0..3 {
        let offsets = (0..30).map(|_| random.vec3(1.0)).collect();
        geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
    }
    let (geometry, paint) = (scene.assets.add(geometry), paint(&scene.assets));
    let node = Node::mesh(&geometry, &paint).with_transform(random.transform(5.0));
    let node = scene.spawn(node).unwrap();
    for _ in 0..20 {
        scene.set_weights(node, (0..3).map(|_| random.between(-2.0, 2.0)).collect()).unwrap();
        scene.update().unwrap();
        let bounds = scene.spatial.world_bounds(node).unwrap();
        for corner in triangles(&scene, node, 0, None).into_iter().flatten() {
            assert!(bounds.distance(corner.as_vec3()) < 1e-5, "{corner} {bounds:?}");
        }
    }
    // Changing a row in place is noticed as well.
    let far = Vec3::splat(100.0);
    scene.weights.get_mut(&scene.graph, node).unwrap()[0] = 100.0;
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(node).unwrap().size().max_element() > far.x);
}
