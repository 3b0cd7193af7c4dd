//! A safe Rust decoder of [Draco](https://google.github.io/draco/) meshes for untrusted bytes.
//!
//! ```
//! use pleach_draco::{AttributeKind, ComponentType, Error, decode};
//!
//! // The smallest useful stream: one triangle, nothing compressed.
//! let mut stream = b"DRACO\x02\x02\x01\x00\x00\x00".to_vec(); // 2.2, a mesh, sequential, no flags
//! stream.extend([1, 3, 1, 0, 1, 2]); // one triangle of three points; its indices
//! stream.extend([1, 1, 0, 9, 3, 0, 7, 0]); // one attribute: positions, 3 × f32, unique id 7
//! for component in [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
//!     stream.extend(component.to_le_bytes());
//! }
//!
//! // Decode it with a budget of 64 kB.
//! let mesh = decode(&stream, 64_000)?;
//! assert_eq!(mesh.indices, [0, 1, 2]);
//! let positions = &mesh.attributes[0];
//! assert_eq!((positions.unique_id, positions.kind), (7, AttributeKind::Position));
//! assert_eq!((positions.components, positions.component_type), (3, ComponentType::F32));
//! assert_eq!(positions.bytes.len(), mesh.point_count * 3 * 4);
//!
//! // Anything else is an error, never a panic.
//! assert_eq!(decode(&stream[..20], 64_000), Err(Error::UnexpectedEnd));
//! assert!(matches!(decode(&stream, 10), Err(Error::OverBudget { .. })));
//! # Ok::<(), Error>(())
//! ```
//!
//! # What it decodes
//!
//! Triangular meshes of bitstream 2.2, the version of glTF's `KHR_draco_mesh_compression`:
//! sequential and Edgebreaker connectivity (standard and valence), and every prediction scheme
//! that the reference encoder chooses. Points and triangles come in the order of the reference
//! decoder, and values are equal to its values bit for bit.
//!
//! # Guarantees
//!
//! For any bytes:
//!
//! - no panic, and no `unsafe` code;
//! - no more memory than the budget passed to [`decode`]: every array is accounted for before it
//!   is allocated;
//! - time in proportion to the budget and the length of the stream: every traversal of the mesh
//!   has a limited number of steps;
//! - every index of a decoded [`Mesh`] is valid, and every attribute has a value for each point.
//!
//! # How it works
//!
//! The stream is read once, front to back:
//!
//! 1. `bitstream/`: bytes, bits, rANS entropy coding; the header.
//! 2. `connectivity/`: triangles, as a corner table, and the points that they index.
//! 3. `attributes/`: one value per point, from corrections of predictions and their
//!    dequantization.
//! 4. `prediction/`: the prediction schemes.
//!
//! # What it does not do
//!
//! It does not encode, and does not decode point clouds, older bitstreams or metadata.

#![forbid(unsafe_code)]

mod attributes;
mod bitstream;
mod budget;
mod connectivity;
mod decode;
mod error;
mod mesh;
mod prediction;

pub use decode::decode;
pub use error::Error;
pub use mesh::{Attribute, AttributeKind, ComponentType, Mesh};

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
