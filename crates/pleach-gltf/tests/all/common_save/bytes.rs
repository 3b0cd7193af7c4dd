//! Do the bytes of a file fit: buffers, views in them, accessors in those, and their bounds?

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pleach_gltf::Saved;
use serde_json::Value;

use super::check::{Check, list, whole};
use crate::common::accessors::width;
use crate::common::container::chunks_of;

/// The content of each buffer, if it has any.
pub(super) fn buffers(json: &Value, saved: &Saved) -> Vec<Option<Vec<u8>>> {
    let files: BTreeMap<&str, &[u8]> = saved.files.iter().map(|it| (&*it.0, &*it.1)).collect();
    let chunk = saved.bytes.starts_with(b"glTF").then(|| chunks_of(&saved.bytes));
    let chunk = chunk.and_then(|it| it.into_iter().find(|it| it.0 == 0x004e_4942));
    let of = |(index, buffer): (usize, &Value)| match buffer["uri"].as_str() {
        None if index == 0 => chunk.as_ref().map(|it| it.1.clone()),
        None => None,
        Some(uri) => uri
            .strip_prefix("data:")
            .and_then(|it| it.split_once(";base64,"))
            .map(|(_, text)| STANDARD.decode(text).unwrap())
            .or_else(|| {
                let name = uri.strip_prefix("./").unwrap_or(uri);
                files.get(&*unescaped(name)).or_else(|| files.get(uri)).map(|it| it.to_vec())
            }),
    };
    list(json, "/buffers").iter().enumerate().map(of).collect()
}

/// Without percent codes.
fn unescaped(uri: &str) -> String {
    let (mut out, mut bytes) = (Vec::new(), uri.bytes());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let code: String = bytes.by_ref().take(2).map(char::from).collect();
        out.push(u8::from_str_radix(&code, 16).unwrap());
    }
    String::from_utf8(out).unwrap()
}

impl Check<'_> {
    /// Views lie in buffers, accessors in views; bounds are right.
    pub(super) fn bytes(&mut self, buffers: &[Option<Vec<u8>>]) {
        let json = self.json;
        for (number, buffer) in list(json, "/buffers").iter().enumerate() {
            let have = buffers[number].as_ref().map(Vec::len);
            let need = whole(&buffer["byteLength"]);
            let is_stand_in = buffer.to_string().contains("fallback");
            if have.map_or(!is_stand_in, |have| have < need) || need == 0 {
                self.faults.push(format!("buffer {number} should have {need}, has {have:?} bytes"));
            }
        }
        for (number, view) in list(json, "/bufferViews").iter().enumerate() {
            let offset = view.get("byteOffset").map_or(0, whole);
            let (length, buffer) = (whole(&view["byteLength"]), whole(&view["buffer"]));
            let have = list(json, "/buffers").get(buffer).map_or(0, |it| whole(&it["byteLength"]));
            if length == 0 || offset + length > have {
                self.faults.push(format!("view {number} is {offset} + {length} of {have} bytes"));
            }
        }
        for (number, accessor) in list(json, "/accessors").iter().enumerate() {
            self.accessor(number, accessor, buffers);
        }
    }

    fn accessor(&mut self, number: usize, accessor: &Value, buffers: &[Option<Vec<u8>>]) {
        let count = whole(&accessor["count"]);
        if count == 0 {
            self.faults.push(format!("accessor {number} has no entries"));
        }
        let Some(view) = accessor.get("bufferView") else { return };
        let Some(view) = list(self.json, "/bufferViews").get(whole(view)) else {
            self.faults.push(format!("accessor {number} has no view"));
            return;
        };
        let width = width(accessor["type"].as_str().unwrap());
        let size = match whole(&accessor["componentType"]) {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let inner = accessor.get("byteOffset").map_or(0, whole);
        let offset = view.get("byteOffset").map_or(0, whole) + inner;
        let stride = view.get("byteStride").map_or(width * size, whole);
        let end = inner + stride * count.saturating_sub(1) + width * size;
        if end > whole(&view["byteLength"]) || !offset.is_multiple_of(size) {
            self.faults
                .push(format!("accessor {number} ends at {end} of {view}, or is not aligned"));
            return;
        }
        let (Some(least), Some(most)) = (accessor.get("min"), accessor.get("max")) else { return };
        let is_plain = size == 4
            && whole(&accessor["componentType"]) == 5126
            && accessor.get("sparse").is_none()
            && view.get("extensions").is_none();
        let Some(Some(bytes)) = buffers.get(whole(&view["buffer"])).filter(|_| is_plain) else {
            return;
        };
        for part in 0..width {
            let values = (0..count).map(|entry| {
                let at = offset + entry * stride + part * 4;
                f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
            });
            let (low, high) =
                values.fold((f32::INFINITY, f32::NEG_INFINITY), |it, v| (it.0.min(v), it.1.max(v)));
            let said = [least, most].map(|it| it[part].as_f64().unwrap() as f32);
            // Files are written by others, too.
            let near = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
            if !near(low, said[0]) || !near(high, said[1]) {
                self.faults.push(format!(
                    "accessor {number}: {low} to {high}, but said are {said:?} for part {part}"
                ));
            }
        }
    }
}
