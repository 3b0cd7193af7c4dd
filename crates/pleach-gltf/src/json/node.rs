//! JSON of nodes, scenes, skins, cameras and lights.

use serde::Deserialize;

use super::mesh::Attributes;
use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Scene<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(default)]
    pub(crate) nodes: Vec<UInt>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Node<'a> {
    #[serde(borrow, default)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(default)]
    pub(crate) children: Vec<UInt>,
    pub(crate) matrix: Option<Box<[f32; 16]>>,
    pub(crate) translation: Option<[f32; 3]>,
    pub(crate) rotation: Option<[f32; 4]>,
    pub(crate) scale: Option<[f32; 3]>,
    pub(crate) mesh: Option<UInt>,
    pub(crate) skin: Option<UInt>,
    pub(crate) camera: Option<UInt>,
    pub(crate) weights: Option<Vec<f32>>,
    #[serde(borrow, default)]
    pub(crate) extensions: Option<Box<NodeExtensions<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct NodeExtensions<'a> {
    #[serde(rename = "KHR_lights_punctual")]
    pub(crate) light: Option<NodeLight>,
    #[serde(rename = "KHR_node_visibility")]
    pub(crate) visibility: Option<Visibility>,
    #[serde(rename = "EXT_mesh_gpu_instancing", borrow)]
    pub(crate) instancing: Option<Instancing<'a>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct NodeLight {
    pub(crate) light: UInt,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Visibility {
    pub(crate) visible: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Instancing<'a> {
    #[serde(borrow)]
    pub(crate) attributes: Attributes<'a>,
}

impl Node<'_> {
    /// Returns the index of the node's light (KHR_lights_punctual).
    pub(crate) fn light(&self) -> Option<UInt> {
        Some(self.extensions.as_ref()?.light.as_ref()?.light)
    }

    /// Returns `true` unless KHR_node_visibility hides the node.
    pub(crate) fn is_visible(&self) -> bool {
        let visibility = self.extensions.as_ref().and_then(|it| it.visibility.as_ref());
        visibility.and_then(|it| it.visible).unwrap_or(true)
    }

    /// Returns the attributes of EXT_mesh_gpu_instancing.
    pub(crate) fn instancing(&self) -> Option<&Attributes<'_>> {
        Some(&self.extensions.as_ref()?.instancing.as_ref()?.attributes)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub(crate) inverse_bind_matrices: Option<UInt>,
    pub(crate) skeleton: Option<UInt>,
    pub(crate) joints: Vec<UInt>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Camera<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Text<'a>,
    pub(crate) perspective: Option<Perspective>,
    pub(crate) orthographic: Option<Orthographic>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Perspective {
    pub(crate) aspect_ratio: Option<f32>,
    pub(crate) yfov: Option<f32>,
    pub(crate) zfar: Option<f32>,
    pub(crate) znear: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Orthographic {
    pub(crate) xmag: Option<f32>,
    pub(crate) ymag: Option<f32>,
    pub(crate) zfar: Option<f32>,
    pub(crate) znear: Option<f32>,
}

/// A light of KHR_lights_punctual.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Light<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Text<'a>,
    pub(crate) color: Option<[f32; 3]>,
    pub(crate) intensity: Option<f32>,
    pub(crate) range: Option<f32>,
    pub(crate) spot: Option<Spot>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spot {
    pub(crate) inner_cone_angle: Option<f32>,
    pub(crate) outer_cone_angle: Option<f32>,
}
