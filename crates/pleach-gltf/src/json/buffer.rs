//! JSON of buffers, buffer views and accessors.

use serde::Deserialize;

use super::tolerant::lenient;
use super::{Text, UInt};

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Buffer<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub uri: Option<Text<'a>>,
    pub byte_length: UInt,
    pub extensions: Option<BufferExtensions>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct BufferExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub meshopt: Option<Fallback>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Fallback {
    #[serde(default)]
    pub fallback: bool,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct BufferView<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    pub buffer: UInt,
    #[serde(default)]
    pub byte_offset: UInt,
    pub byte_length: UInt,
    pub byte_stride: Option<UInt>,
    #[serde(default, deserialize_with = "lenient")]
    pub target: Option<UInt>,
    #[serde(borrow, default)]
    pub extensions: Option<BufferViewExtensions<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct BufferViewExtensions<'a> {
    #[serde(rename = "EXT_meshopt_compression", borrow, default)]
    pub ext_meshopt: Option<Compressed<'a>>,
    #[serde(rename = "KHR_meshopt_compression", borrow, default)]
    pub khr_meshopt: Option<Compressed<'a>>,
}

/// The compressed data of a buffer view.
#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Compressed<'a> {
    pub buffer: UInt,
    #[serde(default)]
    pub byte_offset: UInt,
    pub byte_length: UInt,
    pub byte_stride: UInt,
    pub count: UInt,
    #[serde(borrow)]
    pub mode: Text<'a>,
    #[serde(borrow, default)]
    pub filter: Option<Text<'a>>,
}

impl BufferView<'_> {
    /// Returns the compressed data and the name of its extension, if the view is compressed.
    #[must_use]
    pub fn compressed(&self) -> Option<(&'static str, &Compressed<'_>)> {
        let extensions = self.extensions.as_ref()?;
        let khr = extensions.khr_meshopt.as_ref().map(|it| ("KHR_meshopt_compression", it));
        khr.or_else(|| extensions.ext_meshopt.as_ref().map(|it| ("EXT_meshopt_compression", it)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Accessor<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub name: Option<Text<'a>>,
    pub buffer_view: Option<UInt>,
    #[serde(default)]
    pub byte_offset: UInt,
    pub component_type: UInt,
    #[serde(default)]
    pub normalized: bool,
    pub count: UInt,
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub sparse: Option<Sparse>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct Sparse {
    pub count: UInt,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SparseIndices {
    pub buffer_view: UInt,
    #[serde(default)]
    pub byte_offset: UInt,
    pub component_type: UInt,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SparseValues {
    pub buffer_view: UInt,
    #[serde(default)]
    pub byte_offset: UInt,
}
