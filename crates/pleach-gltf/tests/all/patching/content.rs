//! The content of a file by an independent reading: its JSON with the bytes of views and images.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pleach_gltf::{Document, Format};
use serde_json::{Value, json};
use testkit::Fnv;

/// Returns the JSON of a document as saved, in which views have their bytes instead of offsets.
pub(super) fn content(document: &Document) -> Value {
    let saved = document.save_bytes(Format::Gltf).unwrap();
    let mut json: Value = serde_json::from_slice(&saved.bytes).unwrap();
    let file = |name: &str| {
        let is_named = |it: &&(String, pleach_gltf::Bytes)| it.0 == name;
        saved.files.iter().find(is_named).map(|it| it.1.to_vec())
    };
    let list = |json: &Value, name: &str| json[name].as_array().cloned().unwrap_or_default();
    let mut buffers: Vec<Option<Vec<u8>>> = Vec::new();
    for (index, buffer) in list(&json, "buffers").iter().enumerate() {
        let uri = buffer["uri"].as_str();
        let bytes = uri.map(|uri| match uri.split_once(";base64,") {
            Some((_, text)) if uri.starts_with("data:") => STANDARD.decode(text).unwrap(),
            _ => file(&uri.replace("%20", " ")).unwrap_or_else(|| panic!("no {uri}")),
        });
        let members = json["buffers"][index].as_object_mut().unwrap();
        if bytes.is_some() {
            members.remove("byteLength");
        }
        if uri.is_some_and(|it| it.starts_with("data:")) {
            members.insert("uri".into(), json!("data"));
        }
        buffers.push(bytes);
    }
    for view in json["bufferViews"].as_array_mut().into_iter().flatten() {
        for pointer in
            ["", "/extensions/EXT_meshopt_compression", "/extensions/KHR_meshopt_compression"]
        {
            let Some(range) = view.pointer_mut(pointer).and_then(Value::as_object_mut) else {
                continue;
            };
            let number = |key: &str| range.get(key).map_or(0, |it| it.as_f64().unwrap() as usize);
            let (buffer, start, length) =
                (number("buffer"), number("byteOffset"), number("byteLength"));
            let Some(bytes) = buffers.get(buffer).and_then(Option::as_ref) else { continue };
            range.remove("byteOffset");
            let bytes = digest(&bytes[start..start + length]);
            range.insert("byteLength".into(), bytes);
        }
    }
    for image in json["images"].as_array_mut().into_iter().flatten() {
        let uri = image["uri"].as_str().map(|it| it.replace("%20", " "));
        if let Some(bytes) = uri.and_then(|uri| file(&uri)) {
            image["uri"] = json!([image["uri"], digest(&bytes)]);
        }
    }
    plain(json)
}

fn digest(bytes: &[u8]) -> Value {
    let mut hash = Fnv::default();
    hash.write(bytes);
    json!(format!("{} bytes {:016x}", bytes.len(), hash.finish()))
}

/// Returns the value with all numbers as f64.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap()),
        Value::Array(values) => values.into_iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, value)| (key, plain(value))).collect())
        }
        other => other,
    }
}
