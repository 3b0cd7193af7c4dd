//! The knight: one skinned mesh of pieces that are each bound to a joint; a helmet, a cape and a sword are
//! attached to joints.

use std::f32::consts::FRAC_PI_2;

use pleach::glam::{Quat, Vec3};
use pleach::shapes::Capsule;
use pleach::{Error, Geometry, Influences, Node, NodeId, Scene, Skin, rotation};

use super::modeling::{ball, block, grid, merged, moved, placed, plain, tinted, turned};
use super::palette::Palette;

/// Joints: the name, the index of the parent in the list, and the translation.
const JOINTS: [(&str, Option<usize>, Vec3); 10] = [
    ("hips", None, Vec3::new(0.0, 0.0, 0.92)),
    ("spine", Some(0), Vec3::new(0.0, 0.0, 0.14)),
    ("head", Some(1), Vec3::new(0.0, 0.0, 0.5)),
    ("arm_L", Some(1), Vec3::new(0.27, 0.0, 0.36)),
    ("hand_L", Some(3), Vec3::new(0.06, -0.06, -0.56)),
    ("arm_R", Some(1), Vec3::new(-0.27, 0.0, 0.36)),
    ("forearm_R", Some(5), Vec3::new(-0.05, 0.0, -0.3)),
    ("hand_R", Some(6), Vec3::new(0.0, 0.0, -0.28)),
    ("leg_L", Some(0), Vec3::new(0.13, 0.0, -0.06)),
    ("leg_R", Some(0), Vec3::new(-0.13, 0.0, -0.06)),
];

const TUNIC: Vec3 = Vec3::new(0.07, 0.16, 0.34);
const MAIL: Vec3 = Vec3::new(0.34, 0.34, 0.36);
const SKIN: Vec3 = Vec3::new(0.72, 0.45, 0.32);
const LEATHER: Vec3 = Vec3::new(0.20, 0.10, 0.05);
const CAPE: Vec3 = Vec3::new(0.55, 0.05, 0.06);

/// The knight's nodes.
pub(super) struct Character {
    pub(super) root: NodeId,
    pub(super) sword: NodeId,
}

/// Adds the knight.
pub(super) fn spawn(scene: &mut Scene, palette: &Palette) -> Result<Character, Error> {
    let root = scene.spawn(Node::group().named("knight"))?;
    let mut joints: Vec<NodeId> = Vec::new();
    for (name, parent, at) in JOINTS {
        let parent = parent.map_or(root, |parent| joints[parent]);
        joints.push(scene.spawn(Node::group().named(name).under(parent).at(at))?);
    }
    scene.graph.update();
    let at = |joint: usize| scene.graph.node(joints[joint]).map(|node| node.world_translation());

    // One geometry in the current pose of the joints.
    let mut body = Body::default();
    let limb = |radius: f32, from: Vec3, to: Vec3| {
        let along = to - from;
        let limb = Capsule::new(radius, along.length()).with_detail(16, 6).build()?;
        let turn = rotation::from_rotation_arc(Vec3::Z, along.normalize_or(Vec3::Z));
        Ok::<_, Error>(placed(plain(limb), from + along * 0.5, turn))
    };
    let skirt = [(0.30, -0.42), (0.27, -0.2), (0.2, 0.02), (0.19, 0.1)];
    body.add(tinted(placed(turned(&skirt, 20), at(0)?, Quat::IDENTITY), TUNIC), 0);
    let belt = [(0.2, 0.04), (0.215, 0.06), (0.215, 0.1), (0.2, 0.12)];
    body.add(tinted(placed(turned(&belt, 20), at(0)?, Quat::IDENTITY), LEATHER), 0);
    let torso = [
        (0.19, 0.0),
        (0.22, 0.14),
        (0.235, 0.28),
        (0.2, 0.4),
        (0.1, 0.46),
        (0.08, 0.5),
        (0.0, 0.5),
    ];
    let mut torso = placed(turned(&torso, 20), at(1)?, Quat::IDENTITY);
    torso.positions.iter_mut().for_each(|position| position.y *= 0.78);
    body.add(tinted(torso, TUNIC), 1);
    body.add(tinted(limb(0.07, at(2)?, at(2)? + Vec3::Z * 0.06)?, SKIN), 2);
    body.add(tinted(placed(ball(0.13, 20)?, at(2)? + Vec3::Z * 0.16, Quat::IDENTITY), SKIN), 2);
    body.add(tinted(limb(0.075, at(3)?, at(3)?.midpoint(at(4)?))?, MAIL), 3);
    body.add(tinted(limb(0.062, at(3)?.midpoint(at(4)?), at(4)?)?, LEATHER), 3);
    body.add(tinted(placed(ball(0.07, 12)?, at(4)?, Quat::IDENTITY), LEATHER), 4);
    body.add(tinted(limb(0.075, at(5)?, at(6)?)?, MAIL), 5);
    body.add(tinted(limb(0.062, at(6)?, at(7)?)?, LEATHER), 6);
    body.add(tinted(placed(ball(0.07, 12)?, at(7)?, Quat::IDENTITY), LEATHER), 7);
    for leg in [8, 9] {
        let (hip, foot) = (at(leg)?, at(leg)? - Vec3::Z * 0.74);
        body.add(tinted(limb(0.095, hip, hip.midpoint(foot))?, MAIL), leg as u16);
        body.add(tinted(limb(0.082, hip.midpoint(foot), foot)?, LEATHER), leg as u16);
        body.add(
            tinted(
                limb(0.075, foot - Vec3::Z * 0.04, foot + Vec3::new(0.0, -0.14, -0.04))?,
                LEATHER,
            ),
            leg as u16,
        );
    }
    let body = scene.assets.add(body.geometry);
    let skin = Skin::from_current_pose(&scene.graph, joints.clone())?;
    scene.spawn(Node::mesh(&body, &palette.cloth).named("body").under(root).skinned(skin))?;
    attachments(scene, palette, &joints)?;
    Ok(Character { root, sword: sword(scene, palette, joints[7])? })
}

/// A geometry whose vertices are each bound to one joint.
#[derive(Default)]
struct Body {
    geometry: Geometry,
}

impl Body {
    /// Appends a piece bound to a joint.
    fn add(&mut self, piece: Geometry, joint: u16) {
        let mut influences = std::mem::take(&mut self.geometry.influences);
        let count = piece.positions.len();
        let whole = std::mem::take(&mut self.geometry);
        let is_first = whole.positions.is_empty();
        self.geometry = merged(if is_first { vec![piece] } else { vec![whole, piece] });
        if influences.is_empty() {
            influences.push(Influences::default());
        }
        influences[0].joints.extend(std::iter::repeat_n([joint, 0, 0, 0], count));
        influences[0].weights.extend(std::iter::repeat_n([1.0, 0.0, 0.0, 0.0], count));
        self.geometry.influences = influences;
    }
}

/// Adds the helmet, the shoulder plates, the cape and the shield.
fn attachments(scene: &mut Scene, palette: &Palette, joints: &[NodeId]) -> Result<(), Error> {
    let helmet = [
        (0.15, 0.19),
        (0.165, 0.2),
        (0.165, 0.22),
        (0.15, 0.23),
        (0.145, 0.27),
        (0.115, 0.33),
        (0.06, 0.38),
        (0.015, 0.41),
        (0.012, 0.45),
        (0.0, 0.46),
    ];
    let nasal = moved(block(0.03, 0.02, 0.12)?, 0.0, -0.15, 0.16);
    let helmet = scene.assets.add(merged([turned(&helmet, 24), nasal]));
    let plume = grid(6, 16, |u, v| {
        let (sin, cos) = libm::sincosf(2.4 * v);
        Vec3::new(0.05 * (u - 0.5), 0.3 * (1.0 - cos) * 0.8, 0.43 + 0.16 * sin - 0.1 * v)
    });
    let plume = scene.assets.add(tinted(plume, CAPE));
    let pauldron = [(0.0, 0.09), (0.06, 0.075), (0.105, 0.03), (0.12, -0.03), (0.11, -0.04)];
    let pauldron: Vec<(f32, f32)> = pauldron.into_iter().rev().collect();
    let pauldron = scene.assets.add(turned(&pauldron, 18));
    let cape = grid(16, 16, |u, v| {
        let down = 1.0 - v;
        let width = 0.42 + 0.34 * down;
        let fold = 0.05 * down * libm::sinf(u * 16.0);
        Vec3::new(-width * (u - 0.5), 0.17 + 0.22 * down * down + fold, 0.42 - 1.12 * down)
    });
    let cape = scene.assets.add(tinted(cape, CAPE));
    let shield = [(0.0, 0.07), (0.1, 0.06), (0.24, 0.02), (0.28, 0.0), (0.28, -0.02), (0.0, -0.01)];
    let shield: Vec<(f32, f32)> = shield.into_iter().rev().collect();
    let boss = [(0.09, 0.06), (0.07, 0.1), (0.0, 0.12)];
    let shield = scene.assets.add(tinted(turned(&shield, 32), CAPE));
    let rim = merged([turned(&boss, 20), turned(&[(0.27, -0.03), (0.3, 0.0), (0.27, 0.03)], 32)]);
    let rim = scene.assets.add(rim);

    let [spine, head, arm_l, hand_l, arm_r] = [1, 2, 3, 4, 5].map(|joint| joints[joint]);
    scene.spawn(Node::mesh(&helmet, &palette.steel).named("helmet").under(head))?;
    scene.spawn(Node::mesh(&plume, &palette.cloth).named("plume").under(head))?;
    scene.spawn(Node::mesh(&cape, &palette.cloth).named("cape").under(spine))?;
    for arm in [arm_l, arm_r] {
        scene.spawn(Node::mesh(&pauldron, &palette.steel).named("pauldron").under(arm))?;
    }
    let facing = rotation::from_rotation_x(FRAC_PI_2);
    let shield = Node::mesh(&shield, &palette.cloth).child(Node::mesh(&rim, &palette.gold));
    scene.spawn(
        shield.named("shield").under(hand_l).at(Vec3::new(0.06, -0.12, 0.12)).rotated(facing),
    )?;
    Ok(())
}

/// Adds the sword to the hand, and returns its node. Its tip is 1.1 m along its Z axis.
fn sword(scene: &mut Scene, palette: &Palette, hand: NodeId) -> Result<NodeId, Error> {
    let blade = turned(&[(0.04, 0.1), (0.035, 0.9), (0.0, 1.1)], 4);
    let mut blade = blade;
    blade.positions.iter_mut().for_each(|position| position.y *= 0.3);
    let blade = scene.assets.add(blade);
    let hilt = merged([
        moved(block(0.24, 0.04, 0.035)?, 0.0, 0.0, 0.1),
        turned(&[(0.0, -0.12), (0.03, -0.1), (0.015, -0.07), (0.016, 0.1)], 10),
    ]);
    let hilt = scene.assets.add(hilt);
    let sword =
        Node::group().named("sword").under(hand).rotated(rotation::from_rotation_x(FRAC_PI_2));
    let sword = sword
        .child(Node::mesh(&blade, &palette.steel).named("blade"))
        .child(Node::mesh(&hilt, &palette.gold).named("hilt"));
    scene.spawn(sword)
}
