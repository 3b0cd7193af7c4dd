//! An entry of an array of the file, as far as copying is concerned: whether it has a name or
//! extras, its extensions and attributes, and the entries it references.
//!
//! Parsing does not recurse below `MAX_DEPTH`, as files may nest extras arbitrarily deeply.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// The examined nesting levels: `extensions`, one of them, a texture, its `extensions`, one of
/// them.
const MAX_DEPTH: u8 = 5;

/// The arrays whose entries are referenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Meshes,
    Materials,
    Textures,
    Samplers,
    Images,
    Skins,
    Cameras,
    Lights,
}

/// An entry of an array.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) has_name: bool,
    /// Excludes the names of morph targets, which scenes support.
    pub(super) has_extras: bool,
    pub(super) extensions: BTreeSet<String>,
    /// The attributes that scenes do not support.
    pub(super) attributes: BTreeSet<String>,
    pub(super) primitives: Vec<Entry>,
    references: Vec<(Array, usize)>,
}

impl Entry {
    /// Returns the indices of the entries it references in an array.
    pub(super) fn referenced(&self, list: Array) -> impl Iterator<Item = usize> {
        self.references.iter().filter(move |name| name.0 == list).map(|name| name.1)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entry = Self::default();
        let visitor = Visit { entry: &mut entry, parent_key: "", key: "", depth: 0 };
        visitor.deserialize(deserializer)?;
        Ok(entry)
    }
}

/// A visitor of a value inside an entry.
struct Visit<'a> {
    entry: &'a mut Entry,
    /// The key of the value and the key of its parent.
    key: &'a str,
    parent_key: &'a str,
    depth: u8,
}

impl Visit<'_> {
    fn number(self, number: usize) {
        let is_own = self.depth == 1;
        let list = match self.key {
            "mesh" if is_own => Array::Meshes,
            "material" if is_own => Array::Materials,
            "skin" if is_own => Array::Skins,
            "camera" if is_own => Array::Cameras,
            "sampler" if is_own => Array::Samplers,
            "source" if is_own || SUPPORTED_OF_TEXTURES.contains(&self.parent_key) => Array::Images,
            "index" if self.parent_key.ends_with("Texture") => Array::Textures,
            "light" if self.parent_key == "KHR_lights_punctual" => Array::Lights,
            _ => return,
        };
        self.entry.references.push((list, number));
    }
}

/// Texture extensions that reference another image.
pub(super) const SUPPORTED_OF_TEXTURES: [&str; 2] = ["EXT_texture_webp", "KHR_texture_basisu"];

/// Returns `true` if scenes support an attribute of vertices, instances or morph targets.
fn is_copied_attribute(name: &str, is_target: bool) -> bool {
    let set = name.rsplit_once('_').filter(|(_, set)| set.parse::<u8>().is_ok());
    match (name, set) {
        ("POSITION" | "NORMAL" | "TANGENT", _) => true,
        ("TRANSLATION" | "ROTATION" | "SCALE", _)
        | (_, Some(("TEXCOORD" | "COLOR" | "JOINTS" | "WEIGHTS", _))) => !is_target,
        _ => false,
    }
}

impl<'de> DeserializeSeed<'de> for Visit<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Visit<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { entry, key, depth, .. } = self;
        while let Some(name) = map.next_key::<String>()? {
            match key {
                "extensions" => _ = entry.extensions.insert(name.clone()),
                "attributes" | "targets" if !is_copied_attribute(&name, key == "targets") => {
                    entry.attributes.insert(name.clone());
                }
                _ => {}
            }
            match &*name {
                "extras" => entry.has_extras |= map.next_value::<Extras>()?.0,
                "primitives" if depth == 0 => entry.primitives = map.next_value()?,
                _ if depth < MAX_DEPTH => {
                    let (parent_key, key) = (key, &*name);
                    map.next_value_seed(Visit { entry, parent_key, key, depth: depth + 1 })?;
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.key != "targets" {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let Self { entry, parent_key, key, depth } = self;
        while seq.next_element_seed(Visit { entry, parent_key, key, depth: depth + 1 })?.is_some() {
        }
        Ok(())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.entry.has_name |= self.key == "name" && self.depth == 1;
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        self.number(number as usize);
        Ok(())
    }

    /// Accepts indices written as 1.0.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<(), E> {
        self.number(number as usize);
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// `true` if extras contain anything except the names of morph targets.
struct Extras(bool);

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self(false))
    }
}

impl<'de> Visitor<'de> for Extras {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut has_more = false;
        while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
            has_more |= key != "targetNames";
        }
        Ok(Self(has_more))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(true))
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self, E> {
        Ok(Self(true))
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self, E> {
        Ok(Self(true))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self, E> {
        Ok(Self(true))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self, E> {
        Ok(Self(true))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self, E> {
        Ok(Self(true))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(Self(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> Entry {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn references_and_extensions_of_an_entry_are_found() {
        let node = entry(
            r#"{"mesh": 2.0, "camera": 1, "children": [5], "name": "a", "extensions":
                {"KHR_lights_punctual": {"light": 3}, "X": {"mesh": 7, "light": 8}}}"#,
        );
        let referenced = |list| node.referenced(list).collect::<Vec<_>>();
        assert_eq!(referenced(Array::Meshes), [2]);
        assert_eq!(referenced(Array::Cameras), [1]);
        assert_eq!(referenced(Array::Lights), [3]);
        assert_eq!(node.extensions.iter().collect::<Vec<_>>(), ["KHR_lights_punctual", "X"]);
        assert!(node.has_name && !node.has_extras);
        let material = entry(
            r#"{"normalTexture": {"index": 4, "texCoord": 1}, "extensions":
                {"Y": {"sheenTexture": {"index": 6, "extensions": {"Z": {}}}}}}"#,
        );
        assert_eq!(material.referenced(Array::Textures).collect::<Vec<_>>(), [4, 6]);
        assert_eq!(material.extensions.iter().collect::<Vec<_>>(), ["Y", "Z"]);
    }

    #[test]
    fn unsupported_attributes_are_found() {
        let mesh = entry(
            r#"{"primitives": [{"attributes": {"POSITION": 0, "COLOR_1": 1, "_TEMP": 2, "COLOR_x": 3},
                "targets": [{"NORMAL": 0, "TEXCOORD_0": 1}], "material": 4}],
                "extras": {"targetNames": []}}"#,
        );
        let [part] = &*mesh.primitives else { panic!("{mesh:?}") };
        assert_eq!(part.attributes.iter().collect::<Vec<_>>(), ["COLOR_x", "TEXCOORD_0", "_TEMP"]);
        assert_eq!(part.referenced(Array::Materials).collect::<Vec<_>>(), [4]);
        assert!(!mesh.has_extras && !mesh.has_name);
    }

    #[test]
    fn extras_of_any_type_and_depth_are_found() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        for (extras, is_some) in [
            ("null", false),
            ("{}", false),
            ("0", true),
            ("-1", true),
            ("0.5", true),
            ("\"\"", true),
            ("false", true),
            ("{\"targetNames\": [], \"a\": 1}", true),
            (&deep, true),
        ] {
            let text = format!("{{\"extras\": {extras}, \"x\": {deep}}}");
            assert_eq!(entry(&text).has_extras, is_some, "{extras:.20}");
        }
    }
}
