//! Checks of buffers, views, accessors, and their `min` and `max`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pleach_gltf::Saved;
use serde_json::Value;

use super::check::{Check, list, to_index};
use crate::common::accessors::width;
use crate::common::container::chunks_of;

/// Returns the content of each buffer, if it has any.
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

/// Decodes percent codes.
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
    /// Checks that views are inside of buffers and accessors inside of views, and that `min` and
    /// `max` are correct.
    pub(super) fn bytes(&mut self, buffers: &[Option<Vec<u8>>]) {
        let json = self.json;
        for (number, buffer) in list(json, "/buffers").iter().enumerate() {
            let have = buffers[number].as_ref().map(Vec::len);
            let need = to_index(&buffer["byteLength"]);
            let is_stand_in = buffer.to_string().contains("fallback");
            if have.map_or(!is_stand_in, |have| have < need) || need == 0 {
                self.errors.push(format!("buffer {number} should have {need}, has {have:?} bytes"));
            }
        }
        for (number, view) in list(json, "/bufferViews").iter().enumerate() {
            let offset = view.get("byteOffset").map_or(0, to_index);
            let (length, buffer) = (to_index(&view["byteLength"]), to_index(&view["buffer"]));
            let have =
                list(json, "/buffers").get(buffer).map_or(0, |it| to_index(&it["byteLength"]));
            if length == 0 || offset + length > have {
                self.errors.push(format!("view {number} is {offset} + {length} of {have} bytes"));
            }
        }
        for (number, accessor) in list(json, "/accessors").iter().enumerate() {
            self.accessor(number, accessor, buffers);
        }
    }

    fn accessor(&mut self, number: usize, accessor: &Value, buffers: &[Option<Vec<u8>>]) {
        let count = to_index(&accessor["count"]);
        if count == 0 {
            self.errors.push(format!("accessor {number} has no entries"));
        }
        let Some(view) = accessor.get("bufferView") else { return };
        let Some(view) = list(self.json, "/bufferViews").get(to_index(view)) else {
            self.errors.push(format!("accessor {number} has no view"));
            return;
        };
        let width = width(accessor["type"].as_str().unwrap());
        let size = match to_index(&accessor["componentType"]) {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let inner = accessor.get("byteOffset").map_or(0, to_index);
        let offset = view.get("byteOffset").map_or(0, to_index) + inner;
        let stride = view.get("byteStride").map_or(width * size, to_index);
        let end = inner + stride * count.saturating_sub(1) + width * size;
        if end > to_index(&view["byteLength"]) || !offset.is_multiple_of(size) {
            self.errors
                .push(format!("accessor {number} ends at {end} of {view}, or is not aligned"));
            return;
        }
        let (Some(min), Some(max)) = (accessor.get("min"), accessor.get("max")) else { return };
        let is_plain = size == 4
            && to_index(&accessor["componentType"]) == 5126
            && accessor.get("sparse").is_none()
            && view.get("extensions").is_none();
        let Some(Some(bytes)) = buffers.get(to_index(&view["buffer"])).filter(|_| is_plain) else {
            return;
        };
        for part in 0..width {
            let values = (0..count).map(|entry| {
                let at = offset + entry * stride + part * 4;
                f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
            });
            let (low, high) =
                values.fold((f32::INFINITY, f32::NEG_INFINITY), |it, v| (it.0.min(v), it.1.max(v)));
            let stated = [min, max].map(|it| it[part].as_f64().unwrap() as f32);
            // Files of other exporters may round.
            let near = |a: f32, b: f32| a == b || (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
            if !near(low, stated[0]) || !near(high, stated[1]) {
                self.errors.push(format!(
                    "accessor {number}: {low} to {high}, but min or max is {stated:?} for component {part}"
                ));
            }
        }
    }
}
