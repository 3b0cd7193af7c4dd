//! References between the entries of a glTF file: the table of all members that hold the index of an
//! entry, and the references of a file.
//!
//! [`rules`] is the table, for core glTF and the extensions that this crate knows.
//! [`References`] lists the references of a file: which entry holds them and which entry they
//! mean. Pruning, validation and every other walk over a file use this one table.
//!
//! ```
//! use pleach_gltf::GltfArray;
//! use pleach_gltf::references::{ReferenceTarget, References, rules};
//!
//! // The table: the mesh of a node is an index into the meshes.
//! let mesh = rules(Some(GltfArray::Nodes)).iter().find(|rule| rule.path == ["mesh"]).unwrap();
//! assert_eq!(mesh.to, ReferenceTarget::Index(GltfArray::Meshes));
//!
//! // The references of a file.
//! let file = r#"{
//!     "nodes": [{"children": [1]}, {"mesh": 0}],
//!     "meshes": [{"primitives": [{"attributes": {"POSITION": 3}}]}]
//! }"#;
//! let references = References::from_json(file);
//! let of_node = references.of_entry(GltfArray::Nodes, 1);
//! assert_eq!((of_node[0].array, of_node[0].index), (GltfArray::Meshes, 0));
//! let dangling = references.dangling().next().unwrap();
//! assert_eq!(references.pointer(dangling), "/meshes/0/primitives/0/attributes/POSITION");
//! ```
//!
//! An extension that is not in the table may refer to any entry:
//! [`References::incomplete`] names it.

mod gltf_array;
mod map;
mod rules;

pub use gltf_array::GltfArray;
pub(crate) use gltf_array::PerArray;
pub(crate) use map::ArraySpan;
pub use map::{Reference, References};
pub use rules::{ReferenceRule, ReferenceTarget, rules};
pub(crate) use rules::{parse_pointer, reference_at};
