//! The character: one skinned mesh of capsules and a ball, each bound to a bone.

use pleach::glam::{Quat, Vec3};
use pleach::shapes::{Capsule, Sphere};
use pleach::{Error, Geometry, Node, NodeId, Scene, Skin};

use super::courtyard::{paint, quarter_turns_x};

/// A bone: its name, the place of its parent in the list, and where it is from there.
const BONES: [(&str, Option<usize>, Vec3); 7] = [
    ("hips", None, Vec3::new(0.0, 0.0, 0.95)),
    ("spine", Some(0), Vec3::new(0.0, 0.0, 0.15)),
    ("head", Some(1), Vec3::new(0.0, 0.0, 0.65)),
    ("arm_L", Some(1), Vec3::new(0.38, 0.0, 0.4)),
    ("arm_R", Some(1), Vec3::new(-0.38, 0.0, 0.4)),
    ("hand_R", Some(4), Vec3::new(0.0, 0.0, -0.6)),
    ("legs", Some(0), Vec3::new(0.0, 0.0, -0.1)),
];

/// Spawns it; gives the character and its right hand.
pub(super) fn spawn(scene: &mut Scene) -> Result<(NodeId, NodeId), Error> {
    let character = scene.spawn(Node::group().named("character"))?;
    let mut bones: Vec<NodeId> = Vec::new();
    for (name, parent, at) in BONES {
        let parent = parent.map_or(character, |parent| bones[parent]);
        bones.push(scene.spawn(Node::group().named(name).under(parent).at(at))?);
    }
    scene.graph.update();
    let at = |bone: usize| scene.graph.node(bones[bone]).map(|node| node.world_translation());

    // All in one geometry, where the bones are now.
    let mut body = Geometry::default();
    let limb = |radius, length| Capsule::new(radius, length).build();
    add(&mut body, limb(0.26, 0.45)?, 1, at(1)? + Vec3::Z * 0.2, Quat::IDENTITY);
    add(&mut body, Sphere::new(0.2).build()?, 2, at(2)? + Vec3::Z * 0.1, Quat::IDENTITY);
    add(&mut body, limb(0.09, 0.5)?, 3, at(3)? - Vec3::Z * 0.3, quarter_turns_x(0.1));
    add(&mut body, limb(0.09, 0.5)?, 4, at(4)? - Vec3::Z * 0.3, Quat::IDENTITY);
    add(&mut body, Sphere::new(0.1).build()?, 5, at(5)?, Quat::IDENTITY);
    for side in [-0.14, 0.14] {
        let leg = at(6)? + Vec3::new(side, 0.0, -0.38);
        add(&mut body, limb(0.12, 0.7)?, 6, leg, Quat::IDENTITY);
    }
    let body = scene.assets.add(body);
    let cloth = scene.assets.add(paint(0.55, 0.12, 0.1).named("cloth"));
    let skin = Skin::from_current_pose(&scene.graph, bones.clone())?;
    scene.spawn(Node::mesh(&body, &cloth).named("body").under(character).skinned(skin))?;
    Ok((character, bones[5]))
}

/// Adds a piece that a bone moves.
fn add(body: &mut Geometry, piece: Geometry, bone: u16, at: Vec3, turned: Quat) {
    let first = body.positions.len() as u32;
    let count = piece.positions.len();
    body.positions.extend(piece.positions.iter().map(|&place| at + turned * place));
    body.normals.extend(piece.normals.iter().map(|&normal| turned * normal));
    let triangles = piece.triangles().flatten().map(|vertex| first + vertex);
    body.indices.get_or_insert_default().extend(triangles);
    if body.influences.is_empty() {
        body.influences.push(pleach::Influences::default());
    }
    let influences = &mut body.influences[0];
    influences.joints.extend(std::iter::repeat_n([bone, 0, 0, 0], count));
    influences.weights.extend(std::iter::repeat_n([1.0, 0.0, 0.0, 0.0], count));
}
