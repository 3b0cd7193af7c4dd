//! JSON of nodes, scenes, skins, cameras and lights.

use serde::Deserialize;

use super::mesh::Attributes;
use super::tolerant::lenient;
use super::{Text, Tolerant, UInt};

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Scene<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub nodes: Vec<UInt>,
    #[serde(default)]
    pub extensions: Option<Box<SceneExtensions>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct SceneExtensions {
    #[serde(rename = "PLEACH_environment")]
    pub environment: Option<Tolerant<PleachEnvironment>>,
}

/// The ambient light, environment map, background and fog of a scene: `docs/PLEACH_environment.md`.
#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachEnvironment {
    pub ambient: Option<Tolerant<PleachAmbient>>,
    pub map: Option<Tolerant<PleachEnvironmentMap>>,
    pub background: Option<Tolerant<PleachBackground>>,
    pub fog: Option<Tolerant<PleachFog>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachAmbient {
    pub color: Option<[f32; 3]>,
    pub intensity: Option<f32>,
}

/// The environment map of a scene: the built-in studio, unless there is an image.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachEnvironmentMap {
    pub image: Option<UInt>,
    pub intensity: Option<f32>,
    pub rotation: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachBackground {
    pub color: Option<[f32; 3]>,
    pub map: Option<PleachMapBackground>,
}

/// The environment map as background.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachMapBackground {
    pub blur: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachFog {
    pub color: Option<[f32; 3]>,
    pub near: f32,
    pub far: f32,
}

/// A node. Files may have millions: 152 bytes each, and what its lists need.
#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Node<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub children: Box<[UInt]>,
    pub matrix: Option<Box<[f32; 16]>>,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
    pub mesh: Option<UInt>,
    pub skin: Option<UInt>,
    pub camera: Option<UInt>,
    pub weights: Option<Box<[f32]>>,
    #[serde(borrow, default)]
    pub extensions: Option<Box<NodeExtensions<'a>>>,
    /// `false` if the node has no members besides those of this type.
    #[serde(skip)]
    pub(crate) is_parsed_by_serde: bool,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct NodeExtensions<'a> {
    #[serde(rename = "KHR_lights_punctual")]
    pub light: Option<NodeLight>,
    #[serde(rename = "KHR_node_visibility")]
    pub visibility: Option<Visibility>,
    #[serde(rename = "KHR_node_hoverability")]
    pub hoverability: Option<Tolerant<Hoverability>>,
    #[serde(rename = "KHR_node_selectability")]
    pub selectability: Option<Tolerant<Selectability>>,
    #[serde(rename = "EXT_mesh_gpu_instancing", borrow)]
    pub instancing: Option<Instancing<'a>>,
    #[serde(rename = "PLEACH_bounds")]
    pub bounds: Option<Tolerant<PleachBounds>>,
}

/// The bounds of a node that were set by the user: `docs/PLEACH_bounds.md`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct PleachBounds {
    pub min: Option<[f32; 3]>,
    pub max: Option<[f32; 3]>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct NodeLight {
    pub light: UInt,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Visibility {
    pub visible: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Hoverability {
    pub hoverable: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Selectability {
    pub selectable: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Instancing<'a> {
    #[serde(borrow)]
    pub attributes: Attributes<'a>,
}

impl Node<'_> {
    /// Returns the index of the node's light (KHR_lights_punctual).
    #[must_use]
    pub fn light(&self) -> Option<UInt> {
        Some(self.extensions.as_ref()?.light.as_ref()?.light)
    }

    /// Returns `true` unless KHR_node_visibility hides the node.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        let visibility = self.extensions.as_ref().and_then(|it| it.visibility.as_ref());
        visibility.and_then(|it| it.visible).unwrap_or(true)
    }

    /// Returns `true` unless KHR_node_hoverability disables hovering over the node.
    #[must_use]
    pub fn is_hoverable(&self) -> bool {
        let extension = self.extensions.as_ref().and_then(|it| it.hoverability.as_ref());
        extension.and_then(|it| it.as_result().ok()?.hoverable).unwrap_or(true)
    }

    /// Returns `true` unless KHR_node_selectability disables selecting the node.
    #[must_use]
    pub fn is_selectable(&self) -> bool {
        let extension = self.extensions.as_ref().and_then(|it| it.selectability.as_ref());
        extension.and_then(|it| it.as_result().ok()?.selectable).unwrap_or(true)
    }

    /// Returns the attributes of EXT_mesh_gpu_instancing.
    #[must_use]
    pub fn instancing(&self) -> Option<&Attributes<'_>> {
        Some(&self.extensions.as_ref()?.instancing.as_ref()?.attributes)
    }
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Skin<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    pub inverse_bind_matrices: Option<UInt>,
    pub skeleton: Option<UInt>,
    pub joints: Vec<UInt>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Camera<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub perspective: Option<Perspective>,
    pub orthographic: Option<Orthographic>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Perspective {
    pub aspect_ratio: Option<f32>,
    pub yfov: Option<f32>,
    pub zfar: Option<f32>,
    pub znear: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Orthographic {
    pub xmag: Option<f32>,
    pub ymag: Option<f32>,
    pub zfar: Option<f32>,
    pub znear: Option<f32>,
}

/// A light of KHR_lights_punctual.
#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Light<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub color: Option<[f32; 3]>,
    pub intensity: Option<f32>,
    pub range: Option<f32>,
    pub spot: Option<Spot>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Spot {
    pub inner_cone_angle: Option<f32>,
    pub outer_cone_angle: Option<f32>,
}
