//! Skins: inserted, changed and removed at any time, with shared or dead joints; and rejected skins.

use pleach::glam::{Mat4, Vec3};
use pleach::{Aabb, Node, NodeId, Scene, Skin};

use super::reference::{assert_joint_matrices, assert_posed_inside};
use crate::common::character::arm;

#[test]
fn dead_joint_keeps_its_last_matrix() {
    for bind_matrix in [Mat4::IDENTITY, Mat4::from_scale(Vec3::splat(2.0))] {
        let mut scene = Scene::new();
        let arm = arm(&mut scene, 3);
        scene.skins.get_mut(&scene.graph, arm.node).unwrap().bind_matrix = bind_matrix;
        scene.graph.node_mut(arm.joints[0]).unwrap().set_translation(Vec3::X * 5.0).unwrap();
        scene.update().unwrap();
        let before = scene.joint_matrices().get(arm.node).unwrap().to_vec();
        scene.remove(arm.joints[2]).unwrap();
        for frame in 0..4 {
            scene.update().unwrap();
            let after = scene.joint_matrices().get(arm.node).unwrap();
            assert_eq!(after[2], before[2], "frame {frame}, bind matrix {bind_matrix}");
            let at = Vec3::new(5.0, frame as f32, 0.0);
            scene.graph.node_mut(arm.joints[0]).unwrap().set_translation(at).unwrap();
        }
    }
}

#[test]
fn skin_can_be_inserted_changed_and_removed_at_any_time() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 2);
    scene.graph.node_mut(arm.joints[1]).unwrap().set_translation(Vec3::X * 10.0).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(arm.node).unwrap().max.x > 10.0);

    let skin = scene.skins.remove(arm.node).unwrap();
    scene.update().unwrap();
    assert_eq!(scene.joint_matrices().get(arm.node), None);
    let local_bounds = Aabb::new(Vec3::new(-0.25, 0.0, 0.0), Vec3::new(0.25, 0.0, 2.0));
    assert_eq!(scene.spatial.world_bounds(arm.node), Some(local_bounds), "at its own node");

    scene.skins.insert(&scene.graph, arm.node, skin).unwrap();
    scene.update().unwrap();
    assert!(scene.spatial.world_bounds(arm.node).unwrap().max.x > 10.0);
    assert_joint_matrices(&scene, arm.node);

    let joints: Vec<NodeId> = arm.joints.iter().rev().copied().collect();
    scene.skins.get_mut(&scene.graph, arm.node).unwrap().joints = joints;
    scene.update().unwrap();
    assert_joint_matrices(&scene, arm.node);
    assert_posed_inside(&scene, arm.node);
}

#[test]
fn skins_can_share_and_repeat_joints() {
    let mut scene = Scene::new();
    let first = arm(&mut scene, 3);
    let second = arm(&mut scene, 3);
    let joints = vec![first.joints[1], first.joints[1], second.joints[0]];
    scene.skins.get_mut(&scene.graph, second.node).unwrap().joints = joints;
    scene.update().unwrap();
    scene.graph.node_mut(first.joints[1]).unwrap().set_translation(Vec3::Y).unwrap();
    assert_eq!(scene.update().unwrap().skins, 2);
    for node in [first.node, second.node] {
        assert_joint_matrices(&scene, node);
        assert_posed_inside(&scene, node);
    }
}

#[test]
fn invalid_skins_are_rejected() {
    let mut scene = Scene::new();
    let joint = scene.spawn(Node::group()).unwrap();
    let error = Skin::new(vec![joint; 2], vec![Mat4::IDENTITY]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "skin: 2 joints, but 1 inverse bind matrices; each joint needs one",
    );
    let error = Skin::new(vec![joint; 2], vec![Mat4::IDENTITY, Mat4::NAN]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "skin: the inverse bind matrix of joint 1 must be finite: the inverse of the joint's \
         world matrix in the bind pose",
    );
    scene.graph.node_mut(joint).unwrap().set_scale(Vec3::new(1.0, 0.0, 1.0)).unwrap();
    let error = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "skin: the world matrix of joint {joint} is singular (a scale of zero), so nothing can \
             be bound to it; give it a scale first"
        ),
    );
    scene.remove(joint).unwrap();
    let error = Skin::from_current_pose(&scene.graph, vec![joint]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("node {joint} is not in this graph: it was removed, or belongs to another graph"),
    );
}

#[test]
fn joints_are_found_by_index_and_by_name() {
    let mut scene = Scene::new();
    let arm = arm(&mut scene, 3);
    let skin = scene.skin(arm.node).unwrap();
    assert_eq!(skin.joint_index(arm.joints[2]), Some(2));
    assert_eq!(skin.joint_index(arm.root), None);
    assert_eq!(skin.joint_by_name(&scene.graph, "joint 1"), Some(arm.joints[1]));
    assert_eq!(skin.joint_by_name(&scene.graph, "arm"), None, "not a joint");
}
