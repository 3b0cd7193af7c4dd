//! Values of a patch as JSON text: references, bytes and lists are objects with one key that begins
//! with `$`.
//!
//! Invariant: decoding the text of a value gives the value, whatever the keys of the file are: an
//! object of the file with a key that begins with `$` is wrapped.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::content_hash::ContentHash;
use super::model::arrays;
use super::read::{self, AsIs};
use super::value::{Blob, Object, Pointer, Ref, Text, Value};
use crate::diagnostics::{Pointer as JsonPointer, Result};
use crate::references::GltfArray;
use crate::{Error, ErrorKind};

/// The blobs of a patch, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct BlobTable {
    pub(super) blobs: Vec<Arc<Blob>>,
    numbers: HashMap<ContentHash, usize>,
}

impl BlobTable {
    /// Returns the number of a blob.
    pub(super) fn number(&mut self, blob: &Arc<Blob>) -> usize {
        *self.numbers.entry(blob.hash).or_insert_with(|| {
            self.blobs.push(Arc::clone(blob));
            self.blobs.len() - 1
        })
    }
}

/// Appends the text of a value.
pub(super) fn encode(value: &Value, blobs: &mut BlobTable, out: &mut String) {
    match value {
        Value::Text(text) => out.push_str(&text.0),
        Value::Array(values) => encode_all(values, blobs, out),
        Value::Object(object) => {
            let is_wrapped = object.iter().any(|(key, _)| key.starts_with('$'));
            out.push_str(if is_wrapped { "{\"$object\":{" } else { "{" });
            for (number, (key, value)) in object.in_text_order().into_iter().enumerate() {
                out.push_str(if number > 0 { ",\"" } else { "\"" });
                out.push_str(key);
                out.push_str("\":");
                encode(value, blobs, out);
            }
            out.push_str(if is_wrapped { "}}" } else { "}" });
        }
        Value::Ref(to) => out.push_str(&format!("{{\"$\":[\"{}\",{}]}}", to.array, to.id)),
        Value::Pointer(pointer) => {
            let Pointer { to, tail } = &**pointer;
            let tail = Text::string(tail).0;
            out.push_str(&format!("{{\"$pointer\":[\"{}\",{},{tail}]}}", to.array, to.id));
        }
        Value::Bytes(blob) => out.push_str(&format!("{{\"$bytes\":{}}}", blobs.number(blob))),
        Value::File(file) => {
            let number = blobs.number(&file.1);
            out.push_str(&format!("{{\"$file\":[{},{number}]}}", file.0.0));
        }
        Value::List(array) => out.push_str(&format!("{{\"$list\":\"{array}\"}}")),
    }
}

/// Appends the text of an array.
pub(super) fn encode_all(values: &[Value], blobs: &mut BlobTable, out: &mut String) {
    out.push('[');
    for (number, value) in values.iter().enumerate() {
        out.push_str(if number > 0 { "," } else { "" });
        encode(value, blobs, out);
    }
    out.push(']');
}

/// Reads a value from valid JSON.
///
/// # Errors
///
/// [`ErrorKind::Patch`] for an unknown token, and for a number of a blob that does not exist.
pub(super) fn decode(text: &str, span: &Range<usize>, blobs: &[Arc<Blob>]) -> Result<Value> {
    decode_value(read::read(text, span, &mut AsIs)?, blobs)
}

fn decode_value(value: Value, blobs: &[Arc<Blob>]) -> Result<Value> {
    let object = match value {
        Value::Array(values) => {
            let values: Result<Vec<Value>> =
                values.into_iter().map(|it| decode_value(it, blobs)).collect();
            return Ok(Value::Array(values?));
        }
        Value::Object(object) => object,
        other => return Ok(other),
    };
    if !object.iter().any(|(key, _)| key.starts_with('$')) {
        return decode_members(object, blobs);
    }
    let Some(token) = object.iter().next() else { return Ok(Value::Object(object)) };
    let decoded = match token {
        _ if object.len() != 1 => None,
        ("$object", Value::Object(members)) => Some(decode_members(members.clone(), blobs)?),
        ("$", Value::Array(parts)) => match &parts[..] {
            [array, id] => reference(array, id).map(Value::Ref),
            _ => None,
        },
        ("$pointer", Value::Array(parts)) => match &parts[..] {
            [array, id, tail] => reference(array, id).and_then(|to| {
                let tail = tail.as_string()?.into_owned();
                Some(Value::Pointer(Box::new(Pointer { to, tail })))
            }),
            _ => None,
        },
        ("$bytes", number) => blob(number, blobs).map(Value::Bytes),
        ("$file", Value::Array(parts)) => match &parts[..] {
            [Value::Text(uri), number] if uri.decoded().is_some() => {
                blob(number, blobs).map(|blob| Value::File(Box::new((uri.clone(), blob))))
            }
            _ => None,
        },
        ("$list", name) => name.as_string().and_then(|it| array_named(&it)).map(Value::List),
        _ => None,
    };
    decoded.ok_or_else(|| {
        let message = format!("the patch contains {:?}, which is not valid there", token.0);
        Error::new(ErrorKind::Patch, &JsonPointer::ROOT, message)
    })
}

fn decode_members(mut object: Object, blobs: &[Arc<Blob>]) -> Result<Value> {
    for value in object.values_mut() {
        let encoded = std::mem::replace(value, Value::Array(Vec::new()));
        *value = decode_value(encoded, blobs)?;
    }
    Ok(Value::Object(object))
}

fn blob(number: &Value, blobs: &[Arc<Blob>]) -> Option<Arc<Blob>> {
    blobs.get(number.as_index()?).cloned()
}

fn reference(array: &Value, id: &Value) -> Option<Ref> {
    let id = u32::try_from(id.as_index()?).ok()?;
    Some(Ref { array: array_named(&array.as_string()?)?, id })
}

/// Returns the array of entries with a name.
pub(super) fn array_named(name: &str) -> Option<GltfArray> {
    arrays().find(|it| it.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    #[test]
    fn values_are_decoded_as_they_were_encoded() {
        let text = r#"{"$bytes": 3, "a": {"$list": "nodes"}, "b": [1, {"$": []}, "x"], "c": []}"#;
        let mut value = read::read(text, &(0..text.len()), &mut AsIs).unwrap();
        let to = Ref { array: GltfArray::Meshes, id: 7 };
        let blob = Blob::new(Bytes::from(vec![1, 2, 3]));
        let object = value.as_object_mut().unwrap();
        object.set("ref", Value::Array(vec![Value::Ref(to), Value::List(GltfArray::Lights)]));
        let pointer = Pointer { to, tail: "/weights\"".into() };
        object.set("pointer", Value::Pointer(Box::new(pointer)));
        object.set("bytes", Value::Bytes(Arc::clone(&blob)));
        object.set("file", Value::File(Box::new((Text::string("a b.png"), blob))));
        let mut blobs = BlobTable::default();
        let mut text = String::new();
        encode(&value, &mut blobs, &mut text);
        assert_eq!(blobs.blobs.len(), 1);
        assert_eq!(decode(&text, &(0..text.len()), &blobs.blobs).unwrap(), value, "{text}");
    }

    #[test]
    fn invalid_tokens_are_errors() {
        for text in [
            r#"{"$bytes": 0}"#,
            r#"{"$": ["nodes"]}"#,
            r#"{"$": ["trees", 1]}"#,
            r#"{"$": ["nodes", 99999999999]}"#,
            r#"{"$list": "animationSamplers"}"#,
            r#"{"$other": 1}"#,
            r#"{"$": ["nodes", 1], "a": 2}"#,
            r#"{"$file": [1, 0]}"#,
        ] {
            let error = decode(text, &(0..text.len()), &[]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Patch, "{text}");
        }
    }
}
