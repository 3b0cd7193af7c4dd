//! The records of patches.

use serde::{Deserialize, Serialize};

use crate::records::numbers::{F32x3, F32x4, F32x16, Node};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchRecord {
    pub(super) label: String,
    pub(super) lineage: u64,
    /// The revision that the patch begins with.
    pub(super) base: u64,
    /// The revision that it leads to.
    pub(super) result: u64,
}

/// An edit, or several of transforms: `T` is a list of them in JSON, and a column in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum EditRecord<T> {
    Add(Vec<NodeEntry>),
    Remove(Vec<NodeEntry>),
    Attach { node: Node, old: PlaceRecord, new: PlaceRecord },
    Transforms(T),
    Local { node: Node, old: LocalRecord, new: LocalRecord },
    Name { node: Node, old: Option<NameRecord>, new: Option<NameRecord> },
    Visible { node: Node, visible: bool },
}

impl<T> EditRecord<T> {
    /// The number of variants.
    pub(super) const COUNT: u32 = 7;

    pub(super) fn map<U>(self, map: impl FnOnce(T) -> U) -> EditRecord<U> {
        let mapped: Result<_, core::convert::Infallible> = self.try_map(|it| Ok(map(it)));
        mapped.unwrap_or_else(|never| match never {})
    }

    pub(super) fn try_map<U, E>(
        self,
        map: impl FnOnce(T) -> Result<U, E>,
    ) -> Result<EditRecord<U>, E> {
        Ok(match self {
            Self::Add(nodes) => EditRecord::Add(nodes),
            Self::Remove(nodes) => EditRecord::Remove(nodes),
            Self::Attach { node, old, new } => EditRecord::Attach { node, old, new },
            Self::Transforms(transforms) => EditRecord::Transforms(map(transforms)?),
            Self::Local { node, old, new } => EditRecord::Local { node, old, new },
            Self::Name { node, old, new } => EditRecord::Name { node, old, new },
            Self::Visible { node, visible } => EditRecord::Visible { node, visible },
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeEntry {
    pub(super) node: Node,
    pub(super) place: PlaceRecord,
    pub(super) local: LocalRecord,
    pub(super) name: Option<NameRecord>,
    pub(super) visible: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceRecord {
    pub(super) parent: Option<Node>,
    pub(super) next: Option<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransformRecord {
    pub(super) translation: F32x3,
    pub(super) rotation: F32x4,
    pub(super) scale: F32x3,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LocalRecord {
    Transform(TransformRecord),
    Matrix { matrix: F32x16, nearest: TransformRecord },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameRecord {
    pub(super) text: String,
    pub(super) age: u64,
}

/// The properties of a transform that an edit changes: before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransformChange {
    pub(super) node: Node,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) translation: Option<[F32x3; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[F32x4; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scale: Option<[F32x3; 2]>,
}
