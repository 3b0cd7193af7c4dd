//! A patch as records.

use pleach::glam::Quat;
use pleach::graph::{Edit, Local, Name, NodeRecord, Patch, Place};
use pleach::{NodeId, Transform};

use super::records::{
    EditRecord, LocalRecord, NameRecord, NodeEntry, PatchRecord, PlaceRecord, TransformChange,
    TransformRecord,
};
use super::transforms::batch_key;
use crate::error::{Error, ErrorKind, Result};
use crate::records::numbers::{F32, Node, f32s};

type JsonEdit = EditRecord<Vec<TransformChange>>;

/// Returns the records of a patch. Consecutive edits of transforms with the same properties are one record.
pub(crate) fn encode(patch: &Patch) -> Result<(PatchRecord, Vec<JsonEdit>)> {
    let (base, result) = patch.revisions();
    let head = PatchRecord { label: patch.label().into(), lineage: patch.lineage(), base, result };
    let mut edits: Vec<JsonEdit> = Vec::new();
    for edit in patch {
        let record = match &*edit {
            Edit::Add(nodes) => EditRecord::Add(nodes.records().iter().map(entry).collect()),
            Edit::Remove(nodes) => EditRecord::Remove(nodes.records().iter().map(entry).collect()),
            Edit::Attach { node, old, new } => {
                EditRecord::Attach { node: Node(*node), old: place(old), new: place(new) }
            }
            Edit::Transform { node, old, new } => {
                let change = change(*node, old, new);
                if let Some(EditRecord::Transforms(batch)) = edits.last_mut()
                    && batch_key(&batch[0]) == batch_key(&change)
                {
                    batch.push(change);
                    continue;
                }
                EditRecord::Transforms(vec![change])
            }
            Edit::Local { node, change } => {
                let [old, new] = &**change;
                EditRecord::Local { node: Node(*node), old: local(old), new: local(new) }
            }
            Edit::Name { node, change } => {
                let [old, new] = &**change;
                let [old, new] = [old, new].map(|it| it.as_ref().map(name));
                EditRecord::Name { node: Node(*node), old, new }
            }
            Edit::Visible { node, new } => EditRecord::Visible { node: Node(*node), visible: *new },
            _ => {
                let message =
                    "an edit of the patch cannot be expressed in this version of the format";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
        };
        edits.push(record);
    }
    Ok((head, edits))
}

fn change(node: NodeId, old: &Transform, new: &Transform) -> TransformChange {
    fn changed<const N: usize>(old: [f32; N], new: [f32; N]) -> Option<[[F32; N]; 2]> {
        (old.map(f32::to_bits) != new.map(f32::to_bits)).then(|| [f32s(old), f32s(new)])
    }
    TransformChange {
        node: Node(node),
        translation: changed(old.translation.to_array(), new.translation.to_array()),
        rotation: changed(old.rotation.to_array(), new.rotation.to_array()),
        scale: changed(old.scale.to_array(), new.scale.to_array()),
    }
}

fn place(place: &Place) -> PlaceRecord {
    let Place { parent, next } = *place;
    PlaceRecord { parent: parent.map(Node), next: next.map(Node) }
}

fn transform(transform: &Transform) -> TransformRecord {
    let Transform { translation, rotation, scale } = *transform;
    TransformRecord {
        translation: f32s(translation),
        rotation: f32s(Quat::to_array(&rotation)),
        scale: f32s(scale),
    }
}

fn local(local: &Local) -> LocalRecord {
    match local {
        Local::Transform(it) => LocalRecord::Transform(transform(it)),
        Local::Matrix(it) => {
            let (matrix, nearest) = &**it;
            LocalRecord::Matrix { matrix: f32s(*matrix), nearest: transform(nearest) }
        }
    }
}

fn name(name: &Name) -> NameRecord {
    let Name { text, age } = name;
    NameRecord { text: text.to_string(), age: *age }
}

fn entry(record: &NodeRecord) -> NodeEntry {
    let NodeRecord { node, place: at, local: transform, name: text, visible } = record;
    NodeEntry {
        node: Node(*node),
        place: place(at),
        local: local(transform),
        name: text.as_ref().map(name),
        visible: *visible,
    }
}
