//! Stage 3: attribute values by point.
//!
//! Reads the attribute part of the stream and the connectivity; writes one
//! [`Attribute`](crate::Attribute) per attribute of the stream. Guarantees a value for each
//! point, in the type that the stream states.
//!
//! - `descriptor.rs`: what the stream states about its attributes before their values.
//! - `traversal.rs`: the order of values: which vertex has which *entry*.
//! - `integer_values.rs`: integers, from corrections and the predictions of `prediction/`.
//! - `transform.rs`: dequantization: from integers to floats and normals.
//! - `controller.rs`: runs these for each group of attributes.

mod controller;
pub(crate) mod descriptor;
mod integer_values;
mod transform;
pub(crate) mod traversal;

pub(crate) use controller::decode;
