//! Names and references of the JSON. A loaded document keeps objects, not
//! their indices.

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer};

/// The relevant arrays of a file.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct GltfJson {
    #[serde(default)]
    pub(crate) nodes: Vec<Node>,
    #[serde(default)]
    pub(crate) scenes: Vec<Named>,
    #[serde(default)]
    pub(crate) animations: Vec<Named>,
    #[serde(default)]
    pub(crate) cameras: Vec<Camera>,
    #[serde(default)]
    extensions: Option<RootExtensions>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    /// The rotation as in the file, not normalized.
    pub(crate) rotation: Option<[f32; 4]>,
    #[serde(default, deserialize_with = "index")]
    pub(crate) mesh: Option<usize>,
    #[serde(default, deserialize_with = "index")]
    pub(crate) skin: Option<usize>,
    #[serde(default, deserialize_with = "index")]
    pub(crate) camera: Option<usize>,
    #[serde(default)]
    extensions: Option<NodeExtensions>,
}

#[derive(Debug, Default, Deserialize)]
struct NodeExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    light: Option<LightOf>,
}

#[derive(Debug, Default, Deserialize)]
struct LightOf {
    #[serde(default, deserialize_with = "index")]
    light: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Camera {
    pub(crate) orthographic: Option<Magnification>,
}

/// Half the width and height of the view; negative values mirror it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Magnification {
    pub(crate) xmag: f32,
    pub(crate) ymag: f32,
}

#[derive(Debug, Default, Deserialize)]
struct RootExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    lights: Option<Lights>,
}

#[derive(Debug, Default, Deserialize)]
struct Lights {
    #[serde(default)]
    lights: Vec<Light>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Light {
    /// Also present for light types that do not use it.
    pub(crate) range: Option<f32>,
}

impl GltfJson {
    /// Parses the JSON of a loaded file.
    pub(crate) fn of(json: &str) -> Result<Self> {
        if json.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(json).context("cannot parse its JSON")
    }

    /// Returns the lights of KHR_lights_punctual.
    pub(crate) fn lights(&self) -> &[Light] {
        let lights = self.extensions.as_ref().and_then(|it| it.lights.as_ref());
        lights.map_or(&[], |it| &it.lights)
    }
}

impl Node {
    /// Returns the index of its light.
    pub(crate) fn light(&self) -> Option<usize> {
        self.extensions.as_ref()?.light.as_ref()?.light
    }
}

/// Parses an index, which may be written as `5.0`. The loader has checked its range.
fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.map(|index| index as usize))
}
