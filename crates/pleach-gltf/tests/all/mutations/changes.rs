//! Random changes of JSON, bytes and containers, each with a description.

use serde_json::Value;
use testkit::Rng;

use crate::common::pointer::{pointers, take};

/// Changes the JSON in one way and returns a description.
pub(crate) fn change_json(json: &mut Value, rng: &mut Rng) -> Option<String> {
    let mut all = pointers(json);
    all.remove(0); // All but the root.
    let numbers: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_number)).collect();
    let integers: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_u64)).collect();
    let lists: Vec<&String> =
        all.iter().filter(|it| json.pointer(it).is_some_and(Value::is_array)).collect();
    let at = rng.choose(&all)?.clone();
    let other = rng.choose(&all)?.clone();
    Some(match rng.below(14) {
        // Integers: small steps, other indices, large values.
        0..=3 => {
            let at = *rng.choose(&integers)?;
            let target = json.pointer_mut(at)?;
            let old = target.as_u64()?;
            let new = match rng.below(8) {
                0 => old + 1,
                1 => old.saturating_sub(1),
                2 => old * 2,
                3 => old / 2,
                4 => 1 << rng.below(64),
                _ => rng.below(12) as u64,
            };
            *target = new.into();
            format!("{at}: {old} becomes {new}")
        }
        4 => {
            let at = *rng.choose(&numbers)?;
            let texts = [
                "-1", "0.5", "1e39", "-1e39", "1e-46", "-0.0", "3.4e38", "1e20", "1.0", "0",
                "1e-20",
            ];
            let text = *rng.choose(&texts)?;
            *json.pointer_mut(at)? = serde_json::from_str(text).ok()?;
            format!("{at} becomes {text}")
        }
        5 => {
            let (one, two) =
                (rng.choose(&integers)?.to_string(), rng.choose(&integers)?.to_string());
            let value = json.pointer(&two)?.clone();
            let value = std::mem::replace(json.pointer_mut(&one)?, value);
            *json.pointer_mut(&two)? = value;
            format!("{one} and {two} are exchanged")
        }
        6 => {
            take(json, &at)?;
            format!("{at} is removed")
        }
        7 => {
            let at = *rng.choose(&lists)?;
            let list = json.pointer_mut(at)?.as_array_mut()?;
            let from = rng.below(list.len());
            let item = list.get(from)?.clone();
            let to = rng.below(list.len() + 1);
            list.insert(to, item);
            format!("{at}: {from} is also at {to}")
        }
        8 => {
            let at = *rng.choose(&lists)?;
            let list = json.pointer_mut(at)?.as_array_mut()?;
            let (one, two) = (rng.below(list.len()), rng.below(list.len()));
            if list.is_empty() {
                return None;
            }
            list.swap(one, two);
            format!("{at}: {one} and {two} are exchanged")
        }
        9 => {
            let value = json.pointer(&other)?.clone();
            *json.pointer_mut(&at)? = value;
            format!("{at} becomes a copy of {other}")
        }
        10 => {
            let value = take(json, &other)?;
            *json.pointer_mut(&at)? = value;
            format!("{other} moves to {at}")
        }
        11 => {
            // A member of another object, under its name.
            let (parent, _) = at.rsplit_once('/')?;
            let (_, key) = other.rsplit_once('/')?;
            let value = json.pointer(&other)?.clone();
            json.pointer_mut(parent)?.as_object_mut()?.insert(key.into(), value);
            format!("{parent} gets {other}")
        }
        12 => {
            let texts = [
                "null",
                "{}",
                "[]",
                "\"\"",
                "true",
                "false",
                "0",
                "\"\\u0000\\u2764\"",
                "[0]",
                "[0,1,2]",
            ];
            let text = *rng.choose(&texts)?;
            *json.pointer_mut(&at)? = serde_json::from_str(text).ok()?;
            format!("{at} becomes {text}")
        }
        _ => {
            // Members that other tools may add.
            let (parent, _) = at.rsplit_once('/')?;
            let added = [
                ("extras", r#"{"a":[1.50,{"b":"\u00e9"}]}"#),
                ("extensions", r#"{"VENDOR_x":{"y":[0]}}"#),
                ("name", r#""n""#),
                ("extras", "1e400"),
                ("weights", "[1]"),
                ("children", "[]"),
            ];
            let (key, text) = *rng.choose(&added)?;
            let value = serde_json::from_str(text).ok()?;
            json.pointer_mut(parent)?.as_object_mut()?.insert(key.into(), value);
            format!("{parent} gets {key} {text}")
        }
    })
}

/// Changes bytes of a buffer or image and returns a description.
pub(crate) fn change_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) -> Option<String> {
    let at = rng.below(bytes.len());
    Some(match rng.below(5) {
        0 => {
            let byte = rng.next_u64() as u8;
            *bytes.get_mut(at)? = byte;
            format!("byte {at} becomes {byte:#x}")
        }
        1 => {
            let at = at & !3;
            let values =
                [f32::NAN, f32::INFINITY, -0.0, f32::MAX, 1e-45, 1e20, 0.0, 1.0, -1.0, 1e-20];
            let value = *rng.choose(&values)?;
            bytes.get_mut(at..at + 4)?.copy_from_slice(&value.to_le_bytes());
            format!("the float at {at} becomes {value}")
        }
        2 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        3 => {
            let more = rng.below(20);
            bytes.extend((0..more).map(|it| it as u8));
            format!("{more} bytes more")
        }
        _ => {
            let from = rng.below(bytes.len());
            let length = rng.below(16).min(bytes.len() - from.max(at));
            bytes.copy_within(from..from + length, at);
            format!("{length} bytes from {from} also at {at}")
        }
    })
}

/// Changes the container and returns a description.
pub(crate) fn change_framing(file: &mut Vec<u8>, rng: &mut Rng) -> Option<String> {
    if !file.starts_with(b"glTF") {
        return None;
    }
    let json = u32::from_le_bytes(file.get(12..16)?.try_into().ok()?) as usize;
    Some(match rng.below(5) {
        0 => {
            let offsets = [4, 8, 12, 16, 20 + json, 24 + json];
            let at = *rng.choose(&offsets)?;
            let field = file.get_mut(at..at + 4)?;
            let old = u32::from_le_bytes(field.try_into().ok()?);
            let steps = [1, 4, 3, 8, 1 << 20, 1 << 31, u32::MAX, u32::MAX - 3];
            let new = old.wrapping_add(*rng.choose(&steps)?);
            field.copy_from_slice(&new.to_le_bytes());
            format!("the number at {at} becomes {new}")
        }
        1 => {
            let size = rng.below(4) as u32 * 4;
            file.extend(size.to_le_bytes());
            let kinds = [*b"ABCD", *b"JSON", *b"BIN\0"];
            file.extend(rng.choose(&kinds)?);
            file.extend(vec![b'7'; size as usize]);
            let length = (file.len() as u32).to_le_bytes();
            file.get_mut(8..12)?.copy_from_slice(&length);
            format!("a chunk of {size} more")
        }
        2 => {
            file.truncate(20 + json);
            let length = (file.len() as u32).to_le_bytes();
            file.get_mut(8..12)?.copy_from_slice(&length);
            "no chunk of bytes".into()
        }
        3 => {
            let end = rng.below(file.len());
            file.truncate(end);
            format!("the file ends at {end}")
        }
        _ => {
            file.extend(b"tail");
            "four bytes after the end".into()
        }
    })
}
