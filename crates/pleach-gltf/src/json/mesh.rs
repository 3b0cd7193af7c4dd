//! JSON of meshes and primitives.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::tolerant::lenient;
use super::{Text, Tolerant, UInt};

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Mesh<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    #[serde(borrow)]
    pub primitives: Vec<Primitive<'a>>,
    pub weights: Option<Vec<f32>>,
    #[serde(borrow, default)]
    pub extras: Option<MeshExtras<'a>>,
}

/// The names of morph targets that exporters store in a mesh's extras. Other extras are ignored.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct MeshExtras<'a> {
    pub target_names: Vec<Text<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for MeshExtras<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Known<'a> {
            #[serde(borrow, default)]
            target_names: Vec<Text<'a>>,
        }
        let raw = <&serde_json::value::RawValue>::deserialize(deserializer)?;
        // Extras may have any type; those of another type have no target names.
        let known = serde_json::from_str::<Known<'a>>(raw.get());
        Ok(Self { target_names: known.map(|it| it.target_names).unwrap_or_default() })
    }
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Primitive<'a> {
    #[serde(borrow)]
    pub attributes: Attributes<'a>,
    pub indices: Option<UInt>,
    pub material: Option<UInt>,
    pub mode: Option<UInt>,
    #[serde(borrow, default)]
    pub targets: Vec<Attributes<'a>>,
    #[serde(borrow, default)]
    pub extensions: Option<PrimitiveExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PrimitiveExtensions<'a> {
    #[serde(rename = "KHR_draco_mesh_compression", borrow, default)]
    pub draco: Option<Draco<'a>>,
    #[serde(rename = "KHR_materials_variants")]
    pub variants: Option<Tolerant<VariantMappings>>,
}

/// The materials of a primitive by variant (KHR_materials_variants).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct VariantMappings {
    #[serde(default)]
    pub mappings: Vec<VariantMapping>,
}

/// A material for some variants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct VariantMapping {
    pub variants: Vec<UInt>,
    pub material: UInt,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Draco<'a> {
    pub buffer_view: UInt,
    #[serde(borrow)]
    pub attributes: Attributes<'a>,
}

/// Attribute names with accessor indices, in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Attributes<'a>(pub Vec<(Text<'a>, UInt)>);

impl Attributes<'_> {
    /// Returns the index for a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<UInt> {
        Some(self.0.iter().find(|(key, _)| &**key == name)?.1)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Attributes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Attributes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of attribute names and indices")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // More than any file needs, and few enough for a linear search.
                const MAX_ATTRIBUTES: usize = 1024;
                let mut attributes = Vec::new();
                while let Some(entry) = map.next_entry::<Text<'de>, UInt>()? {
                    if attributes.len() == MAX_ATTRIBUTES {
                        return Err(A::Error::custom(format!(
                            "more than {MAX_ATTRIBUTES} attributes"
                        )));
                    }
                    attributes.push(entry);
                }
                Ok(Attributes(attributes))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}
