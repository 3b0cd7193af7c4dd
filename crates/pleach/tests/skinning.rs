//! Skins: palettes, bounds that follow the pose, and rays that meet it. What is right is told
//! by skinning in f64, vertex by vertex (`common/skinning.rs`).

mod common;

use common::figure::{Build, Figure, arm};
use common::plain_ray::Crossing;
use common::skinning::{copies, own_palette, palette, posed, posed_as_a_shader_does, triangles};
use common::{Random, nearly, paint, spawn_cube, world};
use pleach::glam::{DVec3, Mat4, Quat, Vec3};
use pleach::{
    Aabb, Camera, Filter, Geometry, Hit, Instances, Mesh, MorphTarget, Node, NodeId, Part, Ray,
    Scene, SceneUpdate, Skin, Visible,
};

// ---- palettes ----

#[track_caller]
fn assert_palette(scene: &Scene, node: NodeId) {
    let expected = palette(scene, node);
    let matrices = scene.palettes().of(node).expect("a skin has matrices after an update");
    assert_eq!(matrices.len(), expected.len());
    for (joint, (matrix, expected)) in matrices.iter().zip(&expected).enumerate() {
        assert!(nearly(matrix, expected, 1e-5), "joint {joint}: {matrix} is not {expected}");
    }
}

#[test]
fn palettes_are_world_times_inverse_bind_in_every_pose() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let build = Build { bones: 1 + seed as usize * 3, ..Build::default() };
        let figures: Vec<Figure> =
            (0..3).map(|_| Figure::spawn(&mut scene, &mut random, build)).collect();
        for _ in 0..6 {
            for figure in &figures {
                figure.pose(&mut scene, &mut random);
            }
            scene.update().unwrap();
            for figure in &figures {
                assert_palette(&scene, figure.node);
            }
        }
    }
}

#[test]
fn a_bind_matrix_comes_before_the_inverse_binds() {
    let mut random = Random::new(1);
    let mut scene = Scene::new();
    let build = Build { bind_matrix: true, ..Build::default() };
    let figure = Figure::spawn(&mut scene, &mut random, build);
    figure.pose(&mut scene, &mut random);
    scene.update().unwrap();
    assert_palette(&scene, figure.node);

    // three.js's shader in attached mode, where the bind matrix is undone by the inverse of the
    // mesh's world, and the mesh's world then comes on top.
    let skin = scene.skin(figure.node).unwrap();
    let mesh = world(&scene, figure.node);
    for (joint, matrix) in own_palette(&scene, figure.node).into_iter().enumerate() {
        let bone = world(&scene, skin.joints[joint]);
        let vertex = DVec3::new(0.3, -0.7, 1.1);
        let bound = skin.bind_matrix.as_dmat4().transform_point3(vertex);
        let skinned = (bone * skin.inverse_binds[joint].as_dmat4()).transform_point3(bound);
        let in_three = mesh.transform_point3(mesh.inverse().transform_point3(skinned));
        assert!(matrix.transform_point3(vertex).abs_diff_eq(in_three, 1e-3));
    }
}

#[test]
fn the_runs_of_all_skins_lie_one_after_the_other() {
    let mut random = Random::new(2);
    let mut scene = Scene::new();
    let mut figures: Vec<Figure> = (1..6)
        .map(|bones| Figure::spawn(&mut scene, &mut random, Build { bones, ..Build::default() }))
        .collect();
    scene.update().unwrap();
    figures.sort_by_key(|figure| figure.node.index());
    let mut next = 0;
    for figure in &figures {
        let range = scene.palettes().range(figure.node).unwrap();
        assert_eq!(range, next..next + figure.bones.len());
        next = range.end;
    }
    assert_eq!(scene.palettes().matrices().len(), next);

    // One leaves: the others close up, and have their matrices still.
    scene.remove(figures[2].top).unwrap();
    let gone = figures.remove(2);
    scene.update().unwrap();
    assert_eq!(scene.palettes().of(gone.node), None);
    assert_eq!(scene.palettes().matrices().len(), next - gone.bones.len());
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

fn changed(scene: &Scene) -> Vec<NodeId> {
    scene.palettes().changed().map(|(node, _)| node).collect()
}

#[test]
fn only_skeletons_that_moved_are_computed() {
    let mut random = Random::new(3);
    let mut scene = Scene::new();
    let figures: Vec<Figure> =
        (0..8).map(|_| Figure::spawn(&mut scene, &mut random, Build::default())).collect();
    let update = scene.update().unwrap();
    assert_eq!(update.palettes, 8);
    let update = scene.update().unwrap();
    assert_eq!(update, SceneUpdate::default(), "nothing moved");
    assert_eq!(changed(&scene), []);

    for &number in &[5, 2] {
        let mut bone = scene.graph.node_mut(figures[number].bones[0]).unwrap();
        bone.set_rotation(Quat::from_rotation_x(0.4)).unwrap();
    }
    let update = scene.update().unwrap();
    assert_eq!((update.palettes, update.bounds), (2, 2));
    let mut moved = [figures[5].node, figures[2].node];
    moved.sort_by_key(|node| node.index());
    assert_eq!(changed(&scene), moved, "each once, in the order of slots");
    for (node, range) in scene.palettes().changed() {
        assert_eq!(Some(range), scene.palettes().range(node));
    }
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

#[test]
fn moving_a_skinned_node_itself_computes_no_palette_and_leaves_its_bounds() {
    let mut random = Random::new(4);
    let mut scene = Scene::new();
    let figure = Figure::spawn(&mut scene, &mut random, Build::default());
    scene.update().unwrap();
    let before = scene.spatial.world_bounds(figure.node).unwrap();
    scene.graph.node_mut(figure.node).unwrap().set_translation(Vec3::splat(1000.0)).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.moved, update.palettes, update.bounds), (1, 0, 0));
    assert_eq!(scene.spatial.world_bounds(figure.node), Some(before));
}

#[test]
fn removing_what_no_skin_needs_computes_no_palette() {
    let mut random = Random::new(5);
    let mut scene = Scene::new();
    let figures: Vec<Figure> =
        (0..4).map(|_| Figure::spawn(&mut scene, &mut random, Build::default())).collect();
    let bullet = spawn_cube(&mut scene, Vec3::X);
    scene.update().unwrap();
    scene.remove(bullet).unwrap();
    let update = scene.update().unwrap();
    assert_eq!((update.palettes, update.removed), (0, 1));
    figures.iter().for_each(|figure| assert_palette(&scene, figure.node));
}

#[test]
fn a_joint_that_died_keeps_its_last_matrix() {
    for bind_matrix in [Mat4::IDENTITY, Mat4::from_scale(Vec3::splat(2.0))] {
        let mut scene = Scene::new();
        let arm = arm(&mut scene, 3);
        scene.skins.get_mut(&scene.graph, arm.node).unwrap().bind_matrix = bind_matrix;
        scene.graph.node_mut(arm.bones[0]).unwrap().set_translation(Vec3::X * 5.0).unwrap();
        scene.update().unwrap();
        let before = scene.palettes().of(arm.node).unwrap().to_vec();
        scene.remove(arm.bones[2]).unwrap();
        for frame in 0..4 {
            scene.update().unwrap();
            let after = scene.palettes().of(arm.node).unwrap();
            assert_eq!(after[2], before[2], "frame {frame}, bind matrix {bind_matrix}");
            let at = Vec3::new(5.0, frame as f32, 0.0);
            scene.graph.node_mut(arm.bones[0]).unwrap().set_translation(at).unwrap();
        }
    }
}

#[test]
fn a_skin_may_be_given_changed_and_taken_at_any_time() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.graph.node_mut(arm.bones[1]).unwrap().set_translation(Vec3::X * 10.0).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(arm.node).unwrap().max.x > 10.0);

    let skin = scene.skins.remove(arm.node).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.palettes().of(arm.node), None);
    let own = Aabb::new(Vec3::new(-0.25, 0.0, 0.0), Vec3::new(0.25, 0.0, 2.0));
    assert_eq!(scene.spatial.world_bounds(arm.node), Some(own), "where its node stands");

    scene.skins.insert(&scene.graph, arm.node, skin).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(arm.node).unwrap().max.x > 10.0);
    assert_palette(&scene, arm.node);

    let bones: Vec<NodeId> = arm.bones.iter().rev().copied().collect();
    scene.skins.get_mut(&scene.graph, arm.node).unwrap().joints = bones;
    scene.update().unwrap();
    assert_palette(&scene, arm.node);
    assert_posed_inside(&scene, arm.node);
}

#[test]
fn skins_may_share_joints_and_list_one_twice() {
    let mut scene = Scene::new();
    let first = arm(&mut scene, 3);
    let second = arm(&mut scene, 3);
    let joints = vec![first.bones[1], first.bones[1], second.bones[0]];
    scene.skins.get_mut(&scene.graph, second.node).unwrap().joints = joints;
    scene.update().unwrap();
    scene.graph.node_mut(first.bones[1]).unwrap().set_translation(Vec3::Y).unwrap();
    assert_eq!(scene.update().unwrap().palettes, 2);
    for node in [first.node, second.node] {
        assert_palette(&scene, node);
        assert_posed_inside(&scene, node);
    }
}

// ---- attachment ----

#[test]
fn a_sword_in_a_hand_follows_it_in_the_same_frame() {
    let mut random = Random::new(6);
    let mut scene = Scene::new();
    let figure = Figure::spawn(&mut scene, &mut random, Build::default());
    let hand = *figure.bones.last().unwrap();
    let sword = spawn_cube(&mut scene, Vec3::ZERO);
    let grip = random.transform(0.5);
    scene.graph.node_mut(sword).unwrap().set_transform(grip).unwrap();
    scene.graph.attach(sword, hand).unwrap();
    for _ in 0..20 {
        figure.pose(&mut scene, &mut random);
        scene.update().unwrap();
        let worlds = scene.graph.world_matrices();
        let expected = world(&scene, hand) * grip.to_matrix().as_dmat4();
        assert!(nearly(&worlds[sword.index()], &expected, 1e-5));
        assert_palette(&scene, figure.node);
        let bounds = scene.spatial.world_bounds(sword).unwrap();
        assert!(bounds.contains_point(worlds[sword.index()].w_axis.truncate()));
    }
}

#[test]
fn one_step_poses_palette_bounds_sword_and_picture_at_once() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 4);
    let sword = spawn_cube(&mut scene, Vec3::Z);
    scene.graph.attach(sword, arm.bones[3]).unwrap();
    scene.update().unwrap();

    // As a clip does: a bone's local transform, then one update.
    let bend = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    scene.graph.node_mut(arm.bones[0]).unwrap().set_rotation(bend).unwrap();
    scene.update().unwrap();
    assert_palette(&scene, arm.node);
    let sword_at = scene.graph.node(sword).unwrap().world_translation();
    assert!(sword_at.abs_diff_eq(Vec3::new(4.0, 0.0, 0.0), 1e-5), "{sword_at}");
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    assert!(bounds.min.abs_diff_eq(Vec3::new(0.0, 0.0, -0.25), 1e-3), "{bounds:?}");
    assert!(bounds.max.abs_diff_eq(Vec3::new(4.0, 0.0, 0.25), 1e-3), "{bounds:?}");
    let down = Ray::new(Vec3::new(2.5, 5.0, 0.1), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&down, &Filter::default()).unwrap().node, arm.node);
}

// ---- bounds ----

/// Every vertex of a skinned node, in f64 and as a shader would place it, is in its bounds.
#[track_caller]
fn assert_posed_inside(scene: &Scene, node: NodeId) {
    let bounds = scene.spatial.world_bounds(node).expect("a posed mesh has bounds");
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let matrices = scene.palettes().of(node).unwrap();
    let palette = own_palette(scene, node);
    let weights = scene.weights.get(&scene.graph, node).map_or(&[][..], Vec::as_slice);
    for (number, part) in scene.mesh(node).unwrap().parts.iter().enumerate() {
        for vertex in 0..part.geometry.positions.len() {
            let at = posed(&part.geometry, vertex, &palette, weights);
            assert!(
                at.cmpge(min).all() && at.cmple(max).all(),
                "vertex {vertex} of part {number} is at {at}, outside of {bounds:?}",
            );
            let at = posed_as_a_shader_does(&part.geometry, vertex, matrices, weights);
            assert!(
                bounds.contains_point(at),
                "a shader has vertex {vertex} of part {number} at {at}, outside of {bounds:?}",
            );
        }
    }
}

fn pose_often(builds: impl IntoIterator<Item = (u64, Build)>, poses: usize) {
    for (seed, build) in builds {
        let mut random = Random::new(seed);
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
        let mut random = Random::new(seed);
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
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let arm = arm(&mut scene, 3);
        let far = random.direction() * 1000.0;
        let part = &mut scene.meshes.get_mut(&scene.graph, arm.node).unwrap().parts[0];
        part.geometry.make_mut().positions.iter_mut().for_each(|at| *at += far);
        let skin = scene.skins.get_mut(&scene.graph, arm.node).unwrap();
        let back = Mat4::from_translation(-far);
        skin.inverse_binds = skin.inverse_binds.iter().map(|bind| *bind * back).collect();
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
        let mut random = Random::new(7);
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
    let mut random = Random::new(8);
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
        let (bounds, least) = (scene.spatial.world_bounds(arm.node).unwrap(), Aabb::of_points(all));
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
        let mut random = Random::new(9);
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
    let binds = scene.skin(arm.node).unwrap().inverse_binds.clone();
    let wild = binds.iter().map(|bind| *bind * turn * Mat4::from_scale(Vec3::splat(1e20)));
    scene.skins.get_mut(&scene.graph, arm.node).unwrap().inverse_binds = wild.collect();
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
    skin.inverse_binds = skin.inverse_binds[..2].into();
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
    let mut random = Random::new(10);
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

// ---- picking ----

/// A triangle of the scene as a ray sees it, by the plain method.
struct Seen {
    /// Node, copy, part, triangle.
    what: (NodeId, Option<u32>, u32, u32),
    crossing: Crossing,
    /// Of a node with a scale of zero, which is never met.
    is_flat: bool,
}

fn what(hit: &Hit) -> (NodeId, Option<u32>, u32, u32) {
    (hit.node, hit.instance, hit.part, hit.triangle)
}

fn crossings(scene: &Scene, nodes: &[NodeId], ray: &Ray) -> Vec<Seen> {
    let mut all = Vec::new();
    for &node in nodes {
        let mesh = scene.mesh(node).unwrap();
        let world = scene.graph.node(node).unwrap().world().as_dmat4();
        let is_flat = scene.skin(node).is_none() && world.determinant().abs() < 1e-5;
        let parts = 0..mesh.parts.len();
        for (part, copy) in
            parts.flat_map(|part| copies(mesh).into_iter().map(move |it| (part, it)))
        {
            for (triangle, corners) in triangles(scene, node, part, copy).into_iter().enumerate() {
                let what = (node, copy, part as u32, triangle as u32);
                if let Some(crossing) = Crossing::new(ray, corners) {
                    all.push(Seen { what, crossing, is_flat });
                }
            }
        }
    }
    all
}

/// Does the ray come steeply enough for distances to mean something in f32?
fn is_steep(ray: &Ray, crossing: &Crossing) -> bool {
    let [a, b, c] = crossing.corners;
    let normal = (b - a).cross(c - a);
    normal.dot(ray.direction().as_dvec3()).abs() > 0.05 * normal.length()
        && normal.length() > 1e-3 * (b - a).length_squared().max((c - a).length_squared())
}

/// Is it well inside of the triangle, and of the ray?
fn is_sure(ray: &Ray, seen: &Seen) -> bool {
    let Crossing { t, weights, .. } = seen.crossing;
    is_steep(ray, &seen.crossing)
        && !seen.is_flat
        && weights.min_element() > 1e-3
        && t > 1e-3
        && t < f64::from(ray.reach()) - 1e-3
}

/// A hit is one of the plain method's, to the numbers.
#[track_caller]
fn assert_true(ray: &Ray, all: &[Seen], hit: &Hit) {
    let seen = all.iter().find(|seen| seen.what == what(hit));
    let seen = seen.unwrap_or_else(|| panic!("{hit:?} is of a flat triangle"));
    let crossing = &seen.crossing;
    if !is_steep(ray, crossing) {
        return;
    }
    assert!(crossing.is_hit(ray, 1e-3), "{hit:?}, but {crossing:?}");
    let distance = f64::from(hit.distance);
    assert!((distance - crossing.t).abs() < 1e-4 * (1.0 + crossing.t), "{hit:?}, {crossing:?}");
    let weights = hit.barycentrics.as_dvec3();
    assert!(weights.abs_diff_eq(crossing.weights, 1e-2), "{hit:?}, {crossing:?}");
    let [a, b, c] = crossing.corners;
    let place = a * weights.x + b * weights.y + c * weights.z;
    assert!(hit.point.as_dvec3().abs_diff_eq(place, 1e-3), "{hit:?}, {crossing:?}");
    let normal = (b - a).cross(c - a).normalize();
    assert!(hit.normal.as_dvec3().dot(normal).abs() > 1.0 - 1e-3, "{hit:?}, {normal}");
    assert_eq!(hit.front, hit.normal.dot(ray.direction()) < 0.0);
}

/// Puts a ray to a scene and to all triangles of these nodes.
#[track_caller]
fn assert_picks(scene: &mut Scene, nodes: &[NodeId], ray: &Ray) -> bool {
    let all = crossings(scene, nodes, ray);
    let sure = || all.iter().filter(|seen| is_sure(ray, seen));
    let nearest = sure().map(|seen| seen.crossing.t).min_by(f64::total_cmp);
    let hit = scene.pick(ray, &Filter::default());
    if let Some(hit) = &hit {
        assert_true(ray, &all, hit);
    }
    if let Some(nearest) = nearest {
        let hit =
            hit.unwrap_or_else(|| panic!("nothing hit, but there is a triangle at {nearest}"));
        assert!(f64::from(hit.distance) < nearest + 1e-4 * (1.0 + nearest), "{hit:?}, {nearest}");
    }
    let mut hits = Vec::new();
    scene.pick_all(ray, &Filter::default(), &mut hits);
    hits.iter().for_each(|hit| assert_true(ray, &all, hit));
    assert!(hits.is_sorted_by(|a, b| a.distance <= b.distance));
    assert_eq!(hits.first(), hit.as_ref());
    for seen in sure() {
        let times = hits.iter().filter(|hit| what(hit) == seen.what).count();
        assert_eq!(times, 1, "{:?}: {:?}", seen.what, seen.crossing);
    }
    nearest.is_some()
}

#[test]
fn rays_meet_the_posed_triangles_and_no_others() {
    let mut met = 0;
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let build = |seed: u64| Build {
            parts: 1 + seed as usize % 3,
            sets: 1 + seed as usize % 2,
            targets: seed as usize % 4,
            odd_weights: seed.is_multiple_of(2),
            bind_matrix: seed.is_multiple_of(3),
            ..Build::default()
        };
        let figures: Vec<Figure> =
            (0..3).map(|more| Figure::spawn(&mut scene, &mut random, build(seed + more))).collect();
        let mut nodes: Vec<NodeId> = figures.iter().map(|figure| figure.node).collect();
        nodes.push(spawn_cube(&mut scene, Vec3::ZERO));
        let sword = spawn_cube(&mut scene, Vec3::ZERO);
        scene.graph.attach(sword, figures[0].bones[5]).unwrap();
        nodes.push(sword);
        for _ in 0..6 {
            for figure in &figures {
                let near = random.vec3(3.0);
                scene.graph.node_mut(figure.top).unwrap().set_translation(near).unwrap();
                figure.pose(&mut scene, &mut random);
            }
            scene.update().unwrap();
            for _ in 0..15 {
                let ray = Ray::between(random.vec3(12.0), random.vec3(3.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                let ray = if random.one_in(3) { ray.with_reach(8.0) } else { ray };
                met += usize::from(assert_picks(&mut scene, &nodes, &ray));
            }
        }
    }
    assert!(met > 300, "most rays meet something: {met}");
}

#[test]
fn rays_meet_morphed_triangles() {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let positions: Vec<Vec3> = (0..60).map(|_| random.vec3(1.0)).collect();
        let mut geometry = Geometry::from_positions(positions);
        for _ in 0..2 {
            let offsets = (0..60).map(|_| random.vec3(1.0)).collect();
            geometry = geometry.with_morph_target(MorphTarget::from_positions(offsets));
        }
        let (geometry, paint) = (scene.assets.add(geometry), paint(&scene.assets));
        let node = Node::mesh(&geometry, &paint).with_transform(random.transform(1.0));
        let nodes = [scene.spawn(node.clone()).unwrap(), scene.spawn(node.at(Vec3::Y)).unwrap()];
        for _ in 0..6 {
            let weights = vec![random.between(-1.0, 1.0), random.between(0.0, 1.0)];
            scene.set_weights(nodes[0], weights).unwrap();
            let turn = random.rotation();
            scene.graph.node_mut(nodes[1]).unwrap().set_rotation(turn).unwrap();
            scene.update().unwrap();
            for _ in 0..15 {
                let ray = Ray::between(random.vec3(8.0), random.vec3(1.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                assert_picks(&mut scene, &nodes, &ray);
            }
        }
    }
}

#[test]
fn rays_meet_copies_of_morphed_meshes_of_several_parts() {
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut scene = Scene::new();
        let paint = paint(&scene.assets);
        let mut part = || {
            let positions: Vec<Vec3> = (0..15).map(|_| random.vec3(0.7)).collect();
            let offsets = (0..15).map(|_| random.vec3(0.7)).collect();
            let geometry = Geometry::from_positions(positions)
                .with_morph_target(MorphTarget::from_positions(offsets));
            Part { geometry: scene.assets.add(geometry), material: paint.clone() }
        };
        let mut mesh = Mesh::of_parts(vec![part(), part()]);
        let bounds = mesh.parts[0].geometry.bounds().union(&mesh.parts[1].geometry.bounds());
        let matrices = (0..12).map(|_| random.matrix(2.0)).collect();
        mesh.instances = Some(Box::new(Instances::new(bounds, matrices).unwrap()));
        let node = Node::group().with_mesh(mesh).with_transform(random.transform(1.0));
        let nodes = [scene.spawn(node).unwrap()];
        for frame in 0..6 {
            if frame % 2 == 1 {
                scene.set_weights(nodes[0], vec![random.between(-1.0, 2.0)]).unwrap();
            } else {
                let (copy, matrix) = (random.below(12), random.matrix(2.0));
                let mesh = scene.mesh_mut(nodes[0]).unwrap();
                mesh.instances.as_mut().unwrap().set(copy, matrix).unwrap();
            }
            let pose = random.transform(1.0);
            scene.graph.node_mut(nodes[0]).unwrap().set_transform(pose).unwrap();
            scene.update().unwrap();
            for _ in 0..10 {
                let ray = Ray::between(random.vec3(8.0), random.vec3(2.0)).unwrap();
                let ray = Ray::new(ray.origin(), ray.direction()).unwrap();
                assert_picks(&mut scene, &nodes, &ray);
            }
        }
    }
}

/// A quad of one metre square to +Z, that a target lifts by one.
fn lift(scene: &Scene) -> pleach::Handle<Geometry> {
    let corners =
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let quad = Geometry::from_triangles(corners.to_vec(), vec![0, 1, 2, 0, 2, 3]);
    scene.assets.add(quad.with_morph_target(MorphTarget::from_positions(vec![Vec3::Z; 4])))
}

/// How far a ray from (x, 0.2, 10) downwards gets.
fn depth_at(scene: &mut Scene, x: f32) -> Option<f32> {
    let down = Ray::new(Vec3::new(x, 0.2, 10.0), Vec3::NEG_Z).unwrap();
    scene.pick(&down, &Filter::default()).map(|hit| 10.0 - hit.distance)
}

#[test]
fn a_mesh_whose_weights_are_taken_away_is_met_at_rest_again() {
    let mut scene = Scene::new();
    let (lift, paint) = (lift(&scene), paint(&scene.assets));
    let node = scene.spawn(Node::mesh(&lift, &paint)).unwrap();
    for emptied in [false, true] {
        scene.set_weights(node, vec![2.0]).unwrap();
        scene.update().unwrap();
        assert_eq!(depth_at(&mut scene, 0.5), Some(2.0));
        if emptied {
            scene.set_weights(node, Vec::new()).unwrap();
        } else {
            scene.weights.remove(node).unwrap();
        }
        scene.update().unwrap();
        assert_eq!(scene.spatial.world_bounds(node).unwrap().max.z, 0.0);
        assert_eq!(depth_at(&mut scene, 0.5), Some(0.0), "emptied: {emptied}");
    }
}

#[test]
fn copies_of_a_morphed_mesh_are_met_where_they_are() {
    let mut scene = Scene::new();
    let (lift, paint) = (lift(&scene), paint(&scene.assets));
    let mut mesh = Mesh::new(lift.clone(), paint);
    let row = (0..5).map(|x| Mat4::from_translation(Vec3::X * (2.0 * x as f32)));
    mesh.instances = Some(Box::new(Instances::new(lift.bounds(), row.collect()).unwrap()));
    let node = scene.spawn(Node::group().with_mesh(mesh)).unwrap();
    scene.update().unwrap();
    assert_eq!(depth_at(&mut scene, 6.5), Some(0.0));
    scene.set_weights(node, vec![3.0]).unwrap();
    scene.update().unwrap();
    for copy in 0..5 {
        let x = 2.0 * copy as f32 + 0.5;
        assert_eq!(depth_at(&mut scene, x), Some(3.0), "copy {copy}");
        let down = Ray::new(Vec3::new(x, 0.2, 10.0), Vec3::NEG_Z).unwrap();
        let hit = scene.pick(&down, &Filter::default()).unwrap();
        assert_eq!(hit.instance, Some(copy));
    }
    // And seen where they are.
    let bounds = scene.spatial.world_bounds(node).unwrap();
    assert!(bounds.contains_point(Vec3::new(8.5, 0.5, 3.0)), "{bounds:?}");
}

#[test]
fn a_figure_that_was_first_met_while_it_was_flat_is_met_when_it_has_grown() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    scene.graph.node_mut(arm.top).unwrap().set_scale(Vec3::ZERO).unwrap();
    scene.update().unwrap();
    let through = Ray::new(Vec3::new(0.0, 5.0, 0.0), Vec3::NEG_Y).unwrap();
    assert_eq!(scene.pick(&through, &Filter::default()), None, "it has no area");
    scene.graph.node_mut(arm.top).unwrap().set_scale(Vec3::ONE).unwrap();
    scene.update().unwrap();
    for quad in 0..3 {
        let at = Ray::new(Vec3::new(0.1, 5.0, quad as f32 + 0.3), Vec3::NEG_Y).unwrap();
        let hit = scene.pick(&at, &Filter::default()).expect("it has an area now");
        assert_eq!(hit.triangle / 2, quad);
    }
}

#[test]
fn a_mirrored_figure_is_met_from_its_front_as_any_mirrored_mesh_is() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 1);
    let quad = scene.mesh(arm.node).unwrap().parts[0].clone();
    let plain = Node::mesh(&quad.geometry, &quad.material).at(Vec3::X * 5.0);
    let plain = scene.spawn(plain).unwrap();
    scene.update().unwrap();
    for mirrored in [false, true] {
        let scale = if mirrored { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        for node in [arm.top, plain] {
            scene.graph.node_mut(node).unwrap().set_scale(scale).unwrap();
        }
        scene.update().unwrap();
        let mut meet = |x: f32| {
            let ray = Ray::new(Vec3::new(x, -5.0, 0.4), Vec3::Y).unwrap();
            scene.pick(&ray, &Filter::default()).unwrap()
        };
        let (skinned, plain) = (meet(0.1), meet(5.1));
        assert!(plain.front && plain.normal == Vec3::NEG_Y);
        assert_eq!(
            (skinned.front, skinned.normal),
            (plain.front, plain.normal),
            "mirrored: {mirrored}",
        );
    }
}

#[test]
fn picking_twice_and_after_each_move_never_meets_an_old_pose() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.update().unwrap();
    for step in 0..10 {
        let x = step as f32;
        scene
            .graph
            .node_mut(arm.bones[1])
            .unwrap()
            .set_translation(Vec3::new(x, 0.0, 1.0))
            .unwrap();
        let before = Ray::new(Vec3::new(x - 1.0, 5.0, 1.5), Vec3::NEG_Y).unwrap();
        let now = Ray::new(Vec3::new(x, 5.0, 1.5), Vec3::NEG_Y).unwrap();
        if step > 0 {
            assert!(scene.pick(&before, &Filter::default()).is_some(), "as of the last update");
        }
        scene.update().unwrap();
        assert!(scene.pick(&now, &Filter::default()).is_some());
        assert!(scene.pick(&before, &Filter::default()).is_none());
        assert!(scene.pick(&now, &Filter::default()).is_some());
    }
}

#[test]
fn a_ray_that_only_grazes_the_bounds_never_meets_the_pose_it_was_bound_in() {
    // Posed triangles are brought up to date only where the ray meets the posed bounds; what
    // is beyond must not be asked in its old pose.
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 1);
    scene.graph.node_mut(arm.bones[0]).unwrap().set_scale(Vec3::new(1.0, 1.0, 0.5)).unwrap();
    scene.update().unwrap();
    let bounds = scene.spatial.world_bounds(arm.node).unwrap();
    let mut z = bounds.max.z;
    for _ in 0..30 {
        z = z.next_up();
        let ray = Ray::new(Vec3::new(0.0, 5.0, z), Vec3::NEG_Y).unwrap();
        assert_eq!(scene.pick(&ray, &Filter::default()), None, "at {z}, above {bounds:?}");
    }
}

#[test]
fn hidden_and_filtered_figures_are_not_met() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.update().unwrap();
    let ray = Ray::new(Vec3::new(0.1, 5.0, 0.5), Vec3::NEG_Y).unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_some());
    assert!(scene.pick(&ray, &Filter::default().layers(2)).is_none());
    assert!(scene.pick(&ray, &Filter::default().only(&|_| false)).is_none());
    scene.graph.node_mut(arm.top).unwrap().set_visible(false);
    scene.update().unwrap();
    assert!(scene.pick(&ray, &Filter::default()).is_none());
    assert!(scene.pick(&ray, &Filter::default().with_hidden()).is_some());
}

// ---- what a skin refuses ----

#[test]
fn a_skin_says_what_is_wrong_with_it() {
    let mut scene = Scene::new();
    let bone = scene.spawn(Node::group()).unwrap();
    let error = Skin::new(vec![bone; 2], vec![Mat4::IDENTITY]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "skin: 2 joints, but 1 inverse bind matrices; each joint needs one",
    );
    let error = Skin::new(vec![bone; 2], vec![Mat4::IDENTITY, Mat4::NAN]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "skin: the inverse bind matrix of joint 1 must be finite: the inverse of the joint's \
         world matrix when it was bound",
    );
    scene.graph.node_mut(bone).unwrap().set_scale(Vec3::new(1.0, 0.0, 1.0)).unwrap();
    let error = Skin::bound_now(&scene.graph, vec![bone]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "skin: joint {bone} is flat (a scale of zero), so nothing can be bound to it; give it \
             a scale first"
        ),
    );
    scene.remove(bone).unwrap();
    let error = Skin::bound_now(&scene.graph, vec![bone]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("node {bone} is not in this graph: it was removed, or is another graph's"),
    );
}

#[test]
fn bones_are_found_by_place_and_by_name() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let skin = scene.skin(arm.node).unwrap();
    assert_eq!(skin.bone_index(arm.bones[2]), Some(2));
    assert_eq!(skin.bone_index(arm.top), None);
    assert_eq!(skin.bone(&scene.graph, "bone 1"), Some(arm.bones[1]));
    assert_eq!(skin.bone(&scene.graph, "arm"), None, "not a joint");
}
