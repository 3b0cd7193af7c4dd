//! Meshes and their primitives.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Mesh<'a> {
    #[serde(borrow)]
    pub(crate) primitives: Vec<Primitive<'a>>,
    pub(crate) weights: Option<Vec<f32>>,
    #[serde(borrow, default)]
    pub(crate) extras: Option<MeshExtras<'a>>,
}

/// What exporters put into a mesh's extras, if it is that. Anything else is not looked at.
#[derive(Debug, Default)]
pub(crate) struct MeshExtras<'a> {
    pub(crate) target_names: Vec<Text<'a>>,
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
        // Extras may be anything; only if they look like this they are meant.
        let known = serde_json::from_str::<Known<'a>>(raw.get());
        Ok(Self { target_names: known.map(|it| it.target_names).unwrap_or_default() })
    }
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Primitive<'a> {
    #[serde(borrow)]
    pub(crate) attributes: Attributes<'a>,
    pub(crate) indices: Option<UInt>,
    pub(crate) material: Option<UInt>,
    pub(crate) mode: Option<UInt>,
    #[serde(borrow, default)]
    pub(crate) targets: Vec<Attributes<'a>>,
    #[serde(borrow, default)]
    pub(crate) extensions: Option<PrimitiveExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct PrimitiveExtensions<'a> {
    #[serde(rename = "KHR_draco_mesh_compression", borrow, default)]
    pub(crate) draco: Option<Draco<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(not(feature = "draco"), expect(dead_code, reason = "what it holds is not decoded"))]
pub(crate) struct Draco<'a> {
    pub(crate) buffer_view: UInt,
    #[serde(borrow)]
    pub(crate) attributes: Attributes<'a>,
}

/// Names of attributes, and an index for each, in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Attributes<'a>(pub(crate) Vec<(Text<'a>, UInt)>);

impl Attributes<'_> {
    /// The index that belongs to a name.
    pub(crate) fn get(&self, name: &str) -> Option<UInt> {
        Some(self.0.iter().find(|(key, _)| &**key == name)?.1)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Attributes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Attributes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names of attributes with an index for each")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // More than anyone needs, and few enough to be looked through.
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
