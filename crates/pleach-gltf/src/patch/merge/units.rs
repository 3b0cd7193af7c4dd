//! Data that must not be mixed: values that both sides changed and that only make sense together.
//!
//! A primitive with our positions and their indices would be garbage, although no value was changed
//! by both sides. Units are compared with all that they refer to.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::deep_hash::DeepHashes;
use super::super::edit::Owner;
use super::super::model::Model;
use super::super::value::{Object, Ref, Value};
use super::{ConflictKind, Merge};
use crate::references::GltfArray;

impl Merge<'_> {
    /// Reports nodes to which one side gave a matrix and the other a translation, rotation or scale.
    pub(super) fn matrices(&mut self, merged: &Model) {
        for &id in &merged.lists[GltfArray::Nodes].order {
            let of = Ref { array: GltfArray::Nodes, id };
            let is_mixed = |node: Option<&Value>| {
                let has = |key: &&str| node.is_some_and(|it| it.at(&[key]).is_some());
                has(&"matrix") && ["translation", "rotation", "scale"].iter().any(has)
            };
            // A file may have both; that alone is not a conflict.
            let sides = [&self.sides.ours, &self.sides.theirs];
            if is_mixed(merged.entry(of)) && !sides.iter().any(|it| is_mixed(it.entry(of))) {
                let conflict = self.conflict(ConflictKind::Data, Owner::Entry(of), "matrix".into());
                self.conflicts.push(conflict);
            }
        }
    }

    /// Reports units that both sides changed in different ways.
    pub(super) fn units(&mut self) {
        let sides = self.sides;
        let models = [&sides.base, &sides.ours, &sides.theirs];
        let hashes = models.map(DeepHashes::of);
        let arrays = [
            GltfArray::Accessors,
            GltfArray::Meshes,
            GltfArray::Skins,
            GltfArray::Animations,
            GltfArray::Nodes,
        ];
        for array in arrays {
            for &id in &sides.base.lists[array].order {
                let of = Ref { array, id };
                let units = [0, 1, 2].map(|side| {
                    let entry = models[side].entry(of);
                    entry.map(|entry| units_of(of.array, entry, &hashes[side]))
                });
                let [Some(base), Some(ours), Some(theirs)] = units else { continue };
                for (name, hash) in &base {
                    let hash_in = |units: &[(String, u64)]| {
                        units.iter().find(|it| it.0 == *name).map(|it| it.1)
                    };
                    let (Some(ours), Some(theirs)) = (hash_in(&ours), hash_in(&theirs)) else {
                        continue;
                    };
                    let is_conflict = *hash != ours && *hash != theirs && ours != theirs;
                    let is_new = |merge: &Self| {
                        let conflict =
                            merge.conflict(ConflictKind::Data, Owner::Entry(of), String::new());
                        !merge.conflicts.iter().any(|it| {
                            (it.array, it.index) == (conflict.array, conflict.index)
                                && it.property.starts_with(&**name)
                        })
                    };
                    if is_conflict && is_new(self) {
                        let conflict =
                            self.conflict(ConflictKind::Data, Owner::Entry(of), name.clone());
                        self.conflicts.push(conflict);
                    }
                }
            }
        }
    }
}

/// Returns the units of an entry: their properties and hashes.
fn units_of(array: GltfArray, entry: &Value, hashes: &DeepHashes) -> Vec<(String, u64)> {
    let unit = |name: String, hash: &dyn Fn(&mut DefaultHasher)| {
        let mut state = DefaultHasher::new();
        hash(&mut state);
        (name, state.finish())
    };
    let members = |object: &Object, left_out: &[&str], state: &mut DefaultHasher| {
        for (key, value) in object.iter().filter(|it| !left_out.contains(&it.0)) {
            key.hash(state);
            hash_with_nodes(value, hashes, state);
        }
    };
    let elements = |key: &str, left_out: &[&str]| {
        let values = match entry.at(&[key]) {
            Some(Value::Array(values)) => &values[..],
            _ => &[],
        };
        let objects = values.iter().enumerate().filter_map(|(at, it)| Some((at, it.as_object()?)));
        let units = objects.map(|(at, object)| {
            unit(format!("{key}/{at}"), &|state| members(object, left_out, state))
        });
        units.collect::<Vec<_>>()
    };
    match array {
        GltfArray::Accessors => vec![unit(String::new(), &|state| hashes.hash(entry, state))],
        GltfArray::Meshes => elements("primitives", &["material", "extras", "extensions"])
            .into_iter()
            .chain(draco_units(entry, hashes))
            .collect(),
        GltfArray::Animations => elements("samplers", &["extras"]),
        GltfArray::Skins => entry
            .as_object()
            .map(|skin| unit("joints".into(), &|state| members(skin, &["name", "extras"], state)))
            .into_iter()
            .collect(),
        GltfArray::Nodes => {
            let key = "extensions/EXT_mesh_gpu_instancing";
            let instancing = entry.at(&["extensions", "EXT_mesh_gpu_instancing"]);
            let unit = |value: &Value| unit(key.into(), &|state| hashes.hash(value, state));
            instancing.map(unit).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the compressed primitives of a mesh as units.
fn draco_units(mesh: &Value, hashes: &DeepHashes) -> Vec<(String, u64)> {
    let Some(Value::Array(primitives)) = mesh.at(&["primitives"]) else { return Vec::new() };
    let mut units = Vec::new();
    for (at, primitive) in primitives.iter().enumerate() {
        if let Some(value) = primitive.at(&["extensions", "KHR_draco_mesh_compression"]) {
            let mut state = DefaultHasher::new();
            hashes.hash(value, &mut state);
            // The accessors describe the compressed data.
            for key in ["attributes", "indices"] {
                primitive.at(&[key]).into_iter().for_each(|it| hashes.hash(it, &mut state));
            }
            units.push((
                format!("primitives/{at}/extensions/KHR_draco_mesh_compression"),
                state.finish(),
            ));
        }
    }
    units
}

/// Hashes a value; references to nodes by identity.
fn hash_with_nodes(value: &Value, hashes: &DeepHashes, state: &mut DefaultHasher) {
    match value {
        Value::Ref(to) if to.array == GltfArray::Nodes => to.id.hash(state),
        Value::Array(values) => values.iter().for_each(|it| hash_with_nodes(it, hashes, state)),
        Value::Object(object) => {
            for (key, value) in object.iter() {
                key.hash(state);
                hash_with_nodes(value, hashes, state);
            }
        }
        other => hashes.hash(other, state),
    }
}
