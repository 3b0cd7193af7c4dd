//! Culling: the nodes that are shown and in view, in the order of slots, by any method.

use pleach_graph::NodeId;
use pleach_spatial::glam::{Quat, Vec3};
use pleach_spatial::{
    Aabb, CullMethod, CullReason, CullView, DEFAULT_LAYERS, Filter, QueryKernel, Side, Visible,
};

use super::test_scene::{Scene, UNIT, camera, forward_frustum, forward_ray};
use crate::common::queries::assert_consistent;

#[test]
fn hiding_a_grandparent_hides_the_mesh() {
    let mut scene = Scene::new();
    let grandparent = scene.add(None, 0.0, 0.0, 0.0);
    let parent = scene.add(grandparent, 0.0, 0.0, 0.0);
    let mesh = scene.add_mesh(parent, 0.0, 10.0, 0.0);
    scene.frame();
    assert_eq!(scene.cull(), [mesh]);
    scene.set_visible(grandparent, false);
    scene.frame();
    assert_eq!(scene.cull(), []);
    assert_eq!(scene.index.raycast_aabb(&forward_ray(), &Filter::default()), None);
    assert_eq!(scene.cull_with(&forward_frustum(), &Filter::default().with_hidden()), [mesh]);
    scene.set_visible(grandparent, true);
    scene.frame();
    assert_eq!(scene.cull(), [mesh]);
    // Below a hidden node from the beginning.
    scene.set_visible(parent, false);
    let born_hidden = scene.add_mesh(parent, 3.0, 10.0, 0.0);
    scene.frame();
    assert_eq!(scene.cull(), []);
    scene.set_visible(parent, true);
    scene.frame();
    assert_eq!(scene.cull(), [mesh, born_hidden]);
}

#[test]
fn bounds_after_a_move_are_those_at_the_new_position() {
    let mut scene = Scene::new();
    let parent = scene.add(None, 0.0, 0.0, 0.0);
    let mesh = scene.add_mesh(parent, 0.0, 10.0, 0.0);
    scene.frame();
    scene.set_translation(parent, 100.0, 0.0, 0.0);
    let moved = Aabb::from_center_half(Vec3::new(100.0, 10.0, 0.0), Vec3::ONE);
    // Without an update, on the next line.
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, mesh), Some(moved));
    scene.frame();
    assert_eq!(scene.index.world_bounds(mesh), Some(moved));
    assert_eq!(scene.cull(), []);
}

/// The box of a node does not affect its children.
#[test]
fn a_child_in_view_is_listed_if_its_parent_is_out_of_view() {
    let mut scene = Scene::new();
    let parent = scene.add_mesh(None, 0.0, -10.0, 0.0);
    let child = scene.add_mesh(parent, 0.0, 30.0, 0.0);
    scene.frame();
    assert_eq!(scene.cull(), [child]);
    assert_eq!(scene.cull_reason(parent, &Filter::default()), CullReason::Outside(Side::Left));
    let both = scene.index.subtree_bounds(&scene.graph, parent).unwrap();
    assert!(forward_frustum().intersects(&both), "the box of both is in view");
}

/// Bounds of a pose, set each frame.
#[test]
fn a_node_whose_new_bounds_are_in_view_is_listed() {
    let mut scene = Scene::new();
    let skin = scene.add(None, 60.0, 10.0, 0.0);
    scene.set_bounds(skin, Aabb::from_center_half(Vec3::ZERO, Vec3::ONE));
    scene.frame();
    assert_eq!(scene.cull(), []);
    let pose = [Vec3::ZERO, Vec3::new(-55.0, 0.0, 0.0)];
    scene.set_bounds(skin, Aabb::from_points(pose));
    assert_eq!(scene.frame().computed, 1);
    assert_eq!(scene.cull(), [skin]);
}

#[test]
fn geometry_without_vertices_has_no_bounds() {
    let mut scene = Scene::new();
    let empty = scene.add(None, 0.0, 10.0, 0.0);
    assert_eq!(Aabb::from_xyz(&[]), None);
    scene.set_bounds(empty, Aabb::from_points([]));
    scene.frame();
    assert!(!scene.index.contains(empty) && scene.index.is_empty());
    assert_eq!(scene.cull(), []);
    assert_eq!(scene.index.world_bounds(empty), None);
    assert_eq!(scene.index.compute_world_bounds(&scene.graph, empty), None);
    assert_eq!(scene.index.bounds(), Aabb::EMPTY);
    // A node that loses its vertices is removed, with its layers.
    scene.set_bounds(empty, UNIT);
    scene.index.set_layers(empty, 6).unwrap();
    scene.frame();
    scene.set_bounds(empty, Aabb::EMPTY);
    assert!(!scene.index.contains(empty));
    scene.set_bounds(empty, UNIT);
    assert_eq!(scene.index.layers(empty), Some(DEFAULT_LAYERS));
}

#[test]
fn nodes_without_bounds_are_never_listed() {
    let mut scene = Scene::new();
    let group = scene.add(None, 0.0, 10.0, 0.0);
    let mesh = scene.add_mesh(group, 0.0, 0.0, 0.0);
    scene.frame();
    assert_eq!(scene.cull(), [mesh]);
    assert_eq!(scene.cull_reason(group, &Filter::default()), CullReason::NoBounds);
}

#[test]
fn several_views_of_one_scene_are_independent() {
    let mut scene = Scene::new();
    let north = scene.add_mesh(None, 0.0, 10.0, 0.0);
    let south = scene.add_mesh(None, 0.0, -10.0, 0.0);
    let ghost = scene.add_mesh(None, 3.0, 10.0, 0.0);
    scene.index.set_layers(ghost, 0b10).unwrap();
    scene.frame();
    let back = camera(Vec3::ZERO, Vec3::NEG_Y);
    let above = camera(Vec3::new(0.0, 0.0, 50.0), Vec3::NEG_Z);
    let not_north = |node: NodeId| node != north;
    let views = [
        CullView { frustum: forward_frustum(), filter: Filter::default() },
        CullView { frustum: back, filter: Filter::default() },
        CullView { frustum: forward_frustum(), filter: Filter::default().with_layers(0b10) },
        CullView {
            frustum: above,
            filter: Filter::default().with_layers(0b01).with_predicate(&not_north),
        },
    ];
    let expected: [&[NodeId]; 4] = [&[north, ghost], &[south], &[ghost], &[south]];
    for method in [CullMethod::Scan, CullMethod::Tree] {
        scene.index.set_cull_method(method);
        let mut visible = Vec::new();
        for _ in 0..2 {
            scene.index.cull_each(&views, &mut visible);
            assert!(visible.iter().map(Visible::nodes).eq(expected));
        }
        // Results belong to the caller: culling again does not change others.
        let first = visible[0].clone();
        scene.index.cull(&back, &Filter::default(), &mut visible[1]);
        assert_eq!(first.nodes(), visible[0].nodes());
        scene.index.cull_each(&views[..1], &mut visible);
        assert_eq!(visible.len(), 1);
    }
    // From several threads, too.
    std::thread::scope(|threads| {
        for (view, expected) in views.iter().zip(expected) {
            let index = &scene.index;
            threads.spawn(move || {
                let mut visible = Visible::new();
                index.cull(&view.frustum, &view.filter, &mut visible);
                assert_eq!(visible.nodes(), expected);
            });
        }
    });
}

#[test]
fn one_visible_can_be_reused_for_scenes_of_any_size() {
    let mut visible = Visible::new();
    for count in [300, 3, 0, 100] {
        let mut scene = Scene::new();
        let meshes: Vec<NodeId> =
            (0..count).map(|_| scene.add_mesh(None, 0.0, 10.0, 0.0)).collect();
        scene.frame();
        scene.index.cull(&forward_frustum(), &Filter::default(), &mut visible);
        assert_eq!(visible.nodes(), meshes);
        assert_consistent(&visible);
    }
}

/// The order is by slot, for any history of the tree.
#[test]
fn results_are_sorted_by_slot_after_any_history() {
    let mut scene = Scene::new();
    let meshes: Vec<NodeId> = (0..200).map(|_| scene.add_mesh(None, 0.0, 10.0, 0.0)).collect();
    scene.frame();
    for &mesh in meshes.iter().step_by(3) {
        scene.index.remove(mesh);
    }
    for &mesh in meshes.iter().step_by(3).rev() {
        scene.set_bounds(mesh, UNIT);
    }
    scene.graph.node_mut(meshes[5]).unwrap().set_rotation(Quat::from_rotation_z(1.0)).unwrap();
    scene.frame();
    assert_eq!(scene.cull(), meshes);
    let mut hits = Vec::new();
    scene.index.raycast_aabb_all(&forward_ray(), &Filter::default(), &mut hits);
    // All are hit, all but the rotated one at the same distance.
    assert_eq!(hits[0].node, meshes[5]);
    assert!(hits[1..].is_sorted_by_key(|hit| hit.node.index()));
    assert_eq!(hits.len(), 200);
    let mut near = Vec::new();
    scene.index.nearest(Vec3::new(0.0, 10.0, 0.0), 3, &Filter::default(), &mut near);
    assert!(near.iter().map(|near| near.node).eq(meshes[..3].iter().copied()));
}

#[test]
fn getters_return_the_settings() {
    let mut scene = Scene::new();
    assert_eq!(scene.index.cull_method(), CullMethod::default());
    for method in [CullMethod::Scan, CullMethod::Tree, CullMethod::TreeFrom(7)] {
        scene.index.set_cull_method(method);
        assert_eq!(scene.index.cull_method(), method);
    }
    assert_eq!(scene.index.kernel(), QueryKernel::best());
    for kernel in QueryKernel::ALL {
        let before = scene.index.kernel();
        let available = kernel.is_available();
        assert_eq!(scene.index.set_kernel(kernel), available);
        assert_eq!(scene.index.kernel(), if available { kernel } else { before });
    }
}
