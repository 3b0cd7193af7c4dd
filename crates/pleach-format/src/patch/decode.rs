//! Records as a patch.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::glam::Quat;
use pleach::graph::{Edit, Local, Name, NodeRecord, Nodes, Patch, Place};
use pleach::{Graph, NodeId, Transform};

use super::records::{
    EditRecord, LocalRecord, NameRecord, NodeEntry, PatchRecord, PlaceRecord, TransformChange,
    TransformRecord,
};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::records::numbers::{F32x4, Node, vec3};

/// A limit for the ages of names, as for those of graphs.
const MAX_NAME_AGE: u64 = 1 << 62;

/// Decodes edits in order.
pub(super) struct Decoder<'a> {
    graph: &'a Graph,
    pub(super) budget: &'a mut Budget,
    /// The transforms of nodes that edits have set; those of others are in the graph.
    transforms: HashMap<NodeId, Transform>,
    edits: Vec<Edit>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(graph: &'a Graph, budget: &'a mut Budget) -> Self {
        Self { graph, budget, transforms: HashMap::new(), edits: Vec::new() }
    }

    pub(super) fn finish(self, head: &PatchRecord) -> Patch {
        let PatchRecord { label, lineage, base, result } = head;
        Patch::from_parts(label, *lineage, (*base, *result), self.edits)
    }

    pub(super) fn push(&mut self, edit: EditRecord<Vec<TransformChange>>) -> Result<()> {
        let edit = match edit {
            EditRecord::Add(nodes) => Edit::Add(Arc::new(self.nodes(nodes)?)),
            EditRecord::Remove(nodes) => Edit::Remove(Arc::new(self.nodes(nodes)?)),
            EditRecord::Attach { node, old, new } => {
                Edit::Attach { node: node.0, old: place(old), new: place(new) }
            }
            EditRecord::Transforms(changes) => {
                return changes.iter().try_for_each(|change| self.push_transform(change));
            }
            EditRecord::Local { node, old, new } => {
                self.note(node.0, &new)?;
                Edit::Local { node: node.0, change: Box::new([local(&old), local(&new)]) }
            }
            EditRecord::Name { node, old, new } => {
                let change = [old.map(name).transpose()?, new.map(name).transpose()?];
                Edit::Name { node: node.0, change: Box::new(change) }
            }
            EditRecord::Visible { node, visible } => Edit::Visible { node: node.0, new: visible },
        };
        self.take_edit()?;
        self.edits.push(edit);
        Ok(())
    }

    /// Takes the memory of an edit from the budget: in the list, which may have twice the capacity.
    fn take_edit(&mut self) -> Result<()> {
        self.budget.take(None, 2, size_of::<Edit>())
    }

    fn push_transform(&mut self, change: &TransformChange) -> Result<()> {
        let TransformChange { node: Node(node), translation, rotation, scale } = *change;
        let current = self.transforms.get(&node).copied();
        let current = current.or_else(|| Some(self.graph.get(node)?.transform()));
        let current = current.ok_or_else(|| {
            let message = format!(
                "node {node} is not in the graph; read the patch with the graph that it begins with",
            );
            Error::new(ErrorKind::Value, message)
        })?;
        let [old, new] = [0, 1].map(|side| Transform {
            translation: translation.map_or(current.translation, |it| vec3(it[side])),
            rotation: rotation.map_or(current.rotation, |it| quat(it[side])),
            scale: scale.map_or(current.scale, |it| vec3(it[side])),
        });
        self.take_edit()?;
        self.note_transform(node, new)?;
        self.edits.push(Edit::Transform { node, old, new });
        Ok(())
    }

    fn nodes(&mut self, entries: Vec<NodeEntry>) -> Result<Nodes> {
        self.budget.take(None, entries.len(), size_of::<NodeRecord>())?;
        let mut records = Vec::with_capacity(entries.len());
        for entry in entries {
            let NodeEntry { node: Node(node), place: at, local: transform, name: text, visible } =
                entry;
            self.note(node, &transform)?;
            records.push(NodeRecord {
                node,
                place: place(at),
                local: local(&transform),
                name: text.map(name).transpose()?,
                visible,
            });
        }
        Ok(Nodes::new(records))
    }

    /// Remembers the transform that a node has from now on.
    fn note(&mut self, node: NodeId, local: &LocalRecord) -> Result<()> {
        match local {
            LocalRecord::Transform(it) | LocalRecord::Matrix { nearest: it, .. } => {
                self.note_transform(node, transform(it))
            }
        }
    }

    fn note_transform(&mut self, node: NodeId, transform: Transform) -> Result<()> {
        self.budget.take(None, 3, size_of::<(NodeId, Transform)>())?;
        self.transforms.insert(node, transform);
        Ok(())
    }
}

fn quat(numbers: F32x4) -> Quat {
    Quat::from_array(numbers.map(|number| number.0))
}

fn transform(record: &TransformRecord) -> Transform {
    Transform {
        translation: vec3(record.translation),
        rotation: quat(record.rotation),
        scale: vec3(record.scale),
    }
}

fn local(record: &LocalRecord) -> Local {
    match record {
        LocalRecord::Transform(it) => Local::Transform(transform(it)),
        LocalRecord::Matrix { matrix, nearest } => {
            Local::Matrix(Box::new((matrix.map(|number| number.0), transform(nearest))))
        }
    }
}

fn place(record: PlaceRecord) -> Place {
    let PlaceRecord { parent, next } = record;
    Place { parent: parent.map(|node| node.0), next: next.map(|node| node.0) }
}

fn name(record: NameRecord) -> Result<Name> {
    let NameRecord { text, age } = record;
    if age > MAX_NAME_AGE {
        let message = format!("the age of the name {text:?} is {age}; it must be at most 2^62");
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(Name { text: text.into(), age })
}
