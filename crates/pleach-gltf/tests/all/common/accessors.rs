//! Builds the buffer of a model: one accessor after another, each with its own buffer view.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Returns the number of components of an element type.
pub(crate) fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        _ => 16,
    }
}

/// Returns numbers as stored in a buffer.
pub(crate) fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Encodes bytes as a data URI.
pub(crate) fn data_uri(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

/// A buffer with its views and accessors.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) bin: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
    /// The offsets of floats in the buffer.
    pub(crate) float_offsets: Vec<usize>,
}

impl Builder {
    /// Adds a buffer view of `bytes` and returns its index.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()
        }));
        self.bin.extend_from_slice(bytes);
        self.views.len() - 1
    }

    pub(crate) fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    pub(crate) fn packed(&mut self, code: u32, kind: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.accessor(json!({
            "bufferView": view, "componentType": code, "type": kind, "count": count
        }))
    }

    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let accessor = self.packed(5126, kind, numbers.len() / width(kind), &bytes_of(numbers));
        let start = self.bin.len() - 4 * numbers.len();
        self.float_offsets.extend((0..numbers.len()).map(|number| start + 4 * number));
        accessor
    }
}
