//! Edits of a graph as data: one list of edits serves property tests, fuzzing and
//! soaking.
//!
//! An edit is made from four random words. Small words make simple edits (the first
//! node, the identity), so that a list of words shrinks to a list that is easy to
//! read. The nodes of an edit are given by [`NodeChoice`], and resolved only when
//! the edit is applied: any list of edits is valid.

use pleach_graph::glam::{Mat4, Quat, Vec3, Vec4};
use pleach_graph::{Property, Transform};
use testkit::Rng;

/// A choice of one of the nodes known so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeChoice {
    /// A live node: this number, modulo the number of live nodes.
    Live(u32),
    /// The node that was added last, or if it was removed, one that is alive.
    Latest,
    /// A removed node: this number, modulo the number of removed nodes.
    Dead(u32),
}

/// Invalid input of a setter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InvalidInput {
    /// This component of a property, counted from 0, is not finite.
    NotFinite(Property, usize, f32),
    /// The zero quaternion.
    ZeroRotation,
    /// This element of the last row of a matrix is wrong.
    NotAffine(usize),
}

/// One edit of a graph.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each is the call of the same name")]
pub enum Edit {
    AddRoot(Transform),
    AddChild(NodeChoice, Transform),
    Attach(NodeChoice, NodeChoice),
    AttachAll([NodeChoice; 2], NodeChoice),
    /// Attaches two nodes to a parent each.
    AttachEach([NodeChoice; 2], [NodeChoice; 2]),
    AttachAt(NodeChoice, NodeChoice, usize),
    AttachBefore(NodeChoice, NodeChoice),
    AttachAfter(NodeChoice, NodeChoice),
    AttachInPlace(NodeChoice, NodeChoice),
    Detach(NodeChoice),
    DetachInPlace(NodeChoice),
    DetachFrom(NodeChoice, NodeChoice),
    Remove(NodeChoice),
    /// Removes all nodes.
    Clear,
    SetTranslation(NodeChoice, Vec3),
    SetRotation(NodeChoice, Quat),
    SetRotationRaw(NodeChoice, Quat),
    SetScale(NodeChoice, Vec3),
    SetTransform(NodeChoice, Transform),
    SetTransformIfChanged(NodeChoice, Transform),
    SetTransforms([NodeChoice; 2], [Transform; 2]),
    SetTranslations([NodeChoice; 2], [Vec3; 2]),
    SetMatrix(NodeChoice, Mat4),
    LookAt(NodeChoice, Vec3, Vec3),
    Face(NodeChoice, Vec3, Vec3),
    SetVisible(NodeChoice, bool),
    SetName(NodeChoice, &'static str),
    ClearName(NodeChoice),
    CloneSubtree(NodeChoice, Option<NodeChoice>),
    /// Moves a subtree to another graph, and back below another node or to the
    /// roots.
    MoveToOtherGraphAndBack(NodeChoice, Option<NodeChoice>),
    /// Continues with a clone of the graph.
    CloneGraph,
    Update,
    ClearChanges,
    /// Reads a change reader; ranges of rows are merged over gaps of this number of
    /// rows.
    ReadChanges(usize, usize),
    /// Drops a change reader and creates another.
    ReplaceReader(usize),
    ComputeWorld(NodeChoice),
    /// Inserts a row for a node into a `NodeMap`.
    SetRow(NodeChoice, u32),
    RemoveRow(NodeChoice),
    PurgeRows,
    /// Tries every call with a handle that was never issued.
    InvalidHandle(u32),
    /// Tries to set an invalid transform.
    SetInvalid(NodeChoice, InvalidInput),
}

/// The names of nodes.
pub const NAMES: [&str; 6] = ["arm", "hand", "", "arm/hand", "Łódź", "gun"];

/// The number of words in an edit.
pub const WORDS: usize = 4;

impl Edit {
    /// Returns the edit that these words encode.
    #[must_use]
    pub fn from_words([kind, a, b, value]: [u32; WORDS]) -> Self {
        let (node, other) = (NodeChoice::from_word(a), NodeChoice::from_word(b));
        let parent = (!b.is_multiple_of(4)).then_some(other);
        let small = (value % 8) as usize;
        match kind % 256 {
            0..8 => Self::AddRoot(transform(value)),
            8..44 => Self::AddChild(node, transform(value)),
            44..54 => Self::Attach(node, other),
            54 => Self::AttachAll([node, NodeChoice::from_word(value)], other),
            55 => Self::attach_each([a, b, value]),
            56 | 57 => Self::AttachAt(node, other, small),
            58..61 => Self::AttachBefore(node, other),
            61..64 => Self::AttachAfter(node, other),
            64..66 => Self::AttachInPlace(node, other),
            66..68 => Self::Detach(node),
            68 => Self::DetachInPlace(node),
            69 => Self::DetachFrom(node, other),
            70..80 => Self::Remove(node),
            80..144 => Self::SetTranslation(node, translation(value)),
            144..168 => Self::SetRotation(node, rotation(value)),
            168..172 => Self::SetRotationRaw(node, rotation(value)),
            172..184 => Self::SetScale(node, scale(value)),
            184..208 => Self::SetTransform(node, transform(value)),
            208..212 => Self::SetTransformIfChanged(node, transform(value % 4)),
            212..218 => Self::SetMatrix(node, matrix(value)),
            218 => Self::LookAt(node, translation(value), direction(b)),
            219 => Self::Face(node, translation(value), direction(b)),
            220..228 => Self::SetVisible(node, value.is_multiple_of(2)),
            228..232 => Self::SetName(node, NAMES[value as usize % NAMES.len()]),
            232 => Self::ClearName(node),
            233 => Self::CloneSubtree(node, parent),
            234 => Self::MoveToOtherGraphAndBack(node, parent),
            235 if value.is_multiple_of(8) => Self::CloneGraph,
            235 => Self::ReplaceReader(small),
            236..239 => Self::Update,
            239 => Self::ClearChanges,
            240 | 241 => Self::ReadChanges(small, (value / 8 % 4) as usize),
            242 | 243 => {
                Self::SetTransforms([node, other], [transform(value), transform(value / 16)])
            }
            244 => {
                Self::SetTranslations([node, other], [translation(value), translation(value / 16)])
            }
            245..248 => Self::ComputeWorld(node),
            248 | 249 => Self::SetRow(node, value),
            250 => Self::RemoveRow(node),
            251 => Self::PurgeRows,
            252 => Self::InvalidHandle(value),
            253 | 254 => Self::SetInvalid(node, invalid_input(value)),
            _ if value.is_multiple_of(64) => Self::Clear,
            _ => Self::Update,
        }
    }

    /// Makes nodes change places in a quarter of the cases.
    fn attach_each([a, b, value]: [u32; 3]) -> Self {
        let [node, other, third] = [a, b, value / 4].map(NodeChoice::from_word);
        match value % 4 {
            0 => Self::AttachEach([node, other], [other, third]),
            1 => Self::AttachEach([node, third], [other, node]),
            _ => Self::AttachEach([node, third], [other, other]),
        }
    }

    /// Returns `true` if the edit only reads, and changes nothing but the positions
    /// of readers.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        matches!(
            self,
            Self::ComputeWorld(_)
                | Self::ReadChanges(..)
                | Self::ClearChanges
                | Self::ReplaceReader(_)
                | Self::InvalidHandle(_)
                | Self::SetInvalid(..)
        )
    }
}

impl NodeChoice {
    /// Returns the choice that this word encodes: mostly a live node.
    #[must_use]
    pub fn from_word(word: u32) -> Self {
        match word % 64 {
            63 => Self::Dead(word / 64),
            60..63 => Self::Latest,
            _ => Self::Live(word),
        }
    }
}

fn vector(rng: &mut Rng) -> Vec3 {
    rng.vec3(1.0)
}

fn translation(word: u32) -> Vec3 {
    let mut rng = Rng::new(word.into());
    match word % 1024 {
        0..16 => Vec3::ZERO,
        16..32 => Vec3::X,
        32..40 => Vec3::splat(-0.0),
        40..48 => Vec3::new(0.0, -1e-42, 1e-30),
        48..52 => 1e6 * vector(&mut rng),
        52..54 => 3e38 * vector(&mut rng),
        _ => 10.0 * vector(&mut rng),
    }
}

fn direction(word: u32) -> Vec3 {
    if word.is_multiple_of(2) { Vec3::Z } else { vector(&mut Rng::new(word.into())) }
}

/// A unit quaternion; sometimes far from one.
fn rotation(word: u32) -> Quat {
    let mut rng = Rng::new(word.into());
    match word % 64 {
        0 => Quat::IDENTITY,
        1 => Quat::from_xyzw(0.0, 0.0, 1.0, 0.0),
        2 => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
        3 => unit(&mut rng) * 4.0,
        4 => unit(&mut rng) * 1e-30,
        5 => Quat::from_xyzw(3e38, 3e38, -3e38, 1e38),
        6 => -Quat::IDENTITY,
        _ => unit(&mut rng),
    }
}

/// Only operations whose bits IEEE 754 defines: no platform trigonometry.
fn unit(rng: &mut Rng) -> Quat {
    loop {
        let components = [(); 4].map(|()| f64::from(rng.between(-1.0, 1.0)));
        let square: f64 = components.iter().map(|component| component * component).sum();
        if square > 0.01 {
            let scale = 1.0 / square.sqrt();
            return Quat::from_array(components.map(|component| (component * scale) as f32));
        }
    }
}

/// Mostly 1, so that products of many stay moderate.
fn scale(word: u32) -> Vec3 {
    let mut rng = Rng::new(word.into());
    match word % 1024 {
        0..512 => Vec3::ONE,
        512..640 => Vec3::splat(2.0),
        640..768 => Vec3::splat(0.5),
        768..880 => Vec3::splat(1.5) + vector(&mut rng),
        880..920 => Vec3::new(1.0, 1.0, -1.0),
        920..950 => Vec3::new(4.0, 1.0, 0.25),
        950..1000 => vector(&mut rng),
        1000..1016 => Vec3::new(1.0, 0.0, 1.0),
        1016..1020 => Vec3::new(1e4, 1.0, 1.0),
        1020 | 1021 => Vec3::splat(1e-40),
        _ => 3e38 * vector(&mut rng),
    }
}

fn transform(word: u32) -> Transform {
    let mut rng = Rng::new(word.into());
    match word % 16 {
        0 => Transform::IDENTITY,
        1 => Transform::from_xyz(1.0, 2.0, 3.0),
        2 => Transform::from_scale(Vec3::new(1.0, 2.0, 4.0)),
        // Equal to the identity, but with other bits.
        3 => Transform::from_rotation(Quat::from_xyzw(-0.0, 0.0, -0.0, 1.0)),
        _ => Transform {
            translation: translation(rng.next_u32()),
            rotation: rotation(rng.next_u32()),
            scale: scale(rng.next_u32()),
        },
    }
}

fn matrix(word: u32) -> Mat4 {
    let mut rng = Rng::new(word.into());
    let mut axis = || (2.0 * vector(&mut rng)).extend(0.0);
    let (x, y, z) = (axis(), axis(), axis());
    let translation_column = translation(word / 8).extend(1.0);
    match word % 8 {
        0 => Mat4::IDENTITY,
        // Sheared.
        1 => Mat4::from_cols(Vec4::X, Vec4::new(0.5, 1.0, 0.0, 0.0), Vec4::Z, translation_column),
        // Singular, and with a −0 in the last row.
        2 => Mat4::from_cols(x, x, Vec4::new(0.0, 0.0, 0.0, -0.0), translation_column),
        // One that a transform can express.
        3 => transform(word / 8).to_matrix(),
        _ => Mat4::from_cols(x, y, z, translation_column),
    }
}

fn invalid_input(word: u32) -> InvalidInput {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][word as usize / 32 % 3];
    let component = word as usize / 128;
    match word % 32 {
        0 | 1 => InvalidInput::ZeroRotation,
        2..5 => InvalidInput::NotAffine(component % 4),
        5..11 => InvalidInput::NotFinite(Property::Translation, component % 3, bad),
        11..16 => InvalidInput::NotFinite(Property::Rotation, component % 4, bad),
        16..21 => InvalidInput::NotFinite(Property::Scale, component % 3, bad),
        21..26 => InvalidInput::NotFinite(Property::Matrix, component % 16, bad),
        26..29 => InvalidInput::NotFinite(Property::Target, component % 3, bad),
        _ => InvalidInput::NotFinite(Property::Up, component % 3, bad),
    }
}
