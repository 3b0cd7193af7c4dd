//! The character: one skinned mesh of capsules and spheres, each bound to a joint.

use pleach::glam::{Quat, Vec3};
use pleach::shapes::{Capsule, Sphere};
use pleach::{Error, Geometry, Node, NodeId, Scene, Skin};

use super::courtyard::{matte, rotation_x_quarters};

/// Joints: the name, the index of the parent in the list, and the translation.
const JOINTS: [(&str, Option<usize>, Vec3); 7] = [
    ("hips", None, Vec3::new(0.0, 0.0, 0.95)),
    ("spine", Some(0), Vec3::new(0.0, 0.0, 0.15)),
    ("head", Some(1), Vec3::new(0.0, 0.0, 0.65)),
    ("arm_L", Some(1), Vec3::new(0.38, 0.0, 0.4)),
    ("arm_R", Some(1), Vec3::new(-0.38, 0.0, 0.4)),
    ("hand_R", Some(4), Vec3::new(0.0, 0.0, -0.6)),
    ("legs", Some(0), Vec3::new(0.0, 0.0, -0.1)),
];

/// Spawns the character and returns its node and its right hand.
pub(super) fn spawn(scene: &mut Scene) -> Result<(NodeId, NodeId), Error> {
    let character = scene.spawn(Node::group().named("character"))?;
    let mut joints: Vec<NodeId> = Vec::new();
    for (name, parent, at) in JOINTS {
        let parent = parent.map_or(character, |parent| joints[parent]);
        joints.push(scene.spawn(Node::group().named(name).under(parent).at(at))?);
    }
    scene.graph.update();
    let at = |joint: usize| scene.graph.node(joints[joint]).map(|node| node.world_translation());

    // One geometry in the current pose of the joints.
    let mut body = Geometry::default();
    let limb = |radius, length| Capsule::new(radius, length).build();
    add(&mut body, limb(0.26, 0.45)?, 1, at(1)? + Vec3::Z * 0.2, Quat::IDENTITY);
    add(&mut body, Sphere::new(0.2).build()?, 2, at(2)? + Vec3::Z * 0.1, Quat::IDENTITY);
    add(&mut body, limb(0.09, 0.5)?, 3, at(3)? - Vec3::Z * 0.3, rotation_x_quarters(0.1));
    add(&mut body, limb(0.09, 0.5)?, 4, at(4)? - Vec3::Z * 0.3, Quat::IDENTITY);
    add(&mut body, Sphere::new(0.1).build()?, 5, at(5)?, Quat::IDENTITY);
    for side in [-0.14, 0.14] {
        let leg = at(6)? + Vec3::new(side, 0.0, -0.38);
        add(&mut body, limb(0.12, 0.7)?, 6, leg, Quat::IDENTITY);
    }
    let body = scene.assets.add(body);
    let cloth = scene.assets.add(matte(0.55, 0.12, 0.1).named("cloth"));
    let skin = Skin::from_current_pose(&scene.graph, joints.clone())?;
    scene.spawn(Node::mesh(&body, &cloth).named("body").under(character).skinned(skin))?;
    Ok((character, joints[5]))
}

/// Appends a piece bound to a joint.
fn add(body: &mut Geometry, piece: Geometry, joint: u16, at: Vec3, rotation: Quat) {
    let first = body.positions.len() as u32;
    let count = piece.positions.len();
    body.positions.extend(piece.positions.iter().map(|&position| at + rotation * position));
    body.normals.extend(piece.normals.iter().map(|&normal| rotation * normal));
    let triangles = piece.triangles().flatten().map(|vertex| first + vertex);
    body.indices.get_or_insert_default().extend(triangles);
    if body.influences.is_empty() {
        body.influences.push(pleach::Influences::default());
    }
    let influences = &mut body.influences[0];
    influences.joints.extend(std::iter::repeat_n([joint, 0, 0, 0], count));
    influences.weights.extend(std::iter::repeat_n([1.0, 0.0, 0.0, 0.0], count));
}
