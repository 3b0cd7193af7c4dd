//! Hashes of entries with all that they refer to, which are comparable across files.
//!
//! Invariant: entries with equal content, and equal content of what they refer to, have equal hashes,
//! whatever their indices are. Nodes are the exception: a reference to a node is not followed,
//! because nodes refer to each other.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::model::Model;
use super::value::{Ref, Value};
use crate::references::{GltfArray, PerArray};

/// The arrays in an order such that references lead to earlier ones, except for those to nodes and
/// within an array.
const ORDER: [GltfArray; 16] = [
    GltfArray::Buffers,
    GltfArray::BufferViews,
    GltfArray::Accessors,
    GltfArray::Samplers,
    GltfArray::Images,
    GltfArray::Textures,
    GltfArray::Materials,
    GltfArray::Variants,
    GltfArray::Cameras,
    GltfArray::Lights,
    GltfArray::ImageBasedLights,
    GltfArray::Meshes,
    GltfArray::Skins,
    GltfArray::Animations,
    GltfArray::Nodes,
    GltfArray::Scenes,
];

/// The hashes of all entries, by id.
#[derive(Debug, Default)]
pub(super) struct DeepHashes(PerArray<Vec<u64>>);

impl DeepHashes {
    /// Hashes all entries. Names count, except for those of nodes.
    pub(super) fn of(model: &Model) -> Self {
        let mut hashes = Self::default();
        for array in ORDER {
            let of_array = model.lists[array].entries.iter().map(|entry| {
                let mut state = DefaultHasher::new();
                match entry {
                    Some(Value::Object(node)) if array == GltfArray::Nodes => {
                        let members = node.iter().filter(|it| !matches!(it.0, "name" | "children"));
                        for (key, value) in members {
                            key.hash(&mut state);
                            hashes.hash(value, &mut state);
                        }
                    }
                    // Of a buffer only the bytes, if they are known: the name of its file is not
                    // content of what is in it.
                    Some(buffer) if array == GltfArray::Buffers => {
                        let bytes = buffer.at(&["byteLength"]);
                        bytes.into_iter().for_each(|it| hashes.hash(it, &mut state));
                    }
                    Some(value) => hashes.hash(value, &mut state),
                    None => {}
                }
                state.finish()
            });
            let of_array: Vec<u64> = of_array.collect();
            hashes.0[array] = of_array;
        }
        hashes
    }

    pub(super) fn get(&self, of: Ref) -> Option<u64> {
        self.0[of.array].get(of.id as usize).copied()
    }

    pub(super) fn of_array(&self, array: GltfArray) -> &[u64] {
        &self.0[array]
    }

    /// Returns the hash of the mesh, camera or light of a node, or `None` if it has none of them.
    pub(super) fn of_object(&self, node: &Value) -> Option<u64> {
        let members: [&[&str]; 3] =
            [&["mesh"], &["camera"], &["extensions", "KHR_lights_punctual", "light"]];
        let mut state = DefaultHasher::new();
        let mut has_object = false;
        for object in members.into_iter().filter_map(|path| node.at(path)) {
            self.hash(object, &mut state);
            has_object = true;
        }
        has_object.then(|| state.finish())
    }

    /// Hashes a value.
    pub(super) fn hash(&self, value: &Value, state: &mut DefaultHasher) {
        match value {
            Value::Text(text) => text.canonical().hash(state),
            Value::Array(values) => {
                values.len().hash(state);
                values.iter().for_each(|it| self.hash(it, state));
            }
            Value::Object(object) => {
                object.len().hash(state);
                for (key, value) in object.iter() {
                    key.hash(state);
                    self.hash(value, state);
                }
            }
            Value::Ref(to) => self.hash_reference(*to, state),
            Value::Pointer(pointer) => {
                self.hash_reference(pointer.to, state);
                pointer.tail.hash(state);
            }
            Value::Bytes(blob) => blob.hash.hash(state),
            Value::File(file) => file.1.hash.hash(state),
            Value::List(array) => array.name().hash(state),
        }
    }

    fn hash_reference(&self, to: Ref, state: &mut DefaultHasher) {
        // `None` for arrays that come later.
        to.array.name().hash(state);
        self.get(to).hash(state);
    }
}
